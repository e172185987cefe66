"""Algebraic multigrid by PyAMG, as a preconditioner."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr.linalg.operators import solver_dtype
from spark_csr.linalg.preconditioners import Preconditioner, square

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array


METHODS = ("smoothed_aggregation", "ruge_stuben", "rootnode", "pairwise", "air", "adaptive_sa")
"""The solvers of PyAMG that can be used as preconditioners."""


class Multigrid(Preconditioner):
    """An operator whose product runs one cycle of a solver of PyAMG."""

    levels: Any

    def __init__(self, levels: Any, cycle: str, dtype: np.dtype[Any], symmetric: bool) -> None:
        operator = levels.aspreconditioner(cycle=cycle)
        super().__init__(operator.shape[0], dtype)
        self.levels, self._operator, self._symmetric = levels, operator, symmetric

    def matvec(self, x: Array) -> Array:
        """Return the solution after one cycle from 0, for a vector or for each column of a matrix."""
        x = np.asarray(x).astype(np.promote_types(self.dtype, x.dtype), copy=False)
        return self._operator.matvec(x) if x.ndim == 1 else self._operator.matmat(x)

    def rmatvec(self, x: Array) -> Array:
        """Return the same as `matvec`: a V or W cycle with equal sweeps before and after is its own conjugate transpose."""
        if not self._symmetric:
            raise NotImplementedError(
                "the conjugate transpose of this cycle is not available: use a solver that needs no rmatvec, or cycle='V' with "
                "equal smoothers and another method than 'air'"
            )
        return self.matvec(x)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {len(self.levels.levels)} levels>"


def amg(A: MatrixLike, method: str = "smoothed_aggregation", cycle: str = "V", **options: Any) -> Multigrid:
    """Return an algebraic multigrid preconditioner for `M=` of a solver, made by PyAMG.

    PyAMG is installed by `pip install pyamg`, or with this package by `pip install ".[amg]"` in a checkout; ImportError is
    raised if it is not. ValueError is raised if PyAMG has no such method.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A matrix of this package or of SciPy, on the cores.
    method : str
        The solver of PyAMG that is made: "smoothed_aggregation", "ruge_stuben", "rootnode", "pairwise", "air" or
        "adaptive_sa". Default: "smoothed_aggregation", for symmetric positive definite matrices.
    cycle : {"V", "W", "F", "AMLI"}
        The cycle that is run once for each product. Default: "V".
    **options
        Further arguments of PyAMG's function, such as `B`, `max_levels`, `presmoother` and `postsmoother`.

    Returns
    -------
    Multigrid
        The preconditioner, an operator with `shape`, `dtype`, `matvec`, `rmatvec`, `matmat`, `rmatmat` and `@`. Its attribute
        `levels` is PyAMG's solver, a `pyamg.multilevel.MultilevelSolver`.

    Notes
    -----
    *Cost*: that of PyAMG's function, on one core; the matrix is copied once. A product runs one cycle of PyAMG. *Order*: PyAMG
    estimates eigenvalues, and takes the first vectors for this from NumPy's global random state. Call `numpy.random.seed` first
    for the same bits on every run.
    Source: Bell, Olson, Schroder & Southworth, *PyAMG: Algebraic Multigrid Solvers in Python*, JOSS 8, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import gallery, linalg
    >>> A = gallery.poisson((30, 30))
    >>> linalg.cg(A, np.ones(900), M=linalg.amg(A))[1]  # doctest: +SKIP
    0
    """
    matrix = square(A)
    if method not in METHODS:
        raise ValueError(f"PyAMG has no method {method!r}: use one of {', '.join(METHODS)}")
    if matrix.device != "cpu":
        raise NotImplementedError(f"PyAMG computes on the cores, but the matrix is on {matrix.device}: give A.to_device('cpu')")
    try:
        pyamg = importlib.import_module("pyamg")
    except ImportError as error:
        raise ImportError("amg needs PyAMG: pip install pyamg") from error
    dtype = solver_dtype(matrix)
    copy = matrix.tocsr().to_scipy(copy=True, matrix=True).astype(dtype, copy=False)
    copy.sum_duplicates()
    found = getattr(pyamg, f"{method}_solver")(copy, **options)
    symmetric = method != "air" and cycle in ("V", "W") and options.get("presmoother") == options.get("postsmoother")
    # The adaptive solver comes with the work that it took.
    return Multigrid(found[0] if isinstance(found, tuple) else found, cycle, dtype, symmetric)
