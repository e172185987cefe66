"""Entries in the order in which they are given."""

import numpy as np
import pytest

from spark_csr._operations.form.convert import from_coo
from spark_csr._operations.form.coordinates import Coordinates, keep

ROWS, COLUMNS = np.array([2, 0, 2, 1, 0, 2]), np.array([1, 3, 1, 0, 3, 0])
VALUES = np.array([1.0, 2, 3, 4, 5, 6])


@pytest.fixture
def entries(xp):
    return keep(xp.asarray(ROWS), xp.asarray(COLUMNS), xp.asarray(VALUES.copy()), (3, 4))


def test_by_rows_is_stable_and_reads_the_values_as_they_are_now(xp, to_numpy, entries):
    for factor in (1, 10):
        entries.data[:] = xp.asarray(VALUES * factor)
        csr = entries.by_rows()
        assert to_numpy(csr.indptr).tolist() == [0, 2, 3, 6]
        assert to_numpy(csr.indices).tolist() == [3, 3, 0, 0, 1, 1]
        assert to_numpy(csr.data).tolist() == [factor * x for x in (2, 5, 4, 6, 1, 3)]
    assert to_numpy(entries.order()).tolist() == [1, 4, 3, 5, 0, 2]
    assert not entries.has_canonical_order()


@pytest.mark.kept
def test_plans_are_kept_for_other_values(entries):
    plan = entries.by_rows().plans
    assert entries.with_data(entries.data * 2).by_rows().plans is plan


def test_entries_in_order_are_not_moved(xp, to_numpy):
    rows, columns, data = xp.asarray([0, 0, 2]), xp.asarray([1, 3, 0]), xp.asarray([1.0, 2, 3])
    entries = keep(rows, columns, data, (3, 4))
    assert entries.by_rows().data is entries.data
    assert entries.order() is None
    assert entries.has_canonical_order()
    assert not keep(rows, xp.asarray([1, 1, 0]), data, (3, 4)).has_canonical_order()


@pytest.mark.parametrize("by_column", [False, True])
def test_sums(xp, to_numpy, entries, by_column):
    rows, columns, shape = (COLUMNS, ROWS, (4, 3)) if by_column else (ROWS, COLUMNS, (3, 4))
    expected = from_coo(xp.asarray(rows), xp.asarray(columns), xp.asarray(VALUES), shape)
    got = entries.sum_by_columns() if by_column else entries.sum_by_rows()
    for mine, theirs in zip(got.arrays, expected.arrays, strict=True):
        np.testing.assert_array_equal(to_numpy(mine), to_numpy(theirs))
    assert got.shape == shape


def test_zeros_are_dropped_in_order(xp, to_numpy, entries):
    entries.data[2:4] = xp.asarray([0, np.nan])
    left = entries.without_zeros()
    assert to_numpy(left.rows).tolist() == [2, 0, 1, 0, 2]
    np.testing.assert_array_equal(to_numpy(left.data), [1, 2, np.nan, 5, 6])


def test_the_coordinates_are_copied_and_the_values_shared(xp):
    rows, columns, data = xp.asarray(ROWS, dtype=np.int32), xp.asarray(COLUMNS, dtype=np.int32), xp.asarray(VALUES)
    entries = keep(rows, columns, data)
    assert entries.shape == (3, 4)
    assert entries.data is data
    assert not xp.may_share_memory(entries.rows, rows)
    assert not any(xp.may_share_memory(x, y) for x, y in zip(entries.copy().arrays, entries.arrays, strict=True))
    assert isinstance(entries.copy_of_pattern(), Coordinates)


def test_empty(xp, to_numpy):
    nothing = xp.empty(0, np.int64)
    entries = keep(nothing, nothing, xp.empty(0), (3, 2))
    assert to_numpy(entries.by_rows().indptr).tolist() == [0, 0, 0, 0]
    assert to_numpy(entries.sum_by_columns().indptr).tolist() == [0, 0, 0]
    assert entries.has_canonical_order()
