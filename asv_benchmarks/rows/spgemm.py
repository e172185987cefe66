"""Products of sparse matrices. Our rows come out sorted, those of SciPy and MKL do not."""

import functools

import numpy as np

from rows import real_matrix, scaled, sized
from spark_csr import csr_array, gallery
from timing import Row


def rows(options):
    """A row for every matrix."""
    size = functools.partial(sized, options)
    side, n = size(60, 3), size(200_000)
    yield _row(f"uniform {n:,} x 10", lambda: gallery.uniform(n, n, 10), 1.3)
    for name in ("ego-twitter", "soc-slashdot0902"):
        make = real_matrix(name)
        if make is not None and options.size >= 1:
            yield _row(name, lambda make=make: csr_array(make(), dtype=np.float64), 1.3)
    yield _row("R-MAT", lambda: gallery.rmat(scaled(options, 15)))
    yield _row("R-MAT, masked by itself", lambda: ones(gallery.rmat(scaled(options, 15))), masked=True)
    yield _row(f"Poisson {side}^3", lambda: gallery.poisson((side,) * 3), 1.0)
    for rows in (10, 100, 1000, 10_000):
        yield _row(f"uniform {rows} x 10", lambda n=rows: gallery.uniform(n, n, 10), 1.0 if rows == 1000 else None)


def ones(A):
    """The pattern with ones for values: ours ignores its mask's values, an elementwise product does not."""
    return csr_array((np.ones_like(A.data), A.indices, A.indptr), shape=A.shape)


def _row(name, make, wanted=None, masked=False):
    moved = None if masked else _moved
    return Row(name, "A @ A", lambda: (make(), masked), wanted, moved, ("scipy", "mkl", "cupy"))


def _moved(A, masked):
    """The operands read and the result written, a value and an index of each entry."""
    return 12 * ((A @ A).nnz + 2 * A.nnz)
