"""Lists and columns of pandas, where primitives take arrays."""

import inspect

import numpy as np
import pytest
from numba import njit

from spark_csr import primitives
from spark_csr._array import HOST_STANDS_FOR_DEVICE

pytestmark = pytest.mark.skipif(HOST_STANDS_FOR_DEVICE, reason="lists are taken on the cores")

GIVEN = {
    "x": [3, 1, 2, 2],
    "a": [1, 2],
    "b": [0, 5],
    "keys": [3, 1, 2],
    "values": [1.0, 2, 3],
    "grad": [1.0, 2, 3, 4],
    "index": [0, 1, 1, 3],
    "mask": [True, False, True, True],
    "valid": [True, False, True, True],
    "offsets": [0, 1, 4],
    "counts": [1, 0, 2, 1],
    "ids": [0, 0, 1],
    "k": 1,
    "n": 2,
    "func": njit(lambda v: 2 * v),
}
FUNCTIONS = [name for name in primitives.__all__ if name != "for_each" and not name.startswith("transform_")]


def arguments(name):
    parameters = inspect.signature(getattr(primitives, name)).parameters.values()
    needed = [p.name for p in parameters if p.default is p.empty or (name, p.name) == ("segmented_scan", "offsets")]
    return {name: GIVEN[name] for name in needed}


def as_columns(given):
    pandas = pytest.importorskip("pandas")
    return {name: pandas.Series(x, index=range(7, 7 + len(x))) if isinstance(x, list) else x for name, x in given.items()}


def as_arrays(given):
    return {name: np.array(x) if isinstance(x, list) else x for name, x in given.items()}


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("make", [dict, as_columns])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_those_for_arrays(name, make, by_name):
    function, given = getattr(primitives, name), arguments(name)
    by_name &= name != "cartesian_product"
    expected, found = (function(**x) if by_name else function(*x.values()) for x in (as_arrays(given), make(given)))
    for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (expected, found)), strict=True):
        np.testing.assert_array_equal(one, other)
        assert type(one) is type(other)


@pytest.mark.parametrize("make", [dict, as_columns])
def test_arrays_of_functions_of_ones_own(make):
    given = make({"offsets": [0, 1, 4], "x": [3, 1, 2, 2]})
    found = primitives.transform_segments(given["offsets"], lambda i, segment, rank, x: 10 * segment + x[i], given["x"])
    assert found.tolist() == [3, 11, 12, 12]
    assert primitives.transform_compact(4, lambda i, x: x[i] == 2, None, given["x"]).tolist() == [2, 3]


def test_lists_that_are_no_arrays_are_refused():
    with pytest.raises(ValueError, match="inhomogeneous"):
        primitives.sort([1, [2]])
    with pytest.raises(TypeError, match="x has dtype <U1"):
        primitives.sort(["a"])
    with pytest.raises(TypeError, match="offsets must hold integers, got dtype float64"):
        primitives.segment_ids([0.0, 1.0])
