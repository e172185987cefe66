"""SciPy's classes of matrices, looked up here, are taken wherever a matrix is."""

import operator

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr import coo_array, csc_array, csr_array

pytestmark = pytest.mark.usefixtures("cpu_only")

NAMES = [f"{form}_{kind}" for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil") for kind in ("array", "matrix")]
FOREIGN = [name for name in NAMES if name not in ("coo_array", "csc_array", "csr_array")]
DENSE = np.array([[1.0, 0, 2], [0, 0, 3], [4, 5, 0]])


@pytest.mark.parametrize("name", FOREIGN)
def test_names_are_scipys_classes(name):
    assert getattr(spark_csr, name) == getattr(sp, name)


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
def test_constructors_and_operators(name, form):
    S, A = getattr(spark_csr, name)(DENSE), form(DENSE.T)
    np.testing.assert_array_equal(form(S).toarray(), DENSE)
    for apply in (operator.add, operator.sub, operator.matmul):
        ours = apply(A, S)
        assert isinstance(ours, (csr_array, csc_array, coo_array))
        np.testing.assert_array_equal(ours.toarray(), apply(DENSE.T, DENSE))
    np.testing.assert_array_equal(A.multiply(S).toarray(), DENSE.T * DENSE)
    np.testing.assert_array_equal((A != S).toarray(), DENSE.T != DENSE)
    np.testing.assert_array_equal(A.maximum(S).toarray(), np.maximum(DENSE.T, DENSE))
    np.testing.assert_array_equal(spark_csr.vstack([A, S]).toarray(), np.vstack([DENSE.T, DENSE]))
    np.testing.assert_array_equal(spark_csr.kron(A, S).toarray(), np.kron(DENSE.T, DENSE))


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("apply", [operator.add, operator.sub, operator.matmul])
def test_operators_from_the_left(name, apply):
    found = apply(getattr(spark_csr, name)(DENSE), csr_array(DENSE.T))
    np.testing.assert_array_equal(found.toarray(), apply(DENSE, DENSE.T))


JOINED = {
    "hstack": lambda lib, M: lib.hstack([M, M]),
    "vstack": lambda lib, M: lib.vstack([M, DENSE], "csc"),
    "block_diag": lambda lib, M: lib.block_diag([M, DENSE, M]),
    "kron": lambda lib, M: lib.kron(M, M, "csr"),
    "tril": lambda lib, M: lib.tril(M),
    "triu": lambda lib, M: lib.triu(M, 1, "lil"),
    "inv": lambda lib, M: lib.linalg.inv(M),
    "expm": lambda lib, M: lib.linalg.expm(M),
}


@pytest.mark.parametrize("name", JOINED)
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning", "ignore:`kron`:DeprecationWarning")
def test_what_is_made_of_old_matrices_only_is_an_old_matrix(name):
    """Its `*` is the matrix product, as in SciPy, and its arrays may be written into."""
    M = sp.csc_matrix(DENSE)
    made, theirs = JOINED[name](spark_csr, M), JOINED[name](sp, M)
    assert isinstance(made, sp.spmatrix)
    np.testing.assert_allclose(made.toarray(), theirs.toarray())
    assert made.data.flags.writeable if made.format != "lil" else True
    assert isinstance(JOINED[name](spark_csr, spark_csr.csc_array(DENSE)), (csr_array, csc_array, coo_array, sp.lil_array))
    assert isinstance(JOINED[name](spark_csr, sp.csc_array(DENSE)), (csr_array, csc_array, coo_array, sp.lil_array))


def test_what_is_made_of_old_and_other_matrices_is_ours():
    M = sp.csr_matrix(DENSE)
    for other in (csr_array(DENSE), sp.csr_array(DENSE)):
        for made in (spark_csr.vstack([M, other]), spark_csr.block_diag([other, M]), spark_csr.kron(M, other)):
            assert isinstance(made, (csr_array, coo_array))


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
def test_blocks_on_the_left_stay_blocks(form):
    S = sp.bsr_array(np.kron(DENSE, np.ones((2, 2))))
    A = form(S.toarray().T)
    for apply in (operator.matmul, operator.add, operator.sub, operator.mul):
        ours, theirs = apply(S, A), apply(S, sp.csr_array(A.to_scipy()))
        assert (type(ours), ours.blocksize) == (type(theirs), theirs.blocksize)
        np.testing.assert_array_equal(ours.toarray(), theirs.toarray())
