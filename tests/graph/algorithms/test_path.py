"""Paths: from a source to the target, along predecessors."""

import itertools

import numpy as np
import pytest

from loops import GRAPHS, edges_of, of_lists
from spark_csr.graph import bfs, path


def test_paths_of_a_search(xp, to_numpy):
    lists = GRAPHS["random"]
    distance, before = bfs(of_lists(xp, lists), 20)
    found, steps, edges = path(before, xp.arange(60)), to_numpy(distance), set(edges_of(lists))
    for v, vertices in enumerate(found.to_lists()):
        assert vertices[-1] == v
        assert len(vertices) == max(steps[v], 0) + 1
        assert vertices[0] == (20 if steps[v] >= 0 else v)
        assert set(itertools.pairwise(vertices)) <= edges
        assert to_numpy(path(before, v)).tolist() == vertices


def test_kinds_of_arguments():
    assert path([-1, 0, 1], 2).tolist() == [0, 1, 2]
    assert path(np.array([-1, 0, 1], np.int32), np.int64(1)).dtype == np.int32
    assert path([-1, 0, 1], []).to_lists() == []


def test_refused(xp):
    for wrong in ([1, 0, -1], [0, -1, -1], [7, -1, -1], [-2, -1, -1]):
        with pytest.raises(ValueError, match="predecessors of 0 must lead to a source"):
            path(xp.asarray(wrong), [1, 0] if wrong[1] < 0 else 0)
    with pytest.raises(ValueError, match=r"target\[0\] = 3"):
        path(xp.asarray([-1, 0, 1]), 3)
    with pytest.raises(TypeError):
        path(xp.asarray([0.5]), 0)
