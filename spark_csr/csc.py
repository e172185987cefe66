"""`csc_array`: a matrix by columns, which is the transpose of rows."""

from spark_csr._arithmetic import Arithmetic
from spark_csr._assignment import Assignment
from spark_csr._base import read
from spark_csr._comparisons import Comparisons
from spark_csr._compressed import Compressed
from spark_csr._conversions import Conversions
from spark_csr._indexing import Indexing
from spark_csr._products import Products
from spark_csr._reductions import Reductions
from spark_csr._structure import Structure
from spark_csr._unary import Unary
from spark_csr.operations.transpose import transposed


class csc_array(Arithmetic, Comparisons, Unary, Reductions, Indexing, Assignment, Structure, Products, Compressed, Conversions):
    """A sparse matrix in compressed sparse column form, as `A.T` and `A.tocsc()` give it.

    Column `j` has rows `indices[indptr[j]:indptr[j+1]]`. The transpose of a `csr_array` is one that shares all its arrays.
    """

    format = "csc"
    _transposed = True

    def __init__(self, arg, shape=None, dtype=None, copy=False, *, device=None):
        csr, ndim = read(arg, shape, dtype, copy, device)
        if ndim == 1:
            raise ValueError(f"csc_array needs two dimensions, got shape {csr.shape[1:]}: use x[:, None] for a column")
        self._csr = transposed(csr)
