"""Canonical format: what is believed of it, and how a matrix gets it."""

import pytest

from spark_csr import coo_array, csc_array, csr_array


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.kept
def test_canonical_format_that_is_believed(xp, to_numpy, form):
    by_columns = csc_array if form == "csc" else csr_array
    A = by_columns((xp.asarray([1.0, 2]), xp.asarray([0, 0]), xp.asarray([0, 2])), shape=(1, 1)).asformat(form)
    A.has_canonical_format = True
    assert form == "coo" or A.has_sorted_indices
    A.sum_duplicates()
    assert A.nnz == 2
    A.has_canonical_format = False
    A.sum_duplicates()
    assert to_numpy(A.data).tolist() == [3]
    A.has_canonical_format = False
    assert A.has_canonical_format is False
    A.sum_duplicates()
    assert A.has_canonical_format is True


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
def test_zeros_are_dropped(xp, to_numpy, form):
    A = form(xp.asarray([[1.0, 2], [3, 0]]))
    A.data[1] = 0
    A.eliminate_zeros()
    assert to_numpy(A.toarray()).tolist() == ([[1, 2], [0, 0]] if form is csc_array else [[1, 0], [3, 0]])
    assert A.nnz == 2
