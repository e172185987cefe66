"""Rows sorted, entries of one position summed: which rows are, and what is made of the others."""

import numpy as np
import pytest
import scipy.sparse as sp

import as_scipy
import battery
import dtypes
from spark_csr import csr_array
from spark_csr._operations.form import canonical
from spark_csr._operations.form.canonical import LONG, sort_indices, sum_duplicates
from spark_csr._operations.form.convert import from_arrays, to_dense
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns
from spark_csr._operations.form.record import Csr

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize(
    "name, is_sorted, is_canonical",
    [("band", True, True), ("duplicates", False, False), ("unsorted", False, False), ("0x0", True, True), ("1xN", True, True)],
)
def test_flags(xp, name, is_sorted, is_canonical):
    A = battery.build(xp, name)
    assert A.has_sorted_indices is is_sorted
    assert A.has_canonical_format is is_canonical


def test_sorted_with_duplicates_is_not_canonical(xp):
    A = csr_array((xp.ones(3), xp.asarray([0, 0, 1]), xp.asarray([0, 3])))
    assert A.has_sorted_indices
    assert not A.has_canonical_format


@pytest.mark.parametrize("name", battery.FINITE)
def test_canonical_form_as_scipy(xp, to_numpy, name):
    csr = battery.build(xp, name)._csr
    before = [to_numpy(x).copy() for x in csr.arrays]
    expected = sp.csr_array(tuple(x.copy() for x in before[::-1]), shape=csr.shape)
    got = sort_indices(csr)
    assert has_sorted_columns(got)
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(before[0]))
    order = np.lexsort((before[1], rows))
    for x, wanted in zip(got.arrays, (before[0], before[1][order], before[2][order]), strict=True):
        np.testing.assert_array_equal(to_numpy(x), wanted)
    expected.sum_duplicates()
    got = sum_duplicates(csr)
    assert has_canonical_columns(got)
    assert (got is csr) == has_canonical_columns(csr)
    for x, wanted in zip(got.arrays, (expected.indptr, expected.indices, expected.data), strict=True):
        np.testing.assert_array_equal(to_numpy(x), wanted)
    for x, old in zip(csr.arrays, before, strict=True):
        np.testing.assert_array_equal(to_numpy(x), old)


def test_long_rows_are_sorted_too(xp, to_numpy):
    columns = np.random.default_rng(0).permutation(np.repeat(np.arange(25), 3))
    csr = from_arrays(xp.asarray([0, 75]), xp.asarray(columns), xp.arange(75.0), (1, 25))
    got = sort_indices(csr)
    assert to_numpy(got.data).tolist() == np.argsort(columns, kind="stable").tolist()
    assert to_numpy(sum_duplicates(csr).data).sum() == np.arange(75).sum()


ENTRYWISE = {
    "abs": abs,
    "log1p": lambda A: A.log1p(),
    "power": lambda A: A.power(2),
    "round": lambda A: round(A, 1),
    "ufunc": np.sqrt,
    "clip": lambda A: np.clip(A, 0, 1),
    "scalar": lambda A: A > 0.5,
    "quotient": lambda A: A / 2,
    "row": lambda A: A.multiply(np.arange(1.0, A.shape[1] + 1)),
    "max": lambda A: A.max(axis=1),
    "largest": lambda A: A.max(),
    "count": lambda A: A.count_nonzero(axis=1),
}

IN_ORDER = {
    "sum": lambda A: A + A.T.tocsr().T.tocsr(),
    "product": lambda A: A.multiply(A),
    "maximum": lambda A: A.maximum(A * 2),
    "argmax": lambda A: A.argmax(axis=1),
    "nonzero": lambda A: np.array(A.nonzero()),
    "one element": lambda A: A[1, 2],
}


