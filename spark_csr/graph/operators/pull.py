"""Pull: every candidate searches the edges that enter it for one from the frontier, and stops at the first that is accepted.

Source: Beamer, Asanović & Patterson, *Direction-Optimizing Breadth-First Search*, SC 2012.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import by_width, index_dtype
from spark_csr._engine import njit, specialise
from spark_csr._engine.holes import call, scalar
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.operators.push import make_frontier
from spark_csr.graph.operators.visits import select_visits
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array
    from spark_csr.graph.frontier import Frontier

ALPHA, BETA = 15, 18
"""Beamer's rule: pull once the frontier has more edges than a 15th of the candidates' edges, and more than an 18th of all
vertices."""


def pull_pays(edges: int, size: int, candidate_edges: int, n: int) -> bool:
    """Return whether pulling pays for a frontier of so many edges and vertices."""
    return edges * ALPHA > candidate_edges and size * BETA > n


def pull(csr: Csr, data: Array, frontier: Any, candidates: Any, func: Any, state: tuple[Any, ...]) -> Frontier:
    """Return the frontier of the candidates that an accepted edge from the frontier leads to, ascending and each once.

    Each is reached by the first of its edges that is accepted.
    """
    back, items = csr.plan(reverse_edges), candidates._list()
    arrays = by_width(items), back.indptr, by_width(back.indices), by_width(back.data), frontier._as_bitmap(), data
    edges = select_visits(items.size, make_body(func, data.dtype), index_dtype(csr.indices.size), arrays, state, [])
    return make_frontier(csr, gather(csr.indices, edges), edges)


def _pull_tile(start, stop, candidates, starts, sources, ids, frontier, data, shift, counts, out, *state):
    """Search the edges that enter candidates `start` to `stop`."""
    place = start
    for k in range(start, stop):
        target = np.uint64(candidates[k])
        for p in range(np.uint64(starts[target]), np.uint64(starts[target + 1])):
            source = np.int64(sources[p])
            if frontier[source] != 0:
                edge = np.int64(ids[p])
                if call(source, np.int64(target), edge, scalar(data[edge]), *state):
                    out[place] = edge
                    place += 1
                    break
    counts[start >> np.uint64(shift)] = place - start


@functools.cache
def make_body(func: Any, dtype: np.dtype[Any]) -> Any:
    """Return the body of the kernel for weights of a dtype."""
    return njit(specialise(_pull_tile, call=func, scalar=dtype.type))
