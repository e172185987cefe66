"""Combinations and permutations against itertools; exact ranks at every size."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_csr import config
from spark_csr._array import SIMULATED
from spark_csr._shared.binomials import binomial, checked_binomial, find_first_element
from spark_csr.primitives import cartesian_product, combinations, offsets_from_counts, permutations

pytestmark = pytest.mark.usefixtures("small_tiles")

COUNTS = [[], [0], [0, 0, 5], [2] * 9, [4, 1, 0, 6, 3]]
every_counts = pytest.mark.parametrize("counts", COUNTS, ids=str)


def offsets_of(counts, base=0):
    return base + np.concatenate([[0], np.cumsum(counts)]).astype(int)


def expected(offsets, n, replacement, index="global"):
    choose = itertools.combinations_with_replacement if replacement else itertools.combinations
    out_offsets, found = [0], []
    for start, stop in itertools.pairwise(offsets.tolist()):
        found += choose(range(start, stop) if index == "global" else range(stop - start), n)
        out_offsets.append(len(found))
    return out_offsets, *([t[f] for t in found] for f in range(n))


def assert_combinations(xp, to_numpy, offsets, n, replacement, index="global"):
    result = combinations(xp.asarray(offsets), n, replacement=replacement, index=index)
    for got, want in zip(result, expected(offsets, n, replacement, index), strict=True):
        assert got.dtype == np.int32
        assert to_numpy(got).tolist() == want


def test_upper_triangle_with_diagonal(xp, to_numpy):
    """[a, b, c, d] with itself, each pair once."""
    _, first, second = combinations(xp.asarray([0, 4]), replacement=True)
    assert to_numpy(first).tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]
    assert to_numpy(second).tolist() == [0, 1, 2, 3, 1, 2, 3, 2, 3, 3]


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("n, index", [(1, "global"), (2, "global"), (2, "local"), (3, "global")])
@every_counts
def test_is_itertools_combinations(xp, to_numpy, counts, n, replacement, index):
    assert_combinations(xp, to_numpy, offsets_of(counts, 3), n, replacement, index)


@pytest.mark.parametrize("n, count", [(7, 8), (8, 8), (9, 8)])
def test_nearly_all_elements(xp, to_numpy, n, count):
    assert_combinations(xp, to_numpy, offsets_of([count, 2, count]), n, False)


def test_many_with_replacement(xp, to_numpy):
    """More taken than there are elements."""
    assert_combinations(xp, to_numpy, offsets_of([2, 1, 0, 3]), 5, True)


def test_many_tiles_on_all_cores(cpu_only):
    offsets = offsets_of(np.random.default_rng(0).poisson(7, 200))
    for n in (2, 3):
        for replacement in (False, True):
            assert_combinations(np, np.asarray, offsets, n, replacement)


def test_same_for_any_number_of_threads(cpu_only):
    offsets, results = offsets_of([100, 3, 70]), []
    for threads in (1, 2):
        with config(threads=threads):
            results.append(combinations(offsets, 3))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_starts_and_stops(xp, to_numpy):
    result = combinations((xp.asarray([5, 0, 1]), xp.asarray([8, 2, 1])))
    assert [to_numpy(x).tolist() for x in result] == [[0, 3, 4, 4], [5, 5, 6, 0], [6, 7, 7, 1]]
    _, inner, index = permutations((xp.asarray([5, 1]), xp.asarray([7, 1])))
    assert to_numpy(inner).tolist() == [0, 2, 4, 4]
    assert to_numpy(index).tolist() == [5, 6, 6, 5]


def test_positions_beyond_int32_need_int64(xp, to_numpy):
    far = 2**31
    out_offsets, first, second = combinations(xp.asarray([far, far + 3]))
    assert out_offsets.dtype == np.int32
    assert first.dtype == second.dtype == np.int64
    assert to_numpy(second - far).tolist() == [1, 2, 2]
    assert combinations(xp.asarray([far, far + 3]), index="local")[1].dtype == np.int32
    assert permutations(xp.asarray([far, far + 2]))[2].dtype == np.int64


def at_rank(rank, x, n):
    """The combination at `rank`, as the kernels find it."""
    found, first, left = [], np.uint64(0), np.uint64(rank)
    for k in range(n):
        element, before = find_first_element(left, first, np.uint64(x), np.uint64(n - k))
        left, first = left - before, element + np.uint64(1)
        found.append(int(element))
    return found


def rank_of(combination, x):
    n = len(combination)
    firsts = [0, *(c + 1 for c in combination)]
    return sum(
        math.comb(x - low, n - f) - math.comb(x - c, n - f) for f, (low, c) in enumerate(zip(firsts, combination, strict=False))
    )


@pytest.mark.parametrize("x", [4096, 4097, 4098, 94_906_267, 2**31 - 1, 2**32 - 1])
def test_pairs_of_many_are_exact(cpu_only, x):
    """Where a square root goes wrong: at the ends of rows, in single precision from 4097 elements on."""
    total = math.comb(x, 2)
    for i in (0, 1, 2, x // 3, x // 2, x - 3, x - 2):
        row = rank_of([i, i + 1], x)
        for rank in range(max(row - 2, 0), min(row + 3, total)):
            pair = at_rank(rank, x, 2)
            assert 0 <= pair[0] < pair[1] < x
            assert rank_of(pair, x) == rank


@pytest.mark.parametrize("x, n", [(3_810_778, 3), (121_977, 4), (64, 29), (64, 60), (65, 33)])
def test_combinations_of_many_are_exact(cpu_only, x, n):
    total = math.comb(x, n)
    assert 2**30 < total < 2**63 or n == 60
    for rank in (0, 1, total // 7, total // 2, total - 2, total - 1):
        found = at_rank(rank, x, n)
        assert found == sorted(set(found))
        assert rank_of(found, x) == rank


def test_binomials(cpu_only):
    for x in range(68):
        for n in range(x + 2):
            want = math.comb(x, n)
            if want < 2**62:
                assert binomial(np.uint64(x), np.uint64(n)) == checked_binomial(x, n) == want
            else:
                assert checked_binomial(x, n) == -1
    assert checked_binomial(2**40, 1) == 2**40
    assert checked_binomial(2**40, 2) == checked_binomial(2**62, 2**61) == -1


def test_a_large_segment(cpu_only):
    """Rows whose float32 ranks collide: all pairs of 5000 elements against NumPy."""
    _, first, second = combinations(np.array([0, 5000]))
    rows, columns = np.triu_indices(5000, 1)
    np.testing.assert_array_equal(first, rows)
    np.testing.assert_array_equal(second, columns)


@pytest.mark.parametrize("counts", [[], [0], [1], [3], [0, 2, 0, 1, 4, 3], [0] * 12], ids=str)
def test_is_itertools_permutations(xp, to_numpy, counts):
    offsets = offsets_of(counts, 3)
    outer, inner, index = (to_numpy(x) for x in permutations(xp.asarray(offsets)))
    assert outer.dtype == inner.dtype == index.dtype == np.int32
    items = [tuple(index[start:stop].tolist()) for start, stop in itertools.pairwise(inner)]
    assert inner[0] == 0
    assert inner[-1] == index.size
    assert outer.tolist() == offsets_of([math.factorial(c) for c in counts]).tolist()
    want = [p for start, stop in itertools.pairwise(offsets.tolist()) for p in itertools.permutations(range(start, stop))]
    assert items == want


def test_permutations_of_eight(cpu_only):
    outer, _, index = permutations(np.array([0, 8, 16]))
    assert outer.tolist() == [0, 40320, 80640]
    want = np.array(list(itertools.permutations(range(8))), np.int32)
    np.testing.assert_array_equal(index.reshape(2, 40320, 8), [want, want + 8])


def test_refuses_more_than_can_be_stored(xp):
    with pytest.raises(MemoryError, match=r"segment 1 has more than 2\*\*62 combinations"):
        combinations(xp.asarray([0, 3, 2**40]), 3)
    with pytest.raises(MemoryError, match=r"more than 2\*\*62 combinations"):
        combinations(xp.asarray([0, 70]), 35)
    with pytest.raises(MemoryError, match=r"combinations of 2 indices need .* GiB"):
        combinations(xp.asarray([0, 2**31]), 2)
    with pytest.raises(MemoryError, match="more than"):
        permutations(xp.asarray([0, 20]))
    with pytest.raises(MemoryError, match=r"\d permutations need .* GiB"):
        permutations(xp.asarray([0, 18]))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: combinations(np.array([0, 3]), 0), ValueError, "n must be 1 or above, got 0"),
        (lambda: combinations(np.array([0, 3]), 10**30), ValueError, r"n must be below 2\*\*31, got 10+"),
        (lambda: combinations(np.array([0, 3]), 1.5), TypeError, "integer"),
        (lambda: combinations(np.array([3, 0])), ValueError, r"offsets\[0\] = 3 > offsets\[1\] = 0"),
        (lambda: combinations({0, 3}), TypeError, "offsets must be a NumPy or CuPy array, got set"),
        (lambda: combinations(np.array([0, 3]), index="all"), ValueError, "got 'all'"),
        (lambda: permutations(np.array([0.0, 3])), TypeError, "offsets must hold integers"),
        (lambda: permutations(np.array([0, 3, 24])), ValueError, "20 elements at most, got 21 in segment 1"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.skipif(SIMULATED, reason="three primitives at a time: slow under the simulator")
@given(st.lists(st.integers(0, 5), max_size=6))
def test_pairs_with_and_without_the_diagonal(xp, to_numpy, counts):
    """Products of a segment with itself are its pairs, their mirror images and the diagonal."""
    offsets = offsets_from_counts(xp.asarray(np.array(counts, np.int64)))

    def pairs(result):
        return list(zip(*(to_numpy(x).tolist() for x in result[1:]), strict=True))

    apart, every = pairs(combinations(offsets)), pairs(combinations(offsets, replacement=True))
    assert every == sorted(apart + [(i, i) for i in range(sum(counts))])
    assert sorted(apart + [(j, i) for i, j in every]) == pairs(cartesian_product(offsets, offsets))
