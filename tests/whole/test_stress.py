"""Use beyond the usual: subinterpreters, event loops, 32 threads at once, and tens of thousands of calls."""

import asyncio
import gc
import os
import pathlib
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from spark_csr import Ragged, coo_array, csr_array, gallery
from spark_csr.graph import Frontier, Graph, advance
from spark_csr.primitives import inclusive_scan, right_flood, segmented_reduce, segmented_scan, sort

pytestmark = pytest.mark.usefixtures("cpu_only")

ROOT = pathlib.Path(__file__).parents[2]


def run(code, **environment):
    """What a new process that ran the code printed; it must end by itself."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SUBINTERPRETER = """
import importlib, sys
name = next(name for name in ("_interpreters", "_xxsubinterpreters") if importlib.util.find_spec(name))
interpreters = importlib.import_module(name)
if {first}:
    import spark_csr
other = interpreters.create()
code = 'import sys; sys.path.insert(0, "."); import spark_csr; spark_csr.csr_array([[1.0]]) @ [1.0]'
run = getattr(interpreters, "exec", None) or interpreters.run_string
try:
    error = run(other, code)
except Exception as raised:
    error = raised
interpreters.destroy(other)
import spark_csr
print(error if {first} or error is None else getattr(error, "formatted", error), (spark_csr.csr_array([[2.0]]) @ [1.0])[0])
"""


@pytest.mark.parametrize("first", [True, False], ids=["imported here before", "not imported here"])
def test_a_subinterpreter_is_refused_and_the_process_lives(first):
    said = run("import importlib.util\n" + SUBINTERPRETER.format(first=first))
    assert "ImportError" in said
    assert "spark_csr cannot run in subinterpreter" in said
    assert said.split()[-1] == "2.0"


A = gallery.uniform(3000, 3000, 12)
X = np.random.default_rng(1).standard_normal(3000)


def test_inside_of_an_event_loop():
    expected = [(A @ X).tobytes(), (A.T @ X).tobytes()]

    async def work():
        inside = [(A @ X).tobytes(), (A.T @ X).tobytes()]
        tasks = [asyncio.to_thread(product) for _ in range(10) for product in (lambda: A @ X, lambda: A.T @ X)]
        return inside, [y.tobytes() for y in await asyncio.gather(*tasks)]

    for inside, beside in (asyncio.run(work()), asyncio.run(work())):
        assert inside == expected
        assert beside == expected * 10


THREADS = """
import threading
import numpy as np
from spark_csr import Ragged, config, csr_array, gallery
from spark_csr.primitives import inclusive_scan, right_flood, segmented_reduce
A = gallery.uniform(20000, 20000, 8)
B = gallery.uniform(300, 300, 5)
x, X = np.random.default_rng(1).standard_normal(20000), np.random.default_rng(2).standard_normal((20000, 5))
R = Ragged(A.data, A.indptr)
def less(value, i, j):
    return value - j
WORK = [
    lambda: A @ x, lambda: A.T @ x, lambda: A @ X, lambda: (B @ B).data, lambda: (B + B.T).data, lambda: A.sum(axis=1),
    lambda: inclusive_scan(x), lambda: right_flood(x, x > 1), lambda: segmented_reduce(A.data, A.indptr),
    lambda: R.map(less).values,
]
with config(threads=1):
    expected = [work().tobytes() for work in WORK]
ready, wrong = threading.Barrier(32), []
def mixed(first):
    ready.wait()
    for i in range(first, first + 2 * len(WORK)):
        i %= len(WORK)
        if WORK[i]().tobytes() != expected[i]:
            wrong.append(i)
threads = [threading.Thread(target=mixed, args=(i,)) for i in range(32)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(wrong)
"""


def test_thirty_two_threads():
    assert run(THREADS).strip() == "[]"


SMALL = csr_array([[1.0, 0, 2], [0, 3, 0], [4, 0, 5]])
OTHER = csr_array([[0.0, 1, 0], [2, 0, 0], [0, 0, 3]])
VECTOR, BLOCK, ROWS = np.arange(3.0), np.arange(6.0).reshape(3, 2), Ragged.from_lists([[1.0, 2], [], [3.0]])
GRAPH = Graph(SMALL)
FROM = Frontier.of(GRAPH, [0, 1])


def scaled(value, i, j):
    return value * (i + j)


def heavy(src, dst, edge, weight):
    return weight > 1


OPERATIONS = {
    "A @ x": lambda: SMALL @ VECTOR,
    "A @ X": lambda: SMALL @ BLOCK,
    "A.T @ x": lambda: SMALL.T @ VECTOR,
    "A @ B": lambda: SMALL @ OTHER,
    "A + B": lambda: SMALL + OTHER,
    "transpose": lambda: SMALL.T.tocsr(),
    "sum": lambda: SMALL.sum(axis=1),
    "rows": lambda: SMALL[1:],
    "to SciPy": lambda: SMALL.to_scipy(),
    "coordinates": lambda: coo_array((VECTOR, ([0, 1, 1], [2, 0, 1])), shape=(3, 3)).tocsr(),
    "scan": lambda: inclusive_scan(VECTOR),
    "segmented scan": lambda: segmented_scan(SMALL.data, SMALL.indptr),
    "segmented reduce": lambda: segmented_reduce(SMALL.data, SMALL.indptr),
    "flood and sort": lambda: sort(right_flood(VECTOR, VECTOR > 1)),
    "map": lambda: ROWS.map(scaled),
    "advance": lambda: advance(GRAPH, FROM, heavy),
}


def resident():
    """The bytes of this process that are in memory."""
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def repeat(times):
    for _ in range(times):
        for operation in OPERATIONS.values():
            operation()


@pytest.mark.slow
@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="needs /proc")
def test_ten_thousand_calls_of_each_keep_nothing():
    """Resident memory over all calls, and what Python allocates over some more, after NumPy's store of small blocks is full."""
    assert len(OPERATIONS) == 16
    repeat(500)
    before = resident()
    repeat(10_000)
    grown = resident() - before
    tracemalloc.start()
    try:
        repeat(400)
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
        repeat(400)
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0] - kept
    finally:
        tracemalloc.stop()
    assert grown < 2**20
    assert kept < 2**15  # a leak of 82 bytes in each round
