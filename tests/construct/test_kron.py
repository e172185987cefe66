"""Kronecker products against SciPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import battery
import dtypes
from spark_csr import csr_array, kron
from spark_csr._array import SIMULATED

TILES = [3] if SIMULATED else [1, 3, 4096]


@pytest.fixture(params=TILES, autouse=True)
def tile(request, monkeypatch):
    """Tiles that end inside rows of B, inside rows, and nowhere."""
    monkeypatch.setattr("spark_csr._operations.compose.kron.TILE", request.param)
    monkeypatch.setattr("spark_csr._operations.compose.kron.TILE_OF_THREAD", request.param)


@pytest.mark.parametrize(
    "name", ["0x0", "Nx0", "first row empty", "middle rows empty", "unsorted", "duplicates", "explicit zeros"]
)
def test_battery(xp, to_numpy, name):
    A, B = battery.build(xp, name), battery.build(xp, "last row empty")
    for left, right in ((A, B), (B, A)):
        got = kron(left, right)
        got.check_format()
        assert got.nnz == left.nnz * right.nnz
        np.testing.assert_array_equal(to_numpy(got.toarray()), np.kron(to_numpy(left.toarray()), to_numpy(right.toarray())))
        assert got.has_sorted_indices == (left.has_sorted_indices and right.has_sorted_indices)


@pytest.mark.parametrize("pair", dtypes.some(["dd", "??", "bB", "ef", "ee", "fD"], ["??", "fD"]))
def test_dtypes(xp, to_numpy, pair):
    A, B = (np.array([[1, 0, 3], [0, 2, 0]]).astype(code) for code in pair)
    got = kron(csr_array(xp.asarray(A)), csr_array(xp.asarray(B)))
    assert got.dtype == np.result_type(A, B)
    np.testing.assert_array_equal(to_numpy(got.toarray()), np.kron(A, B))


def test_forms(xp, to_numpy):
    A, B = np.array([[1.0, 0, 3], [0, 2, 0]]), np.array([[1.0, -1], [0, 4]])
    forms = [csr_array(xp.asarray(B)), csr_array(xp.asarray(B)).tocsc(), xp.asarray(B)]
    for right in [*forms, sp.csc_array(B), B.tolist()] if xp is np else forms:
        got = kron(csr_array(xp.asarray(A)).tocsc(), right)
        assert got.format == "csr"
        np.testing.assert_array_equal(to_numpy(got.toarray()), np.kron(A, B))
    for form in ("csr", "csc", "coo", "bsr"):
        assert kron(A, B, format=form).format == form


def test_vectors(xp, to_numpy):
    v, A = np.array([1.0, 0, 2]), np.array([[1.0, 0], [3, 4]])
    ours = {1: csr_array(xp.asarray(v)), 2: csr_array(xp.asarray(A))}
    theirs = {1: sp.coo_array(v), 2: sp.coo_array(A)}
    for i in (1, 2):
        for j in (1, 2):
            got, expected = kron(ours[i], ours[j]), sp.kron(theirs[i], theirs[j], format="coo")
            assert got.shape == expected.shape
            np.testing.assert_array_equal(to_numpy(got.toarray()), expected.toarray())


def test_what_cannot_be(cpu_only):
    with pytest.raises(ValueError, match="unknown"):
        kron([[1.0]], [[1.0]], format="rcs")
    with pytest.raises(ValueError):  # noqa: PT011
        kron(2, [[1.0]])
    wide = csr_array((np.ones(1), ([0], [5])), shape=(1, 2**40))
    with pytest.raises(ValueError, match="2\\*\\*63"):
        kron(wide, wide)
    tall = csr_array((np.ones(1), ([0], [0])), shape=(2**20, 1))
    with pytest.raises(MemoryError, match="GiB"):
        kron(tall, csr_array((np.ones(1), ([0], [0])), shape=(2**25, 1)))


def test_columns_beyond_32_bits():
    A = csr_array((np.array([2.0]), ([0], [3])), shape=(1, 4))
    got = kron(A, csr_array((np.array([5.0, 7]), ([0, 0], [1, 2**40])), shape=(1, 2**41)))
    assert got.indices.tolist() == [3 * 2**41 + 1, 3 * 2**41 + 2**40]
    assert got.data.tolist() == [10, 14]


SIDES = st.integers(0, 3 if SIMULATED else 4)


@given(SIDES, SIDES, SIDES, SIDES, st.integers(0, 999))
def test_any_two(xp, to_numpy, m, n, p, q, seed):
    rng = np.random.default_rng(seed)
    A, B = (rng.integers(-1, 3, shape) * rng.integers(0, 2, shape) for shape in ((m, n), (p, q)))
    got = kron(csr_array(xp.asarray(A)), csr_array(xp.asarray(B)))
    got.check_format()
    assert got.has_canonical_format
    np.testing.assert_array_equal(to_numpy(got.toarray()), np.kron(A, B))


def test_a_tuple_is_an_array_for_numpy():
    A = csr_array([[1.0, 2], [0, 4]])
    np.testing.assert_array_equal(np.kron(A, (10, 20)).toarray(), np.kron(A.toarray(), (10, 20)))
    np.testing.assert_array_equal(np.kron(((1, 2), (3, 4)), A).toarray(), np.kron(((1, 2), (3, 4)), A.toarray()))
