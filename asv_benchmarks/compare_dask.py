"""Matrices in blocks of rows on Dask's workers, beside other ways to multiply there, and beside one process.

    python compare_dask.py                                # Poisson's equation on 128^3 points, R-MAT of scale 18
    python compare_dask.py --side 200 --scale 20          # about a gigabyte
    python compare_dask.py --limit 400                    # also a matrix of four times the memory of the workers, from files

Two workers are started, processes of one thread each; one process has two threads. Workers keep memory that was freed, as that
process does; with `--dask-memory` they return it at once, as is Dask's default. All ways take turns; the least time of all
rounds is printed, and its ratio to that of `csr_blocks`. Messages, tasks and peaks of memory do not depend on the load of the
machine. Solvers on MPI are compared by `compare_mpi.py`.
"""

import argparse
import operator
import os
import pathlib
import tempfile
import threading
import time

import dask
import dask.array as da
import numpy as np
import psutil
import scipy.sparse
from distributed import Client, LocalCluster, wait

import machine
from spark_csr import config
from spark_csr.gallery import poisson, rmat
from spark_csr.interop.dask import from_coo, linalg, open_blocks, save_blocks
from spark_csr.interop.dask import iterate as engine
from spark_csr.interop.dask.graphs import make_graph
from spark_csr.io import save_blocks as save

WORKERS, BLOCKS = 2, 2

KEEP = {"MALLOC_TRIM_THRESHOLD_": 2**32, "MALLOC_MMAP_THRESHOLD_": 2**25}
"""Variables of the environment with which workers keep memory that was freed; the guide "Scaling out" says more."""


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def take_turns(ways, rounds, expected=None):
    """The least time of each way; a way is called with the number of the round, since equal keys would not be computed."""
    times = {name: [] for name in ways}
    for k in range(rounds + 1):  # the first loads kernels, and is checked
        for name, call in ways.items():
            result = None  # lets the workers forget it
            begin = time.perf_counter()
            result = wait_for(call(k))
            times[name].append(time.perf_counter() - begin)
            if k == 0 and expected is not None and np.shape(result) == np.shape(expected):
                np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-9, err_msg=name)
    return {name: min(found[1:]) for name, found in times.items()}


def wait_for(result):
    """Return a result when it is there."""
    if dask.is_dask_collection(result):
        wait(result)
    return result


def show(title, times):
    ours = next(iter(times.values()))
    print(f"\n{title}")
    for name, found in times.items():
        print(f"  {name:52} {found * 1e3:9.1f} ms {found / ours:7.2f}")


def sent(client):
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def to_scipy(matrix):
    return scipy.sparse.csr_array(matrix.to_scipy())


def by_blocks(matrix, x):
    """The product as Dask's documentation has it; `matrix @ x` is a ValueError for chunks of SciPy's `csr_array`."""
    return da.blockwise(operator.matmul, "i", matrix, "ij", x, "j", dtype=float, concatenate=True)


def one_by_one(matrix, x):
    """The product with a task of one's own for each chunk."""
    (whole,) = x.to_delayed()
    parts = [dask.delayed(operator.matmul)(chunk, whole) for chunk in matrix.to_delayed()[:, 0]]
    return da.concatenate([da.from_delayed(p, (n,), float) for p, n in zip(parts, matrix.chunks[0], strict=True)])


def one(*_):
    return 1.0


def trivial(client, name, steps):
    """Tasks without work where blocks would be: what Dask itself takes for a product of one or two steps."""
    made, before = {}, ()
    for step in range(steps):
        keys = [(f"step-{step}-of-{steps}-{name}", i) for i in range(WORKERS)]
        made.update(dict.fromkeys(keys, (one, *before)))
        before = keys
    homes = sorted(client.nthreads())
    graph = make_graph(keys[0][0], made, (), homes, {key[0]: 1 for key in made})
    return da.Array(graph, keys[0][0], ((1,) * WORKERS,), dtype=float).persist(optimize_graph=False)


def products(title, S, A, client, rounds):
    """`A @ x` in all ways, and what it sends beside the plan."""
    rng, n = np.random.default_rng(0), S.shape[1]
    first = [A @ da.from_array(rng.random(n), chunks=(A.chunks[1],)) for _ in range(rounds + 2)]
    first = [y.persist(optimize_graph=False) for y in first]
    given = [y.compute() for y in first]
    placed = [A.place(da.from_array(x, chunks=(A.chunks[1],))) for x in given]
    gathered = [da.from_array(x, chunks=-1).persist() for x in given]
    ours = A.to_dask_array().persist()
    scipys = ours.map_blocks(to_scipy, meta=scipy.sparse.csr_array((0, 0))).persist()
    wait([*placed, *gathered, ours, scipys])
    ways = {
        "csr_blocks, x placed": lambda k: (A @ placed[k]).persist(optimize_graph=False),
        "csr_blocks, x made by a product": lambda k: (A @ first[k]).persist(optimize_graph=False),
        "dask.array of csr_array, as one writes it": lambda k: (ours @ placed[k]).persist(),
        "dask.array of csr_array, x gathered": lambda k: (ours @ gathered[k]).persist(),
        "dask.array of SciPy's, blockwise": lambda k: by_blocks(scipys, placed[k]).persist(),
        "dask.array of SciPy's, blockwise, x gathered": lambda k: by_blocks(scipys, gathered[k]).persist(),
        "delayed products of SciPy's, x gathered": lambda k: one_by_one(scipys, gathered[k]).persist(),
        f"one process, {WORKERS} threads": lambda k: S @ given[k],
    }
    ways |= {
        "one task for each worker that returns a number": lambda k: trivial(client, f"{title}-{k}", 1),
        "two such tasks, one after the other": lambda k: trivial(client, f"{title}-{k}", 2),
    }
    with config(threads=WORKERS):
        show(f"A @ x: {title}, {S.shape[0]:,} rows, {S.nnz:,} entries", take_turns(ways, rounds, S @ given[0]))
    homes = [client.who_has()[key][0] for key in A.__dask_keys__()]
    plan, before = A.plan.halo.nbytes(8, workers=homes), sent(client)
    wait((A @ placed[-1]).persist(optimize_graph=False))
    print(f"  sent {sent(client) - before:,} bytes, planned {plan:,}: {(sent(client) - before) / plan:.3f}")


