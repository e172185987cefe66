"""Operands with as many values as the operand of most axes: repeated where they have fewer axes."""

import numbers

import numpy as np

from spark_csr._array import as_operand, is_array, namespace_of, same_device
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase, describe_difference
from spark_csr._ragged.take import take_items
from spark_csr.primitives import segment_ids
from spark_csr.primitives.repeat import repeat_by_offsets


def is_operand(x):
    """Return whether arithmetic accepts `x`: ragged arrays, arrays, lists and numbers."""
    return isinstance(x, (RaggedBase, list, tuple, numbers.Number, np.generic)) or is_array(x)


def align_operand(x, ragged):
    """Return one value of an operand for each of `ragged.packed().values`, and whether these values are a new array.

    A number is returned as it is. A ragged array of fewer axes, whose lists are those of the outer axes of `ragged`, is
    repeated for what these lists hold; so is an array, which has one value for each item. Axes that `keepdims=True` kept are
    stretched. Raise ValueError for an operand that does not fit, TypeError for one on another device.
    """
    if isinstance(x, RaggedBase):
        x = _stretch_kept_axes(x, ragged)
        if not isinstance(x, RaggedBase):
            return x, False
        check_same_lists(ragged, x)
        values, levels = x.packed().values, x.ndim - 1
    elif isinstance(x, (list, tuple)) or (is_array(x) and x.ndim):
        values, levels = _broadcast_to_items(x, ragged), 0
    else:
        return x, False
    same_device(values, ragged.values)
    values = _fit_elements(values, ragged.values.shape[1:])
    if levels == ragged.ndim - 1:
        return values, False
    return _repeat_for_lists(values, ragged.packed(), levels), True


def find_deepest(operands):
    """Return the ragged operand whose lists the result of an operation has: one of most axes, with the fewest to stretch."""
    return max((x for x in operands if isinstance(x, RaggedBase)), key=lambda x: (x.ndim, -len(x._kept_axes), x.values.ndim))


def apply_to_values(function, *operands):
    """Return the ragged array of what a function of arrays makes of the aligned values of the operands."""
    deepest = find_deepest(operands)
    values = [align_operand(x, deepest)[0] for x in operands]
    return deepest._with(as_array(function(*values), "the result", None))


def _stretch_kept_axes(x, ragged):
    """Return an operand with lists of `ragged` in place of those axes that `keepdims=True` kept.

    Innermost axes are left out instead, since operands of fewer axes are repeated; a number is what is left of no axis.
    """
    kept = x._kept_axes - ragged._kept_axes
    if not kept:
        return x
    packed = x.packed()
    axes = x.ndim
    while axes - 1 in kept:
        axes -= 1
    if not axes:
        return packed.values.reshape(packed.values.shape[1:])
    packed = packed._of_packed(packed.values, packed.offsets[: axes - 1])
    for axis in sorted(axis for axis in kept if axis < axes):
        packed = _stretch(packed, ragged.packed(), axis)
    return packed


def _stretch(x, ragged, axis):
    """Return `x` with its only item of every list of an axis repeated as often as the list of `ragged` has items."""
    if not axis:
        return take_items(x, namespace_of(x.values).zeros(len(ragged), np.int64))
    outer = ragged.offsets[axis - 1]
    inner = x._of_packed(x.values, x.offsets[axis:])
    if len(inner) != outer.size - 1:
        return x  # the lists differ further out, which `check_same_lists` will say
    taken = take_items(inner, segment_ids(outer).astype(np.int64)).packed()
    return x._of_packed(taken.values, (*x.offsets[: axis - 1], outer, *taken.offsets))


def _broadcast_to_items(x, ragged):
    """Return an array with one value for each item."""
    values = as_array(x, "an operand", None if is_array(x) else ragged.device)
    if values.shape[:1] != (len(ragged),) or values.shape[1:] not in ((), ragged.values.shape[1:]):
        raise ValueError(
            f"an operand of shape {values.shape} does not fit a ragged array of {len(ragged)} items: give one value for each "
            "item, a number, or a Ragged of the same lists"
        )
    return values


def _fit_elements(values, shape):
    """Return the values of an operand of elements of a shape: a number applies to all numbers of a vector."""
    if values.ndim == 1 and shape:
        return values.reshape(-1, *[1] * len(shape))
    if values.shape[1:] != shape:
        raise ValueError(
            f"elements of shape {values.shape[1:]} do not fit elements of shape {shape}: use arrays of equal elements"
        )
    return values


def _repeat_for_lists(values, packed, levels):
    """Return the values, one for each list of level `levels`, each repeated for all values of its list."""
    offsets = packed.offsets[levels]
    for inner in packed.offsets[levels + 1 :]:
        offsets = inner[offsets]
    return repeat_by_offsets(as_operand(values), offsets, packed.size)


def check_same_lists(x, y):
    """Raise ValueError that names the first list whose length differs; compare only the levels that both arrays have."""
    found = describe_difference(x, y)
    if found:
        raise ValueError(
            f"the lists of the ragged arrays differ: {found}. Operands of fewer axes are repeated; lists are stretched only "
            "along an axis that a reduction kept with keepdims=True. After a reduction along an outer axis, all lists must be "
            "as long as the list in its result"
        )
