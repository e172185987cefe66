"""The values that a reduction along an axis combines: those whose coordinates along all other axes are equal.

Design: along the innermost axis these values are neighbours already, and their segments are the innermost lists. Along another
axis, the lists that are combined are aligned at their starts, level by level: a merged list is as long as the longest of them.
The values of a level, each with its position in the merged list as a column, are a sparse matrix with a row for every item of
the axis. In the transpose of this matrix the values to combine are neighbours, in the order of the items, and its columns say
which item each value belongs to. Cost: that transpose, a stable sort, once for every level from the axis inwards.
"""

from typing import NamedTuple

from spark_csr._array import index_dtype, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.form.record import Csr
from spark_csr._operations.form.transpose import transpose
from spark_csr.primitives import offsets_from_counts, segment_ids, segmented_reduce
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather


class Groups(NamedTuple):
    """The groups of values that a reduction combines.

    `values[offsets[g]:offsets[g + 1]]` become value `g` of a result whose lists have the offsets `lists`. `items` holds, for
    each of the values, the item of the axis that it belongs to; it is None where this item is the rank of the value in its
    group. `outer` holds the offsets of the lists in which items of the axis are counted.
    """

    values: object
    offsets: object
    lists: tuple
    items: object
    outer: object


def group_along(ragged, axis):
    """Return the groups of a reduction along an axis, or of a reduction of all values (None)."""
    packed = ragged.packed()
    if axis is None or packed.ndim == 1:
        everything = _as_one_list(packed.values, packed.size)
        return Groups(packed.values, everything, (), None, everything)
    if axis == packed.ndim - 1:
        return Groups(packed.values, packed.offsets[-1], packed.offsets[:-1], None, packed.offsets[-1])
    return _align(packed, axis)


def _as_one_list(beside, length):
    return namespace_of(beside).asarray([0, length], dtype=index_dtype(length))


@njit
def _place(i, parent, starts, targets, offsets, out):
    """Write the position of item `i` of a level, whose rank in the merged list is that in its own list."""
    list_of_i = parent[i]
    out[i] = starts[targets[list_of_i]] + (i - offsets[list_of_i])


def _find_positions(offsets, targets, starts, size):
    """Return the position of each item of a level in the merged level of `size` items, if its list becomes part of list
    `targets`.
    """
    parent = segment_ids(offsets)
    out = namespace_of(offsets).empty(parent.size, index_dtype(size))
    for_each(parent.size, _place, parent, starts, targets, offsets, out)
    return out


def _align(packed, axis):
    """Return the groups for an axis that is not the innermost one, found level by level.

    A group is made within the outermost list that holds it, or within the whole array for axis 0.
    """
    offsets = packed.offsets
    numbers = packed if packed.values.ndim == 1 else packed._with(namespace_of(packed.values).arange(packed.size))
    outer = offsets[axis - 1] if axis else _as_one_list(offsets[0], len(packed))
    targets, rows = segment_ids(outer), None
    lengths, cuts, lists = offsets[axis][1:] - offsets[axis][:-1], outer, []
    for level in range(axis, packed.ndim - 1):
        starts = offsets_from_counts(segmented_reduce(lengths, cuts, "max", initial=0))
        size = to_host_scalar(starts[-1])
        lists.append(starts)
        targets = _find_positions(offsets[level], targets, starts, size)
        rows = offsets[level] if rows is None else offsets[level][rows]
        inner = offsets[level + 1] if level + 2 < packed.ndim else None
        data = numbers.values if inner is None else inner[1:] - inner[:-1]
        together = transpose(Csr(rows, targets, data, (rows.size - 1, size)))
        lengths, cuts = together.data, together.indptr
    lists = offsets[: axis - 1] + tuple(lists) if axis else tuple(lists[1:])
    values = together.data if numbers is packed else gather(packed.values, together.data)
    return Groups(values, together.indptr, lists, together.indices, outer)
