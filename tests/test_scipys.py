"""Every public name of SciPy's packages is here, for each SciPy that the tests run with."""

import copy
import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr

pytestmark = pytest.mark.usefixtures("cpu_only")

PACKAGES = {"spark_csr": "scipy.sparse", "spark_csr.linalg": "scipy.sparse.linalg", "spark_csr.csgraph": "scipy.sparse.csgraph"}
NAMES = [(ours, name) for ours, theirs in PACKAGES.items() for name in importlib.import_module(theirs).__all__]
DENSE = np.array([[4.0, 0, 2], [0, 3, 0], [1, 0, 5]])
OURS = spark_csr.csr_array, spark_csr.csc_array, spark_csr.coo_array
FOREIGN = [f"{form}_{kind}" for form in ("bsr", "dia", "dok", "lil") for kind in ("array", "matrix")]
FOREIGN += ["coo_matrix", "csc_matrix", "csr_matrix"]


@pytest.mark.parametrize("package, name", NAMES)
def test_every_public_name_of_scipy_is_here(package, name):
    found, theirs = getattr(importlib.import_module(package), name), getattr(importlib.import_module(PACKAGES[package]), name)
    assert callable(found) == callable(theirs)
    assert isinstance(found, type) == isinstance(theirs, type)
    exec(f"from {package} import {name}")
    if isinstance(theirs, type) and issubclass(theirs, BaseException):
        assert found is theirs
    if callable(found) and name != "SuperLU":
        assert pickle.loads(pickle.dumps(found)) is found


def test_names_of_scipy_cost_nothing_until_they_are_used():
    program = f"import sys, spark_csr; print({{'spark_csr.csgraph', *{list(PACKAGES.values())}}} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "set()\n"


