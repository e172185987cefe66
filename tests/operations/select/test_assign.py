"""Values set in records: overwriting, merging before, between and behind what is there, positions that come twice."""

import numpy as np
import pytest

import battery
import dtypes
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr._operations.form import convert
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.select import assign as module
from spark_csr._operations.select.assign import assign, replace
from spark_csr._operations.select.clear import drop_flagged, flag_entries_at, flag_entries_in

pytestmark = pytest.mark.usefixtures("small_tiles")


def places(xp, shape, seed=0, n=30):
    rng = np.random.default_rng(seed)
    return tuple(xp.asarray(rng.integers(0, length, n)) for length in shape)


@pytest.mark.parametrize("name", [n for n in battery.FINITE if 0 not in battery.BATTERY[n][3]][:: 6 if SIMULATED else 1])
def test_every_matrix(xp, to_numpy, name):
    csr = battery.build(xp, name)._csr.copy()
    dense = to_numpy(convert.to_dense(csr))
    rows, columns = places(xp, csr.shape)
    values = np.arange(30.0) - 7
    got, changed = assign(csr, rows, columns, xp.asarray(values))
    dense[to_numpy(rows), to_numpy(columns)] = values
    np.testing.assert_array_equal(to_numpy(convert.to_dense(got)), dense)
    assert has_canonical_columns(got)
    assert changed == (got.indices.size > sum_duplicates(csr).indices.size)


@pytest.mark.parametrize("dtype", dtypes.each(usual="HD"))
def test_dtypes(xp, to_numpy, dtype):
    csr = battery.build(xp, "band", dtype)._csr
    dense = to_numpy(convert.to_dense(csr))
    values = battery.as_dtype(np.arange(30.0), dtype)
    for set_values in (lambda *a: assign(*a)[0], replace):
        got = set_values(csr.copy(), *places(xp, csr.shape), xp.asarray(values))
        wanted = dense.copy()
        wanted[tuple(map(to_numpy, places(xp, csr.shape)))] = values
        np.testing.assert_array_equal(to_numpy(convert.to_dense(got)), wanted)
        assert got.data.dtype == dtype


def test_before_between_and_behind(xp, to_numpy):
    csr = csr_array((xp.asarray([1.0, 2, 3]), xp.asarray([1, 3, 2]), xp.asarray([0, 2, 2, 3])), shape=(3, 5))._csr
    rows, columns = xp.asarray([0, 0, 0, 1, 1, 2, 2]), xp.asarray([0, 2, 4, 0, 4, 0, 4])
    got, changed = assign(csr, rows, columns, xp.asarray([4.0, 5, 6, 7, 8, 9, 10]))
    assert changed
    assert to_numpy(got.indptr).tolist() == [0, 5, 7, 10]
    assert to_numpy(got.indices).tolist() == [0, 1, 2, 3, 4, 0, 4, 0, 2, 4]
    assert to_numpy(got.data).tolist() == [4, 1, 5, 2, 6, 7, 8, 9, 3, 10]
    assert to_numpy(csr.data).tolist() == [1, 2, 3]


def test_the_last_value_of_a_place_stays_however_places_are_ordered(xp, to_numpy):
    empty = csr_array((3, 3))._csr
    csr = convert.empty(empty.shape, np.dtype(float), xp)
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        rows, columns = np.array([2, 0, 2, 0])[order], np.array([1, 1, 1, 1])[order]
        got, _ = assign(csr, xp.asarray(rows), xp.asarray(columns), xp.asarray(np.arange(4.0)))
        dense = np.zeros((3, 3))
        dense[rows, columns] = np.arange(4.0)
        np.testing.assert_array_equal(to_numpy(convert.to_dense(got)), dense)


def test_zeros_are_stored_or_not(xp, to_numpy):
    csr = battery.build(xp, "band")._csr.copy()
    at = xp.asarray([0, 0, 5]), xp.asarray([0, 9, 5])
    zeros = xp.zeros(3)
    assert assign(csr.copy(), *at, zeros)[0].indices.size == csr.indices.size + 1
    assert replace(csr, *at, zeros).indices.size == csr.indices.size - 2
    assert replace(csr, *at, zeros, keep_zeros=True).indices.size == csr.indices.size + 1


@pytest.mark.parametrize("rows, columns", [([0, 3, 5], [1, 2]), ([], []), ([11], [11, 0]), (list(range(12)), [4, 4])])
def test_entries_of_blocks_and_places(xp, to_numpy, rows, columns):
    csr = sum_duplicates(battery.build(xp, "band")._csr.copy())
    i, j = (xp.asarray(k, dtype=np.int64) for k in (rows, columns))
    pairs = np.ix_(rows, columns)
    dense = np.ones((12, 12), bool)
    if rows and columns:
        dense[pairs] = False
    if columns:
        kept = drop_flagged(csr, flag_entries_in(csr, i, j))
        np.testing.assert_array_equal(to_numpy(convert.to_dense(kept)), to_numpy(convert.to_dense(csr)) * dense)
    grid = [xp.asarray(np.repeat(rows, len(columns)), dtype=np.int64), xp.asarray(np.tile(columns, len(rows)), dtype=np.int64)]
    kept = drop_flagged(csr, flag_entries_at(csr, *grid))
    np.testing.assert_array_equal(to_numpy(convert.to_dense(kept)), to_numpy(convert.to_dense(csr)) * dense)


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
@pytest.mark.parametrize("columns", [[0, 1], [2, 3], [3, 4]], ids=["with entries", "with and without", "without"])
def test_data_that_is_read_only_is_refused(columns):
    data = np.array([1.0, 2, 3])
    data.flags.writeable = False
    A = csr_array((data, np.array([0, 1, 2]), np.array([0, 3])), shape=(1, 5))
    with pytest.raises(ValueError, match=r"read-only: set values in A.copy\(\)"):
        A[[0, 0], columns] = 7
    B = A.copy()
    B[[0, 0], columns[::-1]] = 7
    assert A.toarray().tolist() == [[1, 2, 3, 0, 0]]
    assert (B.toarray() == 7).sum() == 2


CHANGES = {
    "entries": lambda A, rows, columns: A.__setitem__((rows, columns), 7),
    "rows": lambda A, rows, columns: A.__setitem__(rows[:3], 7),
    "diagonal": lambda A, rows, columns: A.setdiag(7, 3),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("step", ["find_positions", "compact", "segment_ids", "for_each", "offsets_from_segment_ids"])
def test_an_exception_at_any_step_leaves_a_matrix_as_it_was(xp, to_numpy, monkeypatch, step, change):
    """Ctrl-C, or no memory: values must not stand over old entries without the new ones beside them."""
    A, function = battery.build(xp, "band").copy(), getattr(module, step)
    before = to_numpy(A.toarray())
    rows, columns = (xp.asarray(x) for x in np.divmod(np.arange(3 * A.shape[1])[::-1], A.shape[1]))

    def stop(*args, **options):
        function(*args, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, step, stop)
    with pytest.raises(KeyboardInterrupt):
        CHANGES[change](A, rows, columns)
    np.testing.assert_array_equal(to_numpy(A.toarray()), before)
