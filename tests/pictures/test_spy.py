"""Pictures of patterns."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import coo_array, csc_array, csr_array, spy
from spark_csr._array import SIMULATED

figure = pytest.importorskip("matplotlib.figure")
pytestmark = pytest.mark.skipif(SIMULATED, reason="the grid has tests of its own")

S = sp.random_array((40, 30), density=0.1, rng=np.random.default_rng(0), format="csr")


@pytest.fixture
def axes():
    return figure.Figure().subplots()


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array, sp.csr_array, sp.dok_array, sp.csr_array.toarray])
def test_every_position_of_a_small_matrix(axes, form):
    image = spy(form(S), axes)
    np.testing.assert_array_equal(image.get_array().filled(0), S.toarray() != 0)
    assert image in axes.images
    assert axes.get_xlim() == (-0.5, 29.5)
    assert axes.get_ylim() == (39.5, -0.5)


def test_a_large_matrix_is_drawn_in_cells(axes):
    A = csr_array(sp.eye_array(1000, format="csr"))
    image = spy(A, axes, resolution=64)
    share = image.get_array()
    assert share.shape == (63, 63)  # cells of 16
    assert share.count() == 63
    assert share[0, 0] == 1 / 16
    assert share[62, 62] == 1 / 8  # 8 rows and columns are left


def test_shares_are_transposed(axes):
    share = spy(csr_array(S).T, axes, resolution=10).get_array()
    other = spy(csr_array(S), figure.Figure().subplots(), resolution=10).get_array()
    np.testing.assert_array_equal(share.filled(0), other.filled(0).T)


def test_vectors_and_nothing_stored(axes):
    assert spy(coo_array(np.array([0, 1, 0, 1])), axes).get_array().filled(0).tolist() == [[0, 1, 0, 1]]
    assert spy(csr_array((3, 4)), axes).get_array().count() == 0


def test_options_are_matplotlibs(axes):
    image = spy(csr_array(S), axes, cmap="Reds", vmin=0, vmax=2)
    assert image.get_cmap().name == "Reds"
    assert image.get_clim() == (0, 2)


def test_the_current_axes():
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    try:
        assert spy(csr_array(S)) in pyplot.gca().images
    finally:
        pyplot.close("all")


def test_refusals(axes):
    with pytest.raises(ValueError, match="resolution must be at least 1, got 0"):
        spy(csr_array(S), axes, resolution=0)
    with pytest.raises(ValueError, match=r"a matrix of shape \(0, 3\) has nothing to draw"):
        spy(csr_array((0, 3)), axes)
