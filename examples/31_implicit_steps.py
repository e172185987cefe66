"""
Implicit steps with one analysis
================================

Heat flows through a block whose conductivity depends on its temperature: each step solves a system of the same pattern.

The order of elimination and the pattern of the Cholesky factor are found once; `refactor` computes the numbers of each step.
Run it with ``python examples/31_implicit_steps.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/mesh.svg"

import numpy as np

from spark_csr import csr_array
from spark_csr.linalg import cholesky


def systems(u, side, step):
    """Return `I + step * K(u)`, where K is the Laplacian of a block with the conductivity `1 + u**2` between neighbours."""
    place = np.arange(side**3).reshape(side, side, side)
    ends = [(np.moveaxis(place, k, 0)[:-1].ravel(), np.moveaxis(place, k, 0)[1:].ravel()) for k in range(3)]
    i, j = (np.concatenate(x) for x in zip(*ends, strict=True))
    flow = step * (1 + (u[i] ** 2 + u[j] ** 2) / 2)
    values = np.concatenate([np.ones(side**3), flow, flow, -flow, -flow])
    rows = np.concatenate([place.ravel(), i, j, i, j])
    columns = np.concatenate([place.ravel(), i, j, j, i])
    return csr_array((values, (rows, columns)), shape=(side**3, side**3))


def cool(side, steps, step=0.5):
    """Return the temperatures at the beginning and the end, of a block with a hot corner."""
    u = np.zeros((side, side, side))
    u[: side // 2, : side // 2, : side // 2] = 1
    first = u = u.ravel()
    factor = cholesky(systems(u, side, step))
    for _ in range(steps):
        factor = factor.refactor(systems(u, side, step))
        u = factor.solve(u)
    return first, u


# %%
# Run the program:

if __name__ == "__main__":
    first, last = cool(side=16, steps=10)
    print(f"the hottest point cools from {first.max():.2f} to {last.max():.2f}")
    assert np.isclose(first.sum(), last.sum())
    print("no heat is lost")
