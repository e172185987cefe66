"""Names of vertices in parquet files: `vertex_names`, and what turns names to numbers."""

from __future__ import annotations

import atexit
import os
import pathlib
import uuid
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from spark_csr.interop.dask.counts import add_up
from spark_csr.interop.dask.tables import arrow, describe, list_pieces, read_columns
from spark_csr.io._errors import name_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import Array


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
        Every name once, in ascending order: an array of integers, or of str objects.

    Notes
    -----
    The workers read the files. All names together must fit the memory of this process and of each worker. If names are URLs,
    their order keeps the pages of a site together, so products send little: see "Keep the order of the rows" in the guide
    "Scaling out".

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
    sources, _ = list_pieces(files, columns)
    found = add_up(partial(_unique, wanted=list(columns)), [(source,) for source in sources], add=_join_names)
    return found.to_numpy(zero_copy_only=False)


def number(file, columns, arrays):
    """Return the positions of names in the file of all, for several arrays."""
    with arrow().memory_map(file) as mapped:
        table = arrow(".ipc").open_file(mapped).read_all().column(0).combine_chunks()
        return [_find(x, table, column) for x, column in zip(arrays, columns, strict=True)]


def _find(x, table, column):
    compute, names = arrow(".compute"), _as_names(x, column)
    if _is_text(names.type) != _is_text(table.type):
        raise ValueError(f"column {column!r} holds {x.type}, and the names are {table.type}: use names of one kind")
    if names.type != table.type:  # int64 and uint64: what the other cannot hold is not in the table
        largest = arrow().scalar(2**63 - 1, arrow().uint64())
        missing = compute.less(names, 0) if names.type == arrow().int64() else compute.greater(names, largest)
        names = compute.if_else(missing, None, names).cast(table.type, safe=False)
    numbers = compute.index_in(names, value_set=table)
    if numbers.null_count:
        name = x[numbers.is_null().index(True).as_py()].as_py()
        raise ValueError(f"{name!r} in column {column!r} is not among the names: see vertex_names")
    return numbers


def _is_text(kind):
    return kind == arrow().large_string()


def _as_names(x, column):
    """Return names as large strings or as int64; as uint64 if one of them is 2**63 or more."""
    types = arrow(".types")
    if types.is_integer(x.type):
        is_large = types.is_uint64(x.type) and (arrow(".compute").max(x).as_py() or 0) >= 2**63
        return x if is_large else x.cast(arrow().int64())
    if types.is_string(x.type) or types.is_large_string(x.type):
        return x.cast(arrow().large_string())
    raise ValueError(f"names must be text or integers, got {x.type} in column {column!r}")


def _unique(source, wanted):
    columns = read_columns(source, wanted)
    with name_values(describe(source)):
        return _sort([_as_names(x, name).unique() for name, x in zip(wanted, columns, strict=True)])


def _join_names(a, b):
    return _sort([a, b])


def _sort(arrays):
    """Return the names in several arrays, each once, in ascending order."""
    kinds = {x.type for x in arrays}
    if kinds == {arrow().int64(), arrow().uint64()}:
        least = min(arrow(".compute").min(x).as_py() or 0 for x in arrays)
        if least < 0:
            raise ValueError(f"names must fit 64 bits together, got {least} beside names of 2**63 and more: use text")
        arrays = [x.cast(arrow().uint64()) for x in arrays]
    elif len(kinds) > 1:
        raise ValueError(f"names must be of one type, got {' and '.join(sorted(map(str, kinds)))}")
    names = arrow().concat_arrays(arrays).unique()
    return names.take(arrow(".compute").array_sort_indices(names))


def keep_names(names, scratch):
    """Write the names to a file in the scratch folder; return the shape and the file."""
    pyarrow = arrow()
    x = _as_names(pyarrow.array(np.asarray(names)), "names")
    if len(x.unique()) != len(x):
        counts = x.value_counts()
        twice = next(pair["values"].as_py() for pair in counts if pair["counts"].as_py() > 1)
        raise ValueError(f"names must be unique, got {twice!r} several times")
    os.makedirs(scratch, exist_ok=True)
    path = os.path.join(os.path.abspath(scratch), f"names-{uuid.uuid4().hex}.arrow")
    atexit.register(pathlib.Path(path).unlink, missing_ok=True)
    with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_file(file, pyarrow.schema([("name", x.type)])) as writer:
        writer.write_batch(pyarrow.record_batch([x], names=["name"]))
    return (len(x), len(x)), path
