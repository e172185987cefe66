"""Users' functions of entries, and masks that are complemented, beside NumPy on dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import Monoid, coo_array, csr_array
from spark_csr._array import SIMULATED

FORMATS = ["csr", "csc", "coo"]
SHAPES = [(7, 6)] if SIMULATED else [(0, 5), (5, 0), (1, 1), (7, 6), (60, 50)]


def two(shape):
    """Two matrices of SciPy of one shape, with some positions in common."""
    rng = np.random.default_rng(shape[0])
    return [sp.random_array(shape, density=0.4, rng=rng, format="csr") for _ in range(2)]


def ours(xp, matrix, format="csr"):
    return csr_array((xp.asarray(matrix.data), xp.asarray(matrix.indices), xp.asarray(matrix.indptr)), matrix.shape).asformat(
        format
    )


def above(row, column, value):
    return column > row and value < 0.7


def weigh(row, column, value, weights, factor):
    return (row - column) * value + factor * weights[column]


def less_twice(a, b):
    return a - 2 * b


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_select_and_apply(xp, to_numpy, shape, format):
    S, _ = two(shape)
    A, D, (rows, columns) = ours(xp, S, format), S.toarray(), np.indices(shape)
    found = A.select(above)
    assert (found.format, found.dtype, found.shape) == (format, A.dtype, shape)
    np.testing.assert_array_equal(to_numpy(found.toarray()), np.where((columns > rows) & (D < 0.7), D, 0))
    weights = np.arange(shape[1], dtype=np.float32)
    found = A.apply(weigh, xp.asarray(weights), 3)
    assert (found.format, found.dtype, found.nnz) == (format, np.float64, A.nnz)
    expected = np.where(D != 0, (rows - columns) * D + 3 * weights, 0)
    np.testing.assert_allclose(to_numpy(found.toarray()), expected, rtol=1e-14)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_ewise(xp, to_numpy, shape, format):
    S, T = two(shape)
    A, B, D, E = ours(xp, S, format), ours(xp, T), S.toarray(), T.toarray()
    both, kind = (D != 0) & (E != 0), "csc" if format == "csc" else "csr"
    for op, expected in (("min", np.minimum(D, E)), (less_twice, D - 2 * E))[: 1 if SIMULATED else None]:
        found = A.ewise_add(B, op)
        assert (found.format, found.has_canonical_format) == (kind, True)
        np.testing.assert_array_equal(to_numpy(found.toarray()), np.where(both, expected, D + E))
        found = A.ewise_mult(B, op)
        assert (found.format, found.nnz) == (kind, both.sum())
        np.testing.assert_array_equal(to_numpy(found.toarray()), np.where(both, expected, 0))


@pytest.mark.parametrize("format", FORMATS)
def test_complement(xp, to_numpy, format):
    """Positions of the mask are left out, whatever its values; of a vector too."""
    S, T = two((9, 8))
    mask = sp.random_array((9, 9), density=0.5, rng=0, format="csr")
    outside = mask.toarray() == 0
    mask.data[::2] = 0
    expected = np.where(outside, (S @ T.T).toarray(), 0)
    found = ours(xp, S, format).matmul(ours(xp, T).T, mask=ours(xp, mask), complement=True)
    np.testing.assert_allclose(to_numpy(found.toarray()), expected)
    row = ours(xp, S)[0].matmul(ours(xp, T).T, mask=ours(xp, mask)[0], complement=True)
    np.testing.assert_allclose(to_numpy(row.toarray()), expected[0])


def test_zeros_stay_and_missing_entries_are_no_zeros(xp, to_numpy):
    A, B = csr_array(xp.asarray([[3, 0, 1]])), csr_array(xp.asarray([[2, 5, 0]]))
    assert to_numpy(A.ewise_add(B, "min").toarray()).tolist() == [[2, 5, 1]]
    none = A.ewise_add(A, less_twice).ewise_add(A, "sum")
    assert (none.nnz, to_numpy(none.data).tolist()) == (2, [0, 0])
    assert A.apply(above).dtype == bool


@pytest.mark.parametrize("dtype", ["?", "b", "u4", "f2", "f4", "F"])
def test_dtypes(cpu_only, dtype):
    """A monoid keeps the dtype of the matrices; a function gives what it returns."""
    A, B = (csr_array(np.array(x)).astype(dtype) for x in ([[1, 0, 1]], [[1, 1, 0]]))
    assert A.ewise_add(B, "sum" if dtype == "F" else "max").dtype == A.dtype
    assert A.ewise_mult(B, Monoid(lambda a, b: a * b, 1)).dtype == A.dtype
    assert A.ewise_mult(B, lambda a, b: a + 0.5j).dtype.kind == "c"
    np.testing.assert_array_equal(A.apply(lambda i, j, v: v + 1).toarray(), [[2, 0, 2]])
    wide = np.result_type(A.dtype, np.float64)
    assert A.ewise_add(B.astype(wide), "sum").dtype == wide


def test_duplicates_are_summed_and_vectors_have_row_0():
    A = coo_array(([1.0, 2, 4], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert A.select(lambda i, j, v: v == 3).nnz == 1
    assert A.ewise_add(A, "sum").toarray().tolist() == [[0, 6], [8, 0]]
    v = coo_array(np.array([1.0, 0, 3]))
    assert v.apply(lambda i, j, x: 10 * i + j + x).toarray().tolist() == [1, 0, 5]
    assert v.select(lambda i, j, x: j > 0).toarray().tolist() == [0, 0, 3]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda A: A.select(lambda i, j, v: v), TypeError, "take .row, column, value. and return a bool, got float64"),
        (lambda A: A.apply(lambda i, j: 1), TypeError, "take .row, column, value."),
        (lambda A: A.apply(lambda i, j, v, x: x[0], np.ones((2, 2))), ValueError, r"arrays\[0\] must be a contiguous array"),
        (lambda A: A.apply(lambda i, j, v: None), TypeError, "return a number"),
        (lambda A: A.ewise_add(3, "min"), TypeError, "must be a sparse matrix, got int"),
        (lambda A: A.ewise_add(A[:1], "min"), ValueError, r"inconsistent shapes: the matrix has shape \(2, 3\)"),
        (lambda A: A.ewise_add(A, "least"), ValueError, "unknown monoid 'least'"),
        (lambda A: (A * 1j).ewise_add(A, "max"), TypeError, "'max' needs an order, and complex128 has none"),
        (lambda A: A.ewise_mult(A, lambda a: a), TypeError, r"func must take \(a, b\)"),
        (lambda A: A.matmul(A.T, complement=True), ValueError, "complement=True needs a mask"),
        (lambda A: A.matmul(A.T, mask=A, complement=True), ValueError, r"mask must have the shape of the product, \(2, 2\)"),
    ],
)
def test_refuses(cpu_only, call, error, message):
    if SIMULATED:
        pytest.skip("types are inferred where functions are compiled")
    with pytest.raises(error, match=message):
        call(csr_array(np.array([[1.0, 0, 2], [0, 3, 0]])))
