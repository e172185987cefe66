"""Reductions as SciPy's: the same calls on both, every result compared by kind, dtype, shape and value.

What is marked `cpu_only` asks for many calls and for no kernel that the rest does not run under the simulator.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import battery
from spark_csr import coo_array, csr_array
from spark_csr._matrix.base import FORMATS

pytestmark = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")

AXES = (None, 0, 1, -1, -2, (0,), (1, 0))
BAD_AXES = (2, -3, (), (0, 0), (0, 1, 0), "rows", [0])
METHODS = ("sum", "mean", "max", "min", "nanmax", "nanmin", "argmax", "argmin")
SOME = ("duplicates", "explicit zeros", "unsorted", "row of several tiles")


def scipys(matrix, form="csr"):
    """SciPy's matrix of a battery entry; a new one for every call, since its reductions sort and merge in place."""
    indptr, indices, data, shape = matrix
    return sp.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=shape).asformat(form)


def outcome(call):
    """What a call returns, or the type of what it raises."""
    try:
        return call()
    except Exception as error:  # the table compares all kinds
        return type(error)


def assert_same(got, expected, to_numpy):
    """Kind, dtype, shape and values; of exceptions the type: NumPy's AxisError is a ValueError."""
    if isinstance(expected, type):
        assert issubclass(got, expected)
        return
    assert hasattr(got, "tocsr") == hasattr(expected, "tocsr")
    if hasattr(expected, "tocsr"):
        assert (got.format, got.ndim, got.nnz) == (expected.format, expected.ndim, expected.nnz)
        got, expected = got.toarray(), expected.toarray()
    if type(expected) is int:
        assert type(got) is int
    got = to_numpy(got)
    assert (got.dtype, got.shape) == (np.asarray(expected).dtype, np.shape(expected))
    np.testing.assert_allclose(got, expected, rtol=1e-14 if got.dtype.itemsize > 4 else 1e-3, atol=1e-15)


def has_nan(matrix):
    return bool(np.isnan(matrix[2]).any())


def compare(A, matrix, to_numpy, methods=METHODS, axes=AXES):
    before = [to_numpy(x).copy() for x in A._csr.arrays]
    for method in methods:
        for axis in axes:
            if method.startswith("arg") and has_nan(matrix):
                continue  # the one difference: see test_nan_is_the_extreme
            got = outcome(lambda method=method, axis=axis: getattr(A, method)(axis=axis))
            expected = outcome(lambda method=method, axis=axis: getattr(scipys(matrix, A.format), method)(axis=axis))
            assert_same(got, expected, to_numpy)
    for mine, old in zip(A._csr.arrays, before, strict=True):
        np.testing.assert_array_equal(to_numpy(mine), old)


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("name", battery.BATTERY)
def test_battery(xp, to_numpy, name, form):
    A = battery.build(xp, name).asformat(form)
    compare(A, battery.BATTERY[name], to_numpy, axes=(None, 0, 1) if form != "csr" else AXES)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("name", ["row of several tiles", "power law", "NaN and inf", "Nx0"])
def test_many_tiles(xp, to_numpy, name):
    compare(battery.build(xp, name), battery.BATTERY[name], to_numpy, ("sum", "nanmax"), (None, 1))


OF_DTYPES = {
    "bool": (("sum", "max"), (None, 1)),
    "int8": (("sum", "max", "nanmin"), (0, 1)),
    "uint8": (("sum",), (1,)),
    "float32": (("mean",), (1,)),
    "complex128": (("sum", "max", "argmax"), (0, 1)),
}
"""Every kernel is compiled for every dtype: each has those calls that differ by it."""


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("dtype", OF_DTYPES)
@pytest.mark.parametrize("name", SOME[1:])
def test_dtypes(xp, to_numpy, name, dtype):
    indptr, indices, data, shape = battery.BATTERY[name]
    matrix = indptr, indices, battery.as_dtype(data, dtype), shape
    compare(battery.build(xp, name, dtype), matrix, to_numpy, *OF_DTYPES[dtype])


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("name", SOME)
def test_wide_indices(xp, to_numpy, name):
    A = battery.build(xp, name, index=np.int64)
    compare(A, battery.BATTERY[name], to_numpy, ("sum", "argmin"), (0, 1))


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("axis", BAD_AXES, ids=repr)
@pytest.mark.parametrize("method", ["sum", "max", "argmin"])
def test_axes_that_are_none(xp, to_numpy, method, axis):
    A = battery.build(xp, "band")
    assert_same(
        outcome(lambda: getattr(A, method)(axis=axis)),
        outcome(lambda: getattr(scipys(battery.BATTERY["band"]), method)(axis=axis)),
        to_numpy,
    )


