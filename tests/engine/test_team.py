"""Jobs whose tiles are handed out to all cores."""

import operator
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dtypes
from interrupts import handler, interrupt, press
from spark_csr import config
from spark_csr._engine import team
from spark_csr._engine.numba import njit
from spark_csr._engine.numba.intrinsics.threads import CAN_MOVE, keep_off, run_on
from spark_csr._engine.signals import delay_signals
from spark_csr._engine.team import for_tiles, for_tiles_by_core, record, threads
from spark_csr._engine.team.tuning import TUNING

pytestmark = [
    pytest.mark.usefixtures("cpu_only"),
    pytest.mark.skipif(team.MOST < 2, reason="one core"),
]


@njit
def _one(rounds):
    """1, after some work that compilers cannot leave out."""
    state = 1.0
    for _ in range(rounds):
        state = state * 0.999 + 0.0005
    return 1 if state <= 1 else 0


@njit
def _count(tile, counts, rounds):
    counts[tile] += _one(rounds)


@threads.compile_kernel
def count(cores, counts, rounds):
    for_tiles(cores, counts.size, _count, (counts, rounds))


@njit
def _count_by_core(core, tile, counts, by_core, rounds):
    before = by_core[core, 0]
    counts[tile] += _one(rounds)
    by_core[core, 0] = before + 1


@threads.compile_kernel
def count_by_core(cores, counts, by_core, rounds):
    for_tiles_by_core(cores, counts.size, _count_by_core, (counts, by_core, rounds))


@njit
def _count_row(tile, counts, rounds):
    for_tiles(2, counts.shape[1], _count, (counts[tile], rounds))


@threads.compile_kernel
def count_rows(cores, counts, rounds):
    for_tiles(cores, counts.shape[0], _count_row, (counts, rounds))


@njit
def _fail(tile, reached, bad):
    reached[tile] += 1
    if tile >= bad:
        raise ValueError("a tile failed")


@threads.compile_kernel
def fail(cores, reached, bad):
    for_tiles(cores, reached.size, _fail, (reached, bad))


LONG = 3000
"""Rounds that take a tile some microseconds, so that the workers take part."""


@pytest.fixture(scope="module", autouse=True)
def workers():
    """All workers, ready."""
    threads.cores_for(count)
    end = time.monotonic() + 60
    while record.TEAM[record.LEAD] == 0 and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.parametrize("cores", [1, 2, team.MOST])
@pytest.mark.parametrize("tiles", [0, 1, 2, 3, 64, 1000])
def test_every_tile_runs_once(tiles, cores):
    for _ in range(20):
        counts = np.zeros(tiles, np.int64)
        count(cores, counts, LONG)
        np.testing.assert_array_equal(counts, np.ones(tiles))


def test_the_end_of_long_tiles_is_waited_for():
    """Three tiles on two cores: one core is done long before the other, and sleeps."""
    for _ in range(20):
        counts = np.zeros(3, np.int64)
        count(2, counts, 300 * LONG)
        np.testing.assert_array_equal(counts, np.ones(3))


def test_a_core_runs_one_tile_at_a_time():
    for _ in range(50):
        counts, by_core = np.zeros(300, np.int64), np.zeros((team.MOST, 64), np.int64)
        count_by_core(team.MOST, counts, by_core, LONG)
        assert by_core[:, 0].sum() == 300  # two at a time would have lost additions
        np.testing.assert_array_equal(counts, np.ones(300))


def shares(cores):
    """How many tiles each core took of a long job."""
    counts, by_core = np.zeros(500, np.int64), np.zeros((team.MOST, 64), np.int64)
    count_by_core(cores, counts, by_core, LONG)
    return by_core[:, 0]


def test_a_long_job_is_shared():
    end = time.monotonic() + 60  # other processes may have the cores for a while
    while not shares(2)[1] and time.monotonic() < end:
        pass
    assert shares(2)[:2].sum() == 500
    assert time.monotonic() < end


