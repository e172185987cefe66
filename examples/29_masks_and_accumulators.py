"""
Masks and accumulators
======================

Write algorithms of graphs as GraphBLAS does: products whose mask is complemented, and products that are accumulated.

A search in breadth multiplies the frontier with the matrix and leaves out what was reached before: ``mask=reached,
complement=True``. Shortest paths accumulate a product in the semiring of sums and minima onto the distances: ``ewise_add(...,
"min")``, where a missing entry is no zero, but a vertex that was not reached. `spark_csr.graph` has both algorithms ready made.

Run it with ``python examples/29_masks_and_accumulators.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/search.svg"

import numpy as np
import scipy.sparse.csgraph

import spark_csr as sp
from spark_csr.gallery import rmat


def levels(A, source):
    """Return the number of edges to each vertex that is reached, as a matrix of one row, with 1 for the source."""
    n = A.shape[0]
    reached = frontier = sp.csr_array(([1.0], ([0], [source])), shape=(1, n))
    while frontier.nnz:
        frontier = frontier.matmul(A, semiring="any_pair", mask=reached, complement=True)
        depth = reached.max() + 1
        frontier = frontier.apply(lambda row, column, value, depth: depth, depth)
        reached = reached.ewise_add(frontier, "max")
    return reached


def distances(A, source):
    """Return the distance of each vertex that is reached, as a matrix of one row."""
    found = sp.csr_array(([0.0], ([0], [source])), shape=(1, A.shape[0]))
    while True:
        longer = found.ewise_add(found.matmul(A, semiring="min_plus"), "min")
        if longer.nnz == found.nnz and (longer != found).nnz == 0:
            return found
        found = longer


def main():
    A = rmat(10, 8)
    A = A.select(lambda row, column, value: row != column).apply(lambda row, column, value: 1.0 + (row + column) % 7)
    S = A.to_scipy()
    print(f"{A.shape[0]} vertices, {A.nnz} edges")

    reached = levels(A, 0)
    print("vertices by the number of edges from vertex 0:", np.bincount(reached.data.astype(int))[1:])
    depth = scipy.sparse.csgraph.dijkstra(S, indices=0, unweighted=True)
    np.testing.assert_array_equal(reached.data - 1, depth[reached.indices])
    assert reached.nnz == np.isfinite(depth).sum()

    found = distances(A, 0)
    expected = scipy.sparse.csgraph.dijkstra(S, indices=0)
    np.testing.assert_array_equal(found.data, expected[found.indices])
    assert found.nnz == np.isfinite(expected).sum()
    print(f"the farthest vertex lies {found.data.max():.0f} away; agrees with SciPy")


# %%
# Run the program:

if __name__ == "__main__":
    main()
