"""Columns of names and numbers: from every library, and what is refused."""

import datetime
import decimal

import numpy as np
import pytest

from spark_csr.graph.columns import as_list, read_names, read_numbers

pytestmark = pytest.mark.usefixtures("cpu_only")


def listed(x):
    return as_list(read_names("source", x))


@pytest.mark.parametrize(
    "x, dtype",
    [
        ([3, 1, 2], np.int64),
        (range(3), np.int64),
        (np.array([3, 1], np.int32), np.int32),
        (np.array([3, 1], ">i4"), np.int32),
        (np.array([3, 1], np.uint8), np.int64),
        (np.array([3, 1], np.uint64), np.int64),
        (np.array([2**64 - 1], np.uint64), np.uint64),
        ([2**64 - 1], np.uint64),
        (np.array([3.0, 1.0]), np.int64),
        (np.array([3.0, 1.0], np.float16), np.int64),
        ([3.0, 1], np.int64),
        (np.array([3, 1], object), np.int64),
        (np.array([True, False]), np.int64),
        (np.ma.array([3, 1]), np.int64),
        ([], np.int64),
    ],
)
def test_integers(x, dtype):
    found = read_names("source", x)
    assert found.dtype == dtype
    assert found.dtype.isnative
    assert found.tolist() == list(x)


@pytest.mark.parametrize(
    "x",
    [
        ["b", "a"],
        ("b", "a"),
        {"b": 0, "a": 1},
        np.array(["b", "a"]),
        np.array(["b", "a"], object),
        np.array(["b", "a"], np.dtypes.StringDType()),
        [b"b", "a"],
        [("b", 1), 5],
        [2**70, 1],
        [decimal.Decimal("1.5"), datetime.date(2026, 11, 23)],
    ],
)
def test_objects(x):
    assert listed(x) == list(x)


@pytest.mark.parametrize(
    "x, error, message",
    [
        ([1.5], ValueError, r"integers or strings, got 1.5 in source\[0\]"),
        ([1.0, 2**53 + 1], ValueError, r"integers or strings, got 9007199254740992.0 in source\[1\]"),
        ([1, float("nan")], ValueError, r"source\[1\] is missing \(NaN\)"),
        (["a", None], ValueError, r"source\[1\] is missing \(None\)"),
        (["a", float("nan")], ValueError, r"source\[1\] is missing \(nan\)"),
        (np.ma.array([1, 2], mask=[False, True]), ValueError, r"source\[1\] is missing \(masked\)"),
        (np.array(["2026-11-23"], "M8[D]"), TypeError, r"dtype datetime64\[D\].*astype\(str\)"),
        (np.zeros((2, 2)), ValueError, r"one dimension, got shape \(2, 2\)"),
        ("ann", TypeError, "one column, got the text 'ann'"),
        (5, TypeError, "must be a column, such as an array or a list, got int"),
    ],
)
def test_what_is_no_column_of_names(x, error, message):
    with pytest.raises(error, match=message):
        read_names("source", x)


def test_times_of_arrow_that_python_has_no_objects_for():
    pa = pytest.importorskip("pyarrow")
    assert listed(pa.array([1000, 2000], pa.time64("ns"))) == [datetime.time(microsecond=1), datetime.time(microsecond=2)]
    with pytest.raises(ValueError, match="source has type time64.ns.*lose data.*use integers"):
        read_names("source", pa.array([1, 2], pa.time64("ns")))


@pytest.mark.parametrize("x", [[1, 2], [0.5, 2], np.array([1, 2], np.float32), [True, 2], [1j, 2], np.array([1, 2], object)])
def test_numbers(x):
    assert read_numbers("weight", x).tolist() == list(x)


@pytest.mark.parametrize(
    "x, error, message",
    [
        (["5", 2], TypeError, r"must hold numbers, got '5' in weight\[0\]"),
        (np.array(["5"]), TypeError, r"must hold numbers, got '5' in weight\[0\]"),
        (np.array(["2026-11-23"], "M8[D]"), TypeError, "must hold numbers, got dtype datetime64"),
        ([1, None], ValueError, r"weight\[1\] is missing \(None\)"),
        ([1, float("nan")], ValueError, r"weight\[1\] is missing \(nan\)"),
        (np.array([1, np.nan]), ValueError, r"weight\[1\] is missing \(NaN\)"),
    ],
)
def test_what_is_no_column_of_numbers(x, error, message):
    with pytest.raises(error, match=message):
        read_numbers("weight", x)