def test_axes_that_numpy_makes(xp, to_numpy):
    A = battery.build(xp, "band")
    np.testing.assert_array_equal(to_numpy(A.sum(axis=np.int64(1))), to_numpy(A.sum(axis=1)))
    with pytest.raises(TypeError, match="axis must be an integer, got True"):
        A.sum(axis=True)


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("name", [*SOME, "NaN and inf", "all rows empty"])
@pytest.mark.parametrize("method", ["max", "min", "nanmax", "argmax", "argmin"])
def test_explicit(xp, to_numpy, name, method):
    matrix = battery.BATTERY[name]
    for axis in (None, 0, 1):
        if method.startswith("arg") and has_nan(matrix) and axis is None:
            continue
        got = outcome(lambda axis=axis: getattr(battery.build(xp, name), method)(axis=axis, explicit=True))
        expected = outcome(lambda axis=axis: getattr(scipys(matrix), method)(axis=axis, explicit=True))
        if type(expected) is np.int64:  # of all entries SciPy gives NumPy's integer here, and Python's elsewhere
            expected = int(expected)
        assert_same(got, expected, to_numpy)


def test_nan_is_the_extreme(xp, to_numpy):
    """SciPy lets a missing zero win over NaN; NumPy, and `max`, do not."""
    A = battery.build(xp, "NaN and inf")
    dense = scipys(battery.BATTERY["NaN and inf"]).toarray()
    for method in ("argmax", "argmin"):
        for axis in (None, 0, 1):
            np.testing.assert_array_equal(to_numpy(getattr(A, method)(axis=axis)), getattr(dense, method)(axis=axis))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("method", ["max", "min", "nanmax", "nanmin"])
def test_nan_in_full_and_other_rows(xp, to_numpy, method, dtype):
    nan = np.nan
    rows = [[nan, nan, nan], [nan, 0, 0], [nan, -1, -2], [-1, nan, -2], [-1, -2, -3], [3, nan, 0], [0, nan, 4]]
    dense = np.array(rows, dtype)
    if dtype == "complex128":
        dense[2:4] += 1j * dense[2:4, ::-1]
    matrix = np.arange(0, 22, 3), np.tile(np.arange(3), 7), dense.ravel(), dense.shape
    A = csr_array((xp.asarray(dense.ravel()), xp.asarray(matrix[1]), xp.asarray(matrix[0])), shape=dense.shape)
    for explicit in (False, True):
        for axis in (None, 1):
            got = getattr(A, method)(axis=axis, explicit=explicit)
            assert_same(got, getattr(scipys(matrix), method)(axis=axis, explicit=explicit), to_numpy)


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("form", ["csr", "coo"])
def test_vectors(xp, to_numpy, form):
    dense = np.array([0.0, 3, -1, 0, 3])
    x, theirs = FORMATS[form](xp.asarray(dense)), sp.coo_array(dense)
    for method in METHODS:
        for axis in (None, 0, -1, 1, (0,)):
            got = outcome(lambda method=method, axis=axis: getattr(x, method)(axis=axis))
            assert_same(got, outcome(lambda method=method, axis=axis: getattr(theirs, method)(axis=axis)), to_numpy)
    assert to_numpy(x.count_nonzero()) == to_numpy(x.count_nonzero(axis=0)) == 3


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("dtype", ["complex128", "int64", "int8", "float16", "float32", "bool"])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_entries_are_cast_before_they_are_summed(xp, to_numpy, form, dtype):
    """As NumPy does, on every axis alike."""
    A = battery.build(xp, "power law", np.float64).asformat(form)
    A.data[...] = A.data / 4
    dense = to_numpy(A.toarray())
    for method in ("sum", "mean"):
        for axis in (None, 0, 1):
            got = xp.asarray(getattr(np, method)(A, axis, dtype))
            expected = getattr(np, method)(dense, axis, dtype)
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(
                to_numpy(got), expected, rtol=4 * float(np.finfo(dtype).eps) if got.dtype.kind in "fc" else 0
            )


