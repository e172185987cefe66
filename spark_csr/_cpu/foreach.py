"""`for_each`: the body, once for every index, on all cores. `for_each_tile`: once for every tile of indices."""

import functools

import numpy as np
from numba import prange, typeof, types

from spark_csr._cpu.threads import compiled_both_ways, run_parallel
from spark_csr._meaning import can_raise, is_own, note_if_raising
from spark_csr._specialise import specialise

SERIAL = 4096  # below this many indices a parallel region costs more than the loop; not tuned further


TILE = 2048
"""Indices of a tile: so many that what a body looks up once for each does not count. Not tuned."""


def _loop(n, arrays):
    for i in prange(n):
        body(np.int64(i), *arrays)


@functools.cache
def _kernels(function):
    return compiled_both_ways(specialise(_loop, body=function))


def _tiles(n, items, arrays):
    for t in prange((n + items - 1) // items):
        start = np.uint64(t) * np.uint64(items)
        body(start, min(start + np.uint64(items), np.uint64(n)), *arrays)


@functools.cache
def _tile_kernels(function):
    return compiled_both_ways(specialise(_tiles, body=function))


@functools.cache
def _raises(body, argument_types):
    """Whether a body can raise for arguments of these types: its exception must come from this core."""
    body.compile(argument_types)
    note_if_raising(body, argument_types)
    return can_raise(body)


def for_each(n, body, *arrays):
    serial, parallel = _kernels(body)
    if n <= SERIAL or (not is_own(body.py_func) and _raises(body, (types.int64, *map(typeof, arrays)))):
        serial(n, arrays)
    else:
        run_parallel(parallel, n, arrays)


def visited_items(n):
    """How many of `n` indices a tile takes, a power of two: as many as one core visits are one tile."""
    return TILE if n > SERIAL else SERIAL


def for_each_tile(n, body, *arrays):
    serial, parallel = _tile_kernels(body)
    if n <= SERIAL:
        serial(n, visited_items(n), arrays)
    else:
        run_parallel(parallel, n, visited_items(n), arrays)
