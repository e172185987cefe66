"""What is believed of the order of entries."""

import numpy as np
import pytest

from spark_csr import csc_array, csr_array

FORMS = [csr_array, csc_array]


def unsorted(form, xp):
    return form((xp.asarray([1.0, 2, 3]), xp.asarray([1, 0, 0]), xp.asarray([0, 2, 3])), shape=(2, 2))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.kept
def test_order_that_is_believed(xp, to_numpy, form):
    A = unsorted(form, xp)
    assert not A.has_sorted_indices
    A.has_sorted_indices = True
    assert A.has_sorted_indices is True
    A.sort_indices()
    assert to_numpy(A.indices).tolist() == [1, 0, 0]
    A.has_sorted_indices = False
    assert not A.has_canonical_format
    A.sort_indices()
    assert to_numpy(A.indices).tolist() == [0, 1, 0]
    assert A.has_sorted_indices


@pytest.mark.kept
def test_matrices_that_share_arrays_keep_their_own_facts(xp):
    A = csr_array(xp.eye(2))
    B, C = A.T, 2 * A
    A.has_sorted_indices = False
    assert B.has_sorted_indices
    assert C.has_sorted_indices
    assert not A.has_canonical_format


@pytest.mark.parametrize("form", FORMS)
def test_results_with_what_is_not_believed(xp, to_numpy, form):
    """False only costs time."""
    A = form(xp.asarray([[1.0, 2], [0, 3]]))
    A.has_sorted_indices = False
    expected = to_numpy(A.toarray())
    np.testing.assert_array_equal(to_numpy((A + A).toarray()), 2 * expected)
    np.testing.assert_array_equal(to_numpy((A @ A).toarray()), expected @ expected)
