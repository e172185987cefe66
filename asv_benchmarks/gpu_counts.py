"""What the main kernels for GPUs cost, counted on compiled kernels without a GPU: no time, but exact and the same everywhere.

    python gpu_counts.py [--only PATTERN] [--kernels] [--write]

Kernels are compiled for capability 9.0 and executed by `tests/ptx` on fixed inputs, float64 and int32 unless a row says
otherwise. Columns: instructions of warps by item; how many lanes of a warp are at work; bytes of the 32-byte sectors that are
loaded from and stored to global memory, by item; passes over the banks of shared memory by the least that would do; launches of
this package; how often the host waits for a value. The last columns compare with what `results/gpu-counts.json` keeps: 0.50x is
half of it. `--write` keeps what was counted. `tests/whole/test_gpu_counts.py` fails where a count is more than 3 % above that.

PTX is not machine code: a move of a pair of registers is free, an addition of 64 bits is two. Compare variants by it.
"""

import argparse
import json
import pathlib
import re
import sys
from importlib.metadata import PackageNotFoundError, version

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "asv_benchmarks" / "results" / "gpu-counts.json"

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "asv_benchmarks")]

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402

import spark_csr as sc  # noqa: E402
from spark_csr import graph, primitives  # noqa: E402
from spark_csr._cli.table import align  # noqa: E402

COUNTERS = (
    "warp_instructions",
    "thread_instructions",
    "sectors",
    "wavefronts",
    "ideal_wavefronts",
    "load_requests",
    "launches",
)
"""What is counted of each kernel. Sectors are those of loads, stores and atomic operations."""

GUARDED = ("warp_instructions", "sectors", "wavefronts", "launches", "host_reads")
"""What must not rise."""


def poisson(n, m, depth):
    """The 7-point matrix of a box: rows of up to seven entries."""
    parts = [sp.diags_array([-np.ones(k - 1), 2 * np.ones(k), -np.ones(k - 1)], offsets=[-1, 0, 1]) for k in (n, m, depth)]
    ones = [sp.eye_array(k) for k in (n, m, depth)]
    x, y, z = (sp.kron(a, sp.kron(b, c)) for a, b, c in _one_of_each(parts, ones))
    return sorted_csr(x + y + z)


def _one_of_each(parts, ones):
    for k in range(3):
        yield [parts[j] if j == k else ones[j] for j in range(3)]


def power_law(n, longest, exponent=1.05):
    """Rows whose lengths follow a power law, the longest anywhere."""
    rng = np.random.default_rng(3)
    lengths = np.minimum((3 * n / np.arange(1, n + 1) ** exponent).astype(int) + 1, longest)
    rng.shuffle(lengths)
    columns = np.concatenate([np.sort(rng.choice(n, k, replace=False)) for k in lengths])
    return sorted_csr(sp.csr_array((rng.random(columns.size), columns, np.r_[0, np.cumsum(lengths)]), shape=(n, n)))


def wide(n):
    """Entries of 4,096 rows and so many columns that row and column together need 40 bits."""
    rng = np.random.default_rng(8)
    return sp.coo_array((rng.random(n), (rng.integers(0, 1 << 12, n), rng.integers(0, 1 << 28, n))), shape=(1 << 12, 1 << 28))


def sorted_csr(matrix):
    """The matrix with int32 indices in order."""
    made = sp.csr_array(matrix)
    made.sort_indices()
    return sp.csr_array((made.data, made.indices.astype(np.int32), made.indptr.astype(np.int32)), shape=made.shape)


def on_gpu(matrix):
    """The same matrix there."""
    return sc.csr_array(matrix, device="cuda")


def to_gpu(x):
    """The array there."""
    import cupy

    return cupy.asarray(x)


def random(n, dtype=np.float64):
    """Numbers of which no two are likely to be equal."""
    rng = np.random.default_rng(7)
    kind = np.dtype(dtype)
    return (
        rng.random(n).astype(kind) if kind.kind == "f" else rng.integers(0, 2 ** min(8 * kind.itemsize - 1, 62), n).astype(kind)
    )


def product(matrix, dtype=np.float64, columns=None, transposed=False):
    """`A @ x`, or of several vectors; items are entries, and entries times columns. None are kept of values that were seen."""
    A = on_gpu(matrix.astype(dtype))
    x = to_gpu(random(matrix.shape[1] * (columns or 1), dtype).reshape(matrix.shape[1], *([columns] if columns else [])))
    left = A.T if transposed else A
    _ = A.data if transposed == "values seen" else None
    return (lambda: left @ x), matrix.nnz * (columns or 1)


def by_tiles(matrix):
    """`A @ x` by tiles, where lanes would take the rows; the first call plans that."""
    from spark_csr._cuda.tuning import TUNING

    call, items = product(matrix)
    with TUNING.replace(spmv_bound=0):
        call()
    return call, items


