"""The iteration of PageRank: on a GPU the product and the pass over the vertices that it is composed of are two launches."""


def rank_iteration(indptr):
    """Return None: the caller composes."""
    return
