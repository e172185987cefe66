"""Matrices as text and as HTML."""

import xml.etree.ElementTree

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr import coo_array, csc_array, csr_array

FORMS = [csr_array, csc_array, coo_array]
S = sp.random_array((12, 9), density=0.4, rng=np.random.default_rng(0), format="csr")


@pytest.mark.parametrize("name", ["csr_array", "csc_array", "coo_array"])
@pytest.mark.parametrize("dtype", ["float64", "bool", "complex128", "int8"])
def test_text_is_scipys(cpu_only, name, dtype):
    theirs = getattr(sp, name)(S.astype(dtype) if dtype != "int8" else (9 * S).astype(dtype))
    ours = getattr(spark_csr, name)(theirs)
    assert str(ours) == str(theirs)
    for most in (1, 4, 7, 500):
        ours.maxprint = theirs.maxprint = most
        assert str(ours) == str(theirs)


@pytest.mark.parametrize("constructor", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.linalg.splu])
def test_scipy_says_what_it_needs(cpu_only, constructor):
    """Constructors of SciPy's write what they refuse into their messages: not all entries, but what to give to them."""
    A = csr_array(S)
    assert f"{A}" == str(A)
    if sp.issparse(A):
        pytest.skip("SciPy takes it")
    with pytest.raises(ValueError, match=r"input: <csr_array of .*> is not a dense array: use A\.to_scipy\(\)"):
        constructor(A)


def test_text_of_vectors_and_of_nothing(cpu_only):
    for theirs in (sp.coo_array(np.array([0, 3, 0, 4])), sp.csr_array((3, 4)), sp.csr_array((0, 4))):
        assert str(getattr(spark_csr, f"{theirs.format}_array")(theirs)) == str(theirs)


def test_maxprint(cpu_only):
    A = csr_array(np.ones((4, 4)), maxprint=2)
    assert A.maxprint == 2
    assert str(A).count("\n") == 5
    assert csr_array(np.eye(2)).maxprint == 50
    assert [form(S, maxprint=3).maxprint for form in FORMS] == [3, 3, 3]
    with pytest.raises(TypeError, match="positional argument"):
        csr_array(np.eye(2), (2, 2), "i", False, 4)


def test_text_says_where(xp):
    if xp is not np:
        assert " on cuda:0\n" in str(csr_array(xp.eye(2)))


@pytest.mark.parametrize("form", FORMS)
def test_html(xp, form):
    A = form(xp.asarray(S.toarray()))
    html = A._repr_html_()
    xml.etree.ElementTree.fromstring(html)
    for word in (f"{form.__name__}", "12 x 9", "float64", f">{S.nnz}<", A.device, "<svg", "0.398"):
        assert word in html


def test_the_pattern_is_drawn_by_rows_in_every_format():
    """A `csc_array` holds the rows of its transpose."""
    pictures = {form(S)._repr_html_().partition("<svg")[2] for form in FORMS}
    (picture,) = pictures
    assert csr_array(S.T)._repr_html_().partition("<svg")[2] != picture


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 4), (1, 10**6), (10**6, 1), (2, 2**62)])
def test_html_of_extreme_shapes(xp, shape):
    html = csr_array(shape)._repr_html_()
    xml.etree.ElementTree.fromstring(html)
    assert ("<svg" in html) == (0 not in shape)


def test_html_of_a_vector(xp):
    html = coo_array(xp.asarray([0.0, 1, 2]))._repr_html_()
    xml.etree.ElementTree.fromstring(html)
    assert ">3<" in html


def test_html_is_small(cpu_only):
    A = csr_array(sp.random_array((5000, 5000), density=0.01, rng=np.random.default_rng(1)))
    assert len(A._repr_html_()) < 40_000
