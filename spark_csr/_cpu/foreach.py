"""`for_each`: the body, once for every index, on all cores. `for_each_tile`: once for every tile of indices. `for_few`: for few
indices that are much work each.
"""

import functools

import numpy as np
from numba import typeof, types

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import can_raise, compile_kernel, cores_for, for_tiles, helper, is_own, note_if_raising, specialise
from spark_csr._engine.holes import Hole, body

visit_tile = Hole("visit_tile(tile, *args)", "Do the work of the kernel for one tile.")


@helper(inlined=False)
def _visit_block(tile, n, items, arrays):
    """Run the body for every index of a block. LLVM sees that no index is below 0, else it would not vectorise the loop."""
    start = max(np.int64(tile) * items, 0)
    for i in range(min(items, n - start)):
        body(start + i, *arrays)


@helper(inlined=False)
def _visit_tile(tile, n, items, arrays):
    """Run the body for a tile."""
    start = tile * np.uint64(items)
    body(start, min(start + np.uint64(items), np.uint64(n)), *arrays)


def _visit(cores, n, items, arrays):
    for_tiles(cores, (n + items - 1) // items, visit_tile, (n, items, arrays))


@functools.cache
def _kernel(visit_tile, function):
    """Return the kernel `_visit` for one body; `visit_tile` runs it for a tile."""
    return compile_kernel(specialise(_visit, visit_tile=visit_tile, body=function))


@functools.cache
def _can_raise(body, argument_types):
    """Return whether a body can raise for arguments of these types: its exception must come from this core."""
    body.compile(argument_types)
    note_if_raising(body, argument_types)
    return can_raise(body)


def for_each(n, body, *arrays):
    kernel = _kernel(_visit_block, body)
    alone = n <= TUNING.for_each_serial or (not is_own(body.py_func) and _can_raise(body, (types.int64, *map(typeof, arrays))))
    kernel(1 if alone else cores_for(kernel), n, TUNING.for_each_block, arrays)


def for_few(n, work, body, *arrays):
    kernel = _kernel(_visit_block, body)
    if n:
        kernel(1 if work <= TUNING.for_each_serial else min(n, cores_for(kernel)), n, 1, arrays)


def visit_tile_size(n):
    """Return how many of `n` indices a tile takes, a power of two: if one core visits them all, they are one tile."""
    return TUNING.for_each_tile if n > TUNING.for_each_serial else TUNING.for_each_serial


def for_each_tile(n, body, *arrays):
    kernel = _kernel(_visit_tile, body)
    kernel(1 if n <= TUNING.for_each_serial else cores_for(kernel), n, visit_tile_size(n), arrays)
