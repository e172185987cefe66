"""
A matrix in files, larger than the memory of workers
====================================================

Let workers write a matrix into a folder, block by block, and rank the vertices of its graph while the blocks stay in files: in
every iteration each block is read, multiplied and let go.

Run it with ``python examples/20_dask_from_files.py``. It needs Dask: ``pip install "dask[array,distributed]"``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/halo.svg"

import pathlib
import tempfile

import numpy as np
from dask.base import compute
from dask.delayed import delayed
from dask.distributed import Client, LocalCluster

from spark_csr import csr_array, graph, io
from spark_csr.interop.dask import from_csr, open_blocks, pagerank, save_blocks

BLOCKS, ROWS, DEGREE = 4, 4000, 6


def make_rows(number):
    """Return the rows of a block: edges to vertices nearby, and to some that are popular with all."""
    rng = np.random.default_rng(number)
    n, source = BLOCKS * ROWS, np.repeat(np.arange(ROWS), DEGREE)
    near = (source + number * ROWS + rng.integers(-50, 50, source.size)) % n
    popular = (n * rng.random(source.size) ** 8).astype(int)
    target = np.where(rng.random(source.size) < 0.8, near, popular)
    return csr_array((np.ones(source.size), (source, target)), shape=(ROWS, n))


@delayed
def write(folder, number):
    """Make and save a block; a task that runs twice writes the same."""
    io.save_block(folder, number, make_rows(number))


def show(iteration, change):
    if iteration % 10 == 0:
        print(f"iteration {iteration}: change {change:.1e}")


def main():
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        web = str(pathlib.Path(folder, "web"))
        compute([write(web, number) for number in range(BLOCKS)])
        io.finish_blocks(web, BLOCKS)
        A = open_blocks(web)
        print(A.describe())
        rank = pagerank(A, tol=1e-10, progress=show)  # without A.persist(): blocks stay in files
        print("the ten first vertices:", *np.argsort(-rank.compute())[:10])

        # the workers also compute the blocks of a result, and write them
        save_blocks(pathlib.Path(folder, "two_steps"), A @ A)
        print("paths of two edges:", open_blocks(pathlib.Path(folder, "two_steps")).sum().compute())

        whole = csr_array(A.compute())
        np.testing.assert_allclose(rank.compute(), graph.pagerank(graph.Graph(whole), tol=1e-10), rtol=1e-4, atol=1e-9)
        assert pagerank(from_csr(whole, A.chunks[0]), tol=1e-10).compute().tolist() == rank.compute().tolist()
    print("agrees with one process")


# %%
# Run the program:

if __name__ == "__main__":
    main()
