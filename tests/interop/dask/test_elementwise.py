"""Operators of blocks, element by element."""

import numpy as np
import pytest

from spark_csr import random_array

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

from spark_csr.interop.dask import from_csr

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
