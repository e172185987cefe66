"""Norms as SciPy's, for every order and axis."""

import numpy as np
import pytest
import scipy.sparse.linalg as sla

import battery
from spark_csr import coo_array, csr_array
from spark_csr.linalg import norm

ORDERS = [None, "fro", "f", 1, -1, np.inf, -np.inf, 0, 2, 3, 0.5, "nuc", -2]
AXES = [None, 0, 1, -1, (0, 1), (1, 0), (0,), 2, (0, 0), (0, 2), 1.5, [0], (0, 1, 0)]


def outcome(call):
    try:
        return call()
    except Exception as error:  # the table compares all kinds
        return type(error)


def dtype_of(dtype, order, axis):
    """The dtype of a norm, as of SciPy 1.18: before that it was often that of the matrix."""
    if order == 0 and isinstance(axis, int):
        return np.dtype(np.intp)
    of_all = order in (None, "fro", "f", 2) and not isinstance(axis, int)
    real = np.zeros(0, dtype).real.dtype
    return real if of_all or dtype == "complex64" else np.dtype(np.float64)


def numpys(dense, order, axis):
    with np.errstate(divide="ignore"):
        return np.linalg.norm(dense, "fro" if order == "f" else order, axis)


def compare(got, expected, dtype, to_numpy, rtol=1e-12):
    got = to_numpy(got)
    assert (got.shape, got.dtype) == (np.shape(expected), dtype)
    np.testing.assert_allclose(got, expected, rtol=rtol)


def scipys(name, dtype=float):
    indptr, indices, data, shape = battery.BATTERY[name]
    return csr_array((battery.as_dtype(data, dtype), indices.copy(), indptr.copy()), shape=shape).to_scipy()


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("name", ["band", "duplicates", "explicit zeros"])
def test_norms(to_numpy, name, order):
    """Values are NumPy's, refusals SciPy's."""
    A = battery.build(np, name)
    for axis in AXES:
        got = outcome(lambda axis=axis: norm(A, order, axis))
        with np.errstate(divide="ignore"):
            theirs = outcome(lambda axis=axis: sla.norm(scipys(name), order, axis))
        if isinstance(theirs, type) or isinstance(got, type):
            assert got is theirs
            continue
        one = axis[0] if axis == (0,) else axis
        compare(got, numpys(A.toarray(), order, one), dtype_of("float64", order, one), to_numpy)


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128", "int32", "bool", "float16", "uint8"])
@pytest.mark.parametrize("name", ["band", "unsorted"])
def test_dtypes(xp, to_numpy, name, dtype):
    A = battery.build(xp, name, dtype)
    wide = np.result_type(dtype, np.float64)
    for order, axis in ((None, None), (1, None), (np.inf, None), (2, (0, 1)), (2, 1), (np.inf, 1), (0, 1), (-1, 0)):
        expected = numpys(to_numpy(A.toarray()).astype(wide), order, axis)
        kind = dtype_of("float64" if np.dtype(dtype).kind in "biu" or (dtype, order) == ("float16", 2) else dtype, order, axis)
        compare(norm(A, order, axis), expected, kind, to_numpy, {"float16": 1e-3, "float32": 1e-6}.get(kind.name, 1e-12))


def test_columns(xp, to_numpy):
    A = battery.build(xp, "band")
    for order, axis in ((1, None), (2, 0)):
        expected = numpys(to_numpy(A.toarray()).T, order, axis)
        compare(norm(A.T, order, axis), expected, np.dtype(np.float64), to_numpy)


def test_no_value_wraps(xp, to_numpy):
    rows = xp.asarray([[100, 100, -128], [-128, 0, 0]], dtype=np.int8)
    for A in (csr_array(rows), csr_array(rows.T).T):
        assert [float(norm(A, order)) for order in (1, np.inf, -np.inf)] == [228, 328, 128]
        assert to_numpy(norm(A, np.inf, 1)).tolist() == [128, 128]
    assert float(norm(csr_array(xp.full((1, 4), 100, np.int8)), axis=1)[0]) == 200
    twice = csr_array((xp.asarray([100, 100], dtype=np.int8), xp.asarray([0, 0]), xp.asarray([0, 2])), shape=(1, 1))
    assert float(norm(twice)) == 200
    pair = coo_array((xp.asarray([100, 100], dtype=np.int8), (xp.asarray([0, 0]), xp.asarray([0, 0]))), shape=(2, 2))
    assert [float(norm(pair, order)) for order in (None, 1, np.inf, 2)] == [200] * 4
    halves = csr_array(xp.asarray([[300, 400]], dtype=np.float16))
    assert float(norm(halves)) == float(norm(halves, 2)) == float(norm(halves, axis=1)[0]) == 500


