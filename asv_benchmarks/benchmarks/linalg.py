"""Solvers, eigenvalues and norms: a number of steps that is the same for all."""

from benchmarks import data
from benchmarks.common import LARGE, SMOKE, Compared
from peers import linalg
from spark_csr import tril, triu
from spark_csr.gallery import poisson


class Solvers(Compared, operations=tuple(linalg.SOLVERS)):
    """Systems whose matrix is symmetric and positive definite. No tolerance is reached: all take as many steps."""

    def operands(self, operation):
        A = data.matrix("poisson")
        return A, data.values(n=A.shape[0])


class Spectra(Solvers, operations=tuple(linalg.SPECTRA)):
    """Three of the largest."""


class Norm(Solvers, operations=tuple(linalg.NORMS)):
    """Of Frobenius, of every row, of columns."""


class Triangles(Compared, operations=tuple(linalg.TRIANGLES)):
    """Substitution with the triangles of a matrix, for one right side."""

    def operands(self, operation):
        A = data.matrix("poisson")
        return (triu if "upper" in operation else tril)(A), data.values(n=A.shape[0])


class Direct(Compared, operations=tuple(linalg.DIRECT)):
    """A system whose matrix is symmetric and positive definite; what is known of its pattern is kept from call to call."""

    def operands(self):
        A = poisson((30 if LARGE else 5 if SMOKE else 20,) * 3)
        return A, data.values(n=A.shape[0])


class Neighbours(Compared, operations=("similar rows", "neighbours by cosine")):
    """The ten rows of texts that are most like each of them."""

    def operands(self, operation):
        return (linalg.texts(100_000 if LARGE else 300 if SMOKE else 10_000),)
