"""Shared parts of the readers and writers: files opened for reading, and errors that name the file."""

import contextlib
import errno
import importlib
import os
import sys

from spark_csr._config import config

PACKINGS = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".xz": "lzma",
    ".zst": "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
}
"""The module that unpacks a file, by the end of its name."""


def open_to_read(file):
    """Return a context that opens a path, unpacked if its name says so, and closes it; a file object is yielded as it is."""
    if not isinstance(file, (str, os.PathLike)):
        if not hasattr(file, "read"):
            raise TypeError(f"file must be a path or a file object, got {file!r} of type {type(file).__name__}")
        return contextlib.nullcontext(file)
    return import_packing(packing_of(file) or "io").open(file, "rb")


def packing_of(path):
    """Return the name of the module that unpacks a file of this name, None if it is not packed."""
    return PACKINGS.get(os.path.splitext(os.fspath(path))[1].lower())


def without_packing(path):
    """Return the name of a file without the extension of a packing."""
    return os.path.splitext(path)[0] if packing_of(path) else path


def import_packing(name):
    """Return a module that unpacks files; raise ImportError with the pip command where Python has none for Zstandard."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"files that end with .zst need Python 3.14 or: pip install backports.zstd ({error})") from error


def as_scipy(name, matrix):
    """Return a SciPy matrix that shares the values of a matrix of this package; return SciPy's own as they are."""
    if hasattr(matrix, "to_scipy_sparse"):  # PyData's sparse arrays
        return matrix.to_scipy_sparse()
    if not hasattr(matrix, "tocsr"):
        raise TypeError(f"{name} must be a sparse matrix, got {type(matrix).__name__}: use csr_array(...)")
    return matrix.to_scipy() if hasattr(matrix, "to_scipy") else matrix


@contextlib.contextmanager
def name_values(where):
    """Let errors about values say where these were read; pyarrow raises errors of many kinds."""
    try:
        yield
    except Exception as error:
        kind = next((known for known in (TypeError, MemoryError) if isinstance(error, known)), ValueError)
        raise kind(f"{where}: {error}") from error


@contextlib.contextmanager
def name_errors(file, wanted):
    """Turn errors of a reader about the contents into a ValueError that names the file and says what is wrong.

    Index arrays are checked, whatever `config.validate` is: that is about arrays of the caller's own. What a function that was
    given for `progress` raises is passed on.
    """
    name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else getattr(file, "name", "the file object")
    try:
        with config(validate=True):
            yield
    except Exception as error:  # readers raise zlib, zipfile, struct, EOF, Key, Overflow and OS errors of many kinds
        if getattr(error, "of_progress", False) or isinstance(error, (PermissionError, ImportError)):
            raise
        raise _explain(error, name, wanted) from (None if isinstance(error, MISSING) else error)


def explain_fault(error, name):
    """Return the exception that names a file which may be whole, but cannot be read now; return None for other errors."""
    if not isinstance(error, OSError) or error.errno not in FAULTS:
        return None
    words = f"{name} cannot be read now: {error.strerror or error}"
    return MemoryError(words) if error.errno == errno.ENOMEM else OSError(error.errno, words)


FAULTS = errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EIO
"""Errors of the system that tell nothing of the contents of a file."""

MISSING = FileNotFoundError, IsADirectoryError


def _explain(error, name, wanted):
    """Return the exception that names the file."""
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(f"{name}: no such file")
    if isinstance(error, IsADirectoryError):
        return ValueError(f"{name}: this is a directory, not {wanted}")
    if (fault := explain_fault(error, name)) is not None:
        return fault
    if isinstance(error, (MemoryError, TypeError)):
        return (MemoryError if isinstance(error, MemoryError) else TypeError)(f"{name}: {error}")
    return ValueError(f"{name}: this is not {wanted}, or it is damaged: {error}")
