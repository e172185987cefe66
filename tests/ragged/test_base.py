"""Values and offsets: what is accepted, shared, packed and refused."""

import copy
import gc
import pickle
import sys
import types
import weakref

import numpy as np
import pytest
from hypothesis import given

import dtypes
from nested import ELEMENTS, EXAMPLES, OFFSETS, ROWS, array, each, joined, loose, plain, ragged_lists
from spark_csr import Ragged, config
from spark_csr._ragged.base import describe_difference


def have_same_lists(left, right):
    return left.ndim == right.ndim and describe_difference(left, right) is None


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_offsets_may_start_above_zero_and_end_early(xp, to_numpy, ndim, lists):
    R = array(xp, lists, ndim)
    S = loose(R)
    assert S.to_lists() == R.to_lists() == lists
    assert (S.ndim, len(S), S.size) == (ndim, len(lists), len(joined(lists, ndim - 1)))
    assert S.nbytes == R.nbytes
    assert have_same_lists(R, S)
    packed = S.packed()
    assert packed is S.packed() is packed.packed()
    sizes = [x.size - 1 for x in packed.offsets[1:]] + [packed.values.size]
    for offsets, size in zip(packed.offsets, sizes, strict=ndim > 1):
        assert (int(offsets[0]), int(offsets[-1]), offsets.dtype) == (0, size, np.int32)
    assert np.shares_memory(to_numpy(packed.values), to_numpy(S.values)) or xp is not np or not packed.size


@given(ragged_lists(least=2))
def test_counts_of_every_level(xp, to_numpy, drawn):
    ndim, lists = drawn
    for R in (array(xp, lists, ndim), loose(array(xp, lists, ndim))):
        for level in range(ndim - 1):
            wanted = [len(inner) for inner in joined(lists, level)]
            assert to_numpy(R.counts(level)).tolist() == to_numpy(R.counts(level - ndim + 1)).tolist() == wanted


@given(ragged_lists())
def test_flatten_joins_the_lists_of_a_level(xp, drawn):
    ndim, lists = drawn
    for R in (array(xp, lists, ndim), loose(array(xp, lists, ndim))):
        assert R.flatten().tolist() == joined(lists, ndim - 1)
        for level in range(ndim - 1):
            wanted = each(lists, level, joined)
            assert plain(R.flatten(level)) == wanted
            assert plain(R.flatten(level - ndim + 1)) == wanted


def test_worked_example_in_three_axes(xp, to_numpy):
    values, outer, inner = xp.arange(1, 16), xp.asarray([0, 2, 6]), xp.asarray([0, 3, 5, 9, 10, 12, 15])
    R = Ragged(values, outer, inner)
    assert R.to_lists() == [[[1, 2, 3], [4, 5]], [[6, 7, 8, 9], [10], [11, 12], [13, 14, 15]]]
    assert to_numpy(R.flatten(1).offsets[0]).tolist() == [0, 5, 15]
    assert (R.ndim, len(R), R.size, R.dtype, R.device) == (3, 2, 15, np.int64, "cpu" if xp is np else "cuda:0")


def test_given_values_are_shared(xp):
    values, offsets = xp.arange(6.0), xp.asarray([0, 3, 4, 6], dtype=np.int32)
    R = Ragged(values, offsets)
    R.values[0] = 9
    assert values[0] == 9
    assert R.copy().to_lists() == R.to_lists()
    R.copy().values[0] = 1
    assert values[0] == 9


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_offsets_that_are_written_into_afterwards_change_nothing(dtype):
    outer, inner = np.array([0, 1, 2], dtype), np.array([0, 3, 6], dtype)
    R = Ragged(np.arange(6), outer, inner)
    outer[:], inner[:] = 1 << 30, -5
    assert R.to_lists() == R.packed().to_lists() == [[[0, 1, 2]], [[3, 4, 5]]]
    assert R.sum(axis=-1).to_lists() == [[3], [12]]


def test_strided_values_are_copied(xp):
    assert Ragged(xp.arange(12)[::2], xp.asarray([0, 3, 4, 6]))[[2, 0]].to_lists() == [[8, 10], [0, 2, 4]]


