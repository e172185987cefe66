"""Load and save matrices in SciPy's `.npz` format."""

from __future__ import annotations

import importlib
import zipfile
from typing import IO, TYPE_CHECKING

import numpy as np

from spark_csr._files import open_to_write
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csr import csr_array
from spark_csr.io._errors import as_scipy, name_errors
from spark_csr.io._watched import open_watched

if TYPE_CHECKING:
    import os

    from spark_csr._types import Matrix, MatrixLike, Progress


def save_npz(file: str | os.PathLike[str] | IO[bytes], matrix: MatrixLike, compressed: bool = True) -> None:
    """Save a matrix in SciPy's `.npz` format.

    Parameters
    ----------
    file : str, path or file object
        The file to write. `.npz` is appended to a name that does not end with it. A file that is there is replaced when the new
        one is whole.
    matrix : csr_array, csc_array, coo_array or SciPy sparse matrix
        The matrix. A matrix on a GPU is copied to the host first. Its format is kept.
    compressed : bool
        If True, the default, compress the arrays, which makes the file smaller and slower to write.

    Raises
    ------
    TypeError
        If `matrix` is not sparse.
    OSError
        If the file cannot be written.

    Notes
    -----
    `scipy.sparse.load_npz` reads the file, except for a `coo_array` of float16, which only `spark_csr.load_npz` reads. *Cost*:
    The function writes the arrays once, and compresses them.

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
    found = as_scipy("matrix", matrix)
    with open_to_write(file, ".npz") as target:
        importlib.import_module("scipy.sparse").save_npz(target, found, compressed=compressed)


def load_npz(file: str | os.PathLike[str] | IO[bytes], *, progress: Progress = None) -> Matrix:
    """Load a matrix that `save_npz` wrote, from SciPy or from this package.

    Parameters
    ----------
    file : str, path or file object
        The file to read.
    progress : bool or function, optional
        True shows on stderr how much of the file has been read, as a bar of tqdm if that is installed, else in lines. A
        function is called as `progress(bytes, total)`, possibly in another thread; `total` is None if the size of the file is
        not known.

    Returns
    -------
    csr_array, csc_array or coo_array
        The matrix, in the memory of the host. Its format is that in which it was saved if this is CSR, CSC or COO; otherwise it
        is a `csr_array`. A `coo_array` has the entries of the file in their order, with duplicates.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is truncated or not an `.npz` file, if it holds no sparse matrix, or if an index is out of range.
    TypeError
        If the dtype of the matrix is not supported.

    Notes
    -----
    *Cost*: The file is read, and its indices are checked in one pass. Formats other than CSR, CSC and COO are converted.

    Examples
    --------
    >>> import io
    >>> from spark_csr import csr_array, load_npz, save_npz
    >>> file = io.BytesIO()
    >>> save_npz(file, csr_array([[0, 1], [2, 0]]).tocsc())
    >>> _ = file.seek(0)
    >>> load_npz(file).format
    'csc'
    """
    with name_errors(file, "a sparse matrix in .npz format"), open_watched(file, progress, "load_npz") as archive:
        if not zipfile.is_zipfile(archive):
            raise ValueError("the file is not a zip archive")
        archive.seek(0)
        with np.load(archive, allow_pickle=False) as arrays:
            if _format(arrays) == "coo":
                return _from_coordinates(arrays)
        archive.seek(0)
        return _from_scipy(importlib.import_module("scipy.sparse").load_npz(archive))


def _format(arrays):
    """Return the name of the format, which is stored as bytes, or as a string in old files."""
    return str(arrays["format"].astype(str)) if "format" in arrays else None


def _from_coordinates(arrays):
    """Return a matrix from coordinates, which are read here as SciPy's reader refuses them in float16."""
    coords = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
    return coo_array((arrays["data"], tuple(coords)), shape=arrays["shape"].tolist())


def _from_scipy(matrix):
    """Return a `csc_array` of a SciPy matrix in that format, and a `csr_array` of all others."""
    return csr_array(matrix.T).T if matrix.format == "csc" else csr_array(matrix)
