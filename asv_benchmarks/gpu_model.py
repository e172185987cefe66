"""What kernels would take on an H100 and an H200, estimated from what is counted without a GPU. No time here was measured.

    python gpu_model.py [--only PATTERN] [--kernels] [--all]

Rows are problems of which times have been published, each beside the published time; with `--all` also the rows of
`gpu_counts.py` at the sizes that are counted there. Ratios above 1 say that ours would be faster.

Assumptions, to be corrected by the first real run:

1. An instruction of PTX is one of the machine; each of the four schedulers of a multiprocessor issues 0.75 of them per cycle.
2. A multiprocessor moves 128 bytes per cycle from its first cache, and a row of banks of shared memory per cycle.
3. A block finds in the first cache what is among the last 512 sectors that it loaded; all other sectors come from the second.
4. The second cache gives 5.5 TB/s. Memory gives 3.0 TB/s on an H100, 4.3 TB/s on an H200: what copies reach.
5. A launch moves each byte once between memory and the second cache: what is gathered fits there, what is streamed does not.
6. The slowest of these decides, and of all but memory a kernel gets 0.9. No latency shows: enough warps are there.
7. Each launch takes 2.5 us more, from the end of the one before to its own first and last blocks.
8. The host is ahead, but a value that it waits for takes 10 us.
9. What is counted on a small problem grows in proportion to its items; launches and host reads stay as many.
10. Other libraries are estimated the same way where their kernels are counted (`gpu_peers.py`).
"""

import argparse
import collections
import json
import pathlib
import re
import sys
from typing import NamedTuple

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / "asv_benchmarks" / "results" / "gpu-peers.json"

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "asv_benchmarks")]

import scipy.sparse as sp  # noqa: E402

import gpu_counts  # noqa: E402
from spark_csr import primitives  # noqa: E402
from spark_csr._cli.table import align  # noqa: E402


class Gpu(NamedTuple):
    """A GPU: how many multiprocessors it has, its clock in Hz, and bytes a second from the second cache and from memory."""

    name: str
    processors: int
    clock: float
    cache: float
    memory: float


GPUS = Gpu("H100", 132, 1.755e9, 5.5e12, 3.0e12), Gpu("H200", 132, 1.755e9, 5.5e12, 4.3e12)
SCHEDULERS, ISSUED, REACHED = 4, 0.75, 0.9
NEAR_BYTES, SECTOR = 128, 32
LAUNCH, HOST_READ = 2.5e-6, 10e-6


def bounds(counted, gpu):
    """Return the seconds that each part of a GPU needs for what is counted, by name."""
    far = counted["far_sectors"] + counted["store_sectors"] + counted["atomic_sectors"]
    near = counted["load_sectors"] + counted["store_sectors"]
    cycles = REACHED * gpu.processors * gpu.clock
    return {
        "issue": counted["warp_instructions"] / (cycles * SCHEDULERS * ISSUED),
        "banks": counted["shared_wavefronts"] / cycles,
        "first cache": SECTOR * near / (cycles * NEAR_BYTES),
        "second cache": SECTOR * far / (REACHED * gpu.cache),
        "memory": (counted["bytes_read"] + counted["bytes_written"]) / gpu.memory,
    }


def seconds(kernels, host_reads, factor, gpu):
    """Return how long all kernels of a call take where they have `factor` times what was counted."""
    work = sum(factor * max(bounds(counted, gpu).values()) for counted in kernels.values())
    return work + LAUNCH * sum(counted["launches"] for counted in kernels.values()) + HOST_READ * host_reads


def slowest(kernels, gpu):
    """Return the name of what decides in the kernel that takes longest."""
    limits = [bounds(counted, gpu) for counted in kernels.values()]
    longest = max(limits, key=lambda found: max(found.values()))
    return max(longest, key=longest.get)


