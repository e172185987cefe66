"""Sort arrays: one contract, and several algorithms behind it (`radix_sort`, `merge_sort` and the networks of the backends).

Design: every algorithm sorts unsigned codes that compare as the keys do (`sort_keys`), and moves a payload along with them. So
a kernel knows two or four widths instead of eleven dtypes, NaN and two directions. Cost: one pass to make the codes, and one to
turn them back.
"""

from __future__ import annotations

import contextlib
import functools
import operator
import timeit
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, one_thread_is_fast, same_device
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._progress import watch
from spark_csr.primitives import _check
from spark_csr.primitives._rows import moves_rows, take_rows
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort_keys import decode, encode, restore_bits

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Progress

    Algorithm: TypeAlias = Literal["auto", "radix", "merge", "bitonic", "odd_even"]

ALGORITHMS = ("auto", "radix", "merge", "bitonic", "odd_even")

FEW = 2048
"""Keys up to which "auto" on the cores is NumPy's stable sort: with keys of eight bytes both take as long at 2,500 keys (EPYC,
family 25 model 17, 2026-11)."""

SOME = 2**19
"""Bytes of keys up to which "auto" on the cores is NumPy's sort with vector instructions, where it has one. Two cores take as
long as NumPy's one at about twice as much with keys of eight bytes, and at up to twenty times as much with float32 (EPYC,
family 25 model 1, 2026-11)."""


@njit
def _take(i, source, order, out):
    out[i] = source[order[i]]


def gather(source: Array, order: Array) -> Array:
    """Return `source[order]`, computed on all cores; the positions are not negative."""
    if source.ndim > 1:
        return take_rows(source, order)
    out = namespace_of(source).empty(order.size, source.dtype)
    for_each(order.size, _take, by_width(as_operand(source)), order, by_width(out))
    return out


def check_sortable(name: str, x: Array) -> Array:
    """Return `x` as a contiguous array; raise TypeError if its dtype has no order."""
    _check.one_dimensional(name, x)
    if x.dtype.kind == "c":
        raise TypeError(f"{name} has dtype {x.dtype}, and complex numbers have no order: sort by {name}.real or abs({name})")
    return as_operand(x)


def check_bits(x: Array, begin_bit: int, end_bit: int | None) -> tuple[int, int]:
    """Return the range of bits to compare; raise ValueError if the keys do not have these bits."""
    width = 8 * x.dtype.itemsize
    begin_bit, end_bit = operator.index(begin_bit), width if end_bit is None else operator.index(end_bit)
    if not 0 <= begin_bit <= end_bit <= width:
        raise ValueError(f"bits must satisfy 0 <= begin_bit <= end_bit <= {width}, got {begin_bit} and {end_bit}")
    return begin_bit, end_bit


def _digits(x, algorithm, begin_bit, end_bit):
    """Return the first and the last bit to compare, and whether these are all bits."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {algorithm!r}: use one of {', '.join(ALGORITHMS)}")
    width = 8 * x.dtype.itemsize
    if algorithm not in ("auto", "radix") and (begin_bit, end_bit) not in ((0, None), (0, width)):
        raise ValueError(f"begin_bit and end_bit need algorithm='radix', got {algorithm!r}")
    begin_bit, end_bit = check_bits(x, begin_bit, end_bit)
    return begin_bit, end_bit, (begin_bit, end_bit) == (0, width)


def _is_for_numpy(x, algorithm, descending, whole, progress, is_small):
    """Return whether NumPy's sort gives the same sooner where keys are as few as `is_small` says."""
    plain = algorithm == "auto" and whole and not descending and progress is None
    return plain and is_small and one_thread_is_fast(x)


@functools.cache
def _is_vectorised(dtype):
    """Return whether NumPy sorts keys of a dtype with vector instructions on this processor: several times as fast as stably.

    It is measured once, in half a millisecond: names of instruction sets change with processors and with NumPy.
    """
    if dtype.itemsize < 4:
        return False
    keys = np.random.default_rng(0).integers(0, 2**31, 8192).astype(dtype)
    calls = (functools.partial(np.sort, keys, kind=kind) for kind in ("stable", "quicksort"))
    stable, vectorised = (min(timeit.repeat(call, number=1, repeat=3)) for call in calls)
    return 2 * vectorised < stable


def _run(codes, payload, algorithm, begin_bit, end_bit, report):
    if codes.size < 2:
        return
    if algorithm in ("auto", "radix"):
        backend_of(codes).radix_sort(codes, payload, begin_bit, end_bit, report)
    else:
        getattr(backend_of(codes), f"{algorithm}_sort")(codes, payload)


def _sort(x, payload, algorithm, descending, begin_bit, end_bit, report):
    """Return the sorted keys; `payload` (viewed by width, or None) is moved in the same way, in place."""
    codes = encode(x, descending)
    _run(codes, payload, algorithm, begin_bit, end_bit, report)
    return decode(codes, x, descending)


