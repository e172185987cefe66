"""The softmax of innermost lists against its definition in plain Python."""

import importlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nested import EXAMPLES, array, each, joined, loose, plain, ragged_lists
from spark_csr import Ragged, config
from spark_csr._array import SIMULATED
from spark_csr._cpu.tuning import TUNING


@pytest.fixture(autouse=True)
def _many_tiles_on_one_core(monkeypatch):
    """Kernels for all cores, which take long to compile, have a test of their own."""
    monkeypatch.setattr(TUNING, "reduce_tile", 4)
    monkeypatch.setattr(TUNING, "reduce_tiles", 10**9)


@pytest.fixture(params=["in one pass", "step by step"])
def way(request, monkeypatch):
    """On the cores long lists go another way than short ones; on a GPU there is one."""
    if request.param == "step by step":
        if SIMULATED:
            pytest.skip("what the other one tests")
        monkeypatch.setattr(TUNING, "softmax_long", 0)


def softmax(values):
    powers = [math.exp(v - max(values)) for v in values]
    return [p / math.fsum(powers) for p in powers]


def assert_softmax(R, lists, ndim, rtol=1e-14):
    got, want = plain(R.softmax()), each(lists, ndim - 1, softmax)
    assert each(got, ndim - 1, len) == each(want, ndim - 1, len)
    np.testing.assert_allclose(joined(got, ndim - 1), joined(want, ndim - 1), rtol=rtol)


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_every_depth(xp, way, ndim, lists):
    R = array(xp, lists, ndim, np.float64)
    assert_softmax(R, lists, ndim)
    assert_softmax(loose(R), lists, ndim)
    assert R.softmax(axis=ndim - 1).dtype == np.float64


@given(ragged_lists(st.floats(-300, 300), most=3))
def test_any_numbers(xp, drawn):
    ndim, lists = drawn
    assert_softmax(array(xp, lists, ndim, np.float64), lists, ndim)


def test_long_lists(xp, way):
    values = np.random.default_rng(0).normal(0, 50, 700)
    lists = [values[:300].tolist(), [], values[300:317].tolist(), values[317:].tolist()]
    assert_softmax(array(xp, lists, 2, np.float64), lists, 2, 1e-13)


def test_exponentials_of_the_whole_range(cpu_only):
    """Within a unit in the last place of the library's, down to where nothing is left."""
    exponential = importlib.import_module("spark_csr._cpu.softmax").exponential
    x = np.concatenate([np.linspace(-745.2, 0, 2001), [-0.0, -1e-300, -746, -1e9, -np.inf]])
    got, want = np.array([exponential(v) for v in x]), np.exp(x)
    assert (np.abs(got - want) <= np.maximum(np.spacing(want), 5e-324)).all()
    assert math.isnan(exponential(np.nan))


@pytest.mark.parametrize("values", [[math.nan, 1.0], [math.inf, 1.0, 2.0], [-math.inf, -math.inf]], ids=str)
def test_what_has_no_softmax_is_nan(xp, way, values):
    got = array(xp, [[1.0], values, [0.0, -math.inf]], 2, np.float64).softmax()
    assert np.isnan(got[1].tolist()).all()
    assert (got[0].tolist(), got[2].tolist()) == ([1.0], [1.0, 0.0])


def test_nothing_overflows(xp, way):
    R = array(xp, [[1e308, 1e308], [-1e308, 1e308]], 2, np.float64)
    assert plain(R.softmax()) == [[0.5, 0.5], [0.0, 1.0]]


@pytest.mark.parametrize("dtype, result, rtol", [("f", "f", 1e-6), ("e", "e", 2e-3), ("i", "d", 1e-14), ("?", "d", 1e-14)])
def test_dtypes(xp, dtype, result, rtol):
    lists = [[1, 0, 1], [], [0]]
    R = array(xp, lists, 2).astype(dtype)
    assert R.softmax().dtype == np.dtype(result)
    assert_softmax(R, lists, 2, rtol)


@pytest.mark.parametrize(
    "R, axis, error, message",
    [
        (Ragged.from_lists([[1.0], []]), 0, ValueError, r"axis must be -1 \(or 1\), got 0"),
        (Ragged.from_lists([[1.0], []]), 2, ValueError, "axis 2 is out of range"),
        (Ragged.from_lists([[1.0], []]), None, TypeError, "axis must be an integer, got None"),
        (Ragged.from_lists([[1j], []]), -1, TypeError, "complex128 has none"),
    ],
)
def test_refuses(R, axis, error, message):
    with pytest.raises(error, match=message):
        R.softmax(axis=axis)


def test_same_for_any_number_of_threads(cpu_only, way):
    rng = np.random.default_rng(3)
    offsets = np.concatenate([[0], np.cumsum(rng.poisson(9, 8000))])
    R, results = Ragged(rng.standard_normal(offsets[-1]), offsets), []
    for threads in (1, 2):
        with config(threads=threads):
            results.append(R.softmax().values)
    np.testing.assert_array_equal(*results)
    sums = Ragged(results[0], offsets).sum(axis=1)
    np.testing.assert_allclose(sums[np.diff(offsets) > 0], 1, rtol=1e-14)
