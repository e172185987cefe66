"""Matrix Market and .npz files, read and written through SciPy (Matrix Market by fast_matrix_market where installed).

Design: SciPy's readers do the parsing; here every way in which they fail becomes one exception that names the file. What
they hand over is checked like any other foreign matrix before a kernel reads through it.
"""

import contextlib
import importlib
import os

from spark_csr.csr import csc_array, csr_array


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
    with _named_errors(file, "a sparse matrix in .npz format"):
        return _from_scipy(scipy_sparse.load_npz(file))


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
        return _from_scipy(reader.mmread(_path(source), **options))


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
        Digits of floating values; default: as many as their dtype needs.
    symmetry : {"AUTO", "general", "symmetric", "skew-symmetric", "hermitian"}
        "AUTO" looks for symmetry, which takes a pass over the matrix.

    Raises
    ------
    ValueError
        If `field` or `symmetry` is not one of those.
    OSError
        If the file cannot be written.

    Notes
    -----
    *Cost*: one line of text per entry.
    """
    a = _for_scipy("a", a) if hasattr(a, "tocsr") else a
    a = a.astype("float32") if a.dtype == "float16" else a
    importlib.import_module("scipy.io").mmwrite(_path(target), a, comment or "", field, precision, symmetry)


def _matrix_market():
    """The module that reads Matrix Market files, and its options."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("fast_matrix_market"), {}
    return importlib.import_module("scipy.io"), {"spmatrix": False}


def _path(file):
    return os.fspath(file) if isinstance(file, os.PathLike) else file


def _for_scipy(name, matrix):
    """A SciPy matrix that shares the arrays of ours; SciPy's own as it is."""
    if not hasattr(matrix, "tocsr"):
        raise TypeError(f"{name} must be a sparse matrix, got {type(matrix).__name__}: use csr_array(...)")
    return matrix.to_scipy() if hasattr(matrix, "to_scipy") else matrix


def _from_scipy(matrix):
    """A `csr_array`; indices that SciPy would follow unchecked while it converts are checked first."""
    if matrix.ndim != 2:
        raise ValueError(f"it holds an array of shape {matrix.shape}, not a matrix")
    form = getattr(matrix, "format", "dense")
    if form == "csc":
        by_columns = csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape[::-1])
        return csc_array._of(by_columns._csr).tocsr()
    if form == "bsr":
        matrix.check_format(full_check=True)
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
    except (TypeError, MemoryError) as error:
        raise type(error)(f"{name}: {error}") from error
    except Exception as error:  # readers raise zlib, zipfile, struct, EOF, Key, Overflow and OS errors of many kinds
        raise ValueError(f"{name}: not {wanted}, or a damaged one: {error}") from error
