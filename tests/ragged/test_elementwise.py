"""NumPy's functions and operators on ragged arrays, beside loops over nested lists."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dtypes
from nested import EXAMPLES, array, each, joined, loose, ragged_lists
from spark_csr import Ragged, csr_array

pytestmark = pytest.mark.usefixtures("small_tiles")

every_example = pytest.mark.parametrize("ndim, lists", EXAMPLES, ids=str)


def both(left, right, depth, func):
    """`func` of two nested lists, value by value; what is nested less deep counts for all that stands beside it."""
    if depth == 0:
        return func(left, right)
    pairs = zip(left, right if isinstance(right, list) else [right] * len(left), strict=True)
    return [both(x, y, depth - 1, func) for x, y in pairs]


def counted(lists, ndim, axes):
    """Nested lists of `axes` axes, as `lists` has them outside, of different numbers."""
    numbers = iter(range(1, 1000))
    return each(lists, axes, lambda _: next(numbers))


@every_example
@pytest.mark.parametrize("form", [lambda R: R, loose], ids=["packed", "loose"])
def test_operators_are_loops_over_values(xp, ndim, lists, form):
    R = form(array(xp, lists, ndim))
    S = array(xp, counted(lists, ndim, ndim), ndim)
    assert (R + S).to_lists() == both(lists, counted(lists, ndim, ndim), ndim, operator.add)
    assert (3 * R).to_lists() == each(lists, ndim, lambda v: 3 * v)
    assert (R - np.int64(2)).to_lists() == each(lists, ndim, lambda v: v - 2)
    assert (R < S).to_lists() == both(lists, counted(lists, ndim, ndim), ndim, operator.lt)
    assert (R < S).dtype == bool
    assert abs(-R).to_lists() == each(lists, ndim, abs)
    assert np.square(R).to_lists() == each(lists, ndim, lambda v: v * v)


@every_example
@pytest.mark.parametrize("form", [lambda R: R, loose], ids=["packed", "loose"])
def test_arrays_of_fewer_axes_count_for_all_inside(xp, ndim, lists, form):
    R = form(array(xp, lists, ndim))
    for axes in range(1, ndim):
        fewer = counted(lists, ndim, axes)
        S = form(array(xp, fewer, axes))
        wanted = both(lists, fewer, ndim, operator.sub)
        assert (R - S).to_lists() == wanted
        assert (S - R).to_lists() == each(wanted, ndim, operator.neg)
        if axes == 1:
            assert (R - S.values).to_lists() == wanted
            assert (R - fewer).to_lists() == wanted or not fewer
            assert (S.values - R).to_lists() == each(wanted, ndim, operator.neg)


@given(ragged_lists(least=2), st.integers(1, 4))
def test_any_lists_with_outer_values(drawn, axes):
    ndim, lists = drawn
    axes = min(axes, ndim)
    fewer = counted(lists, ndim, axes)
    got = Ragged.from_lists(lists, ndim=ndim, dtype=int) * Ragged.from_lists(fewer, ndim=axes, dtype=int)
    assert got.to_lists() == both(lists, fewer, ndim, operator.mul)
    assert got.ndim == ndim


def test_long_lists_over_many_tiles(xp, to_numpy):
    offsets = np.array([0, 0, 70, 70, 75, 200])
    R = Ragged(xp.arange(200), xp.asarray(offsets))
    weights = np.array([5.0, 1, 2, 3, 4])
    got = R * xp.asarray(weights)
    np.testing.assert_array_equal(to_numpy(got.values), np.arange(200) * np.repeat(weights, np.diff(offsets)))
    assert weights.tolist() == [5, 1, 2, 3, 4]


@pytest.mark.parametrize("dtype", dtypes.each())
def test_dtypes_are_those_of_numpy(xp, to_numpy, dtype):
    values, weights = np.array([0, 1, 1, 3], dtype), np.array([2, 1], dtype)
    R = Ragged(xp.asarray(values), xp.asarray([0, 3, 4]))
    repeated = weights[[0, 0, 0, 1]]
    for func in (np.add, np.multiply, np.equal, np.true_divide, np.power):
        for other, beside in ((weights, repeated), (2, 2), (1.5, 1.5), (np.float32(2), np.float32(2)), (1j, 1j)):
            if np.iscomplexobj(other) and func is np.power:  # NumPy's own loops differ by length
                continue
            got, wanted = func(R, xp.asarray(other) if isinstance(other, np.ndarray) else other), func(values, beside)
            np.testing.assert_array_equal(to_numpy(got.values), wanted)
            assert got.dtype == wanted.dtype


def test_functions_of_several_results(xp, to_numpy):
    R = array(xp, [[7, -7], [], [9]], 2)
    quotient, rest = divmod(R, [2, 3, 4])
    assert (quotient.to_lists(), rest.to_lists()) == ([[3, -4], [], [2]], [[1, 1], [], [1]])
    mantissa, exponent = np.frexp(R / xp.asarray([2.0, 2.0, 4.0]))
    assert mantissa.to_lists() == [[0.875, -0.875], [], [0.5625]]
    assert exponent.to_lists() == [[2, 2], [], [2]]
    whole, part = np.divmod(R, [2, 3, 4], out=(None, R))
    assert part is R
    assert (whole.to_lists(), R.to_lists()) == (quotient.to_lists(), rest.to_lists())


def test_operands_are_left_alone(xp, to_numpy):
    R, S = array(xp, [[1, 2], [], [3]], 2), array(xp, [5, 6, 7], 1)
    results = R + S, S + R, R + S.values, R + R, +R
    for result in results:
        result.values[:] = 0
    assert (R.to_lists(), S.to_lists()) == ([[1, 2], [], [3]], [5, 6, 7])


@pytest.mark.parametrize("form", [lambda R: R, loose], ids=["packed", "loose"])
def test_in_place(xp, form):
    R = form(array(xp, [[1, 2], [], [3]], 2))
    same, values = R, R.values
    R += [10, 20, 30]
    R *= R
    assert R is same
    assert R.values is values
    assert R.to_lists() == [[121, 144], [], [1089]]
    out = R * 1.0
    assert np.add(R, 0.5, out=out) is out
    assert out.to_lists() == [[121.5, 144.5], [], [1089.5]]
    with pytest.raises(TypeError, match="Cannot cast"):
        R += 0.5
    deep = array(xp, [[[1], []], [], [[2, 3]]], 3)
    with pytest.raises(ValueError, match="a result of 3 axes does not fit into a ragged array of 2"):
        np.add(deep, 1, out=R)
    with pytest.raises(ValueError, match="differ: one array has 3 items and the other has 2"):
        np.add(R, 1, out=array(xp, [[1], [2]], 2))
    assert np.add(1, 2, out=R).to_lists() == [[3, 3], [], [3]]
    with pytest.raises(ValueError, match="list 0 of level 0 has 1 items in one array and 2 in the other"):
        np.add(array(xp, [[1], [], [3]], 2), 1, out=R)


def test_options_of_ufuncs(xp):
    R = array(xp, [[1, 2], [3]], 2)
    assert np.add(R, [1, 2], dtype=np.float32).dtype == np.float32
    assert np.add(R, [1, 2], dtype=np.float32).to_lists() == [[2, 3], [5]]
    with pytest.raises(TypeError, match="where= is not supported"):
        np.add(R, 1, where=True)
    with pytest.raises(TypeError, match=r"numpy\.add\.reduce is not defined for ragged arrays"):
        np.add.reduce(R)
    with pytest.raises(TypeError, match=r"numpy\.matmul is not defined"):
        R @ R


R2, R3 = [[1, 2], [], [3]], [[[1], []], [[2, 3]]]


@pytest.mark.parametrize(
    "left, right, message",
    [
        (R2, [[1], [2], [3]], "differ: list 0 of level 0 has 2 items in one array and 1 in the other"),
        (R2, [[1, 2], [3], []], "differ: list 1 of level 0 has 0 items in one array and 1 in the other"),
        (R2, [[1, 2], []], "differ: one array has 3 items and the other has 2"),
        (R3, [[[1], [2]], [[3]]], "differ: list 1 of level 1 has 0 items in one array and 1 in the other"),
        (R3, [[1, 2], [3, 4]], "differ: list 1 of level 0 has 1 items in one array and 2 in the other"),
    ],
    ids=str,
)
def test_lists_that_differ_are_named(xp, left, right, message):
    with pytest.raises(ValueError, match=message):
        Ragged.from_lists(left) + Ragged.from_lists(right)


@pytest.mark.parametrize(
    "operand, error, message",
    [
        (np.ones(2), ValueError, r"shape \(2,\) does not fit a ragged array of 3 items"),
        (np.ones((3, 1)), ValueError, r"shape \(3, 1\) does not fit"),
        ([[1, 2], [], [3]], ValueError, "rectangular"),
        (np.array(["a", "b", "c"]), TypeError, "an operand has dtype <U1"),
        (np.ones(3, object), TypeError, "an operand has dtype object"),
        (np.longdouble(1), TypeError, "the result has dtype"),
        (None, TypeError, "NoneType"),
        ("text", TypeError, "str"),
        (csr_array(np.eye(3)), TypeError, "csr_array"),
    ],
    ids=["short", "two-dimensional", "nested", "text array", "objects", "long double", "None", "text", "matrix"],
)
def test_refuses_operands(operand, error, message):
    R = Ragged.from_lists(R2)
    for func in (operator.add, operator.mul):
        with pytest.raises(error, match=message):
            func(R, operand)


def test_arrays_of_one_axis(xp):
    R = Ragged(xp.arange(3))
    assert (R + xp.arange(3)).to_lists() == [0, 2, 4]
    assert (R - [1, 2, 3]).to_lists() == [-1, -1, -1]
    assert (R * R).to_lists() == [0, 1, 4]


def test_lists_are_shared_with_the_result(xp):
    R = array(xp, [[1, 2], [], [3]], 2)
    assert (R + 1).packed().offsets[0] is R.packed().offsets[0]
    assert joined((R == R).to_lists()) == [True] * 3