def test_floats_of_one_position_are_summed_before_they_are_cast(xp, to_numpy):
    A = csr_array((xp.asarray([0.5, 0.5, 5, -5]), xp.asarray([0, 0, 1, 1]), xp.asarray([0, 4])), shape=(1, 2))
    for axis in (0, 1):
        assert to_numpy(A.sum(axis=axis, dtype=int)).tolist() == ([1, 0] if axis == 0 else [1])
    assert to_numpy(A.astype(int).sum(axis=0, dtype=bool)).tolist() == [True, False]


@pytest.mark.usefixtures("cpu_only")
def test_what_overflows_in_a_narrow_dtype(xp, to_numpy):
    A = csr_array(xp.full((3, 3), 3e38, np.float32))
    for axis in (None, 0, 1):
        np.testing.assert_allclose(to_numpy(xp.asarray(A.mean(axis=axis, dtype=np.float64))), 3e38, rtol=1e-6)
        assert (to_numpy(xp.asarray(A.std(axis=axis))) == 0).all()
    halves = csr_array(xp.asarray([[400, -400, 400, -400]], dtype=np.float16))
    assert float(halves.std()) == 400
    huge = csr_array(xp.full((2, 2), 1e200))
    assert [float(x) for x in (huge.var(), *huge.var(axis=0), *huge.var(axis=1))] == [0] * 5


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_long_sums_keep_their_digits(xp, to_numpy, dtype):
    n = 1 << 21
    value = np.dtype(dtype).type(0.1)
    data, column, row = xp.full(n, value), xp.zeros(n, np.int32), xp.arange(n, dtype=np.int32)
    tall = csr_array((data, column, xp.arange(n + 1, dtype=np.int32)), shape=(n, 1))
    wide = csr_array((data, row, xp.asarray([0, n], dtype=np.int32)), shape=(1, n))
    for A, axis in ((tall, 0), (tall, None), (wide, 1), (wide.T, 0)):
        total, mean = (to_numpy(xp.asarray(f(axis=axis))).ravel()[0] for f in (A.sum, A.mean))
        np.testing.assert_allclose([total / n, mean], value, rtol=5e-6)
        assert to_numpy(xp.asarray(A.std(axis=axis))).ravel()[0] < 1e-8


def test_dtypes_that_cannot_be_summed_in(xp):
    with pytest.raises(TypeError, match="object"):
        battery.build(xp, "band").sum(axis=1, dtype=object)


def test_integers_wrap_nowhere_but_where_asked(xp, to_numpy):
    A = csr_array(xp.asarray(np.full((2, 3), 100, np.int8)))
    assert to_numpy(A.sum(axis=1)).tolist() == [300, 300]
    assert to_numpy(A.sum(axis=1, dtype=np.int8)).tolist() == [44, 44]
    assert to_numpy(A.mean(axis=1)).tolist() == [100, 100]
    large = csr_array(xp.asarray(np.full((1, 2), 2**62)))
    assert float(large.mean()) == 2.0**62


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_entries_of_one_position_are_added_one_by_one(xp, to_numpy, form):
    """In the dtype of the sum, as SciPy does: what would be one True, or wrap in an int8, is counted."""
    pattern = xp.asarray([0, 0, 1, 1]), xp.asarray([0, 3, 4])
    for data in ([True, True, False, True], np.array([100, 100, -1, 1], np.int8)):
        A = csr_array((xp.asarray(data), *pattern), shape=(2, 2)).asformat(form)
        a, b, c, d = map(int, data)
        for axis, sums in ((None, a + b + c + d), (0, [a + b, c + d]), (1, [a + b + c, d])):
            assert to_numpy(xp.asarray(A.sum(axis=axis))).tolist() == sums
            assert to_numpy(xp.asarray(A.sum(axis=axis, dtype=float))).tolist() == sums
            dense = np.array([[a + b, c], [0, d]])
            for method in ("mean", "var"):
                got = to_numpy(xp.asarray(getattr(A, method)(axis=axis)))
                np.testing.assert_allclose(got, getattr(dense, method)(axis=axis))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint16", "int64", "uint64", "float32"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_means_in_a_dtype_that_wraps(xp, to_numpy, dtype, axis):
    """The sum wraps as NumPy's: entries that are negative, and sums above the range."""
    dense = np.array([[0, 1, 2], [3, -4, 5], [-6, 7, 9], [100, 100, 100]])
    found = csr_array(xp.asarray(dense)).mean(axis=axis, dtype=dtype)
    expected = dense.mean(axis=axis, dtype=dtype)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-6)


