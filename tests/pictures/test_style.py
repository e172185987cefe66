"""What all pictures share."""

import sys

import pytest

from spark_csr._pictures import style


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="pictures need matplotlib: pip install matplotlib"):
        style.make_figure(2, 2)


def test_a_figure_leaves_the_settings_of_the_user_alone():
    matplotlib = pytest.importorskip("matplotlib")
    before = matplotlib.rcParams["axes.grid"]
    _, axes = style.make_figure(3, 2)
    assert not axes.spines["top"].get_visible()
    assert matplotlib.rcParams["axes.grid"] == before
