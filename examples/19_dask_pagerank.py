"""
A graph on a cluster
====================

Find the components of a graph whose edges lie in blocks on the workers of a cluster, rank its vertices, and search it.

Run it with ``python examples/19_dask_pagerank.py``. It needs Dask: ``pip install "dask[array,distributed]"``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/workers.svg"

import numpy as np
from dask.distributed import Client, LocalCluster

from spark_csr import gallery, graph
from spark_csr.interop.dask import bfs, connected_components, from_csr, pagerank


def main():
    edges = gallery.rmat(13, edge_factor=8, seed=0)
    whole = graph.Graph(edges)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        # a small graph may be sent from here; tasks should read the blocks of a large one: see from_delayed
        A = from_csr(edges, blocks=4).persist()
        print(A.describe())
        count, labels = connected_components(A)
        largest = int(np.bincount(labels.compute()).max())
        print(f"{count} components, the largest of {largest} vertices")
        rank = pagerank(A, tol=1e-10)
        first = int(rank.compute().argmax())
        print(f"first of all ranks: vertex {first}")
        levels = bfs(A, first)
        reached = levels[levels >= 0].compute()
        print(f"{reached.size} vertices are at most {reached.max()} edges away from it")
        assert count == graph.connected_components(whole, return_labels=False)
        np.testing.assert_allclose(rank.compute(), graph.pagerank(whole, tol=1e-10), rtol=1e-4, atol=1e-9)
        np.testing.assert_array_equal(levels.compute(), graph.bfs(whole, first)[0])
    print("agrees with one process")


# %%
# Run the program:

if __name__ == "__main__":
    main()
