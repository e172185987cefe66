"""`SPARK_CSR_PTX=1 python -m pytest tests`: tests that take `xp` run as on a GPU, on a machine with none.

The stand-in (`cupy_stand_in`) is CuPy, and what it launches is compiled PTX that the package `ptx` executes.
"""

import hashlib
import importlib
import importlib.util
import os
import pathlib

ON = bool(int(os.environ.get("SPARK_CSR_PTX", "0")))


def prepare():
    """Put the stand-in where `import cupy` finds it, and let kernels be assembled for the package `ptx`; return `cupy`."""
    cupy = importlib.import_module("cupy_stand_in").install()
    if importlib.util.find_spec("numba_cuda") is None or importlib.util.find_spec("ptx") is None:
        return cupy
    ptx, compiler = importlib.import_module("ptx"), importlib.import_module("spark_csr._cuda.compile")
    compiler.assemble = ptx.assemble
    kept = compiler._kept
    kept.VERSIONS = (*kept.VERSIONS, "ptx", _digest())
    return cupy


def _digest():
    """Return a digest of the sources that make a program of PTX: what they made is kept in files, beside real cubins."""
    folder = pathlib.Path(__file__).parent / "ptx"
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(folder.glob("*.py")))).hexdigest()
