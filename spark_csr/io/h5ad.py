"""Read and write sparse matrices of AnnData's `.h5ad` files, with the names of cells and genes."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from spark_csr._array import index_dtype, to_device
from spark_csr._matrix.base import as_ours, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr.io._errors import name_errors
from spark_csr.io._hdf5 import (
    create_file,
    find,
    find_vector,
    layout_of,
    open_file,
    read_attribute,
    read_strings,
    read_vector,
    read_whole,
    reserve,
    write_dataset,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from spark_csr._matrix.types import Matrix, MatrixLike
    from spark_csr._types import Array, ArrayLike

CHUNK = 1 << 16
"""Elements of a chunk of datasets that grow. Not tuned."""


class H5ad(NamedTuple):
    """What `read_h5ad` returns: a matrix and the names of observations and variables, each None if the file has none."""

    X: Matrix
    obs_names: Array | None
    var_names: Array | None


def read_h5ad(file: str | os.PathLike[str] | IO[bytes], key: str = "X") -> H5ad:
    """Read a sparse matrix from an AnnData file, and the names of its observations and variables.

    Parameters
    ----------
    file : str, path or file object
        The file, which AnnData 0.7 or later or `write_h5ad` wrote.
    key : str, default "X"
        Which matrix to read: "X", "layers/NAME", "obsp/NAME", "varp/NAME" or "raw/X".

    Returns
    -------
    X : csr_array or csc_array
        The matrix, in the format of the file.
    obs_names, var_names : NumPy arrays of str (objects), or None
        The names of the observations (cells) and the variables (genes) of the file; those of `raw` for "raw/X". None if the
        file has none, or names of other types than strings.

    Raises
    ------
    ValueError
        If this is no AnnData file, if it has no such matrix or the matrix is dense, or if an index, an offset or a length does
        not fit. The message names the file.
    TypeError
        If the dtype of the matrix is not supported.

    Notes
    -----
    To read rows of a matrix that is larger than memory, use `open_hdf5`. *Cost*: the arrays are read, and the indices are
    checked in one pass. Other parts of the file are not read.

    Examples
    --------
    >>> import io
    >>> from spark_csr import csr_array
    >>> from spark_csr.io import read_h5ad, write_h5ad
    >>> file = io.BytesIO()
    >>> A = csr_array([[0, 1.5], [2, 0]])
    >>> write_h5ad(file, A, obs_names=["cell 1", "cell 2"], layers={"doubled": 2 * A})
    >>> X, cells, genes = read_h5ad(file, "layers/doubled")
    >>> X.toarray(), cells.tolist(), genes.tolist()
    (array([[0., 3.],
           [4., 0.]]), ['cell 1', 'cell 2'], ['0', '1'])
    """
    with name_errors(file, "an AnnData file (.h5ad) with this matrix"), open_file(file) as opened:
        layout = layout_of(find(opened, key))
        if layout.format == "coo":
            raise ValueError(f"{key} holds coordinates, which AnnData does not write")
        place, (rows, columns) = key.strip("/").partition("/")[0], layout.shape
        if place in ("obsp", "varp") and rows != columns:
            raise ValueError(f"{key} must be square, got shape {layout.shape}")
        obs = _read_names(opened, "obs", None if place == "varp" else rows)
        var = _read_names(opened, "raw/var" if place == "raw" else "var", None if place == "obsp" else columns)
        return H5ad(read_whole(layout), obs, var)


def _read_names(file, path, count):
    """Return the index of a table, which has so many names; None if there is none, or if it holds no strings."""
    if path.partition("/")[0] not in file:
        return None
    table = find(file, path)
    if "_index" not in table.attrs:
        return None
    name = read_attribute(table, "_index")
    found = find(table, name)
    if hasattr(found, "is_virtual"):
        return read_strings(table, name, count, f"names of {path}") if found.dtype.kind in "OS" else None
    if "values" not in found:
        return None
    if "mask" in found and read_vector(find_vector(found, "mask", "b")).any():
        raise ValueError(f"names of {path} are missing")
    return read_strings(found, "values", count, f"names of {path}")


def write_h5ad(
    file: str | os.PathLike[str] | IO[bytes],
    X: MatrixLike | Iterable[MatrixLike],
    *,
    obs_names: ArrayLike | None = None,
    var_names: ArrayLike | None = None,
    layers: Mapping[str, MatrixLike] | None = None,
    obsp: Mapping[str, MatrixLike] | None = None,
    varp: Mapping[str, MatrixLike] | None = None,
    compression: Literal["gzip", "lzf"] | None = None,
) -> None:
    """Write a sparse matrix to a file that AnnData reads.

    See the example of `read_h5ad`.

    Parameters
    ----------
    file : str, path or file object
        The file to write. `.h5ad` is appended to a name that does not end with it. A file that is there is replaced when the
        new one is whole.
    X : (m, n) sparse matrix, or iterable of these
        The matrix. A `csc_array` is written by columns, and any other by rows. A matrix on a GPU is copied to the host first.
        Or an iterable of blocks of its rows, which need not fit into memory together: what `open_blocks` or `open_hdf5`
        returns, or a generator.
    obs_names, var_names : array_like of str, optional
        The names of the m observations (rows) and the n variables (columns). By default they are "0", "1" and so on, as in
        AnnData.
    layers : dict from str to (m, n) sparse matrices, optional
        Further matrices of the shape of `X`.
    obsp, varp : dict from str to sparse matrices, optional
        Matrices of shape (m, m), such as graphs of neighbours, and of shape (n, n).
    compression : {"gzip", "lzf"}, optional
        How arrays are compressed. By default they are not.

    Raises
    ------
    ValueError
        If a matrix is a vector, if a matrix or the names do not fit the shape of `X`, or if blocks have different numbers of
        columns or dtypes.
    TypeError
        If a matrix is not sparse, or names are not strings.

    Notes
    -----
    Format: the layout of AnnData 0.8 and later (encoding-version 0.1.0 of files and matrices). *Cost*: the arrays are written
    once.
    """
    with create_file(file, ".h5ad") as made:
        _mark(made, "anndata", "0.1.0")
        for name in ("layers", "obsm", "obsp", "uns", "varm", "varp"):
            _mark(made.create_group(name), "dict", "0.1.0")
        group = made.create_group("X")
        m, n = _write_matrix(group, X, compression) if issparse(X) else _write_blocks(group, X, compression)
        _write_names(made.create_group("obs"), _as_names("obs_names", obs_names, m))
        _write_names(made.create_group("var"), _as_names("var_names", var_names, n))
        for table, given, wanted in (("layers", layers, (m, n)), ("obsp", obsp, (m, m)), ("varp", varp, (n, n))):
            for name, matrix in (given or {}).items():
                if not isinstance(name, str) or name in ("", ".") or not {"/", "\0"}.isdisjoint(name):
                    raise ValueError(
                        f"names in {table} must be strings without slashes and NUL, not empty or '.', got {name!r}"
                    )
                if not issparse(matrix):
                    raise TypeError(f"{table}[{name!r}] must be a sparse matrix, got {type(matrix).__name__}")
                if tuple(matrix.shape) != wanted:
                    raise ValueError(f"{table}[{name!r}] must have shape {wanted}, got {tuple(matrix.shape)}")
                _write_matrix(made[table].create_group(name), matrix, compression)


def _as_names(name, names, count):
    """Return a list of so many strings."""
    if names is None:
        return [str(i) for i in range(count)]
    if isinstance(names, str):
        raise TypeError(f"{name} must be a list of strings, got {names!r}")
    found = [str(x) if isinstance(x, np.str_) else x for x in names]
    wrong = [x for x in found if not isinstance(x, str)][:1]
    if wrong:
        raise TypeError(f"{name} must be strings, got {wrong[0]!r}: use [str(x) for x in names]")
    if len(found) != count:
        raise ValueError(f"{name} must be {count} names, got {len(found)}")
    return found


def _mark(group, kind, version):
    group.attrs["encoding-type"], group.attrs["encoding-version"] = kind, version


def _write_names(group, strings):
    """Write a table that has an index and no columns."""
    _mark(group, "dataframe", "0.2.0")
    group.attrs["_index"], group.attrs["column-order"] = "_index", np.zeros(0)
    reserve(group, sum(4 * len(x) + 48 for x in strings))  # in UTF-8, and the place of each string
    made = group.create_dataset("_index", data=np.array(strings, dtype=object), dtype=_string_type())
    _mark(made, "string-array", "0.2.0")


def _string_type():
    from h5py import string_dtype

    return string_dtype()


def _write_matrix(group, matrix, compression):
    """Write a matrix by columns if it is stored so, else by rows; return its shape."""
    found = as_ours(matrix)
    found = found.tocsr() if found.format == "coo" else found
    if found.ndim != 2:
        raise ValueError(f"X must have two dimensions, got shape {found.shape}: use X[None, :]")
    _describe(group, f"{found.format}_matrix", found.shape)
    for name in ("data", "indices", "indptr"):
        x = np.ascontiguousarray(to_device(getattr(found, name), "cpu"))
        write_dataset(group, name, x, compression)
    return found.shape


def _write_blocks(group, blocks, compression):
    """Write the rows of an iterable of matrices, one after the other; return the shape of all of them."""
    try:
        blocks = iter(blocks)
    except TypeError:
        raise TypeError(f"X must be a sparse matrix or an iterable of these, got {type(blocks).__name__}") from None
    known, entries, offsets = None, 0, [np.zeros(1, np.int64)]
    for number, block in enumerate(blocks):
        if not issparse(block):
            raise TypeError(f"block {number} of X must be a sparse matrix, got {type(block).__name__}: use csr_array(...)")
        rows = csr_array(block).to_device("cpu")
        if known is None:
            known = rows.shape[1], rows.dtype
            for name, dtype in (("data", rows.dtype), ("indices", index_dtype(known[0]))):
                group.create_dataset(name, (0,), dtype, maxshape=(None,), chunks=(CHUNK,), compression=compression)
        if (rows.shape[1:], rows.dtype) != ((known[0],), known[1]):
            raise ValueError(f"blocks of X must have equal columns and dtypes, got {known} and {(*rows.shape[1:], rows.dtype)}")
        offsets.append(entries + rows.indptr[1:].astype(np.int64))
        for name in ("data", "indices"):
            values = getattr(rows, name)[: rows.nnz]
            reserve(group, values.nbytes + CHUNK * values.itemsize)
            group[name].resize((entries + rows.nnz,))
            group[name][entries:] = values
        entries += rows.nnz
    if known is None:
        raise ValueError("X has no blocks: give one of no rows, csr_array((0, n))")
    write_dataset(group, "indptr", np.concatenate(offsets))
    shape = group["indptr"].size - 1, known[0]
    _describe(group, "csr_matrix", shape)
    return shape


def _describe(group, kind, shape):
    _mark(group, kind, "0.1.0")
    group.attrs["shape"] = np.array(shape, np.int64)
