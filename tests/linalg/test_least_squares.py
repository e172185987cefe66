"""Least squares as SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import csr_array, linalg

pytestmark = pytest.mark.usefixtures("cpu_only")

RECTANGLE = sp.random_array((40, 25), density=0.3, rng=np.random.default_rng(1), format="csr")


FEW_STEPS = [{}, {"damp": 0.5}, {"x0": np.ones(25)}, {"calc_var": True}, {"conlim": 2}]
"""Few enough that roundings have not yet grown: vectors lose their orthogonality."""


@pytest.mark.parametrize("settings", FEW_STEPS)
@pytest.mark.parametrize("complex_", [False, True])
def test_least_squares_as_scipys(settings, complex_):
    """`progress` asks for ours."""
    S, b, told, settings = RECTANGLE, np.arange(40.0), [], {"iter_lim": 7, **settings}
    if complex_:
        S = sp.csr_array((S.data * np.exp(1j * np.arange(S.nnz)), S.indices, S.indptr), shape=S.shape)
    ours = linalg.lsqr(csr_array(S), b, **settings, progress=lambda *n: told.append(n))
    theirs = linalg.lsqr(S, b, **settings)
    assert ours[1:3] == theirs[1:3]
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)
    for mine, their in zip(ours[3:9], theirs[3:9], strict=True):
        assert mine == pytest.approx(their, rel=1e-6, abs=1e-4)
    np.testing.assert_allclose(ours[9], theirs[9], rtol=1e-6)
    assert told[-1] == (ours[2], ours[4])


def test_least_squares_to_the_end():
    b = np.arange(40.0)
    x, stop, *_ = linalg.lsqr(csr_array(RECTANGLE), b, atol=1e-12, btol=1e-12, progress=lambda *n: None)
    assert stop == 2
    np.testing.assert_allclose(x, np.linalg.lstsq(RECTANGLE.toarray(), b)[0], rtol=1e-8)


@pytest.mark.parametrize("scales", [(2.0**-40, 1.0), (1.0, 2.0**-120), (2.0**-500, 2.0**400), (2.0**600, 2.0**900)])
@pytest.mark.parametrize("name", ["lsqr", "lsqr with progress", "lsmr"])
def test_problems_far_from_one(name, scales):
    """`lsqr` of SciPy returns zeros, and its `lsmr` says that the condition number is large."""
    A, b, x0, told, (a, r) = csr_array(RECTANGLE), np.arange(40.0), np.ones(25), [], scales
    settings = {"atol": 1e-12, "btol": 1e-12} | ({"calc_var": True} if name.startswith("lsqr") else {})
    settings |= {"progress": lambda *n: told.append(n)} if name.endswith("progress") else {}
    solve = getattr(linalg, name.split()[0])
    near = solve(A, b, damp=0.25, x0=x0, **settings)
    far = solve(A * a, b * r, damp=0.25 * a, x0=x0 * r / a, **settings)
    assert near[1:3] == far[1:3]
    np.testing.assert_allclose(far[0], near[0] * r / a, rtol=1e-12)
    if name == "lsmr":
        np.testing.assert_allclose(np.delete(far[3:], 3), np.delete(near[3:], 3) * [r, a * r, a, r / a], rtol=1e-12)
    else:
        np.testing.assert_allclose(far[3:9], near[3:9] * np.array([r, r, a, 1, a * r, r / a]), rtol=1e-12)
        np.testing.assert_allclose(far[9], near[9] / a / a, rtol=1e-12)
    if told:
        assert told[-1] == (far[2], far[4])


def test_least_squares_of_nothing():
    for b in (np.zeros(40), np.ones(40)):
        A = csr_array((40, 25)) if b.any() else csr_array(RECTANGLE)
        ours, theirs = linalg.lsqr(A, b, progress=print), linalg.lsqr(A, b)
        assert ours[1:3] == theirs[1:3]
        assert ours[0].tolist() == [0] * 25
    with pytest.raises(ValueError, match="incompatible"):
        linalg.lsqr(csr_array(RECTANGLE), np.ones(3), progress=print)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("largest", [np.nan, np.inf, 0.75])
def test_right_sides_stay(name, largest):
    """SciPy's `lsmr` writes into one that has a NaN; one whose largest element is near 1 needs no scaling, so is no copy."""
    b = np.full(40, 0.5)
    b[3] = largest
    given = b.copy()
    with np.errstate(invalid="ignore"):
        getattr(linalg, name)(csr_array(RECTANGLE), given)
    np.testing.assert_array_equal(given, b)
