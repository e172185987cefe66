"""Apply a function to the elements that a mask selects."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from spark_csr._array import SIMULATED, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import current, inline
from spark_csr._engine.holes import call, scalar
from spark_csr.primitives._functions import refuse_closure, result_dtype
from spark_csr.primitives.compact import check_selection, compact, count_selected_before
from spark_csr.primitives.scan import as_storable

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, ArrayLike


def _store(operands, place, position):
    operands[0][place] = call(scalar(operands[1][position]))


@functools.cache
def _make_store(func, dtype):
    return inline(_store, call=func, scalar=dtype.type)


def map_where(func: Callable[[Any], Any], x: ArrayLike, mask: ArrayLike) -> Array:
    """Apply a function to the elements at which a mask is true, and to no others.

    Parameters
    ----------
    func : function
        An `@numba.njit` function of one scalar that returns a number. It must not close over variables.
    x : (n, ...) array
        The elements, of any supported dtype; of vectors, `func` takes each number. Elements of float16 are passed as float32.
    mask : (n,) bool array
        True for elements to select.

    Returns
    -------
    (m, ...) array
        `[func(v) for v in x[mask]]`, in the dtype that Numba infers for `func`, even if no element is selected.

    Raises
    ------
    ValueError
        If `mask` has another length than `x`.
    TypeError
        If `func` is not an `@numba.njit` function, closes over variables, does not compile for the dtype or does not return a
        number; if `mask` is not bool, or devices are mixed.

    Notes
    -----
    *Cost*: The function reads the mask twice and the selected elements once, and writes each result once. A tile lists what it
    selects before it calls `func`, so no thread waits for another that runs a costly `func`. On a GPU there are three launches
    and one host read. Scratch memory is one number for each tile. *Order*: The order is kept (the selection is stable). *Empty
    input*: The result is empty.

    Examples
    --------
    >>> import numpy as np, numba
    >>> from spark_csr.primitives import map_where
    >>> @numba.njit
    ... def half(v):
    ...     return v / 2
    >>> map_where(half, np.arange(6), np.arange(6) % 2 == 1)
    array([0.5, 1.5, 2.5])
    """
    if getattr(x, "ndim", 1) > 1:
        rows = compact(x, mask)
        return map_where(func, rows.reshape(-1), namespace_of(rows).ones(rows.size, bool)).reshape(rows.shape)
    func = _check_function(func)
    x, mask = check_selection(x, mask)
    x = as_storable(x)
    dtype = result_dtype(func, (x.dtype,), f"one {x.dtype} scalar")
    before = count_selected_before(mask)
    out = namespace_of(x).empty(to_host_scalar(before[-1]), dtype)
    if out.size:
        backend_of(x).visit_selected(_make_store(func, x.dtype), (out, x), mask, before)
    return out


def _check_function(func):
    """Return a function as it is now; raise TypeError if it is not an `@njit` function or closes over variables."""
    plain = getattr(func, "py_func", func)
    if not hasattr(plain, "__code__") or (plain is func and not SIMULATED):
        raise TypeError(f"func must be an @numba.njit function, got {func!r}: decorate it")
    refuse_closure(plain)
    return current(func)
