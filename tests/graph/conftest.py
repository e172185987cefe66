"""What tests of graphs share."""

import importlib

import numpy as np
import pytest

from spark_csr._dispatch import backend_of


@pytest.fixture(params=[0, 16], ids=["steps of all", "both"])
def small(request, monkeypatch, xp):
    """Up to how many edges a frontier is small."""
    backend = backend_of(xp.zeros(1, np.int32)).__name__
    monkeypatch.setattr(importlib.import_module(f"{backend}.drain"), "SMALL", request.param)
