"""Ragged arrays to and from Arrow: nothing is copied, nothing is lost, what cannot be held is said."""

import doctest
import io

import numpy as np
import pytest

import dtypes
from nested import EXAMPLES, array, loose
from spark_csr import Ragged

pytest.importorskip("pyarrow", reason="needs pyarrow: pip install pyarrow")

import pyarrow

from spark_csr.interop import arrow
from spark_csr.interop.arrow import from_arrow, read_parquet, to_arrow, write_parquet

pytestmark = pytest.mark.usefixtures("cpu_only")


def address(x):
    return x.__array_interface__["data"][0]


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_there_and_back(ndim, lists):
    for R in (array(np, lists, ndim), loose(array(np, lists, ndim))):
        arrow_array = to_arrow(R)
        arrow_array.validate(full=True)
        assert arrow_array.to_pylist() == lists
        back = from_arrow(arrow_array)
        assert (back.to_lists(), back.ndim, back.dtype) == (lists, ndim, R.dtype)


def test_memory_is_shared():
    values, offsets = np.arange(10.0), np.array([1, 4, 4, 9], np.int32)
    R = Ragged(values, offsets)
    shared = to_arrow(R)
    assert address(shared.offsets.to_numpy()) == address(R.offsets[0])
    assert address(shared.values.to_numpy()) == address(values)
    whole = to_arrow(Ragged(values, np.array([0, 4, 4, 10], np.int32)))
    back = from_arrow(whole)
    assert address(back.values) == address(values)
    given = np.array([0, 4, 4, 10], np.int32)
    back = from_arrow(pyarrow.ListArray.from_arrays(pyarrow.array(given), pyarrow.array(values)))
    given[:] = 2**30  # where the offsets of the array of Arrow lie, too
    assert [len(row) for row in back.to_lists()] == [4, 0, 6]
    assert from_arrow(shared[1:]).to_lists() == [[], [4, 5, 6, 7, 8]]
    assert np.shares_memory(from_arrow(shared[1:]).values, values)


@pytest.mark.parametrize("dtype", dtypes.each(["bool", "int8", "uint16", "int32", "uint64", "float16", "float32"]))
def test_dtypes(dtype):
    R = Ragged(np.array([0, 1, 1]).astype(dtype), [0, 2, 3])
    back = from_arrow(to_arrow(R))
    assert (back.dtype, back.to_lists()) == (R.dtype, R.to_lists())


def test_kinds_of_lists():
    lists = [[1, 2], [3, 4]]
    number = pyarrow.int64()
    kinds = [pyarrow.large_list(number), pyarrow.list_(number, 2), pyarrow.large_list(pyarrow.list_(number))]
    if hasattr(pyarrow, "list_view"):
        kinds.append(pyarrow.list_view(number))
    for kind in kinds:
        given = [lists] if pyarrow.types.is_nested(kind.value_type) else lists
        assert from_arrow(pyarrow.array(given, kind)).to_lists() == given
        assert from_arrow(pyarrow.array(given, kind)[1:]).to_lists() == given[1:]
    assert from_arrow(pyarrow.array([[], []])).to_lists() == [[], []]
    assert from_arrow(pyarrow.array([[[1.5]], []])).dtype == np.float64


def test_chunks_and_foreign_arrays():
    chunks = pyarrow.chunked_array([[[1, 2], []], [[3]]])
    assert from_arrow(chunks).to_lists() == [[1, 2], [], [3]]
    one = pyarrow.chunked_array([[[1, 2], []]])
    assert address(from_arrow(one).values) == address(one.chunk(0).values.to_numpy())
    assert from_arrow(chunks[:0]).to_lists() == []

    class Column:
        def __arrow_c_array__(self, requested_schema=None):
            return pyarrow.array([[1], [2, 3]]).__arrow_c_array__(requested_schema)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return chunks.__arrow_c_stream__(requested_schema)

    assert from_arrow(Column()).to_lists() == [[1], [2, 3]]
    assert from_arrow(Stream()).to_lists() == [[1, 2], [], [3]]


def test_records():
    R = Ragged.from_lists([[51, 27], [], [33]])
    events = {"met": np.array([9.5, 4.5, 1.5]), "jets": {"pt": R, "eta": R / 2}}
    made = to_arrow(events)
    assert str(made.type) == "struct<met: double, jets: list<item: struct<pt: int64, eta: double>>>"
    back = from_arrow(made)
    assert back["met"].tolist() == [9.5, 4.5, 1.5]
    assert back["jets"]["eta"].to_lists() == [[25.5, 13.5], [], [16.5]]
    assert address(back["jets"]["pt"].offsets[0]) == address(back["jets"]["eta"].offsets[0])
    assert from_arrow(made[1:])["jets"]["pt"].to_lists() == [[], [33]]
    assert from_arrow(made[1:])["met"].tolist() == [4.5, 1.5]
    assert from_arrow(made.field("jets")[2:])["pt"].to_lists() == [[33]]


