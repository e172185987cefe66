"""Generated matrices of several common patterns: grids, graphs, random positions, bands and one full row.

`poisson` is the Laplacian on a regular grid, `rmat` a random graph whose degrees follow a power law, and `uniform`, `banded`
and `one_dense_row` are patterns with random values. Each matrix is written directly as CSR arrays by a few passes of NumPy;
nothing is assembled entry by entry.

Examples
--------
>>> from spark_csr.gallery import poisson
>>> poisson((3,)).toarray()
array([[ 2., -1.,  0.],
       [-1.,  2., -1.],
       [ 0., -1.,  2.]])
"""

from spark_csr.gallery.graphs import rmat
from spark_csr.gallery.grids import poisson
from spark_csr.gallery.patterns import banded, one_dense_row, uniform

__all__ = ["banded", "one_dense_row", "poisson", "rmat", "uniform"]


def __dir__() -> list[str]:
    return __all__
