"""Read matrices and ragged arrays from files, and write them to files.

Matrices: Matrix Market (`mmread`, `mmwrite`), SciPy's `.npz` (`load_npz`, `save_npz`), AnnData (`read_h5ad`, `write_h5ad`), 10x
Genomics (`read_10x_h5`), binsparse in HDF5 (`read_binsparse`, `write_binsparse`), MATLAB (`read_mat`, `write_mat`), patterns of
the Deep Learning Matrix Collection (`read_smtx`), svmlight and libsvm with labels (`read_svmlight`, `write_svmlight`).
`open_hdf5` opens a matrix in an HDF5 file of these, an `HDF5Matrix`, to read it in parts. Ragged arrays: `load_ragged`,
`save_ragged`. Folders of blocks, which are read in parts and written by many processes: `save_blocks`, `open_blocks`,
`BlockFiles`, `save_block`, `finish_blocks`.

Notes
-----
The readers of SciPy, NumPy and h5py parse the files. Only coordinates in `.npz` files, files of MATLAB up to version 7, `.smtx`
and svmlight are read by this package itself. If a reader fails, whatever it raises is replaced by one exception that names the
file: FileNotFoundError if there is none, else mostly ValueError. The matrices that it returns are checked before they are used.
Writers replace a file when the new one is whole, and raise OSError if it cannot be written. A library that is needed and not
installed, such as h5py, is named by an ImportError, with the pip command.

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
from spark_csr.io.binsparse import read_binsparse, write_binsparse
from spark_csr.io.block_files import BlockFiles
from spark_csr.io.blocks import finish_blocks, open_blocks, save_block, save_blocks
from spark_csr.io.h5ad import read_h5ad, write_h5ad
from spark_csr.io.hdf5 import HDF5Matrix, open_hdf5
from spark_csr.io.mat import read_mat, write_mat
from spark_csr.io.matrix_market import mmread, mmwrite
from spark_csr.io.npz import load_npz, save_npz
from spark_csr.io.ragged import load_ragged, save_ragged
from spark_csr.io.smtx import read_smtx
from spark_csr.io.svmlight import read_svmlight, write_svmlight
from spark_csr.io.tenx import read_10x_h5

__all__ = [
    "BlockFiles",
    "HDF5Matrix",
    "finish_blocks",
    "load_npz",
    "load_ragged",
    "mmread",
    "mmwrite",
    "open_blocks",
    "open_hdf5",
    "read_10x_h5",
    "read_binsparse",
    "read_h5ad",
    "read_mat",
    "read_smtx",
    "read_svmlight",
    "save_block",
    "save_blocks",
    "save_npz",
    "save_ragged",
    "write_binsparse",
    "write_h5ad",
    "write_mat",
    "write_svmlight",
]

functions_on_their_device(globals(), __all__)


def __dir__() -> list[str]:
    return __all__
