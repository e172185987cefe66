"""`csgraph.connected_components` is SciPy's, whichever package computes."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph as theirs

import spark_csr
from spark_csr import csgraph

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.mark.parametrize("few", [0, 10_000])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("connection, directed", [("weak", True), ("weak", False), ("strong", True), ("strong", False)])
def test_components(monkeypatch, few, form, connection, directed):
    monkeypatch.setattr("spark_csr.csgraph.operands.FEW", few)
    S = sp.random_array((90, 90), density=0.012, rng=5).asformat(form)
    S.data[::3] = 0  # a stored zero is an edge
    A = getattr(spark_csr, f"{form}_array")(S)
    count, labels = theirs.connected_components(S, directed, connection)
    assert 1 < count < 85
    for graph in (A, S, getattr(sp, f"{form}_matrix")(S)):
        found = csgraph.connected_components(graph, directed, connection)
        assert (type(found[0]), found[0], found[1].dtype) == (int, count, labels.dtype)
        np.testing.assert_array_equal(found[1], labels)
        assert csgraph.connected_components(graph, directed, connection, return_labels=False) == count


def test_dense_graphs():
    dense = np.array([[0, np.inf, 0], [0, 0, 1.0], [0, 0, np.nan]])
    count, labels = csgraph.connected_components(dense)
    assert (count, labels.tolist()) == (2, [0, 1, 1])
    with pytest.raises(ValueError, match="shape"):
        csgraph.connected_components(spark_csr.csr_array((2, 3)))
    for directed in (True, False):
        with pytest.raises(ValueError, match="connection"):
            csgraph.connected_components(spark_csr.csr_array((3, 3)), directed, connection="none")
