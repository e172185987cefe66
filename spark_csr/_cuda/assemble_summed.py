"""`assemble` with duplicates summed: not in one kernel on a GPU.

There `convert.from_coo` calls `assemble`, and `canonical.sum_duplicates` then sums.
"""


def assemble_summed(major, minor, data, minors, indptr, indices, out):
    """Return False: nothing was done. Passes over all entries keep more threads busy, and bear rows of any length."""
    return False
