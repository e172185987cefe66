"""
A graph Laplacian
=================

Make a graph Laplacian from a list of edges: the degrees on the diagonal minus the adjacency matrix. Then check its properties.

Run it with ``python examples/10_graph_laplacian.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/matrix.svg"

import numpy as np

import spark_csr as sp

SIDE = 40


def edges_of_grid(side, first):
    """The edges of a square grid whose vertices are numbered row by row from `first` on."""
    number = first + np.arange(side * side).reshape(side, side)
    right = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()])
    down = np.stack([number[:-1].ravel(), number[1:].ravel()])
    return np.concatenate([right, down], axis=1)


def laplacian(edges, n):
    """`L = D - A` of an undirected graph: degrees on the diagonal, -1 for every edge, in both directions."""
    i, j = edges
    ones = np.ones(2 * i.size)
    A = sp.csr_array((ones, (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n, n))
    return sp.diags_array(A @ np.ones(n)) - A


def main():
    # Two grids, and a bridge between them.
    half = SIDE * SIDE
    left, right = edges_of_grid(SIDE, 0), edges_of_grid(SIDE, half)
    bridge = np.array([[half - 1], [half]])
    n = 2 * half

    edges = np.concatenate([left, bridge, right], axis=1)
    apart = laplacian(np.concatenate([left, right], axis=1), n)
    together = laplacian(edges, n)
    print(f"{n:,} vertices, {(together.nnz - n) // 2:,} edges")

    x = np.random.default_rng(0).random(n)
    assert np.abs(together @ np.ones(n)).max() == 0
    print("rows sum to zero")
    energy = ((x[edges[0]] - x[edges[1]]) ** 2).sum()
    print(f"x @ L @ x = {x @ (together @ x):.6f}, the sum over edges of (x_i - x_j)^2 = {energy:.6f}")
    assert np.isclose(x @ (together @ x), energy)

    # The Laplacian of a graph in two parts has a block for each part, and maps a vector that is constant on each part to zero.
    part = np.repeat([0.0, 1.0], half)
    assert np.abs(apart @ part).max() == 0
    assert np.abs(together @ part).sum() == 2
    one = laplacian(left, half)
    assert (apart != sp.block_diag([one, one])).nnz == 0
    print("two parts are two blocks; the bridge shows in two rows:", np.flatnonzero(together @ part))

    # Heat spreads evenly by steps x - step * L x, if step is below 2 / 8: the largest eigenvalue of L is 8 at most.
    heat = np.zeros(n)
    heat[0] = 1
    for _ in range(200):
        heat -= 0.2 * (together @ heat)
    print(f"after 200 steps of heat flow: total {heat.sum():.12f}, on the other side of the bridge {heat[half:].sum():.2e}")
    assert np.isclose(heat.sum(), 1)
    print("nothing is lost")


# %%
# Run the program:

if __name__ == "__main__":
    main()