def test_one_core_does_what_takes_no_time():
    """But where another process takes the core away in between, it seems to take long."""
    for _ in range(20):
        count(2, np.zeros(2, np.int64), 1)  # what tiles took before is forgotten
        before = record.TEAM[record.EPOCH]
        for _ in range(100):
            count(2, np.zeros(2, np.int64), 1)
        if record.TEAM[record.EPOCH] == before:
            return
    raise AssertionError("workers took part in every round")


def rounds_for(microseconds):
    """Return how many rounds 20 tiles need to take about so long together on one core."""
    counts, best = np.zeros(20, np.int64), np.inf
    for _ in range(50):
        before = time.perf_counter()
        count(1, counts, 1000)
        best = min(best, time.perf_counter() - before)
    return int(1000 * microseconds * 1e-6 / best)


SHORT = 35
"""Microseconds of a job that is opened to workers that are awake, but too short to wake one."""


def asleep(cost, woken):
    """Wait until the first worker sleeps, and say what waking it costs and how long ago it was woken, in nanoseconds."""
    while not record.TEAM[record.WORKERS + record.EACH]:
        time.sleep(0.001)
    record.TEAM[record.COST], record.TEAM[record.WOKEN] = cost, time.monotonic_ns() - woken


def wakes(cost, woken, jobs, microseconds=SHORT, expected=0):
    """Return in how many of 20 tries such jobs, one after the other, wake workers."""
    rounds, counts, times = rounds_for(microseconds), np.zeros(20, np.int64), 0
    count_expecting(1, counts, rounds, 0)
    for _ in range(20):
        asleep(cost, woken)
        before = record.TEAM[record.WOKEN]
        for _ in range(jobs):
            count_expecting(2, counts, rounds, expected)
        times += record.TEAM[record.WOKEN] > before
        record.TEAM[record.EXPECTED] = 0
    return times


@threads.compile_kernel
def count_expecting(cores, counts, rounds, nanoseconds):
    team.expect_jobs(nanoseconds)
    for_tiles(cores, counts.size, _count, (counts, rounds))


COSTLY, LONG_AGO = 2_000_000, 10**12
"""Nanoseconds: only jobs that lose their core for a while, to another process, seem to take as long as this."""


@pytest.mark.skipif(sys.platform == "win32", reason="Python's clock is another one than the workers'")
class TestWaking:
    def test_nobody_is_woken_for_a_short_job(self):
        assert wakes(COSTLY, 0, jobs=1) <= 5

    def test_short_jobs_that_follow_each_other_wake_workers(self):
        assert wakes(COSTLY, 0, jobs=200) >= 15

    def test_short_jobs_wake_workers_where_more_are_expected(self):
        assert wakes(COSTLY, 0, jobs=1, expected=10**8) >= 15

    def test_workers_are_tried_again_after_a_while(self):
        assert wakes(COSTLY, LONG_AGO, jobs=1, microseconds=200) >= 15
        assert wakes(COSTLY, 0, jobs=1, microseconds=200) <= 5


def test_config_threads_keeps_workers_away():
    before = record.TEAM[record.EPOCH]
    with config(threads=1):
        assert threads.cores_for(count) == 1
        threads.run_on_all_cores(count, np.zeros(200, np.int64), LONG)
    assert record.TEAM[record.EPOCH] == before
    with config(threads=10**6):
        assert threads.cores_for(count) == team.MOST


def test_jobs_inside_of_a_job():
    counts = np.zeros((40, 50), np.int64)
    count_rows(2, counts, LONG)
    np.testing.assert_array_equal(counts, np.ones((40, 50)))


