"""Columns of parquet files, read by tasks: a file each, or some row groups of a large one."""

from __future__ import annotations

import importlib
import os

import fsspec
import numpy as np

from spark_csr.io._errors import name_errors, name_values

WANTED = "a Parquet file"

PIECE = 2**22
"""How many rows of a file a task reads at least, if it has several row groups. Not tuned."""


def arrow(name=""):
    """Return pyarrow or a module of it; raise ImportError with the pip command."""
    try:
        return importlib.import_module(f"pyarrow{name}")
    except ImportError as error:
        raise ImportError("parquet files need pyarrow: install it with: pip install pyarrow") from error


def list_pieces(files, wanted):
    """Return the file system, the path and the row groups that each task reads, and files by the types of each column."""
    parquet = arrow(".parquet")
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
    sources, types = [], [{} for _ in wanted]
    for path in paths:
        with name_errors(path, WANTED), system.open(path, "rb") as file:
            about = parquet.ParquetFile(file)
            stored = {field.name: field.type for field in about.schema_arrow}
            lengths = [about.metadata.row_group(i).num_rows for i in range(about.metadata.num_row_groups)]
        for name, found in zip(wanted, types, strict=True):
            if name not in stored:
                raise ValueError(f"{path} has no column {name!r}: it has {', '.join(map(repr, stored))}")
            found.setdefault(stored[name], path)
        sources.extend((system, path, groups) for groups in _group(lengths))
    return sources, types


def common_dtype(name, types):
    """Return the dtype that holds the numbers of a column that has these types in different files."""
    dtypes, known = [], arrow(".types")
    for kind, path in types.items():
        kind = kind.value_type if known.is_dictionary(kind) else kind
        if not (known.is_integer(kind) or known.is_floating(kind) or known.is_boolean(kind)):
            raise TypeError(
                f"{path}: values must be numbers, got {kind} in column {name!r}: give dtype=, if they can be converted"
            )
        dtypes.append(np.dtype(kind.to_pandas_dtype()))
    return np.result_type(*dtypes)


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


def describe(source):
    _, path, groups = source
    return f"{path}, row groups {groups[0]} to {groups[-1]}" if groups else path


def read_columns(source, wanted):
    """Return columns of a file as arrays of Arrow; raise ValueError if a value is missing."""
    system, path, groups = source
    with name_errors(path, WANTED), system.open(path, "rb") as file:
        table = arrow(".parquet").ParquetFile(file).read_row_groups(groups, list(dict.fromkeys(wanted)), use_threads=False)
        table.validate(full=True)
    found = []
    with name_values(describe(source)):
        for name in wanted:
            x = table.column(name).combine_chunks()
            x = x.dictionary_decode() if hasattr(x, "dictionary_decode") else x
            if x.null_count:
                raise ValueError(f"the value {x.is_null().index(True).as_py()} of column {name!r} is missing")
            found.append(x)
    return found
