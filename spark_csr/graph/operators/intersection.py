"""`segmented_intersection`: the neighbours that two vertices share.

Design: both rows are read in step; if one row is much longer, it is searched for the entries of the other. One pass counts and
a second one writes. Source: Green, Yalamanchili & Munguia, *Fast Triangle Counting on the GPU*, IA3 2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from spark_csr._array import as_operand, index_dtype, same_device, to_host_scalar
from spark_csr._engine import inline, njit
from spark_csr._engine.holes import Hole
from spark_csr._operations.form import check
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._shared.bisection import first_at_least
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.vertices import number_names
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph

store_common = Hole(
    "store_common(out, position, item)",
    "Store an item that two rows have in common at `position` of `out`, or do nothing if items are only counted.",
)

SKEW = 16
"""A row that is more than so many times longer than the other is searched instead of read in step. Not tuned."""


@overload
def segmented_intersection(G: Graph, u: Array, v: Array, *, count: Literal[False] = ...) -> tuple[Array, Array]: ...


@overload
def segmented_intersection(G: Graph, u: Array, v: Array, *, count: Literal[True]) -> Array: ...


@overload
def segmented_intersection(G: Graph, u: Array, v: Array, *, count: bool) -> tuple[Array, Array] | Array: ...


def segmented_intersection(G: Graph, u: Array, v: Array, *, count: bool = False) -> tuple[Array, Array] | Array:
    """Find, for every pair of vertices `u[i]` and `v[i]`, the vertices that both have an edge to.

    Parameters
    ----------
    G : Graph
        The graph.
    u, v : (k,) arrays of ints, or lists of names
        The first and the second vertex of every pair.
    count : bool, default: False
        If True, only count the common neighbours.

    Returns
    -------
    offsets : (k+1,) array of ints
        The common neighbours of pair `i` are `items[offsets[i]:offsets[i+1]]`. int32 where they fit, otherwise int64.
    items : (offsets[-1],) array of ints
        The common neighbours. They ascend in every pair, and each is there once, however many edges lead to it.
    counts : (k,) array of int64
        The number of common neighbours of every pair: the only result if `count` is True.

    Raises
    ------
    ValueError
        If `u` and `v` differ in length, or if a vertex is out of range (the message names the first one; checked only if
        `config.validate`).

    Notes
    -----
    *Cost*: for each pair at most the edges of both vertices, twice (once with `count`); one host read. Rows that are not
    sorted, or that hold several edges between two vertices, are put in order once, and the result is kept. *Order*: exact.
    *Empty input*: empty arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.graph import Graph, segmented_intersection
    >>> G = Graph([[0, 1, 1, 1], [1, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0]])
    >>> segmented_intersection(G, np.array([0, 0]), np.array([1, 3]))
    (array([0, 2, 3], dtype=int32), array([2, 3, 1], dtype=int32))
    """
    xp, csr = arrays_of(G)
    u, v = (number_names(G, x, name) for name, x in (("u", u), ("v", v)))
    same_device(csr.indptr, u, v)
    u, v = (_check_vertices(name, x, csr.shape[0]) for name, x in (("u", u), ("v", v)))
    if u.size != v.size:
        raise ValueError(f"u and v must have equal length, got {u.size} and {v.size}")
    if not csr.plan(has_canonical_columns):
        csr = csr.plan(simplify)
    counts = xp.empty(u.size, np.int64)
    for_each(u.size, _count_common, u, v, csr.indptr, csr.indices, counts)
    if count:
        return counts
    offsets = scan_trusted_counts(counts)
    total = to_host_scalar(offsets[-1])
    items = allocate_array(xp, total, csr.indices.dtype, f"{total} common neighbours")
    for_each(u.size, _write_common, u, v, csr.indptr, csr.indices, offsets, items)
    return offsets.astype(index_dtype(total), copy=False), items


def _check_vertices(name, x, n):
    """Return vertices as an index array; raise TypeError or ValueError for others."""
    x = as_operand(_check.integers(name, x))
    if check.config.validate:
        check.within(name, x, n)
    return x


def simplify(csr: Csr) -> Csr:
    """Return the pattern with the edges of every vertex sorted by target, each once; a `plan`."""
    return sum_duplicates(csr.with_data(csr.indices))


def _intersect_rows(u, v, indptr, indices, out, place):
    """Write the entries that both rows hold to positions from `place` on; return the position behind the last one."""
    a, a_stop = np.uint64(indptr[u]), np.uint64(indptr[u + 1])
    b, b_stop = np.uint64(indptr[v]), np.uint64(indptr[v + 1])
    if a_stop - a > b_stop - b:
        a, a_stop, b, b_stop = b, b_stop, a, a_stop
    skewed = b_stop - b > SKEW * (a_stop - a)
    while a < a_stop and b < b_stop:
        wanted = indices[a]
        if skewed:
            b = first_at_least(indices, b, b_stop, np.int64(wanted))
        else:
            while b < b_stop and indices[b] < wanted:
                b += 1
        if b < b_stop and indices[b] == wanted:
            store_common(out, place, wanted)
            place += 1
        a += 1
    return place


@njit(forceinline=True)
def _forget(out, place, item):
    """Write nothing: entries are only counted."""


@njit(forceinline=True)
def _store(out, place, item):
    out[place] = item


_counted, _written = (inline(_intersect_rows, store_common=store_common) for store_common in (_forget, _store))


@njit
def _count_common(i, u, v, indptr, indices, counts):
    counts[i] = _counted(np.uint64(u[i]), np.uint64(v[i]), indptr, indices, counts, np.uint64(0))


@njit
def _write_common(i, u, v, indptr, indices, offsets, items):
    _written(np.uint64(u[i]), np.uint64(v[i]), indptr, indices, items, np.uint64(offsets[i]))
