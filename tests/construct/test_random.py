"""Random matrices: as many entries as asked for, each position once, every set of positions as likely as any other."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dtypes
from spark_csr import csr_array, random_array
from spark_csr._array import SIMULATED
from spark_csr._construct.random import sample

pytestmark = pytest.mark.skipif(SIMULATED, reason="drawn on the host")

DENSITIES = [0, 1e-9, 0.01, 0.3, 0.5, 0.51, 0.99, 1]


@pytest.fixture(params=[1000, 20], ids=["few are shuffled", "most are drawn"])
def few(request, monkeypatch):
    monkeypatch.setattr("spark_csr._construct.random.FEW", request.param)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("shape", [(40, 70), (1, 3000), (3000, 1), (0, 5), (5, 0), (2500,)])
def test_as_many_entries_as_asked_for(shape, density):
    A = random_array(shape, density=density, rng=0)
    assert A.nnz == round(density * math.prod(shape))
    assert (A.shape, A.dtype, A.format) == (shape, np.float64, "csr")
    A.check_format()
    assert A.has_canonical_format


@given(st.integers(1, 3000), st.floats(0, 1), st.integers(0, 99))
def test_places_are_different_and_ascend(places, density, seed):
    found = sample(np.random.default_rng(seed), places, round(density * places)).astype(np.int64)
    assert found.size == round(density * places)
    assert (np.diff(found) > 0).all()
    assert found.size == 0 or (found[0] >= 0 and found[-1] < places)


@pytest.mark.parametrize("places, size", [(5, 2), (4, 4), (30, 1), (31, 30), (24, 2)])
def test_every_set_is_as_likely(few, places, size):
    rng, times = np.random.default_rng(3), 3000
    counts = dict.fromkeys(itertools.combinations(range(places), size), 0)
    for _ in range(times):
        counts[tuple(sample(rng, places, size).tolist())] += 1
    expected = times / len(counts)
    chi_squared = sum((n - expected) ** 2 / expected for n in counts.values())
    freedom = len(counts) - 1
    assert chi_squared <= freedom + 5 * math.sqrt(2 * freedom)


def test_nothing_is_shuffled(monkeypatch):
    monkeypatch.setattr("spark_csr._construct.random.FEW", 1)
    for places in range(1, 30):
        for size in range(places + 1):
            assert len(set(sample(np.random.default_rng(size), places, size).tolist())) == size


@pytest.mark.parametrize("places, size", [(60, 25), (60, 40), (100, 3), (100, 50)])
def test_every_place_is_as_likely(few, places, size):
    rng, times = np.random.default_rng(3), 2000
    counts = np.zeros(places)
    for _ in range(times):
        counts[sample(rng, places, size)] += 1
    share = size / places
    assert np.abs(counts - times * share).max() < 5 * math.sqrt(times * share * (1 - share))


@pytest.mark.parametrize("size", [1, 10, 5000])
@pytest.mark.parametrize("shape", [(2**16, 2**16), (2**16, 2**16 + 1), (1000, 2**52), (1, 2**62), (2, 2**62 - 1)])
def test_huge_shapes(shape, size):
    A = random_array(shape, density=size / math.prod(shape), rng=1)
    assert A.nnz == size
    A.check_format()
    assert A.has_canonical_format
    assert size < 5000 or 0.45 < np.mean(A.indices / shape[1]) < 0.55


def test_a_seed_is_a_matrix(xp):
    device = csr_array(xp.ones((1, 1))).device
    A, B = (random_array((300, 200), density=0.1, rng=5, device=d) for d in ("cpu", device))
    assert B.device == device
    for x, y in zip(A._csr.arrays, B.to_device("cpu")._csr.arrays, strict=True):
        np.testing.assert_array_equal(x, y)
    C = random_array((300, 200), density=0.1, rng=np.random.default_rng(5))
    assert np.array_equal(A.data, C.data)
    assert not np.array_equal(A.data, random_array((300, 200), density=0.1, rng=6).data)
    assert not np.array_equal(random_array((50, 50), density=0.1).data, random_array((50, 50), density=0.1).data)


@pytest.mark.parametrize("dtype", dtypes.each())
def test_values(dtype):
    A = random_array((50, 40), density=0.2, dtype=dtype, rng=0)
    assert A.dtype == np.dtype(dtype)
    if A.dtype.kind in "iu":
        assert A.data.max() > np.iinfo(dtype).max // 2
    elif A.dtype.kind in "fc":
        assert (A.data.real >= 0).all()
        assert (A.data.real <= 1).all()
        assert A.data.imag.any() == (A.dtype.kind == "c")


def test_values_of_a_sampler():
    A = random_array((4, 5), density=0.5, data_sampler=lambda size: np.arange(size), rng=0)
    assert (A.data.tolist(), A.dtype) == (list(range(10)), np.float64)
    with pytest.raises(ValueError, match="10 values"):
        random_array((4, 5), density=0.5, data_sampler=lambda size: np.ones(3))


def test_formats():
    for form in ("csr", "csc", "coo", "dia"):
        assert random_array((5, 5), density=0.3, format=form).format == form


@pytest.mark.parametrize("density", [-0.1, 1.1, math.nan])
def test_densities_that_are_none(density):
    with pytest.raises(ValueError, match="density"):
        random_array((3, 3), density=density)


def test_what_cannot_be():
    with pytest.raises(ValueError, match="negative"):
        random_array((-1, 3))
    with pytest.raises(TypeError):
        random_array(5)
    with pytest.raises(TypeError):
        random_array((3, 3), rng="x")
    with pytest.raises(ValueError, match="2\\*\\*63"):
        random_array((2**40, 2**40))
    with pytest.raises(MemoryError, match="entries"):
        random_array((2**20, 2**40), density=0.5)


def test_seeds_have_two_names():
    A = random_array((30, 20), density=0.2, rng=7)
    for state in (7, np.random.default_rng(7)):
        np.testing.assert_array_equal(random_array((30, 20), density=0.2, random_state=state).toarray(), A.toarray())
    old = [random_array((30, 20), density=0.2, random_state=np.random.RandomState(7)) for _ in range(2)]
    np.testing.assert_array_equal(*(x.toarray() for x in old))
    with pytest.raises(TypeError, match="rng and random_state are two names"):
        random_array((3, 3), rng=1, random_state=2)
