"""`A @ A` for sparse matrices; and with a mask, as triangles are counted."""

from benchmarks import data
from benchmarks.common import Compared
from rows.spgemm import ones
from spark_csr import gallery

SIDE, ROWS, SCALE = (60, 200_000, 15) if data.LARGE else (30, 20_000, 12)

MATRICES = {
    "poisson": lambda: gallery.poisson((SIDE,) * 3),
    "uniform": lambda: gallery.uniform(ROWS, ROWS, 10),
    "rmat": lambda: gallery.rmat(SCALE),
    "small": lambda: gallery.uniform(1000, 1000, 10),
    "tiny": lambda: gallery.uniform(10, 10, 3),
}


class Matmul(Compared, operations=("A @ A",), axes={"matrix": list(MATRICES)}):
    """The square of a matrix."""

    masked = False

    def operands(self, matrix):
        return ones(MATRICES[matrix]()), self.masked


class MatmulMasked(Matmul, axes={"matrix": ["rmat"]}):
    """The square of a graph where the graph has edges."""

    masked = True
