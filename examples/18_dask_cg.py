"""
Conjugate gradients on a cluster
================================

Solve a system whose matrix nobody holds as a whole: tasks make its blocks of rows on the workers of a cluster, and a product
sends to each block only what it needs of the vector.

Run it with ``python examples/18_dask_cg.py``. It needs Dask: ``pip install "dask[array,distributed]"``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/cluster.svg"

import itertools

import dask.array as da
import numpy as np
from dask.delayed import delayed
from dask.distributed import Client, LocalCluster

from spark_csr import csr_array
from spark_csr.interop.dask import from_delayed, linalg

SIDE = 100
BLOCKS = 4


def make_rows(start, stop):
    """Return the rows of a block: the Laplacian of a grid of SIDE times SIDE points. Another task would read a file."""
    row = np.arange(start, stop)
    y, x = np.divmod(row, SIDE)
    beside = {-SIDE: y > 0, -1: x > 0, 1: x < SIDE - 1, SIDE: y < SIDE - 1}
    rows = np.concatenate([row, *(row[there] for there in beside.values())]) - start
    columns = np.concatenate([row, *(row[there] + offset for offset, there in beside.items())])
    values = np.where(rows + start == columns, 4.0, -1.0)
    return csr_array((values, (rows, columns)), shape=(row.size, SIDE * SIDE))


def show(iteration, residual):
    if iteration % 50 == 0:
        print(f"iteration {iteration}: residual {residual:.1e}")


def main():
    n = SIDE * SIDE
    bounds = np.linspace(0, n, BLOCKS + 1).astype(int).tolist()
    # a cluster of two processes on this machine; of a real one, give the address of the scheduler to Client
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        rows = [delayed(make_rows)(start, stop) for start, stop in itertools.pairwise(bounds)]
        A = from_delayed(rows, np.diff(bounds), n).persist()
        print(A.describe())
        b = da.ones(n, chunks=A.chunks[:1])
        x, info = linalg.cg(A, b, rtol=1e-8, progress=show, check_every=50)
        error = float(da.linalg.norm(A @ x - b) / da.linalg.norm(b))
        print(f"relative residual, computed anew: {error:.1e}")
        assert info == 0
        assert error < 1e-7
    print("converged")


# %%
# Run the program:

if __name__ == "__main__":
    main()
