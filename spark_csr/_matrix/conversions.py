"""From a matrix to those of other libraries: of SciPy, CuPy and PyTorch."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.tuples import COO, CSC, CSR, read_only
from spark_csr._operations.form import binsparse
from spark_csr._operations.form.canonical import canonical
from spark_csr._operations.form.coordinates import as_coordinates
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import Csr, rows_of_entries

if TYPE_CHECKING:
    from collections.abc import Callable

CONVERTERS: dict[str, Callable[[Any], Any]] = {}
"""Functions of a matrix by the name of the library that they convert it to; what lies above this package registers them."""


class Conversions(SparseArray):
    """The methods `to...` that give matrices of other libraries."""

    def to_scipy(self, copy: bool = False, *, matrix: bool = False) -> Any:
        """Convert to a matrix of `scipy.sparse` of the same format; a matrix on a GPU is copied to the host.

        Parameters
        ----------
        copy : bool, default False
            Whether the values are copied. Index arrays always are, because SciPy and others write into them.
        matrix : bool, default False
            Whether to return one of SciPy's old matrices, such as `csr_matrix`, whose `*` is the matrix product.

        Returns
        -------
        scipy.sparse.csr_array, csc_array or coo_array
            If this matrix is canonical (the columns of every row ascend, without duplicates), or a `coo_array` that is made of
            coordinates, the result shares its values. Otherwise it has a copy of them, because SciPy sorts the entries of such
            a matrix in place, and sums duplicates, even if it is asked to read it only.

        Raises
        ------
        ValueError
            If `matrix` is set and this is a vector: SciPy's old matrices have two dimensions.

        Notes
        -----
        If one index array is int32 and the other int64, SciPy converts the int32 array to int64. *Cost*: a copy of the index
        arrays.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2]]).to_scipy()
        >>> type(A).__module__.partition(".")[0], A.shape
        ('scipy', (1, 3))
        """
        if matrix and self.ndim == 1:
            raise ValueError("SciPy's old matrices have two dimensions: use A.reshape((1, -1)).to_scipy(matrix=True)")
        return self.to_device("cpu")._as_foreign("scipy.sparse", "matrix" if matrix else "array", copy)

    def to_cupy(self) -> Any:
        """Convert to a matrix of `cupyx.scipy.sparse` of the same format; a matrix on the cores is copied to the GPU first.

        Returns
        -------
        cupyx.scipy.sparse.csr_matrix, csc_matrix or coo_matrix
            Arrays are shared or copied as in `to_scipy`.

        Raises
        ------
        RuntimeError
            If there is no CuPy or no GPU.

        Notes
        -----
        CuPy has no sparse vectors.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0, 2]]).to_cupy().nnz  # doctest: +SKIP
        2
        """
        here = self.to_device("cuda") if self.device == "cpu" else self
        return here._as_foreign("cupyx.scipy.sparse", "matrix")

    def __binsparse_descriptor__(self) -> dict[str, Any]:
        """Return what the arrays of `__binsparse__` are, as a descriptor of binsparse 0.1.

        Libraries that read binsparse call it, and so does `csr_array(x)` for an object `x` of another library.

        Returns
        -------
        dict
            The descriptor, whose values JSON can hold. The format is CSR, CSC, COOR for a `coo_array`, or CVEC for a vector.

        Raises
        ------
        TypeError
            If the values are float16, which binsparse does not have.

        Notes
        -----
        Source: the draft of the Python array API standard, data-apis/array-api#912, and
        https://graphblas.org/binsparse-specification.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[0, 1.5], [0, 0]]).__binsparse_descriptor__()["binsparse"]["format"]
        'CSR'
        """
        return self._describe_binsparse()[0]

    def __binsparse__(self) -> dict[str, Any]:
        """Return the arrays of the matrix by their names in binsparse 0.1, which `__binsparse_descriptor__` describes.

        Returns
        -------
        dict
            Arrays of one axis on the device of the matrix. They are shared with the matrix if it is canonical, and otherwise
            made of the entries in order, with duplicates summed: binsparse has neither duplicates nor another order.

        Raises
        ------
        TypeError
            If the values are float16, which binsparse does not have.

        Notes
        -----
        *Cost*: none that depends on the size for a canonical matrix; a `coo_array` is sorted.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[0, 1.5], [0, 0]]).__binsparse__()["indices_1"]
        array([1], dtype=int32)
        """
        return self._describe_binsparse()[1]

    def _describe_binsparse(self):
        record = canonical(self.tocsr()._csr if self.format == "coo" else self._csr)
        index = (record.indptr, record.indices)
        if self.ndim == 1:
            index = (record.indices,)
        elif self.format == "coo":
            index = (record.plan(rows_of_entries), record.indices)
        return binsparse.describe(self.format, self.shape, index, record.data)

    def to_torch(self) -> Any:
        """Convert to a sparse tensor of PyTorch with the same arrays, see `spark_csr.interop.torch.to_torch`.

        Returns
        -------
        torch.Tensor
            A sparse CSR tensor, or a sparse CSC tensor for a `csc_array`.

        Raises
        ------
        ImportError
            If PyTorch is not installed.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0, 2]]).to_torch().values()  # doctest: +SKIP
        tensor([1., 2.], dtype=torch.float64)
        """
        return CONVERTERS["torch"](self)

    def to_tuple(self) -> CSR | CSC | COO:
        """Return the arrays and the shape as a named tuple, which functions compiled by Numba take as an argument.

        Returns
        -------
        named tuple
            `(indptr, indices, data, shape)`, or for a `coo_array` `(row, col, data, shape)`. Arrays on the cores are views of
            the matrix that cannot be written into. Entries may be out of order, or stand several times at one position:
            `sum_duplicates` changes that.

        Notes
        -----
        *Cost*: nothing is copied, but the coordinates of a `coo_array` that comes from rows.

        Examples
        --------
        >>> import numba
        >>> from spark_csr import csr_array
        >>> @numba.njit
        ... def count_empty_rows(A):
        ...     return sum([A.indptr[i] == A.indptr[i + 1] for i in range(A.shape[0])])
        >>> count_empty_rows(csr_array([[1, 0], [0, 0]]).to_tuple())
        1
        """
        record = self._held
        if self.format == "coo" and isinstance(record, Csr):
            record = as_coordinates(record)
        make = {"csr": CSR, "csc": CSC, "coo": COO}[self.format]
        return make(*map(read_only, record.arrays), self.shape)

    def _as_foreign(self, module, kind, copy=False):
        """Return a matrix of another library on the same device, in arrays whose owner may write into the pattern."""
        csr = self._held
        csr = csr.copy() if copy or not csr.plan(has_canonical_columns) else csr.copy_of_pattern()
        make = getattr(importlib.import_module(module), f"{self.format}_{kind}")
        return make((csr.data, csr.indices, csr.indptr), shape=self.shape)

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> Any:
        """Convert to a `scipy.sparse.bsr_array`, on the host.

        Parameters
        ----------
        blocksize : (int, int), optional
            The shape of the blocks. By default SciPy estimates it.
        copy : bool, default False
            Whether SciPy must copy the values.

        Returns
        -------
        scipy.sparse.bsr_array
            The matrix in blocks.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 2], [3, 4]]).tobsr((2, 2)).data
        array([[[1, 2],
                [3, 4]]])
        """
        return self.to_scipy().tobsr(blocksize=blocksize, copy=copy)

    def todia(self, copy: bool = False) -> Any:
        """Convert to a `scipy.sparse.dia_array`, on the host.

        Parameters
        ----------
        copy : bool, default False
            Whether SciPy must copy the values.

        Returns
        -------
        scipy.sparse.dia_array
            The matrix by diagonals.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0], [0, 2]]).todia().data
        array([[1, 2]])
        """
        return self.to_scipy().todia(copy=copy)

    def todok(self, copy: bool = False) -> Any:
        """Convert to a `scipy.sparse.dok_array`, on the host.

        Parameters, result and exceptions are those of `todia`, but the result is a dictionary of positions.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).todok().shape
        (1, 3)
        """
        return self.to_scipy().todok(copy=copy)

    def tolil(self, copy: bool = False) -> Any:
        """Convert to a `scipy.sparse.lil_array`, on the host.

        Parameters, result and exceptions are those of `todia`, but the result has a list for each row.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2]]).tolil().rows[0]
        [0, 2]
        """
        return self.to_scipy().tolil(copy=copy)
