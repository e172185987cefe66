"""The compiler of kernels for GPUs: numba-cuda, or the one that the variable `SPARK_CSR_GPU_COMPILER` names.

Kernels and what they call are written in Numba's terms, whichever compiler is chosen: plain functions, functions made by
`njit`, Numba's types, the intrinsics of `_engine/numba/intrinsics`, and a module `cuda`. A compiler that has terms of its own
translates these when it compiles. So nothing but this file, and the modules that it names, knows which compiler is at work.
"""

import functools
import importlib
import os
from typing import Protocol

VARIABLE = "SPARK_CSR_GPU_COMPILER"

COMPILERS = {"numba-cuda": "spark_csr._engine.numba.gpu", "numba-cuda-mlir": "spark_csr._engine.gpu.mlir"}
"""By name: the module that is the compiler. The first one is usual."""


class Compiler(Protocol):
    """What the module of a compiler has."""

    PACKAGE: str
    """The package whose version names the files of compiled kernels."""

    SOURCES: tuple[str, ...]
    """Modules of our own whose sources name these files too, since what they say is no part of a kernel's description."""

    def load_cuda(self):
        """Return the module `cuda` that kernels mention; raise ImportError where the package is absent."""

    def compile_to_ptx(self, function, signature, capability, threads):
        """Return the PTX text of a kernel for blocks of `threads` threads. `signature` is one of Numba's. One thread calls."""

    def parts_of_array(self, x):
        """Return what a kernel that takes arrays by view is passed for an array of one axis."""

    def overload(self, function):
        """Return the decorator that tells what a function of this package does on GPUs, as `numba.extending.overload` does."""


@functools.cache
def chosen() -> Compiler:
    """Return the compiler; raise ValueError if the variable names none."""
    name = os.environ.get(VARIABLE) or next(iter(COMPILERS))
    if name not in COMPILERS:
        raise ValueError(f"{VARIABLE} is {name!r}, which is none of {', '.join(COMPILERS)}")
    return importlib.import_module(COMPILERS[name])