def test_the_mean_of_nothing_is_refused(xp):
    """As by SciPy; where nothing is wanted, nothing is divided."""
    for shape, axes in (((0, 3), (None, 0)), ((3, 0), (None, 1)), ((0, 0), (None, 0, 1))):
        for axis in axes:
            with pytest.raises(ZeroDivisionError, match=f"no elements: the matrix has shape \\({shape[0]}, {shape[1]}"):
                csr_array(xp.empty(shape)).mean(axis=axis)
            with pytest.raises(ZeroDivisionError, match=f"no elements: the matrix has shape \\({shape[1]}, {shape[0]}"):
                csr_array(xp.empty(shape)).T.mean(axis=None if axis is None else 1 - axis)
    with pytest.raises(ZeroDivisionError, match="no elements: the matrix has shape \\(0,\\)"):
        csr_array(xp.empty(0)).mean_var()
    assert csr_array(xp.empty((0, 3))).mean(axis=1).shape == (0,)


def test_half_precision_is_summed_in_single(xp, to_numpy):
    A = csr_array(xp.asarray(np.full((2, 30), 100, np.float16)))
    assert to_numpy(A.sum(axis=1)).tolist() == [3000, 3000]
    assert A.sum(axis=1).dtype == A.mean(axis=1).dtype == A.max(axis=1).dtype == np.float16
    wide = csr_array(xp.asarray(np.full((1, 4), 60000, np.float16)))
    assert float(wide.mean()) == float(wide.max()) == 60000
    assert wide.argmax() == 0


@pytest.mark.usefixtures("cpu_only")
def test_out(xp, to_numpy):
    A, matrix = battery.build(xp, "band"), battery.BATTERY["band"]
    for method in ("sum", "mean"):
        for axis, shape in ((1, (12,)), (0, (12,)), (None, ())):
            for dtype in (float, np.float32, int):
                out = xp.empty(shape, dtype)
                assert getattr(A, method)(axis=axis, out=out) is out
                expected = np.asarray(getattr(scipys(matrix), method)(axis=axis)).astype(dtype)
                np.testing.assert_allclose(to_numpy(out), expected, rtol=1e-6, atol=1e-15)
        with pytest.raises(ValueError, match="output parameter out has wrong dimensions"):
            getattr(A, method)(axis=1, out=xp.empty(3))
    for method in ("max", "argmin", "nanmin"):
        with pytest.raises(ValueError, match="does not support an 'out' parameter"):
            getattr(A, method)(axis=1, out=xp.empty(12))


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("function", [np.sum, np.mean, np.max, np.min, np.argmax, np.argmin], ids=lambda f: f.__name__)
def test_functions_of_numpy(xp, to_numpy, function):
    A, S = battery.build(xp, "power law"), scipys(battery.BATTERY["power law"])
    for axis in (None, 0, 1):
        assert_same(function(A, axis=axis), function(S, axis=axis), to_numpy)


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("name", ["0x0", "Nx0", "explicit zeros", "duplicates", "NaN and inf", "band"])
def test_count_nonzero(xp, to_numpy, name, form):
    A, dense = battery.build(xp, name).asformat(form), scipys(battery.BATTERY[name]).toarray()
    for axis in (None, 0, 1, -1, -2):
        got = to_numpy(A.count_nonzero(axis=axis))
        np.testing.assert_array_equal(got, np.count_nonzero(dense, axis=axis))
        assert got.dtype == np.intp
    with pytest.raises(ValueError, match="axis 2 is out of range for 2 axes"):
        A.count_nonzero(axis=2)


