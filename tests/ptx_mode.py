"""`SPARK_CSR_PTX=1 python -m pytest tests`: tests that take `xp` run as on a GPU, on a machine with none.

The stand-in (`cupy_stand_in`) is CuPy, and what it launches is compiled PTX that the package `ptx` executes.
"""

import importlib
import importlib.util
import os

ON = bool(int(os.environ.get("SPARK_CSR_PTX", "0")))


def prepare():
    """Put the stand-in where `import cupy` finds it, and let kernels be assembled for the package `ptx`; return `cupy`."""
    cupy = importlib.import_module("cupy_stand_in").install()
    if importlib.util.find_spec("numba_cuda") is None or importlib.util.find_spec("ptx") is None:
        return cupy
    ptx, compiler = importlib.import_module("ptx"), importlib.import_module("spark_csr._cuda.compile")
    compiler.assemble = ptx.assemble
    compiler._kept = _Kept(compiler._kept)
    return cupy


class _Kept:
    """Files of kernels whose names say that `ptx` made them: they are no cubins, and must not be taken for some."""

    def __init__(self, kept):
        self._kept = kept

    def read(self, name):
        """The file of that name, or None."""
        return self._kept.read(f"ptx-{name}")

    def write(self, name, content):
        """Keep a file."""
        self._kept.write(f"ptx-{name}", content)