def test_tables_and_parquet(tmp_path):
    R = Ragged.from_lists([[51, 27], [], [33]])
    events = {"met": np.array([9.5, 4.5, 1.5]), "pt": R, "jets": {"pt": R, "eta": R / 2}}
    write_parquet(tmp_path / "events.parquet", events, compression="NONE")
    back = read_parquet(tmp_path / "events.parquet")
    assert list(back) == ["met", "pt", "jets"]
    assert back["pt"].to_lists() == back["jets"]["pt"].to_lists() == R.to_lists()
    for columns in (["pt"], ["pt", "pt"]):
        assert list(read_parquet(tmp_path / "events.parquet", columns=columns)) == ["pt"]
    awkward = pytest.importorskip("awkward")
    assert awkward.from_parquet(tmp_path / "events.parquet").jets.eta.to_list() == (R / 2).to_lists()
    awkward.to_parquet(awkward.Array({"x": [[1.5], []]}), tmp_path / "awkward.parquet")
    assert read_parquet(tmp_path / "awkward.parquet")["x"].to_lists() == [[1.5], []]


@pytest.mark.parametrize(
    "lists, kind, message",
    [
        ([[1, None]], None, "has 1 missing values"),
        ([None, [1]], None, "has 1 missing values"),
        ([[{"x": None}]], None, "missing values"),
        ([["text"]], None, "values of type string, but Ragged holds numbers"),
        ([[1]], pyarrow.list_(pyarrow.timestamp("s")), r"values of type timestamp\[s\]"),
        ([[1, 1]], pyarrow.list_(pyarrow.dictionary(pyarrow.int8(), pyarrow.int64())), "values of type dictionary"),
    ],
    ids=["value", "list", "field", "text", "time", "dictionary"],
)
def test_what_it_cannot_hold(lists, kind, message):
    with pytest.raises(TypeError, match=message):
        from_arrow(pyarrow.array(lists, kind))


def test_missing_values_outside_of_a_slice():
    array = pyarrow.array([[1.0, 2], [None], [3]])
    assert from_arrow(array[:1]).to_lists() == [[1.0, 2.0]]
    assert from_arrow(array[2:]).to_lists() == [[3.0]]


def of_buffers(kind, length, *buffers, items=(1, 2, 3)):
    made = [None if x is None else pyarrow.py_buffer(x) for x in buffers]
    return pyarrow.Array.from_buffers(kind, length, [None, *made], children=[pyarrow.array(items, pyarrow.int64())])


@pytest.mark.parametrize("kind", [pyarrow.list_(pyarrow.int64()), pyarrow.large_list(pyarrow.int64())])
@pytest.mark.parametrize("offsets", [None, b""])
def test_no_lists_whose_offsets_are_left_out(kind, offsets):
    none = of_buffers(kind, 0, offsets, items=())
    for x in (none, pyarrow.record_batch([none], ["x"]).column("x"), pyarrow.table({"x": none}).column("x")):
        back = from_arrow(x)
        assert (back.to_lists(), back.ndim, back.dtype) == ([], 2, np.int64)
    inner = pyarrow.FixedSizeListArray.from_arrays(none, 2)
    assert (from_arrow(inner).to_lists(), from_arrow(inner).ndim) == ([], 3)
    assert from_arrow(pyarrow.StructArray.from_arrays([none], ["x"]))["x"].to_lists() == []


@pytest.mark.parametrize(
    "array",
    [
        lambda: of_buffers(pyarrow.large_list(pyarrow.int64()), 2, np.array([0, 2**32 + 1, 3])),
        lambda: of_buffers(pyarrow.list_(pyarrow.int64()), 2, np.array([0, 1000, 3], np.int32)),
        lambda: of_buffers(pyarrow.list_view(pyarrow.int64()), 2, *np.array([[0, 100], [2, 5]], np.int32)),
        lambda: of_buffers(pyarrow.list_view(pyarrow.int64()), 2, *np.array([[0, 0], [2, -1]], np.int32)),
        lambda: of_buffers(pyarrow.large_list_view(pyarrow.int64()), 1, *np.array([[2**33], [1]])),
    ],
    ids=["wrapped", "beyond", "view", "negative", "large view"],
)
def test_offsets_that_do_not_fit(array):
    array = array()
    nested = pyarrow.StructArray.from_arrays([array], ["x"])
    for x in (array, nested, pyarrow.chunked_array([array, array]), pyarrow.table({"x": array})):
        with pytest.raises(ValueError, match="the Arrow array is not valid: .*slot 1|the Arrow array is not valid: .*slot 0"):
            from_arrow(x)


def test_equal_names():
    columns = [pyarrow.array([1, 2]), pyarrow.array([3, 4])]
    struct = pyarrow.StructArray.from_arrays(columns, names=["x", "x"])
    for x in (struct, pyarrow.ListArray.from_arrays([0, 2], struct), pyarrow.table({"s": struct})):
        with pytest.raises(TypeError, match="several fields of the name 'x': rename them"):
            from_arrow(x)
    for kind in (pyarrow.Table, pyarrow.RecordBatch):
        with pytest.raises(TypeError, match="several columns of the name 'x'"):
            from_arrow(kind.from_arrays(columns, names=["x", "x"]))


