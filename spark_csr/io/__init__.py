"""Matrices from files and to files.

Design: SciPy's readers do the parsing, but for coordinates in `.npz` files; here every way in which they fail becomes one
exception that names the file. What they hand over is checked like any other foreign matrix before a kernel reads through it.
"""

from spark_csr._current_device import functions_on_their_device
from spark_csr.io.matrix_market import mmread, mmwrite
from spark_csr.io.npz import load_npz, save_npz

__all__ = ["load_npz", "mmread", "mmwrite", "save_npz"]

functions_on_their_device(globals(), __all__)


def __dir__():
    return __all__
