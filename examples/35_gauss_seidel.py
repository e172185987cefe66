"""
Gauss-Seidel in a function of one's own
=======================================

Pass a matrix to a function that Numba compiles, and write an algorithm there that goes from row to row.

``A.to_tuple()`` holds the arrays and the shape of a matrix, and copies nothing. A sweep of Gauss and Seidel solves every
equation for its own unknown and uses the new values at once, so no product with the matrix does the same.

Run it with ``python examples/35_gauss_seidel.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/convergence.svg"

import numba
import numpy as np

from spark_csr.gallery import poisson
from spark_csr.linalg import spsolve


@numba.njit
def sweep(A, b, x):
    """Solve equation after equation for its own unknown."""
    for row in range(A.shape[0]):
        rest, diagonal = b[row], 0.0
        for k in range(A.indptr[row], A.indptr[row + 1]):
            if A.indices[k] == row:
                diagonal = A.data[k]
            else:
                rest -= A.data[k] * x[A.indices[k]]
        x[row] = rest / diagonal


def solve(A, b, rtol):
    """Return the solution, and the number of sweeps that it took."""
    x, sweeps, arrays = np.zeros_like(b), 0, A.to_tuple()
    while np.linalg.norm(b - A @ x) > rtol * np.linalg.norm(b):
        sweep(arrays, b, x)
        sweeps += 1
    return x, sweeps


# %%
# Run the program:

if __name__ == "__main__":
    A = poisson((30, 30))
    b = np.ones(A.shape[0])
    x, sweeps = solve(A, b, rtol=1e-8)
    print(f"{sweeps} sweeps over {A.shape[0]} equations")
    assert np.allclose(x, spsolve(A, b))
    print("agrees with a direct solver")