def test_cancelled_duplicates_do_not_count(xp, to_numpy):
    A = csr_array((xp.asarray([1.0, -1, 2]), xp.asarray([0, 0, 1]), xp.asarray([0, 3])), shape=(1, 3))
    assert int(A.count_nonzero()) == 1
    assert A.nnz == 3
    assert int(A.max(explicit=True)) == 2
    assert A.argmin() == 0


def test_nan_stays_in_its_row_and_column(xp, to_numpy):
    """Sums by a product with ones spread it: cupy#8091."""
    A = csr_array(xp.asarray([[np.nan, 1.0, 0], [0, 2, np.inf], [0, 0, 3]]))
    np.testing.assert_array_equal(to_numpy(A.sum(axis=1)), [np.nan, np.inf, 3])
    np.testing.assert_array_equal(to_numpy(A.sum(axis=0)), [np.nan, 3, np.inf])
    B = csr_array(xp.asarray([[complex(np.inf, 1), 0], [0, 1]]))
    np.testing.assert_array_equal(to_numpy(B.sum(axis=0)), [complex(np.inf, 1), 1])


@pytest.mark.usefixtures("cpu_only")
def test_results_are_matrices_of_ours(xp):
    A = battery.build(xp, "band")
    assert type(A.max(axis=1)) is type(A.T.min(axis=0)) is coo_array
    assert A.max(axis=0)._csr.indptr.dtype == np.int32


