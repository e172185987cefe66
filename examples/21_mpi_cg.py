"""
Conjugate gradients on several processes
========================================

Solve Poisson's equation with MPI: each rank makes its own rows of the matrix, and keeps its own part of every vector. In each
iteration a rank sends its neighbours the values on the border between them, and no more.

Run it with ``python examples/21_mpi_cg.py`` on one rank, or with ``mpiexec -n 4 python -m mpi4py examples/21_mpi_cg.py`` on
four. It needs mpi4py and an MPI: ``pip install mpi4py mpich``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/halo.svg"

import numpy as np
from mpi4py import MPI

from spark_csr import csr_array, gallery
from spark_csr.interop import mpi

SIZE = 120
TOLERANCE = 1e-8


def rows_of(rank, ranks):
    """Return the rows of one rank: some lines of a square grid. Only these lines, and their neighbours, are made."""
    first, last = SIZE * rank // ranks, SIZE * (rank + 1) // ranks
    below, above = max(first - 1, 0), min(last + 1, SIZE)
    part = gallery.poisson((above - below, SIZE))[(first - below) * SIZE : (last - below) * SIZE]
    return csr_array((part.data, part.indices + below * SIZE, part.indptr), shape=(part.shape[0], SIZE * SIZE))


def main():
    comm = MPI.COMM_WORLD
    A = mpi.csr_rows(rows_of(comm.rank, comm.size), comm)
    plan = A.plan()
    if comm.rank == 0:
        print(f"{A.shape[0]:,} unknowns on {comm.size} ranks; a product sends {plan.nbytes(8):,} bytes")

    def progress(iteration, residual_norm):
        if comm.rank == 0 and iteration % 100 == 0:
            print(f"  step {iteration:4}   residual {residual_norm:.1e}")

    start, stop = A.rows
    exact = np.sin(np.linspace(0.0, 3.0, A.shape[0]))[start:stop]
    b = A @ exact
    x, info = mpi.cg(A, b, rtol=TOLERANCE, progress=progress)
    error = max(comm.allgather(float(abs(x - exact).max(initial=0))))
    assert info == 0, f"cg gave up: info = {info}"
    assert error < 1e-4
    if comm.rank == 0:
        print(f"largest error: {error:.1e}")
        print("converged")


# %%
# Run the program:

if __name__ == "__main__":
    main()
