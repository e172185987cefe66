"""Rows sorted, entries of one position summed: which rows are, and what is made of the others."""

import numpy as np
import pytest
import scipy.sparse as sp

import battery
from spark_csr import csr_array
from spark_csr._operations.form.canonical import sort_indices, sum_duplicates
from spark_csr._operations.form.convert import from_arrays
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns

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
