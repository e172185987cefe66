"""Sums and extremes of blocks, where missing elements count as zeros."""

import numpy as np
import pytest

from spark_csr import csr_array, random_array

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask

from spark_csr.interop.dask import from_csr

pytestmark = pytest.mark.usefixtures("cpu_only")


def matrices():
    """Dense matrices, some with rows, columns and blocks that are full, empty, positive or negative."""
    rng = np.random.default_rng(0)
    D = random_array((30, 20), density=0.2, rng=rng).toarray() - 0.3 * random_array((30, 20), density=0.2, rng=rng).toarray()
    full = rng.random((30, 20)) + 1
    half = full.copy()
    half[12:] = 0
    return {"mixed": D, "full": full, "negative": -full, "half": half, "integers": (10 * D).astype(np.int8), "bools": D > 0}


@pytest.mark.parametrize("lengths", [[30], [12, 0, 18], [3, 27]])
@pytest.mark.parametrize("kind", ["sum", "max", "min"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", matrices())
def test_as_the_whole(name, axis, kind, lengths):
    D = matrices()[name]
    found = getattr(from_csr(csr_array(D), lengths, columns=[5, 0, 15]), kind)(axis=axis)
    expected = getattr(D, kind)(axis=axis)
    computed = found.compute()
    np.testing.assert_allclose(computed, expected, rtol=1e-13)
    assert (found.dtype, found.shape) == (computed.dtype, np.shape(computed)) == (expected.dtype, np.shape(expected))


def test_axes_from_the_end():
    A = from_csr(csr_array(matrices()["mixed"]), 2)
    for axis in (0, 1):
        np.testing.assert_array_equal(A.sum(axis=axis - 2).compute(), A.sum(axis=axis).compute())


def test_without_entries():
    A = from_csr(csr_array((6, 4)), 2)
    for axis in (None, 0, 1):
        for kind in ("sum", "max", "min"):
            assert not np.any(getattr(A, kind)(axis).compute())


def test_bad_axes():
    A = from_csr(csr_array((0, 4)), 1)
    with pytest.raises(ValueError, match="axis must be None, 0 or 1, got 2"):
        A.sum(axis=2)
    with pytest.raises(ValueError, match=r"max has no value for no elements: the shape is \(0, 4\)"):
        A.max(axis=0)
    assert A.sum(axis=0).compute().tolist() == [0, 0, 0, 0]
    assert A.max(axis=1).compute().shape == (0,)


@pytest.mark.parametrize(
    "shape, cut",
    [((7, 3), [2, 2, 3]), ((7, 3), [2, 1, 4]), ((3, 7), [2, 0, 1]), ((4, 4), [1, 3]), ((0, 3), [0]), ((3, 0), [1, 2])],
)
def test_diagonals_of_any_shape(shape, cut):
    D = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    found = from_csr(csr_array(D), cut).diagonal()
    assert [len(part) for part in dask.compute(*found.to_delayed())] == list(found.chunks[0])
    np.testing.assert_array_equal(found.compute(), D.diagonal())