def multiply(left, right):
    """`A @ B`; items are products."""
    A, B = on_gpu(left), on_gpu(right)
    return (lambda: A @ B), int(np.diff(right.indptr)[left.indices].sum())


def square(matrix):
    """`A @ A`; items are products."""
    return multiply(matrix, matrix)


def uniform(rows, columns, per_row):
    """So many entries in each row, anywhere."""
    rng = np.random.default_rng(9)
    chosen = np.concatenate([np.sort(rng.choice(columns, per_row, replace=False)) for _ in range(rows)])
    indptr = np.arange(rows + 1) * per_row
    return sorted_csr(sp.csr_array((rng.random(chosen.size), chosen, indptr), shape=(rows, columns)))


def of_array(call, x):
    """A primitive of an array; items are its elements."""
    there = to_gpu(x)
    return (lambda: call(there)), x.size


def of_segments(call, x, lengths):
    """A primitive of segments; items are elements."""
    there, offsets = to_gpu(x), to_gpu(np.r_[0, np.cumsum(lengths)])
    return (lambda: call(there, offsets)), x.size


def compact(n):
    """Three of ten are kept."""
    x, mask = to_gpu(random(n)), to_gpu(random(n) < 0.3)
    return (lambda: primitives.compact(x, mask)), n


def from_coordinates(matrix):
    """Coordinates in no order; items are entries."""
    made = sp.coo_array(matrix)
    order = np.random.default_rng(1).permutation(made.nnz)
    row, column, data = (to_gpu(x[order]) for x in (*made.coords, made.data))
    return (lambda: sc.coo_array((data, (row, column)), shape=made.shape).tocsr()), made.nnz


def to_columns(matrix):
    """CSR to CSC; items are entries."""
    return (lambda: on_gpu(matrix).tocsc()), matrix.nnz


def of_graph(call, matrix):
    """An algorithm on a symmetric graph; items are edges."""
    both = sorted_csr(matrix + matrix.T)
    found = graph.Graph(on_gpu(both))
    return (lambda: call(found)), both.nnz


def cases():
    """Rows by name: a function that returns what is counted, and how many items that is."""
    ends = np.random.default_rng(2)
    short, long = ends.integers(0, 60, 1500), [1 << 16]
    box, law = poisson(8, 64, 32), power_law(8000, 4000)
    dense = sp.csr_array(np.random.default_rng(4).random((3, 30000)))
    f32 = np.float32
    return {
        "A @ x, 6.6 a row": lambda: product(box),
        "A @ x, 6.6 a row, float32": lambda: product(box, f32),
        "A @ x, 6.6 a row, by tiles": lambda: by_tiles(box),
        "A @ x, power law": lambda: product(law),
        "A @ x, power law, float32": lambda: product(law, f32),
        "A @ x, rows of 30000": lambda: product(sorted_csr(dense)),
        "A.T @ x, 6.6 a row": lambda: product(box, transposed=True),
        "A.T @ x, 6.6 a row, values seen": lambda: product(box, transposed="values seen"),
        "A @ X, 6.6 a row, 16 columns": lambda: product(box, columns=16),
        "A @ X, power law, 32 columns": lambda: product(power_law(2000, 1000), columns=32),
        "A @ A, 6.6 a row": lambda: square(poisson(8, 16, 32)),
        "A @ A, power law": lambda: square(power_law(300, 200, 0.8)),
        "A @ B, rows of 10^5 products": lambda: multiply(uniform(2, 4000, 2000), uniform(4000, 5000, 50)),
        "inclusive_scan, 2^17": lambda: of_array(primitives.inclusive_scan, random(1 << 17)),
        "inclusive_scan, 2^17, int32": lambda: of_array(primitives.inclusive_scan, random(1 << 17, np.int32)),
        "segmented_scan, segments of 30": lambda: of_segments(primitives.segmented_scan, random(short.sum()), short),
        "segmented_reduce, segments of 30": lambda: of_segments(primitives.segmented_reduce, random(short.sum()), short),
        "segmented_reduce, a segment of 2^16": lambda: of_segments(primitives.segmented_reduce, random(1 << 16), long),
        "compact, 2^17, 30 % kept": lambda: compact(1 << 17),
        "radix sort, 2^16 uint32": lambda: of_array(
            lambda x: primitives.sort(x, algorithm="radix"), random(1 << 16, np.uint32)
        ),
        "radix argsort, 2^16 uint32": lambda: of_array(
            lambda x: primitives.argsort(x, algorithm="radix"), random(1 << 16, np.uint32)
        ),
        "merge sort, 2^14": lambda: of_array(lambda x: primitives.sort(x, algorithm="merge"), random(1 << 14)),
        "segmented_sort, segments of 30": lambda: of_segments(primitives.segmented_sort, random(short.sum()), short),
        "COO to CSR, 6.6 a row": lambda: from_coordinates(poisson(8, 16, 32)),
        "COO to CSR, 40 bits": lambda: from_coordinates(wide(30000)),
        "tocsc, 6.6 a row": lambda: to_columns(poisson(8, 16, 32)),
        "bfs, power law": lambda: of_graph(lambda g: graph.bfs(g, 0), power_law(2000, 500)),
        "connected_components, power law": lambda: of_graph(graph.connected_components, power_law(2000, 500)),
    }


