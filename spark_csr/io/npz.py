"""Load and save matrices in SciPy's `.npz` format."""

from __future__ import annotations

import importlib
import zipfile
from typing import IO, TYPE_CHECKING

import numpy as np

from spark_csr._files import open_to_write
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import check
from spark_csr.io._errors import as_scipy, name_errors
from spark_csr.io._watched import open_watched

if TYPE_CHECKING:
    import os

    from spark_csr._matrix.types import Matrix, MatrixLike
    from spark_csr._types import Progress


DIMENSIONS = {"csr": (1, 2), "csc": (2,), "coo": range(1, check.MOST_AXES + 1), "bsr": (2,), "dia": (2,)}
"""The formats, and the numbers of dimensions that a matrix can have in them."""


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
        if found.ndim > 2:  # of which SciPy 1.15 writes two index arrays only
            write = np.savez_compressed if compressed else np.savez
            arrays = {"format": b"coo", "shape": found.shape, "data": found.data, "coords": found.coords}
            write(target, **arrays, _is_array=True)
            return
        importlib.import_module("scipy.sparse").save_npz(target, found, compressed=compressed)


def load_npz(file: str | os.PathLike[str] | IO[bytes], *, progress: Progress = None) -> Matrix:
    """Load a matrix that `save_npz` wrote, from SciPy or from this package.

    See the example of `save_npz`.

    Parameters
    ----------
    file : str, path or file object
        The file to read.
    progress : bool or function, optional
        As for `spark_csr.mmread`.

    Returns
    -------
    csr_array, csc_array or coo_array
        The matrix, in the memory of the host. Its format is that in which it was saved if this is CSR, CSC or COO; otherwise it
        is a `csr_array`. A `coo_array` has the entries of the file in their order, with duplicates.

    Raises
    ------
    ValueError
        If the file is truncated or not an `.npz` file, if it holds no sparse matrix, or if its shape, an index or an offset is
        no integer or out of range.
    TypeError
        If the dtype of the matrix is not supported.

    Notes
    -----
    *Cost*: The file is read, and its indices are checked in one pass. Formats other than CSR, CSC and COO are converted.
    """
    with name_errors(file, "a sparse matrix in .npz format"), open_watched(file, progress, "load_npz") as archive:
        if not zipfile.is_zipfile(archive):
            raise ValueError("the file is not a zip archive")
        archive.seek(0)
        with np.load(archive, allow_pickle=False) as arrays:
            return _read(arrays)


def read_shape(arrays):
    """Return the shape in an open file."""
    return check.shape_of(_array(arrays, "shape", "iu").tolist(), check.MOST_AXES)


def _read(arrays):
    """Return the matrix in an open file. SciPy's reader is not used: it follows arrays that it has not checked."""
    if "format" not in arrays:
        raise ValueError("it holds no sparse matrix: read other arrays with numpy.load")
    form, shape = (arrays["format"].astype(str).item()[:80], read_shape(arrays))  # stored as bytes, in old files as a string
    if form not in DIMENSIONS:
        raise ValueError(f"its format {form!r} is none of {', '.join(DIMENSIONS)}")
    if len(shape) not in DIMENSIONS[form]:
        raise ValueError(f"a matrix of format {form} must have two axes, got shape {shape}")
    data = _array(arrays, "data", ndim={"dia": 2, "bsr": 3}.get(form, 1))
    if form == "coo":
        coords = _array(arrays, "coords", "iu", 2) if "coords" in arrays else [_array(arrays, x, "iu") for x in ("row", "col")]
        return coo_array((data, tuple(coords)), shape=shape)
    if form == "dia":
        return _from_diagonals(data, _array(arrays, "offsets", "iu"), shape)
    parts = data, _array(arrays, "indices", "iu"), _array(arrays, "indptr", "iu")
    if form == "csc":
        return csr_array(parts, shape=shape[::-1]).T
    scipy = importlib.import_module("scipy.sparse")
    return csr_array(parts, shape=shape) if form == "csr" else csr_array(scipy.bsr_array(parts, shape=shape))


def _array(arrays, name, kinds=None, ndim=1):
    """Return an array of an open file, in the byte order of this machine. NumPy returns what is no array as bytes."""
    x = arrays[name]
    if not isinstance(x, np.ndarray) or x.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, got {getattr(x, 'shape', type(x).__name__)}")
    if kinds and x.dtype.kind not in kinds and x.size:
        raise ValueError(f"{name} must hold integers, got dtype {x.dtype}")
    return x.astype(x.dtype.newbyteorder("="), copy=False)


def _from_diagonals(data, offsets, shape):
    """Return the matrix with the nonzeros `data[i, j]` in the columns `j` and the rows `j - offsets[i]`."""
    if data.shape[0] != offsets.size or np.unique(offsets).size != offsets.size:
        raise ValueError(f"{data.shape[0]} diagonals must have as many different offsets, got {str(offsets.tolist())[:80]}")
    rows, columns = shape
    inside = (offsets > -rows) & (offsets < columns)
    data, offsets = data[inside, :columns], offsets[inside].astype(np.int64)
    col = np.broadcast_to(np.arange(data.shape[1]), data.shape)
    row = col - offsets[:, None]  # a sum beyond int64 is negative
    kept = (row >= 0) & (row < rows) & (data != 0)
    return csr_array((data[kept], (row[kept], col[kept])), shape=shape)
