"""From one format of a matrix to another, to dense arrays, and to other dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from spark_csr._matrix.base import FORMATS, SparseArray, rows_of
from spark_csr._operations.form import check, convert, dtypes
from spark_csr._operations.form.canonical import has_duplicates, sum_duplicates

if TYPE_CHECKING:
    from typing import Literal, Self

    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array
    from spark_csr._matrix.relatives import Flips, K
    from spark_csr._types import Array, DTypeLike


class Formats(SparseArray):
    """`transpose`, `astype`, `asformat`, and the methods `to...` that give matrices of this package and dense arrays."""

    @property
    def T(self: Flips[K]) -> K:
        """The transpose: a `csc_array` for a `csr_array`, and the other way round.

        It shares all arrays, and nothing is computed. The transpose of a `coo_array` is a `coo_array` with arrays of its own.
        The transpose of a vector is the vector itself.
        """
        return self.transpose()  # type: ignore[attr-defined]

    @property
    def mT(self: Flips[K]) -> K:
        """The transpose, as `T`, of a matrix; ValueError for a vector, as in NumPy."""
        if self.ndim < 2:  # type: ignore[attr-defined]
            raise ValueError("the matrix has one dimension and no matrix transpose: use A.T, which is A, or A.reshape(1, -1)")
        return self.transpose()  # type: ignore[attr-defined]

    def transpose(self: Flips[K], axes: tuple[int, ...] | None = None, copy: bool = False) -> K:
        """Return the transpose. It shares the arrays of this matrix unless `copy` is True.

        Parameters
        ----------
        axes : tuple of ints, optional
            None or `(1, 0)`, or for a vector `(0,)`. `numpy.transpose` passes this argument.
        copy : bool, default False
            Whether to copy the arrays.

        Returns
        -------
        csr_array or csc_array
            A matrix of shape `(N, M)`: a `csc_array` for a `csr_array`, and the other way round. The transpose of a vector is
            the vector itself.

        Raises
        ------
        ValueError
            If `axes` is anything else.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).transpose()
        <csc_array of dtype 'int64' on cpu, shape (3, 1), with 2 stored elements>
        """
        return swap_axes(self, axes, copy)

    def astype(self, dtype: DTypeLike, casting: str = "unsafe", copy: bool = True) -> Self:
        """Cast the values to another dtype.

        Parameters
        ----------
        dtype : dtype
            The dtype of the result: bool, a signed or unsigned integer of 8 to 64 bits, float16, float32, float64, complex64 or
            complex128.
        casting : {"no", "equiv", "safe", "same_kind", "unsafe"}, default "unsafe"
            Which casts are allowed, as in `numpy.can_cast`.
        copy : bool, default True
            If True, the result shares nothing with this matrix. If False, it shares the index arrays, and it is this matrix
            itself if `dtype` is the dtype of the matrix.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format.

        Raises
        ------
        TypeError
            If `casting` does not allow the cast, or the dtype is not supported.

        Notes
        -----
        *Cost*: one pass over the values. If the dtype changes, duplicates are summed first, in the old dtype.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).astype(np.float32).data
        array([1., 2.], dtype=float32)
        """
        dtype = dtypes.check_dtype(dtype)
        if not check.np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"cannot cast {self.dtype} to {dtype} by the rule {casting!r}: use casting='unsafe'")
        if not copy and dtype == self.dtype:
            return self
        csr = self._held
        if dtype != self.dtype and csr.plan(has_duplicates):
            csr = sum_duplicates(csr.by_rows())
        csr = csr.copy() if copy and dtype == self.dtype else csr.copy_of_pattern() if copy else csr
        return self._like(csr.with_data(csr.data.astype(dtype, copy=False)))

    @overload
    def asformat(self, format: Literal["csr"], copy: bool = False) -> csr_array: ...
    @overload
    def asformat(self, format: Literal["csc"], copy: bool = False) -> csc_array: ...
    @overload
    def asformat(self, format: Literal["coo"], copy: bool = False) -> coo_array: ...
    @overload
    def asformat(self, format: Literal["array", "dense"], copy: bool = False) -> Array: ...
    @overload
    def asformat(self, format: None, copy: bool = False) -> Self: ...
    @overload
    def asformat(self, format: str | None, copy: bool = False) -> Any: ...
    def asformat(self, format: str | None, copy: bool = False) -> Any:
        """Convert the matrix to a format that is given by its name.

        Parameters
        ----------
        format : {"csr", "csc", "coo", "array", "bsr", "dia", "dok", "lil"} or None
            The name of a format. None stands for the format of this matrix.
        copy : bool, default False
            Whether the result must share no values with this matrix.

        Returns
        -------
        csr_array, csc_array, coo_array, array or sparse matrix of SciPy
            For `"csr"`, `"csc"` and `"coo"` a matrix of this package, for `"array"` a dense array, for the other formats a
            matrix of SciPy on the host.

        Raises
        ------
        ValueError
            If the format is unknown.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).asformat("csc")
        <csc_array of dtype 'int64' on cpu, shape (1, 3), with 2 stored elements>
        """
        if format is None or format == self.format:
            return self.copy() if copy else self
        if not hasattr(self, f"to{format}") or format in ("_scipy", "_cupy", "_torch", "_device"):
            raise ValueError(f"format {format!r} is unknown: use csr, csc, coo, array, bsr, dia, dok or lil")
        method = getattr(self, f"to{format}")
        return method() if format in ("array", "dense") else method(copy=copy)

    def tocsr(self, copy: bool = False) -> csr_array:
        """Convert the matrix to compressed sparse row form.

        Parameters
        ----------
        copy : bool, default False
            Whether the result must share no values with this matrix.

        Returns
        -------
        csr_array
            The matrix by rows. It is this matrix itself if that is a `csr_array` and `copy` is False.

        Notes
        -----
        The duplicates of a `coo_array` are summed in the order in which they are stored. *Cost*: for a `coo_array`, a stable
        sort of the entries, or a copy of the values if the entries are sorted already; for a `csc_array`, a stable sort of the
        entries by row.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).T.tocsr()
        <csr_array of dtype 'int64' on cpu, shape (3, 1), with 2 stored elements>
        """
        return self._in_format("csr", copy)

    def tocsc(self, copy: bool = False) -> csc_array:
        """Convert the matrix to compressed sparse column form.

        Parameters
        ----------
        copy : bool, default False
            Whether the result must share no values with this matrix.

        Returns
        -------
        csc_array
            The matrix by columns. It is this matrix itself if that is a `csc_array` and `copy` is False.

        Raises
        ------
        ValueError
            If this is a vector.

        Notes
        -----
        The duplicates of a `coo_array` are summed in the order in which they are stored. *Cost*: a stable sort of the entries
        by column.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).tocsc().indptr
        array([0, 1, 1, 2], dtype=int32)
        """
        if self.ndim == 1:
            raise ValueError("Cannot convert. CSC format must be 2D. Got 1D: use A.reshape((1, -1)).tocsc()")
        return self._in_format("csc", copy)

    def tocoo(self, copy: bool = False) -> coo_array:
        """Convert the matrix to coordinate form.

        Parameters
        ----------
        copy : bool, default False
            If True, the arrays are copied. If False, the result shares the arrays of a `csr_array`.

        Returns
        -------
        coo_array
            The matrix by coordinates. It is this matrix itself if that is a `coo_array` and `copy` is False.

        Notes
        -----
        *Cost*: for a `csc_array`, a stable sort of the entries by row. The array of rows is computed when it is first read.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0], [0, 2]]).tocoo().row
        array([0, 1], dtype=int32)
        """
        return self._in_format("coo", copy)

    def _in_format(self, name, copy):
        if name == self.format:
            return self.copy() if copy else self
        form = FORMATS[name]
        csr = rows_of(self, form._transposed)
        return form._of(csr.copy() if copy and csr is self._csr else csr, self.ndim)

    def todense(self, order: Literal["C", "F"] | None = None, out: Array | None = None) -> Array:
        """Return the matrix as a dense array, as `toarray` does.

        Parameters
        ----------
        order : {"C", "F"}, default "C"
            The memory order of the result: row by row or column by column.
        out : array, optional
            An array of the shape and dtype of the matrix that receives the result. Give either `order` or `out`.

        Returns
        -------
        array
            An array of the shape and dtype of the matrix, on its device.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).todense()
        array([[1, 0, 2]])
        """
        return self.toarray(order=order, out=out)

    def toarray(self, order: Literal["C", "F"] | None = None, out: Array | None = None) -> Array:
        """Return the matrix as a dense array.

        Parameters
        ----------
        order : {"C", "F"}, default "C"
            The memory order of the result: row by row or column by column.
        out : array, optional
            An array of the shape and dtype of the matrix that receives the result. Give either `order` or `out`.

        Returns
        -------
        array
            An array of the shape and dtype of the matrix, on its device; `out` if it is given.

        Raises
        ------
        ValueError
            If `order` is unknown, `out` has another shape or dtype, or both are given.

        Notes
        -----
        Duplicates are summed. *Cost*: writes M*N elements.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2], [0, 3, 0]]).toarray()
        array([[1, 0, 2],
               [0, 3, 0]])
        """
        dense = self._orient(convert.to_dense(self._csr))
        return self._give_dense(dense[0] if self.ndim == 1 else dense, order, out)

    def _give_dense(self, dense, order, out):
        """Return a dense array of the elements in this memory order, or write it into `out`."""
        if order not in (None, "C", "F"):
            raise ValueError(f"order must be 'C' or 'F', got {order!r}")
        if out is None:
            return dense if dense.flags.c_contiguous and order is None else dense.copy(order=order or "C")
        if order is not None:
            raise ValueError("order and out cannot be given together: an array has its order already, leave order=None")
        if getattr(out, "shape", None) != dense.shape or out.dtype != dense.dtype:
            got = f"{out.shape} and {out.dtype}" if hasattr(out, "shape") else type(out).__name__
            raise ValueError(f"out must have shape {dense.shape} and dtype {dense.dtype}, got {got}")
        out[...] = dense
        return out


def check_axes(matrix, axes):
    """Raise ValueError unless these axes are None or those of a transposition."""
    if axes not in (None, tuple(range(matrix.ndim))[::-1]):
        raise ValueError(f"a sparse matrix has two axes, and transposing exchanges them: leave axes out, got {axes!r}")


def swap_axes(matrix, axes, copy):
    """Return the transpose of a matrix around the same record, or around a copy of it."""
    check_axes(matrix, axes)
    csr = matrix._held.copy() if copy else matrix._common
    if matrix.ndim == 1:
        return matrix._like(csr)
    return FORMATS["csr" if matrix._transposed else "csc"]._of(csr)
