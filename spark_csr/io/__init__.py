"""Read matrices and ragged arrays from files, and write them to files.

Matrix Market files (`.mtx`, also compressed):

- `mmread`: read a matrix
- `mmwrite`: write a matrix

SciPy's `.npz` files:

- `load_npz`: load a matrix
- `save_npz`: save a matrix

Files of the Deep Learning Matrix Collection (`.smtx`):

- `read_smtx`: read the pattern of a matrix

Ragged arrays in `.npz` files:

- `load_ragged`: load a ragged array, or a dict of these
- `save_ragged`: save a ragged array, or a dict of these

Matrices in folders of blocks, which are read in parts and written by many processes:

- `save_blocks`: save a matrix
- `open_blocks`: open a matrix
- `BlockFiles`: what `open_blocks` returns
- `save_block`: save one block
- `finish_blocks`: make a matrix of blocks that were saved

Notes
-----
SciPy's readers parse the files. Only coordinates in `.npz` files, and `.smtx` files, are read by this package itself. If a
reader fails, whatever it raises is replaced by one exception that names the file. The matrices that it returns are checked
before they are used.

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
from spark_csr.io.block_files import BlockFiles
from spark_csr.io.blocks import finish_blocks, open_blocks, save_block, save_blocks
from spark_csr.io.matrix_market import mmread, mmwrite
from spark_csr.io.npz import load_npz, save_npz
from spark_csr.io.ragged import load_ragged, save_ragged
from spark_csr.io.smtx import read_smtx

__all__ = [
    "BlockFiles",
    "finish_blocks",
    "load_npz",
    "load_ragged",
    "mmread",
    "mmwrite",
    "open_blocks",
    "read_smtx",
    "save_block",
    "save_blocks",
    "save_npz",
    "save_ragged",
]

functions_on_their_device(globals(), __all__)


def __dir__() -> list[str]:
    return __all__
