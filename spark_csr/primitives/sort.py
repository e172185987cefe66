"""Sorting: one contract, and a choice of algorithms under it.

Design: every algorithm sorts unsigned codes that compare like the keys (`sort_keys`), and moves along what it is given
with them; so a kernel knows two or four widths instead of eleven dtypes, NaN and directions. Cost: one pass to make the
codes, one to turn them back.
"""

import operator

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort_keys import decode, encode

ALGORITHMS = ("auto", "radix", "merge", "bitonic", "odd_even")


@njit
def _take(i, source, order, out):
    out[i] = source[np.uint64(order[i])]


def gather(source, order):
    """`source[order]`, on all cores."""
    out = namespace_of(source).empty(order.size, source.dtype)
    for_each(order.size, _take, by_width(as_operand(source)), order, by_width(out))
    return out


def check_sortable(name, x):
    """Return `x` as a contiguous array, if its dtype has an order."""
    _check.one_dimensional(name, x)
    if x.dtype.kind == "c":
        raise TypeError(f"{name} has dtype {x.dtype}, and complex numbers have no order: sort by {name}.real or abs({name})")
    return as_operand(x)


def check_bits(x, begin_bit, end_bit):
    """Return the range of bits to compare; raise ValueError for one that the keys do not have."""
    width = 8 * x.dtype.itemsize
    begin_bit, end_bit = operator.index(begin_bit), width if end_bit is None else operator.index(end_bit)
    if not 0 <= begin_bit <= end_bit <= width:
        raise ValueError(f"bits must satisfy 0 <= begin_bit <= end_bit <= {width}, got {begin_bit} and {end_bit}")
    return begin_bit, end_bit