MAKERS = {
    "eye": lambda m: m.eye(3, 4, 1),
    "eye in a format": lambda m: m.eye(3, dtype=np.int8, format="csc"),
    "identity": lambda m: m.identity(3),
    "diags": lambda m: m.diags([1.0, 2.0, 3.0], 1),
    "diags of several": lambda m: m.diags([[1.0, 2], [3.0]], [0, 1], (2, 2), "coo"),
    "spdiags": lambda m: m.spdiags([[1, 2, 3], [4, 5, 6]], [0, 1], 3, 3),
    "random": lambda m: m.random(5, 6, 0.4, rng=3),
    "random of old states": lambda m: m.random(5, 6, density=0.4, format="csr", random_state=3),
    "rand": lambda m: m.rand(4, 4, 0.5, random_state=np.random.RandomState(1)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_makers_of_old_matrices_make_ours(name):
    """The numbers are SciPy's, also those of a seed; what SciPy makes in a format that is not here is by rows."""
    ours, theirs = MAKERS[name](spark_csr), MAKERS[name](sp)
    assert isinstance(ours, OURS)
    assert ours.format == ("csr" if theirs.format == "dia" else theirs.format)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.toarray(), theirs.toarray())


CALLS = {
    "bmat": lambda m, A: m.bmat([[A, None], [None, A]]),
    "bmat in a format": lambda m, A: m.bmat([[A, A]], format="csc"),
    "kronsum": lambda m, A: m.kronsum(A, A),
    "matrix_power": lambda m, A: m.linalg.matrix_power(A, 3),
    "no power": lambda m, A: m.linalg.matrix_power(A, 0),
    "laplacian": lambda m, A: m.csgraph.laplacian(A, return_diag=True)[0],
    "minimum_spanning_tree": lambda m, A: m.csgraph.minimum_spanning_tree(A),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_scipy_take_and_return_ours(name):
    for form in ("csr", "csc", "coo"):
        S = sp.csr_array(DENSE).asformat(form)
        theirs = CALLS[name](sp, S)
        ours = CALLS[name](spark_csr, getattr(spark_csr, f"{form}_array")(S))
        assert isinstance(ours, OURS)
        np.testing.assert_allclose(ours.toarray(), theirs.toarray())
        old = getattr(sp, f"{form}_matrix")(DENSE)  # where these are given, * stays the product of matrices
        assert isinstance(CALLS[name](spark_csr, old), sp.spmatrix) == isinstance(CALLS[name](sp, old), sp.spmatrix)


@pytest.mark.parametrize("solver", ["qmr", "tfqmr", "gcrotmk"])
def test_solvers_of_scipy_take_ours(solver):
    for ours in OURS:
        x, info = getattr(spark_csr.linalg, solver)(ours(DENSE), DENSE.sum(axis=1), rtol=1e-12)
        assert info == 0
        np.testing.assert_allclose(x, 1)


def test_warnings_name_the_line_of_the_user():
    with pytest.warns(spark_csr.linalg.MatrixRankWarning) as found:
        spark_csr.linalg.spsolve(spark_csr.csr_array((3, 3)), np.ones(3))
    with pytest.warns(UserWarning, match="negative weights") as more:
        spark_csr.csgraph.dijkstra(spark_csr.csr_array([[0, -1.0], [0, 0]]))
    assert {x.filename for x in (*found, *more)} == {__file__}


@pytest.mark.parametrize("name", FOREIGN)
def test_classes_of_scipy_take_ours(name):
    kind, theirs = getattr(spark_csr, name), getattr(sp, name)
    for ours in OURS:
        made = kind(ours(DENSE))
        assert type(made) is theirs
        np.testing.assert_array_equal(made.toarray(), DENSE)


def test_classes_of_scipy_share_no_memory_with_ours():
    """SciPy's `eliminate_zeros` moves entries within their arrays."""
    A = spark_csr.csr_array(DENSE)
    A.data[1] = 0
    M = spark_csr.csr_matrix(A)
    M.eliminate_zeros()
    assert (M.nnz, A.nnz) == (4, 5)
    np.testing.assert_array_equal(A.toarray(), M.toarray())


@pytest.mark.parametrize("name", FOREIGN)
def test_classes_of_scipy_know_their_objects(name):
    kind, theirs = getattr(spark_csr, name), getattr(sp, name)
    made = kind(DENSE)
    assert isinstance(made, kind)
    assert issubclass(theirs, kind)
    assert not isinstance(spark_csr.csr_array(DENSE), kind)
    assert not isinstance(DENSE, kind)
    assert type(made) == kind
    assert {kind: 1}[type(made)] == 1
    assert type(copy.deepcopy(pickle.loads(pickle.dumps(made)))) is theirs


def test_users_derive_from_classes_of_scipy():
    class Named(spark_csr.csr_matrix):
        name = "named"

    A = Named(spark_csr.csr_array(DENSE))
    assert (A @ A).name == "named"
    assert isinstance(A, (spark_csr.csr_matrix, sp.csr_matrix))
    assert not isinstance(sp.csr_matrix(DENSE), Named)
    assert Named != spark_csr.csr_matrix


def test_base_classes_know_both_libraries():
    for form in ("csr", "csc", "coo"):
        ours = getattr(spark_csr, f"{form}_array")(DENSE)
        array, old = (getattr(sp, f"{form}_{kind}")(DENSE) for kind in ("array", "matrix"))
        assert [isinstance(x, spark_csr.sparray) for x in (ours, array, old, DENSE)] == [True, True, False, False]
        assert [isinstance(x, spark_csr.spmatrix) for x in (ours, array, old, DENSE)] == [False, False, True, False]
        assert [spark_csr.isspmatrix(x) for x in (ours, array, old, DENSE)] == [False, False, True, False]
        assert [getattr(spark_csr, f"isspmatrix_{form}")(x) for x in (ours, array, old)] == [False, False, True]


def test_what_is_of_three_dimensions_is_ours():
    if hasattr(sp, "expand_dims"):
        assert isinstance(spark_csr.expand_dims(spark_csr.csr_array(DENSE), axis=0), spark_csr.coo_array)
