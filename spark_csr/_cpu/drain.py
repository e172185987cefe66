"""`drain`: small frontiers, one after the other, on one core."""

import functools

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, counting_options_of, njit, rebind, specialise
from spark_csr._engine.holes import call, read_weight
from spark_csr._shared.atomics import atomic_add, atomic_max, atomic_min

IN_SEQUENCE = {function: njit(error_model="numpy")(function) for function in (atomic_add, atomic_max, atomic_min)}
"""The atomic functions where there is one caller: the locked instructions cost more than all else of a step."""


def small_frontier():
    """Return how many edges a frontier may have that `drain` takes."""
    return TUNING.drain_small


def _drain(indptr, indices, data, items, room, progress, rounds, state):
    """Advance from frontier to frontier. `items` holds two of them, at 0 and at `room`: the vertices of one are read, those
    reached are written to the other.
    """
    here, size, edges, done, seen = np.uint64(0), np.uint64(progress[1]), np.uint64(progress[2]), 0, np.uint64(progress[4])
    while size > 0 and edges <= room and done < rounds:
        there, seen = room - here, seen + edges
        edges, last = np.uint64(0), there
        for k in range(here, here + size):
            source = np.uint64(items[k])
            for e in range(np.uint64(indptr[source]), np.uint64(indptr[source + 1])):
                target = np.uint64(indices[e])
                if call(np.int64(source), np.int64(target), np.int64(e), read_weight(data, e, done), *state):
                    items[last] = target
                    last += 1
                    edges += np.uint64(indptr[target + 1]) - np.uint64(indptr[target])
        here, size = there, last - there
        done += 1
    progress[0], progress[1], progress[2], progress[3], progress[4] = here, size, edges, done, seen


@functools.cache
def _kernel(func, read_weight):
    return compile_kernel(specialise(_drain, call=_make_sequential(func), read_weight=read_weight), error_model="numpy")


def _make_sequential(func):
    """Return the function with plain operations in place of atomic ones, which one core does not need."""
    plain = func.py_func
    meanings = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
    serial = {name: IN_SEQUENCE[value] for name, value in meanings.items() if callable(value) and value in IN_SEQUENCE}
    return njit(error_model="numpy", **counting_options_of(func))(rebind(plain, **serial)) if serial else func


def drain(indptr, indices, data, func, read_weight, state, items, progress, rounds):
    """Advance along edges for which `func` returns True, until no vertex is left, or their edges are too many, or `rounds`
    times.

    `read_weight` returns the argument `weight` of `func`. `items` holds two frontiers of `small_frontier()` vertices.
    `progress` holds the start of the current one, its numbers of vertices and edges, then the numbers of rounds and of edges.
    """
    _kernel(func, read_weight)(indptr, indices, data, items, np.uint64(TUNING.drain_small), progress, rounds, state)