def _digits(x, algorithm, begin_bit, end_bit):
    """The range of bits to compare, and whether that is all of them."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {algorithm!r}: use one of {', '.join(ALGORITHMS)}")
    width = 8 * x.dtype.itemsize
    if algorithm not in ("auto", "radix") and (begin_bit, end_bit) not in ((0, None), (0, width)):
        raise ValueError(f"begin_bit and end_bit need algorithm='radix', got {algorithm!r}")
    begin_bit, end_bit = check_bits(x, begin_bit, end_bit)
    return begin_bit, end_bit, (begin_bit, end_bit) == (0, width)


def _run(codes, payload, algorithm, begin_bit, end_bit):
    if codes.size < 2:
        return
    if algorithm in ("auto", "radix"):
        backend_of(codes).radix_sort(codes, payload, begin_bit, end_bit)
    else:
        getattr(backend_of(codes), f"{algorithm}_sort")(codes, payload)


def _sort(x, payload, algorithm, descending, begin_bit, end_bit):
    """The sorted keys; `payload` (by width, or None) is moved alike, in place."""
    codes = encode(x, descending)
    _run(codes, payload, algorithm, begin_bit, end_bit)
    return decode(codes, x, descending)


def _argsort(x, algorithm, descending, begin_bit, end_bit):
    xp, n = namespace_of(x), x.size
    if n > 1 and algorithm in ("auto", "radix"):
        order = xp.empty(n, index_dtype(n))
        backend_of(x).radix_argsort(encode(x, descending), order, begin_bit, end_bit)
        return order
    order = xp.arange(n, dtype=index_dtype(n))
    _run(encode(x, descending), by_width(order), algorithm, begin_bit, end_bit)
    return order


def sort(x, *, algorithm="auto", descending=False, begin_bit=0, end_bit=None):
    """A sorted copy.

    Parameters
    ----------
    x : (n,) array of bools, integers or floats
    algorithm : {"auto", "radix", "merge", "bitonic", "odd_even"}
        "auto" is "radix". All are stable but for "bitonic".
    descending : bool
        Largest first. Equal elements keep their order here too, and NaN stays last: the order of
        `numpy.argsort(-x, kind="stable")` where `-x` does not overflow.
    begin_bit, end_bit : int
        Compare only these bits of the code, 0 being the lowest; for "auto" and "radix". The code of unsigned integers and
        bools is the number itself; of signed ones it has the sign bit flipped; of floats all bits where negative, else the
        sign bit. Descending codes are inverted.

    Returns
    -------
    (n,) array of the dtype of `x`
        In NumPy's order: NaN last whatever its sign, -0.0 equal to 0.0; every element keeps its bits.

    Raises
    ------
    TypeError
        For what is not an array, complex numbers, or bits that are no integers.
    ValueError
        For other than one dimension, an unknown algorithm, bits out of range, or bits with another algorithm.

    Notes
    -----
    *Cost* of "radix": on cores one read and one move of the keys, then a read and a move in a core's cache for every eight
    bits in use; on a GPU two reads and one write for every eight bits in use. O(kn) for k bits: bits in which all keys
    agree cost nothing. Scratch: one more array; on cores keys of one and two bytes are widened to four, and one array more
    of these, but where all their bits are sorted by and they are many. Host reads: on a GPU one; for floats three more, and
    one for the zeros and one for the NaN where there are any. *Order*: stable, so the result is unique. *Empty input*:
    empty.
    Source: Knuth, *The Art of Computer Programming* 3, 5.2.5 (radix); Herf 2001 (floats as integers).

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import sort
    >>> sort(np.array([2.0, np.nan, -1.0, 0.0]))
    array([-1.,  0.,  2., nan])
    >>> sort(np.array([0, 5, 2, 7]), descending=True)
    array([7, 5, 2, 0])
    >>> sort(np.array([0, 5, 2, 7], np.uint8), begin_bit=0, end_bit=1)
    array([0, 2, 5, 7], dtype=uint8)
    """
    x = check_sortable("x", x)
    begin, end, whole = _digits(x, algorithm, begin_bit, end_bit)
    if x.dtype.kind == "f" and not whole:  # the code of a float does not say all of it
        return gather(x, _argsort(x, algorithm, descending, begin, end))
    return _sort(x, None, algorithm, descending, begin, end)


def argsort(x, *, algorithm="auto", descending=False, begin_bit=0, end_bit=None):
    """The order that sorts `x`: `x[argsort(x)]` is sorted.

    Parameters
    ----------
    x, algorithm, descending, begin_bit, end_bit
        As in `sort`.

    Returns
    -------
    (n,) int32 array (int64 for n >= 2**31)
        NumPy's is always int64.

    Raises
    ------
    TypeError, ValueError
        As `sort`.

    Notes
    -----
    *Cost*: as `sort`, with four bytes more to move for each element. Scratch: on cores one array like `x` (for keys of one
    and two bytes also one of four bytes each), and for a sixteenth or more of all keys that agree in their highest eight
    bits, what `sort_by_key` of them takes; on a GPU two arrays like `x` and one like the result. *Order*: stable (but for
    "bitonic"): equal elements in input order. *Empty input*: empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import argsort
    >>> argsort(np.array([30, 10, 20, 10]))
    array([1, 3, 2, 0], dtype=int32)
    """
    x = check_sortable("x", x)
    begin, end, _ = _digits(x, algorithm, begin_bit, end_bit)
    return _argsort(x, algorithm, descending, begin, end)


def sort_by_key(keys, values, *, algorithm="auto", descending=False, begin_bit=0, end_bit=None):
    """Sorted keys, and the values that belong to them.

    Parameters
    ----------
    keys : (n,) array of bools, integers or floats
    values : (n,) array
        Of any supported dtype.
    algorithm, descending, begin_bit, end_bit
        As in `sort`.

    Returns
    -------
    keys, values : (n,) arrays
        New ones, of the dtypes given.

    Raises
    ------
    TypeError, ValueError
        As `sort`; ValueError if the lengths differ, TypeError for arrays on different devices.

    Notes
    -----
    *Cost*: values of four and eight bytes travel with the keys; others are gathered once, by `argsort`. Host reads as
    `sort`. Scratch: an array like `keys` and one like `values`, or two of positions where values are gathered. *Order*:
    stable (but for "bitonic"). *Empty input*: empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import sort_by_key
    >>> sort_by_key(np.array([3, 1, 2, 1]), np.array([0.5, 1.5, 2.5, 3.5]))
    (array([1, 1, 2, 3]), array([1.5, 3.5, 2.5, 0.5]))
    """
    same_device(keys, values)
    keys = check_sortable("keys", keys)
    values = as_operand(_check.one_dimensional("values", values))
    if keys.size != values.size:
        raise ValueError(f"values must be as many as keys, got {values.size} values and {keys.size} keys")
    begin, end, whole = _digits(keys, algorithm, begin_bit, end_bit)
    if keys.dtype.kind == "f" and not whole:
        order = _argsort(keys, algorithm, descending, begin, end)
        return gather(keys, order), gather(values, order)
    if values.itemsize in (4, 8):
        moved = values.copy()
        return _sort(keys, by_width(moved), algorithm, descending, begin, end), moved
    order = namespace_of(keys).arange(keys.size, dtype=index_dtype(keys.size))
    out = _sort(keys, by_width(order), algorithm, descending, begin, end)
    return out, gather(values, order)
