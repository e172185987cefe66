"""Products with matrices whose rows have the columns of the row before, shifted: bands, stencils, blocks."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import dtypes
from spark_csr import csr_array, gallery
from spark_csr._cpu import shifts
from spark_csr._cpu.shifts import runs_of
from spark_csr._cpu.tuning import TUNING

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of a few entries, for matrices of a few rows."""
    monkeypatch.setattr(TUNING, "reduce_serial", 0)
    monkeypatch.setattr(TUNING, "reduce_tile", 23)
    monkeypatch.setattr(TUNING, "spmv_run_rows", 2)


def rows_of(patterns, columns=200):
    """A matrix in CSR of rows given by their columns, with small integers."""
    indptr = np.cumsum([0, *map(len, patterns)])
    indices = np.concatenate([np.asarray(p, np.int64) for p in patterns])
    return csr_array((np.arange(indices.size) % 7 - 3.0, indices, indptr), shape=(len(patterns), columns))


MATRICES = {
    "band": [[i, i + 1, i + 3] for i in range(90)],
    "falling band": [[150 - i, 160 - i] for i in range(90)],
    "steps of two": [[2 * i, 2 * i + 1] for i in range(90)],
    "equal rows": [[3, 8, 9, 100]] * 90,
    "blocks": [[6 * (i // 3) + k for k in range(6)] for i in range(60)],
    "empty rows between": [[] if i % 9 == 0 else [i, i + 5] for i in range(90)],
    "unsorted": [[i + 9, i, i + 4] for i in range(90)],
    "duplicates": [[i, i, i + 1] for i in range(90)],
    "a long row between": [[i] for i in range(40)] + [list(range(150))] + [[i] for i in range(40)],
    "runs of each length": [[3 * n + k] for n in range(1, 9) for k in range(n)] + [[0, 1]] * 40,
}


def runs(A):
    """The runs of a matrix in one tile."""
    return runs_of(A.indptr, A.indices, np.diff(A.indptr), np.array([0, A.shape[0]]))


def chosen(monkeypatch):
    """Count the patterns whose runs are used."""
    found = []

    def noted(*args):
        found.append(runs_of(*args) is not None)
        return runs_of(*args)

    monkeypatch.setattr("spark_csr._cpu.spmv.runs_of", noted)
    return found


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("dtype", dtypes.each(["f8", "f4", "f2", "c8", "i4", "u1", "?"], "deF"))
@pytest.mark.parametrize("name", MATRICES)
def test_products(name, dtype, monkeypatch):
    A = rows_of(MATRICES[name])
    A = csr_array((np.abs(A.data).astype(dtype), A.indices, A.indptr), shape=A.shape)
    x = (np.arange(200) % 5).astype(dtype)
    found = chosen(monkeypatch)
    dense = np.zeros(A.shape, A.data.dtype)
    np.add.at(dense, (np.repeat(np.arange(A.shape[0]), np.diff(A.indptr)), A.indices), A.data)
    np.testing.assert_array_equal(A @ x, np.add.reduce(dense * x, axis=1, dtype=A.data.dtype))
    assert found == [True]


@pytest.mark.usefixtures("small_tiles")
def test_semirings():
    A = rows_of(MATRICES["band"])
    x = np.arange(200) % 11 * 1.0
    expected = [min(A.data[p] + x[A.indices[p]] for p in range(*A.indptr[i : i + 2])) for i in range(A.shape[0])]
    np.testing.assert_array_equal(A.matmul(x, semiring="min_plus"), expected)


@pytest.mark.parametrize("side", [40, 180], ids=["one core", "all cores"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_stencil(index, side, monkeypatch):
    A = gallery.poisson((side, side))
    A = csr_array((A.data, A.indices.astype(index), A.indptr.astype(index)), shape=A.shape)
    x, found = np.arange(1.0 * side * side) % 17, chosen(monkeypatch)
    np.testing.assert_array_equal(A @ x, A.to_scipy() @ x)
    assert found == [True]


def test_runs_are_used_where_they_are_long():
    rng = np.random.default_rng(1)
    scattered = csr_array(sp.random_array((300, 300), density=0.05, rng=rng, format="csr"))
    equal_lengths = rows_of([np.sort(rng.choice(200, 5, replace=False)) for _ in range(300)])
    assert runs(scattered) is None
    assert runs(equal_lengths) is None
    assert runs(rows_of(MATRICES["band"])) is not None


@given(st.lists(st.lists(st.integers(0, 3), max_size=2), min_size=1, max_size=40))
def test_runs_by_a_plain_loop(patterns):
    A = rows_of([np.array(p, np.int64) + i for i, p in enumerate(patterns)])
    expected, shift = [], None
    for i in range(A.shape[0]):
        here, before = (A.indices[A.indptr[k] : A.indptr[k + 1]].astype(int) for k in (i, max(i - 1, 0)))
        moved = set(here - before) if i and here.size == before.size and here.size else set()
        if len(moved) != 1 or (shift is not None and moved != {shift}):
            expected.append(i)
            shift = None
        else:
            shift = moved.pop()
    starts = np.empty(A.shape[0] + 1, A.indptr.dtype)
    count = shifts._find_runs(A.indptr, A.indices, starts)
    assert starts[:count].tolist() == expected
    assert starts[count] == A.shape[0]
