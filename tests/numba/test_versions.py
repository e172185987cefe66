"""The versions of the compilers: kernels on disk are named after them."""

import llvmlite
import numba

from spark_csr import _kept
from spark_csr._numba.versions import VERSIONS


def test_files_are_named_after_both_compilers():
    assert (numba.__version__, llvmlite.__version__) == VERSIONS
    assert _kept.VERSIONS[:2] == VERSIONS