@pytest.mark.parametrize("index", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_offsets_of_any_width_become_int32(xp, index):
    R = Ragged(xp.arange(7), xp.asarray([1, 3, 3], dtype=index), xp.asarray([0, 1, 2, 6], dtype=index))
    assert [x.dtype for x in R.offsets] == [np.int32, np.int32]
    assert R.to_lists() == [[[1], [2, 3, 4, 5]], []]


def test_lists_are_taken_as_arrays():
    R = Ragged([6.5, 5, 5, 2], [0, 3, 4])
    assert (R.dtype, R.to_lists()) == (np.float64, [[6.5, 5, 5], [2]])
    assert Ragged([True, False]).to_lists() == [True, False]


@pytest.mark.parametrize("dtype", dtypes.each())
def test_every_dtype_of_values(xp, dtype):
    R = Ragged(xp.asarray([1, 0, 1], dtype=dtype), xp.asarray([0, 2, 2, 3]))
    assert R.dtype == dtype
    assert R.to_lists() == [[1, 0], [], [1]]
    assert R.astype(np.complex128).dtype == np.complex128


def test_read_only_arrays_are_accepted(tmp_path):
    values, offsets = np.arange(6), np.array([0, 3, 4, 6], np.int32)
    view = offsets.view()
    values.flags.writeable = view.flags.writeable = False
    R = Ragged(values, view)
    offsets[:] = 2**30  # into which the owner of the view may write
    assert R[[2, 0]].to_lists() == [[4, 5], [0, 1, 2]]
    assert np.shares_memory(R.values, values)
    np.save(tmp_path / "a.npy", R.offsets[0])
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert np.shares_memory(Ragged(values, mapped).offsets[0], mapped)
    for x in (R.values, R[0], R.flatten(), R[1:].offsets[0]):
        assert not x.flags.writeable


def test_offsets_are_read_only():
    R = Ragged(np.arange(6), np.array([0, 2, 2]), np.array([0, 3, 6]))
    for x in (R, R[1:], R[[0]], R[:, :1], R.flatten(0), R.astype(float), loose(R)):
        for offsets in x.offsets:
            with pytest.raises(ValueError, match="read-only"):
                offsets[0] = 1
    with pytest.raises(AttributeError):
        R.offsets = ()


def test_values_may_be_replaced(xp):
    R = Ragged(xp.arange(4), xp.asarray([1, 2, 4]))
    assert R.packed().size == 3
    R.values = xp.asarray([5.0, 6, 7, 8])
    assert R.to_lists() == [[6.0], [7.0, 8.0]]
    R.values *= 2
    assert R.to_lists() == [[12.0], [14.0, 16.0]]
    with pytest.raises(ValueError, match=r"shape \(4,\), got \(3,\)"):
        R.values = xp.arange(3)


VALUES = np.arange(6)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((VALUES, [0, 2, 4], [0, 3, 6]), ValueError, r"offsets\[0\] ends at 4, but there are only 2 lists in offsets\[1\]"),
        ((VALUES, [0, 2], [0, 3, 7]), ValueError, r"offsets\[1\] ends at 7, but there are only 6 values"),
        (
            (VALUES, [0, 3, 2, 6]),
            ValueError,
            r"offsets\[0\] must not decrease, got offsets\[0\]\[1\] = 3 > offsets\[0\]\[2\] = 2",
        ),
        ((VALUES, [0, 1], [2, 1]), ValueError, r"offsets\[1\] must not decrease"),
        ((VALUES, [-1, 3]), ValueError, r"offsets\[0\] must start at 0 or above, got offsets\[0\]\[0\] = -1"),
        ((VALUES, np.array([], int)), ValueError, r"offsets\[0\] must have one element more than there are segments"),
        ((VALUES, [0, 0], np.array([], int)), ValueError, r"offsets\[1\] must have one element more"),
        ((VALUES, np.array([[0, 6]])), ValueError, r"offsets\[0\] must be one-dimensional, got shape \(1, 2\)"),
        ((VALUES, [0, 1], np.array([[0, 6]])), ValueError, r"offsets\[1\] must be one-dimensional"),
        ((VALUES, np.array([0.0, 6])), TypeError, r"offsets\[0\] must hold integers, got dtype float64"),
        ((VALUES, np.array([False, True])), TypeError, r"offsets\[0\] must hold integers, got dtype bool"),
        ((VALUES, "abc"), TypeError, r"offsets\[0\] has dtype <U3"),
        ((VALUES.reshape(2, 3),), ValueError, r"values must be one-dimensional, got shape \(2, 3\)"),
        ((["a", "b"], [0, 2]), TypeError, r"values has dtype <U1"),
        (([None, 1], [0, 2]), TypeError, "values has dtype object"),
        (([[1], [2, 3]], [0, 2]), ValueError, "got nested lists: use Ragged.from_lists"),
        ((np.ma.array([1, 2], mask=[0, 1]), [0, 2]), TypeError, "values is a masked array"),
        ((VALUES.astype("datetime64[s]"), [0, 2]), TypeError, "values has dtype datetime64"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        Ragged(*arguments)


def test_without_validation_decreasing_offsets_are_believed():
    with config(validate=False):
        assert len(Ragged(VALUES, np.array([0, 4, 2, 6]))) == 3
        with pytest.raises(ValueError, match="ends at 9"):
            Ragged(VALUES, np.array([0, 4, 2, 9]))


def test_mixed_devices(monkeypatch):
    class DeviceArray:
        data = types.SimpleNamespace(device_id=0)

    runtime = types.SimpleNamespace(getDevice=lambda: 0)
    cuda = types.SimpleNamespace(runtime=runtime)
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(ndarray=DeviceArray, cuda=cuda))
    with pytest.raises(TypeError, match="must all be NumPy arrays or all CuPy arrays, got numpy.ndarray and"):
        Ragged(VALUES, np.array([0, 2]), DeviceArray())


def test_levels_and_axes_out_of_range():
    R = Ragged(VALUES, [0, 1], [0, 6])
    for level in (2, -3):
        with pytest.raises(ValueError, match=f"level {level} is out of range: an array of 3 axes has levels from -2 to 1"):
            R.counts(level)
        with pytest.raises(ValueError, match="out of range"):
            R.flatten(level)
    with pytest.raises(ValueError, match="a ragged array of one axis has no levels"):
        Ragged(VALUES).counts(0)
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        R._axis(3)
    assert (R._axis(-1), R._axis(0)) == (2, 0)


def test_what_a_ragged_array_is_not():
    R = Ragged(VALUES, [0, 2, 6])
    with pytest.raises(TypeError, match="cannot convert it: use R.to_padded"):
        np.asarray(R)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(R)
    with pytest.raises(TypeError, match="unhashable"):
        hash(R)
    assert (bool(R[:, 1][0]), bool(Ragged([0], [0, 0, 1]))) == (True, False)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda R: pickle.loads(pickle.dumps(R))])
