"""Breadth-first search: on a GPU every level is a launch, and `graph.algorithms.bfs._search_by_walk` makes them."""


def breadth_first(indptr, indices, sources, direction, alpha, beta, depth, distance, predecessor, ways, reverse):
    """Return False: nothing was done."""
    return False
