"""What `csr_array` and its transposed view have in common.

Design: the view holds the same record and says with one flag that rows and columns are exchanged, so every product,
conversion and attribute is written once. Cost: methods here read `_transposed`.
"""

import importlib

from spark_csr import ops
from spark_csr._array import device_of, read_only
from spark_csr.operations import build, convert
from spark_csr.operations.matmul import matmul, operand


class SparseArray:
    """A matrix around a record `_csr`, which holds it by rows, or its transpose by rows if `_transposed`."""

    ndim = 2
    __array_priority__ = 10.1  # above NumPy's and CuPy's arrays, as SciPy's matrices: `x @ A` asks A

    @classmethod
    def _of(cls, csr):
        """A matrix around a record that is right already."""
        self = cls.__new__(cls)
        self._csr = csr
        return self

    @property
    def indptr(self):
        """Where each row (of a `csc_array`: column) begins; read-only, since plans are made of it."""
        return read_only(self._csr.indptr)

    @property
    def indices(self):
        """The column (of a `csc_array`: row) of every entry; read-only."""
        return read_only(self._csr.indices)

    @property
    def data(self):
        return self._csr.data

    @property
    def shape(self):
        return self._csr.shape[::-1] if self._transposed else self._csr.shape

    @property
    def dtype(self):
        return self._csr.data.dtype

    @property
    def nnz(self):
        """Stored elements, zeros among them."""
        return self._csr.indices.size

    size = nnz

    @property
    def nbytes(self):
        """Bytes of the three arrays."""
        return sum(x.nbytes for x in self._csr.arrays)

    @property
    def device(self):
        """`"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return device_of(self._csr.data)

    @property
    def T(self):
        """The transpose, sharing all arrays: nothing is computed."""
        return self._mirror._of(self._csr)

    def transpose(self, copy=False):
        """`A.T`, of a copy if asked for."""
        return self.copy().T if copy else self.T

    def matmul(self, other, *, semiring="plus_times", out=None):
        """The product with a dense vector or matrix, over any semiring.

        Parameters
        ----------
        other : (n,) or (n, k) array_like
            On the device of the matrix. In C order, or with contiguous columns, it is read without a copy.
        semiring : str or Semiring
            `plus_times`, `min_plus`, `max_plus`, `max_times`, `any_pair`, `or_and`, or a `Semiring`. Missing entries take no
            part; a row without entries gives the identity of `add`.
        out : (m,) or (m, k) array, optional
            In C order and of the result's dtype; must not share memory with the operands.

        Returns
        -------
        (m,) or (m, k) array
            Of dtype `numpy.result_type(A, other)`; bool for `or_and`.

        Raises
        ------
        ValueError
            If the shapes do not fit, `out` does not fit, or the semiring is unknown.
        TypeError
            For mixed devices and unsupported dtypes.

        Notes
        -----
        *Cost*: one pass over the matrix; allocates the result and, the first time, a plan of under 1 % of the matrix. Of a
        transposed view: also private sums of little more than the result (cores), or once a permutation (GPU).
        *Order*: same bits for every run and number of threads. The operands are only read.
        """
        return matmul(self._csr, other, ops.semiring(semiring), out, transposed=self._transposed)

    def __matmul__(self, other):
        return matmul(self._csr, other, transposed=self._transposed)

    def __rmatmul__(self, other):
        other = operand(other, self._csr.data)
        if other.ndim and other.shape[-1] != self.shape[0]:
            needed = f"the operand needs {self.shape[0]} columns"
            raise ValueError(f"dimension mismatch in @: operand {other.shape}, matrix {self.shape}; {needed}")
        return matmul(self._csr, other.T, transposed=not self._transposed).T

    def matvec(self, x):
        """`A @ x`; with `rmatvec`, `matmat` and `rmatmat` what `scipy.sparse.linalg.aslinearoperator` asks for."""
        return self @ x

    def rmatvec(self, x):
        """`A.conj().T @ x`, without building the transpose."""
        return (self.T @ operand(x, self._csr.data).conj()).conj()

    matmat, rmatmat = matvec, rmatvec

    def toarray(self, order=None, out=None):
        """The matrix as a dense array where the matrix is; entries of one place are summed. *Cost*: writes M*N elements."""
        if order not in (None, "C", "F"):
            raise ValueError(f"order must be 'C' or 'F', got {order!r}")
        dense = convert.to_dense(self._csr)
        dense = dense.T if self._transposed else dense
        if out is None:
            return dense.copy(order=order or "C")
        if order is not None:
            raise ValueError("give order or out, not both")
        if getattr(out, "shape", None) != dense.shape or out.dtype != dense.dtype:
            got = f"{out.shape} and {out.dtype}" if hasattr(out, "shape") else type(out).__name__
            raise ValueError(f"out must have shape {dense.shape} and dtype {dense.dtype}, got {got}")
        out[...] = dense
        return out

    def copy(self):
        """A matrix with arrays of its own."""
        return self._of(self._csr.copy())

    def to_device(self, device):
        """This matrix where it is on `device` already, else a copy there."""
        moved = build.moved(self._csr, device)
        return self if moved is self._csr else self._of(moved)

    def to_scipy(self):
        """A matrix of `scipy.sparse`, of the same format. It shares the arrays if `has_canonical_format`, else they are copied:
        SciPy sorts and merges the entries of other matrices in place, even where it only reads.

        Index arrays of two widths are first made one; a matrix on a GPU is copied to the host.
        """
        return self._as_foreign("scipy.sparse", f"{self.format}_array", build.moved(self._csr, "cpu"))

    def to_cupy(self):
        """A matrix of `cupyx.scipy.sparse`, of the same format; arrays are shared or copied as in `to_scipy`.

        A matrix on the cores is copied to the GPU first; RuntimeError where there is no CuPy or no GPU.
        """
        csr = build.moved(self._csr, "cuda") if self.device == "cpu" else self._csr
        return self._as_foreign("cupyx.scipy.sparse", f"{self.format}_matrix", csr)

    def _as_foreign(self, module, name, csr):
        make = getattr(importlib.import_module(module), name)
        csr = csr if csr is not self._csr or csr.plan(convert.has_canonical_columns) else csr.copy()
        return make((csr.data, csr.indices, csr.indptr), shape=self.shape)

    def __getstate__(self):
        return (*self._csr.arrays, self._csr.shape)

    def __setstate__(self, state):
        self._csr = convert.from_arrays(*state)

    def __len__(self):
        raise TypeError("sparse array length is ambiguous; use A.nnz or A.shape[0]")

    def __bool__(self):
        if self.shape == (1, 1):
            return bool(self.toarray()[0, 0])
        raise ValueError("the truth value of an array with more than one element is ambiguous: use A.nnz")

    def __repr__(self):
        return (
            f"<{self.format}_array of dtype '{self.dtype}' on {self.device}, shape {self.shape}, "
            f"with {self.nnz} stored elements>"
        )
