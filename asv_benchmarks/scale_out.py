"""What a product `A @ x` of a graph costs on many nodes, computed from the blocks of a smaller graph of the same kind.

    python scale_out.py --rmat 20                           # shares of x of R-MAT graphs, for the web graph of 2012 on 64 nodes
    python scale_out.py --matrix web.npz --nodes 16 64      # of a matrix in SciPy's format
    python scale_out.py --poisson 96 --check                # also count what two Dask workers send, beside what is predicted

Each node holds one block of rows. Three ways are compared: every node receives all of x; it receives what its block needs (the
halo, `spark_csr.partition.halo_plan`); or blocks are squares of a grid of nodes, which receive x along columns and add parts of
y along rows. The share of x in a halo depends on the graph and on the order of its vertices, so it is taken from the smaller
graph cut into as many blocks. Seconds are bytes over the bandwidth, and entries over the speed of the cores; nothing overlaps.
"""

import argparse
import math
import os
import tempfile
from typing import NamedTuple

import numpy as np

from spark_csr import load_npz
from spark_csr.gallery import poisson, rmat
from spark_csr.partition import balanced_offsets, halo_plan, split

WEB = 3_563_000_000, 128_736_000_000
"""Vertices and edges of the web graph of 2012, webdatacommons.org."""


class Node(NamedTuple):
    """What a node can do: assumed, unless it was measured."""

    bandwidth: float = 10e9
    """Bytes a second that it receives: 100 Gb/s less what protocols take."""
    entry: float = 6e-9
    """Seconds of a core for an entry; measured for `A @ x` of R-MAT 20, 2026-11."""
    cores: int = 32
    tasks: float = 1000.0
    """Tasks a second of Dask's scheduler: 500 to 2000 were measured, 2026-11."""


class Cost(NamedTuple):
    """Of one product: what the busiest node receives, and what all do."""

    received: float
    wire: float
    product: float
    messages: int
    tasks: int


class Shares(NamedTuple):
    """Of the blocks of a graph: received elements over the length of x, and messages."""

    mean: float
    largest: float
    messages: int
    entries: float
    """Entries of the largest block over the mean."""


def shares(matrix, nodes):
    """What the plan of so many blocks says."""
    blocks = split(matrix, balanced_offsets(matrix.indptr, nodes))
    plan = halo_plan(blocks)
    received, nnz = np.array(plan.received()) / matrix.shape[1], np.array([block.nnz for block in blocks])
    return Shares(float(received.mean()), float(received.max()), len(plan.messages), float(nnz.max() / max(nnz.mean(), 1)))


def predict(vertices, edges, nodes, halo, itemsize=8, node=None):
    """The costs of the three ways, by name; `halo` are the shares of a graph of the same kind in as many blocks."""
    node, side = node or Node(), math.isqrt(nodes)
    product = edges / nodes * node.entry / node.cores
    ways = {"all of x to every node": (vertices * (1 - 1 / nodes), nodes * (nodes - 1), nodes, 1.0)}
    ways["halo"] = (vertices * halo.largest, halo.messages, nodes + halo.messages, halo.entries)
    if side * side == nodes:
        ways[f"squares, {side} x {side}"] = (2 * vertices / side * (1 - 1 / side), 2 * nodes * (side - 1), 3 * nodes, 1.0)
    return {
        name: Cost(count * itemsize, count * itemsize / node.bandwidth, product * uneven, messages, tasks)
        for name, (count, messages, tasks, uneven) in ways.items()
    }


def show(title, vertices, edges, nodes, halo, node):
    print(f"\n{title}: {vertices:,} vertices, {edges:,} edges, {nodes} nodes")
    print(f"  halo: {halo.mean:.4f} of x for the mean block, {halo.largest:.4f} for the largest")
    print(f"  {'':24} {'received':>10} {'wire':>8} {'product':>8} {'together':>9} {'messages':>9} {'Dask tasks':>11}")
    for name, cost in predict(vertices, edges, nodes, halo, node=node).items():
        together = cost.wire + cost.product
        print(
            f"  {name:24} {cost.received / 1e9:7.2f} GB {cost.wire:6.2f} s {cost.product:6.2f} s {together:7.2f} s "
            f"{cost.messages:9,} {cost.tasks:6,}, {cost.tasks / node.tasks:.1f} s"
        )


def measure(matrix):
    """The bytes that two Dask workers send in `A @ x`."""
    from distributed import Client, LocalCluster, wait

    from spark_csr.interop.dask import open_blocks
    from spark_csr.io import save_blocks

    def sent():
        return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        save_blocks(os.path.join(folder, "A"), matrix, 2)
        A = open_blocks(os.path.join(folder, "A")).persist()
        x = A.place(np.ones(A.shape[1]))
        wait(x)
        before = sent()
        wait((A @ x).persist(optimize_graph=False))
        return sent() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--rmat", type=int, default=18, help="log2 of the vertices of a graph without locality")
    kind.add_argument("--poisson", type=int, help="points on each side of a cube, a graph with locality")
    kind.add_argument("--matrix", help="a square matrix in a .npz file")
    parser.add_argument("--nodes", type=int, nargs="+", default=[4, 16, 64])
    parser.add_argument("--vertices", type=float, default=WEB[0])
    parser.add_argument("--edges", type=float, default=WEB[1])
    parser.add_argument("--check", action="store_true", help="count what two Dask workers send")
    parser.add_argument("--bandwidth", type=float, default=Node().bandwidth, help="bytes a second")
    parser.add_argument("--cores", type=int, default=Node().cores)
    options = parser.parse_args()
    node = Node(bandwidth=options.bandwidth, cores=options.cores)
    if options.matrix:
        matrix = load_npz(options.matrix).tocsr()
    else:
        matrix = poisson((options.poisson,) * 3) if options.poisson else rmat(options.rmat, 16)
    for nodes in options.nodes:
        show("predicted", int(options.vertices), int(options.edges), nodes, shares(matrix, nodes), node)
    if options.check:
        two = shares(matrix, 2)
        expected, found = 2 * two.mean * matrix.shape[1] * 8, measure(matrix)
        print(f"\ntwo Dask workers sent {found:,} bytes; predicted {expected:,.0f}: {found / expected:.3f}")


if __name__ == "__main__":
    main()
