"""Making matrices: of diagonals, by chance, of other matrices."""

import functools

from benchmarks.common import LARGE, SMOKE, Compared
from rows.matrix import diagonals
from spark_csr import gallery

ROWS = 500_000 if LARGE else 1000 if SMOKE else 50_000
"""With ten entries each: five million at the large size."""


@functools.cache
def square():
    return gallery.uniform(ROWS, ROWS, 10)


class Construction(Compared, operations=("hstack", "vstack", "block_array", "block_diag", "tril", "find")):
    """Of a matrix of `ROWS` rows: what is called, as SciPy's users write it."""

    def operands(self, operation):
        return (square(),)

    def moved(self, A):
        return 2 * A.nbytes


class Diagonals(Compared, operations=("eye_array", "diags_array")):
    def operands(self, operation):
        return (10 * ROWS, {}) if operation == "eye_array" else diagonals(2 * ROWS)


class Kron(Compared, operations=("kron",)):
    def operands(self):
        return gallery.poisson((ROWS,)), gallery.poisson((8,))

    def moved(self, A, B):
        return 12 * A.nnz * B.nnz


class Random(Compared, operations=("random_array",), axes={"density": [1e-6, 1e-2, 0.5]}):
    """Ten entries for each of `ROWS`, drawn on the host, whatever the library."""

    def operands(self, density):
        return (1000, int(ROWS / density / 100)), {"density": density, "rng": 0}
