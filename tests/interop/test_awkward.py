"""Ragged arrays to and from awkward-array: nothing is copied, nothing is lost, what cannot be held is said."""

import numpy as np
import pytest

import dtypes
from spark_csr import Ragged

pytest.importorskip("awkward", reason="needs awkward-array: pip install awkward")

import awkward

from spark_csr.interop.awkward import from_awkward, to_awkward

pytestmark = pytest.mark.usefixtures("cpu_only")

NESTED = [[], [[]], [1, 2], [[1, 2], [], [3]], [[[1], []], [], [[2, 3]]], [[[[[]]]], [[[[1.5]]], []]]]


@pytest.mark.parametrize("lists", NESTED, ids=str)
def test_there_and_back(lists):
    ragged = Ragged.from_lists(lists)
    array = to_awkward(ragged)
    assert array.to_list() == lists
    back = from_awkward(array)
    assert back.to_lists() == lists
    assert back.dtype == ragged.dtype
    assert from_awkward(awkward.Array(lists)).to_lists() == lists


def test_memory_is_shared():
    values, offsets = np.arange(10.0), np.array([1, 4, 4, 9])
    array = to_awkward(Ragged(values, offsets))
    values[2] = 100
    assert array.to_list() == [[1, 100, 3], [], [4, 5, 6, 7, 8]]
    back = from_awkward(array)
    assert np.shares_memory(back.values, values)
    assert awkward.sort(array, axis=-1, ascending=False).to_list() == [[100, 3, 1], [], [8, 7, 6, 5, 4]]
    assert back.offsets[0].tolist() == [1, 4, 4, 9]


@pytest.mark.parametrize("shape", [(5, 2), (5, 2, 3), (5, 0), (0, 2)], ids=str)
def test_vectors_are_regular_axes_inside_of_lists(shape):
    values = np.arange(float(np.prod(shape))).reshape(shape)
    ragged = Ragged(values, [0, 1, 1, 5] if len(values) else [0, 0])
    array = to_awkward({"position": ragged, "weight": Ragged(np.zeros(len(values)), *ragged.offsets)})
    assert array["position"].to_list() == to_awkward(ragged).to_list() == ragged.to_lists()
    for back in (from_awkward(array)["position"], from_awkward(to_awkward(ragged))):
        assert (back.values.tolist(), back.values.shape, back.ndim) == (values.tolist(), shape, 2)
    assert from_awkward(to_awkward(ragged)[:, ::-1]).to_lists() == ragged[:, ::-1].to_lists()
    missing = awkward.Array([[[1, None]], []])
    with pytest.raises(TypeError, match="missing values"):
        from_awkward(awkward.to_regular(missing[[0, 0]], 2))
    assert from_awkward(awkward.Array([[[1, 2], [3]], []])).ndim == 3
    strings = awkward.Array([["ab", "cd"], []])
    with pytest.raises(TypeError, match="strings"):
        from_awkward(strings)


@pytest.mark.parametrize("dtype", dtypes.each(["bool", "int8", "uint16", "int32", "uint64", "float32", "complex128"]))
def test_dtypes(dtype):
    ragged = Ragged(np.array([0, 1, 1]).astype(dtype), [0, 2, 3])
    back = from_awkward(to_awkward(ragged))
    assert (back.dtype, back.to_lists()) == (ragged.dtype, ragged.to_lists())


@pytest.mark.skipif(not hasattr(awkward, "materialize"), reason="this version of awkward has no virtual arrays")
@pytest.mark.parametrize("lists", [[[1.5, 2], [], [3]], [[[1], []], [], [[2, 3]]], [[{"x": 1, "y": [2.5]}], []]], ids=str)
def test_virtual_arrays_are_read(lists):
    form, length, buffers = awkward.to_buffers(awkward.Array(lists))
    virtual = awkward.from_buffers(form, length, {name: lambda array=array: array for name, array in buffers.items()})
    for found, expected in ((from_awkward(x), from_awkward(awkward.Array(lists))) for x in (virtual, virtual.layout)):
        assert repr(found) == repr(expected)


