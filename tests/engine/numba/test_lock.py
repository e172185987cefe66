"""The lock under which Numba compiles."""

import os
import subprocess
import sys
import threading

import numba
import pytest
from numba.core import compiler_lock as numbas

from spark_csr._array import SIMULATED
from spark_csr._engine.numba.lock import compiler_lock

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def test_it_is_the_one_that_numba_takes():
    assert compiler_lock is numbas.global_compiler_lock


def test_whoever_has_it_may_take_it_again_and_others_wait():
    taken = []

    def take():
        with compiler_lock:
            taken.append("other")

    with compiler_lock:
        compiler_lock.acquire()
        other = threading.Thread(target=take)
        other.start()
        other.join(0.05)
        taken.append("this")
        compiler_lock.release()
    other.join()
    assert taken == ["this", "other"]


def test_dispatchers_compile_under_it(monkeypatch):
    """It is asked for by the decorator of the function that compiles: what is raised inside tells whether it was held."""
    held = []
    function = numba.njit(lambda x: x)

    def compile_cached(args, return_type):
        held.append(compiler_lock.is_locked())
        raise ZeroDivisionError

    monkeypatch.setattr(function._compiler, "compile", compile_cached)
    with pytest.raises(ZeroDivisionError):
        function.compile((numba.int64,))
    assert held == [True]


FORK = """
import os, signal, threading, time, warnings
import spark_csr
from spark_csr._engine.numba.lock import compiler_lock

def compile():
    with compiler_lock:
        begun.set()
        time.sleep(0.3)

warnings.simplefilter("ignore")
begun = threading.Event()
threading.Thread(target=compile).start()
begun.wait()
child = os.fork()
if not child:
    signal.alarm(10)
    with compiler_lock:
        os._exit(0)
print(os.waitpid(child, 0)[1], compiler_lock.is_locked())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_waits_for_whoever_compiles_first():
    """No operation was called yet: importing the package is enough."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", FORK], env=environment, capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["0", "False"], run.stderr
