"""Prefix scans: every element becomes the combination of all up to it.

Source: Blelloch, *Prefix Sums and Their Applications*, 1990; the kernels reduce tiles, scan the totals, then scan tiles.
"""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr.primitives import _check


def accumulator_dtype(monoid, dtype):
    """Return the dtype that NumPy accumulates `dtype` in: 64 bits for sums and products of integers and bools, else itself."""
    dtype = np.dtype(dtype)
    if monoid in (ops.MONOIDS["any"], ops.MONOIDS["all"]):
        return np.dtype(bool)
    if monoid in (ops.MONOIDS["sum"], ops.MONOIDS["prod"]) and dtype.kind in "biu":
        return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    return dtype


def as_storable(x):
    """Return `x` in a dtype that kernels compute in: float32 for float16, itself otherwise."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def run_scan(x, op, heads, initial, exclusive, reverse):
    """The scan and, in an array of one element, its total."""
    monoid = ops.monoid(op)
    dtype = accumulator_dtype(monoid, x.dtype)
    xp = namespace_of(x)
    x = as_operand(as_storable(x))
    computed = np.dtype(np.float32) if dtype == np.float16 else dtype
    out, total = xp.empty(x.size, computed), xp.empty(1, computed)
    if initial is not None:
        initial = _check.cast_scalar("initial", initial, computed)
    if x.size:
        ends, way = (ops.element, ops.store, (x, out)), {"heads": heads, "initial": initial}
        backend_of(x).scan(monoid, computed, x.size, *ends, total, **way, exclusive=exclusive, reverse=reverse)
    else:
        total[0] = monoid.identity_for(computed) if initial is None else initial
    return out.astype(dtype, copy=False), total.astype(dtype, copy=False)


def inclusive_scan(x, op="sum", *, reverse=False):
    """Combine every element with all before it.

    Parameters
    ----------
    x : (n,) array
    op : {"sum", "prod", "min", "max", "any", "all"} or Monoid
        Any associative operator.
    reverse : bool
        Combine with all after it instead.

    Returns
    -------
    (n,) array
        In the dtype NumPy accumulates in: integers and bools are summed and multiplied in 64 bits, "any" and "all" give
        bool, float16 is computed in float32.

    Raises
    ------
    TypeError
        For what is not an array, an unsupported dtype, or "min"/"max" of complex numbers.
    ValueError
        For other than one dimension, or an unknown operator.

    Notes
    -----
    *Cost*: two reads and one write of n elements; three launches on a GPU; no host read. Scratch: what tiles hand on, under
    1 % of `x`; float16 also takes a copy of `x` and of the result in float32. *Order*: fixed tiles, so the same bits every
    run; floats are combined in another order than a left-to-right loop. *Empty input*: empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import inclusive_scan
    >>> inclusive_scan(np.array([1, 2, 3, 4]))
    array([ 1,  3,  6, 10])
    """
    return run_scan(_check.one_dimensional("x", x), op, None, None, False, reverse)[0]


def exclusive_scan(x, op="sum", *, initial=None, reverse=False, return_total=False):
    """Combine all elements before each: `out[0]` is `initial`, `out[1]` is `initial` with `x[0]`, and so on.

    Parameters
    ----------
    x : (n,) array
    op : str or Monoid
        As in `inclusive_scan`.
    initial : scalar, optional
        Default: the operator's identity.
    reverse : bool
        Combine all elements after each instead.
    return_total : bool
        Also return the combination of `initial` and all elements.

    Returns
    -------
    out : (n,) array
        dtype as in `inclusive_scan`.
    total : () array
        If asked for; on the device of `x`, so that nothing waits.

    Raises
    ------
    TypeError, ValueError
        As `inclusive_scan`; TypeError for an `initial` that does not fit the dtype.

    Notes
    -----
    *Cost*, scratch and *Order* as `inclusive_scan`. *Empty input*: empty, and `initial` as the total.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import exclusive_scan
    >>> exclusive_scan(np.array([1, 0, 1, 2, 1, 0, 3, 0]))
    array([0, 1, 1, 2, 4, 5, 5, 8])
    """
    out, total = run_scan(_check.one_dimensional("x", x), op, None, initial, True, reverse)
    return (out, total.reshape(())) if return_total else out
