"""Sparse matrices in CSR format, data-parallel primitives, ragged arrays and graphs, on CPU cores and GPUs.

Functions take NumPy arrays and run on the cores, or take CuPy arrays and run on the GPU that holds them. Results are NumPy or
CuPy arrays, as the operands are. Names, arguments and results are those of `scipy.sparse` where SciPy has a function or method
for the same purpose.

Matrices and arrays:

- `csr_array`: a sparse matrix stored by rows, with `A @ x`, `A @ B`, `A + B`, `A[i, j]`, `A.sum(axis)`, `A.T` and more
- `csc_array`: a sparse matrix stored by columns
- `coo_array`: a sparse matrix stored by coordinates, or an array of more axes
- `Ragged`: lists of differing lengths, nested to any depth
- `issparse`: test whether an object is a sparse matrix of this package, SciPy or CuPy
- `sparray`: the base class, for `isinstance`, of the sparse arrays of this package and SciPy
- `bsr_array`, `dia_array`, `dok_array`, `lil_array`, `csr_matrix` and the other `*_matrix` classes: SciPy's, which also take
  matrices of this package

Construction:

- `eye_array`, `diags_array`: matrices with given diagonals
- `random_array`: a matrix with entries at random positions
- `hstack`, `vstack`, `block_array`, `block_diag`: matrices joined from smaller matrices
- `kron`: the Kronecker product
- `tril`, `triu`: the lower and the upper triangle
- `find`: the nonzeros and their positions
- `eye`, `diags`, `identity`, `random`, `bmat` and the other functions of `scipy.sparse`: SciPy's, which take and return
  matrices of this package
- `prune`: select entries by magnitude, by rank of magnitude in their row, or by a mask
- `drop_empty_rows`, `drop_empty_columns`: drop rows or columns without entries

Products and semirings:

- `Monoid`: an associative operator with its identity, for scans and reductions
- `Semiring`: two operators in place of `+` and `*` in a product, `A.matmul(x, semiring=...)`
- `spmv_composed`, `spgemm_composed`: `A @ x` and `A @ B` made of primitives, to be read

Pictures:

- `spy`: draw where the entries of a matrix of any size are

Files:

- `load_npz`, `save_npz`: SciPy's `.npz` files
- `mmread`, `mmwrite`: Matrix Market files

Settings:

- `config`: the number of threads, the scratch memory of products, checks of index arrays, messages about compilation

Subpackages, imported when they are first used:

- `primitives`: scans, segmented reductions and sorts, floods (forward and backward fill), selection, `for_each`
- `graph`: `Graph`, algorithms such as `bfs`, `sssp` and `pagerank`, and operators that take your functions
- `csgraph`: functions of graphs, with the names and results of `scipy.sparse.csgraph`
- `linalg`: solvers, factorisations, eigenvalues and norms, with the names of `scipy.sparse.linalg`
- `gallery`: functions that generate matrices for tests and examples
- `partition`: matrices in blocks of rows, for several processes
- `io`: functions that read and write files
- `interop`: all cores for programs that use SciPy; bridges to torch, networkx, awkward-array, Arrow, Dask, JAX and MPI

Examples
--------
>>> import numpy as np
>>> import spark_csr as sp
>>> A = sp.csr_array([[1.0, 0, 2], [3, 4, 5], [0, 0, 6]])
>>> A @ np.array([1.0, 10, 100])
array([201., 543., 600.])
>>> (A @ sp.eye_array(3)).nnz
6
"""

import importlib as _importlib
import typing as _typing

