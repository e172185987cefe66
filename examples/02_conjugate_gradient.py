"""
Conjugate gradients
===================

Solve Poisson's equation in two and three dimensions with SciPy's function `cg`, which accepts a `csr_array`.

Run it with ``python examples/02_conjugate_gradient.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/convergence.svg"

import numpy as np
from scipy.sparse.linalg import cg

from spark_csr import gallery

TOLERANCE = 1e-8


def solve(shape):
    """Solve `A @ u = b` for a smooth `u` that is known, print how it goes, and return the relative residual."""
    A = gallery.poisson(shape)
    exact = np.sin(np.linspace(0.0, 3.0, A.shape[0]))
    b = A @ exact
    norm = np.linalg.norm(b)
    steps = 0

    def callback(u):
        nonlocal steps
        steps += 1
        if steps % 25 == 0:
            print(f"  step {steps:4}   residual {np.linalg.norm(b - A @ u) / norm:.1e}")

    print(f"Poisson on {' x '.join(map(str, shape))} points: {A.shape[0]:,} unknowns, {A.nnz:,} entries")
    u, info = cg(A, b, rtol=TOLERANCE, callback=callback)
    residual = np.linalg.norm(b - A @ u) / norm
    print(f"  {steps} steps   residual {residual:.1e}   error {np.abs(u - exact).max():.1e}")
    assert info == 0, f"cg gave up: info = {info}"
    assert residual < 10 * TOLERANCE
    return residual


def main():
    solve((100, 100))
    solve((25, 25, 25))
    print("converged")


# %%
# Run the program:

if __name__ == "__main__":
    main()
