"""
Finite elements with boundary conditions
========================================

Assemble a plate of triangles, hold its border at given temperatures, solve for the others, and find the slowest modes.

The same function takes SciPy's modules. Run it with ``python examples/23_finite_elements.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/mesh.svg"

from typing import Any

import numpy as np
import scipy.sparse.linalg

import spark_csr.linalg


def solve(sparse: Any, linalg: Any, side):
    """Return the temperatures by two solvers, and the eigenvalues of the four slowest modes. A square has two triangles."""
    place = np.arange(side**2).reshape(side, side)
    a, b, c, d = (x.ravel() for x in (place[:-1, :-1], place[:-1, 1:], place[1:, :-1], place[1:, 1:]))
    corners = np.concatenate([np.stack([a, b, d]), np.stack([d, c, a])], axis=1).T
    i, j = np.repeat(corners, 3, axis=1).ravel(), np.tile(corners, 3).ravel()
    stiffness = np.tile([[0.5, -0.5, 0], [-0.5, 1, -0.5], [0, -0.5, 0.5]], (len(corners), 1, 1)).ravel()
    mass = np.tile((np.ones((3, 3)) + np.eye(3)) / (24 * (side - 1) ** 2), (len(corners), 1, 1)).ravel()
    K, M = (sparse.coo_array((x, (i, j)), shape=(side**2, side**2)).tocsr() for x in (stiffness, mass))
    inner, u = place[1:-1, 1:-1].ravel(), np.zeros(side**2)
    u[place[:, 0]] = 1  # the left side is hot, the others are cold
    b = (M @ np.ones(side**2) - K @ u)[inner]
    K, M = K[inner][:, inner], M[inner][:, inner]
    iterated, status = linalg.cg(K, b, rtol=1e-10)
    assert status == 0
    return linalg.spsolve(K, b), iterated, linalg.eigsh(K, 4, M, sigma=0, return_eigenvectors=False)


# %%
# Run the program:

if __name__ == "__main__":
    ours, theirs = solve(spark_csr, spark_csr.linalg, 60), solve(scipy.sparse, scipy.sparse.linalg, 60)
    print(f"mean temperature {ours[0].mean():.3f}, eigenvalues {np.sort(ours[2]).round(2)}")
    assert all(np.allclose(x, y, atol=1e-6) for x, y in zip(ours, theirs, strict=True))
    print("agrees with SciPy")
