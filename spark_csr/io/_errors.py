"""Shared parts of the readers and writers: files opened for reading, and errors that name the file."""

import contextlib
import importlib
import os


def open_to_read(file):
    """Return a context that opens a path, unpacked if its name says so, and closes it; a file object is yielded as it is."""
    if not isinstance(file, (str, os.PathLike)):
        return contextlib.nullcontext(file)
    opener = {".gz": "gzip", ".bz2": "bz2"}.get(os.path.splitext(os.fspath(file))[1].lower(), "io")
    return importlib.import_module(opener).open(file, "rb")


def as_scipy(name, matrix):
    """Return a SciPy matrix that shares the arrays of a matrix of this package; return SciPy's own as they are."""
    if hasattr(matrix, "to_scipy_sparse"):  # PyData's sparse arrays
        return matrix.to_scipy_sparse()
    if not hasattr(matrix, "tocsr"):
        raise TypeError(f"{name} must be a sparse matrix, got {type(matrix).__name__}: use csr_array(...)")
    return matrix.to_scipy() if hasattr(matrix, "to_scipy") else matrix


@contextlib.contextmanager
def name_errors(file, wanted):
    """Turn errors of a reader about the contents into a ValueError that names the file and says what is wrong."""
    name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else getattr(file, "name", "the file object")
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise ValueError(f"{name}: this is a directory, not {wanted}") from None
    except PermissionError:
        raise
    except MemoryError as error:
        raise MemoryError(f"{name}: {error}") from error
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from error
    except Exception as error:  # readers raise zlib, zipfile, struct, EOF, Key, Overflow and OS errors of many kinds
        raise ValueError(f"{name}: this is not {wanted}, or it is damaged: {error}") from error