def test_eight_python_threads():
    wrong = []

    def work():
        for _ in range(30):
            counts = np.zeros(100, np.int64)
            count(2, counts, LONG)
            wrong.extend(np.flatnonzero(counts != 1))

    callers = [threading.Thread(target=work) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


@pytest.mark.parametrize("cores", [1, 2])
def test_what_a_tile_raises_arrives(cores):
    for _ in range(20):
        reached = np.zeros(2000, np.int64)
        with pytest.raises(ValueError, match="a tile failed"):
            fail(cores, reached, 7)
        assert reached[:8].all()
        assert reached.max() == 1
        assert reached.sum() <= 7 + cores  # no tile begins after one failed
    test_every_tile_runs_once(1000, cores)


MILLISECOND = 300 * LONG
"""Rounds that take a tile about as long."""

SOON = 3
"""Seconds within which Ctrl-C is answered on a busy machine; on a quiet one it is a tenth."""


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("tiles, rounds", [(10**7, LONG), (20_000, MILLISECOND)])
def test_ctrl_c_ends_a_job(tiles, rounds, cores):
    counts = np.zeros(tiles, np.int64)
    assert 0 < interrupt(lambda: count(cores, counts, rounds)) < SOON
    assert counts.max() == 1
    before = counts.copy()
    time.sleep(0.01)
    np.testing.assert_array_equal(counts, before)  # no worker goes on
    assert 0 < before.sum() < tiles
    test_every_tile_runs_once(1000, cores)


def test_ctrl_c_ends_a_job_inside_of_a_job():
    counts = np.zeros((100, 10**5), np.int64)
    assert 0 < interrupt(lambda: count_rows(2, counts, LONG)) < SOON
    assert counts.max() == 1
    test_jobs_inside_of_a_job()


def test_ctrl_c_ends_short_jobs_that_follow_each_other():
    counts = np.zeros(4, np.int64)
    assert 0 < interrupt(lambda: count_often(2, counts, 10**7)) < SOON


@threads.compile_kernel
def count_often(cores, counts, jobs):
    for _ in range(jobs):
        for_tiles(cores, counts.size, _count, (counts, 100))


def test_delayed_signals_end_no_job():
    counts = np.zeros(1000, np.int64)

    def work():
        with delay_signals():
            count(2, counts, MILLISECOND)

    assert interrupt(work, after=0.1) > 0
    np.testing.assert_array_equal(counts, np.ones(1000))


def test_a_job_goes_on_after_a_handler_that_raises_nothing():
    """The handler has a job of its own; signals that arrive before it returns are handled, too."""
    counts, called = np.zeros(1000, np.int64), []

    def handle(*_):
        called.append(counts.sum())
        test_every_tile_runs_once(1000, 2)

    timers = [threading.Timer(after, press) for after in (0.1, 0.5)]
    with handler(handle):
        for timer in timers:
            timer.start()
        count(2, counts, MILLISECOND)
        for timer in timers:
            timer.join()
    np.testing.assert_array_equal(counts, np.ones(1000))
    assert len(called) == 2
    assert 0 < called[0] < 1000


def test_other_threads_than_the_main_one_handle_no_signals():
    counts, ended = np.zeros(500, np.int64), threading.Event()

    def work():
        count(2, counts, MILLISECOND)
        ended.set()

    def wait():
        threading.Thread(target=work).start()
        ended.wait()

    assert 0 < interrupt(wait, after=0.1) < 0.1
    ended.wait()
    np.testing.assert_array_equal(counts, np.ones(500))


MATRIX = """
import numpy as np
from spark_csr import gallery
A, X = gallery.uniform(400_000, 400_000, 10), np.ones((400_000, 64))
"""

FIRST_JOB = """
from interrupts import interrupt
def work():
    for _ in range(100):
        A @ X
print(0 < interrupt(work) < 1)
print(bool(np.isclose((A @ X).sum(), 64 * A.data.sum())))
"""


@pytest.mark.parametrize("cores", dtypes.some([1, 2], [1]))
def test_ctrl_c_ends_the_first_job_of_a_process(cores):
    """The function that leads jobs is loaded meanwhile, also where there are no workers. All kernels are on disk."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_NUM_THREADS": str(cores)}
    for program, said in ((f"{MATRIX}A @ X", ""), (MATRIX + FIRST_JOB, "True\nTrue\n")):
        ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=120, text=True)
        assert (ended.returncode, ended.stdout) == (0, said), ended.stderr


def test_more_threads_than_any_machine_has():
    """The record with a place for each would be too large for the linker."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_NUM_THREADS": "100000"}
    program = "from spark_csr import csr_array; print(csr_array([[2.0]]) @ [3.0])"
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=120, text=True)
    assert (ended.returncode, ended.stdout) == (0, "[6.]\n"), ended.stderr


