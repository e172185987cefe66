"""Read lists of edges between numbered vertices: text with two integers on every line and, on every line or on none, a weight.

Design: NumPy parses many lines at once, if they hold nothing but numbers, comments, and attributes as networkx writes them.
Other text is read line by line, which takes several times as long, and says which line is wrong.
"""

from __future__ import annotations

import codecs
import io
import itertools
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._operations.form import check, convert
from spark_csr.graph import tables
from spark_csr.io._errors import name_errors
from spark_csr.io._integers import PIECE, read_lines
from spark_csr.io._watched import open_watched

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array, Progress


def read_list(path: Any, n_vertices: int | None, one_based: bool, progress: Progress) -> Csr:
    """Return the record of the edges in a file, in the order of their sources and targets."""
    with name_errors(path, "a list of edges"):
        with open_watched(path, progress, "Graph.read") as file:
            text = b"".join(iter(lambda: file.read(PIECE), b"")).removeprefix(codecs.BOM_UTF8)
        table = _read_at_once(text)
        table = _read_by_lines(text) if table is None else table
        if table.shape[1] not in (2, 3):
            raise ValueError(
                f"every line must hold a source, a target and, on every line or on none, a weight, got "
                f"{table.shape[1]} numbers: columns= chooses columns of a table"
            )
        with np.errstate(invalid="ignore"):
            ends = table[:, :2].astype(np.int64)
        if (ends != table[:, :2]).any():
            first = table[:, :2][ends != table[:, :2]][0]
            raise ValueError(f"vertices must be integers, got {first}: number them from 0 on")
        if one_based and (ends == 0).any():
            at = int((ends == 0).any(axis=1).argmax())
            raise ValueError(f"edge {at} is {ends[at, 0]} -> {ends[at, 1]}, and one_based=True has no vertex 0: leave it out")
        sources, targets = np.ascontiguousarray((ends - bool(one_based)).T)
        extents = [check.infer_extent(*column) for column in (("source", sources), ("target", targets))]
        n = max(extents) if n_vertices is None else n_vertices
        data = table[:, 2].astype(np.float64) if table.shape[1] == 3 else np.ones(len(table))
        try:
            return convert.from_coo_unsummed(sources, targets, data, (n, n))
        except MemoryError as error:
            raise MemoryError(f"{error}: header=False reads vertices as names, which may be any numbers") from error


def _read_at_once(text: bytes) -> Array | None:
    """Return the rows of a text of numbers; None if it has anything else, or rows of differing lengths."""
    if b"{" in text:
        text = tables.replace_attributes(text)
    if b"{" in text:
        return None
    if b"#" in text or b"%" in text:
        text = re.sub(rb"[#%][^\n]*", b"", text)
    text = text.replace(b",", b" ")
    for dtype in (np.float64,) if b"." in text else (np.int64, np.float64):
        try:
            values, counts, _ = read_lines(io.BytesIO(text), 0, b"", dtype=dtype)
        except ValueError:
            continue
        counts = counts[counts > 0]
        if counts.size and (counts == counts[0]).all():
            return values.reshape(-1, counts[0])
    return None


def _read_by_lines(text: bytes) -> Array:
    """Return the lines that are not comments, as rows of numbers."""
    lines = (re.split("[#%]", tables.read_attributes(line.decode()))[0].replace(",", " ") for line in io.BytesIO(text))
    lines = (line for line in lines if line.strip())
    first = next(lines, None)
    if first is None:
        return np.empty((0, 2))
    try:
        return np.loadtxt(itertools.chain([first], lines), ndmin=2)
    except ValueError as error:
        hint = ": if this is a table with names, give columns=, or header=True or False"
        raise ValueError(str(error).rstrip(".") + hint * ("convert" in str(error))) from error
