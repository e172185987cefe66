"""A compiled function is exactly the function as it is now: in this process, and in the next one that finds its kernel."""

import json
import os
import subprocess
import sys
import types

import numba
import numpy as np
import pytest

import ways_to_change
from spark_csr import Monoid, Ragged, Semiring, csr_array
from spark_csr import primitives as p
from spark_csr._engine import store
from spark_csr._engine.meaning import current, describe, name_of
from spark_csr.graph import Frontier, Graph, advance, filter, for_each, neighbor_reduce, traverse
from spark_csr.primitives._functions import compile_function
from ways_to_change import IMPORTS, WAYS


@pytest.fixture
def numpy_is_put_back():
    members = dict(vars(np))
    yield
    vars(np).update(members)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_function_is_compiled_as_it_is_now(way, cpu_only, numpy_is_put_back):
    scope = {"__name__": "__main__"}
    exec(IMPORTS + way.source, scope)
    assert compile_function(scope["f"], ("v",))(10) == way.before
    exec(way.change, scope)
    assert compile_function(scope["f"], ("v",))(10) == way.after


def _in_a_process(state, folder):
    run = subprocess.run(
        [sys.executable, ways_to_change.__file__, state],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "SPARK_CSR_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return json.loads(run.stdout)


@pytest.mark.slow
def test_no_process_finds_the_kernel_of_another_meaning(tmp_path, cpu_only):
    before = {way.name: way.before for way in WAYS}
    after = {way.name: way.after for way in WAYS}
    assert _in_a_process("both", tmp_path) == {name: [before[name], after[name]] for name in before}
    count = len(list(tmp_path.rglob("*.kernel")))
    assert _in_a_process("after", tmp_path) == {name: [value] for name, value in after.items()}
    assert _in_a_process("before", tmp_path) == {name: [value] for name, value in before.items()}
    assert len(list(tmp_path.rglob("*.kernel"))) == count, "the later processes found all kernels"
    assert count > len(WAYS)


SOURCE = """
import numba, numpy as np
limit, table = 1, np.zeros(3, np.int64)
@numba.njit
def helper(v): return v * limit + table[2]
def of_value(v, i, j): return helper(v)
def of_scalar(v): return helper(v)
of_scalar = numba.njit(of_scalar)
def of_index(i, out): out[i] = helper(i)
of_index = numba.njit(of_index)
def of_edge(src, dst, edge, weight): return helper(weight) > 6
def number_of_edge(src, dst, edge, weight): return helper(weight)
def of_item(item): return helper(item) > 6
def note_item(item, out): out[item] = helper(item)
def of_step(src, dst, edge, weight, seen): return helper(weight) > 6 and seen[dst] < 0
def both(a, b): return a + helper(b)
def product(a, b): return a * helper(b)
"""
VALUES, OFFSETS = np.array([1, 2, 5, 7]), np.array([0, 2, 4])
MATRIX = np.array([[0, 5, 1], [0, 0, 7], [2, 0, 0]])


def _filled(run, *args):
    out = np.zeros(4, np.int64)
    run(*args[:1], out) if len(args) == 1 else run(args[0], args[1], out)
    return out.tolist()


def _noted(scope):
    out = np.zeros(3, np.int64)
    for_each(Frontier("vertex", [0, 2], n=3), scope.note_item, (out,))
    return out.tolist()


def _written(scope):
    out = np.zeros(3, np.int64)
    p.for_each(3, scope.of_index, out)
    return out.tolist()


G = Graph(csr_array(MATRIX))

ENTRIES = {
    "Ragged.map": (lambda s: Ragged(VALUES, OFFSETS).map(s.of_value).values.tolist(), [1, 2, 5, 7], [15, 19, 31, 39]),
    "map_where": (lambda s: p.map_where(s.of_scalar, VALUES, VALUES > 4).tolist(), [5, 7], [31, 39]),
    "for_each": (_written, [0, 1, 2], [11, 15, 19]),
    "graph.for_each": (_noted, [0, 0, 2], [11, 0, 19]),
    "advance": (lambda s: advance(G, Frontier.all(G), s.of_edge).items.tolist(), [2], [1, 2, 2, 0]),
    "filter": (lambda s: filter(Frontier("vertex", [0, 7], n=8), s.of_item).items.tolist(), [7], [0, 7]),
    "neighbor_reduce": (lambda s: neighbor_reduce(G, s.number_of_edge, "sum").tolist(), [6, 7, 2], [46, 39, 19]),
    "traverse": (
        lambda s: traverse(G, Frontier.of(G, 0), s.of_step, (np.full(3, -1),), depth_limit=1).items.tolist(),
        [],
        [1, 2],
    ),
    "Monoid": (lambda s: p.segmented_reduce(VALUES, OFFSETS, s.monoid).tolist(), [3, 12], None),
    "Semiring": (lambda s: csr_array(MATRIX).matmul(np.array([1, 1, 1]), semiring=s.ring).tolist(), [6, 7, 2], [90, 105, 30]),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_point_compiles_functions_as_they_are_now(entry, cpu_only):
    call, before, after = ENTRIES[entry]
    scope = types.SimpleNamespace()
    module = types.ModuleType("entries")
    exec(SOURCE, vars(module))
    scope = module
    scope.monoid, scope.ring = Monoid(scope.both, 0), Semiring("sum", scope.product)
    assert call(scope) == before
    scope.limit, scope.table[2] = 4, 11
    changed = call(scope)
    assert changed == after if after is not None else changed != before
    scope.limit, scope.table[2] = 1, 0
    assert call(scope) == before


def _larger(a, b):
    return a if a > b else b


def test_monoids_and_semirings_are_compared_by_what_they_mean():
    def larger(a, b):
        return a if a > b else b

    assert Monoid(_larger, 0) == Monoid(_larger, 0) != Monoid(_larger, 1)
    assert Monoid(larger, 0) == Monoid(another_object(larger), 0)
    assert hash(Monoid(_larger, 0)) == hash(Monoid(_larger, 0))
    assert Monoid(_larger, 0) != Monoid(_larger, 0.0)
    assert Monoid(_larger, 0) != "max"
    assert Semiring("max", _larger) == Semiring("max", _larger) != Semiring("min", _larger)
    assert len({Semiring(Monoid(_larger, 0), _larger) for _ in range(3)}) == 1


def another_object(function):
    """The same function as another object."""
    return types.FunctionType(function.__code__, function.__globals__, function.__name__)


@pytest.mark.slow
def test_operators_made_anew_leak_nothing(cpu_only):
    import gc
    import tracemalloc

    x, offsets, A = np.arange(5.0), np.array([0, 2, 5]), csr_array(np.eye(3))
    R, G = Ragged(x, offsets), Graph(csr_array(MATRIX))
    frontier = Frontier.all(G)

    def calls(count):
        for _ in range(count):
            p.segmented_reduce(x, offsets, Monoid(lambda a, b: a + b, 0))
            A.matmul(x[:3], semiring=Semiring(Monoid(lambda a, b: a + b, 0), lambda a, b: a * b))
            R.map(lambda v, i, j: v + i)
            advance(G, frontier, lambda src, dst, edge, weight: weight > 1)

    calls(20)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        calls(2500)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


def test_what_cannot_be_described_is_not_kept(tmp_path, monkeypatch, cpu_only):
    from ctypes import CFUNCTYPE, c_long

    from numba.extending import overload

    def elsewhere(v):
        return v + 1

    @overload(elsewhere)
    def _elsewhere(v):
        return lambda v: v + 1

    monkeypatch.setattr(store, "folders", lambda: (tmp_path,))
    for unknown in (CFUNCTYPE(c_long, c_long)(lambda v: v + 1), elsewhere):
        scope = {"unknown": unknown, "__name__": "__main__"}
        exec("def f(v): return unknown(v)", scope)
        assert not describe(scope["f"])[0].lasting
        assert ways_to_change.kept_kernel(scope["f"])(10) == 11
        assert current(scope["f"]) is current(scope["f"])
        assert list(tmp_path.iterdir()) == []


def test_postponed_annotations_change_no_meaning():
    """A module that begins with `from __future__ import annotations` keeps the kernels that it had."""
    plain, postponed = {"__name__": "__main__"}, {"__name__": "__main__"}
    source = "def f(v):\n    return v + 1\n"
    exec(source, plain)
    exec("from __future__ import annotations\n" + source, postponed)
    assert plain["f"].__code__.co_flags != postponed["f"].__code__.co_flags
    assert describe(plain["f"])[0].digest == describe(postponed["f"])[0].digest


WITH_DOCSTRING = """
def outer(x, text="first"):
    "Docstring."
    def inner(y):
        "Another"
        if y > 1.5:
            return None
        return y + 2.5
    if text:
        return inner(x)
"""


def test_docstrings_are_in_no_digest():
    """So `python -OO` finds the kernels that `python` has compiled."""
    found = []
    for optimize in (0, 2):
        exec(compile(WITH_DOCSTRING, __file__, "exec", optimize=optimize), namespace := {"__name__": __name__})
        found.append(namespace["outer"])
    assert (found[0].__doc__, found[1].__doc__) == ("Docstring.", None)
    assert describe(found[0])[0].digest == describe(found[1])[0].digest
    assert describe(lambda: "Docstring.")[0].digest != describe(lambda: "another")[0].digest
    assert describe(lambda x: (x, 1.5, 2.5))[0].digest != describe(lambda x: (x, 2.5, 1.5))[0].digest


def test_functions_of_a_call_are_one_function():
    assert len({current(another_object(_larger)) for _ in range(5)}) == 1
    assert len({current(lambda v: v + 1) for _ in range(5)}) == 1
    assert len({current(lambda v, c=c: v + c) for c in (1, 1.0, True)}) == 3
    assert len({current(lambda v, c=c: v + c) for c in (0.0, -0.0)}) == 2


def test_asking_whether_a_function_changed_is_cheap(cpu_only):
    import timeit

    scope = {"__name__": "__main__"}
    exec(SOURCE, scope)
    current(scope["of_value"])
    plain = min(timeit.repeat(lambda: {"a": 1, "b": 2, "c": 3}, number=2000, repeat=5))
    assert min(timeit.repeat(lambda: current(scope["of_value"]), number=2000, repeat=5)) < 30 * plain


def test_copies_are_out_of_reach_and_have_names_of_their_own():
    scope = {"k": np.arange(3), "__name__": "__main__"}
    exec("def f(v): return v + k[0]", scope)
    first = current(scope["f"])
    scope["k"][0] = 5
    second = current(scope["f"])
    assert (first(1), second(1)) == (1, 6)
    assert not first.__globals__["k"].flags.writeable
    assert first.__qualname__ != second.__qualname__
    assert name_of(first) == name_of(second) == "f"


def test_compiled_helpers_of_the_user_are_left_alone(cpu_only):
    @numba.njit
    def helper(v):
        return v + 1

    scope = {"helper": helper, "__name__": "__main__"}
    exec("def f(v): return helper(v)", scope)
    compile_function(scope["f"], ("v",))(10)
    assert not helper.signatures


def test_slices_are_described():
    """Constants, as Python 3.14 makes of them, and globals."""
    digests = set()
    for part in ("1:", "2:", ":1", "1:5", "1:5:2", "k"):
        scope = {"k": slice(1, 7)}
        exec(f"def f(v): return v[{part}]", scope)
        description = describe(scope["f"])[0]
        assert description.lasting
        digests.add(description.digest)
    assert len(digests) == 6
    scope["k"] = slice(np.arange(1))
    assert not describe(scope["f"])[0].lasting