def squares(title, S, folder, rounds):
    """`A @ A`; two factors take turns, so that the key is not that of the round before."""
    save(folder, S, BLOCKS)
    scaled = [(open_blocks(folder) * factor).persist() for factor in (1.0, 2.0)]
    wait(scaled)
    ways = {
        "csr_blocks": lambda k: dask.persist(scaled[k % 2] @ scaled[k % 2], optimize_graph=False)[0],
        f"one process, {WORKERS} threads": lambda k: S @ S,
    }
    with config(threads=WORKERS):
        show(f"A @ A: {title}, {S.shape[0]:,} rows, {S.nnz:,} entries", take_turns(ways, rounds))


def iterations(title, A, rounds):
    """Conjugate gradients: milliseconds and tasks of an iteration."""
    counts, make_graph = [], engine.make_graph

    def count(layer, made, *others):
        counts.append(len(made))
        return make_graph(layer, made, *others)

    engine.make_graph = count
    b = [A.place(da.full(A.shape[0], k + 1.0, chunks=(A.chunks[0],))) for k in range(rounds)]
    try:
        found = min(seconds(lambda k=k: linalg.cg(A, b[k], rtol=0, maxiter=20)) / 20 for k in range(rounds))
    finally:
        engine.make_graph = make_graph
    about = A.describe()
    print(f"\ncg: {title}: {found * 1e3:.1f} ms and {(counts[-1] - 1) / 20:.1f} tasks an iteration, and one for all")
    print(f"  3 P + messages are {3 * BLOCKS + about.messages}")


def entries(which, number, count, n):
    """Rows, columns or values of some entries, as if they were read from a file."""
    k = np.arange(count) + number * count
    rows = 7919 * k % n
    return {"row": rows.astype("i4"), "column": ((rows + 37 * (k // n)) % n).astype("i4"), "value": np.sqrt(k) + 0j}[which]


def out_of_core(limit):
    """Assemble a matrix of four times the memory of all workers, and multiply it from its files: peaks over the limit."""
    count, n = 500_000, 4_000_000
    chunks = -(-4 * WORKERS * limit // (20 * count))
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": limit}
    with tempfile.TemporaryDirectory() as folder, LocalCluster(**options) as cluster, Client(cluster) as client:
        pids = client.run(os.getpid)
        processes, peak, done = [psutil.Process(pid) for pid in pids.values()], [0], threading.Event()

        def watch():
            while not done.wait(0.02):
                peak[0] = max(peak[0], *(process.memory_info().rss for process in processes))

        threading.Thread(target=watch, daemon=True).start()
        arrays = [
            da.concatenate([da.from_delayed(dask.delayed(entries)(w, k, count, n), (count,), d) for k in range(chunks)])
            for w, d in (("row", "i4"), ("column", "i4"), ("value", "c16"))
        ]
        A = from_coo(*arrays, shape=(n, n), blocks=chunks // 2, scratch=folder)
        took = seconds(lambda: save_blocks(pathlib.Path(folder, "large"), A))
        print(f"\nout of core: {20 * count * chunks / 2**20:,.0f} MB, two workers of {limit / 2**20:.0f} MB")
        print(f"  assembly: {took:.0f} s, peak {peak[0] / limit:.2f} of the limit")
        B, ones, peak[0] = open_blocks(pathlib.Path(folder, "large")), da.ones(n, chunks=n // 16), 0
        took = min(seconds(lambda: (B @ ones).sum().compute()) for _ in range(3))
        print(
            f"  product: {took:.1f} s, peak {peak[0] / limit:.2f} of the limit; workers lost: {client.run(os.getpid) != pids}"
        )
        done.set()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=128, help="points on each side of a cube")
    parser.add_argument("--scale", type=int, default=18, help="log2 of the vertices of a graph")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dask-memory", action="store_true", help="workers return memory at once, as is Dask's default")
    parser.add_argument("--limit", type=int, help="memory of each worker in MB: also multiply out of core")
    options = parser.parse_args()
    where = machine.record()
    print(f"{where['processor']['name']}, {where['cores']} cores, {where['date']}, load {os.getloadavg()[0]:.1f}")
    kept = {} if options.dask_memory else KEEP
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.config.set({f"distributed.nanny.pre-spawn-environ.{name}": value for name, value in kept.items()}),
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        cases = {"Poisson": poisson((options.side,) * 3), "R-MAT": rmat(options.scale, 16)}
        for title, S in cases.items():
            save(pathlib.Path(folder, title), S, BLOCKS)
            A = open_blocks(pathlib.Path(folder, title)).persist()
            products(title, S, A, client, options.rounds)
            if title == "Poisson":
                iterations(title, A, options.rounds)
                squares(title, poisson((options.side * 5 // 8,) * 3), pathlib.Path(folder, "square"), options.rounds)
    if options.limit:
        out_of_core(options.limit * 2**20)
    print(f"\nload at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
