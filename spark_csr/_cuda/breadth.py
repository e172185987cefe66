"""Breadth-first search: on a GPU each level is a launch of its own; `graph.algorithms.bfs._search_by_walk` goes through them."""


def breadth_first(indptr, indices, sources, direction, alpha, beta, depth, distance, predecessor, ways, reverse):
    """Return False: nothing was done."""
    return False