def count(made):
    """Return items, host reads, and all counters of each kernel of one call; plans are made before."""
    import cupy_stand_in
    import ptx

    call, items = made()
    call()
    ptx.counters.clear()
    read = sum(cupy_stand_in.host_reads.values())
    with ptx.options(random=0, seed=1, race=1):  # only where races are looked for, bytes are counted once
        call()
    kernels = collections.defaultdict(collections.Counter)
    for name, counted in ptx.counters.items():
        kernels[gpu_counts.short_name(name)].update(counted)
    return items, sum(cupy_stand_in.host_reads.values()) - read, dict(kernels)


class Published(NamedTuple):
    """A problem, how many items it has, and microseconds that others took, on an H100 if nothing else is said."""

    made: object
    items: float
    others: tuple
    peer: str = ""  # the row of `gpu_peers.py` that counts the same


def elasticity(n):
    """Blocks of 3 by 3 between the 27 neighbours in a box: rows of up to 81 entries."""
    band = sp.diags_array(np.ones((3, n)), offsets=[-1, 0, 1], shape=(n, n))
    return gpu_counts.sorted_csr(sp.kron(sp.kron(sp.kron(band, band), band), np.ones((3, 3))))


def circuit(n):
    """Rows of 2 to 20 entries near the diagonal, and one with a quarter of all columns."""
    rng = np.random.default_rng(5)
    lengths = rng.integers(2, 20, n)
    lengths[n // 3] = n // 4
    around = np.repeat(np.arange(n), lengths)
    spread = np.where(around == n // 3, n // 2, 40)
    columns = np.clip(around + rng.integers(-spread, spread + 1), 0, n - 1)
    return gpu_counts.sorted_csr(sp.coo_array((np.ones(columns.size), (around, columns)), shape=(n, n)))


def classes():
    """Which of 20 classes each of 11,314 texts is in, and words of each text, as many as in the data set "20 newsgroups"."""
    rng = np.random.default_rng(6)
    texts, words, per_text = 11_314, 130_107, 198
    of_text = sp.csr_array((np.ones(texts), (rng.integers(0, 20, texts), np.arange(texts))), shape=(20, texts))
    columns = np.minimum(np.exp(rng.random((texts, per_text)) * np.log(words)).astype(int), words) - 1
    found = sp.coo_array(
        (np.ones(columns.size), (np.repeat(np.arange(texts), per_text), columns.ravel())), shape=(texts, words)
    )
    return gpu_counts.sorted_csr(of_text), gpu_counts.sorted_csr(found)


def counted_peers():
    """The counts that `gpu_peers.py --write` has kept, by the name of the row."""
    return json.loads(PEERS.read_text())["rows"] if PEERS.exists() else {}


def published():
    """Problems by name. Those of an estimate have never been measured by anybody we know."""
    box = gpu_counts.poisson(8, 64, 32)
    of, product, random = gpu_counts.of_array, gpu_counts.product, gpu_counts.random
    keys, f32 = random(1 << 18, np.uint32), random(1 << 18, np.float32)
    pairs = np.full(120, 100)
    return {
        "A @ x, 7 points, 1M rows": Published(lambda: product(box), 6.94e6, (("cuSPARSE", 47),)),
        "A @ x, elasticity, 50.8M entries": Published(lambda: product(elasticity(7)), 50.8e6, (("cuSPARSE", 209),)),
        "A @ x, as circuit5M, 59.5M entries": Published(lambda: product(circuit(20000)), 59.5e6, (("cuSPARSE", 381),)),
        "A @ X, 7 points, 1M rows, 32 columns": Published(
            lambda: product(box, columns=32), 6.94e6 * 32, (("cuSPARSE, estimate", 550),)
        ),
        "A @ X, 1M entries, 32 columns": Published(lambda: product(box, columns=32), 1e6 * 32, (("cuSPARSE, estimate", 150),)),
        "A.T @ x, 50M entries": Published(lambda: product(box, transposed=True), 50e6, (("cuSPARSE, estimate", 500),)),
        "A @ A, 7 points, 1M rows": Published(lambda: gpu_counts.square(box), 48.2e6, (("cuSPARSE, estimate", 8000),)),
        "A @ A, elasticity, 100M products": Published(
            lambda: gpu_counts.square(elasticity(6)), 100e6, (("cuSPARSE, estimate", 8000),)
        ),
        "A @ B, 20 classes of texts, 1.8M products": Published(  # cupy#6511
            lambda: gpu_counts.multiply(*classes()), 0, (("cuSPARSE on a V100", 1600),)
        ),
        "inclusive_scan, 50M float32": Published(
            lambda: of(primitives.inclusive_scan, f32), 50e6, (("CuPy", 590), ("cuda.compute", 322)), "inclusive_scan, float32"
        ),
        "inclusive_scan, 50M int64": Published(
            lambda: of(primitives.inclusive_scan, random(1 << 18, np.int64) >> 40), 50e6, (), "inclusive_scan, int64"
        ),
        "radix sort, 2^28 uint32": Published(
            lambda: of(lambda x: primitives.sort(x, algorithm="radix"), keys),
            2.0**28,
            (("Onesweep on an A100", 2.0**28 / 29.4e3), ("CUB, estimate", 2.0**28 / 42e3)),
            "radix sort, uint32",
        ),
        "cartesian_product, 50M pairs": Published(lambda: all_pairs(pairs), 50e6, (("awkward", 50e6 / 7e3),)),
    }


def all_pairs(lengths):
    """The pairs of two ragged arrays of the same lengths."""
    offsets = gpu_counts.to_gpu(np.r_[0, np.cumsum(lengths)].astype(np.int32))
    return (lambda: primitives.cartesian_product(offsets, offsets)), int((lengths**2).sum())


def estimate(peer, items):
    """Yield the time of a peer whose kernels are counted, if they are."""
    if peer is not None:
        yield "CUB, counted", 1e6 * seconds(peer["kernels"], peer["host_reads"], items / peer["items"], GPUS[0])


def line(name, found, items, others):
    """Return the cells of a row: by GPU the time, what decides on the first, and how others compare."""
    counted_items, host_reads, kernels = found
    factor = (items or counted_items) / counted_items
    times = [1e6 * seconds(kernels, host_reads, factor, gpu) for gpu in GPUS]
    beside = "; ".join(f"{who}: {taken:.0f} us, {taken / times[0]:.2f}x" for who, taken in others)
    return [name, f"{factor * counted_items:.3g}", *(f"{time:.1f}" for time in times), slowest(kernels, GPUS[0]), beside]


def kernel_lines(found, items):
    """Return the cells of each kernel of a row."""
    counted_items, _, kernels = found
    return [line(f"  {name}", (counted_items, 0, {name: counted}), items, ()) for name, counted in kernels.items()]


def main():
    """Count, estimate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="rows whose name it is found in")
    parser.add_argument("--kernels", action="store_true", help="a line for each kernel too")
    parser.add_argument("--all", action="store_true", help="the rows of gpu_counts.py too")
    options = parser.parse_args()
    from gpu.stand_in import stand_in

    if not stand_in():
        sys.exit("numba-cuda and a C++ compiler are needed: pip install -e '.[test]' 'numba-cuda[cu13]'")
    rows = published()
    rows |= {name: Published(made, 0, ()) for name, made in gpu_counts.cases().items()} if options.all else {}
    peers = counted_peers()
    lines = [["", "items", *(f"{gpu.name}, us" for gpu in GPUS), "decides", "others on an H100"]]
    for name, row in rows.items():
        if re.search(options.only, name):
            found = count(row.made)
            lines.append(line(name, found, row.items, [*row.others, *estimate(peers.get(row.peer), row.items)]))
            lines += kernel_lines(found, row.items) if options.kernels else []
    print(align(lines))


if __name__ == "__main__":
    main()
