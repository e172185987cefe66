"""Conjugate gradients on the ranks of MPI, beside those of one process: milliseconds of a product and of an iteration.

    mpiexec -n 2 python -m mpi4py compare_mpi.py 128            # Poisson's equation on 128 x 128 x 128 points
    mpiexec -n 2 python -m mpi4py compare_mpi.py 1 --points 2000    # a line of points: the cost of messages and of Python

The functions for one process run on rank 0 with all cores while the other ranks sleep, and take turns with those for ranks. The
least time of all rounds is printed. PETSc takes part if petsc4py is installed.
"""

import argparse
import os
import time

import numpy as np
import scipy.sparse.linalg
from mpi4py import MPI

import machine
from spark_csr import config
from spark_csr.gallery import poisson
from spark_csr.interop import mpi
from spark_csr.linalg import cg
from spark_csr.partition import balanced_offsets


def on_all(comm, call):
    """Seconds from when all ranks begin until all are done."""
    comm.Barrier()
    begin = time.perf_counter()
    call()
    comm.Barrier()
    return time.perf_counter() - begin


def on_one(comm, call):
    """Seconds on rank 0, while the others sleep: a barrier would keep their cores busy."""
    begin = time.perf_counter()
    if comm.rank == 0:
        call()
        elapsed = time.perf_counter() - begin
        for rank in range(1, comm.size):
            comm.send(None, rank)
        return elapsed
    while not comm.iprobe(0):
        time.sleep(0.002)
    comm.recv(source=0)
    return 0.0


def petsc_solver(A, iterations):
    """A function that makes so many iterations with PETSc; None without petsc4py."""
    try:
        from petsc4py import PETSc
    except ImportError:
        return None
    matrix = A.to_petsc()
    solver = PETSc.KSP().create(comm=A.comm.comm)
    solver.setOperators(matrix)
    solver.setType("cg")
    solver.getPC().setType("none")
    solver.setTolerances(rtol=1e-300, atol=0, max_it=iterations)
    x, b = matrix.createVecs()
    b.set(1.0)
    return lambda: solver.solve(b, x)


def rows_of_table(comm, whole, iterations):
    """The name of each row, how it is timed, a function, and by how much its time is divided."""
    offsets = balanced_offsets(whole.indptr, comm.size)
    A = mpi.csr_rows(whole[int(offsets[comm.rank]) : int(offsets[comm.rank + 1])], comm)
    x, b, all_of_b, scipys = A.ones(), A.ones(), np.ones(whole.shape[0]), whole.to_scipy()
    settings = {"rtol": 0, "maxiter": iterations}
    yield "A @ x: spark_csr", on_one, lambda: whole @ all_of_b, 1
    yield f"A @ x: spark_csr.interop.mpi, {comm.size} ranks", on_all, lambda: A @ x, 1
    yield "cg: scipy, scipy's matrix", on_one, lambda: scipy.sparse.linalg.cg(scipys, all_of_b, **settings), iterations
    yield "cg: spark_csr.linalg", on_one, lambda: cg(whole, all_of_b, **settings), iterations
    yield f"cg: spark_csr.interop.mpi, {comm.size} ranks", on_all, lambda: mpi.cg(A, b, **settings), iterations
    solve = petsc_solver(A, iterations)
    if solve is not None:
        yield f"cg: PETSc, {comm.size} ranks", on_all, solve, iterations


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("side", type=int, help="points on each side of a cube")
    parser.add_argument("--points", type=int, help="points on a line, instead of a cube")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    whole = poisson((options.points,) if options.points else (options.side,) * 3)
    table = list(rows_of_table(comm, whole, options.iterations))
    times = [[] for _ in table]
    for _ in range(options.rounds + 1):  # the first compiles
        for (_, measure, call, share), found in zip(table, times, strict=True):
            with config(threads=None):
                found.append(measure(comm, call) / share)
    if comm.rank == 0:
        where = machine.record()
        print(f"{where['processor']['name']}, {where['cores']} cores, {where['date']}, load {os.getloadavg()[0]:.1f}")
        print(f"{whole.shape[0]:,} rows, {whole.nnz:,} entries")
        for (name, *_), found in zip(table, times, strict=True):
            print(f"{name:40} {min(found[1:]) * 1e3:10.3f} ms")


if __name__ == "__main__":
    main()
