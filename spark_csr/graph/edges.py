"""Functions of edges as pairs of vertices: reverse them, compare them with their reverses, store them in both directions."""

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, to_host_scalar
from spark_csr._config import config
from spark_csr._operations.form.canonical import sort_indices
from spark_csr._operations.form.convert import from_coo_unsummed, row_starts
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import Csr, rows_of_entries
from spark_csr._operations.form.transpose import transpose
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.repeat import repeat_by_offsets
from spark_csr.primitives.segmented import segmented_reduce
from spark_csr.primitives.sort import gather


def _number_edges(csr):
    """Return the pattern, with the id of every edge as its value."""
    n = csr.indices.size
    return csr.with_data(csr.xp.arange(n, dtype=index_dtype(n)))


def reverse_edges(csr):
    """Return the pattern of the transpose, with the id of the edge that each reverses as its value; a `plan`."""
    return transpose(_number_edges(csr))


def check_mirrored(csr):
    """Raise ValueError with the first edge that has no reverse, or whose reverse has another weight."""
    if not config.validate or not csr.indices.size:
        return
    there, back = sort_indices(_number_edges(csr)), csr.plan(reverse_edges)
    sources, targets = rows_of_entries(there), rows_of_entries(back)
    at = find_first_true((sources != targets) | (there.indices != back.indices))
    if at is not None:
        edge = [to_host_scalar(x[at]) for x in (sources, there.indices)]
        other = [to_host_scalar(x[at]) for x in (targets, back.indices)]
        u, v = edge if edge < other else other[::-1]
        raise ValueError(f"an undirected graph stores every edge both ways, got {u} -> {v} alone: use Graph(A).symmetrize()")
    weights, others = gather(csr.data, there.data), gather(csr.data, back.data)
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


def symmetrize(csr, combine):
    """Return every edge in both directions, once.

    A monoid combines the weights of all edges between two vertices; if it is None, these weights must be equal.
    """
    combine = None if combine is None else ops.monoid(combine)
    xp, sources = csr.xp, rows_of_entries(csr)
    proper = sources != csr.indices
    rows = xp.concatenate([sources, csr.indices[proper]])
    columns = xp.concatenate([csr.indices, sources[proper]])
    both = from_coo_unsummed(rows, columns, xp.concatenate([csr.data, csr.data[proper]]), csr.shape)
    return _combine_duplicates(xp, both, combine)


def _combine_duplicates(xp, csr, combine):
    """Return one entry for every position; entries of one position are neighbours in `csr`."""
    rows, n = rows_of_entries(csr), csr.indices.size
    opens = xp.ones(n, bool)
    opens[1:] = (rows[1:] != rows[:-1]) | (csr.indices[1:] != csr.indices[:-1])
    first = opens.nonzero()[0]
    offsets = xp.append(first, n)
    data = csr.data[first]
    if combine is not None and n:
        data = segmented_reduce(csr.data, offsets, combine)
    elif n:
        at = find_first_true(_differ(csr.data, repeat_by_offsets(data, offsets, n)))
        if at is not None:
            u, v = to_host_scalar(rows[at]), to_host_scalar(csr.indices[at])
            raise ValueError(f"edges between {u} and {v} differ in weight: say how to combine them, as in combine='min'")
    return Csr(row_starts(rows[first], csr.shape[0]), csr.indices[first], data, csr.shape)


def combine_edges(csr, combine):
    """Return one edge for each pair of vertices, with the weights of all edges between them combined by a monoid."""
    if csr.plan(has_canonical_columns):
        return csr
    in_order = from_coo_unsummed(csr.plan(rows_of_entries), csr.indices, csr.data, csr.shape)
    return _combine_duplicates(csr.xp, in_order, ops.monoid(combine))
