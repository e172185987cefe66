"""The bridge to PyAMG."""

import sys

import numpy as np
import pytest
import scipy.sparse.linalg as sla

from spark_csr import csr_array
from spark_csr.gallery import poisson
from spark_csr.linalg import amg, cg

pytestmark = pytest.mark.usefixtures("cpu_only")

A = poisson((30, 30))


@pytest.mark.parametrize("method", ["smoothed_aggregation", "ruge_stuben"])
def test_fewer_iterations(method):
    pytest.importorskip("pyamg")
    M, told = amg(A, method), []
    for preconditioner in (None, M):
        steps = []
        assert cg(A, np.ones(900), M=preconditioner, rtol=1e-8, callback=steps.append)[1] == 0
        told.append(len(steps))
    assert told[1] < told[0] / 2
    assert sla.cg(A.to_scipy(), np.ones(900), M=sla.aslinearoperator(M))[1] == 0
    X = np.random.default_rng(0).standard_normal((900, 2))
    np.testing.assert_allclose((M @ X)[:, 1], M @ X[:, 1])
    assert "levels>" in repr(M)


def test_options_are_pyamgs():
    pytest.importorskip("pyamg")
    assert len(amg(A, max_levels=2).levels.levels) == 2


def test_the_matrix_stays_as_it_is():
    pytest.importorskip("pyamg")
    indices = A.indices.copy()
    amg(A)
    np.testing.assert_array_equal(A.indices, indices)


def test_refusals(monkeypatch):
    with pytest.raises(ValueError, match="expected square matrix"):
        amg(csr_array((2, 3)))
    with pytest.raises(ValueError, match="PyAMG has no method 'nonsense': use one of .*ruge_stuben"):
        amg(A, "nonsense")
    monkeypatch.setitem(sys.modules, "pyamg", None)
    with pytest.raises(ImportError, match="pip install pyamg"):
        amg(A)
