"""Generated matrices of several common patterns: grids, graphs, random positions, bands and one full row.

Grids:

- `poisson`: the Laplacian on a regular grid of any dimension

Graphs:

- `rmat`: the adjacency matrix of a random graph whose degrees follow a power law

Patterns with random values:

- `uniform`: the same number of entries in every row, spread over all columns
- `banded`: entries side by side around the diagonal
- `one_dense_row`: one full row in an otherwise sparse matrix

Notes
-----
Each matrix is written directly as CSR arrays by a few passes of NumPy; nothing is assembled entry by entry.

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
