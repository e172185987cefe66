"""Solvers, eigenvalues and norms: a number of steps that is the same for all."""

from benchmarks import data
from benchmarks.common import Compared
from peers import linalg


class Solvers(Compared, operations=tuple(linalg.SOLVERS)):
    """Systems whose matrix is symmetric and positive definite. No tolerance is reached: all take as many steps."""

    def operands(self, operation):
        A = data.matrix("poisson")
        return A, data.values(n=A.shape[0])


class Spectra(Solvers, operations=tuple(linalg.SPECTRA)):
    """Three of the largest."""


class Norm(Solvers, operations=tuple(linalg.NORMS)):
    """Of Frobenius, of every row, of columns."""
