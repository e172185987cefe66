"""`uniquify`: every item of a frontier once."""

from spark_csr._array import namespace_of
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.operators.filter import list_items
from spark_csr.primitives.sort import sort

SPARSE = 32
"""With fewer items than one for so many numbers, items are sorted instead of marked in a bitmap. Not tuned."""


def uniquify(frontier):
    """Every item once, in ascending order.

    Parameters
    ----------
    frontier : Frontier

    Returns
    -------
    Frontier

    Raises
    ------
    TypeError
        For what is no frontier.

    Notes
    -----
    *Cost*: a bitmap of all numbers is written and read; few items are sorted instead; one host read. A frontier that is
    known to be in this form is returned as it is. *Order*: ascending. *Empty input*: empty.

    Examples
    --------
    >>> from spark_csr.graph import Frontier, uniquify
    >>> uniquify(Frontier("vertex", [3, 0, 3, 1], n=4)).items
    array([0, 1, 3], dtype=int32)
    """
    items = list_items(frontier)
    if frontier._ascending:
        return frontier
    if items.size * SPARSE > frontier.n:
        return Frontier._of(frontier.kind, frontier.n, bitmap=frontier._as_bitmap())
    in_order = sort(items)
    first = namespace_of(items).ones(items.size, bool)
    first[1:] = in_order[1:] != in_order[:-1]
    return Frontier._of(frontier.kind, frontier.n, in_order[first], ascending=True)
