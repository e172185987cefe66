"""`segmented_intersection`: the neighbours that two vertices share.

Design: both rows are walked in step, or where one is much longer, its entries are searched for those of the other. Once to
count, once to write. Source: Green, Yalamanchili & Munguia, *Fast Triangle Counting on the GPU*, IA3 2014.
"""

import numpy as np

from spark_csr._array import as_operand, index_dtype, same_device, to_host_scalar
from spark_csr._holes import keep
from spark_csr._numba import njit
from spark_csr._operations.form import check
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._shared.bisection import first_at_least
from spark_csr._specialise import inlined
from spark_csr.graph.graph import arrays_of
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.foreach import for_each

SKEW = 16
"""How many times longer a row is that is searched instead of walked. Not tuned."""


def segmented_intersection(G, u, v, *, count=False):
    """The vertices that edges of both `u[i]` and `v[i]` lead to, for every pair.

    Parameters
    ----------
    G : Graph
    u, v : (k,) integer arrays
        Vertices.
    count : bool
        Only say how many.

    Returns
    -------
    offsets : (k+1,) array
        The common neighbours of pair `i` are `items[offsets[i]:offsets[i+1]]`; int32 where they fit.
    items : (offsets[-1],) array
        Ascending in every pair, each once, however many edges lead to it.

    With `count` instead one (k,) int64 array.

    Raises
    ------
    ValueError
        For arrays of different lengths, or vertices out of range: the first is named (only if `config.validate`).
    TypeError
        For what are no integers, or mixed devices.
    MemoryError
        If there is no room for the result.

    Notes
    -----
    *Cost*: for each pair at most the edges of both vertices, twice (once with `count`); one host read. Rows that are not
    sorted, or hold several edges between two vertices, are put in order once, and kept. *Order*: exact. *Empty input*: empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.graph import Graph, segmented_intersection
    >>> G = Graph([[0, 1, 1, 1], [1, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0]])
    >>> segmented_intersection(G, np.array([0, 0]), np.array([1, 3]))
    (array([0, 2, 3], dtype=int32), array([2, 3, 1], dtype=int32))
    """
    xp, csr = arrays_of(G)
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


def simplify(csr):
    """Return the pattern with the edges of every vertex sorted by target, each once; a `plan`."""
    return sum_duplicates(csr.with_data(csr.indices))


def _intersect_rows(u, v, indptr, indices, out, place):
    """Keep what both rows hold, from `place` on; returns the position behind it."""
    a, a_stop = np.uint64(indptr[u]), np.uint64(indptr[np.uint64(u) + np.uint64(1)])
    b, b_stop = np.uint64(indptr[v]), np.uint64(indptr[np.uint64(v) + np.uint64(1)])
    if a_stop - a > b_stop - b:
        a, a_stop, b, b_stop = b, b_stop, a, a_stop
    skewed = b_stop - b > np.uint64(SKEW) * (a_stop - a)
    while a < a_stop and b < b_stop:
        wanted = indices[a]
        if skewed:
            b = first_at_least(indices, b, b_stop, np.int64(wanted))
        else:
            while b < b_stop and indices[b] < wanted:
                b += np.uint64(1)
        if b < b_stop and indices[b] == wanted:
            keep(out, place, wanted)
            place += np.uint64(1)
        a += np.uint64(1)
    return place


@njit(forceinline=True)
def _forget(out, place, item):
    """To count, nothing is kept."""


@njit(forceinline=True)
def _store(out, place, item):
    out[place] = item


_counted, _written = (inlined(_intersect_rows, keep=keep) for keep in (_forget, _store))


@njit
def _count_common(i, u, v, indptr, indices, counts):
    here = np.uint64(i)
    counts[here] = _counted(np.uint64(u[here]), np.uint64(v[here]), indptr, indices, counts, np.uint64(0))


@njit
def _write_common(i, u, v, indptr, indices, offsets, items):
    here = np.uint64(i)
    _written(np.uint64(u[here]), np.uint64(v[here]), indptr, indices, items, np.uint64(offsets[here]))
