"""`ranks`: none on a GPU, where the product and the pass over the vertices that PageRank is composed of are two launches."""


def rank_cuts(indptr):
    """None: the caller composes."""
    return


def ranks(cuts, indptr, indices, share, jump, fall, alpha, lost, now, sent, steps, enough):
    """Never called, as there are no cuts."""
    raise NotImplementedError("ranks are composed on a GPU")
