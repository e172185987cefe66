"""Graphs from columns of names. The operands are the sources, the targets and the weights of edges."""

import functools
import importlib

import numpy as np
import scipy.sparse as sp

from peers import peer
from spark_csr.graph import Graph


@functools.cache
def integers(edges):
    """Columns of integers far apart, as identifiers are: about eight edges for each."""
    rng = np.random.default_rng(0)
    names = np.unique(rng.integers(0, 2**40, max(edges // 8, 2)))
    return *(names[rng.integers(0, names.size, edges)] for _ in range(2)), rng.random(edges)


@functools.cache
def strings(edges):
    """The same as Python's strings, in arrays of objects: every row has objects of its own, as readers of files make them."""
    source, target, weight = integers(edges)
    return *(np.array([f"user{x}" for x in column.tolist()], object) for column in (source, target)), weight


@functools.cache
def arrow(edges):
    """The same strings as columns of Arrow."""
    array = importlib.import_module("pyarrow").array
    source, target, weight = strings(edges)
    return array(source), array(target), weight


COLUMNS = {"integers": integers, "strings": strings, "strings of Arrow": arrow}


@peer("from edges", "ours")
def from_edges_ours(source, target, weight):
    return lambda: Graph.from_edges(source, target, weight, combine="sum").matrix


@peer("from edges", "pandas")
def from_edges_pandas(source, target, weight):
    """Its factorize, and SciPy's conversion of coordinates, which adds up parallel edges."""
    pandas = importlib.import_module("pandas")
    given = [x.to_pandas() if hasattr(x, "to_pandas") else x for x in (source, target)]

    def call():
        columns = [pandas.Series(x) for x in given]  # what is no column yet becomes one here: ours is given the same
        numbers, names = pandas.factorize(pandas.concat(columns, ignore_index=True), sort=True)
        u, v = numbers[: len(source)], numbers[len(source) :]
        return sp.coo_array((weight, (u, v)), shape=(len(names),) * 2).tocsr()

    return call
