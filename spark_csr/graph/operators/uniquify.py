"""`uniquify`: keep every item of a frontier once."""

from __future__ import annotations

from spark_csr._array import namespace_of
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.operators.filter import list_items
from spark_csr.primitives.sort import sort

SPARSE = 32
"""If there is less than one item for so many vertices (or edges), items are sorted instead of marked in a bitmap. Not tuned."""


def uniquify(frontier: Frontier) -> Frontier:
    """Return every item of a frontier once, in ascending order.

    Parameters, result and exceptions that are not listed are those of `advance`. See the example of `filter`.

    Returns
    -------
    Frontier
        The distinct items in ascending order. If the items of `frontier` are known to be distinct and to ascend, `frontier`
        itself is returned.

    Notes
    -----
    *Cost*: a bitmap of all vertices (or edges) is written and read, or if there are few items, they are sorted; one host read.
    *Order*: ascending. *Empty input*: an empty frontier.
    """
    items = list_items(frontier)
    if frontier._ascending or items.size <= 1:
        return frontier
    if items.size * SPARSE > frontier.n:
        return Frontier._of(frontier.kind, frontier.n, bitmap=frontier._as_bitmap())
    in_order = sort(items)
    first = namespace_of(items).ones(items.size, bool)
    first[1:] = in_order[1:] != in_order[:-1]
    return Frontier._of(frontier.kind, frontier.n, in_order[first], ascending=True)
