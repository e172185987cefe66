"""Make a matrix of files that hold the rows of a block each, in Matrix Market's or SciPy's format: `from_files`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import fsspec
import numpy as np
import scipy.io
from dask.base import tokenize

from spark_csr import io
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.check import shape_of
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import make_layer
from spark_csr.interop.dask.make import blocks_of_rows, chunks_of
from spark_csr.io._errors import name_errors
from spark_csr.io.npz import read_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr.interop.dask.blocks import csr_blocks

KINDS = (".mtx", ".mtx.gz", ".mtx.bz2", ".npz")
FIELDS = {"integer": np.int64, "unsigned-integer": np.uint64, "complex": np.complex128}


def from_files(files: str | os.PathLike[str] | Sequence[str], columns: Sequence[int] | None = None) -> csr_blocks:
    """Make a matrix in blocks of rows from files: each file holds the rows of one block.

    Parameters, result and exceptions that are not listed are those of `from_csr`. The matrix has the dtype that holds the
    values of all files, of which only the headers have been read.

    Parameters
    ----------
    files : path, or sequence of paths
        Files that all workers can read, of Matrix Market (`.mtx`, also `.mtx.gz` and `.mtx.bz2`) or of
        `scipy.sparse.save_npz` (`.npz`): a folder of such files, or a pattern such as ``rows/*.npz``, whose files are sorted by
        name, or a list in the order of the rows.

    Raises
    ------
    FileNotFoundError
        If there are no such files.
    ValueError
        If a file has another format, or if files have different numbers of columns. When blocks are made: if a file is damaged.
        The message names the file.

    Notes
    -----
    Every product reads the files again. To avoid this, keep the blocks in memory by `csr_blocks.persist`, or save them by
    `save_blocks` in a form that is read faster. Names are compared as text, so "rows-10.npz" comes before "rows-2.npz".

    Examples
    --------
    >>> import os, tempfile
    >>> from spark_csr import save_npz
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop.dask import from_files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_npz(os.path.join(folder, "rows-0.npz"), poisson((8,))[:5])
    ...     save_npz(os.path.join(folder, "rows-1.npz"), poisson((8,))[5:])
    ...     from_files(folder).compute().trace()
    np.float64(16.0)
    """
    paths = _list_files(files)
    about = [_header(path) for path in paths]
    lengths, width = tuple(shape[0] for shape, _ in about), about[0][0][1]
    for path, (shape, _) in zip(paths, about, strict=True):
        if shape[1] != width:
            raise ValueError(f"numbers of columns differ: {width} in {paths[0]}, {shape[1]} in {path}")
    # SciPy calls the numbers of a matrix without entries real
    dtype = np.result_type(*({dtype for _, dtype in about if dtype is not None} or {np.float64}))
    layer = "files-" + tokenize(paths, [os.stat(path).st_mtime_ns for path in paths])
    made = {(layer, i): (_read, path, dtype) for i, path in enumerate(paths)}
    return blocks_of_rows(make_layer(layer, made), lengths, chunks_of(columns, lengths, width), dtype)


def _list_files(files):
    """Return the paths of the files."""
    if not isinstance(files, (str, os.PathLike)):
        paths = [os.path.abspath(file) for file in files]
    elif os.path.isdir(files):
        names = sorted(name for name in os.listdir(files) if name.endswith(KINDS))
        paths = [os.path.abspath(os.path.join(files, name)) for name in names]
    else:
        paths = sorted(fsspec.filesystem("file").glob(os.path.abspath(files)))
    if not paths:
        raise FileNotFoundError(f"{files}: there are no files that end with {', '.join(KINDS)}")
    for path in paths:
        if not path.endswith(KINDS):
            raise ValueError(f"{path} must end with {', '.join(KINDS)}")
    return paths


def _header(path):
    """Return the shape and the dtype of the matrix in a file, of which little is read."""
    if not path.endswith(".npz"):
        with name_errors(path, "a Matrix Market file"):
            *shape, entries, _, field, _ = scipy.io.mminfo(path)
            shape = shape_of(shape)
        return shape, np.dtype(FIELDS.get(field, np.float64)) if entries else None
    with name_errors(path, "a sparse matrix in .npz format"), np.load(path, allow_pickle=False) as arrays:
        shape = read_shape(arrays)
        with arrays.zip.open("data.npy") as file:
            version = np.lib.format.read_magic(file)
            _, _, dtype = getattr(np.lib.format, f"read_array_header_{version[0]}_0")(file)
        if len(shape) != 2:
            raise ValueError(f"it must hold a matrix of two axes, got shape {shape}")
        return shape, csr_array((0, 0), dtype=dtype).dtype


@tasks.with_threads_of_worker
def _read(path, dtype):
    """Return the rows in a file."""
    return csr_array(io.load_npz(path) if path.endswith(".npz") else io.mmread(path), dtype=dtype)
