"""Call a function for every item of segments, or for the items that pass a test.

Design: what `load_balance_search` and `compact` find is given to the function where it is found, so no array of segments, of
ranks or of positions is made. Sources: Baxter, *moderngpu* 2.0 (`transform_lbs`, `transform_compact`), 2016; mini-gunrock, the
small version of Wang et al., *Gunrock*, PPoPP 2016, whose operators are made of these two.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import index_dtype, is_array, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import inline
from spark_csr._engine.holes import call
from spark_csr._shared.bisection import segment_of
from spark_csr.primitives import _check
from spark_csr.primitives._calls import INT64, check_state, compile_test, infer_dtype
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.compact import count_before, write_selected
from spark_csr.primitives.search import merge_path_tiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, ArrayLike, Number

OF_ITEM: dict[str, np.dtype[Any]] = {"index": INT64, "segment": INT64, "rank": INT64}
OF_SELECTED: dict[str, np.dtype[Any]] = {"destination": INT64, "source": INT64}


def transform_segments(offsets: ArrayLike, func: Callable[..., Any], *arrays: ArrayLike | Number) -> Array:
    """Call a function for every item of every segment, and return the results in order.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero.
    func : callable
        `func(index, segment, rank, *arrays)` returns a number. `index` is the position of an item, `segment` the segment that
        holds it, and `rank` its rank there, all three int64: `index == offsets[segment] + rank`. `func` is a Python function or
        lambda, decorated with `@numba.njit` or not. It is compiled into a kernel and must not close over variables; the globals
        and functions that it mentions are used as they are when `transform_segments` is called. It is called once for every
        item, at the same time and in any order. So it must write nothing, or only array elements that no other call reads or
        writes, or write by `atomic_add`, `atomic_min` and `atomic_max` of `spark_csr.graph`.
    *arrays : (k,) arrays and numbers
        Further arguments of `func`: contiguous arrays of one axis, on the device of `offsets`, and numbers. Arrays are given
        whole, so `func` reads the elements that it needs. On a GPU, the elements of a bool array are passed as 0 and 1: write
        `not x`, not `~x`.

    Returns
    -------
    (offsets[-1] - offsets[0],) array
        The results, in the dtype that Numba infers for `func`.

    Raises
    ------
    ValueError
        If `offsets` decreases, starts below zero, reaches 2**63 or is empty, or if an array has several axes or is not
        contiguous.
    TypeError
        If `offsets` is not an integer array, if arrays are on different devices or in a dtype that kernels do not compute in
        (float16), or if `func` takes other arguments, closes over variables, does not compile (the message gives Numba's
        reason) or does not return a number.
    MemoryError
        If there is not enough memory for the result. The message gives its size.

    Notes
    -----
    *Cost*: The function reads the offsets and writes each result once; the reads of `func` are added. The work is divided by
    items and segment ends, so neither a long segment nor many empty ones keep one core or block busy. On a GPU it makes two
    launches, one launch that checks and one host read. Scratch memory holds the cuts between tiles. The first call for a
    function and the dtypes of its arguments compiles a kernel, which is kept on disk. *Order*: The results are in the order of
    the items, and the same in every run. A function that can raise runs on one core, and its exception reaches the caller; on
    a GPU exceptions are lost. *Empty input*: Segments without items cause no call; without items the result is empty. Source:
    load-balancing search (Baxter, *moderngpu*, 2013).

    Examples
    --------
    The products of the entries of a matrix with `x`, and the value of every entry over the number of entries in its row:

    >>> import numpy as np
    >>> from spark_csr.primitives import transform_segments
    >>> indptr, indices, data = np.array([0, 2, 2, 3]), np.array([0, 2, 1]), np.array([1.0, 2.0, 3.0])
    >>> def product(index, segment, rank, indices, data, x):
    ...     return data[index] * x[indices[index]]
    >>> transform_segments(indptr, product, indices, data, np.array([10.0, 20.0, 30.0]))
    array([10., 60., 60.])
    >>> transform_segments(indptr, lambda i, row, rank, indptr, data: data[i] / (indptr[row + 1] - indptr[row]), indptr, data)
    array([0.5, 1. , 3. ])
    """
    offsets, start, stop = _check.offsets("offsets", offsets)
    check_state(arrays, offsets, "arrays")
    func = compile_test(func, OF_ITEM, arrays, tests=False, name="arrays")
    dtype = infer_dtype(
        func, OF_ITEM, arrays, lambda: stop > start and (start, segment_of(offsets, offsets.size - 1, start), 0)
    )
    total = stop - start
    out = allocate_array(namespace_of(offsets), total, dtype, f"{total} results")
    if total:
        tiles, operands = merge_path_tiles(offsets, total), (out, start, *arrays)
        backend_of(offsets).visit_items(_make_visit(func), tiles, offsets, operands, calls_user=True)
    return out


def _visit(operands, item, row, rank):
    operands[0][item] = call(operands[1] + np.int64(item), np.int64(row), np.int64(rank), *operands[2:])


@functools.cache
def _make_visit(func):
    return inline(_visit, call=func)


def transform_compact(n: int, pred: Callable[..., Any], func: Callable[..., Any] | None, *arrays: ArrayLike | Number) -> Array:
    """Call a function for the items that another function accepts, and return the results one behind the other, in order.

    Parameters
    ----------
    n : int
        The number of items: they are numbered 0 to n - 1.
    pred : callable
        `pred(index, *arrays) -> bool` returns True for the items to select. `index` is int64. The rules for the function are
        those of `func` in `transform_segments`; it is called once for every item.
    func : callable or None
        `func(destination, source, *arrays)` returns a number. `source` is the index of a selected item, and `destination` is
        the position of its result, both int64. It is called once for every selected item, after all calls of `pred`, under the
        same rules. If it is None, the result is the indices of the selected items.
    *arrays : (k,) arrays and numbers
        Further arguments of both functions, as in `transform_segments`: at least one array, which determines the device.

    Returns
    -------
    (m,) array
        The result of every selected item, in the dtype that Numba infers for `func`, even if no item is selected. If `func` is
        None, the indices are int32, or int64 for n >= 2**31.

    Raises
    ------
    ValueError
        If `n` is negative, no array is given, or an array has several axes or is not contiguous.
    TypeError
        If `n` is not an integer, if arrays are on different devices or in a dtype that kernels do not compute in (float16), if
        a function takes other arguments, closes over variables or does not compile (the message gives Numba's reason), if
        `pred` does not return a bool, or if `func` does not return a number.
    MemoryError
        If there is not enough memory for the result. The message gives its size.

    Notes
    -----
    *Cost*: There are two passes. The first calls `pred`, writes one byte for every item, and counts what each tile selects; the
    counts are scanned, and then it is known how long the result is. The second reads these bytes, calls `func` for the items
    selected, and writes each result once. On a GPU there are three launches and one host read. Scratch memory is the bytes and
    one number for each tile. The first call for a function and the dtypes of its arguments compiles a kernel, which is kept on
    disk. *Order*: The order is that of the items (the selection is stable), and the same in every run. Functions that can raise
    are as in `transform_segments`. *Empty input*: The result is empty. Sources: Billeter, Olsson & Assarsson, *Efficient Stream
    Compaction on Wide SIMD Many-Core Architectures*, 2009; Baxter, *moderngpu* 2.0, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import transform_compact
    >>> x = np.array([4, -1, 9, -1, 16])
    >>> def exists(index, x):
    ...     return x[index] >= 0
    >>> transform_compact(5, exists, lambda destination, source, x: x[source] ** 0.5, x)
    array([2., 3., 4.])
    >>> transform_compact(5, exists, None, x)
    array([0, 2, 4], dtype=int32)
    """
    n = _check.count_of("n", n)
    owner = next(filter(is_array, arrays), None)
    if owner is None:
        raise ValueError("transform_compact needs at least one array, which determines the device to run on: pass one")
    check_state(arrays, owner, "arrays")
    pred = compile_test(pred, {"index": INT64}, arrays, name="arrays")
    if func is not None:
        func = compile_test(func, OF_SELECTED, arrays, tests=False, name="arrays")
    xp = namespace_of(owner)
    flags = allocate_array(xp, n, np.dtype(np.uint8), f"flags of {n} items")
    before = count_before(_make_test(pred), (flags, *arrays), n, owner, calls_user=True)
    count = to_host_scalar(before[-1])
    if func is None:
        out = allocate_array(xp, count, index_dtype(n), f"{count} indices")
        write_selected(None, flags, before, out)
        return out
    dtype = infer_dtype(func, OF_SELECTED, arrays, lambda: count and (0, flags.argmax()))
    out = allocate_array(xp, count, dtype, f"{count} results")
    if count:
        backend_of(owner).visit_selected(_make_store(func), (out, *arrays), flags, before)
    return out


def _test(operands, position):
    """Call the test, and note what it returns for the second pass."""
    accepts = call(np.int64(position), *operands[1:])
    operands[0][position] = accepts
    return accepts


def _store(operands, place, position):
    operands[0][place] = call(np.int64(place), np.int64(position), *operands[1:])


@functools.cache
def _make_test(pred):
    return inline(_test, call=pred)


@functools.cache
def _make_store(func):
    return inline(_store, call=func)
