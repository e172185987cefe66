"""Arithmetic beside SciPy's where shapes differ, libraries mix, or operands are unusual; and what differs on purpose.

Calls on one matrix, over the battery, dtypes and index widths, are in `test_as_scipy`.
"""

import itertools
import operator
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from as_scipy import assert_same, compare, naming, outcome, sides
from spark_csr import csr_array
from spark_csr._array import SIMULATED

A = sp.csr_array(np.array([[0.0, 2, 0, -1], [3, 0, 0, 0], [0, 5, 1, 0]]))
OPERANDS = {
    "matrix": A[[1, 2, 0]],
    "row": sp.csr_array(np.array([[2.0, 0, 3, 1]])),
    "column": sp.csr_array(np.array([[1.0], [0], [4]])),
    "element": sp.csr_array(np.array([[3.0]])),
    "vector": sp.csr_array(np.array([2.0, 0, 3, 1])),
    "vector of one": sp.csr_array(np.array([3.0])),
    "too wide": sp.csr_array(np.ones((3, 5))),
    "no rows": sp.csr_array((0, 4)),
}
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.eq, operator.lt]


def forms(M):
    return [M.asformat(form) for form in (("csr", "csc", "coo") if M.ndim == 2 else ("csr", "coo"))]


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_shapes_and_formats(cpu_only, op):
    """Every shape with every shape, as matrices in every format and as dense arrays of either order."""
    for (name, M), (with_name, other) in itertools.product(OPERANDS.items(), repeat=2):
        for left in forms(M):
            for right in forms(other):
                with naming(f"{op.__name__} of {name} in {left.format} and {with_name} in {right.format}"):
                    compare(lambda s, right=right: op(s.A, s.sparse(right, right.format)), left)
            for order in "CF":
                right = np.array(other.toarray(), order=order)
                with naming(f"{op.__name__} of {name} in {left.format} and dense {with_name}"):
                    compare(lambda s, right=right: op(s.A, s.dense(right)), left)
                    compare(lambda s, right=right: op(s.dense(right), s.A), left)


@pytest.mark.parametrize(
    "op", [operator.mul, operator.lt, operator.add, operator.truediv][: 2 if SIMULATED else 4], ids=lambda op: op.__name__
)
def test_on_every_device(xp, op):
    for name in ("matrix", "column") if SIMULATED else ("matrix", "row", "column", "element"):
        right = OPERANDS[name]
        for left in forms(A)[1 if SIMULATED else 0 :][: 1 if SIMULATED else 3]:
            compare(lambda s, right=right: op(s.A, s.sparse(right)), left, xp)
            compare(lambda s, right=right: op(s.A, s.dense(right.toarray())), left, xp)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_with_matrices_of_scipy(cpu_only, op, form):
    """On either side; the result is in the format that SciPy's own would have, and SciPy's class if SciPy knows ours."""
    M = OPERANDS["matrix"].asformat(form)
    by_rows = M if form in ("csr", "csc", "coo") else M.tocsr()
    ours, theirs = sides(A)
    assert_same(outcome(lambda s: op(s.A, M), ours), outcome(lambda s: op(s.A, by_rows), theirs))
    if op not in (operator.eq, operator.lt):  # Python does not say which side a comparison was asked of
        left = M if form == "bsr" or sp.issparse(ours.A) else by_rows
        assert_same(outcome(lambda s: op(M, s.A), ours), outcome(lambda s: op(left, s.A), theirs))
        found = op(M, ours.A)
        assert form == "bsr" or isinstance(found, np.ndarray) or isinstance(found, sp.sparray) == sp.issparse(ours.A)


