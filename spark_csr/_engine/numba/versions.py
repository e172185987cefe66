"""Which compilers there are: what kernels on disk are named after."""

import llvmlite
import numba

VERSIONS = numba.__version__, llvmlite.__version__
"""Of Numba and llvmlite."""
