"""The shape of a matrix and its diagonals."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from spark_csr._array import namespace_of
from spark_csr._matrix.base import FORMATS, SparseArray, rows_of
from spark_csr._operations.compose.reshape import diagonal, diagonal_places, reshape, resize
from spark_csr._operations.form.canonical import canonical
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.select.assign import assign
from spark_csr._operations.select.values import as_values
from spark_csr.primitives import _check
from spark_csr.primitives.compact import compact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from spark_csr._types import Array, ArrayLike


class Shapes(SparseArray):
    """`reshape`, `resize`, `diagonal`, `setdiag`, `nonzero`."""

    def reshape(self, *shape: int | Sequence[int], order: Literal["C", "F"] = "C", copy: bool = False) -> Any:
        """Lay the elements out in another shape of the same size.

        Parameters
        ----------
        *shape : int or tuple of ints
            The new shape. One extent may be -1 and is inferred.
        order : {"C", "F"}, default "C"
            Whether elements are read and laid out row by row, or column by column.
        copy : bool, default False
            Whether the result must share nothing with this matrix.

        Returns
        -------
        coo_array
            The elements in the new shape. It is this matrix itself if that has this shape already and `copy` is False.

        Raises
        ------
        ValueError
            If the sizes differ, `order` is unknown, or the size is above 2**63.

        Notes
        -----
        *Cost*: one pass over the indices. The values are shared unless `copy` is True. If the columns of some row do not
        ascend, if `order` is "F", or if this is a `csc_array`, the entries are also sorted, and the values are copied.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2], [0, 3, 0]]).reshape(3, 2).toarray()
        array([[1, 0],
               [2, 0],
               [3, 0]])
        """
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C' or 'F', got {order!r}")
        shape = resolve_shape(shape, math.prod(self.shape))
        if shape == self.shape:
            return self.copy() if copy else self
        if len(shape) > 2:
            return FORMATS["coo"]._many_axes._lay_out(self, shape, order, copy)
        to = shape if len(shape) == 2 else (1, *shape)
        csr = rows_of(self, by_column=order == "F")
        csr = reshape(csr, to) if order == "C" else transpose(reshape(csr, to[::-1]))
        return FORMATS["coo"]._of(csr.copy() if copy else csr, len(shape))

    def ravel(self, order: Literal["C", "F"] = "C") -> Any:
        """Lay the elements out as a vector.

        Parameters
        ----------
        order : {"C", "F"}, default "C"
            Whether elements are read row by row, or column by column.

        Returns
        -------
        coo_array
            The vector, which shares the values if `reshape` does; this matrix itself if it is a vector.

        Raises
        ------
        ValueError
            If `order` is unknown, or there are more than 2**63 elements.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0], [2, 3]]).ravel().toarray()
        array([1, 0, 2, 3])
        """
        return self.reshape(math.prod(self.shape), order=order)

    def flatten(self, order: Literal["C", "F"] = "C") -> Any:
        """Copy the elements to a vector.

        Parameters, result and exceptions are those of `ravel`, but the vector shares nothing with this matrix. A vector is
        copied in its format.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0], [2, 3]]).flatten(order="F").toarray()
        array([1, 2, 0, 3])
        """
        return self.reshape(math.prod(self.shape), order=order, copy=True)

    def resize(self, *shape: int | Sequence[int]) -> None:
        """Change the shape in place: entries outside of the new shape are dropped, and new rows and columns are empty.

        Parameters
        ----------
        *shape : int or tuple of ints
            The new shape, of one or two dimensions; of two for a `csc_array`.

        Raises
        ------
        ValueError
            If the shape is negative or has another number of dimensions.

        Notes
        -----
        As in SciPy, a `csr_array` that becomes a vector keeps its first row, while a `coo_array` whose number of dimensions
        changes is laid out row by row.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 3, 0]])
        >>> A.resize(3, 2)
        >>> A.toarray()
        array([[1, 0],
               [0, 3],
               [0, 0]])
        """
        shape = parse_shape(shape)
        if len(shape) not in (1, 2) or (len(shape) == 1 and self._transposed):
            raise ValueError(
                f"shape must have {'two dimensions' if self._transposed else 'one or two dimensions'}, got {shape}"
            )
        if min(shape) < 0:
            raise ValueError(f"shape must not be negative, got {shape}")
        to = shape if len(shape) == 2 else (1, *shape)
        csr = self._csr
        if self.format == "coo" and len(shape) != self.ndim:
            flat = reshape(csr, (1, math.prod(csr.shape)))
            csr = reshape(resize(flat, (1, math.prod(to))), to)
        self._hold(resize(csr, to[::-1] if self._transposed else to), len(shape))

    def diagonal(self, k: int = 0) -> Array:
        """Return a diagonal of the matrix as a dense array.

        Parameters
        ----------
        k : int, default 0
            Which diagonal: the elements `(i, i + k)`.

        Returns
        -------
        (d,) array
            The elements, with duplicates summed; an empty array if the diagonal lies outside of the matrix.

        Raises
        ------
        ValueError
            If this is a vector.

        Notes
        -----
        *Cost*: a binary search in each row.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2], [0, 3, 0]]).diagonal()
        array([1, 3])
        """
        self._needs_two_dimensions("diagonal")
        k = operator.index(k)
        return diagonal(self._csr, -k if self._transposed else k)

    def setdiag(self, values: ArrayLike, k: int = 0) -> None:
        """Set a diagonal of the matrix, in place.

        Parameters
        ----------
        values : scalar or (n,) array_like
            A scalar sets the whole diagonal. If an array is longer than the diagonal, its last elements are ignored; if it is
            shorter, the rest of the diagonal stays. Values are cast to the dtype of the matrix; an integer matrix drops their
            fractions.
        k : int, default 0
            Which diagonal: the elements `(i, i + k)`.

        Raises
        ------
        ValueError
            If the diagonal lies outside of the matrix, `values` has two dimensions, or this is a vector.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 3, 0]])
        >>> A.setdiag([7, 8])
        >>> A.toarray()
        array([[7, 0, 2],
               [0, 8, 0]])
        """
        self._needs_two_dimensions("setdiag")
        k, (rows, columns) = operator.index(k), self.shape
        if (k > 0 and k >= columns) or (k < 0 and -k >= rows):
            raise ValueError(f"k exceeds array dimensions: got {k} for shape {self.shape}")
        values = as_values(values, self.data)
        if values.ndim > 1:
            raise ValueError(f"values must be a scalar or have one dimension, got shape {values.shape}")
        places = diagonal_places(self._csr.shape, -k if self._transposed else k)
        xp, count = namespace_of(values), len(places[0]) if not values.ndim else min(len(places[0]), values.size)
        at = (xp.arange(r.start, r.start + count) for r in places)
        self._csr, _ = assign(self._csr, *at, xp.broadcast_to(values, (count,)) if not values.ndim else values[:count])

    def nonzero(self) -> tuple[Array, ...]:
        """Return the positions of the nonzeros, row by row as `numpy.nonzero` lists them.

        Returns
        -------
        tuple of arrays
            One array of indices for each axis. No position is listed twice: duplicates are summed first, in a copy.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2], [0, 3, 0]]).nonzero()
        (array([0, 0, 1], dtype=int32), array([0, 2, 1], dtype=int32))
        """
        csr = canonical(rows_of(self))
        axes = (csr.indices,) if self.ndim == 1 else (csr.plan(rows_of_entries), csr.indices)
        flags = csr.data != 0
        return tuple(compact(x, flags) for x in axes)

    def _needs_two_dimensions(self, name):
        if self.ndim == 1:
            raise ValueError(f"{name} requires two dimensions, got shape {self.shape}")


def parse_shape(shape):
    """Return the integers of `(m, n)` or `((m, n),)`."""
    if not shape:
        raise TypeError("missing 1 required argument: give the shape, as in A.reshape(2, 3)")
    given = shape[0] if len(shape) == 1 and hasattr(shape[0], "__iter__") else shape
    return tuple(_check.integer("shape", n) for n in given)


def resolve_shape(shape, size):
    """Return a shape for `size` elements, with its one unknown extent (-1) computed."""
    shape = parse_shape(shape)
    unknown = [axis for axis, n in enumerate(shape) if n < 0]
    if len(unknown) > 1:
        raise ValueError(f"can only specify one unknown dimension, got {shape}")
    known = math.prod(n for n in shape if n >= 0)
    found = size // known if unknown and known else 0
    new = tuple(found if n < 0 else n for n in shape)
    if math.prod(new) != size or (unknown and not known):
        raise ValueError(f"cannot reshape an array of size {size} into shape {shape}")
    if not new:
        raise ValueError(f"a sparse array has one dimension or more, got shape {shape}")
    return new
