"""Generated matrices that look like real ones: grids, graphs, random patterns, bands, one long row.

Design: each is written directly as CSR arrays by a few passes of NumPy; nothing is assembled entry by entry.
"""

from spark_csr.gallery.graphs import rmat
from spark_csr.gallery.grids import poisson
from spark_csr.gallery.patterns import banded, one_dense_row, uniform

__all__ = ["banded", "one_dense_row", "poisson", "rmat", "uniform"]


def __dir__():
    return __all__
