"""Random weights of edges.

Design: a weight is a function of the seed and of the id of the edge, so it is the same on every device. In an undirected graph
it is a function of the seed and the two vertices, so both directions of an edge have one weight and need not be matched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import by_width
from spark_csr._engine import njit
from spark_csr._operations.form.record import rows_of_entries
from spark_csr.graph.philox import random_unit, seed_of
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr


def check_weights(weights: Any, seed: int) -> tuple[int, int] | None:
    """Return the key of random numbers if weights are to be drawn, else None; raise ValueError for an unknown text."""
    if weights is None:
        return None
    if not isinstance(weights, str) or weights != "random":
        raise ValueError(f"weights must be 'random', or be left out, got {weights!r}")
    return seed_of(seed)


def draw_weights(csr: Csr, directed: bool, key: tuple[int, int]) -> Csr:
    """Return the record with weights that are drawn uniformly from (0, 1]."""
    weights = csr.xp.empty(csr.indices.size)
    columns = by_width(csr.indices)
    rows = columns if directed else by_width(csr.plan(rows_of_entries))
    for_each(weights.size, _draw, rows, columns, *key, int(directed), weights)
    return csr.with_data(weights)


@njit
def _draw(i, rows, columns, key_low, key_high, directed, weights):
    """Write the weight of an edge. The random number is below 1."""
    first, second = np.uint64(i), np.uint64(0)
    if not directed:
        u, v = np.uint64(rows[i]), np.uint64(columns[i])
        first, second = min(u, v), max(u, v)
    weights[i] = 1.0 - random_unit(key_low, key_high, first, second)
