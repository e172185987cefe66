"""
Heights by least squares
========================

Differences of height are measured exactly between neighbouring points, and the heights themselves only roughly.

Measurements are weighted by how exact they are, and the condition is large. `lstsq` factorises the matrix. The
normal equations square the condition and lose the heights in rounding. Run it with ``python examples/32_least_squares.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/mesh.svg"

import numpy as np

from spark_csr import csr_array
from spark_csr.linalg import lstsq, splu


def network(side, rough):
    """Return the weighted matrix: a row for every two neighbours of a grid, and one for every point."""
    point = np.arange(side * side).reshape(side, side)
    low = np.concatenate([point[:-1].ravel(), point[:, :-1].ravel()])
    high = np.concatenate([point[1:].ravel(), point[:, 1:].ravel()])
    edge = np.arange(low.size)
    rows = np.concatenate([edge, edge, low.size + point.ravel()])
    columns = np.concatenate([low, high, point.ravel()])
    values = np.concatenate([-np.ones(low.size), np.ones(low.size), np.full(point.size, rough)])
    return csr_array((values, (rows, columns)), shape=(low.size + point.size, point.size))


def compare(side, rough=1e-7):
    """Return the largest errors of both methods, the residual and the rank."""
    A = network(side, rough)
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    heights = (500 + 100 * np.sin(5 * x) * np.cos(7 * y)).ravel()
    b = A @ heights
    found, residuals, rank = lstsq(A, b)
    normal = splu((A.T @ A).tocsc()).solve(A.T @ b)
    return abs(found - heights).max(), abs(normal - heights).max(), residuals[0], rank


# %%
# Run the program:

if __name__ == "__main__":
    by_qr, by_normal_equations, residual, rank = compare(side=40)
    print(f"rank {rank}, the norm of the residual is {residual**0.5:.0e}")
    print(f"errors: {by_qr:.0e} m by QR, {by_normal_equations:.0e} m by the normal equations")
    assert by_qr < 1e-2 < by_normal_equations
    print("QR finds the heights, and the normal equations do not")
