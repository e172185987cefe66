"""Sparse linear algebra on GPUs and cores: CSR matrices, and the data-parallel primitives they are made of.

A user's array enters through a type (`csr_array`), flows down through an operation written once for every device, through a
primitive with one written contract, into a kernel that exists twice, once for the processor's cores and once for the GPU,
and comes back as an array of the same kind::

    graph/                  Graph, Frontier, operators that take users' functions, algorithms
    ragged/                 Ragged: lists of lists as values and offsets
    csr.py                  the matrix type; its methods, of a few lines, stand by kind in methods/
      operations/           what one does with a matrix, written once (spmv, spgemm, transpose, prune, ...)
        primitives/         scan, flood, segments, search: contract, checks, one call into the backend
          _dispatch.py      which backend: decided by where the arrays are
            _cpu/  _cuda/   the kernels: same files, same names, same signatures
              ops/          scalar operators, monoids, semirings;  _array.py: what kind an array is
"""

from spark_csr import _interpreter, absent, graph, linalg  # noqa: F401 the first refuses before NumPy is imported
from spark_csr._current_device import functions_on_their_device
from spark_csr._version import __version__
from spark_csr.config import config
from spark_csr.construct import (
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
from spark_csr.coo import coo_array
from spark_csr.csc import csc_array
from spark_csr.csr import csr_array
from spark_csr.io import load_npz, mmread, mmwrite, save_npz
from spark_csr.methods.base import issparse
from spark_csr.operations.composed import spmv_composed
from spark_csr.operations.spgemm_composed import spgemm_composed
from spark_csr.ops import Monoid, Semiring
from spark_csr.pruning import drop_empty_columns, drop_empty_rows, prune
from spark_csr.ragged import Ragged

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
    "graph",
    "hstack",
    "issparse",
    "kron",
    "linalg",
    "load_npz",
    "mmread",
    "mmwrite",
    "prune",
    "random_array",
    "save_npz",
    "spgemm_composed",
    "spmv_composed",
    "tril",
    "triu",
    "vstack",
]

functions_on_their_device(globals(), ["drop_empty_columns", "drop_empty_rows", "prune", "spgemm_composed", "spmv_composed"])


def __getattr__(name):
    raise absent.refuse(__name__, name, absent.HINTS)
