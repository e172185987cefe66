"""Read and write matrices in HDF5 files of binsparse."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Literal

import numpy as np

from spark_csr._array import to_device
from spark_csr._matrix.base import as_ours, issparse
from spark_csr.io._errors import name_errors
from spark_csr.io._hdf5 import create_file, find, layout_of, open_file, read_whole, write_dataset

if TYPE_CHECKING:
    import os

    from spark_csr._matrix.types import Matrix, MatrixLike


def read_binsparse(file: str | os.PathLike[str] | IO[bytes], key: str = "/") -> Matrix:
    """Read a matrix from an HDF5 file of binsparse 0.1.

    Parameters, result and exceptions that are not listed are those of `read_h5ad`. ValueError is raised also for another
    version or format, a fill value, or a structure such as "symmetric_lower".

    Parameters
    ----------
    key : str, default "/"
        The path of the group that holds the matrix. By default it is the file itself.

    Returns
    -------
    csr_array, csc_array or coo_array
        The matrix, for the formats CSR, CSC, and COO, COOR or COOC. For CVEC, a `csr_array` of one dimension.

    Notes
    -----
    Source: https://graphblas.org/binsparse-specification. In memory, `csr_array(x)` takes an object `x` with the methods
    `__binsparse__` and `__binsparse_descriptor__`, and matrices of this package have these. To read rows of a matrix that is
    larger than memory, use `open_hdf5`. *Cost*: the arrays are read, and the indices are checked in one pass.

    Examples
    --------
    >>> import io
    >>> from spark_csr import csr_array
    >>> from spark_csr.io import read_binsparse, write_binsparse
    >>> file = io.BytesIO()
    >>> write_binsparse(file, csr_array([[0, 1.5], [2, 0]]).tocsc())
    >>> read_binsparse(file)
    <csc_array of dtype 'float64' on cpu, shape (2, 2), with 2 stored elements>
    """
    with name_errors(file, "an HDF5 file of binsparse"), open_file(file) as opened:
        group = find(opened, key)
        if "binsparse" not in group.attrs:
            raise ValueError(f"{group.name} has no attribute binsparse")
        return read_whole(layout_of(group))


def write_binsparse(
    file: str | os.PathLike[str] | IO[bytes], matrix: MatrixLike, *, compression: Literal["gzip", "lzf"] | None = None
) -> None:
    """Write a matrix to an HDF5 file of binsparse 0.1.

    Parameters, result and exceptions that are not listed are those of `write_h5ad`. See the example of `read_binsparse`.

    Parameters
    ----------
    matrix : sparse matrix or vector
        The matrix. A `csr_array` is written as CSR, or CVEC if it has one dimension, a `csc_array` as CSC and a `coo_array` as
        COOR. A matrix on a GPU is copied to the host first.

    Raises
    ------
    TypeError
        If `matrix` is not sparse, or its dtype is float16, which binsparse does not have.

    Notes
    -----
    The format has neither duplicates nor entries out of order: duplicates are summed first. `matrix` is not changed. *Cost*:
    the arrays are written once; entries that are out of order are sorted.
    """
    if not issparse(matrix):
        raise TypeError(f"matrix must be a sparse matrix, got {type(matrix).__name__}: use csr_array(...)")
    found = as_ours(matrix)
    descriptor, arrays = found.__binsparse_descriptor__(), found.__binsparse__()
    with create_file(file) as made:
        made.attrs["binsparse"] = json.dumps(descriptor)
        for name, x in arrays.items():
            x = np.ascontiguousarray(to_device(x, "cpu"))
            write_dataset(made, name, x, compression)
