"""Level sets of triangles."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import csr_array
from spark_csr._operations.triangular import levels
from spark_csr._operations.triangular.levels import find_diagonal, find_levels, find_sides, lower_schedule, upper_schedule

N = 40


def pattern(seed, density=0.08):
    """A matrix with some entries on both sides of the diagonal, and rows without any."""
    return sp.random_array((N, N), density=density, rng=np.random.default_rng(seed), format="csr")


def expected_levels(S, upper):
    """The definition, row by row."""
    found = np.zeros(N, int)
    for row in range(N)[::-1] if upper else range(N):
        columns = S.indices[S.indptr[row] : S.indptr[row + 1]]
        columns = columns[columns > row] if upper else columns[columns < row]
        found[row] = max((found[c] + 1 for c in columns), default=0)
    return found


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_levels(xp, to_numpy, seed, upper, small_tiles):
    S = pattern(seed)
    csr = csr_array(S).to_device("cpu" if xp is np else "cuda")._csr
    np.testing.assert_array_equal(to_numpy(find_levels(csr, upper)), expected_levels(S, upper))


def test_positions_of_the_diagonal(xp, to_numpy):
    csr = csr_array(xp.asarray([[1, 0, 2, 0], [1, 0, 0, 0], [0, 0, 3, 4], [0, 0, 0, 0]]))._csr
    assert to_numpy(find_diagonal(csr)).tolist() == [0, 3, 3, 5]
    assert find_sides(csr) == (1, 0, 1)
    assert find_sides(csr_array(xp.eye(3))._csr) == (None, None, None)
    assert find_sides(csr_array((0, 0))._csr) == (None, None, None)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("wide", [1, 3, 5, 100])
def test_schedules_are_in_order(monkeypatch, cpu_only, wide, upper):
    """Every row is in one step, none before a row that it depends on; steps in parallel are one level."""
    monkeypatch.setattr(levels, "WIDE", wide)
    S = pattern(5, 0.05)
    csr = csr_array(S)._csr
    order, steps = (upper_schedule if upper else lower_schedule)(csr)
    expected = expected_levels(S, upper)
    assert [step.start for step in steps] == [0, *[step.stop for step in steps[:-1]]]
    assert steps[-1].stop == N
    if wide == 100:
        assert order is None
        return
    assert sorted(order.tolist()) == list(range(N))
    assert (np.diff(expected[order]) >= 0).all()
    for start, stop, in_sequence in steps:
        assert in_sequence or len(set(expected[order[start:stop]])) == 1
        assert in_sequence or stop - start >= wide


@pytest.mark.kept
def test_schedules_are_kept(xp):
    A = csr_array(xp.asarray(np.tril(np.ones((4, 4)))))
    assert A._csr.plan(lower_schedule) is (2 * A)._csr.plan(lower_schedule)
