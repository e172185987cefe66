"""Check a user's function and its state, run it in kernels, and collect what it accepts.

Design: a tile of visits writes the items that it selects from the tile's own position on, and how many they are; then the
results of all tiles are moved together. Their order is that of the visits, whatever the number of tiles.
"""

from __future__ import annotations

import functools
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import from_dtype, types

from spark_csr._array import DTYPES, SIMULATED, by_width, is_array, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import LEAN
from spark_csr._operations.select.ranges import copy_range_values
from spark_csr.primitives import _functions
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.compact import count_selected_before, write_selected
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.foreach import for_each_tile

if TYPE_CHECKING:
    from spark_csr._types import Array

INT64 = np.dtype(np.int64)


def check_state(state: Any, like: Array) -> tuple[Any, ...]:
    """Return `state`, a tuple of numbers and of contiguous arrays of one axis on the device of `like`.

    Raise ValueError or TypeError for anything else.
    """
    if not isinstance(state, tuple):
        raise TypeError(f"state must be a tuple of arrays and numbers, as in (distance,), got {type(state).__name__}")
    for i, part in enumerate(state):
        if is_array(part):
            same_device(like, part)
            if part.ndim != 1 or not part.flags.c_contiguous:
                raise ValueError(f"state[{i}] must be a contiguous array of one axis, got shape {part.shape}")
            if part.dtype not in DTYPES or part.dtype == np.float16:
                raise TypeError(
                    f"state[{i}] has dtype {part.dtype}, in which kernels do not compute: "
                    f"convert it, as in x.astype(numpy.float32)"
                )
        elif not isinstance(part, numbers.Number) and not isinstance(part, np.generic):
            raise TypeError(f"state[{i}] must be an array or a number, got {type(part).__name__}")
    return state


def compile_test(func: Any, named: dict[str, np.dtype[Any]], state: tuple[Any, ...], *, tests: bool = True) -> Any:
    """Return `func` as an `@njit` function of arguments `named` with their dtypes, and of state.

    Raise TypeError unless it returns a bool; with `tests` False it may return anything.
    """
    func = _functions.freeze(func, lambda: _argument_names(named, state))
    return _compile(func, tuple(named.items()), tuple(map(_kind_of, state)), tests)


def _argument_names(named, state):
    """Return the names of the arguments that a function is given."""
    return (*named, *(f"state[{i}]" for i in range(len(state))))


@functools.lru_cache(256)
def _compile(func, named, kinds, tests):
    """Do the work of `compile_test`, once for each function: inferring types takes longer than a visit to a few edges."""
    taken = _argument_names(dict(named), kinds)
    if SIMULATED:  # only a call would show what the function returns, and the function may write
        return _functions.compile_function(func, taken)
    given = (*(from_dtype(dtype) for _, dtype in named), *map(_type_of, kinds))
    asked = f"take ({', '.join(taken)})" + " and return a bool" * tests
    func, returned = _compile_leanly(func, taken, given, asked)
    if tests and returned != types.boolean:
        raise TypeError(f"func must {asked}, got {returned}: return a comparison, as in x != 0")
    return func


def _compile_leanly(func, taken, given, asked):
    """Return the function and the type that it returns; see `_engine.numba.lean`.

    A function that allocates, which only cores can do, is compiled as usual.
    """
    try:
        lean = _functions.compile_function(func, taken, **LEAN)
        return lean, _functions.infer_type(lean, given, asked)
    except TypeError:
        counting = _functions.compile_function(func, taken)
        return counting, _functions.infer_type(counting, given, asked)


def _kind_of(part):
    """Return the dtype of an array or number, and whether it is an array that may be written into; None for a number."""
    return (part.dtype, getattr(part.flags, "writeable", True)) if is_array(part) else (np.asarray(part).dtype, None)


def infer_dtype(func: Any, named: dict[str, np.dtype[Any]], state: tuple[Any, ...], edges: Any) -> np.dtype[Any]:
    """Return the dtype of a compiled function's results for edges; raise TypeError if it is not a number.

    `edges` are arrays, of which the first elements are an edge to call the function for where it is not compiled.
    """
    if SIMULATED:
        if not edges[0].size:
            return named["weight"]
        first = (named[name].type(0 if x is None else x[0]) for name, x in zip(named, edges, strict=True))
        return np.asarray(func(*first, *state)).dtype
    given = (*map(from_dtype, named.values()), *(_type_of(_kind_of(part)) for part in state))
    asked = f"take ({', '.join(named)}, ...) and return a number"
    return _functions.dtype_of_type(_functions.infer_type(func, given, asked), asked)


def _type_of(kind):
    """Return the Numba type of such a part of the state."""
    dtype, writeable = kind
    return from_dtype(dtype) if writeable is None else types.Array(from_dtype(dtype), 1, "C", readonly=not writeable)


def select_visits(
    visits: int, body: Any, dtype: np.dtype[Any], arrays: tuple[Any, ...], state: tuple[Any, ...], scratch: Any
) -> Array:
    """Return the items that `body(start, stop, *arrays, shift, counts, out, *state)` selects in so many visits.

    It writes them to `out` from `start` on, and their number to `counts[start >> shift]`. Cost: four launches and one host
    read. `scratch` is a list that keeps the last `out`.
    """
    return join_tiles(*run_visits(visits, body, dtype, arrays, state, scratch), scratch)


def run_visits(
    visits: int, body: Any, dtype: np.dtype[Any], arrays: tuple[Any, ...], state: tuple[Any, ...], scratch: Any
) -> tuple[Array, Array, int]:
    """Run the visits of `select_visits`; return `out` and `counts`, and the number of visits for each count."""
    xp, tile = namespace_of(arrays[0]), backend_of(arrays[0]).visit_tile_size(visits)
    out = _borrow(scratch, visits, dtype) if visits > tile > 1 else None
    if out is None:
        out = allocate_array(xp, visits, dtype, f"{visits} visits")
    counts = xp.empty(-(-visits // tile), INT64 if tile > 1 else np.uint8)
    if visits:
        for_each_tile(visits, body, *arrays, tile.bit_length() - 1, counts, out, *state)
    return out, counts, tile


def join_tiles(out: Array, counts: Array, tile: int, scratch: Any) -> Array:
    """Return the items that the tiles selected, one tile behind the other."""
    if not counts.size:
        return out
    if tile == 1:
        before = count_selected_before(counts)
        return join_flagged(out, counts, before, to_host_scalar(before[-1]))
    if counts.size == 1:
        return out[: to_host_scalar(counts[0])]
    joined = _join_beginnings(out, counts, tile)
    scratch[:] = [out]
    return joined


def _borrow(scratch, size, dtype):
    """Return an unused array of those in `scratch`, or None.

    On the cores, allocating fresh memory takes as long as the visits. On a GPU, CuPy keeps memory for reuse.
    """
    try:
        out = scratch.pop()
    except IndexError:
        return None
    return out if out.size >= size and out.dtype == dtype else None


def join_flagged(out: Array, flags: Array, before: Array, count: int) -> Array:
    """Return the items that tiles of one visit selected, by their flags and the number of flags `before` each."""
    chosen = namespace_of(out).empty(count, out.dtype)
    write_selected(by_width(out), flags, before, by_width(chosen))
    return chosen


def _join_beginnings(out, counts, tile):
    """Return the items at the beginnings of tiles, one tile behind the other."""
    offsets = scan_trusted_counts(counts)
    total = to_host_scalar(offsets[-1])
    starts = namespace_of(out).arange(0, counts.size * tile, tile)
    return copy_range_values(starts, offsets, total, out)
