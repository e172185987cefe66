"""The shape of a matrix and its diagonals."""

import math
import operator

from spark_csr._array import namespace_of
from spark_csr._matrix.base import FORMATS, SparseArray, rows_of
from spark_csr._operations.compose.reshape import diagonal, diagonal_places, reshape, resize
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.select.assign import assign
from spark_csr._operations.select.values import as_values
from spark_csr.primitives.compact import compact


class Shapes(SparseArray):
    """`reshape`, `resize`, `diagonal`, `setdiag`, `nonzero`."""

    def reshape(self, *shape, order="C", copy=False):
        """The elements in the same order in another shape of as many: by coordinates, or the matrix itself for its own shape.

        Parameters
        ----------
        *shape : ints or tuple of ints
            One or two; one of them may be -1, and is found.
        order : {"C", "F"}
            Elements are counted row by row, or column by column.
        copy : bool
            Whether the result must share nothing.

        Raises
        ------
        ValueError
            If the sizes differ, for more than two dimensions, an unknown order, or more elements than 2**63.

        Notes
        -----
        *Cost*: one pass over the indices; values are shared unless `copy`. Where rows are not sorted, or `order` and form
        disagree, a sort, and values are new.
        """
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C' or 'F', got {order!r}")
        shape = _resolve_shape(shape, math.prod(self.shape))
        if shape == self.shape:
            return self.copy() if copy else self
        to = shape if len(shape) == 2 else (1, *shape)
        csr = rows_of(self, by_column=order == "F")
        csr = reshape(csr, to) if order == "C" else transpose(reshape(csr, to[::-1]))
        return FORMATS["coo"]._of(csr.copy() if copy else csr, len(shape))

    def resize(self, *shape):
        """Change the shape in place: what lies outside is dropped, what is new is empty.

        Rows that become a vector keep the first one, as in SciPy; coordinates are laid out row by row.
        """
        shape = _parse_shape(shape)
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
        self._csr = resize(csr, to[::-1] if self._transposed else to)
        self.ndim = len(shape)

    def diagonal(self, k=0):
        """The elements `(i, i + k)` as a dense array: entries of a position are summed. *Cost*: a binary search in each row."""
        self._needs_two_dimensions("diagonal")
        k = operator.index(k)
        return diagonal(self._csr, -k if self._transposed else k)

    def setdiag(self, values, k=0):
        """Set the elements `(i, i + k)`, in place.

        Parameters
        ----------
        values : scalar or (n,) array_like
            A scalar for all of them; of an array as many as there are, the other way round the rest stays. Cast to the dtype of
            the matrix: integers lose fractions.
        k : int
            Which diagonal.

        Raises
        ------
        ValueError
            If there is no such diagonal, or `values` has two dimensions.
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

    def nonzero(self):
        """The indices of the elements that are not zero, an array for each axis, row by row as `numpy.nonzero` lists them.

        Entries of one position are summed first, in a copy, so that no position comes twice.
        """
        csr = sum_duplicates(rows_of(self))
        axes = (csr.indices,) if self.ndim == 1 else (csr.plan(rows_of_entries), csr.indices)
        flags = csr.data != 0
        return tuple(compact(x, flags) for x in axes)

    def _needs_two_dimensions(self, name):
        if self.ndim == 1:
            raise ValueError(f"{name} requires two dimensions, got shape {self.shape}")


def _parse_shape(shape):
    """Return the ints of `(m, n)` or `((m, n),)`."""
    if not shape:
        raise TypeError("missing 1 required argument: the shape")
    return tuple(operator.index(n) for n in (shape[0] if len(shape) == 1 and hasattr(shape[0], "__iter__") else shape))


def _resolve_shape(shape, size):
    """Return a shape for `size` elements, with its one unknown extent (-1) computed."""
    shape = _parse_shape(shape)
    unknown = [axis for axis, n in enumerate(shape) if n < 0]
    if len(unknown) > 1:
        raise ValueError(f"can only specify one unknown dimension, got {shape}")
    known = math.prod(n for n in shape if n >= 0)
    found = size // known if unknown and known else 0
    new = tuple(found if n < 0 else n for n in shape)
    if math.prod(new) != size or (unknown and not known):
        raise ValueError(f"cannot reshape an array of size {size} into shape {shape}")
    if len(new) > 2:
        raise ValueError(f"a sparse matrix has one or two dimensions, got shape {shape}")
    return new