def count(made):
    """What one call costs: items, launches, host reads, and the counters of each kernel. Plans are made before."""
    import cupy_stand_in
    import ptx
    import ptx.run

    call, items = made()
    call()
    ptx.counters.clear()
    ptx.run._launches.update(test=None, number=0)
    launched, read = cupy_stand_in.driver.launches, sum(cupy_stand_in.host_reads.values())
    with ptx.options(random=0, seed=1, race=0):
        call()
    kernels = {}
    for name, c in ptx.counters.items():
        kernel = kernels.setdefault(short_name(name), dict.fromkeys(COUNTERS, 0))
        found = dict(c, sectors=c["load_sectors"] + c["store_sectors"] + c["atomic_sectors"])
        found.update(wavefronts=c["shared_wavefronts"], ideal_wavefronts=c["shared_ideal"])
        for counter in COUNTERS:
            kernel[counter] += found[counter]
    launches, reads = cupy_stand_in.driver.launches - launched, sum(cupy_stand_in.host_reads.values()) - read
    return {"items": items, "launches": launches, "host_reads": reads, "kernels": kernels}


def short_name(name):
    """`segmented._reduce_rows` of the name of a kernel."""
    return ".".join(name.partition("(")[0].split(".")[-2:])


def total(row, counter):
    """A count of all kernels of a row."""
    return row[counter] if counter in row else sum(kernel[counter] for kernel in row["kernels"].values())


def versions():
    """Of what compiles the kernels."""
    found = {}
    for name in ("numba-cuda", "numba", "nvidia-nvvm"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def kept():
    """The rows that are kept, by name."""
    return json.loads(KEPT.read_text())["rows"] if KEPT.exists() else {}


def risen(row, before, most=1.03):
    """What of a row is above what was kept, as text."""
    counts = ((counter, total(row, counter), total(before, counter)) for counter in GUARDED)
    return [f"{counter}: {now:,}, was {then:,}" for counter, now, then in counts if now > most * then]


def text(found, before, by_kernel):
    """The table."""
    lines = [
        ["", "instructions", "lanes", "bytes moved", "banks", "launches", "host reads", "kept: instructions", "bytes", "banks"]
    ]
    for name, row in found.items():
        lines.append([name, *_cells(row), *_ratios(row, before.get(name))])
        for kernel, counters in row["kernels"].items() if by_kernel else ():
            lines.append([f"  {kernel}", *_cells(dict(counters, items=row["items"], kernels={}, host_reads=""))])
    return align([line + [""] * (len(lines[0]) - len(line)) for line in lines])


def _cells(row):
    items, ideal, warps = row["items"], total(row, "ideal_wavefronts"), total(row, "warp_instructions")
    cells = [f"{warps / items:.2f}", f"{total(row, 'thread_instructions') / max(warps, 1):.1f}"]
    cells += [f"{32 * total(row, 'sectors') / items:.1f}", f"{total(row, 'wavefronts') / ideal:.2f}" if ideal else "-"]
    return [*cells, str(row["launches"]), str(row["host_reads"])]


def _ratios(row, before):
    if before is None:
        return ["-"] * 3
    pairs = [(total(row, counter), total(before, counter)) for counter in ("warp_instructions", "sectors", "wavefronts")]
    return [f"{now / then:.2f}x" if then else "-" for now, then in pairs]


def main():
    """Count, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="rows whose name it is found in")
    parser.add_argument("--kernels", action="store_true", help="a line for each kernel too")
    parser.add_argument("--write", action="store_true", help=f"keep what was counted in {KEPT.name}")
    options = parser.parse_args()
    from gpu.stand_in import stand_in

    if not stand_in():
        sys.exit("numba-cuda and a C++ compiler are needed: pip install -e '.[test]' 'numba-cuda[cu13]'")
    before, found = kept(), {}
    for name, made in cases().items():
        if re.search(options.only, name):
            found[name] = count(made)
            print(text({name: found[name]}, before, False).splitlines()[1], file=sys.stderr)
    print(text(found, before, options.kernels))
    if options.write:
        rows = {name: {**before, **found}[name] for name in cases() if name in {**before, **found}}
        from machine import by_rows  # beside this file, which tests load without its folder

        KEPT.write_text(by_rows({"capability": "9.0", "versions": versions(), "rows": rows}))


if __name__ == "__main__":
    main()