def test_every_layout_of_lists():
    some = awkward.Array([[1, 2, 3], [], [4, 5]])
    for array in (
        some[[2, 0]],
        some[:, ::-1],
        some[1:],
        awkward.to_regular(some[[0, 0]], 1),
        awkward.Array(np.ones((2, 3, 2))),
    ):
        assert from_awkward(array).to_lists() == array.to_list()
        assert from_awkward(array.layout).to_lists() == array.to_list()
    narrow = awkward.contents.ListOffsetArray(awkward.index.IndexU32(np.array([0, 1, 3], np.uint32)), some.layout.content)
    assert from_awkward(narrow).to_lists() == [[1], [2, 3]]
    picked = awkward.contents.IndexedArray(awkward.index.Index64(np.array([2, 0])), some.layout)
    assert from_awkward(picked).to_lists() == [[4, 5], [1, 2, 3]]


def test_optional_types_without_missing_values():
    numbers = awkward.contents.NumpyArray(np.array([1.5, 2.0, 3.0]))
    whole = awkward.contents.UnmaskedArray(numbers)
    masked = awkward.contents.ByteMaskedArray(awkward.index.Index8(np.ones(3, np.int8)), numbers, True)
    ordered = awkward.contents.IndexedOptionArray(awkward.index.Index64(np.arange(3)), numbers)
    for content in (whole, masked, ordered):
        lists = awkward.contents.ListOffsetArray(awkward.index.Index64(np.array([0, 2, 2, 3])), content)
        assert from_awkward(lists).to_lists() == [[1.5, 2.0], [], [3.0]]
        assert from_awkward(awkward.contents.UnmaskedArray(lists)).to_lists() == [[1.5, 2.0], [], [3.0]]
    assert np.shares_memory(from_awkward(whole).values, numbers.data)


@pytest.mark.parametrize(
    "array, what",
    [
        ([[1, None]], "missing values"),
        ([None, [1]], "missing values"),
        ([{"x": 1, "y": None}], "missing values"),
        ([["text"]], "strings"),
        ([1, [2]], "several types"),
    ],
)
def test_what_it_cannot_hold(array, what):
    with pytest.raises(TypeError, match=what):
        from_awkward(awkward.Array(array))


def test_missing_values_outside_of_a_slice():
    array = awkward.Array([[1.0, 2], [None], [3]])
    assert from_awkward(array[:1]).to_lists() == [[1.0, 2.0]]
    assert from_awkward(array[2:]).to_lists() == [[3.0]]
    with pytest.raises(TypeError, match="missing values"):
        from_awkward(array[1:])


def test_offsets_are_checked_before_they_are_narrowed():
    numbers = awkward.contents.NumpyArray(np.arange(3))
    for bounds, message in (([0, 2**32 + 1, 3], "offsets"), ([0, 1, 2**32 + 2], "there are only 3 items")):
        layout = awkward.contents.ListOffsetArray(awkward.index.Index64(np.array(bounds)), numbers)
        with pytest.raises(ValueError, match=message):
            from_awkward(awkward.Array(layout))


def test_records_are_dicts():
    array = awkward.Array(
        [
            {"met": 9.5, "jets": [{"pt": 51, "p": {"x": [1.0], "n": 1}}, {"pt": 27, "p": {"x": [], "n": 0}}]},
            {"met": 4.5, "jets": []},
        ]
    )
    for given in (array, array[::-1][::-1]):
        found = from_awkward(given)
        assert found["met"].tolist() == [9.5, 4.5]
        assert found["jets"]["pt"].to_lists() == [[51, 27], []]
        assert found["jets"]["p"]["x"].to_lists() == [[[1.0], []], []]
        assert np.shares_memory(found["jets"]["pt"].offsets[0], found["jets"]["p"]["x"].offsets[0])
        assert to_awkward(found).to_list() == array.to_list()
        assert to_awkward(found["jets"]).type == array.jets.type
    assert from_awkward(array[1:])["jets"]["pt"].to_lists() == [[]]


