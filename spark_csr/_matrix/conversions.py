"""From one form of a matrix to another: of ours, of NumPy, SciPy and CuPy."""

import importlib

from spark_csr._array import read_only
from spark_csr._matrix.base import FORMATS, SparseArray, rows_of
from spark_csr._operations.form import build, check, convert, dtypes
from spark_csr._operations.form.canonical import sum_before_cast
from spark_csr._operations.form.facts import has_canonical_columns

CONVERTERS = {}
"""Functions of a matrix by the name of the library that they convert it to; what lies above this package registers them."""


class Conversions(SparseArray):
    """The methods `to...`, `asformat`, `astype` and `transpose`."""

    @property
    def T(self):
        """The transpose, sharing all arrays: nothing is computed (of a `coo_array`: a sort). Of a vector: the vector."""
        return self.transpose()

    def transpose(self, axes=None, copy=False):
        """`A.T`, of a copy if asked for."""
        if axes not in (None, (1, 0), (0,))[: 3 if self.ndim == 1 else 2]:
            raise ValueError(f"a sparse matrix has two axes, and transposing exchanges them: leave axes out, got {axes!r}")
        csr = self._csr.copy() if copy else self._csr
        if self.ndim == 1:
            return self._like(csr)
        return FORMATS["csr" if self._transposed else "csc"]._of(csr)

    def astype(self, dtype, casting="unsafe", copy=True):
        """The same pattern (shared unless `copy`) with values of another dtype.

        Entries of one position are summed first, unless floats stay floats.
        """
        dtype = dtypes.check_dtype(dtype)
        if not check.np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"cannot cast {self.dtype} to {dtype} by the rule {casting!r}")
        if not copy and dtype == self.dtype:
            return self
        csr = sum_before_cast(self._csr, dtype)
        csr = csr.copy() if copy and dtype == self.dtype else csr.copy_of_pattern() if copy else csr
        return self._like(csr.with_data(csr.data.astype(dtype, copy=False)))

    def asformat(self, format, copy=False):
        """This matrix in the format of that name, `"csr"`, `"csc"`, `"coo"` or `"array"`; SciPy's others as SciPy's matrices.

        ValueError for an unknown format.
        """
        if format is None or format == self.format:
            return self.copy() if copy else self
        if not hasattr(self, f"to{format}") or format in ("_scipy", "_cupy", "_torch", "_device"):
            raise ValueError(f"format {format!r} is unknown: use csr, csc, coo, array, bsr, dia, dok or lil")
        method = getattr(self, f"to{format}")
        return method() if format in ("array", "dense") else method(copy=copy)

    def tocsr(self, copy=False):
        """The matrix by rows. *Cost*: of a `coo_array` a copy of the values, of a `csc_array` a stable sort by row."""
        return self._in_format("csr", copy)

    def tocsc(self, copy=False):
        """The matrix by columns. *Cost*: a stable sort of the entries by column; nothing for a `csc_array`."""
        if self.ndim == 1:
            raise ValueError("Cannot convert. CSC format must be 2D. Got 1D: use A.reshape((1, -1)).tocsc()")
        return self._in_format("csc", copy)

    def tocoo(self, copy=False):
        """The matrix by coordinates, whose values are those of a `csr_array` unless `copy`.

        *Cost*: of a `csc_array` a stable sort of the entries by row; the rows of the entries are written when first asked for.
        """
        return self._in_format("coo", copy)

    def _in_format(self, name, copy):
        if name == self.format:
            return self.copy() if copy else self
        form = FORMATS[name]
        csr = rows_of(self, form._transposed)
        if csr is self._csr and (copy or self.format == "coo"):
            csr = csr.copy() if copy else csr.with_data(csr.data.copy())
        return form._of(csr, self.ndim)

    def todense(self, order=None, out=None):
        """`toarray`: of arrays, as against matrices, the two are one."""
        return self.toarray(order=order, out=out)

    def toarray(self, order=None, out=None):
        """The matrix as a dense array where the matrix is; entries of one position are summed. *Cost*: writes M*N elements."""
        if order not in (None, "C", "F"):
            raise ValueError(f"order must be 'C' or 'F', got {order!r}")
        dense = self._orient(convert.to_dense(self._csr))
        dense = dense[0] if self.ndim == 1 else dense
        if out is None:
            return dense if dense.flags.owndata and order is None else dense.copy(order=order or "C")
        if order is not None:
            raise ValueError("give order or out, not both")
        if getattr(out, "shape", None) != dense.shape or out.dtype != dense.dtype:
            got = f"{out.shape} and {out.dtype}" if hasattr(out, "shape") else type(out).__name__
            raise ValueError(f"out must have shape {dense.shape} and dtype {dense.dtype}, got {got}")
        out[...] = dense
        return out

    def to_scipy(self):
        """A matrix of `scipy.sparse`, of the same format. It shares the arrays if they are in canonical format, else they are
        copied: SciPy sorts and merges the entries of other matrices in place, even where it only reads. Shared index arrays are
        read-only, so SciPy's methods that drop entries in place (`eliminate_zeros`, `resize`) raise a ValueError: call them on
        `A.to_scipy().copy()`.

        Index arrays of two widths are first made one; a matrix on a GPU is copied to the host.
        """
        return self._as_foreign("scipy.sparse", f"{self.format}_array", build.move_to(self._csr, "cpu"))

    def to_cupy(self):
        """A matrix of `cupyx.scipy.sparse`, of the same format; arrays are shared or copied as in `to_scipy`.

        A matrix on the cores is copied to the GPU first; RuntimeError where there is no CuPy or no GPU. CuPy knows no vectors.
        """
        csr = build.move_to(self._csr, "cuda") if self.device == "cpu" else self._csr
        return self._as_foreign("cupyx.scipy.sparse", f"{self.format}_matrix", csr)

    def to_torch(self):
        """A sparse CSR tensor of PyTorch's (CSC of a `csc_array`) with the same arrays; see `spark_csr.interop.torch.to_torch`.

        ImportError where there is no PyTorch.
        """
        return CONVERTERS["torch"](self)

    def _as_foreign(self, module, name, csr):
        make = getattr(importlib.import_module(module), name)
        if csr is not self._csr or not csr.plan(has_canonical_columns):
            csr = csr.copy() if csr is self._csr else csr
            return make((csr.data, csr.indices, csr.indptr), shape=self.shape)
        return make((csr.data, read_only(csr.indices), read_only(csr.indptr)), shape=self.shape)

    def tobsr(self, blocksize=None, copy=False):
        """SciPy's `bsr_array` of this matrix, on the host."""
        return self.to_scipy().tobsr(blocksize=blocksize, copy=copy)

    def todia(self, copy=False):
        """SciPy's `dia_array` of this matrix, on the host."""
        return self.to_scipy().todia(copy=copy)

    def todok(self, copy=False):
        """SciPy's `dok_array` of this matrix, on the host."""
        return self.to_scipy().todok(copy=copy)

    def tolil(self, copy=False):
        """SciPy's `lil_array` of this matrix, on the host."""
        return self.to_scipy().tolil(copy=copy)
