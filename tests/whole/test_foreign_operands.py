"""Operands of other libraries, and what else users hand in: the result is SciPy's, or the exception says what was wrong."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr import csr_array, linalg

pytestmark = pytest.mark.usefixtures("cpu_only")

DENSE = np.arange(9.0).reshape(3, 3)
OURS = [spark_csr.csr_array, spark_csr.csc_array, spark_csr.coo_array]
FORMS = ["csr", "csc", "coo", "dok", "lil", "dia", "bsr"]


@pytest.mark.parametrize("ours", OURS)
@pytest.mark.parametrize("form", FORMS)
def test_products_with_arrays_of_scipy(ours, form):
    A, S = ours(DENSE), getattr(sp, f"{form}_array")(DENSE)
    for got, expected in ((A @ S, DENSE @ DENSE), (S @ A, DENSE @ DENSE), (A * S, DENSE * DENSE), (S * A, DENSE * DENSE)):
        np.testing.assert_array_equal(got.toarray(), expected)


@pytest.mark.parametrize("ours", OURS)
@pytest.mark.parametrize("form", FORMS)
def test_a_star_behind_an_old_matrix_is_the_matrix_product(ours, form):
    A, M = ours(DENSE), getattr(sp, f"{form}_matrix")(DENSE)
    np.testing.assert_array_equal((M * A).toarray(), DENSE @ DENSE)
    with pytest.warns(sp.SparseWarning, match="write A @ M") as found:
        np.testing.assert_array_equal((A * M).toarray(), DENSE * DENSE)
    assert found[0].filename == __file__


@pytest.mark.parametrize("number", [2, 2.5, np.float32(2), np.int64(2), np.bool_(True), np.array(3.0)])
def test_dot_scales_by_any_number(number):
    for ours in OURS:
        np.testing.assert_array_equal(ours(DENSE).dot(number).toarray(), DENSE * number)


def test_shapes_of_more_elements_than_can_be_numbered():
    A = csr_array((np.ones(1), ([1], [2**40])), shape=(3, 2**62))
    assert (A.multiply(np.full((3, 1), 5.0)).data, A.multiply(csr_array(np.full((3, 1), 5.0))).data) == ([5], [5])
    with pytest.raises(ValueError, match="inconsistent shapes"):
        A.multiply(np.ones((2, 1)))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda A: pickle.loads(pickle.dumps(A))])
def test_attributes_of_users_are_copied(again):
    A = csr_array(DENSE)
    A.name = "three"
    assert again(A).name == "three"
    np.testing.assert_array_equal(again(A).toarray(), DENSE)


@pytest.mark.parametrize("k", [2**70, -(2**70), 3, -3])
def test_triangles_beyond_every_diagonal(k):
    for ours, theirs in ((spark_csr.tril, np.tril), (spark_csr.triu, np.triu)):
        np.testing.assert_array_equal(ours(DENSE, k).toarray(), theirs(DENSE, max(min(k, 9), -9)))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda: linalg.eigsh(spark_csr.eye_array(60), k=2, v0=np.ones(3)),
            ValueError,
            r"v0 must have shape \(60,\), got \(3,\)",
        ),
        (lambda: linalg.svds(csr_array((9, 5)), k=2, v0=np.ones(9)), ValueError, r"v0 must have shape \(5,\)"),
        (lambda: linalg.eigsh(csr_array(DENSE), k=3), TypeError, "k must be below 3 for a sparse matrix of 3 rows"),
        (lambda: spark_csr.mmwrite("x.mtx", spark_csr.coo_array([1.0, 2])), ValueError, r"got shape \(2,\)"),
        (lambda: csr_array((np.ones(1), ([0], np.array([2**63 - 1])))), ValueError, "col must be below"),
        (lambda: csr_array((np.ones(1), np.array([2**63 + 1], np.uint64), [0, 1])), ValueError, "indices must be below"),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


class Foreign:
    """A sparse array of another library: it has a shape, `nnz`, and one way to become SciPy's."""

    ndim, shape, nnz, dtype = 2, (3, 3), 8, np.dtype(float)

    def __init__(self, way):
        setattr(self, way, lambda: sp.csr_array(DENSE))

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("cannot convert a sparse array to a dense one")


@pytest.mark.parametrize("way", ["tocsr", "to_scipy_sparse"])
def test_sparse_arrays_that_become_scipys(way):
    x = Foreign(way)
    for ours in OURS:
        np.testing.assert_array_equal(ours(x).toarray(), DENSE)
        np.testing.assert_array_equal((ours(DENSE) @ x).toarray(), DENSE @ DENSE)
        np.testing.assert_array_equal((ours(DENSE) + x).toarray(), DENSE + DENSE)
    assert spark_csr.issparse(x)


def test_sparse_tensors_name_their_bridge():
    tensor = type("Tensor", (), {"layout": "torch.sparse_csr", "shape": (3, 3)})()
    for ours in OURS:
        with pytest.raises(TypeError, match=r"use spark_csr\.interop\.torch\.from_torch\(tensor\)"):
            ours(tensor)
