"""Ragged arrays whose elements are vectors: each call gives what the calls on the columns give, and awkward-array's lists."""

import io
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nested import EXAMPLES
from spark_csr import Ragged
from spark_csr.io import load_ragged, save_ragged

pytestmark = pytest.mark.usefixtures("small_tiles")

OUTER, INNER = np.array([0, 1, 1, 3, 4]), np.array([0, 3, 3, 8, 12])
LEVELS = {"lists": (INNER,), "lists of lists": (OUTER, INNER), "part": (np.array([1, 3, 3, 8, 11]),)}
VALUES = np.random.default_rng(0).integers(0, 9, (12, 3)).astype(float)


def assert_columns(got, call, columns, to_numpy):
    """Assert that a result is that of the call on each column."""
    for part, *expected in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, *map(call, columns))), strict=True):
        if isinstance(part, Ragged):
            part, expected = part.packed(), [x.packed() for x in expected]
            for level, wanted in zip(part.offsets, expected[0].offsets, strict=True):
                np.testing.assert_array_equal(to_numpy(level), to_numpy(wanted))
            part, expected = part.values, [x.values for x in expected]
        np.testing.assert_allclose(to_numpy(part), np.stack([to_numpy(x) for x in expected], axis=-1), rtol=1e-14)


def arrays(xp, levels, values=VALUES):
    """A ragged array of vectors, and those of its columns."""
    offsets = [xp.asarray(x) for x in levels]
    return [Ragged(xp.asarray(np.ascontiguousarray(x)), *offsets) for x in (values, *values.T)]


CALLS = {
    "one item": lambda R, C: R[2],
    "items": lambda R, C: R[1:3],
    "items backwards": lambda R, C: R[::-1],
    "items in any order": lambda R, C: R[[2, 0, 0]],
    "slices of lists": lambda R, C: R[:, 1:],
    "steps in lists": lambda R, C: R[:, ::-1],
    "an item of each": lambda R, C: R[[0, 2, 3], [0, -1, 0]],
    "mask": lambda R, C: R[C > 3],
    "order": lambda R, C: R[C.argsort()],
    "concatenate": lambda R, C: Ragged.concatenate([R, R[1:]]),
    "concatenate lists": lambda R, C: Ragged.concatenate([R, R], axis=1),
    "padded": lambda R, C: R.to_padded(7)[0],
    "cartesian": lambda R, C: R.cartesian(R),
    "combinations": lambda R, C: R.combinations(),
    "running sums": lambda R, C: R.cumsum(-1),
    "running sums of items": lambda R, C: R.cumsum(0),
    "running products of all": lambda R, C: R.cumprod(),
    "arithmetic": lambda R, C: R * 2 - R + 1,
    "numbers on the right": lambda R, C: R * C,
    "numbers on the left": lambda R, C: C - R,
    "a number for each item": lambda R, C: R * np.arange(len(R)) if R.device == "cpu" else R,
    "from the sum": lambda R, C: R - R.sum(-1, keepdims=True),
    "share": lambda R, C: R / R.sum(keepdims=True),
    "where": lambda R, C: np.where(C > 3, R, 0.0),
    "clip": lambda R, C: np.clip(R, 2, 5),
    "astype": lambda R, C: R.astype(np.int32),
    "copy": lambda R, C: R.copy(),
    "pickle": lambda R, C: pickle.loads(pickle.dumps(R)) if R.device == "cpu" else R,
    "flatten": lambda R, C: R.flatten(),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("levels", ["lists", "lists of lists"])
def test_calls_are_those_of_the_columns(xp, to_numpy, levels, name):
    R, *columns = arrays(xp, LEVELS[levels])
    assert_columns(CALLS[name](R, columns[0]), lambda x: CALLS[name](x, columns[0]), columns, to_numpy)


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "mean", "var", "std"])
@pytest.mark.parametrize("levels", LEVELS)
def test_reductions_are_those_of_the_columns(xp, to_numpy, levels, name):
    R, *columns = arrays(xp, LEVELS[levels])
    options = {"initial": 5} if name in ("min", "max") else {}
    for axis in (None, *range(R.ndim)):
        for keepdims in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                got, call = getattr(R, name), lambda x: getattr(x, name)(axis, keepdims=keepdims, **options)  # noqa: B023
                assert_columns(got(axis, keepdims=keepdims, **options), call, columns, to_numpy)


def test_picks(xp, to_numpy):
    R, *columns = arrays(xp, LEVELS["lists"])
    assert_columns(R.pick(1, fill_value=9), lambda x: x.pick(1, fill_value=9), columns, to_numpy)
    assert_columns(R[[0, 2]].pick([2, 4]), lambda x: x[[0, 2]].pick([2, 4]), columns, to_numpy)
    dense, mask = R.to_padded()
    assert Ragged.from_padded(dense, mask).to_lists() == R.to_lists()
    assert Ragged.from_lists(list(R), dtype=int).to_lists() == R.to_lists()
    assert Ragged.from_counts(R.values, xp.asarray(np.diff(INNER))).to_lists() == R.to_lists()


