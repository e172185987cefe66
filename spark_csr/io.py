"""Matrix Market and .npz files, read and written through SciPy (Matrix Market by fast_matrix_market where installed).

Design: SciPy's readers do the parsing; here every way in which they fail becomes one exception that names the file. What
they hand over is checked like any other foreign matrix before a kernel reads through it.
"""

import contextlib
import importlib
import os
import zipfile

from spark_csr.csr import csr_array


def save_npz(file, matrix, compressed=True):
    """Save a matrix in SciPy's `.npz` format.

    Parameters
    ----------
    file : str, path or file object
        Where to; `.npz` is appended to a name without it.
    matrix : csr_array or SciPy sparse matrix
        One on a GPU is copied to the host first.
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
    `scipy.sparse.load_npz` reads the file. *Cost*: one pass over the arrays, and their compression.

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
    importlib.import_module("scipy.sparse").save_npz(file, _for_scipy("matrix", matrix), compressed=compressed)


def load_npz(file):
    """Load a matrix that `save_npz`, SciPy's or this one's, has written.

    Parameters
    ----------
    file : str, path or file object

    Returns
    -------
    csr_array
        Whatever sparse format was saved; on the processor.

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
    *Cost*: reading, and one pass of checks; formats other than CSR are converted.
    """
    scipy_sparse = importlib.import_module("scipy.sparse")
    with _named_errors(file, "a sparse matrix in .npz format"), _opened(file) as opened:
        if not zipfile.is_zipfile(opened):
            raise ValueError("it is no zip archive")
        opened.seek(0)
        return _from_scipy(scipy_sparse.load_npz(opened))


def mmread(source, *, spmatrix=None):
    """Read a Matrix Market file.

    Parameters
    ----------
    source : str, path or file object
        `.mtx`, `.mtx.gz` or `.mtx.bz2`.
    spmatrix : bool, optional
        Taken for the sake of SciPy's signature; the result is a `csr_array` either way.

    Returns
    -------
    csr_array
        Symmetric files become general matrices, dense ones keep their nonzeros, entries of one place are summed.

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
    with _named_errors(source, "a Matrix Market file"):
        if isinstance(source, (str, os.PathLike)) and not os.fspath(source).lower().endswith((".gz", ".bz2")):
            with open(source, "rb") as file:
                for _ in iter(_WithoutNul(file).read, b""):
                    pass
            return _from_scipy(reader.mmread(os.fspath(source), **options))
        with _opened(source) as file:
            return _from_scipy(reader.mmread(_WithoutNul(file), **options))


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

    Notes
    -----
    *Cost*: one line of text per entry.
    """
    a = _for_scipy("a", a) if hasattr(a, "tocsr") else a
    if precision is not None and not 1 <= precision <= 18:
        raise ValueError(f"precision must be 1 to 18 digits, got {precision}")
    wider = {"e": "f"} if precision is None else {"e": "d", "f": "d", "F": "D"}  # SciPy writes NULs past a dtype's own digits
    dtype = getattr(a, "dtype", None)
    a = a.astype(wider[dtype.char]) if dtype is not None and dtype.char in wider else a
    importlib.import_module("scipy.io").mmwrite(_path(target), a, comment or "", field, precision, symmetry)


def _matrix_market():
    """The module that reads Matrix Market files, and its options."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("fast_matrix_market"), {}
    return importlib.import_module("scipy.io"), {"spmatrix": False}


def _path(file):
    return os.fspath(file) if isinstance(file, os.PathLike) else file


def _opened(file):
    """A path opened for reading (and unpacked where its name says so), closed whatever happens; a file object as it is."""
    if not isinstance(file, (str, os.PathLike)):
        return contextlib.nullcontext(file)
    opener = {".gz": "gzip", ".bz2": "bz2"}.get(os.path.splitext(os.fspath(file))[1].lower(), "io")
    return importlib.import_module(opener).open(file, "rb")


class _WithoutNul:
    """A file whose `read` refuses NUL bytes: behind a value they make SciPy's parser end the process."""

    def __init__(self, file):
        self.file, self.at = file, 0

    def read(self, size=1 << 20):
        chunk = self.file.read(size)
        chunk = chunk.encode("latin-1", "replace") if isinstance(chunk, str) else chunk
        found = chunk.find(b"\0")
        if found >= 0:
            raise ValueError(f"byte {self.at + found} is NUL: this is no text")
        self.at += len(chunk)
        return chunk


def _for_scipy(name, matrix):
    """A SciPy matrix that shares the arrays of ours; SciPy's own as it is."""
    if not hasattr(matrix, "tocsr"):
        raise TypeError(f"{name} must be a sparse matrix, got {type(matrix).__name__}: use csr_array(...)")
    return matrix.to_scipy() if hasattr(matrix, "to_scipy") else matrix


def _from_scipy(matrix):
    if matrix.ndim != 2:
        raise ValueError(f"it holds an array of shape {matrix.shape}, not a matrix")
    return csr_array(matrix)


@contextlib.contextmanager
def _named_errors(file, wanted):
    """Whatever a reader raises about the contents becomes a ValueError that says which file, and what is wrong."""
    name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else getattr(file, "name", "the file object")
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise ValueError(f"{name}: is a directory, not {wanted}") from None
    except PermissionError:
        raise
    except MemoryError as error:
        raise MemoryError(f"{name}: {error}") from error
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from error
    except Exception as error:  # readers raise zlib, zipfile, struct, EOF, Key, Overflow and OS errors of many kinds
        raise ValueError(f"{name}: not {wanted}, or a damaged one: {error}") from error