@pytest.mark.skipif(not hasattr(pyarrow, "bool8"), reason="pyarrow 18 has bool8")
def test_bools_of_bytes():
    bools = pyarrow.ExtensionArray.from_storage(pyarrow.bool8(), pyarrow.array([0, 1, 5, -1], pyarrow.int8()))
    assert from_arrow(bools).values.tolist() == [False, True, True, True]
    assert from_arrow(bools).dtype == bool
    assert from_arrow(pyarrow.ListArray.from_arrays([0, 1, 4], bools)[1:]).to_lists() == [[True, True, True]]


@pytest.mark.parametrize("shape", [(5, 2), (5, 2, 3), (5, 0), (0, 2)], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "bool", "int8"])
def test_vectors_are_lists_of_fixed_size(tmp_path, shape, dtype):
    values = (np.arange(np.prod(shape)) % 3).reshape(shape).astype(dtype)
    ragged = Ragged(values, [0, 1, 1, 5] if len(values) else [0, 0])
    records = {"position": ragged, "weight": Ragged(np.zeros(len(values)), *ragged.offsets)}
    found = [from_arrow(to_arrow(ragged)), from_arrow(to_arrow(records))["position"]]
    if shape[1]:  # pyarrow writes no lists of size 0
        write_parquet(tmp_path / "a.parquet", records)
        found.append(read_parquet(tmp_path / "a.parquet")["position"])
    for back in found:
        assert (back.values.tolist(), back.values.shape, back.ndim, back.dtype) == (values.tolist(), shape, 2, dtype)
    assert to_arrow(ragged).to_pylist() == ragged.to_lists()
    missing = pyarrow.array([[[1, None]]], pyarrow.list_(pyarrow.list_(pyarrow.int64(), 2)))
    with pytest.raises(TypeError, match="missing values"):
        from_arrow(missing)
    inside = pyarrow.array([[[[1], []]], []], pyarrow.list_(pyarrow.list_(pyarrow.list_(pyarrow.int64()), 2)))
    assert from_arrow(inside).to_lists() == [[[[1], []]], []]


def test_tensors_are_lists_of_their_shape():
    x = np.arange(24).reshape(4, 3, 2)
    tensors = pyarrow.FixedShapeTensorArray.from_numpy_ndarray(x)
    assert from_arrow(tensors).to_lists() == x.tolist()
    assert from_arrow(tensors[1:3]).to_lists() == x[1:3].tolist()
    assert from_arrow(pyarrow.ListArray.from_arrays([0, 1, 4], tensors)[1:]).to_lists() == [x[1:].tolist()]
    empty = pyarrow.fixed_shape_tensor(pyarrow.int64(), [2, 0])
    none = pyarrow.ExtensionArray.from_storage(empty, pyarrow.array([[], []], empty.storage_type))
    assert from_arrow(none).to_lists() == [[[], []], [[], []]]
    for order, is_kept in (([1, 0], False), ([0, 1], True)):
        kind = pyarrow.fixed_shape_tensor(pyarrow.int64(), [3, 2], permutation=order)
        permuted = pyarrow.ExtensionArray.from_storage(kind, tensors.storage)
        if is_kept:
            assert from_arrow(permuted).to_lists() == x.tolist()
        else:
            with pytest.raises(TypeError, match=r"axes in the order \[1, 0\]: use pyarrow.FixedShapeTensorArray.from_numpy"):
                from_arrow(permuted)
            in_order = pyarrow.FixedShapeTensorArray.from_numpy_ndarray(permuted.to_numpy_ndarray().copy())
            assert from_arrow(in_order).to_lists() == x.transpose(0, 2, 1).tolist()


def test_what_it_does_not_take():
    with pytest.raises(TypeError, match="takes arrays and tables of Arrow, got list: use Ragged.from_lists"):
        from_arrow([[1]])
    with pytest.raises(TypeError, match="Arrow has no complex numbers"):
        to_arrow(Ragged.from_lists([[1j]]))
    with pytest.raises(TypeError, match="must be a Ragged, an array or a dict of these, got list"):
        to_arrow([[1]])
    with pytest.raises(ValueError, match="columns must have the same number of items"):
        write_parquet(io.BytesIO(), {"a": np.arange(2), "b": np.arange(3)})
    with pytest.raises(TypeError, match="write_parquet takes a dict of columns, got Ragged"):
        write_parquet(io.BytesIO(), Ragged.from_lists([[1]]))
    with pytest.raises(TypeError, match=r"got pyarrow\.\w+: use spark_csr\.interop\.arrow\.from_arrow"):
        Ragged(pyarrow.array([[1]]))


def test_doctests():
    results = doctest.testmod(arrow)
    assert results.attempted > 10
    assert not results.failed
