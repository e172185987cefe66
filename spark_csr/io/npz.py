"""Files in SciPy's .npz format."""

import importlib
import zipfile

import numpy as np

from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csr import csr_array
from spark_csr.io._errors import as_scipy, name_errors, open_to_read


def save_npz(file, matrix, compressed=True):
    """Save a matrix in SciPy's `.npz` format.

    Parameters
    ----------
    file : str, path or file object
        Where to; `.npz` is appended to a name without it.
    matrix : csr_array, csc_array, coo_array or SciPy sparse matrix
        One on a GPU is copied to the host first. Its format is kept.
    compressed : bool
        Compress the arrays: smaller, and slower to write.

    Raises
    ------
    TypeError
        If `matrix` is not sparse.
    OSError
        If the file cannot be written.

    Notes
    -----
    `scipy.sparse.load_npz` reads the file, but for a `coo_array` of float16, which only ours reads. *Cost*: one pass over the
    arrays, and their compression.

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
    importlib.import_module("scipy.sparse").save_npz(file, as_scipy("matrix", matrix), compressed=compressed)


def load_npz(file):
    """Load a matrix that `save_npz`, SciPy's or this one's, has written.

    Parameters
    ----------
    file : str, path or file object

    Returns
    -------
    csr_array, csc_array or coo_array
        The format saved, a `csr_array` of others; on the processor. Entries of one position in coordinates are summed.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is truncated, is no `.npz` file, holds no sparse matrix, or one whose indices are out of range.
    TypeError
        If its dtype is not supported.

    Notes
    -----
    *Cost*: reading, and one pass of checks; formats other than csr, csc and coo are converted, and coordinates sorted.
    """
    with name_errors(file, "a sparse matrix in .npz format"), open_to_read(file) as archive:
        if not zipfile.is_zipfile(archive):
            raise ValueError("it is no zip archive")
        archive.seek(0)
        with np.load(archive, allow_pickle=False) as arrays:
            if _format(arrays) == "coo":
                return _from_coordinates(arrays)
        archive.seek(0)
        return _from_scipy(importlib.import_module("scipy.sparse").load_npz(archive))


def _format(arrays):
    """The name of the format: bytes, or a string in files of old."""
    return str(arrays["format"].astype(str)) if "format" in arrays else None


def _from_coordinates(arrays):
    """Read here, for SciPy's reader refuses coordinates in float16."""
    coords = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
    return coo_array((arrays["data"], tuple(coords)), shape=arrays["shape"].tolist())


def _from_scipy(matrix):
    """By columns if it lies so, else by rows."""
    return csr_array(matrix.T).T if matrix.format == "csc" else csr_array(matrix)
