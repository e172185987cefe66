"""`assemble`, with the entries of one place summed: not at once on a GPU."""


def assemble_summed(major, minor, data, minors, indptr, indices, out):
    """Return False: nothing was done. Passes over all entries keep more threads busy, and bear rows of any length."""
    return False
