"""Weights that are drawn at random."""

import numpy as np
import pytest

from loops import of_lists, random_lists
from spark_csr.graph import Graph


@pytest.mark.parametrize("directed", [True, False])
def test_weights_are_those_of_the_seed(xp, to_numpy, directed):
    G = of_lists(xp, random_lists(60, 6))
    A = G.matrix if directed else G.symmetrize("sum").matrix
    weights = to_numpy(Graph(A, directed=directed, weights="random", seed=7).matrix.data)
    assert weights.dtype == np.float64
    assert ((weights > 0) & (weights <= 1)).all()
    assert 0.4 < weights.mean() < 0.6
    assert np.array_equal(weights, to_numpy(Graph(A, directed=directed, weights="random", seed=7).matrix.data))
    assert not np.array_equal(weights, to_numpy(Graph(A, directed=directed, weights="random").matrix.data))
    dense = to_numpy(Graph(A, directed=directed, weights="random", seed=7).matrix.toarray())
    assert directed or (dense == dense.T).all()
    assert len(set(weights.tolist())) == (len(weights) if directed else np.count_nonzero(np.triu(dense)))


def test_all_that_takes_weights_draws_the_same(cpu_only, tmp_path):
    path = tmp_path / "a.txt"
    for directed in (True, False):
        path.write_text("0 1 5\n1 0 7\n1 2 1\n")
        expected = Graph.from_edges([0, 1, 1], [1, 0, 2], "random", directed=directed, n_vertices=3, seed=4)
        G = Graph.read(path, directed=directed, weights="random", seed=4)
        assert G.matrix.data.tolist() == expected.matrix.data.tolist()
        assert (
            Graph(expected.matrix, directed=directed, weights="random", seed=4).matrix.data.tolist() == G.matrix.data.tolist()
        )
        path.write_text("source,target,weight\n0,1,5\n1,0,7\n1,2,1\n")
        assert Graph.read(path, directed=directed, weights="random", seed=4).matrix.data.tolist() == G.matrix.data.tolist()


def test_weights_of_the_matrix_do_not_count(cpu_only):
    G = Graph([[0, 5], [7, 0]], directed=False, weights="random")
    assert G.matrix.data[0] == G.matrix.data[1]
    assert Graph(np.zeros((0, 0)), weights="random").n_edges == 0


def test_refused(cpu_only):
    for call in (lambda **o: Graph([[0]], **o), lambda **o: Graph.read("a.csv", **o)):
        with pytest.raises(ValueError, match="weights must be 'random', or be left out, got 'ones'"):
            call(weights="ones")
        with pytest.raises(ValueError, match=r"seed must lie in \[0, 2\*\*64\), got -1"):
            call(weights="random", seed=-1)
    with pytest.raises(ValueError, match="got 'ones'"):
        Graph.from_edges([0], [1], "ones")