class TestPandas:
    @pytest.fixture
    def pandas(self):
        return pytest.importorskip("pandas")

    @pytest.mark.parametrize("dtype", [None, object, "category", "string"])
    def test_strings(self, pandas, dtype):
        assert listed(pandas.Series(["b", "a", "b"], dtype=dtype)) == ["b", "a", "b"]
        assert listed(pandas.Index(["b", "a"], dtype=dtype)) == ["b", "a"]

    @pytest.mark.parametrize("dtype", [None, "Int64", float])
    def test_integers(self, pandas, dtype):
        series = pandas.Series([3, 1], dtype=dtype)
        assert read_names("source", series).tolist() == [3, 1]
        assert read_numbers("weight", series).tolist() == [3, 1]

    @pytest.mark.parametrize(
        "values, dtype",
        [
            (["a", None], None),
            (["a", None], object),
            (["a", None], "string"),
            (["a", None], "category"),
            ([1, None], None),
            ([1, None], "Int64"),
        ],
    )
    def test_missing(self, pandas, values, dtype):
        with pytest.raises(ValueError, match=r"source\[1\] is missing"):
            read_names("source", pandas.Series(values, dtype=dtype))

    def test_columns_that_arrow_has_no_form_for(self, pandas):
        """Periods are names of their own, and not the numbers that Arrow stores; sparse columns are columns."""
        months = pandas.period_range("2020-01", periods=2, freq="M")
        assert listed(pandas.Series(months)) == list(months)
        assert listed(pandas.Series(pandas.interval_range(0, 2))) == list(pandas.interval_range(0, 2))
        assert listed(pandas.Series(pandas.arrays.SparseArray([5, 0, 2]))) == [5, 0, 2]
        assert read_numbers("weight", pandas.Series(pandas.arrays.SparseArray([0.5, 0]))).tolist() == [0.5, 0]

    def test_table(self, pandas):
        with pytest.raises(TypeError, match="one column, got a DataFrame"):
            read_names("source", pandas.DataFrame({"u": [1]}))


class TestArrow:
    @pytest.fixture
    def arrow(self):
        return pytest.importorskip("pyarrow")

    def test_strings(self, arrow):
        for kind in (arrow.string(), arrow.large_string()):
            column = arrow.array(["b", "a", "b"], kind)
            for x in (column, arrow.chunked_array([column[:1], column[1:]]), column.dictionary_encode(), column[1:]):
                found = read_names("source", x)
                assert found.type == arrow.large_string()
                assert found.to_pylist() == x.to_pylist()

    def test_numbers(self, arrow):
        assert read_names("source", arrow.array([3, 1], arrow.int32())).dtype == np.int32
        assert read_numbers("weight", arrow.chunked_array([[0.5], [2.0]])).tolist() == [0.5, 2]
        assert listed(arrow.array([datetime.date(2026, 11, 23)])) == [datetime.date(2026, 11, 23)]

    def test_refused(self, arrow):
        with pytest.raises(ValueError, match=r"source\[1\] is missing \(null\)"):
            read_names("source", arrow.array(["a", None]))
        with pytest.raises(TypeError, match=r"numbers, got 'a' in weight\[0\]"):
            read_numbers("weight", arrow.array(["a"]))
        with pytest.raises(TypeError, match="one column, got a Table"):
            read_names("source", arrow.table({"u": [1]}))

    def test_pandas_strings_of_arrow(self, arrow):
        pandas = pytest.importorskip("pandas")
        found = read_names("source", pandas.Series(["b", "a"], dtype="string[pyarrow]"))
        assert isinstance(found, arrow.ChunkedArray)


class TestPolars:
    def test_columns(self):
        polars = pytest.importorskip("polars")
        for dtype in (polars.String, polars.Categorical):
            assert listed(polars.Series(["b", "a", "b"], dtype=dtype)) == ["b", "a", "b"]
        assert read_names("source", polars.Series([3, 1])).tolist() == [3, 1]
        assert read_numbers("weight", polars.Series([0.5, 1])).tolist() == [0.5, 1]
        for values in (["a", None], [1, None]):
            with pytest.raises(ValueError, match=r"source\[1\] is missing"):
                read_names("source", polars.Series(values))
        with pytest.raises(TypeError, match="one column, got a DataFrame"):
            read_names("source", polars.DataFrame({"u": [1]}))
