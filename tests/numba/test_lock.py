"""The lock under which Numba compiles."""

import threading

import numba
import pytest
from numba.core import compiler_lock as numbas

from spark_csr._array import SIMULATED
from spark_csr._numba.lock import compiler_lock

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
