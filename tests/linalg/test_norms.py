"""Norms as SciPy's, for every order and axis."""

import numpy as np
import pytest
import scipy.sparse.linalg as sla

import battery
from spark_csr import csr_array
from spark_csr.linalg import norm

ORDERS = [None, "fro", "f", 1, -1, np.inf, -np.inf, 0, 2, 3, 0.5, "nuc", -2]
AXES = [None, 0, 1, -1, (0, 1), (1, 0), (0,), 2, (0, 0), (0, 2), 1.5, [0], (0, 1, 0)]


def outcome(call):
    try:
        return call()
    except Exception as error:  # the table compares all kinds
        return type(error)


def compare(got, expected, to_numpy):
    if isinstance(expected, type):
        assert got is expected
        return
    got = to_numpy(got)
    assert (got.shape, got.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    np.testing.assert_allclose(got, expected, rtol=1e-6 if got.dtype == np.float32 else 1e-12)


def scipys(name, dtype=float):
    indptr, indices, data, shape = battery.BATTERY[name]
    return csr_array((battery.as_dtype(data, dtype), indices.copy(), indptr.copy()), shape=shape).to_scipy()


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("name", ["band", "duplicates", "explicit zeros"])
def test_norms(to_numpy, name, order):
    A = battery.build(np, name)
    for axis in AXES:
        if order == 2 and axis in (None, (0, 1), (1, 0)):
            continue
        compare(
            outcome(lambda axis=axis: norm(A, order, axis)),
            outcome(lambda axis=axis: sla.norm(scipys(name), order, axis)),
            to_numpy,
        )


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int32"])
@pytest.mark.parametrize("name", ["band", "unsorted"])
def test_dtypes(xp, to_numpy, name, dtype):
    A, S = battery.build(xp, name, dtype), scipys(name, dtype)
    for order, axis in ((None, None), (1, None), (np.inf, None), (2, 1), (np.inf, 1)):
        compare(norm(A, order, axis), sla.norm(S, order, axis), to_numpy)


def test_columns(xp, to_numpy):
    A, S = battery.build(xp, "band"), scipys("band")
    compare(norm(A.T, 1), sla.norm(S.T, 1), to_numpy)
    compare(norm(A.T, 2, 0), sla.norm(S.T, 2, 0), to_numpy)


def test_spectral_norm(cpu_only):
    A = battery.build(np, "band")
    assert norm(A, 2) == pytest.approx(np.linalg.norm(A.toarray(), 2))
    assert norm(A, 2, axis=(0, 1)) == pytest.approx(np.linalg.norm(A.toarray(), 2))
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


def test_squares_of_small_integers_do_not_wrap(xp):
    A = csr_array(xp.asarray(np.full((1, 4), 100, np.int8)))
    assert float(norm(A)) == 200
    assert float(norm(A, axis=1)[0]) == 200


def test_what_is_not_sparse(xp):
    with pytest.raises(TypeError, match="input is not sparse"):
        norm(xp.ones((2, 2)))
    assert norm(scipys("band"), 1) == sla.norm(scipys("band"), 1)