def test_fields_that_have_no_lists_in_common():
    records = {"a": Ragged.from_lists([[1, 2], []]), "b": Ragged.from_lists([[1], [2]])}
    array = to_awkward(records)
    assert array.to_list() == [{"a": [1, 2], "b": [1]}, {"a": [], "b": [2]}]
    assert from_awkward(array)["b"].to_lists() == [[1], [2]]


@pytest.mark.parametrize(
    "records, error, message",
    [
        ({}, ValueError, "dict without fields"),
        ({"a": np.arange(2), "b": np.arange(3)}, ValueError, "same number of items, got {'a': 2, 'b': 3}"),
        ({"a": {"b": [1]}}, TypeError, r"array\['a'\]\['b'\] must be a Ragged, an array or a dict of these, got list"),
    ],
    ids=["empty", "lengths", "list"],
)
def test_records_refused(records, error, message):
    with pytest.raises(error, match=message):
        to_awkward(records)


ALIKE = {
    "sum": lambda x, ak: ak.sum(x, axis=-1, keepdims=True),
    "sum of an outer axis": lambda x, ak: ak.sum(x, axis=0, keepdims=True),
    "prod": lambda x, ak: ak.prod(x, axis=-1),
    "any": lambda x, ak: ak.any(x > 5, axis=0),
    "mean": lambda x, ak: ak.mean(x, axis=0),
    "var": lambda x, ak: ak.var(x, axis=0),
    "std": lambda x, ak: ak.std(x, axis=0, ddof=1),
    "max": lambda x, ak: ak.max(x, axis=0),
    "where": lambda x, ak: ak.where(x > 5, x, -x),
    "isclose": lambda x, ak: ak.isclose(x, 5 + 1e-7),
    "round": lambda x, ak: ak.round(x / 3, 2),
    "sort": lambda x, ak: ak.sort(x, axis=-1),
    "argsort": lambda x, ak: ak.argsort(x, axis=-1),
    "concatenate": lambda x, ak: ak.concatenate([x, x], axis=1),
    "zeros_like": lambda x, ak: ak.zeros_like(x),
    "index arrays": lambda x, ak: x[np.array([0, 2, 2]), np.array([-1, 0, 1])],
}


@pytest.mark.parametrize("name", ALIKE)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
def test_functions_are_those_of_awkward(name):
    lists = [[6.0, 5.0, -7.5], [], [9.0, 1.0], [2.0]]
    got, wanted = ALIKE[name](Ragged.from_lists(lists), np), ALIKE[name](awkward.Array(lists), awkward)
    got = to_awkward(got) if isinstance(got, Ragged) else awkward.Array(got)
    assert got.ndim == wanted.ndim
    if got.ndim > 1:
        assert awkward.num(got).to_list() == awkward.num(wanted).to_list()
    np.testing.assert_allclose(awkward.flatten(got, axis=None), awkward.flatten(wanted, axis=None), rtol=1e-14)


def test_the_best_of_every_list_and_nested_pairs():
    lists, others = [[6, 5, 7], [], [9, 1]], [[1, 2], [3], []]
    R, A = Ragged.from_lists(lists), awkward.Array(lists)
    best = awkward.drop_none(A[awkward.argmin(A, axis=-1, keepdims=True)])
    assert R[R.argmin(axis=-1, keepdims=True)].to_lists() == best.to_list()
    pairs = awkward.unzip(awkward.cartesian([A, awkward.Array(others)], nested=True))
    assert [x.to_lists() for x in R.cartesian(Ragged.from_lists(others), nested=True)] == [x.to_list() for x in pairs]


def test_the_constructor_names_the_bridge():
    with pytest.raises(TypeError, match=r"got awkward\.Array: use spark_csr\.interop\.awkward\.from_awkward"):
        Ragged(awkward.Array([[1], []]))