def test_a_vector_for_each_item(xp, to_numpy):
    R, *_ = arrays(xp, LEVELS["lists"])
    centers = np.random.default_rng(1).integers(0, 9, (4, 3)).astype(float)
    moved = R - xp.asarray(centers)
    np.testing.assert_array_equal(to_numpy(moved.values), VALUES - np.repeat(centers, np.diff(INNER), axis=0))
    moved += 1
    np.testing.assert_array_equal(to_numpy(moved.values), VALUES - np.repeat(centers, np.diff(INNER), axis=0) + 1)


def test_facts_and_text():
    R = Ragged(VALUES, INNER)
    assert (R.ndim, R.size, len(R), R.values.shape) == (2, 12, 4, (12, 3))
    assert repr(R[:2]).replace("\n       ", "") == (
        f"Ragged([{[list(row) for row in VALUES[:3].tolist()]}, []], dtype=(float64, (3,)))"
    ).replace("\n", "")
    assert "12 of shape (3,)" in R._repr_html_()
    assert np.array_equal(R, R)
    assert np.allclose(R, R + 1e-12)
    assert not np.array_equal(R, Ragged(VALUES[:, 0], INNER))
    assert Ragged(VALUES.reshape(12, 3, 1), INNER).sum(-1).shape == (4, 3, 1)


@pytest.mark.parametrize("shape", [(12, 0), (0, 3), (0, 0)], ids=str)
def test_empty_arrays(xp, shape):
    R = Ragged(xp.zeros(shape), xp.asarray(INNER if shape[0] else np.zeros(3, int)))
    assert R.sum(-1).shape == (len(R), shape[1])
    assert R.cumsum(-1).values.shape == shape
    assert R[::-1].values.shape == shape
    assert R.to_padded()[0].shape[2:] == shape[1:]
    assert Ragged.concatenate([R, R], 1).values.shape == (2 * shape[0], shape[1])
    assert R[:, 1:].packed().values.shape[1:] == shape[1:]


@given(st.sampled_from([x for x in EXAMPLES if x[0] > 1]), st.lists(st.integers(1, 3), min_size=1, max_size=2))
def test_round_trips(example, shape):
    lists = Ragged.from_lists(example[1], ndim=example[0])
    values = np.random.default_rng(0).integers(0, 9, (lists.size, *shape)).astype(np.float32)
    R = Ragged(values, *lists.offsets)
    file = io.BytesIO()
    save_ragged(file, R)
    file.seek(0)
    back = load_ragged(file)
    assert (back.to_lists(), back.dtype, back.values.shape) == (R.to_lists(), R.dtype, R.values.shape)


def test_files_keep_one_memory_in_two_shapes():
    records = {"flat": Ragged(VALUES.reshape(-1), [0, 36]), "rows": Ragged(VALUES, INNER)}
    file = io.BytesIO()
    save_ragged(file, records)
    file.seek(0)
    assert {name: x.to_lists() for name, x in load_ragged(file).items()} == {n: x.to_lists() for n, x in records.items()}


R = Ragged(VALUES, INNER)
NUMBERS = Ragged(VALUES[:, 0], INNER)


@pytest.mark.parametrize(
    "call, error, message",
    [
        *(
            (call, ValueError, r"takes arrays of numbers, got elements of shape \(3,\): use Ragged\(R.values\[:, 0\]")
            for call in (
                R.sort,
                R.argsort,
                R.argmin,
                R.argmax,
                R.softmax,
                lambda: R.topk(2),
                lambda: R.to_csr(3),
                lambda: R.map(lambda v: v),
                lambda: NUMBERS.map(lambda v, w: v, R),
                lambda: NUMBERS.astype(int).to_csr(9, R),
            )
        ),
        (lambda: R[R > 3], IndexError, r"single integers or bools, got elements of shape \(3,\)"),
        (lambda: R + np.ones((4, 2)), ValueError, r"an operand of shape \(4, 2\) does not fit"),
        (lambda: R + Ragged(VALUES[:, :2], INNER), ValueError, r"elements of shape \(2,\) do not fit elements of shape \(3,\)"),
        (lambda: Ragged.concatenate([R, NUMBERS]), ValueError, r"arrays\[0\] have \(3,\), but those of arrays\[1\] have \(\)"),
        (lambda: bool(R), ValueError, "ambiguous"),
        (lambda: np.nonzero(R), ValueError, r"mask must be one-dimensional, got shape \(12, 3\)"),
        (lambda: Ragged(VALUES, [0, 36]), ValueError, "there are only 12 values"),
        (lambda: Ragged.from_counts(VALUES, [36]), ValueError, "there are 12 values"),
        (lambda: Ragged.from_padded(VALUES, np.ones(12, bool)), ValueError, "or of its first axes"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
