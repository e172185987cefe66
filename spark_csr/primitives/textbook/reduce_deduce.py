"""Right flood by reduce and deduce: a tree over the elements, climbed once and descended once. It is for reading only.

Source: the tuples W and M of "right flood" (supplient, 2022). `S(l, r)` is the last valid position in `l <= i < r`, and
`later(a, b) = max(a, b)` combines two of them. A node over `[l, r)` with middle `m` holds

    W = (S(l, l+1), S(l, m), S(l, m+1), S(l, r))     on the way up: reduced from its two children
    M = (S(0, l+1), S(0, m), S(0, m+1), S(0, r))     on the way down: deduced from its parent, in the place of W

so each node is written twice and 2n of them do the work of a scan, in `log2 n` steps up and as many down. The way down
combines some positions twice, which does not change a maximum. An ordinary scan combines each only once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._array import index_dtype, namespace_of
from spark_csr._engine import njit
from spark_csr.primitives import _check
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


@njit
def _plant(i, valid, leaf):
    """Write a leaf, which is one element: all four numbers are its own position, or -1."""
    for part in range(4):
        leaf[4 * i + part] = i if valid[i] else -1


@njit
def _reduce(node, children, below, here):
    """Write W of a node from its two children; the last node of a level may have only one."""
    left, right = 8 * node, 8 * node + 4
    alone = 2 * node + 1 == children
    first, up_to_middle = below[left], below[left + 3]
    here[4 * node] = first
    here[4 * node + 1] = up_to_middle
    here[4 * node + 2] = up_to_middle if alone else max(up_to_middle, below[right])
    here[4 * node + 3] = up_to_middle if alone else max(up_to_middle, below[right + 3])


@njit
def _deduce(child, above, here):
    """Write M of a child from M of its parent: the left child takes the first half, the right child the second."""
    half = 4 * (child // 2) + 2 * (child % 2)
    first, last = above[half], above[half + 1]
    here[4 * child] = first
    here[4 * child + 1] = max(first, here[4 * child + 1])
    here[4 * child + 2] = max(first, here[4 * child + 2])
    here[4 * child + 3] = last


@njit
def _pick(i, leaf, index):
    index[i] = leaf[4 * i]


def flood_by_reduce_deduce(valid: ArrayLike) -> Array:
    """Return, for each position, the position of the nearest valid element to its left, itself included.

    Parameters
    ----------
    valid : (n,) bool array
        True for elements that hold a value.

    Returns
    -------
    (n,) int32 array (int64 for n >= 2**31)
        The index that `right_flood(x, valid, return_index=True)` returns, with -1 where there is no valid element.

    Raises
    ------
    TypeError
        If `valid` is not a bool array.
    ValueError
        If `valid` has other than one dimension.

    Notes
    -----
    *Cost*: The function needs 8n indices of scratch memory and, on a GPU, 2 log2(n) + 2 launches, where a scan of positions
    needs one. `right_flood` is faster; this function shows how a flood is taught. *Order*: The result is exact. *Empty input*:
    The result is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import flood_by_reduce_deduce
    >>> flood_by_reduce_deduce(np.array([1, 0, 0, 0, 3, 0, 2, 0, 0, 5, 2]) != 0)
    array([ 0,  0,  0,  0,  4,  4,  6,  6,  6,  9, 10], dtype=int32)
    """
    n = _check.one_dimensional("valid", valid).size
    valid, xp = _check.mask("valid", valid, n), namespace_of(valid)
    index = xp.empty(n, index_dtype(n))
    levels = [xp.empty(4 * n, index.dtype)]
    for_each(n, _plant, valid, levels[0])
    while n > 1:
        children, n = n, (n + 1) // 2
        levels.append(xp.empty(4 * n, index.dtype))
        for_each(n, _reduce, children, levels[-2], levels[-1])
    for above, here in zip(levels[:0:-1], levels[-2::-1], strict=True):
        for_each(here.size // 4, _deduce, above, here)
    for_each(index.size, _pick, levels[0], index)
    return index
