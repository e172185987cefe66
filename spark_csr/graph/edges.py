"""Functions of edges as pairs of vertices: reverse them, compare them with their reverses, store them in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, namespace_of, to_host_scalar
from spark_csr._config import config
from spark_csr._operations.form.canonical import sort_indices
from spark_csr._operations.form.convert import from_coo_unsummed, row_starts
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import Csr, rows_of_entries
from spark_csr._operations.form.transpose import transpose
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.repeat import repeat_by_offsets
from spark_csr.primitives.segmented import segmented_reduce
from spark_csr.primitives.segmented_sort import segmented_sort
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._ops import MonoidLike
    from spark_csr._types import Array


def number_edges(csr):
    """Return the pattern, with the id of every edge as its value."""
    n = csr.indices.size
    return csr.with_data(csr.xp.arange(n, dtype=index_dtype(n)))


def reverse_edges(csr: Csr) -> Csr:
    """Return the pattern of the transpose, with the id of the edge that each reverses as its value; a `plan`."""
    return transpose(number_edges(csr))


def check_mirrored(csr: Csr) -> None:
    """Raise ValueError with the first edge that has no reverse, or whose reverse has another weight."""
    if not config.validate or not csr.indices.size:
        return
    there, back = sort_indices(number_edges(csr)), csr.plan(reverse_edges)
    sources, targets = rows_of_entries(there), rows_of_entries(back)
    at = find_first_true((sources != targets) | (there.indices != back.indices))
    if at is not None:
        edge = [to_host_scalar(x[at]) for x in (sources, there.indices)]
        other = [to_host_scalar(x[at]) for x in (targets, back.indices)]
        u, v = edge if edge < other else other[::-1]
        raise ValueError(
            f"an undirected graph stores every edge both ways, got {u} -> {v} alone: "
            "use Graph(A).symmetrize(), with combine= if weights differ"
        )
    weights, others = gather(csr.data, there.data), gather(csr.data, back.data)
    at = find_first_true(_differ(weights, others))
    if at is not None and csr.data.dtype.kind != "c":  # parallel edges may be in another order one way than the other
        opens = csr.xp.ones(sources.size, bool)
        opens[1:] = (sources[1:] != sources[:-1]) | (there.indices[1:] != there.indices[:-1])
        offsets = csr.xp.append(opens.nonzero()[0], sources.size)
        weights, others = segmented_sort(weights, offsets), segmented_sort(others, offsets)
        at = find_first_true(_differ(weights, others))
    if at is not None:
        u, v, here, reverse = (to_host_scalar(x[at]) for x in (sources, there.indices, weights, others))
        raise ValueError(
            f"an undirected graph has one weight for both ways, got {here} for {u} -> {v} and {reverse} for {v} -> {u}: "
            f"use Graph(A).symmetrize(combine=...)"
        )


def _differ(a, b):
    """Return flags of where two arrays of weights differ; NaN equals NaN."""
    return (a != b) & ((a == a) | (b == b))


def symmetrize(csr: Csr, combine: MonoidLike | None, names: Array | None = None) -> Csr:
    """Return every edge in both directions, once; see `store_both_ways`. The first edge is that of the least id."""
    return store_both_ways(rows_of_entries(csr), csr.indices, csr.data, csr.shape, combine, names)


def store_both_ways(sources, targets, data, shape, combine, names=None):
    """Return the record of edges in both directions, with one edge between any two vertices; see `combine_parallel`.

    The weights of two vertices are combined once, and then stored for both directions: sums that are made twice may differ.
    """
    xp = namespace_of(data)
    low, high = xp.minimum(sources, targets), xp.maximum(sources, targets)
    once = combine_parallel(from_coo_unsummed(low, high, data, shape), combine, names)
    low, high = rows_of_entries(once), once.indices
    proper = low != high
    rows, columns = xp.concatenate([low, high[proper]]), xp.concatenate([high, low[proper]])
    return from_coo_unsummed(rows, columns, xp.concatenate([once.data, once.data[proper]]), shape)


def store_one_way(sources, targets, data, shape, combine):
    """Return the record of edges; parallel edges stay apart in their order, or are combined, see `combine_parallel`."""
    csr = from_coo_unsummed(sources, targets, data, shape)
    return csr if combine is None else combine_parallel(csr, combine)


def combine_parallel(csr, combine, names=None):
    """Return one entry for every position; entries of one position are neighbours in `csr`.

    `combine` is a monoid, "first" or None: then their values must be equal. `names` are of the vertices, for the message.
    """
    xp, rows, n = csr.xp, rows_of_entries(csr), csr.indices.size
    is_first = isinstance(combine, str) and combine == "first"
    combine = None if is_first or combine is None else ops.monoid(combine)
    opens = xp.ones(n, bool)
    opens[1:] = (rows[1:] != rows[:-1]) | (csr.indices[1:] != csr.indices[:-1])
    first = opens.nonzero()[0]
    offsets = xp.append(first, n)
    data = csr.data[first]
    if n and combine is not None:
        data = segmented_reduce(csr.data, offsets, combine)
    elif n and not is_first:
        at = find_first_true(_differ(csr.data, repeat_by_offsets(data, offsets, n)))
        if at is not None:
            ends = to_host_scalar(rows[at]), to_host_scalar(csr.indices[at])
            u, v = ends if names is None else (repr(name) for name in names[list(ends)].tolist())
            raise ValueError(f"edges between {u} and {v} differ in weight: say how to combine them, as in combine='min'")
    return Csr(row_starts(rows[first], csr.shape[0]), csr.indices[first], data, csr.shape)


def combine_edges(csr, combine):
    """Return one edge for each pair of vertices, with the weights of all edges between them combined by a monoid."""
    if csr.plan(has_canonical_columns):
        return csr
    return store_one_way(csr.plan(rows_of_entries), csr.indices, csr.data, csr.shape, combine)