def unsorted(seed=0, n=30):
    """A matrix without duplicates whose columns are in any order."""
    rng = np.random.default_rng(seed)
    columns = np.concatenate([rng.permutation(n)[:9] for _ in range(n)]).astype(np.int32)
    return csr_array((rng.random(9 * n), columns, np.arange(0, 9 * n + 1, 9)), shape=(n, n))


def dense(x):
    return x.toarray() if hasattr(x, "toarray") else np.asarray(x)


@pytest.mark.kept
@pytest.mark.parametrize("call", [*ENTRYWISE, *IN_ORDER])
def test_a_matrix_is_sorted_once(cpu_only, monkeypatch, call):
    """Functions of single entries ask only whether a position repeats; others keep the order of the entries."""
    A, calls = unsorted(), []
    function = (ENTRYWISE | IN_ORDER)[call]
    first, expected = dense(function(A)), dense(function(A.sorted_indices() if hasattr(A, "sorted_indices") else A.copy()))
    for name in ("sort_columns", "sort_indices"):
        monkeypatch.setattr(canonical, name, lambda csr, name=name: calls.append(name))
    np.testing.assert_array_equal(dense(function(A)), first)
    np.testing.assert_array_equal(first, expected)
    assert calls == []
    assert not A.has_sorted_indices


@pytest.mark.parametrize("call", [*ENTRYWISE, *IN_ORDER])
def test_changes_in_place_are_seen_where_the_order_is_kept(cpu_only, call):
    A, other = unsorted(), unsorted(seed=1)
    function = (ENTRYWISE | IN_ORDER)[call]
    found = function(A)
    if hasattr(found, "nonzero") and hasattr(found, "_csr"):
        as_scipy.check_facts(found)
    A.data[:] = A.data[::-1].copy()
    np.testing.assert_array_equal(dense(function(A)), dense(function(A.copy())))
    A.indices[:] = other.indices
    np.testing.assert_array_equal(dense(function(A)), dense(function(A.copy())))
    A.indices[:9] = 3
    np.testing.assert_array_equal(dense(function(A)), dense(function(A.copy())))


def test_the_order_is_kept_for_matrices_with_duplicates_too(xp, to_numpy):
    A = battery.build(xp, "duplicates")
    expected = to_numpy(A.toarray()) * 2
    for _ in range(2):
        np.testing.assert_allclose(to_numpy((A + A).toarray()), expected)


@pytest.mark.parametrize("dtype", dtypes.each([np.float64, np.float32, np.complex64, np.float16], "d"))
@pytest.mark.parametrize("columns", [10, 3000])
def test_entries_of_one_position_are_added_in_their_order(xp, to_numpy, dtype, columns):
    """As `toarray` adds them, so that rows with the same entries stay the same wherever they are."""
    rng = np.random.default_rng(1)
    values = battery.as_dtype(rng.standard_normal(3 * columns) * 100, dtype)
    wide = values.astype(np.float32) if dtype == np.float16 else values
    expected = ((wide[0::3] + wide[1::3]) + wide[2::3]).astype(dtype)
    order = np.argsort(rng.random((columns, 3)).min(axis=1), kind="stable")
    places = (3 * order[:, None] + np.arange(3)).T.ravel()  # the first of all positions, then the second, then the third
    for chosen in (np.arange(values.size), places):
        row = tuple(map(xp.asarray, (np.array([0, values.size]), chosen // 3, values[chosen])))
        out = sum_duplicates(Csr(*row, (1, columns)))
        np.testing.assert_array_equal(to_numpy(out.data), expected)
        np.testing.assert_array_equal(to_numpy(to_dense(Csr(*row, (1, columns))))[0], expected)


def test_very_many_entries_of_one_position(xp, to_numpy):
    row = np.array([0, 2 * LONG]), np.repeat([3, 4], [2 * LONG - 2, 2]), np.ones(2 * LONG)
    out = sum_duplicates(Csr(*map(xp.asarray, row), (1, 9)))
    np.testing.assert_array_equal(to_numpy(out.data), [2 * LONG - 2, 2])
