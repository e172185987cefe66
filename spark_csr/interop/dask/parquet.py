"""Assemble a matrix of edges in parquet files, with numbers or names of vertices: `from_parquet`, `vertex_names`."""

from __future__ import annotations

import atexit
import importlib
import os
import pathlib
import uuid
from functools import partial
from typing import TYPE_CHECKING

import fsspec
import numpy as np

from spark_csr.interop.dask.assemble import add_up, assemble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import Array, ArrayLike, DTypeLike
    from spark_csr.interop.dask.blocks import csr_blocks

PIECE = 2**22
"""How many rows of a file a task reads at least, if it has several row groups. Not tuned."""


def from_parquet(
    files: str | os.PathLike[str] | Sequence[str],
    *,
    row: str,
    column: str,
    data: str | None = None,
    shape: tuple[int, int] | None = None,
    names: ArrayLike | None = None,
    blocks: int | Sequence[int],
    scratch: str | os.PathLike[str],
    duplicates: str = "sum",
    by: str = "rows",
    columns: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
) -> csr_blocks:
    """Assemble a matrix in blocks of rows from edges, or other coordinates, in parquet files.

    Parameters
    ----------
    files : path, or sequence of paths
        The files, which all workers can read: a pattern such as ``edges/*.parquet``, whose files are sorted by name, a folder
        of such files, or a list. A path may have a protocol that fsspec knows, such as "s3://".
    row, column : str
        The columns of the files that hold the row and the column of every entry. For a graph whose edges are to lead from rows
        to columns, these are the sources and the targets.
    data : str, optional
        The column of the values. By default all are 1.
    shape : tuple of two ints, optional
        The shape of the matrix, if rows and columns are numbers from 0 on.
    names : array_like of str or int, optional
        The names of the vertices, if they have some: row and column `i` belong to ``names[i]``, and the shape follows.
        `vertex_names` finds the names in the files.
    blocks : int or sequence of ints
        As for `from_coo`.
    scratch : path
        As for `from_coo`.
    duplicates : {"sum", "min", "max", "first"}, default "sum"
        As for `from_coo`; "first" means the order of the files, and of the lines in each.
    by : {"rows", "nnz"}, default "rows"
        As for `from_coo`.
    columns : sequence of ints, optional
        As for `from_coo`.
    dtype : dtype, optional
        As for `from_coo`.

    Returns
    -------
    csr_blocks
        The matrix. Nothing but the footers of the files has been read, unless `by` is "nnz".

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file has no such column, if not just one of `shape` and `names` is given, or if a name is there twice. When blocks
        are made: if a value is missing, an index is out of range, or a name is not among `names`. The message names the file.
    ImportError
        If pyarrow is not installed.

    Notes
    -----
    A task reads one file, or some row groups of a large one. See `from_coo` for what happens then, and what it costs.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from spark_csr.interop.dask import from_parquet, vertex_names
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     edges = pd.DataFrame({"from": ["b.org", "a.org", "b.org"], "to": ["a.org", "c.org", "a.org"]})
    ...     edges.to_parquet(os.path.join(folder, "edges.parquet"))
    ...     names = vertex_names(folder, ["from", "to"])
    ...     A = from_parquet(folder, row="from", column="to", names=names, blocks=2, scratch=folder)
    ...     print(names.tolist(), A.compute().toarray().tolist())
    ['a.org', 'b.org', 'c.org'] [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    wanted = [row, column, *([] if data is None else [data])]
    sources, types = _list_pieces(files, wanted)
    if (shape is None) == (names is None):
        raise ValueError("give shape=, if vertices are numbers, or names=, if they have names: see vertex_names")
    table = None
    if names is not None:
        shape, table = _keep_names(names, scratch)
    if dtype is None:
        dtype = np.float64 if data is None else types[2].to_pandas_dtype()
    return assemble(
        [_describe(source) for source in sources],
        partial(_read_edges, wanted=wanted, names=table),
        [(source,) for source in sources],
        (),
        pattern=data is None,
        dtype=np.dtype(dtype),
        shape=shape,
        blocks=blocks,
        scratch=scratch,
        duplicates=duplicates,
        by=by,
        columns=columns,
    )


def vertex_names(files: str | os.PathLike[str] | Sequence[str], columns: Sequence[str]) -> Array:
    """Find the names of all vertices in parquet files of edges.

    Parameters
    ----------
    files : path, or sequence of paths
        As for `from_parquet`.
    columns : sequence of str
        The columns of the files that hold names.

    Returns
    -------
    1-D NumPy array
        Every name once, in ascending order: of integers, or of str objects.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file has no such column, or if a name is missing.
    ImportError
        If pyarrow is not installed.

    Notes
    -----
    The workers read the files; all names together must fit the memory of this process and of each worker. The order of URLs
    keeps the pages of a site together, so that products send little: see the guide.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from spark_csr.interop.dask import vertex_names
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "edges.parquet")
    ...     pd.DataFrame({"from": [40, 7], "to": [7, 1]}).to_parquet(path)
    ...     vertex_names(path, ["from", "to"])
    array([ 1,  7, 40])
    """
    sources, _ = _list_pieces(files, columns)
    found = add_up(partial(_unique, wanted=list(columns)), [(source,) for source in sources], add=_join_names)
    return found.to_numpy(zero_copy_only=False)


def _arrow(name=""):
    """Return pyarrow or a module of it; raise ImportError with the pip command."""
    try:
        return importlib.import_module(f"pyarrow{name}")
    except ImportError as error:
        raise ImportError("parquet files need pyarrow: install it with: pip install pyarrow") from error


def _list_pieces(files, wanted):
    """Return the file system, the path and the row groups that each task reads, and the types of the columns."""
    parquet = _arrow(".parquet")
    files = os.fspath(files) if isinstance(files, (str, os.PathLike)) else [os.fspath(file) for file in files]
    if not files:
        raise FileNotFoundError("there are no such files: the list is empty")
    system, _, paths = fsspec.get_fs_token_paths(files)
    if isinstance(files, str):
        if len(paths) == 1 and system.isdir(paths[0]):
            paths = system.glob(f"{paths[0].rstrip('/')}/*.parquet")
        paths = sorted(paths)
    if not paths:
        raise FileNotFoundError(f"{files}: there are no such files")
    sources, types = [], None
    for path in paths:
        with system.open(path, "rb") as file:
            about = parquet.ParquetFile(file)
            stored = {field.name: field.type for field in about.schema_arrow}
            lengths = [about.metadata.row_group(i).num_rows for i in range(about.metadata.num_row_groups)]
        for name in wanted:
            if name not in stored:
                raise ValueError(f"{path} has no column {name!r}: it has {', '.join(map(repr, stored))}")
        types = types or [stored[name] for name in wanted]
        sources.extend((system, path, groups) for groups in _group(lengths))
    return sources, types


def _group(lengths):
    """Return neighbouring row groups, as many as have the rows of a piece together."""
    groups, rows = [[]], 0
    for i, length in enumerate(lengths):
        if rows + length > PIECE and groups[-1]:
            groups.append([])
            rows = 0
        groups[-1].append(i)
        rows += length
    return groups


def _describe(source):
    _, path, groups = source
    return f"{path}, row groups {groups[0]} to {groups[-1]}" if groups else path


def _read_columns(source, wanted):
    """Return columns of a file as arrays of Arrow; raise ValueError if a value is missing."""
    system, path, groups = source
    with system.open(path, "rb") as file:
        table = _arrow(".parquet").ParquetFile(file).read_row_groups(groups, list(dict.fromkeys(wanted)), use_threads=False)
    found = []
    for name in wanted:
        x = table.column(name).combine_chunks()
        x = x.dictionary_decode() if hasattr(x, "dictionary_decode") else x
        if x.null_count:
            at = x.is_null().index(True).as_py()
            raise ValueError(f"{_describe(source)}: the value {at} of column {name!r} is missing")
        found.append(x)
    return found


def _read_edges(source, wanted, names):
    """Return rows, columns and, if there are some, values."""
    found = _read_columns(source, wanted)
    if names is not None:
        with _arrow().memory_map(names) as file:
            table = _arrow(".ipc").open_file(file).read_all().column(0).combine_chunks()
            found[:2] = [_numbers(source, name, x, table) for name, x in zip(wanted, found[:2], strict=False)]
    return [x.to_numpy(zero_copy_only=False) for x in found]


def _numbers(source, column, x, table):
    """Return the positions of names in the table of all."""
    compute = _arrow(".compute")
    numbers = compute.index_in(_as_names(x, column).cast(table.type), value_set=table)
    if numbers.null_count:
        name = x[numbers.is_null().index(True).as_py()].as_py()
        raise ValueError(f"{_describe(source)}: {name!r} in column {column!r} is not among the names: see vertex_names")
    return numbers


def _as_names(x, column):
    """Return names as large strings or as int64."""
    types = _arrow(".types")
    if types.is_integer(x.type):
        return x.cast(_arrow().int64())
    if types.is_string(x.type) or types.is_large_string(x.type):
        return x.cast(_arrow().large_string())
    raise ValueError(f"names must be text or integers, got {x.type} in column {column!r}")


def _unique(source, wanted):
    names = [_as_names(x, name).unique() for name, x in zip(wanted, _read_columns(source, wanted), strict=True)]
    return _sort(names)


def _join_names(a, b):
    return _sort([a, b])


def _sort(arrays):
    """Return the names in several arrays, each once, in ascending order."""
    if len({x.type for x in arrays}) > 1:
        raise ValueError(f"names must be of one type, got {' and '.join(sorted({str(x.type) for x in arrays}))}")
    names = _arrow().concat_arrays(arrays).unique()
    return names.take(_arrow(".compute").array_sort_indices(names))


def _keep_names(names, scratch):
    """Write the names to a file in the scratch folder; return the shape and the file."""
    arrow = _arrow()
    x = _as_names(arrow.array(np.asarray(names)), "names")
    if len(x.unique()) != len(x):
        counts = x.value_counts()
        twice = next(pair["values"].as_py() for pair in counts if pair["counts"].as_py() > 1)
        raise ValueError(f"names must be there once each, got {twice!r} several times")
    os.makedirs(scratch, exist_ok=True)
    path = os.path.join(os.path.abspath(scratch), f"names-{uuid.uuid4().hex}.arrow")
    atexit.register(pathlib.Path(path).unlink, missing_ok=True)
    with arrow.OSFile(path, "wb") as file, arrow.ipc.new_file(file, arrow.schema([("name", x.type)])) as writer:
        writer.write_batch(arrow.record_batch([x], names=["name"]))
    return (len(x), len(x)), path
