"""Making matrices: of diagonals, by chance, of other matrices; beside SciPy."""

import functools
import importlib

import numpy as np

import spark_csr
from benchmarks.common import BACKENDS, LARGE, SMOKE, Benchmark
from spark_csr import gallery

ROWS = 500_000 if LARGE else 1000 if SMOKE else 50_000
"""With ten entries each: five million at the large size."""

LIBRARIES = ["ours", "scipy"]


@functools.cache
def square():
    return gallery.uniform(ROWS, ROWS, 10)


@functools.cache
def tridiagonal(side):
    return gallery.poisson((side,))


def diagonals(sp, **options):
    middle = np.linspace(1.0, 2.0, 2 * ROWS)
    return sp.diags_array([-1.0, -1.0, middle, -1.0, -1.0], offsets=[-9, -1, 0, 1, 9], shape=(2 * ROWS,) * 2, **options)


STACKS = {
    "hstack": lambda sp, A: sp.hstack([A, A]),
    "vstack": lambda sp, A: sp.vstack([A, A]),
    "block_array": lambda sp, A: sp.block_array([[A, None], [A, A]], format="csr"),
    "block_diag": lambda sp, A: sp.block_diag([A, A], format="csr"),
    "tril": lambda sp, A: sp.tril(A, format="csr"),
    "find": lambda sp, A: sp.find(A),
}
"""Of a matrix of `ROWS` rows: what is called, as SciPy's users write it."""


class Construction(Benchmark):
    """Functions of matrices."""

    param_names = ("function", "backend")
    params = (list(STACKS), BACKENDS)

    def prepare(self, function):
        A = square().to_device(self.device)
        return lambda: STACKS[function](spark_csr, A), 2 * A.nbytes


class Diagonals(Benchmark):
    param_names = ("function", "backend")
    params = (["eye_array", "diags_array"], BACKENDS)

    def prepare(self, function):
        if function == "eye_array":
            return lambda: spark_csr.eye_array(10 * ROWS, device=self.device), 160 * ROWS
        return lambda: diagonals(spark_csr, device=self.device), 120 * ROWS


class Kron(Benchmark):
    param_names = ("backend",)
    params = (BACKENDS,)

    def prepare(self):
        A, B = (tridiagonal(n).to_device(self.device) for n in (ROWS, 8))
        return lambda: spark_csr.kron(A, B), 12 * A.nnz * B.nnz


class Random(Benchmark):
    """Drawn on the host, whatever the backend."""

    param_names = ("density", "backend")
    params = ([1e-6, 1e-2, 0.5], BACKENDS)

    def prepare(self, density):
        shape = sized(density)
        return lambda: spark_csr.random_array(shape, density=density, rng=0, device=self.device), 120 * ROWS


def sized(density):
    """A shape with `10 * ROWS` entries at this density."""
    return (1000, int(ROWS / density / 100))


CALLS = {
    **{name: functools.partial(lambda call, sp, A: call(sp, A), call) for name, call in STACKS.items()},
    "eye_array": lambda sp, A: sp.eye_array(10 * ROWS, format="csr"),
    "diags_array": lambda sp, A: diagonals(sp, format="csr"),
    "random_array": lambda sp, A: sp.random_array(sized(1e-2), density=1e-2, rng=0, format="csr"),
}


class PeersConstruction(Benchmark):
    """All of them on the processor, for one library after the other."""

    param_names = ("function", "library")
    params = ([*CALLS, "kron"], LIBRARIES)
    track_bandwidth = None  # the bytes are the same for both: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cpu")

    def prepare(self, function, library):
        sp = spark_csr if library == "ours" else importlib.import_module("scipy.sparse")
        as_theirs = (lambda A: A) if library == "ours" else (lambda A: A.to_scipy())
        if function == "kron":
            A, B = (as_theirs(tridiagonal(n)) for n in (ROWS, 8))
            return lambda: sp.kron(A, B, format="csr"), 12 * A.nnz * B.nnz
        A = as_theirs(square())
        return lambda: CALLS[function](sp, A), A.nnz
