"""numba-cuda-mlir as the compiler of kernels: see `_engine/gpu/compiler.py`. Experimental.

All that is used of it is in this package: `translate.py` puts its terms in place of Numba's, `words.py` has its counterparts of
our intrinsics, and `repairs.py` what `VERSION` gets wrong. It is imported when it is first asked for.
"""

import functools
import importlib
import warnings
from importlib.metadata import PackageNotFoundError, version

from spark_csr._engine.numba import integers
from spark_csr._engine.numba.integers import integer_types

PACKAGE = "numba-cuda-mlir"
VERSION = "0.6.0"
"""The only version of it that is repaired, and so compiles."""

SOURCES = integers.__name__, *(f"{__name__}.{module}" for module in ("translate", "words", "repairs"))


@functools.cache
def load_cuda():
    """Return `numba_cuda_mlir.cuda`, imported without the warning of NumPy 2.5 that `numba.gpu.load_cuda` tells of.

    Raise ImportError if another version is installed, or none.
    """
    try:
        found = version(PACKAGE)
    except PackageNotFoundError:
        found = "none"
    if found != VERSION:
        raise ImportError(f'{PACKAGE} {VERSION} is needed, found {found}: pip install "{PACKAGE}[cu13]=={VERSION}"')
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The 'generic' unit for NumPy timedelta", DeprecationWarning)
        return importlib.import_module("numba_cuda_mlir.cuda")


def compile_to_ptx(function, signature, capability, threads):
    """Return the PTX text of a kernel. Its arguments' types are Numba's."""
    load_cuda()
    from numba_cuda_mlir import compiler
    from numba_cuda_mlir.descriptor import mlir_target
    from numba_cuda_mlir.numba_cuda import types

    from spark_csr._engine.gpu.mlir.repairs import pretend_device
    from spark_csr._engine.gpu.mlir.translate import translate, translate_signature

    with pretend_device(capability), integer_types(mlir_target.typing_context, types):
        ptx, _ = compiler.compile(
            translate(function), translate_signature(signature), device=False, abi="numba", launch_bounds=threads
        )
    return ptx


def parts_of_array(x):
    """Return two pointers to the array, where it begins behind them, its size, and its stride in elements."""
    return x, x, 0, x.size, 1


def overload(function):
    """Return numba-cuda-mlir's decorator of this name."""
    from numba_cuda_mlir import extending

    return extending.overload(function, typing_registry=extending.typing_registry)
