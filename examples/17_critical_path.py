"""
The critical path of a plan
===========================

Write an algorithm that the package does not have: when can each task of a plan begin, and which tasks must not be late?

A task waits for all tasks with an edge to it, and begins when the last of them ends. Each of them raises the time at which the
task begins (`atomic_max`) and lowers the number of tasks that it waits for (`atomic_add`). When this number becomes 0, the task
is put into the next frontier. Kahn's algorithm for a topological order works in the same way.

Run it with ``python examples/17_critical_path.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/path.svg"

from typing import Any

import numpy as np

from spark_csr import csr_array
from spark_csr.graph import Frontier, Graph, atomic_add, atomic_max, traverse


def finish(src, dst, edge, weight, hours, begins, waits_for):
    atomic_max(begins, dst, begins[src] + hours[src])
    return atomic_add(waits_for, dst, -1) == 1


def schedule(G, hours):
    begins, waits_for = np.zeros_like(hours), G.degrees("in")
    traverse(G, Frontier.of(G, np.flatnonzero(waits_for == 0)), finish, (hours, begins, waits_for))
    if waits_for.any():
        raise ValueError(f"task {waits_for.argmax()} waits for itself")
    return begins


def one_by_one(before, hours):
    """The same in plain Python, for tasks that wait for earlier ones only."""
    ends: list[int] = []
    for task, others in enumerate(before):
        ends.append(max((ends[other] for other in others), default=0) + hours[task])
    return np.array(ends) - hours


def main():
    rng, n = np.random.default_rng(0), 100_000
    hours = rng.integers(1, 9, n)
    before: list[Any] = [np.unique(rng.integers(max(0, task - 500), task, 4)) if task else [] for task in range(n)]
    edges = np.array([(other, task) for task, others in enumerate(before) for other in others])
    G = Graph(csr_array((np.ones(len(edges)), edges.T), shape=(n, n)))
    begins = schedule(G, hours)
    ends, back = begins + hours, G.transpose.matrix
    path = [ends.argmax()]
    while begins[path[-1]]:
        waited = back.indices[back.indptr[path[-1]] : back.indptr[path[-1] + 1]]
        path.append(waited[ends[waited].argmax()])
    print(f"{n} tasks of {hours.sum()} hours take at least {ends.max()} hours; the critical path has {len(path)} tasks")
    assert np.array_equal(begins, one_by_one(before, hours))
    print("agrees with plain Python")


# %%
# Run the program:

if __name__ == "__main__":
    main()