REFUSED = """
import threading
import numpy as np
from spark_csr import gallery
A, x = gallery.uniform(60000, 60000, 8), np.ones(60000)
expected = A.data.sum()
started, start = [], threading.Thread.start
def refuse(thread):
    started.append(thread)
    raise {error}
threading.Thread.start = refuse
try:
    print(bool(np.isclose((A @ x).sum(), expected)))
except KeyboardInterrupt:
    print("interrupted")
print(bool(np.isclose((A @ x).sum(), expected)), len({{thread.name for thread in started}}) == len(started))
"""


@pytest.mark.parametrize(
    "error, said", [("RuntimeError", "True\nTrue True\n"), ("KeyboardInterrupt", "interrupted\nTrue True\n")]
)
def test_workers_that_cannot_start(error, said):
    """No number is given twice, as two workers of one number would share what is one core's."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_NUM_THREADS": "2"}
    program = REFUSED.format(error=error)
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=120, text=True)
    assert (ended.returncode, ended.stdout) == (0, said), ended.stderr


ENDING = """
import numpy as np
from spark_csr import gallery
A, x = gallery.uniform(60000, 60000, 8), np.ones(60000)
for _ in range({calls}):
    A @ x
"""


@pytest.mark.parametrize("calls", dtypes.some([1, 50], [50]))
def test_a_process_ends_whatever_its_workers_do(calls):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-c", ENDING.format(calls=calls)], env=environment, capture_output=True, timeout=120
        )
        assert (ended.returncode, ended.stderr) == (0, b"")


@njit
def _keep_off(thread, kept):
    keep_off(thread, kept)


@njit
def _run_on(kept):
    run_on(kept)


@pytest.mark.skipif(not CAN_MOVE, reason="this system does not let a thread choose its processors")
def test_a_thread_is_woken_on_another_processor():
    kept = record.WORKERS + record.EACH * record.MOST + record.ALLOWED
    before, seen, asleep, wake = record.TEAM[kept : kept + 16].copy(), [], threading.Event(), threading.Event()

    def sleeper():
        asleep.set()
        wake.wait()
        seen.append(os.sched_getaffinity(0))
        _run_on(kept)
        seen.append(os.sched_getaffinity(0))

    thread = threading.Thread(target=sleeper)
    thread.start()
    asleep.wait()
    allowed = os.sched_getaffinity(thread.native_id)
    _keep_off(thread.native_id, kept)
    wake.set()
    thread.join()
    record.TEAM[kept : kept + 16] = before
    assert seen[1] == allowed
    assert seen[0] < allowed
    assert len(seen[0]) == len(allowed) - 1


@pytest.mark.skipif(not CAN_MOVE, reason="this system does not let a thread choose its processors")
def test_a_thread_is_never_forbidden_its_only_processor():
    kept, allowed = record.WORKERS + record.EACH * record.MOST + record.ALLOWED, os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        before = record.TEAM[kept : kept + 16].copy()
        _keep_off(threading.get_native_id(), kept)
        record.TEAM[kept : kept + 16] = before
        assert os.sched_getaffinity(0) == {min(allowed)}
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.mark.skipif(not CAN_MOVE, reason="this system does not let a thread choose its processors")
def test_workers_may_run_on_all_processors_again():
    for _ in range(3):
        count(2, np.zeros(1_000, np.int64), 5_000)
        time.sleep(0.01)  # workers sleep
    workers = [thread.native_id for thread in threading.enumerate() if thread.name.startswith("spark_csr worker")]
    assert workers
    assert all(os.sched_getaffinity(worker) == os.sched_getaffinity(0) for worker in workers)


def test_workers_know_their_numbers():
    threads.cores_for(operator.add)
    end = time.monotonic() + 60
    while record.TEAM[record.LEAD] == 0 and time.monotonic() < end:
        time.sleep(0.01)
    names = "HAND_OVER", "SPIN", "WAKE", "LONGEST_WAKE", "PATIENCE", "RARELY"
    known = [record.TEAM[getattr(record, name)] for name in names]
    assert known == [getattr(TUNING, f"team_{name.lower()}") for name in names]