@st.composite
def matrices(draw):
    """Entries in any order, duplicates, zeros and NaN among them, by rows."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    value = st.sampled_from([0.0, -0.0, 1, -1, 2, -3, np.inf, np.nan])
    entry = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1), value)
    entries = sorted(draw(st.lists(entry, max_size=20)), key=lambda e: e[0])
    i, j, data = (np.array([e[k] for e in entries], t) for k, t in enumerate((int, np.int32, float)))
    return np.searchsorted(i, np.arange(rows + 1)).astype(np.int32), j, data, (rows, columns)


@pytest.mark.usefixtures("cpu_only")
@given(matrices(), st.sampled_from(["csr", "csc"]), st.sampled_from(METHODS), st.sampled_from([None, 0, 1]), st.booleans())
def test_random_matrices(xp, to_numpy, matrix, form, method, axis, explicit):
    indptr, indices, data, shape = matrix
    if method.startswith("arg") and np.isnan(scipys(matrix).tocoo().tocsr().toarray()).any():
        return
    A = csr_array((xp.asarray(data), xp.asarray(indices), xp.asarray(indptr)), shape=shape).asformat(form)
    how = {} if method in ("sum", "mean") else {"explicit": explicit}
    got = outcome(lambda: getattr(A, method)(axis=axis, **how))
    expected = outcome(lambda: getattr(scipys(matrix, form), method)(axis=axis, **how))
    if explicit and type(expected) is np.int64:
        expected = int(expected)
    assert_same(got, expected, to_numpy)


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.skipif(not hasattr(csr_array, "diagonal"), reason="needs csr_array.diagonal")
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("name", ["0x0", "Nx0", "duplicates", "NaN and inf", "unsorted"])
def test_trace(xp, to_numpy, name, form):
    A = battery.build(xp, name).asformat(form)
    for offset in (-9, -2, -1, 0, 1, 2, 9):
        assert_same(A.trace(offset), scipys(battery.BATTERY[name], form).trace(offset), to_numpy)
    assert_same(A.astype(np.int8).trace(), scipys(battery.BATTERY[name], form).astype(np.int8).trace(), to_numpy)
    assert outcome(csr_array(xp.asarray([1.0, 2])).trace) is ValueError


def test_a_sum_in_a_wider_dtype_is_added_in_it():
    A = csr_array(np.float32([[2**24, 1, 1]]))
    assert A.sum(axis=1, dtype=np.float64).tolist() == [2**24 + 2]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_variances_as_numpy(xp, to_numpy, form, dtype):
    dense = np.array([[1, 0, 2, 0], [0, 3, 0, 0], [-1, 0, 5, 0]], dtype)
    A = csr_array(xp.asarray(dense)).asformat(form)
    for axis in (None, 0, 1, -1, (0, 1)):
        for name in ("var", "std"):
            for options in ({}, {"ddof": 1}, {"keepdims": True}):
                got = to_numpy(xp.asarray(getattr(A, name)(axis, **options)))
                expected = getattr(np, name)(dense, axis, **options)
                assert (got.dtype, got.shape) == (expected.dtype, np.shape(expected))
                np.testing.assert_allclose(got, expected, rtol=1e-14)


def test_variances_of_other_kinds(cpu_only):
    dense = np.array([[1 + 2j, 0], [0, 3 - 1j]])
    A = csr_array(dense)
    np.testing.assert_allclose(A.var(axis=0), dense.var(axis=0))
    np.testing.assert_allclose(A.std(), dense.std())
    assert csr_array(dense.real.astype(np.float16)).var(axis=1).dtype == np.float16
    assert csr_array(dense.real.astype(np.float32)).std(dtype=np.float64).dtype == np.float64
    assert csr_array(([1.0, 2.0], [0, 0], [0, 2])).var() == 0  # duplicates are summed
    out = np.empty(2)
    assert A.var(axis=1, out=out) is out
    assert np.isinf(csr_array([[1.0], [3.0]]).var(axis=0, ddof=2)).all()
    with pytest.raises(ZeroDivisionError):
        csr_array((0, 3)).var()
    assert A.var(dtype=np.complex64).dtype == np.complex64
    for method in (A.var, A.std):
        with pytest.raises(TypeError, match="dtype must be floating or complex, got int32"):
            method(axis=0, dtype=np.int32)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "nanmax", "nanmin", "argmax", "argmin", "count_nonzero"])
def test_reduced_axes_are_kept(xp, to_numpy, name):
    dense = np.array([[1.0, 0, 2], [0, 3, -1]])
    for A in (csr_array(xp.asarray(dense)), csr_array(xp.asarray(dense.T)).T):
        for axis in (None, 0, 1, -2, (0, 1)):
            got = getattr(A, name)(axis=axis, keepdims=True)
            got = to_numpy(got.toarray() if hasattr(got, "toarray") else got)
            whole = name.startswith("arg") and axis == (0, 1)
            np.testing.assert_array_equal(got, getattr(np, name)(dense, axis=None if whole else axis, keepdims=True))
    x = coo_array(xp.asarray([1.0, 0, 4]))
    assert to_numpy(x.sum(keepdims=True)).tolist() == [5]


@pytest.mark.parametrize("axis", [None, 0])
def test_results_are_cast_to_the_dtype_of_out(xp, to_numpy, axis):
    """Whatever their values are, as SciPy's."""
    given = np.array([[300, 1], [2, 5]], np.int32)
    out = xp.zeros(given.sum(axis=axis).shape, np.int8)
    assert csr_array(xp.asarray(given)).sum(axis=axis, out=out) is out
    assert to_numpy(out).tolist() == given.sum(axis=axis).astype(np.int8).tolist()


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", ["i2", "f4", "D"])
def test_means_and_variances_together(cpu_only, form, dtype):
    dense = np.array([[1, 0, 2], [0, 0, 7], [3, 0, 4]]).astype(dtype)
    A = csr_array(dense).asformat(form)
    for axis in (None, 0, 1, -1, (0, 1)):
        for how in ({}, {"ddof": 1}, {"keepdims": True}):
            mean, var = A.mean_var(axis, **how)
            for found, expected in ((mean, A.mean(axis, keepdims="keepdims" in how)), (var, A.var(axis, **how))):
                assert (np.shape(found), found.dtype) == (np.shape(expected), expected.dtype)
                np.testing.assert_allclose(found, expected, rtol=1e-6)
            np.testing.assert_allclose(var, dense.var(axis, **how), rtol=1e-6)
    with pytest.raises(ZeroDivisionError):
        csr_array((0, 3)).mean_var(axis=0)
    with pytest.raises(ValueError, match="3"):
        A.mean_var(axis=3)
