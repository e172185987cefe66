"""The versions of the compilers: kernels on disk are named after them."""

import llvmlite
import numba

from spark_csr._engine import store
from spark_csr._engine.numba.versions import VERSIONS


def test_files_are_named_after_both_compilers():
    assert (numba.__version__, llvmlite.__version__) == VERSIONS
    assert store.VERSIONS[:2] == VERSIONS
