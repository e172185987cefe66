"""Matrix Market files, read and written through SciPy, or by fast_matrix_market where installed."""

import contextlib
import importlib
import os

import numpy as np

from spark_csr._matrix.base import SparseArray, as_ours
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import has_duplicates, sum_duplicates
from spark_csr.io._errors import as_scipy, name_errors, open_to_read


def mmread(source, *, spmatrix=None):
    """Read a Matrix Market file.

    Parameters
    ----------
    source : str, path or file object
        `.mtx`, `.mtx.gz` or `.mtx.bz2`; a named pipe is read once, from its beginning to its end.
    spmatrix : bool, optional
        Taken for the sake of SciPy's signature; the result is a `csr_array` either way.

    Returns
    -------
    csr_array
        Symmetric files become general matrices, dense ones keep their nonzeros, entries of one position are summed.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is truncated or malformed.

    Notes
    -----
    Format: Boisvert, Pozo & Remington, *The Matrix Market Exchange Formats*, NISTIR 5935, 1996. *Cost*: parsing, and the
    conversion from coordinates to rows.

    Examples
    --------
    >>> import io
    >>> from spark_csr import mmread
    >>> text = b"%%MatrixMarket matrix coordinate real general\\n2 3 2\\n1 1 5\\n2 3 7\\n"
    >>> mmread(io.BytesIO(text)).toarray()
    array([[5., 0., 0.],
           [0., 0., 7.]])
    """
    reader, options = _matrix_market()
    with name_errors(source, "a Matrix Market file"):
        if _may_be_read_twice(source):
            with open(source, "rb") as file:
                checked = _Checked(file)
                for _ in iter(checked.read, b""):
                    pass
            if not checked.appended:
                return csr_array(reader.mmread(os.fspath(source), **options))
        with open_to_read(source) as file:
            return csr_array(reader.mmread(_Checked(file), **options))


def mmwrite(target, a, comment=None, field=None, precision=None, symmetry="AUTO"):
    """Write a matrix as a Matrix Market file.

    Parameters
    ----------
    target : str, path or file object
        `.mtx` is appended to a name without it.
    a : csr_array, SciPy sparse matrix or array
        One on a GPU is copied to the host first; float16 is written as float32.
    comment : str, optional
        Put at the head of the file.
    field : {"real", "complex", "pattern", "integer"}, optional
        Default: by the dtype.
    precision : int, optional
        Digits of floating values, 1 to 18; default: as many as their dtype needs.
    symmetry : {"AUTO", "general", "symmetric", "skew-symmetric", "hermitian"}
        "AUTO" looks for symmetry, which takes a pass over the matrix.

    Raises
    ------
    ValueError
        If `field` or `symmetry` is not one of those, or `precision` is out of range.
    OSError
        If the file cannot be written.

    Notes ----- A position has one line: entries of one position are summed first, in the dtype of the matrix, as `a.toarray()`
    sums them; `a` stays as it is. *Cost*: one line of text per entry; where positions have several entries, a new matrix of
    their sums.
    """
    a = as_scipy("a", _sum_duplicates(a)) if hasattr(a, "tocsr") else a
    if getattr(a, "ndim", 2) != 2:
        raise ValueError(f"a Matrix Market file holds a matrix, got shape {a.shape}: use a[None, :]")
    if precision is not None and not 1 <= precision <= 18:
        raise ValueError(f"precision must be 1 to 18 digits, got {precision}")
    wider = {"e": "f"} if precision is None else {"e": "d", "f": "d", "F": "D"}  # SciPy writes NULs past a dtype's own digits
    dtype = getattr(a, "dtype", None)
    a = a.astype(wider[dtype.char]) if dtype is not None and dtype.char in wider else a
    write = importlib.import_module("scipy.io").mmwrite
    with _open_to_write(target) as file:
        write(file, a, comment or "", field, precision, symmetry)


def _sum_duplicates(a):
    """Return a sparse matrix with entries of one position summed in its own dtype; itself if there are none."""
    if isinstance(a, SparseArray) or a.dtype == np.float16:  # SciPy has no sums in float16
        a = as_ours(a)
        return a._like(sum_duplicates(a._csr)) if a._csr.plan(has_duplicates) else a
    if not hasattr(a, "sum_duplicates"):  # formats in which a position has one entry
        return a
    summed = a.copy()
    summed.sum_duplicates()
    return summed if summed.nnz < a.nnz else a


def _matrix_market():
    """The module that reads Matrix Market files, and its options."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("fast_matrix_market"), {}
    return importlib.import_module("scipy.io"), {"spmatrix": False}


def _may_be_read_twice(source):
    """Whether it is a plain file, which is parsed fastest by its name: not a pipe, which has nothing left after one reading."""
    if not isinstance(source, (str, os.PathLike)) or os.fspath(source).lower().endswith((".gz", ".bz2")):
        return False
    return os.path.isfile(source) or not os.path.exists(source)


def _open_to_write(target):
    """Open a file so that a failure to write is raised: SciPy, which is given a name, does not check."""
    if not isinstance(target, (str, os.PathLike)):
        return contextlib.nullcontext(target)
    path = os.fspath(target)
    return open(path if path.endswith(".mtx") else f"{path}.mtx", "wb")


class _Checked:
    """A file whose `read` refuses NUL bytes and ends the last line: SciPy's parser reads on past both, and ends the process."""

    def __init__(self, file):
        self.file, self.at, self.last, self.appended = file, 0, b"\n", False

    def read(self, size=1 << 20):
        chunk = self.file.read(size)
        chunk = chunk.encode("latin-1", "replace") if isinstance(chunk, str) else chunk
        if not chunk and size and self.last != b"\n":
            self.last, self.appended = b"\n", True
            return self.last
        self.last = chunk[-1:] or self.last
        found = chunk.find(b"\0")
        if found >= 0:
            raise ValueError(f"byte {self.at + found} is NUL: this is no text")
        self.at += len(chunk)
        return chunk
