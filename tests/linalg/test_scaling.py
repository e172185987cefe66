"""Rows and columns multiplied by numbers, and divided by their norms, beside NumPy."""

import importlib
import signal

import numpy as np
import pytest
import scipy.sparse as sp

import dtypes
from interrupts import Interrupted, handler
from spark_csr import coo_array, csc_array, csr_array
from spark_csr.linalg import normalize, scale_columns, scale_rows

FORMS = [csr_array, csc_array, coo_array]
RNG = np.random.default_rng(3)
DENSE = RNG.integers(-3, 4, (40, 23)) * (RNG.random((40, 23)) < 0.3)


def matrix(xp, form, dense):
    return form(csr_array(xp.asarray(dense)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scale, axis", [(scale_rows, 0), (scale_columns, 1)])
@pytest.mark.parametrize("of_factors", [None, "f8", "i8", "D"])
@pytest.mark.parametrize("dtype", dtypes.each())
def test_scale(xp, to_numpy, form, scale, axis, dtype, of_factors):
    dense = DENSE.astype(dtype)
    factors = (np.arange(DENSE.shape[axis]) % 5).astype(of_factors or dtype)
    expected = dense * (factors[:, None] if axis == 0 else factors)
    A = matrix(xp, form, dense)
    B = scale(A, xp.asarray(factors))
    assert (type(B), B.dtype, B.nnz) == (form, expected.dtype, A.nnz)
    np.testing.assert_array_equal(to_numpy(B.toarray()), expected)
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense)
    if np.can_cast(expected.dtype, dtype, "same_kind"):
        held = A.data
        assert scale(A, xp.asarray(factors), inplace=True) is A
        assert A.dtype == dtype
        assert A.data is held or np.shares_memory(to_numpy(A.data), to_numpy(held)) or xp is not np
        np.testing.assert_array_equal(to_numpy(A.toarray()), expected.astype(dtype))
    else:
        with pytest.raises(TypeError, match=f"values of {expected.dtype} do not fit a matrix of {np.dtype(dtype)}"):
            scale(A, xp.asarray(factors), inplace=True)


@pytest.mark.parametrize("form", FORMS)
def test_unsorted_entries_and_duplicates(form):
    row, column = RNG.integers(0, 9, 60), RNG.integers(0, 7, 60)
    for values in (RNG.random(60), RNG.integers(0, 2, 60).astype(bool), RNG.integers(-99, 99, 60).astype("i1")):
        S = sp.coo_array((values, (row, column)), shape=(9, 7))
        A = form((values.copy(), (row, column)), shape=(9, 7))
        factors = np.arange(9.0)
        np.testing.assert_allclose(scale_rows(A, factors).toarray(), S.toarray() * factors[:, None])
        np.testing.assert_allclose(scale_columns(A, factors[:7]).toarray(), S.toarray() * factors[:7])
        if values.dtype == float:
            scale_columns(scale_rows(A, factors, inplace=True), factors[:7], inplace=True)
            np.testing.assert_allclose(A.toarray(), S.toarray() * factors[:, None] * factors[:7])


def test_missing_elements_stay_zero(xp, to_numpy):
    A = csr_array(xp.asarray([[1.0, 0], [0, 2]]))
    B = scale_rows(A, xp.asarray([np.inf, np.nan]))
    np.testing.assert_array_equal(to_numpy(B.toarray()), [[np.inf, 0], [0, np.nan]])
    assert scale_columns(A, xp.asarray([0.0, 1])).nnz == 2


def test_empty_matrices_and_lists():
    for shape in ((0, 0), (0, 3), (3, 0), (2, 3)):
        A = csr_array(shape)
        assert (
            scale_rows(A, np.ones(shape[0])).shape == scale_columns(A, np.ones(shape[1])).shape == normalize(A).shape == shape
        )
    assert scale_rows(csr_array([[1.0, 2]]), [3]).toarray().tolist() == [[3, 6]]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda A: scale_rows(A, [1.0, 2]), ValueError, r"factors must have shape \(3,\), one for each row, got \(2,\)"),
        (lambda A: scale_columns(A, np.ones((2, 1))), ValueError, r"shape \(2,\), one for each column, got \(2, 1\)"),
        (lambda A: scale_rows(A, ["a", "b", "c"]), TypeError, "factors"),
        (lambda A: scale_rows(A.toarray(), [1, 2, 3]), TypeError, "A must be a matrix of this package, got ndarray"),
        (lambda A: scale_rows(A[0], [1]), TypeError, "A must be a matrix"),
        (lambda A: normalize(A, "l3"), ValueError, "norm must be 'l1', 'l2' or 'max', got 'l3'"),
        (lambda A: normalize(A, axis=2), ValueError, "axis must be 1 for rows or 0 for columns, got 2"),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call(csr_array([[1.0, 0], [0, 2], [3, 4]]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", dtypes.some(["i1", "f2", "f4", "f8", "F", "D"], ["f8"]))
def test_normalize(xp, to_numpy, form, norm, axis, dtype):
    dense = DENSE.astype(dtype) * (1 + 1j if np.dtype(dtype).kind == "c" else 1)
    dense[3], dense[:, 2] = 0, 0
    order = {"l1": 1, "l2": 2, "max": np.inf}[norm]
    lengths = np.linalg.norm(dense.astype("D"), order, axis=axis, keepdims=True)
    expected = dense / np.where(lengths == 0, 1, lengths)
    B, norms = normalize(matrix(xp, form, dense), norm, axis=axis, return_norm=True)
    assert (type(B), B.dtype) == (form, np.float64 if np.dtype(dtype).kind in "iu" else dense.dtype)
    tolerance = {2: 1e-2, 4: 1e-5}.get(B.dtype.itemsize // (2 if B.dtype.kind == "c" else 1), 1e-12)
    np.testing.assert_allclose(to_numpy(B.toarray()), expected, rtol=tolerance)
    np.testing.assert_allclose(to_numpy(norms), lengths.ravel(), rtol=tolerance)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(0, 6), (3, 0), (0, 0)])
def test_normalize_nothing(form, norm, axis, shape):
    B, lengths = normalize(form(shape), norm, axis=axis, return_norm=True)
    assert (type(B), B.shape, B.nnz) == (form, shape, 0)
    assert (lengths.tolist(), lengths.dtype) == ([0] * shape[1 - axis], np.float64)


@pytest.mark.parametrize("form", FORMS)
def test_values_that_are_read_only_are_not_written(form):
    data = np.arange(1.0, 4)
    data.flags.writeable = False
    A = form(csr_array((data, [0, 1, 0], [0, 2, 3]), shape=(2, 2)))
    if A.data.flags.writeable:
        pytest.skip("this format has copied the values")
    with pytest.raises(ValueError, match="read-only: leave out inplace"):
        scale_rows(A, [1.0, 2], inplace=True)
    assert scale_rows(A, [1.0, 2]).toarray().tolist() == [[1, 2], [6, 0]]


@pytest.mark.parametrize("dtype, values", [("f2", [6e4] * 30), ("f4", [3e38] * 30), ("f4", [1e-44] * 4)])
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_norms_beyond_the_range_of_the_dtype(norm, dtype, values):
    dense = np.array([values], dtype)
    expected = dense.astype("D") / np.linalg.norm(dense[0].astype("D"), {"l1": 1, "l2": 2, "max": np.inf}[norm])
    B = normalize(csr_array(dense), norm)
    assert B.dtype == dtype
    np.testing.assert_allclose(B.toarray(), expected, rtol=1e-2 if dtype == "f2" else 1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_norms_that_no_dtype_has(dtype):
    A = csr_array(
        np.array([[1.5e308, 0, 1.5e308, 1.5e308, 1.5e308], [3, 4, 0, 0, 0], [0, 0, 0, 0, 0], [1e-300, 0, 0, 0, 0]], dtype)
    )
    B, norms = normalize(A, return_norm=True)
    np.testing.assert_array_equal(norms, [np.inf, 5, 0, 1e-300])
    np.testing.assert_allclose(B.toarray(), [[0.5, 0, 0.5, 0.5, 0.5], [0.6, 0.8, 0, 0, 0], [0] * 5, [1, 0, 0, 0, 0]])
    assert not normalize(csr_array(np.array([[np.inf, 1]], dtype))).toarray()[0, 1]


def test_rows_of_large_and_small_values_are_normalized():
    B = normalize(csr_array([[3e200, 4e200], [3e-200, 4e-200]]), axis=-1)
    np.testing.assert_allclose(B.toarray(), [[0.6, 0.8], [0.6, 0.8]])


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize(
    "dtype, values", [("F", [3e38 + 1e38j, 2e38 - 1e38j]), ("D", [3e-310 + 4e-310j, 1e-310]), ("F", [1e-40j])]
)
def test_complex_rows_at_the_ends_of_the_range(norm, dtype, values):
    dense = np.array([values], dtype)
    scaled = dense.astype("D") * (1e300 if dtype == "D" else 1.0)
    expected = scaled / np.linalg.norm(scaled[0], {"l1": 1, "l2": 2, "max": np.inf}[norm])
    np.testing.assert_allclose(normalize(csr_array(dense), norm).toarray(), expected, rtol=1e-3)


@pytest.mark.parametrize("inplace", [False, True])
def test_infinite_parts_of_complex_numbers_stay_alone(inplace):
    """NumPy and SciPy make NaN of the other part."""
    A = scale_rows(csr_array(np.array([[complex(np.inf, 1), 2j]])), np.array([2.0]), inplace=inplace)
    assert A.data.real.tolist() == [np.inf, 0]
    assert A.data.imag.tolist() == [2, 4]


@pytest.mark.parametrize("form", FORMS)
def test_ctrl_c_while_values_are_scaled_in_place(cpu_only, monkeypatch, form):
    """All values are scaled then: a second call would scale some of them twice."""
    A, module = form(csr_array([[1.0, 2], [3, 4]])), importlib.import_module("spark_csr.linalg.scaling")
    interrupted = Interrupted(module.scale_entries)
    monkeypatch.setattr(module, "scale_entries", interrupted)
    with handler(signal.default_int_handler), pytest.raises(KeyboardInterrupt):
        scale_rows(A, [2.0, 3], inplace=True)
    assert interrupted.calls == 1
    assert A.toarray().tolist() == [[2, 4], [9, 12]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex128"])
@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
@pytest.mark.parametrize("scale, axis", [(scale_rows, 0), (scale_columns, 1)])
def test_factors_in_the_memory_of_the_values(xp, to_numpy, form, dtype, scale, axis):
    dense = (np.arange(1, 101).reshape(10, 10) % 7 + 1).astype(dtype)
    A = form(xp.asarray(dense)).copy()
    factors = A.data[::-1][:10]
    expected = dense * (to_numpy(factors)[:, None] if axis == 0 else to_numpy(factors))
    np.testing.assert_array_equal(to_numpy(scale(A, factors, inplace=True).toarray()), expected)


@pytest.mark.parametrize("dtype, values", [(bool, [True, True]), (np.int8, [100, 100]), (float, [1, 2])])
def test_entries_of_one_position_are_summed_for_norms_and_values_alike(xp, to_numpy, dtype, values):
    A = csr_array((xp.asarray(np.array(values, dtype)), xp.asarray([0, 0]), xp.asarray([0, 2])), shape=(1, 1))
    B, size = normalize(A, return_norm=True)
    assert to_numpy(size).tolist() == [sum(values)]
    assert to_numpy(B.toarray()).tolist() == [[1]]