def test_copies_and_pickles(xp, again):
    R = loose(array(xp, [[[1, 2], []], [], [[3]]], 3))
    R.name = "three"
    S = again(R)
    assert (S.name, S.to_lists(), S.packed().to_lists()) == ("three", R.to_lists(), R.to_lists())


def test_memory_is_given_back_at_once():
    """An array that referred to itself would keep its values until Python looks for cycles."""
    R = Ragged(np.ones(6), [0, 2, 6])
    made = [R + 1, R[1:], R.copy(), R.packed(), R.astype(int)]
    alive = [weakref.ref(x) for x in (R, *made)]
    gc.disable()
    try:
        del R, made
        assert not any(x() is not None for x in alive)
    finally:
        gc.enable()


def test_to_device(xp):
    R = array(xp, [[1], [2, 3]], 2)
    assert R.to_device(R.device) is R
    assert R.to_device("cpu").device == "cpu"


@pytest.mark.parametrize(
    "left, right, words",
    [
        ([[1], [2, 3]], [[4], [5, 6]], None),
        ([[1], [2, 3]], [[4], [5, 6], []], "one array has 2 items and the other has 3"),
        ([[1], [2, 3]], [[4, 5], [6]], "list 0 of level 0 has 1 items in one array and 2 in the other"),
        ([[[1], []], [[2]]], [[[1], []], [[2, 3]]], "list 2 of level 1 has 1 items in one array and 2 in the other"),
    ],
)
def test_first_difference_of_lists(xp, left, right, words):
    R, S = (array(xp, x, 2 + isinstance(x[0][0], list)) for x in (left, right))
    assert describe_difference(R, S) == describe_difference(loose(R), loose(S)) == words
    assert have_same_lists(R, S) == (words is None)
    assert describe_difference(R, S, 0) == (words if words and "other has 3" in words else None)
    assert not have_same_lists(R, R.flatten(0)) if R.ndim > 2 else have_same_lists(R, R)


def test_worked_example(xp, to_numpy):
    """The element `[i][j]` is `values[offsets[i] + j]`; lists are as long as offsets differ."""
    R = Ragged(xp.asarray(ELEMENTS), xp.asarray(OFFSETS))
    assert [to_numpy(R[i]).tolist() for i in range(3)] == ROWS
    assert to_numpy(R.counts()).tolist() == [3, 1, 2]
    assert all(int(R[i][j]) == ELEMENTS[OFFSETS[i] + j] for i, row in enumerate(ROWS) for j in range(len(row)))


@pytest.mark.parametrize("lists", [[[1, 2], [3]], [[[1.5], []], []], [1, 2], [[], []], [], [[True, False], [True]]], ids=repr)
def test_the_text_of_an_array_makes_it_again(lists):
    R = Ragged.from_lists(lists)
    again = eval(repr(R), {"Ragged": Ragged, **{name: np.dtype(name) for name in ("int64", "float64", "bool")}})
    assert (again.to_lists(), again.dtype, again.ndim) == (lists, R.dtype, R.ndim)
    assert Ragged(lists).to_lists() == lists


def test_lists_and_dtypes_as_arguments(xp, to_numpy):
    values = xp.asarray([1.5, 2])
    R = Ragged(values, xp.asarray([0, 1, 2]), dtype="f4")
    assert (R.dtype, R.to_lists()) == (np.float32, [[1.5], [2]])
    np.testing.assert_array_equal(to_numpy(Ragged([[1, 2], [3]], dtype=float).values), [1.0, 2, 3])
    with pytest.raises(ValueError, match="got nested lists: use Ragged.from_lists"):
        Ragged([[1, 2], [3]], [0, 1])
    with pytest.raises(TypeError, match="values must fit the dtype int8, got 300 as value 1"):
        Ragged([[1], [300]], dtype=np.int8)


def test_missing_arguments_name_the_class():
    with pytest.raises(TypeError, match=r"^Ragged.__init__\(\) missing 1 required positional argument: 'values'"):
        Ragged()