def _argsort(x, algorithm, descending, begin_bit, end_bit, report):
    xp, n = namespace_of(x), x.size
    if n > 1 and algorithm in ("auto", "radix"):
        order = xp.empty(n, index_dtype(n))
        backend_of(x).radix_argsort(encode(x, descending), order, begin_bit, end_bit, report)
        return order
    order = xp.arange(n, dtype=index_dtype(n))
    _run(encode(x, descending), by_width(order), algorithm, begin_bit, end_bit, report)
    return order


@contextlib.contextmanager
def _watch(progress, name, keys):
    """Watch a sort; where it is one step, the report is the end."""
    with watch(progress, name, "elements", keys.size) as report:
        yield report
        if report is not None:
            report(keys.size, keys.size)


def sort(
    x: ArrayLike,
    *,
    algorithm: Algorithm = "auto",
    descending: bool = False,
    begin_bit: int = 0,
    end_bit: int | None = None,
    progress: Progress = None,
) -> Array:
    """Return a sorted copy of an array.

    Parameters
    ----------
    x : (n,) array of bools, integers or floats
        The keys to sort.
    algorithm : {"auto", "radix", "merge", "bitonic", "odd_even"}
        The algorithm; "auto" is "radix". All but "bitonic" are stable.
    descending : bool
        If True, sort the largest keys first. Equal keys keep their order here too, and NaN stays last: this is the order of
        `numpy.argsort(-x, kind="stable")` if `-x` does not overflow.
    begin_bit : int
        The lowest bit of the code to compare, see Notes. The default is 0, the lowest bit of all.
    end_bit : int, optional
        The bit after the highest bit to compare. By default all higher bits are compared.
    progress : bool or function, optional
        True shows on stderr how many elements are sorted: a bar of tqdm if that is installed, else lines. A function is called
        as `progress(elements, total)`: in sixteen steps by "radix" on the cores, else at the end.

    Returns
    -------
    (n,) array of the dtype of `x`
        The keys in NumPy's order: NaN is last whatever its sign, -0.0 is equal to 0.0, and every element keeps its bits.

    Raises
    ------
    TypeError
        If `x` is not an array, is complex, or a bit is not an integer.
    ValueError
        If `x` has other than one dimension, the algorithm is unknown, bits are out of range, or bits are given with another
        algorithm than "auto" and "radix".

    Notes
    -----
    The code of unsigned integers and bools is the number itself. The code of signed integers has the sign bit flipped; the code
    of floats has all bits flipped if the number is negative, else the sign bit. For a descending sort the codes are inverted.

    *Cost* of "radix": On the cores there are one read and one move of the keys, then a read and a move in a core's cache for
    every eight bits in use; on a GPU there are two reads, and a read and a write for every eight bits in use. This is O(kn) for
    k bits; bits in which all keys agree cost nothing. Scratch memory holds one more array. On the cores, keys of one and two
    bytes are counted if there are many of them and all their bits are compared; otherwise they are widened to four bytes, which
    takes one array more of that width. By default, up to 2,048 keys are sorted by NumPy on the cores, and up to 512 KiB of
    keys if NumPy sorts them with vector instructions of the processor, which is measured once. On a GPU there is one
    host read. Floats take three more, one more if there are zeros, and one more if there are NaN. *Order*: Equal keys stay in
    input order, so the result is the same for every algorithm. *Empty input*: The result is empty. Source: Knuth, *The Art of
    Computer Programming* 3, 5.2.5 (radix); Herf 2001 (floats as integers).

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
    if _is_for_numpy(x, algorithm, descending, whole, progress, x.nbytes <= SOME):
        if _is_vectorised(x.dtype):
            return restore_bits(np.sort(x), x)
        if x.size <= FEW:
            return np.sort(x, kind="stable")
    with _watch(progress, "sort", x) as report:
        if x.dtype.kind == "f" and not whole:  # the code of a float does not determine its bits
            return gather(x, _argsort(x, algorithm, descending, begin, end, report))
        return _sort(x, None, algorithm, descending, begin, end, report)


def argsort(
    x: ArrayLike,
    *,
    algorithm: Algorithm = "auto",
    descending: bool = False,
    begin_bit: int = 0,
    end_bit: int | None = None,
    progress: Progress = None,
) -> Array:
    """Return the positions that sort an array: `x[argsort(x)]` is sorted.

    Parameters
    ----------
    x : (n,) array of bools, integers or floats
        The keys to sort.
    algorithm : {"auto", "radix", "merge", "bitonic", "odd_even"}
        The algorithm; "auto" is "radix". All but "bitonic" are stable.
    descending : bool
        If True, sort the largest keys first. Equal keys keep their order here too, and NaN stays last.
    begin_bit : int
        The lowest bit of the code to compare, see the notes of `sort`. The default is 0, the lowest bit of all.
    end_bit : int, optional
        The bit after the highest bit to compare. By default all higher bits are compared.
    progress : bool or function, optional
        True shows on stderr how many elements are sorted: a bar of tqdm if that is installed, else lines. A function is called
        as `progress(elements, total)`: in sixteen steps by "radix" on the cores, else at the end.

    Returns
    -------
    (n,) int32 array (int64 for n >= 2**31)
        The positions in `x`. NumPy's result is always int64.

    Raises
    ------
    TypeError
        If `x` is not an array, is complex, or a bit is not an integer.
    ValueError
        If `x` has other than one dimension, the algorithm is unknown, bits are out of range, or bits are given with another
        algorithm than "auto" and "radix".

    Notes
    -----
    *Cost*: The cost is that of `sort`, with four bytes more to move for each element. Scratch memory on the cores holds one
    array like `x` (for keys of one and two bytes also one of four bytes each); if a sixteenth or more of all keys agree in
    their highest eight bits, also what `sort_by_key` takes for these keys. On a GPU it holds two arrays like `x` and one like
    the result. *Order*: The sort is stable, except for "bitonic": equal elements stay in input order. *Empty input*: The result
    is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import argsort
    >>> argsort(np.array([30, 10, 20, 10]))
    array([1, 3, 2, 0], dtype=int32)
    """
    x = check_sortable("x", x)
    begin, end, whole = _digits(x, algorithm, begin_bit, end_bit)
    if _is_for_numpy(x, algorithm, descending, whole, progress, x.size <= FEW):
        return x.argsort(kind="stable").astype(index_dtype(x.size), copy=False)
    with _watch(progress, "argsort", x) as report:
        return _argsort(x, algorithm, descending, begin, end, report)


@moves_rows("values")
def sort_by_key(
    keys: ArrayLike,
    values: ArrayLike,
    *,
    algorithm: Algorithm = "auto",
    descending: bool = False,
    begin_bit: int = 0,
    end_bit: int | None = None,
    progress: Progress = None,
) -> tuple[Array, Array]:
    """Sort keys, and move the values that belong to them in the same way.

    Parameters
    ----------
    keys : (n,) array of bools, integers or floats
        The keys to sort.
    values : (n, ...) array
        The value of every key, of any supported dtype.
    algorithm : {"auto", "radix", "merge", "bitonic", "odd_even"}
        The algorithm; "auto" is "radix". All but "bitonic" are stable.
    descending : bool
        If True, sort the largest keys first. Equal keys keep their order here too, and NaN stays last.
    begin_bit : int
        The lowest bit of the code to compare, see the notes of `sort`. The default is 0, the lowest bit of all.
    end_bit : int, optional
        The bit after the highest bit to compare. By default all higher bits are compared.
    progress : bool or function, optional
        True shows on stderr how many elements are sorted: a bar of tqdm if that is installed, else lines. A function is called
        as `progress(elements, total)`: in sixteen steps by "radix" on the cores, else at the end.

    Returns
    -------
    keys : (n,) array
        The sorted keys, in a new array of their dtype.
    values : (n, ...) array
        The values in the order of the sorted keys, in a new array of their dtype.

    Raises
    ------
    TypeError
        If `keys` or `values` is not an array, `keys` is complex, a bit is not an integer, or devices are mixed.
    ValueError
        If the lengths differ, an array has other than one dimension, the algorithm is unknown, bits are out of range, or bits
        are given with another algorithm than "auto" and "radix".

    Notes
    -----
    *Cost*: Values of four and eight bytes are moved with the keys; others are gathered once, by `argsort`. There are as many
    host reads as in `sort`. Scratch memory holds an array like `keys` and one like `values`, or two arrays of positions if the
    values are gathered. *Order*: The sort is stable, except for "bitonic". *Empty input*: The results are empty.

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
        raise ValueError(f"keys and values must have the same length, got {keys.size} and {values.size}")
    begin, end, whole = _digits(keys, algorithm, begin_bit, end_bit)
    if _is_for_numpy(keys, algorithm, descending, whole, progress, keys.size <= FEW):
        order = keys.argsort(kind="stable")
        return keys[order], values[order]
    with _watch(progress, "sort_by_key", keys) as report:
        if keys.dtype.kind == "f" and not whole:
            order = _argsort(keys, algorithm, descending, begin, end, report)
            return gather(keys, order), gather(values, order)
        if values.itemsize in (4, 8):
            moved = values.copy()
            return _sort(keys, by_width(moved), algorithm, descending, begin, end, report), moved
        order = namespace_of(keys).arange(keys.size, dtype=index_dtype(keys.size))
        out = _sort(keys, by_width(order), algorithm, descending, begin, end, report)
        return out, gather(values, order)
