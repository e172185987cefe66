"""A function of chosen elements: its results, their dtype, and that it runs on nothing else."""

import numpy as np
import pytest
from numba import njit

from spark_csr._array import SIMULATED
from spark_csr.primitives import map_where

pytestmark = pytest.mark.usefixtures("small_tiles")


def sample(n, density, dtype=float):
    rng = np.random.default_rng(n)
    return rng.integers(-9, 9, n).astype(dtype), rng.random(n) < density


@njit
def square(v):
    return v * v


@njit
def is_positive(v):
    return v > 0


@njit
def reciprocal(v):
    return 1 / v


@njit
def negated(v):
    return not v


@njit(inline="always")
def doubled_inline(v):
    return v + v


@pytest.mark.parametrize("n, density", [(0, 0.5), (1, 1), (1, 0), (16, 0.5), (20, 0), (33, 0.5)])
def test_map_where_is_the_comprehension(xp, to_numpy, n, density):
    x, mask = sample(n, density)
    got = to_numpy(map_where(square, xp.asarray(x), xp.asarray(mask)))
    np.testing.assert_array_equal(got, [v * v for v in x[mask]])
    assert got.dtype == float


@pytest.mark.parametrize("n", [0, 6])
@pytest.mark.parametrize(
    "func, dtype, returned",
    [
        (square, "float32", "float32"),
        (square, "float16", "float32"),
        (square, "complex128", "complex128"),
        (is_positive, "float64", "bool"),
        (reciprocal, "int64", "float64"),
        (negated, "bool", "bool"),
    ],
)
def test_map_where_gives_the_dtype_of_the_function(xp, to_numpy, n, func, dtype, returned):
    x, mask = np.resize([1, 2, 3, 0], n).astype(dtype), np.resize([True, True, False, False], n)
    plain = getattr(func, "py_func", func)
    got = to_numpy(map_where(func, xp.asarray(x), xp.asarray(mask)))
    assert got.dtype == returned
    np.testing.assert_allclose(got, [plain(v) for v in x[mask]], rtol=1e-6)


def test_map_where_runs_on_nothing_else(xp, to_numpy):
    """52 elements, 13 of them chosen: 1/0 would raise in NumPy, and does not occur."""
    x = xp.arange(52) % 4
    np.testing.assert_array_equal(to_numpy(map_where(reciprocal, x, x == 2)), [0.5] * 13)


def make_adder(term):
    @njit
    def add(v):
        return v + term

    return add


def plain_square(v):
    return v * v


@njit
def pair(v):
    return v, v


@njit
def length(v):
    return len(v)


@njit
def importing(v):
    import math

    return math.floor(v)


ONE = np.ones(1)
YES = np.ones(1, bool)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: map_where(3, ONE, YES), "must be an @numba.njit function, got 3"),
        (lambda: map_where(make_adder(2), ONE, YES), "must not close over variables, got 'make_adder"),
        (lambda: map_where(square, ONE, ONE), "mask must have dtype bool"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.skipif(SIMULATED, reason="njit leaves functions as they are")
@pytest.mark.parametrize(
    "func, message",
    [(plain_square, "decorate it"), (pair, "return a number"), (length, "return a number"), (importing, "IMPORT_NAME")],
)
def test_functions_that_cannot_be_mapped(func, message):
    with pytest.raises(TypeError, match=message):
        map_where(func, ONE, YES)


@pytest.mark.skipif(SIMULATED, reason="nothing is compiled")
def test_functions_that_numba_would_make_part_of_the_kernel_keep_numbas_types(cpu_only):
    x = np.array([1, 2**32 - 1], np.uint32)
    got = map_where(doubled_inline, x, np.ones(2, bool))
    assert (got.dtype, got.tolist()) == (np.uint64, [2, 2**33 - 2])
