"""Calls of other libraries' functions: their results, exceptions, context and warnings, and Ctrl-C."""

import inspect
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

from interrupts import interrupt
from spark_csr import config, csr_array, diags_array, linalg
from spark_csr._foreign import wait_for


def test_results_and_exceptions_come_back():
    assert wait_for(divmod, 17, 5) == (3, 2)
    assert wait_for(sorted, [2, 3], reverse=True) == [3, 2]
    with pytest.raises(ZeroDivisionError, match="modulo"):
        wait_for(divmod, 1, 0)


def test_the_function_sees_the_settings_of_its_caller():
    with config(threads=1):
        assert wait_for(lambda: config.threads) == 1


def test_which_thread_runs_it():
    assert wait_for(threading.current_thread) is not threading.main_thread()
    found = []
    other = threading.Thread(target=lambda: found.append(wait_for(threading.current_thread)))
    other.start()
    other.join()
    assert found == [other]


def test_ctrl_c_ends_the_wait():
    go_on = threading.Event()
    try:
        assert 0 < interrupt(lambda: wait_for(go_on.wait, 60)) < 1
    finally:
        go_on.set()


def test_a_call_that_was_left_changes_nothing():
    done = []

    def work():
        time.sleep(0.5)
        done.append(True)
        return "late"

    assert interrupt(lambda: wait_for(work), after=0.1) < 0.3
    assert wait_for(lambda: "on time") == "on time"
    time.sleep(0.7)
    assert done


LEFT = """
import signal, sys, time
from spark_csr._foreign import wait_for
signal.setitimer(signal.ITIMER_REAL, 0.1)
signal.signal(signal.SIGALRM, signal.default_int_handler)
def work():
    time.sleep(0.4)
    print("done", flush=True)
try:
    wait_for(work)
except KeyboardInterrupt:
    print("left", flush=True)
"""


def test_a_process_that_ends_waits_for_a_call_that_was_left():
    """Threads that still compute while Python and its libraries clear up crash some of them, as OpenBLAS."""
    ended = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "left\ndone\n", "")


A = csr_array(np.diag([1.0, 0, 2]))

WARN = {
    "a function of SciPy's": lambda: linalg.spsolve(A, np.ones(3)),
    "an assignment": lambda: A.copy().__setitem__((0, 1), 1),
    "a comparison": lambda: A < 1,
    "a method": lambda: A.maximum(1),
    "a function": lambda: diags_array([1, 2]),
}


@pytest.mark.parametrize("name", WARN)
def test_warnings_name_the_line_of_the_user(cpu_only, name):
    """Whatever functions of this package lie between."""
    with pytest.warns((FutureWarning, sp.SparseEfficiencyWarning, sp.linalg.MatrixRankWarning)) as caught:
        WARN[name]()
    assert (caught[0].filename, caught[0].lineno) == (__file__, inspect.getsourcelines(WARN[name])[1])
