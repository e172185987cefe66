"""Checks of the graphs and weights that algorithms are given. Messages name the first offending edge."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._config import config
from spark_csr._operations.form.record import rows_of_entries
from spark_csr.primitives._check import count_of, find_first_true
from spark_csr.primitives.scan import as_storable

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph


def limit_of(name: str, value: Any) -> int:
    """Return a number of steps, of 0 or above, as one that fits 64 bits; None stands for no limit."""
    return sys.maxsize if value is None else min(count_of(name, value), sys.maxsize)


def number_of(name: str, value: Any) -> float:
    """Return a finite number as a float; raise TypeError or ValueError that names it for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
    return number


def check_undirected(G: Graph, name: str) -> None:
    """Raise ValueError if a graph is directed."""
    if G.directed:
        raise ValueError(f"{name} needs an undirected graph: use G.symmetrize(), with combine= if weights differ")


def check_real(weights: Array, hint: str = "use abs(A)") -> None:
    """Raise TypeError if weights are complex."""
    if weights.dtype.kind == "c":
        raise TypeError(f"weights must be real, got dtype {weights.dtype}: {hint}")


def check_weights(csr: Csr, wrong: Array, must: str, hint: str) -> None:
    """Raise ValueError with the first weight whose flag in `wrong` is set; there is one flag for each edge."""
    at = find_first_true(wrong)
    if at is not None:
        u, v, weight = (to_host_scalar(x[at]) for x in (csr.plan(rows_of_entries), csr.indices, csr.data))
        raise ValueError(f"weights must {must}, got {weight} for {u} -> {v}: {hint}")


def check_shares(csr: Csr, hint: str = "use abs(A)") -> None:
    """Raise ValueError unless weights, which are compared with each other, are finite and not negative.

    They are checked only if `config.validate`.
    """
    if config.validate:
        check_weights(csr, ~((csr.data >= 0) & (csr.data < np.inf)), "be finite and not negative", hint)


def as_lengths(csr: Csr) -> Array:
    """Return weights as kernels take them; raise TypeError if they are complex."""
    data = as_storable(csr.data)
    check_real(data)
    return data


def check_lengths(csr: Csr) -> None:
    """Raise ValueError if a weight is negative or NaN."""
    if csr.data.dtype.kind in "if":
        check_weights(csr, ~(csr.data >= 0), "be at least 0, as lengths", "bellman_ford takes negative ones")
