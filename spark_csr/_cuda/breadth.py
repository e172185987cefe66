"""Breadth-first search: on a GPU each level, or some small ones, are a launch of their own, which the caller composes."""


def breadth_first(indptr, indices, sources, direction, alpha, beta, depth, distance, predecessor, ways, reverse):
    """Return False: nothing was done."""
    return False
