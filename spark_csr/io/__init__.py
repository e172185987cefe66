"""Read matrices and ragged arrays from files, and write them to files.

Matrix Market files (`.mtx`, also compressed):

- `mmread`: read a matrix
- `mmwrite`: write a matrix

SciPy's `.npz` files:

- `load_npz`: load a matrix
- `save_npz`: save a matrix

Ragged arrays in `.npz` files:

- `load_ragged`: load a ragged array, or a dict of these
- `save_ragged`: save a ragged array, or a dict of these

Notes
-----
SciPy's readers parse the files, except for coordinates in `.npz` files. Each way in which they fail becomes one exception that
names the file. What they return is checked like any other foreign matrix before a kernel reads through it.

Examples
--------
>>> import io
>>> from spark_csr import csr_array, load_npz, save_npz
>>> file = io.BytesIO()
>>> save_npz(file, csr_array([[0, 1], [2, 0]]))
>>> _ = file.seek(0)
>>> load_npz(file).toarray()
array([[0, 1],
       [2, 0]])
"""

from spark_csr._current_device import functions_on_their_device
from spark_csr.io.matrix_market import mmread, mmwrite
from spark_csr.io.npz import load_npz, save_npz
from spark_csr.io.ragged import load_ragged, save_ragged

__all__ = ["load_npz", "load_ragged", "mmread", "mmwrite", "save_npz", "save_ragged"]

functions_on_their_device(globals(), __all__)


def __dir__() -> list[str]:
    return __all__
