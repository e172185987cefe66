"""What is said where there is no torch."""

import sys

import pytest

from spark_csr import csr_array


@pytest.fixture
def no_torch(monkeypatch):
    """As if it had never been installed."""
    for name in [name for name in sys.modules if name.startswith("spark_csr.interop.torch")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)


def test_the_import_says_how_to_install_it(no_torch):
    with pytest.raises(ImportError, match="pip install torch"):
        __import__("spark_csr.interop.torch")


def test_a_matrix_says_so_too(no_torch):
    with pytest.raises(ImportError, match="pip install torch"):
        csr_array([[1.0]]).to_torch()
