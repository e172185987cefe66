"""What Numba asks of the cache of a dispatcher, and what it is answered."""

import numba
import pytest
from numba.core import caching
from numba.core.compiler import CompileResult

from hooks import parameters
from interrupts import interrupt_step
from spark_csr._array import SIMULATED
from spark_csr._engine.numba.cache import DispatcherCache, njit_with_cache

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


class Memory(DispatcherCache):
    """Files in a dictionary."""

    files: dict = {}  # noqa: RUF012 two dispatchers share it

    def name(self, argument_types, processor):
        return repr((self.dispatcher.py_func.__code__.co_code, argument_types, processor))

    def read(self, name):
        return self.files.get(name)

    def write(self, name, content):
        self.files[name] = content


def test_dispatchers_have_a_cache_that_can_be_replaced():
    assert isinstance(numba.njit(lambda x: x)._cache, caching.NullCache)
    assert isinstance(njit_with_cache(lambda x: x, Memory)._cache, Memory)


def test_it_has_all_that_numba_asks_for():
    asked = caching._Cache.__abstractmethods__
    assert asked == {"cache_path", "load_overload", "save_overload", "enable", "disable", "flush"}
    for method in asked - {"cache_path"}:
        assert len(parameters(getattr(DispatcherCache, method))) == len(parameters(getattr(caching._Cache, method)))


def test_compiled_functions_can_be_taken_apart():
    assert parameters(CompileResult._rebuild)[0] == "target_context"
    assert parameters(CompileResult._reduce) == []
    assert {"library", "lifted"} <= set(CompileResult._fields)


def test_a_second_dispatcher_finds_what_the_first_one_made(monkeypatch):
    monkeypatch.setattr(Memory, "files", {})
    first, second = (njit_with_cache(lambda x: x + 1, Memory) for _ in range(2))
    assert (first(1), second(1)) == (2, 2)
    assert len(Memory.files) == 1
    assert sum(second.stats.cache_hits.values()) == 1


def test_rubbish_is_as_good_as_absent(monkeypatch):
    monkeypatch.setattr(Memory, "files", {})
    monkeypatch.setattr(Memory, "read", lambda self, name: b"rubbish")
    assert njit_with_cache(lambda x: x + 1, Memory)(1) == 2


@pytest.mark.parametrize("step", ["load_overload", "save_overload"])
def test_ctrl_c_is_answered_when_a_function_is_complete(monkeypatch, step):
    monkeypatch.setattr(Memory, "files", {})
    function = njit_with_cache(lambda x: x + 1, Memory)
    interrupt_step(monkeypatch, function._cache, step, lambda: function(1))
