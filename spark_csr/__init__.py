"""Sparse linear algebra on GPUs and cores: CSR matrices, and the data-parallel primitives they are made of.

A user's array enters through a type (`csr_array`), flows down through an operation written once for every device, through a
primitive with one written contract, into a kernel that exists twice, once for the processor's cores and once for the GPU,
and comes back as an array of the same kind::

    graph/                  Graph, Frontier, operators that take users' functions, algorithms
    _ragged/                Ragged: lists of lists as values and offsets
    _matrix/                the matrix types; their methods, of a few lines, stand by kind in files
      _operations/          what one does with a matrix, written once (spmv, spgemm, transpose, prune, ...)
        primitives/         scan, flood, segments, search: contract, checks, one call into the backend
          _dispatch.py      which backend: decided by where the arrays are
            _cpu/  _cuda/   the kernels: same files, same names, same signatures
              _ops/         scalar operators, monoids, semirings;  _array.py: what kind an array is
"""

import importlib

from spark_csr import (
    _absent,
    _interpreter,  # noqa: F401 it refuses before NumPy is imported
)
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
from spark_csr._construct.pruning import drop_empty_columns, drop_empty_rows, prune
from spark_csr._current_device import functions_on_their_device
from spark_csr._matrix.base import issparse
from spark_csr._matrix.conversions import CONVERTERS
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csc import csc_array
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.product.spgemm_composed import spgemm_composed
from spark_csr._operations.product.spmv_composed import spmv_composed
from spark_csr._ops import Monoid, Semiring
from spark_csr._pictures import spy
from spark_csr._ragged import Ragged
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
    "primitives",
    "prune",
    "random_array",
    "save_npz",
    "spgemm_composed",
    "spmv_composed",
    "spy",
    "tril",
    "triu",
    "vstack",
]

_PACKAGES = ("gallery", "graph", "interop", "io", "linalg", "primitives")
"""Imported when they are first asked for."""

_SCIPYS = frozenset(f"{form}_{kind}" for form in ("bsr", "dia", "dok", "lil") for kind in ("array", "matrix"))
_SCIPYS |= {"coo_matrix", "csc_matrix", "csr_matrix"}
"""Classes of `scipy.sparse`, which are taken wherever a matrix is: looked up there when they are first asked for."""

CONVERTERS["torch"] = lambda matrix: importlib.import_module("spark_csr.interop.torch").to_torch(matrix)

functions_on_their_device(
    globals(), ["drop_empty_columns", "drop_empty_rows", "prune", "spgemm_composed", "spmv_composed", "spy"]
)


def __getattr__(name):
    if name in _PACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _SCIPYS:
        return getattr(importlib.import_module("scipy.sparse"), name)
    raise _absent.refuse(__name__, name, _absent.HINTS)


def __dir__():
    return __all__
