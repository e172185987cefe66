"""A step from one frontier to the next with what it selects listed in any order: not on the cores.

There `graph.operators.walk` joins what the tiles of visits have selected, in order.
"""


def advance_frontier(indptr, indices, data, func, read_weight, state, items, edges):
    """Return False: nothing was done. Cores have few tiles, which are joined without a scan of flags."""
    return False


def select_visits(n, body, arrays, state, indptr, dtype):
    """Return False: nothing was done."""
    return False
