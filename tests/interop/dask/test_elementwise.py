"""Operators of blocks, element by element."""

import operator

import numpy as np
import pytest

from spark_csr import csr_array, gallery, random_array

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

from spark_csr.interop.dask import from_csr, linalg

pytestmark = pytest.mark.usefixtures("cpu_only")

S, R = (random_array((60, 40), density=0.1, rng=seed) for seed in (0, 1))


@pytest.mark.parametrize("lengths", [[60], [20, 0, 40]])
@pytest.mark.parametrize(
    "call",
    [
        lambda A, B: A + B,
        lambda A, B: A - B,
        lambda A, B: A * B,
        lambda A, B: A * 3,
        lambda A, B: 1j * A,
        lambda A, B: A / 7,
        lambda A, B: -A,
        lambda A, B: A.astype("f4"),
    ],
)
def test_as_the_whole(call, lengths):
    A, B = from_csr(S, lengths), from_csr(R, lengths)
    found, expected = call(A, B), call(S, R)
    np.testing.assert_array_equal(found.compute().toarray(), expected.toarray())
    assert found.dtype == expected.dtype == found.compute().dtype
    np.testing.assert_allclose((found @ np.ones(40)).compute(), expected.toarray().sum(axis=1), rtol=1e-5, atol=1e-6)


def test_the_plan_of_other_values_is_that_of_the_matrix():
    A = from_csr(S, 3)
    assert (A * 2)._plan is None
    assert A.plan is (A * 2).plan
    assert A.plan is not A.astype("f4").plan  # whose blocks have fewer bytes


def test_bad_operands():
    A = from_csr(S, 3)
    with pytest.raises(ValueError, match=r"inconsistent shapes: \(60, 40\) and \(40, 60\)"):
        A + from_csr(S.T, 3)
    with pytest.raises(ValueError, match=r"use B\.repartition\(A\.chunks\[0\]\)"):
        A + from_csr(S, 2)
    with pytest.raises(TypeError, match="unsupported operand"):
        A + 1
    with pytest.raises(TypeError, match="unsupported operand"):
        A / A


NUMBERS = [True, 2, -1, 2.5, 1j, np.int8(3), np.uint64(3), np.float32(0.5), np.float64(0.5), np.complex64(1j)]


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "f8", "c8", "c16"])
def test_dtypes_are_those_of_the_whole(dtype):
    S = csr_array(np.array([[1, 0, 2], [0, 3, 0], [5, 0, 1]]).astype(dtype))
    A = from_csr(S, 2)
    calls = [operator.neg, *(lambda A, of=of: A.astype(of) for of in ("c8", "c16"))]
    for number in NUMBERS:
        calls += [lambda A, by=number: A * by, lambda A, by=number: by * A, lambda A, by=number: A / by]
    checked = 0
    for call in calls:
        try:
            expected = call(S)
        except (NotImplementedError, OverflowError) as error:  # of -A for bools, and of -1 times uint64
            with pytest.raises(type(error)):
                call(A)
            continue
        found = call(A)
        parts = found.compute()
        assert found.dtype == expected.dtype == parts.dtype, (dtype, call, found.dtype, expected.dtype)
        np.testing.assert_array_equal(parts.toarray(), expected.toarray())
        checked += 1
    assert checked >= 30
    for other in ("c8", "c16") if "c" in dtype else ("?", "i1", "f4", "c16"):
        for op in (operator.add, operator.sub, operator.mul):
            found, expected = op(A, A.astype(other)), op(S, S.astype(other))
            assert found.dtype == expected.dtype == found.compute().dtype


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_a_quotient_is_reduced_and_solved_in_its_own_dtype(dtype):
    S = gallery.poisson((6, 6)).astype(dtype)
    A, whole = from_csr(S, 3) / 3, S / 3
    if dtype == "f4":
        found = A.max(axis=0)
        assert found.dtype == whole.dtype
        np.testing.assert_array_equal(found.compute(), whole.max(axis=0).toarray().ravel())
    b = np.ones(36, dtype)
    x, info = linalg.cg(A, b, rtol=1e-10)
    assert info == 0
    assert np.linalg.norm(whole @ x.compute() - b) <= 1e-9 * np.linalg.norm(b)
