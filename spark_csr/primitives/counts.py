"""Compute offsets from the lengths of segments, and lengths from offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, index_dtype, namespace_of, to_host_scalar
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


def offsets_from_counts(counts: ArrayLike) -> Array:
    """Return the offsets of segments that have the given lengths.

    Parameters
    ----------
    counts : (n,) integer array
        The length of every segment, 0 or above.

    Returns
    -------
    (n+1,) array
        Offsets that start at 0. The dtype is int32 if the total fits, else int64.

    Raises
    ------
    ValueError
        If a count is negative (the message names its position), or the counts add up to 2**63 or more.
    TypeError
        If `counts` is not an integer array.

    Notes
    -----
    *Cost*: The function makes one scan in int64, one pass that checks it and one that narrows it. On a GPU these are two
    launches and two host reads. Scratch memory holds the offsets in int64. *Order*: The result is exact. *Empty input*: The
    result is `[0]`.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import offsets_from_counts
    >>> offsets_from_counts(np.array([3, 1, 0, 2]))
    array([0, 3, 4, 4, 6], dtype=int32)
    """
    offsets, total = scan_counts(counts)
    return offsets.astype(index_dtype(total), copy=False)


@njit
def _note_decrease(i, offsets, flag):
    """Set the flag if the offsets decrease; indices that find a decrease store the same value."""
    if offsets[i + 1] < offsets[i]:
        flag[0] = True


def scan_trusted_counts(counts: Array) -> Array:
    """Return offsets in int64 of lengths that this package computed itself: nothing is checked or read by the host."""
    n, xp = counts.size, namespace_of(counts)
    offsets, end = xp.zeros(n + 1, np.int64), xp.empty(1, np.int64)
    if n:
        operands = counts, offsets[1:]
        backend_of(counts).scan(ops.MONOIDS["sum"], offsets.dtype, n, ops.element, ops.store, operands, end)
    return offsets


def scan_counts(counts: Array, total: int | None = None, name: str = "counts") -> tuple[Array, int]:
    """Return offsets in int64 and their total as a number; trust a `total` from the caller unless `config.validate`.

    A negative count, and a sum of 2**63 or more, can be seen in the offsets: they decrease. Errors call `counts` by its `name`.
    """
    counts = as_operand(_check.integers(name, counts))
    n, xp = counts.size, namespace_of(counts)
    offsets = scan_trusted_counts(counts.astype(np.int64) if counts.dtype.kind == "u" else counts)
    if total is not None and not config.validate:
        return offsets, total
    flag = xp.zeros(1, np.bool_)
    for_each(n, _note_decrease, offsets, flag)
    if to_host_scalar(flag[0]):
        at = _check.find_first_true(counts < 0)
        if at is not None:
            raise ValueError(f"{name} must be 0 or above, got {name}[{at}] = {to_host_scalar(counts[at])}")
        raise ValueError(f"{name} must add up to less than 2**63, got {n} of up to {to_host_scalar(counts.max())}")
    found = to_host_scalar(offsets[n])
    if total not in (None, found):
        raise ValueError(f"total must be the sum of {name}, {found}, got {total}")
    return offsets, found


def allocate(counts: ArrayLike) -> tuple[Array, int]:
    """Return where each of n writers writes, if writer `i` produces `counts[i]` items.

    Parameters
    ----------
    counts : (n,) integer array
        The number of items of every writer, 0 or above. It is 0 for writers that write nothing.

    Returns
    -------
    addresses : (n,) array
        Writer `i` owns the items from `addresses[i]` up to `addresses[i] + counts[i]`. The dtype is int32 if the total fits,
        else int64. The address of a writer that writes nothing can be the total, one past the last item: such a writer must not
        write there.
    total : int
        The number of items in all.

    Raises
    ------
    ValueError
        If a count is negative (the message names its position), or the counts add up to 2**63 or more.
    TypeError
        If `counts` is not an integer array.

    Notes
    -----
    *Cost*: The cost is that of `offsets_from_counts`. *Order*: The result is exact. *Empty input*: There are no addresses, and
    the total is 0. Source: Blelloch 1990 (allocation).

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import allocate
    >>> allocate(np.array([1, 0, 1, 2, 1, 0, 3, 0]))
    (array([0, 1, 1, 2, 4, 5, 5, 8], dtype=int32), 8)
    """
    offsets, total = scan_counts(counts)
    return offsets[:-1].astype(index_dtype(total), copy=False), total


def counts_from_offsets(offsets: ArrayLike) -> Array:
    """Return the length of every segment: the inverse of `offsets_from_counts`.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero.

    Returns
    -------
    (n,) array of the dtype of `offsets`
        The lengths.

    Raises
    ------
    ValueError
        If `offsets` decreases, starts below zero or is empty.
    TypeError
        If `offsets` is not an integer array.

    Notes
    -----
    *Cost*: The function makes one pass over the offsets. With `config.validate` it makes one pass more, and on a GPU a host
    read, otherwise no host read. *Order*: The result is exact. *Empty input*: Without segments there are no counts.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import counts_from_offsets
    >>> counts_from_offsets(np.array([0, 3, 4, 4, 6]))
    array([3, 1, 0, 2])
    """
    offsets = _check.offsets_alone("offsets", offsets)
    return offsets[1:] - offsets[:-1]
