"""Read and write sparse matrices of MATLAB: files of version 4 to 7, and those of version 7.3, which are HDF5."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import re
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np

from spark_csr._files import open_plain, open_to_write
from spark_csr._matrix.base import issparse
from spark_csr._matrix.csc import csc_array
from spark_csr.io._errors import name_errors
from spark_csr.io._hdf5 import create_file, find, import_h5py, layout_of, open_file, read_whole, write_dataset
from spark_csr.io._mat5 import read_variables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_csr._matrix.types import MatrixLike

NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,62}")
"""Names of variables in MATLAB."""

HEADER = b"MATLAB 7.3 MAT-file, written by spark_csr HDF5 schema 1.00 .".ljust(124) + b"\x00\x02IM".ljust(388, b"\0")
"""The head of a file of version 7.3: a text, the version and the order of bytes, in 512 bytes."""

DEPTH = 5
"""How deep structs are searched for matrices."""


def read_mat(file: str | os.PathLike[str] | IO[bytes], name: str | None = None) -> csc_array:
    """Read a sparse matrix from a MATLAB file of any version.

    Parameters, result and exceptions that are not listed are those of `read_h5ad`; the message names the sparse matrices in the
    file.

    Parameters
    ----------
    name : str, optional
        The name of the variable; fields of a struct follow after dots, as in "Problem.A". It may be left out if the file holds
        one sparse matrix only.

    Returns
    -------
    csc_array
        The matrix. Its values are float64, complex128 or, for a logical matrix, bool.

    Notes
    -----
    To read columns of a matrix of version 7.3 that is larger than memory, use `open_hdf5`. *Cost*: the variable that holds the
    matrix is read, and its indices are checked in one pass. Other variables are skipped.

    Examples
    --------
    >>> import io
    >>> from spark_csr import csr_array
    >>> from spark_csr.io import read_mat, write_mat
    >>> file = io.BytesIO()
    >>> write_mat(file, {"A": csr_array([[0, 1.5], [2, 0]]), "B": csr_array((3, 3))})
    >>> read_mat(file, "A").toarray()
    array([[0. , 1.5],
           [2. , 0. ]])
    """
    with name_errors(file, "a MATLAB file with this sparse matrix"):
        with contextlib.ExitStack() as stack:
            stream: Any = stack.enter_context(open_plain(file, "rb")) if isinstance(file, (str, os.PathLike)) else file
            stream.seek(0)
            version = importlib.import_module("scipy.io.matlab").matfile_version(stream)[0]
            stream.seek(0)
            if version != 2:
                wanted = None if name is None else name.partition(".")[0]
                found = dict((_read_by_scipy if version == 0 else read_variables)(stream, wanted))
                _check_name(name, found)
                return _as_double(found[_only(list(found)) if name is None else name])
        with open_file(file) as opened:
            names = _list_in_hdf5(opened)
            _check_name(name, names)
            return _as_double(read_whole(layout_of(find(opened, (name or _only(names)).replace(".", "/")))))


def _check_name(name, names):
    if name is not None and name not in names:
        raise ValueError(f"it has no sparse matrix {name!r}, but {', '.join(names)[:200] or 'none'}")


def _only(names):
    """Return the one name of a list."""
    if len(names) != 1:
        raise ValueError(f"give the name of one of its {len(names)} sparse matrices: {', '.join(names)[:200]}")
    return names[0]


def _list_in_hdf5(group, depth=DEPTH, seen=None):
    """Return the names of the sparse matrices in a group. Links are not followed, and a group that several names have is
    `seen` once.
    """
    h5py, found, seen = import_h5py(), [], set() if seen is None else seen
    seen.add(group)
    for name in group:
        if name.startswith("#") or not isinstance(group.get(name, getlink=True), h5py.HardLink):
            continue
        part = group[name]
        if "MATLAB_sparse" in part.attrs:
            found.append(name)
        elif isinstance(part, h5py.Group) and depth and part not in seen:
            found += [f"{name}.{field}" for field in _list_in_hdf5(part, depth - 1, seen)]
    return found


def _read_by_scipy(stream, wanted):
    """Return the names and matrices of a file of version 4, in which there are no structs."""
    loadmat = importlib.import_module("scipy.io").loadmat
    options = {"spmatrix": False} if "spmatrix" in inspect.signature(loadmat).parameters else {}
    names = None if wanted is None else [wanted]
    variables = loadmat(stream, variable_names=names, **options).items()
    return [(key, csc_array(x)) for key, x in variables if issparse(x)]


def _as_double(matrix):
    """Return a matrix with the values that MATLAB has: it stores whole numbers in fewer bytes."""
    kinds = {"b": bool, "c": np.complex128}
    return matrix.astype(kinds.get(matrix.dtype.kind, np.float64))


def write_mat(
    file: str | os.PathLike[str] | IO[bytes],
    mdict: Mapping[str, MatrixLike],
    format: Literal["5", "7.3"] = "5",
    do_compression: bool = False,
) -> None:
    """Write sparse matrices to a file that MATLAB reads.

    Parameters, result and exceptions that are not listed are those of `write_h5ad`; `.mat` is appended to a name that does not
    end with it. See the example of `read_mat`.

    Parameters
    ----------
    mdict : dict from str to sparse matrices
        The variables and their names. Matrices on a GPU are copied to the host first.
    format : {"5", "7.3"}, default "5"
        The version of the file. "5" is written by `scipy.io.savemat`, and holds matrices of less than 2 GB; "7.3" is HDF5.
    do_compression : bool, default False
        Whether to compress the arrays.

    Raises
    ------
    ValueError
        If there are no matrices, a name is none of MATLAB's, a matrix is a vector, an integer is beyond 2**53, or `format` is
        unknown.
    TypeError
        If `mdict` is not a dict.

    Notes
    -----
    MATLAB's sparse matrices are logical, double or complex: other values are converted to float64 or complex128. Duplicates are
    summed, and rows ascend in each column, as MATLAB needs it. *Cost*: a conversion to CSC; the arrays are written once.
    """
    if format not in ("5", "7.3"):
        raise ValueError(f"format must be '5' or '7.3', got {format!r}")
    if not hasattr(mdict, "items"):
        raise TypeError(f"mdict must be a dict from names to matrices, got {type(mdict).__name__}: use {{'A': A}}")
    if not mdict:
        raise ValueError("there must be at least one matrix, got an empty dict")
    matrices = {name: _as_matlab(name, matrix) for name, matrix in mdict.items()}
    if format == "5":
        for name, A in matrices.items():
            if max(A.shape) > np.iinfo(np.int32).max:
                raise ValueError(f"{name} has shape {A.shape}, and format '5' holds fewer than 2**31 columns: use format='7.3'")
        save = importlib.import_module("scipy.io").savemat
        scipys = {name: A.to_scipy() for name, A in matrices.items()}
        with open_to_write(file, ".mat") as target:
            save(target, scipys, long_field_names=True, do_compression=do_compression)
        return
    with create_file(file, ".mat", HEADER) as made:
        for name, A in matrices.items():
            _write_group(made.create_group(name), A, "gzip" if do_compression else None)


def _write_group(group, A, compression):
    """Write a matrix as MATLAB does in files of version 7.3."""
    group.attrs["MATLAB_class"] = np.bytes_("logical" if A.dtype == bool else "double")
    group.attrs["MATLAB_sparse"] = np.uint64(A.shape[0])
    data = np.asarray(A.data)
    if A.dtype == bool:
        group.attrs["MATLAB_int_decode"] = np.int32(1)
        data = data.view(np.uint8)
    elif A.dtype.kind == "c":
        data = data.view([("real", np.float64), ("imag", np.float64)])
    arrays = {"jc": A.indptr.astype(np.uint64)}
    if A.nnz:
        arrays |= {"ir": A.indices.astype(np.uint64), "data": data}
    for name, x in arrays.items():
        write_dataset(group, name, x, compression)


def _as_matlab(name, matrix):
    """Return a canonical `csc_array` on the cores with values that MATLAB has."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(f"the name of a variable must be a letter and then at most 62 letters, digits or _, got {name!r}")
    if not issparse(matrix):
        raise TypeError(f"{name} must be a sparse matrix, got {type(matrix).__name__}: use csr_array(...)")
    if len(matrix.shape) != 2:
        raise ValueError(f"{name} must have two dimensions, got shape {matrix.shape}: use x[None, :]")
    A = csc_array(matrix).to_device("cpu")
    A = A if A.has_canonical_format else A.copy()
    A.sum_duplicates()
    if A.dtype.kind in "iu" and A.dtype.itemsize == 8 and A.nnz and np.abs(A.data.astype(np.float64)).max() > 2.0**53:
        raise ValueError(f"{name} has integers beyond 2**53, which MATLAB's doubles do not hold: use A.astype(float) to round")
    return _as_double(A)