from spark_csr import _interpreter  # noqa: F401 it refuses subinterpreters before NumPy is imported
from spark_csr._config import config
from spark_csr._construct import (
    block_array,
    block_diag,
    diags_array,
    eye_array,
    find,
    hstack,
    kron,
    random_array,
    tril,
    triu,
    vstack,
)
from spark_csr._construct.composed import spgemm_composed, spmv_composed
from spark_csr._construct.pruning import drop_empty_columns, drop_empty_rows, prune
from spark_csr._current_device import functions_on_their_device as _functions_on_their_device
from spark_csr._matrix import coo_nd as _coo_nd  # noqa: F401 arrays of three axes or more
from spark_csr._matrix.base import issparse
from spark_csr._matrix.conversions import CONVERTERS as _CONVERTERS
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csc import csc_array
from spark_csr._matrix.csr import csr_array
from spark_csr._matrix.products import TENSOR_PRODUCTS as _TENSOR_PRODUCTS
from spark_csr._ops import Monoid, Semiring
from spark_csr._pictures import spy
from spark_csr._ragged import Ragged
from spark_csr._scipys import find_name as _find_name
from spark_csr._scipys import names_of as _names_of
from spark_csr._scipys import sparray
from spark_csr._version import __version__
from spark_csr.io import load_npz, mmread, mmwrite, save_npz

__all__ = [
    "Monoid",
    "Ragged",
    "Semiring",
    "__version__",
    "block_array",
    "block_diag",
    "config",
    "coo_array",
    "csc_array",
    "csgraph",
    "csr_array",
    "diags_array",
    "drop_empty_columns",
    "drop_empty_rows",
    "eye_array",
    "find",
    "gallery",
    "graph",
    "hstack",
    "interop",
    "io",
    "issparse",
    "kron",
    "linalg",
    "load_npz",
    "mmread",
    "mmwrite",
    "partition",
    "primitives",
    "prune",
    "random_array",
    "save_npz",
    "sparray",
    "spgemm_composed",
    "spmv_composed",
    "spy",
    "tril",
    "triu",
    "vstack",
]

_PACKAGES = ("csgraph", "gallery", "graph", "interop", "io", "linalg", "partition", "primitives")
"""Subpackages that are imported when they are first used."""

_CONVERTERS["torch"] = lambda matrix: _importlib.import_module("spark_csr.interop.torch").to_torch(matrix)
_TENSOR_PRODUCTS["torch"] = lambda matrix, x: _importlib.import_module("spark_csr.interop.torch.products").multiply(matrix, x)

_functions_on_their_device(
    globals(), ["drop_empty_columns", "drop_empty_rows", "prune", "spgemm_composed", "spmv_composed", "spy"]
)


if _typing.TYPE_CHECKING:  # names that `__getattr__` finds; it is hidden, as it would let type checkers accept any name
    from scipy.sparse import (  # noqa: F401
        SparseEfficiencyWarning,
        SparseWarning,
        bsr_array,
        bsr_matrix,
        coo_matrix,
        csc_matrix,
        csr_matrix,
        dia_array,
        dia_matrix,
        dok_array,
        dok_matrix,
        get_index_dtype,
        isspmatrix,
        isspmatrix_bsr,
        isspmatrix_coo,
        isspmatrix_csc,
        isspmatrix_csr,
        isspmatrix_dia,
        isspmatrix_dok,
        isspmatrix_lil,
        lil_array,
        lil_matrix,
        safely_cast_index_arrays,
        spmatrix,
    )

    from spark_csr import csgraph, gallery, graph, interop, io, linalg, partition, primitives

    bmat: _typing.Any
    diags: _typing.Any
    expand_dims: _typing.Any
    eye: _typing.Any
    identity: _typing.Any
    kronsum: _typing.Any
    matrix_transpose: _typing.Any
    permute_dims: _typing.Any
    rand: _typing.Any
    random: _typing.Any
    spdiags: _typing.Any
    swapaxes: _typing.Any
else:

    def __getattr__(name):
        if name in _PACKAGES:
            return _importlib.import_module(f"{__name__}.{name}")
        return _find_name(__name__, "scipy.sparse", name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_names_of("scipy.sparse")})


def load_ipython_extension(ipython: object) -> None:
    """Patch SciPy: what ``%load_ext spark_csr`` calls in IPython and Jupyter."""
    _importlib.import_module("spark_csr.interop.scipy").patch()


def unload_ipython_extension(ipython: object) -> None:
    """Set SciPy back: what ``%unload_ext spark_csr`` calls."""
    _importlib.import_module("spark_csr.interop.scipy").unpatch()
