"""
PageRank by products
====================

Compute PageRank by repeated `A @ x` on a graph with a few very popular vertices, and check it against SciPy.

Run it with ``python examples/03_pagerank.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/graph.svg"

import numpy as np

from spark_csr import csr_array, gallery

DAMPING = 0.85
TOLERANCE = 1e-10
MAX_STEPS = 200


def link_matrix(graph):
    """Return `L` with `L[j, i] = 1 / out-degree of i` for every edge i -> j, and a mask of the vertices that no edge leaves."""
    degree = np.diff(graph.indptr)
    share = 1.0 / np.maximum(degree, 1)
    weighted = csr_array((np.repeat(share, degree), graph.indices, graph.indptr), shape=graph.shape)
    return weighted.T.tocsr(), degree == 0


def pagerank(links, dangling):
    """Return the rank of every vertex and the number of products. `links` is any matrix that has the operator `@`."""
    n = links.shape[0]
    rank = np.full(n, 1.0 / n)
    for step in range(1, MAX_STEPS + 1):
        everywhere = (1.0 - DAMPING + DAMPING * rank[dangling].sum()) / n
        previous, rank = rank, DAMPING * (links @ rank) + everywhere
        if np.abs(rank - previous).sum() < TOLERANCE:
            return rank, step
    raise RuntimeError(f"no convergence in {MAX_STEPS} steps")


def main():
    graph = gallery.rmat(14, edge_factor=16, seed=0)
    print(f"R-MAT graph: {graph.shape[0]:,} vertices, {graph.nnz:,} edges")

    links, dangling = link_matrix(graph)
    rank, steps = pagerank(links, dangling)
    print(f"{steps} products; the ranks sum to {rank.sum():.12f}")
    for vertex in np.argsort(-rank, kind="stable")[:5]:
        print(f"  vertex {vertex:6}   rank {rank[vertex]:.6f}")

    expected, _ = pagerank(links.to_scipy(), dangling)
    difference = np.abs(rank - expected).sum()
    print(f"difference from SciPy {difference:.1e}")
    assert difference < 1e-9
    print("agrees with SciPy")


# %%
# Run the program:

if __name__ == "__main__":
    main()
