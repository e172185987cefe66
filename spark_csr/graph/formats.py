"""Read graphs from the files of other programs: METIS, and the 9th DIMACS challenge.

Both count vertices from 1, and say at the beginning how many vertices and edges there are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._operations.form import check
from spark_csr._operations.form.convert import from_coo_unsummed
from spark_csr._operations.form.record import Csr
from spark_csr.graph.edges import check_mirrored
from spark_csr.io._errors import name_errors
from spark_csr.io._integers import as_count, read_head, read_lines
from spark_csr.io._watched import open_watched

if TYPE_CHECKING:
    from spark_csr._types import Progress


def read_dimacs(path: Any, progress: Progress) -> Csr:
    """Return the record of the arcs in a `.gr` file: `p sp <vertices> <arcs>`, and then `a <source> <target> <length>`."""
    with name_errors(path, "a .gr file of the 9th DIMACS challenge"), open_watched(path, progress, "Graph.read") as file:
        words, number = read_head(file, b"c")
        if words[:2] != [b"p", b"sp"] or len(words) != 4:
            line = b" ".join(words)[:40].decode("utf-8", "replace")
            raise ValueError(f"line {number} is {line!r} and should be 'p sp <vertices> <arcs>'")
        n, m = (as_count(word, what, number) for word, what in zip(words[2:], ("vertices", "arcs"), strict=True))
        lines = read_lines(file, number, b"c", b"a")
        wrong = np.flatnonzero((lines.counts != 3) & (lines.counts != 0))
        if wrong.size:
            k = wrong[0]
            raise ValueError(f"line {lines.numbers[k]} has {lines.counts[k]} numbers and should have 3: 'a 1 2 5'")
        source, target, length = lines.values.reshape(-1, 3).T
        if source.size != m:
            raise ValueError(f"line {number} says that there are {m} arcs, and there are {source.size}")
        _check_vertices(lines, lines.values.reshape(-1, 3)[:, :2], n, 3)
        return from_coo_unsummed(source - 1, target - 1, np.ascontiguousarray(length), (n, n))


def read_metis(path: Any, directed: bool, progress: Progress) -> Csr:
    """Return the record of the edges in a file of METIS, which has a line for every vertex; weights of vertices are left out.

    Unless `directed`, every edge must be there in both directions.
    """
    with name_errors(path, "a file of METIS"), open_watched(path, progress, "Graph.read") as file:
        words, number = read_head(file, b"%")
        if not 2 <= len(words) <= 4:
            raise ValueError(f"line {number} has {len(words)} numbers and should have 2 to 4: vertices, edges, and the format")
        n, m = (as_count(word, what, number) for word, what in zip(words, ("vertices", "edges"), strict=False))
        skipped, has_weights = _read_format(words, number)
        lines = _take_vertices(read_lines(file, number, b"%"), n, number)
        short = np.flatnonzero(lines.counts < skipped)
        if short.size:
            at, few = lines.numbers[short[0]], lines.counts[short[0]]
            raise ValueError(f"line {at} has {few} numbers, and {skipped} must be before the neighbours of a vertex")
        odd = np.flatnonzero((lines.counts - skipped) % 2) if has_weights else short
        if odd.size:
            raise ValueError(f"line {lines.numbers[odd[0]]} has a neighbour without a weight")
        places = np.arange(lines.values.size) - np.repeat(lines.starts(), lines.counts) - skipped
        is_vertex = (places >= 0) & (places % 2 == 0) if has_weights else places >= 0
        at = np.flatnonzero(is_vertex)
        _check_vertices(lines, lines.values[at], n, 1, at)
        if at.size != 2 * m:
            raise ValueError(f"line {number} says that there are {m} edges, and their ends are {at.size}, not {2 * m}")
        dtype = index_dtype(max(n, at.size))
        indptr = np.concatenate([[0], np.cumsum((lines.counts - skipped) // (1 + has_weights))]).astype(dtype)
        data = lines.values[at + 1] if has_weights else np.ones(at.size)
        csr = Csr(indptr, (lines.values[at] - 1).astype(dtype), data, (n, n))
        if not directed:
            _check_mirrored(csr)
        return csr


def _check_mirrored(csr):
    try:
        check_mirrored(csr)
    except ValueError as error:
        what = str(error).partition(": use")[0]
        raise ValueError(f"{what} (vertices from 0 on); directed=True reads the edges as they are") from None


def _read_format(words, number):
    """Return how many numbers stand before the neighbours of a vertex, and whether edges have weights."""
    flags = words[2].zfill(3) if len(words) > 2 else b"000"
    if not re.fullmatch(b"[01]{3}", flags):
        shown = words[2][:40].decode("utf-8", "replace")
        raise ValueError(f"line {number} has the format {shown!r}, which should be three digits that are 0 or 1")
    has_size, has_vertex_weights, has_weights = (flag == ord("1") for flag in flags)
    constraints = as_count(words[3], "weights of a vertex", number) if len(words) > 3 else 1
    return has_size + constraints * has_vertex_weights, has_weights


def _take_vertices(lines, n, number):
    """Return the lines of the vertices; raise ValueError if there are fewer, or if more than blank lines follow them."""
    found = lines.counts.size
    if found < n:
        raise ValueError(f"line {number} says that there are {n} vertices, and there are {found} lines for them")
    if lines.counts[n:].any():
        at = lines.numbers[n + int(lines.counts[n:].argmax())]
        raise ValueError(f"line {number} says that there are {n} vertices, and line {at} is one more")
    return lines._replace(counts=lines.counts[:n], numbers=lines.numbers[:n])


def _check_vertices(lines, vertices, n, each, at=None):
    """Raise ValueError with the line of the first vertex that is not from 1 to `n`; `at`: where in the lines they are."""
    vertices = vertices - 1
    if check.is_outside(vertices.reshape(-1), n):
        first = int(np.flatnonzero((vertices.reshape(-1) < 0) | (vertices.reshape(-1) >= n))[0])
        place = int(at[first]) if at is not None else first // vertices.shape[1] * each
        raise ValueError(f"{lines.where(place)} has the vertex {vertices.flat[first] + 1}, and vertices are from 1 to {n}")
