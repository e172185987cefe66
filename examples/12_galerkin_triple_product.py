"""
A two-grid cycle
================

Solve Poisson's equation in two dimensions by a two-grid cycle, whose coarse matrix is the triple product `R @ A @ P`.

Run it with ``python examples/12_galerkin_triple_product.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/product.svg"

import numpy as np
from scipy.sparse.linalg import splu

import spark_csr as sp

COARSE = 31
FINE = 2 * COARSE + 1
SMOOTHING = 2
OMEGA = 0.8
TOLERANCE = 1e-10


def poisson(n):
    """The five-point Laplacian on n x n points, made of the three-point one along rows and along columns."""
    T = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    identity = sp.eye_array(n)
    return sp.kron(identity, T) + sp.kron(T, identity)


def interpolation(coarse):
    """Return linear interpolation to 2n + 1 points: the weight of coarse point j is 1 at 2j + 1, and 1/2 at 2j and 2j + 2."""
    n = 2 * coarse + 1
    j = np.arange(coarse)
    rows = np.concatenate([2 * j, 2 * j + 1, 2 * j + 2])
    values = np.repeat([0.5, 1.0, 0.5], coarse)
    return sp.csr_array((values, (rows, np.tile(j, 3))), shape=(n, coarse))


def main():
    A = poisson(FINE)
    line = interpolation(COARSE)
    P = sp.kron(line, line)  # bilinear: along rows and along columns
    R = P.T
    coarse = R @ A @ P
    print(f"fine   {FINE} x {FINE} points: A has {A.nnz:,} entries")
    print(f"coarse {COARSE} x {COARSE} points: R @ A @ P has {coarse.nnz:,}, at most nine in each row")
    assert coarse.shape == (COARSE**2,) * 2
    assert np.allclose(coarse.toarray(), coarse.toarray().T)

    solve = splu(coarse.to_scipy().tocsc()).solve
    inverse_diagonal = OMEGA / A.diagonal()
    exact = np.random.default_rng(0).random(A.shape[0])
    b = A @ exact
    u = np.zeros_like(b)
    norm = np.linalg.norm(b)
    residuals = [1.0]
    while residuals[-1] > TOLERANCE and len(residuals) < 60:
        for _ in range(SMOOTHING):
            u += inverse_diagonal * (b - A @ u)
        u += P @ solve(R @ (b - A @ u))
        for _ in range(SMOOTHING):
            u += inverse_diagonal * (b - A @ u)
        residuals.append(float(np.linalg.norm(b - A @ u) / norm))
        print(f"  cycle {len(residuals) - 1:2}   residual {residuals[-1]:.1e}")
    assert residuals[-1] <= TOLERANCE
    print(
        f"error {np.abs(u - exact).max():.1e}, each cycle takes the residual down by a factor of about "
        f"{(residuals[1] / residuals[-1]) ** (1 / (len(residuals) - 2)):.0f}"
    )
    assert len(residuals) < 20
    print("converged")


# %%
# Run the program:

if __name__ == "__main__":
    main()
