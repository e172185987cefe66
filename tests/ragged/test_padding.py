"""Dense arrays and masks of ragged ones, and back."""

import itertools

import numpy as np
import pytest
from hypothesis import given

import dtypes
from nested import EXAMPLES, array, joined, loose, ragged_lists
from spark_csr import Ragged
from spark_csr._ragged import padding

pytestmark = pytest.mark.usefixtures("small_tiles")


def padded(lists, ndim, fill, length=None):
    """The dense array and the mask, value by value."""
    shape = [len(lists), *(max(map(len, joined(lists, axis)), default=0) for axis in range(ndim - 1))]
    shape[-1] = shape[-1] if length is None else length
    dense, mask = np.full(shape, fill), np.zeros(shape, bool)

    def visit(item, place):
        if len(place) < ndim:
            for k, inner in enumerate(item):
                visit(inner, (*place, k))
        elif place[-1] < shape[-1]:
            dense[place], mask[place] = item, True

    visit(lists, ())
    return dense, mask


def check(xp, to_numpy, lists, ndim, length=None):
    for R in (array(xp, lists, ndim), loose(array(xp, lists, ndim))):
        for got, wanted in zip(R.to_padded(-7, length), padded(lists, ndim, -7, length), strict=True):
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(to_numpy(got), wanted)


@pytest.mark.parametrize("run", [1, 3, 512])
@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_examples(xp, to_numpy, ndim, lists, run, monkeypatch):
    monkeypatch.setattr(padding, "RUN", run)
    for length in (None, 0, 1, 2, 9):
        check(xp, to_numpy, lists, ndim, length)


@given(ragged_lists())
def test_any_lists(xp, to_numpy, drawn):
    check(xp, to_numpy, drawn[1], drawn[0])


@given(ragged_lists(least=2))
def test_back_again(xp, drawn):
    """Inner axes come back as long as the longest list; no value is lost."""
    ndim, lists = drawn
    R = array(xp, lists, ndim)
    dense, mask = R.to_padded()
    back = Ragged.from_padded(dense, mask)
    assert back.ndim == ndim
    assert back.flatten().tolist() == joined(lists, ndim - 1)
    if ndim == 2:
        assert back.to_lists() == lists
    everything = Ragged.from_padded(dense)
    assert everything.flatten().tolist() == dense.ravel().tolist()
    assert [everything.counts(level).tolist() for level in range(ndim - 1)] == [
        [extent] * int(np.prod(dense.shape[:axis])) for axis, extent in enumerate(dense.shape) if axis
    ]


def test_outer_axes_become_full(xp):
    dense, mask = array(xp, [[[1, 2], [3]], [], [[4]]], 3).to_padded()
    assert Ragged.from_padded(dense, mask).to_lists() == [[[1, 2], [3]], [[], []], [[4], []]]


@pytest.mark.parametrize("dtype", dtypes.each(usual="?eD"))
def test_every_width(xp, dtype):
    dense, mask = array(xp, [[1, 0], [], [1]], 2, dtype).to_padded(True)
    assert (dense.dtype, dense.tolist()) == (dtype, [[1, 0], [1, 1], [1, 1]])
    assert Ragged.from_padded(dense, mask).to_lists() == [[1, 0], [], [1]]


def test_any_order_in_memory_and_empty_shapes(xp, to_numpy):
    dense = xp.asarray(np.arange(24).reshape(2, 3, 4))
    mask = xp.asarray(np.arange(24).reshape(2, 3, 4) % 5 > 1)
    for turned in itertools.permutations(range(3)):
        x, kept = dense.transpose(turned), mask.transpose(turned)
        slabs = zip(to_numpy(x), to_numpy(kept), strict=True)
        wanted = [[row[keep].tolist() for row, keep in zip(*slab, strict=True)] for slab in slabs]
        assert Ragged.from_padded(x, kept).to_lists() == wanted
    for shape in ((0, 3), (3, 0), (0, 0), (2, 0, 3), (0, 2, 2)):
        R = Ragged.from_padded(xp.zeros(shape), xp.ones(shape, bool))
        assert (R.to_lists(), R.ndim) == (np.zeros(shape).tolist(), len(shape))


def test_values_without_a_mask_are_shared():
    dense = np.zeros((2, 3))
    Ragged.from_padded(dense).values[4] = 1
    assert dense[1, 1] == 1
    assert Ragged.from_padded([[1, 2], [3, 4]], [[True, False], [True, True]]).to_lists() == [[1], [3, 4]]


def test_nan_and_what_does_not_fit():
    R = array(np, [[1.0], []], 2, np.float64)
    assert np.isnan(R.to_padded(np.nan)[0][1, 0])
    with pytest.raises(TypeError, match="fill_value must fit the dtype int64, got nan"):
        array(np, [[1], []], 2).to_padded(np.nan)
    with pytest.raises(ValueError, match="length must be 0 or above, got -1"):
        R.to_padded(length=-1)
    with pytest.raises(TypeError):
        R.to_padded(length=1.5)


def test_one_long_list_is_too_much(xp):
    wide = array(xp, [[1]], 2)
    with pytest.raises(MemoryError, match=r"a dense array of shape \(1, 1152921504606846976\) need"):
        wide.to_padded(length=2**60)


@pytest.mark.parametrize(
    "dense, mask, error, message",
    [
        (np.zeros(3), None, ValueError, r"two dimensions or more, got shape \(3,\)"),
        (np.zeros((2, 2)), np.zeros((2, 3), bool), ValueError, r"shape of dense, \(2, 2\), or of its first axes, got \(2, 3\)"),
        (np.zeros((2, 2)), np.zeros((2, 2)), TypeError, "mask must have dtype bool, got float64: use mask != 0"),
        ([["a"]], None, TypeError, "dense has dtype <U1"),
        ([[1], [2, 3]], None, ValueError, "dense must be rectangular"),
    ],
    ids=str,
)
def test_wrong_dense_arrays_are_named(dense, mask, error, message):
    with pytest.raises(error, match=message):
        Ragged.from_padded(dense, mask)
