"""Functions that Numba is told of by others: kernels on disk are named after those too."""

import importlib

import pytest

from spark_csr._array import SIMULATED
from spark_csr._engine.meaning import describe
from spark_csr._engine.numba.overloads import note_sources, sources_of
from spark_csr._shared.atomics import atomic_add, atomic_max, atomic_min

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def test_sources_are_noted():
    def function(x):
        return x

    assert sources_of(function) == ()
    note_sources(function, "a", "b")
    assert sources_of(function) == ("a", "b")


module = importlib.import_module("spark_csr._engine.meaning.describe")


@pytest.mark.parametrize("function", [atomic_add, atomic_max, atomic_min])
def test_a_function_is_described_by_what_implements_it(monkeypatch, function):
    def user(array, call=function):
        return call(array, 0, 1)

    looked_at = []
    monkeypatch.setattr(module, "source_digest", lambda name: looked_at.append(name) or name)
    before = describe(user)[0]
    assert set(looked_at) == {"spark_csr._shared.atomics", "spark_csr._engine.numba.intrinsics.atomics"}
    monkeypatch.setattr(module, "source_digest", lambda name: "changed" if "_engine.numba" in name else name)
    assert before.lasting
    assert describe(user)[0].digest != before.digest