@pytest.mark.parametrize("order", [None, 2, 3, -1, -2, 0.5])
@pytest.mark.parametrize("axis", [0, 1])
def test_powers_that_are_out_of_range(xp, to_numpy, axis, order):
    dense = np.array([[1e200, 1e-200, 3, 0], [0, 1e-200, 4, 0], [1e-170, 1e-171, 5, 0]])
    found = norm(csr_array(xp.asarray(dense)), order, axis)
    scale = np.where(dense.any(axis=axis), np.where(dense, dense, np.inf).min(axis=axis), 1)
    if order in (None, 2, 3, 0.5):
        scale = np.where(dense.any(axis=axis), dense.max(axis=axis), 1)
    with np.errstate(over="ignore"):
        expected = numpys(dense / (scale if axis == 0 else scale[:, None]), order, axis) * scale
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-12)


def test_scaled_values_are_not_rounded(xp, to_numpy):
    """Powers of float32 and float16 that are out of range are computed in float64, too."""
    for dtype in (np.float16, np.float32):
        dense = np.array([[3.3e-5, 1.7e-5, 2.9e-5], [1, 2, 3]]).astype(dtype)
        found = to_numpy(norm(csr_array(xp.asarray(dense)), 70, axis=1))
        scale = dense.max(axis=1).astype(float)
        np.testing.assert_allclose(found, numpys(dense / scale[:, None], 70, 1) * scale, rtol=1e-13)


def test_what_is_not_finite(xp, to_numpy):
    for value in (np.inf, np.nan):
        A = csr_array(xp.asarray([[value, 1.0], [1, 2]]))
        for found in (norm(A), norm(A, 2), norm(A, axis=1)[0], norm(A, 3, axis=0)[0]):
            np.testing.assert_equal(float(found), value)
    rows = csr_array(xp.asarray([[np.nan, 0], [1, 2]]))
    for order in (-1, -np.inf, 1, 3):
        assert np.isnan(to_numpy(norm(rows, order, axis=1))).tolist() == [True, False]


def test_a_column_out_of_range_leaves_the_others_as_they_are(xp, to_numpy):
    dense = np.array([[1e-306, 1e305], [1e-306, 1e305], [1e-306, 0]])
    alone = float(norm(csr_array(xp.asarray(dense[:, :1])), 0.001, axis=0)[0])
    assert to_numpy(norm(csr_array(xp.asarray(dense)), 0.001, axis=0)).tolist() == [alone, np.inf]


def spectral_norm(dense):
    size = np.abs(dense).max()
    return np.linalg.norm(dense / size, 2) * size


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(2, 7), (7, 2), (40, 50)])
def test_spectral_norm(cpu_only, shape, dtype):
    rng = np.random.default_rng(0)
    dense = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype == "complex128" else 0)
    for scale in (1, 1e-180, 1e200):
        first, again = (norm(csr_array(dense * scale), 2) for _ in range(2))
        assert first == again
        np.testing.assert_allclose(first, spectral_norm(dense * scale), rtol=1e-12)
    single = csr_array((dense / abs(dense).max() * 1e30).astype("complex64" if dtype == "complex128" else "float32"))
    np.testing.assert_allclose(norm(single, 2), spectral_norm(dense) / abs(dense).max() * 1e30, rtol=1e-6)


def test_spectral_norm_of_vectors_and_of_zeros(cpu_only):
    assert norm(csr_array([[3.0], [4]]), 2) == norm(csr_array([[3.0, 4]]), 2) == 5
    for shape in ((3, 3), (0, 0), (2, 0)):  # SciPy's methods refuse these
        assert norm(csr_array(np.zeros(shape)), 2) == 0


def test_vectors(xp, to_numpy):
    x = csr_array(xp.asarray([3.0, 0, -4]))
    assert float(norm(x)) == 5
    assert to_numpy(norm(x, 1)).tolist() == [7]
    assert to_numpy(norm(x, np.inf, axis=0)).tolist() == [4]
    with pytest.raises(ValueError, match="Invalid axis"):
        norm(x, axis=1)


def test_what_is_not_sparse(xp):
    with pytest.raises(TypeError, match="input is not sparse"):
        norm(xp.ones((2, 2)))
    assert norm(scipys("band"), 1) == sla.norm(scipys("band"), 1)