UNUSUAL = {
    "zero-dimensional": lambda s: s.A * s.dense(np.float32(3)),
    "three dimensions": lambda s: s.A * np.ones((2, 3, 4)),
    "three dimensions +": lambda s: s.A + np.ones((2, 3, 4)),
    "list": lambda s: s.A * [1, 2, 3, 4],
    "list /": lambda s: s.A / [1, 2, 3, 4],
    "list +": lambda s: operator.add(s.A, [1, 2, 3, 4]),
    "list ==": lambda s: s.A == [1, 2, 3, 4],
    "list maximum": lambda s: s.A.maximum([[1, 2, 3, 4]]),
    "ragged": lambda s: s.A * [[1], [1, 2]],
    "object": lambda s: s.A * object(),
    "maximum None": lambda s: s.A.maximum(None),
    "0 /": lambda s: 0 / s.A,
    "/ 0": lambda s: s.A / 0,
    "/ 0.0": lambda s: s.A / np.float64(0),
    "+ True": lambda s: s.A + True,
    "0 -": lambda s: 0 - s.A,
    "2 **": lambda s: 2**s.A,
    "** 0-d": lambda s: s.A ** np.array(2),
    "int8 * 300": lambda s: s.A.astype("int8") * 300,
    "int8 > 300": lambda s: s.A.astype("int8") > 300,
    "int8 -1": lambda s: s.A.astype("int8") ** -1,
    "bool neg": lambda s: -s.A.astype(bool),
    "bool -": lambda s: s.A.astype(bool) - s.sparse(OPERANDS["matrix"]).astype(bool),
    "== nan": lambda s: operator.eq(s.A, np.nan),
    "!= nan": lambda s: operator.ne(s.A, np.nan),
    "> nan": lambda s: operator.gt(s.A, np.nan),
    "coo != nan": lambda s: s.A.tocoo() != np.nan,
    "< text": lambda s: s.A < "a",
    "+A": lambda s: +s.A,
    "imul int": lambda s: operator.imul(s.A.astype("int32"), 2.5),
    "itruediv int": lambda s: operator.itruediv(s.A.astype("int32"), 2),
    "imul matrix": lambda s: operator.imul(s.A, s.sparse(OPERANDS["matrix"])),
    "iadd dense": lambda s: operator.iadd(s.A, s.dense(np.ones((3, 4)))),
    "ipow": lambda s: operator.ipow(s.A, 2),
    "real": lambda s: (s.A * (1 + 2j)).real,
    "imag": lambda s: (s.A * (1 + 2j)).imag,
    "np.conj": lambda s: np.conj(s.A * 1j),
    "np.negative": lambda s: np.negative(s.A),
    "np.multiply": lambda s: np.multiply(s.A, 2),
    "np.exp": lambda s: np.exp(s.A),
    "np.round": lambda s: np.round(s.A * 1.26, 1),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_operands(cpu_only, name):
    compare(UNUSUAL[name], A)


def test_in_place_changes_the_values_only():
    B = csr_array(A, copy=True)
    indices, data = B.indices, B.data
    same = B
    B *= 2
    B /= 4
    assert B is same
    assert B.data is data
    assert np.shares_memory(B.indices, indices)
    np.testing.assert_array_equal(B.toarray(), A.toarray() / 2)
    B += B
    assert B is not same


WARNS = {
    "== 0": lambda B: B == 0,
    "< 1": lambda B: B < 1,
    "!= nan": lambda B: operator.ne(B, np.nan),
    "<= B": lambda B: B <= B,
    "maximum(1)": lambda B: B.maximum(1),
    "minimum(-1)": lambda B: B.minimum(-1),
}


@pytest.mark.parametrize("name", WARNS)
def test_dense_results_warn_as_scipy_does(cpu_only, name):
    with pytest.warns(sp.SparseEfficiencyWarning) as theirs:
        WARNS[name](A)
    with pytest.warns(sp.SparseEfficiencyWarning) as ours:
        WARNS[name](csr_array(A))
    assert str(ours[0].message) == str(theirs[0].message)
    assert ours[0].filename == __file__


def test_importing_does_not_import_scipy_sparse(cpu_only):
    code = "import sys, spark_csr; sys.exit('scipy.sparse' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nan_is_lost_nowhere():
    """SciPy keeps the NaN of one operand only, and calls NaN <= 1 true, as the opposite of NaN > 1."""
    nan = csr_array(np.array([[np.nan, 0, 1]]))
    one = csr_array(np.array([[1.0, 1, np.nan]]))
    for left, right in ((nan, one), (one, nan)):
        assert np.isnan(left.maximum(right).toarray()).tolist() == [[True, False, True]]
        assert np.isnan(left.minimum(right).toarray()).tolist() == [[True, False, True]]
    with pytest.warns(sp.SparseEfficiencyWarning):
        assert (nan <= one).toarray().tolist() == [[False, True, False]]
    with pytest.warns(sp.SparseEfficiencyWarning):
        assert (nan < 2).toarray().tolist() == [[False, True, True]]


def test_quotients_with_complex_numbers_stay_complex():
    """SciPy writes them into real numbers, with a warning."""
    found = csr_array(np.array([[4.0, 1]])) / csr_array(np.array([[2j, 1]]))
    assert found.tolist() == [[-2j, 1]]


def test_small_integers_give_float16_where_numpy_does():
    """SciPy's matrices cannot hold it and raise."""
    assert np.sqrt(csr_array(np.array([[4, 0]], np.int8))).dtype == np.float16


def test_a_giant_comparison_does_not_fit():
    with pytest.raises(MemoryError), pytest.warns(sp.SparseEfficiencyWarning):
        _ = csr_array((10**8, 10**8)) == 0


def test_masks_are_not_lost():
    with pytest.raises(TypeError, match="mask would be lost"):
        csr_array(A) * np.ma.masked_equal(np.ones((3, 4)), 1)


def test_results_have_a_dtype_that_matrices_know():
    with pytest.raises(TypeError, match="longdouble|float128"):
        csr_array(A) * np.longdouble(2)


def test_formats_of_both_libraries_have_one_name():
    assert {spark_csr.csr_array.format, spark_csr.csc_array.format, spark_csr.coo_array.format} == {"csr", "csc", "coo"}


@pytest.mark.parametrize("n", [2, 3, 0.5, np.int64(2), True])
def test_powers_of_bools_have_the_dtype_that_numpys_have(n):
    for shape in ((0, 0), (2, 0), (2, 3)):
        assert (csr_array(shape, dtype=bool) ** n).dtype == (np.zeros(shape, bool) ** n).dtype


@pytest.mark.parametrize("form", [spark_csr.csr_array, spark_csr.csc_array, spark_csr.coo_array])
def test_imaginary_parts_of_real_matrices_may_be_set(form):
    A = form(np.eye(3))
    zeros = A.imag
    zeros.setdiag(4.0)
    np.testing.assert_array_equal(zeros.toarray(), 4 * np.eye(3))
    np.testing.assert_array_equal(A.toarray(), np.eye(3))


def test_a_boolean_matrix_minus_one_of_floats():
    a, b = np.array([[True, False]]), np.array([[0.5, 2]])
    assert (csr_array(a) - csr_array(b)).toarray().tolist() == [[0.5, -2]]


def test_a_matrix_of_float32_divided_by_a_python_number():
    S = sp.csr_array(np.eye(2, dtype=np.float32))
    assert (csr_array(S) / 2).dtype == (S / 2).dtype


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", ["float64", "int64", "float32", "complex128"])
def test_quotients_are_those_of_numpy(xp, to_numpy, form, dtype):
    """SciPy multiplies by the reciprocal, in the dtype of the divisor: 49 / 49 is not 1 then, and 1 / 1e-310 is infinite."""
    dense = np.array([[49, 0, 98], [0, 7, 0]], dtype)
    A = csr_array(xp.asarray(dense)).asformat(form)
    divisors = [49.0, 49, np.float32(3), np.int8(3), np.full((2, 3), 49.0)]
    divisors += [np.full(3, 3, np.float32), np.array([[3.0], [49]]), np.float32([[3]]), np.full((1, 2, 3), 49.0)]
    for divisor in divisors:
        got = A / (xp.asarray(divisor) if isinstance(divisor, np.ndarray) else divisor)
        got = to_numpy(got.toarray() if hasattr(got, "toarray") else got)
        expected = dense.astype(got.dtype) / divisor
        np.testing.assert_array_equal(got, expected.astype(got.dtype))
    small = csr_array(xp.asarray([[1e-300, 0]]))
    for divisor in (1e-310, xp.full((1, 2), 1e-310)):
        np.testing.assert_allclose(to_numpy((small / divisor).toarray()), [[1e10, 0]])
    one = csr_array(xp.asarray([[49.0]]))
    assert to_numpy(one / xp.full((2, 2), 49.0)).tolist() == [[1, 1]] * 2
    with pytest.raises(ZeroDivisionError, match="a matrix is divided by 0"):
        A / 0


def test_quotients_in_place(xp, to_numpy):
    A = csr_array(xp.asarray([[49.0, 0, 98]]))
    A /= 49.0
    assert to_numpy(A.data).tolist() == [1, 2]
