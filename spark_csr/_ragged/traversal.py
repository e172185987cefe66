"""The coordinates of every value of a ragged array, and a function of value and coordinates.

Design: coordinates are found from the outermost level inwards: those of the lists of a level are repeated for what the lists
hold, and the rank in the list is one coordinate more. `map` stops a level earlier: its kernel finds the list of a value by
bisection, once for each tile, and goes on from there. Cost: it is compiled for every function, dtype and number of axes.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from spark_csr._array import as_operand, index_dtype, namespace_of
from spark_csr._engine import njit, specialise
from spark_csr._engine.holes import Hole, call
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase, refuse_vectors
from spark_csr._ragged.operands import align_operand, find_deepest, is_operand
from spark_csr._shared.bisection import segment_of
from spark_csr.primitives import _functions
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each_tile
from spark_csr.primitives.repeat import repeat_by_offsets
from spark_csr.primitives.scan import as_storable
from spark_csr.primitives.search import search_trusted

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, ArrayLike

locate_list = Hole(
    "locate_list(outer, lists, row) -> tuple of int64",
    "Return the coordinates of an innermost list of a ragged array by all axes but the last, from those of all lists.",
)

AXES = "ijklmnopqrstuvwxyz"
"""Names of the indices in messages."""


class Traversal(RaggedBase):
    """Coordinates, and a function of every value."""

    def coordinates(self) -> tuple[Array, ...]:
        """Return the position of every value: one index array for each axis.

        Returns
        -------
        tuple of (size,) arrays
            Value `k` is `R[i[k]][j[k]]...`. The dtype is int32, or int64 if there are 2**31 or more lists or values.

        Raises
        ------
        MemoryError
            If there is no room for the arrays.

        Notes
        -----
        *Cost*: each index is written once, and so are the indices of the lists of outer levels. On a GPU there are up to two
        launches for each of these arrays, and no host read once the array is packed. *Order*: that of the values. *Empty
        input*: empty arrays; lists without values, at any level, leave no trace. Source: load-balancing search (Baxter,
        *moderngpu*, 2013) for each level.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[[1, 2, 3], [4, 5]], [], [[6]]])
        >>> for axis in R.coordinates():
        ...     print(axis)
        [0 0 0 0 0 2]
        [0 0 0 1 1 0]
        [0 1 2 0 1 0]
        """
        return self._coordinates(self.ndim - 1)

    def _coordinates(self, levels):
        """Return the positions of everything that the lists of the first `levels` levels hold: `levels + 1` index arrays."""
        packed = self.packed()
        if not levels:
            return (namespace_of(packed.values).arange(len(packed), dtype=index_dtype(len(packed))),)
        sizes = [*(x.size - 1 for x in packed.offsets[1:]), packed.size]
        places = search_trusted(packed.offsets[0], sizes[0])
        for offsets, size in zip(packed.offsets[1:levels], sizes[1:levels], strict=True):
            places = *(repeat_by_offsets(x, offsets, size) for x in places), *search_trusted(offsets, size, "local_index")
        return places

    def map(self, func: Callable[..., Any], *others: RaggedBase | ArrayLike) -> Self:
        """Apply a function to every value and its position.

        Parameters
        ----------
        func : function
            `func(value)`, `func(value, i)` or `func(value, i, j)` returns a number; `i` and `j` are the int64 positions of the
            value along the axes. The values of `others` come after the first one: `func(value, other, i, j)`. The function gets
            as many arguments as it requires: parameters with defaults are not passed. It is a Python function or lambda,
            decorated with `@numba.njit` or not, and must not close over variables. The globals and functions that it mentions
            are used as they are when `map` is called.
        *others : Ragged, array_like or scalar
            Further arrays whose values `func` takes, as operands of an operator: an array of fewer axes is repeated.

        Returns
        -------
        Ragged
            An array with the lists of the array that has the most axes. Its values are the results of `func`, in the dtype that
            Numba infers for them.

        Raises
        ------
        TypeError
            If the function takes other arguments, closes over variables, does not compile (the message has Numba's reason), or
            does not return a number.
        ValueError
            If the lists of the arrays differ; the message names the first that does.
        MemoryError
            If there is no room for the result.

        Notes
        -----
        float16 values are passed as float32. Divisions by zero give what NumPy gives. A function that can raise runs on one
        core, and its exception reaches the caller; on a GPU exceptions are lost.

        *Cost*: one launch that reads the values and offsets once and writes the result once; arrays of more than two axes also
        take the coordinates of their innermost lists. The first call for a function, dtype and number of axes compiles.
        Compiled kernels are kept on disk, and found again by a function with the same code, constants and defaults. *Order*:
        none. *Empty input*: the same lists; `func` is compiled, which determines the dtype, and not called.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [2], [9, 9]])
        >>> R.map(lambda value, i, j: abs(i - j))
        Ragged([[0, 1, 2], [1], [2, 1]], dtype=int64)
        >>> R.map(lambda value, weight: 2 * value + weight, [10, 20, 30])
        Ragged([[22, 20, 20], [24], [48, 48]], dtype=int64)
        """
        deepest, arrays = _align_values((self, *others))
        packed, n, size = deepest.packed(), deepest.ndim, deepest.size
        names = "value", *(f"other{k}" if len(others) > 1 else "other" for k, _ in enumerate(others)), *AXES[:n]
        taken = _functions.find_required(func, names, len(arrays))
        func = _functions.compile_function(func, taken)
        dtypes = *(x.dtype for x in arrays), *[np.dtype(np.int64)] * n
        given = (f"{x.dtype} {name}" for x, name in zip(arrays, taken, strict=False))
        asked = f"({', '.join((*given, *taken[len(arrays) :]))})"
        dtype = _functions.result_dtype(func, dtypes[: len(taken)], asked)
        xp = namespace_of(packed.values)
        out = allocate_array(xp, size, dtype, f"{size} values")
        if size:
            offsets = packed.offsets[-1] if packed.offsets else xp.asarray([0, size])
            outer = xp.concatenate(deepest._coordinates(n - 2)) if n > 2 else offsets
            body = make_body(func, dtypes[: len(arrays)], n, len(taken) - len(arrays))
            for_each_tile(size, body, offsets, offsets.size - 1, outer, out, *arrays)
        return deepest._with(out)


def _align_values(operands):
    """Return the operand of most axes, and an array of as many values for each operand."""
    for x in operands:
        if not is_operand(x):
            raise TypeError(f"map takes ragged arrays, arrays and numbers behind the function, got {type(x).__name__}")
    deepest = find_deepest(operands)
    refuse_vectors(deepest, "map")
    aligned = [align_operand(x, deepest)[0] for x in operands]
    for at, x in enumerate(aligned):
        if not getattr(x, "ndim", 0):
            number = as_array(x, "an operand", deepest.device)
            aligned[at] = namespace_of(number).full(deepest.size, number, number.dtype)
    return deepest, [as_operand(as_storable(x)) for x in aligned]


def _map_tile(start, stop, offsets, lists, outer, out, *arrays):
    """Apply the function to values `start` to `stop`: search the list of the first value, then walk on from list to list.

    `outer` holds the coordinates of all lists along the first axis, then along the second, and so on.
    """
    row = np.uint64(segment_of(offsets, lists, np.int64(start)))
    position = start
    while position < stop:
        row_start, row_end = np.uint64(offsets[row]), min(np.uint64(offsets[row + 1]), stop)
        place = locate_list(outer, np.uint64(lists), row)
        for k in range(position, row_end):
            out[k] = call(arrays, k, place, np.int64(k - row_start))
        position = row_end
        row += 1


@functools.cache
def make_body(func, dtypes, ndim, indices):
    """Return the kernel's body for arrays of `ndim` axes and a function that takes a value of each, and some indices."""
    locate_list, call = (njit(forceinline=True)(x) for x in _make_calls(func, dtypes, ndim, indices))
    return njit(specialise(_map_tile, locate_list=locate_list, call=call))


def _make_calls(func, dtypes, ndim, indices):
    """Return two functions: `locate_list(outer, lists, row)`, which finds a list's coordinates, and
    `call(arrays, k, place, rank)`, which calls `func` for value `k` of all arrays."""
    columns = ["row"] if ndim == 2 else [f"outer[uint64({axis}) * lists + row]" for axis in range(ndim - 1)]
    place = "".join(f"int64({column}), " for column in columns)
    values = [f"scalar{at}(arrays[{at}][k])" for at in range(len(dtypes))]
    taken = ", ".join([*values, *[*(f"place[{axis}]" for axis in range(ndim - 1)), "rank"][:indices]])
    names = {"__name__": __name__, "int64": np.int64, "uint64": np.uint64}
    names.update((f"scalar{at}", dtype.type) for at, dtype in enumerate(dtypes))
    sources = f"lambda outer, lists, row: ({place})", f"lambda arrays, k, place, rank: call({taken})"
    return tuple(specialise(eval(source, names), call=func) for source in sources)
