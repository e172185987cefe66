"""Every reduction of matrices and ragged arrays in every dtype, beside exact integers and NumPy in 64 bits.

The values of integers reach the ends of their range, so that what wraps or is rounded shows. The quick run takes a sample.
"""

import numpy as np
import pytest

import dtypes
from spark_csr import Ragged, csr_array
from spark_csr._array import DTYPES

pytestmark = [
    pytest.mark.usefixtures("cpu_only"),
    pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid value:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:Casting complex:numpy.exceptions.ComplexWarning"),
]

SHAPE = 5, 7
KINDS = dtypes.some([str(dtype) for dtype in DTYPES], ["bool", "int8", "float16", "complex64"])


def elements(dtype):
    """Zeros, small numbers and large ones."""
    dtype, rng = np.dtype(dtype), np.random.default_rng(0)
    small = rng.integers(0, 4, SHAPE)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        return np.where(small == 3, ends.max - small.astype(dtype), np.where(small == 2, ends.min, small).astype(dtype)).astype(
            dtype
        )
    large = {"float16": 3e4, "float32": 3e38, "complex64": 1e18, "float64": 1e150, "complex128": 1e150}.get(dtype.name, 1)
    values = np.where(small == 3, large, small) * rng.choice([-1, 1], SHAPE) / (1 if dtype == bool else 3)
    return (values * (1 + 1j) if dtype.kind == "c" else values).astype(dtype)


def by_axis(dense, axis):
    """The lists of elements that are reduced to one."""
    return [dense.ravel()] if axis is None else list(dense.T if axis == 0 else dense)


def exact(function, dense, axis):
    """The results of Python's integers for integers and bools, else of NumPy in 64 bits."""
    if dense.dtype.kind in "biu":
        return [function(list(map(int, x))) for x in by_axis(dense, axis)]
    wide = dense.astype(np.result_type(dense.dtype, np.float64))
    return [function(x) for x in by_axis(wide, axis)]


def wrap(total, dtype):
    """A sum in 64 bits, as NumPy's sums of integers."""
    return total if dtype.kind not in "biu" else total % 2**64 - (2**64 if dtype.kind != "u" and total % 2**64 >= 2**63 else 0)


def mean(x):
    return sum(x) / len(x)


def variance(x):
    centre = mean(x)
    return sum(abs(value - centre) ** 2 for value in x) / len(x)


def results(found):
    return np.atleast_1d(found.toarray() if hasattr(found, "toarray") else np.asarray(found))


def assert_close(found, expected, dtype):
    """Right to some units in the last place of the dtype; what is beyond its range is infinite."""
    found, real = results(found), np.zeros(0, dtype).real.dtype
    assert found.dtype == dtype
    expected = np.array([complex(x) if dtype.kind == "c" else float(x) for x in expected]).astype(dtype)
    np.testing.assert_allclose(found, expected, rtol=16 * float(np.finfo(real).eps), atol=0)


def dtype_of_means(dtype):
    return np.dtype(np.float64) if dtype.kind in "biu" else dtype


def real(dtype):
    return np.zeros(0, dtype).real.dtype


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", KINDS)
def test_reductions_of_matrices(dtype, axis):
    dense = elements(dtype)
    A, of_means = csr_array(dense), dtype_of_means(dense.dtype)
    sums = [wrap(x, dense.dtype) for x in exact(sum, dense, axis)]
    if dense.dtype.kind in "biu":
        found = results(A.sum(axis=axis))
        assert (found.dtype, found.tolist()) == (np.uint64 if dense.dtype.kind == "u" else np.int64, sums)
    else:
        largest = max(abs(x) for x in exact(lambda x: abs(x).sum(), dense, axis))
        assert results(A.sum(axis=axis)).dtype == dense.dtype
        eps = float(np.finfo(dense.dtype).eps)
        np.testing.assert_allclose(results(A.sum(axis=axis)), np.array(sums, dense.dtype), rtol=0, atol=4 * eps * largest)
    assert_close(A.var(axis=axis), exact(variance, dense, axis), real(of_means))
    assert_close(A.std(axis=axis), exact(lambda x: variance(x) ** 0.5, dense, axis), real(of_means))
    for name in ("max", "min", "argmax", "argmin"):
        np.testing.assert_array_equal(results(getattr(A, name)(axis=axis)), np.atleast_1d(getattr(dense, name)(axis=axis)))
    assert results(A.max(axis=axis)).dtype == dense.dtype
    np.testing.assert_array_equal(results(A.count_nonzero(axis=axis)), np.atleast_1d(np.count_nonzero(dense, axis=axis)))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", KINDS)
def test_means(dtype, axis):
    """Of a sum that cancels, as many digits are right as of its largest element."""
    dense = elements(dtype)
    lists = [list(map(int, x)) if dense.dtype.kind in "biu" else x for x in by_axis(dense, axis)]
    R = Ragged.from_lists(dense.tolist(), dtype=dense.dtype)
    of_means = dtype_of_means(dense.dtype)
    largest = max(float(abs(x)) for x in dense.ravel().tolist())
    for found in (csr_array(dense).mean(axis=axis), R.mean(axis=axis)):
        found = results(found)
        assert found.dtype == of_means
        expected = [
            complex(mean([complex(v) for v in x])) if of_means.kind == "c" else mean([float(v) for v in x]) for x in lists
        ]
        np.testing.assert_allclose(found, np.array(expected), rtol=0, atol=8 * float(np.finfo(of_means).eps) * largest)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", KINDS)
def test_reductions_of_ragged_arrays(dtype, axis):
    dense = elements(dtype)
    R, of_means = Ragged.from_lists(dense.tolist(), dtype=dense.dtype), dtype_of_means(dense.dtype)
    if dense.dtype.kind in "biu":
        assert results(R.sum(axis=axis)).tolist() == [wrap(x, dense.dtype) for x in exact(sum, dense, axis)]
    assert_close(R.var(axis=axis), exact(variance, dense, axis), real(of_means))
    assert_close(R.std(axis=axis), exact(lambda x: variance(x) ** 0.5, dense, axis), real(of_means))
    if dense.dtype.kind != "c":
        for name in ("max", "min", "argmax", "argmin"):
            np.testing.assert_array_equal(results(getattr(R, name)(axis=axis)), np.atleast_1d(getattr(dense, name)(axis=axis)))
    np.testing.assert_array_equal(results(np.count_nonzero(R, axis=axis)), np.atleast_1d(np.count_nonzero(dense, axis=axis)))
