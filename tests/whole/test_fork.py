"""Processes that are forked: whatever the parent did, the child gets the same bits, and never waits for what is gone."""

import os
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.usefixtures("cpu_only"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system"),
]

START = """
import os, signal, sys, threading, time, warnings
import numpy as np
import spark_csr as sp
from spark_csr import gallery, primitives
A, x = gallery.uniform(20000, 20000, 8), np.random.default_rng(0).random(20000)

def work():
    product = A @ A
    return [(A @ x).tobytes(), (A.T @ x).tobytes(), product.data.tobytes(), product.indices.tobytes(),
            primitives.sort(A.data).tobytes(), primitives.inclusive_scan(A.data).tobytes(), (A + A.T).data.tobytes()]

def in_child(run):
    '''What `run` returns in a forked process, and the warnings that it caused there.'''
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)  # a child that hangs is ended
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                same = run()
            text = f"{same} {len(caught)} {all('forked' in str(one.message) for one in caught)}"
        except BaseException as error:
            text = repr(error)
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    text = os.read(reader, 65536).decode()
    os.waitpid(child, 0)
    return f"child: {text or 'no answer'}"
"""

AFTER_WORK = """
expected = work()
print(in_child(lambda: work() == expected and work() == expected))
sp.config.threads = 1
print(in_child(lambda: work() == expected))
"""

WORKERS = """
expected = work()
def workers():
    before = threading.active_count()
    return [before, work() == expected, threading.active_count() - before]
print(in_child(workers))
"""

CHAIN = """
expected, deep = (A @ x).tobytes(), 12
for generation in range(deep):  # each starts its workers, and forks at once or a moment later
    signal.alarm(60)
    assert (A @ x).tobytes() == expected
    end = time.perf_counter() + generation % 4 / 1000
    while time.perf_counter() < end: pass
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
print("child: deepest", sp.Ragged([1, 2, 3], [0, 3]).map(lambda v, i, j: v + 7).values.tolist(), flush=True)
os._exit(0)
"""

BEFORE_WORK = """
print(in_child(lambda: len(work())))
"""

DURING_WORK = """
expected, done = work(), False
def keep_working():
    while not done:
        A @ x
others = [threading.Thread(target=keep_working) for _ in range(2)]
for thread in others: thread.start()
for _ in range(5):
    print(in_child(lambda: work() == expected))
done = True
for thread in others: thread.join()
"""

DURING_COMPILATION = """
R = sp.Ragged(np.arange(5), [0, 2, 5])
R.map(lambda v, i, j: v)  # Numba imports modules when it first compiles: Python's locks of those survive no fork
done = False
def keep_compiling():
    while not done:
        R.map(eval(f"lambda v, i, j: v + {np.random.default_rng().integers(10**9)}"))
other = threading.Thread(target=keep_compiling)
other.start()
for k in range(2):
    print(in_child(lambda: R.map(eval(f"lambda v, i, j: v * {k + 2}")).values.tolist() == [v * (k + 2) for v in range(5)]))
done = True
other.join()
"""

DURING_SOLVERS = """
import scipy.sparse
from threadpoolctl import threadpool_info
from spark_csr.interop.scipy import _switch, patched
from spark_csr.linalg import blas, cg
P, b, ready, done = gallery.poisson((300,)), np.ones(300), threading.Semaphore(0), threading.Event()
before = [library["num_threads"] for library in threadpool_info()]
def hold(lock):
    with blas.on_one_core(), lock:
        ready.release()
        done.wait()
def solve():
    with patched():
        cg(P, b)
    return [library["num_threads"] for library in threadpool_info()] == before
others = [threading.Thread(target=hold, args=(lock,)) for lock in (_switch.lock, threading.Lock())]
for thread in others: thread.start(), ready.acquire()
with blas._lock:
    print(in_child(solve))
with blas.on_one_core():
    print(in_child(lambda: blas._blocks == [threading.get_ident()]))
done.set()
for thread in others: thread.join()
"""

POOL = """
import multiprocessing
expected = work()
warnings.simplefilter("ignore")
with multiprocessing.get_context("fork").Pool(2) as pool:
    print("child:", [result == expected for result in pool.map(worker, range(4))])
"""


def _run(program, threads=2):
    environment = {**os.environ, "NUMBA_NUM_THREADS": str(threads), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", START + program]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return [line.removeprefix("child: ") for line in run.stdout.splitlines() if line.startswith("child: ")]


def test_a_child_of_a_process_with_workers():
    assert _run(AFTER_WORK) == ["True 0 True", "True 0 True"]


def test_a_child_starts_workers_of_its_own():
    assert _run(WORKERS) == ["[1, True, 1] 0 True"]


def test_forks_while_workers_start():
    assert _run(CHAIN, threads=8) == ["deepest [8, 9, 10]"]


def test_a_child_of_a_process_without_workers():
    assert _run(BEFORE_WORK) == ["7 0 True"]


def test_a_fork_while_other_threads_are_in_kernels():
    assert _run(DURING_WORK) == ["True 0 True"] * 5


def test_a_fork_while_another_thread_compiles():
    assert _run(DURING_COMPILATION) == ["True 0 True"] * 2


def test_a_fork_while_other_threads_solve():
    assert _run(DURING_SOLVERS) == ["True 0 True", "True 0 True"]


def test_workers_of_a_pool():
    assert _run("def worker(_): return work()\n" + POOL) == ["[True, True, True, True]"]
