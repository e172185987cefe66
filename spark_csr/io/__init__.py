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
SciPy's readers parse the files. Only coordinates in `.npz` files are read by this package itself. If a reader fails, whatever
it raises is replaced by one exception that names the file. The matrices that it returns are checked before they are used.

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
