"""Run a function on the elements that a mask selects, over the list of their positions."""

import functools

from spark_csr._array import SIMULATED, index_dtype, namespace_of, to_host_scalar
from spark_csr._holes import call, scalar
from spark_csr._meaning import current
from spark_csr._numba import njit
from spark_csr._specialise import specialise
from spark_csr.primitives._functions import refuse_closure, result_dtype
from spark_csr.primitives.compact import check_selection, count_selected_before, write_selected
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.scan import as_storable


def _find_selected(mask):
    """Return the positions of true bytes of a mask, in order. Two reads of the mask, one host read."""
    before = count_selected_before(mask)
    index = namespace_of(mask).empty(to_host_scalar(before[-1]), index_dtype(mask.size))
    write_selected(None, mask, before, index)
    return index


def _apply(k, x, index, out):
    out[k] = call(scalar(x[index[k]]))


@functools.cache
def _make_body(func, dtype):
    """Return the body of `out[k] = func(x[index[k]])` for `for_each`."""
    return njit(specialise(_apply, call=func, scalar=dtype.type))


def map_where(func, x, mask):
    """Run a function on the elements that a mask selects, and on no others.

    Parameters
    ----------
    func : function
        An `@njit` function of one scalar that returns a number; it must not close over variables.
    x : (n,) array
    mask : (n,) bool array

    Returns
    -------
    (m,) array
        `[func(v) for v in x[mask]]`, in the dtype that Numba infers for `func`, also where nothing is selected. float16
        arrives as float32.

    Raises
    ------
    ValueError
        If `mask` has another length.
    TypeError
        If `func` is not an `@njit` function, closes over variables, does not compile for the dtype or returns no number; if
        `mask` is not bool, or devices are mixed.

    Notes
    -----
    *Cost*: the positions of selected elements are written first (two reads of the mask), then one thread or turn for each of
    them: no thread idles beside a costly `func`. Six launches on a GPU, one host read. Scratch: one position for each selected
    element. *Order*: kept (stable). *Empty input*: empty.

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
    func = _check_function(func)
    x, mask = check_selection(x, mask)
    x = as_storable(x)
    dtype = result_dtype(func, (x.dtype,), f"one {x.dtype} scalar")
    index = _find_selected(mask)
    out = namespace_of(x).empty(index.size, dtype)
    for_each(index.size, _make_body(func, x.dtype), x, index, out)
    return out


def _check_function(func):
    """Return a function as it is now. It is compiled into a kernel that is kept, so it may not close over variables."""
    plain = getattr(func, "py_func", func)
    if not hasattr(plain, "__code__") or (plain is func and not SIMULATED):
        raise TypeError(f"func must be an @numba.njit function, got {func!r}: decorate it")
    refuse_closure(plain)
    return current(func)
