"""`drain`: small frontiers, one after the other, on one core."""

import functools

import numpy as np

from spark_csr._cpu.threads import compiled
from spark_csr._cpu.tuning import TUNING
from spark_csr._holes import call, weigh
from spark_csr._numba import njit
from spark_csr._numba.lean import counting_as
from spark_csr._shared.atomics import atomic_add, atomic_max, atomic_min
from spark_csr._specialise import rebind, specialise

IN_SEQUENCE = {function: njit(error_model="numpy")(function) for function in (atomic_add, atomic_max, atomic_min)}
"""The atomic functions where there is one caller: the locked instructions cost more than all else of a step."""


def small_frontier():
    """How many edges a frontier may have that `drain` takes."""
    return TUNING.drain_small


def _drain(indptr, indices, data, items, room, progress, rounds, state):
    """Two frontiers lie in `items`, one at 0, one at `room`: vertices of the one are read, those reached go into the other."""
    here, size, edges, done, seen = np.uint64(0), np.uint64(progress[1]), np.uint64(progress[2]), 0, np.uint64(progress[4])
    while size > np.uint64(0) and edges <= room and done < rounds:
        there, seen = room - here, seen + edges
        edges, last = np.uint64(0), there
        for k in range(here, here + size):
            source = np.uint64(items[k])
            for e in range(np.uint64(indptr[source]), np.uint64(indptr[source + np.uint64(1)])):
                target = np.uint64(indices[e])
                if call(np.int64(source), np.int64(target), np.int64(e), weigh(data, e, done), *state):
                    items[last] = target
                    last += np.uint64(1)
                    edges += np.uint64(indptr[target + np.uint64(1)]) - np.uint64(indptr[target])
        here, size = there, last - there
        done += 1
    progress[0], progress[1], progress[2], progress[3], progress[4] = here, size, edges, done, seen


@functools.cache
def _kernel(func, weigh):
    return compiled(specialise(_drain, call=_in_sequence(func), weigh=weigh), error_model="numpy")


def _in_sequence(func):
    """The function with atomic functions that need not be."""
    plain = func.py_func
    meanings = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
    serial = {name: IN_SEQUENCE[value] for name, value in meanings.items() if callable(value) and value in IN_SEQUENCE}
    return njit(error_model="numpy", **counting_as(func))(rebind(plain, **serial)) if serial else func


def drain(indptr, indices, data, func, weigh, state, items, progress, rounds):
    """Advance along edges for which `func` says yes, until no vertex is left, or their edges are too many, or `rounds` times.

    `weigh` finds in `data` what `func` is told of an edge. `items` holds two frontiers of `small_frontier()` vertices;
    `progress` says where the one begins, and of how many vertices and edges it is, then how many rounds it took, and how many
    edges it saw.
    """
    _kernel(func, weigh)(indptr, indices, data, items, np.uint64(TUNING.drain_small), progress, rounds, state)
