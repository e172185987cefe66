"""Operands with as many values as the operand of most axes: repeated where they have fewer axes."""

import numbers

import numpy as np

from spark_csr._array import as_operand, is_array, same_device
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase, describe_difference
from spark_csr.primitives.repeat import repeat_by_offsets


def is_operand(x):
    """Return whether arithmetic accepts `x`: ragged arrays, arrays, lists and numbers."""
    return isinstance(x, (RaggedBase, list, tuple, numbers.Number, np.generic)) or is_array(x)


def align_operand(x, ragged):
    """Return one value of an operand for each of `ragged.packed().values`, and whether these values are a new array.

    A number is returned as it is. A ragged array of fewer axes, whose lists are those of the outer axes of `ragged`, is
    repeated for what these lists hold; so is an array, which has one value for each item. Raise ValueError for an operand that
    does not fit, TypeError for one on another device.
    """
    if isinstance(x, RaggedBase):
        check_same_lists(ragged, x)
        values, levels = x.packed().values, x.ndim - 1
    elif isinstance(x, (list, tuple)) or (is_array(x) and x.ndim):
        values, levels = _broadcast_to_items(x, ragged), 0
    else:
        return x, False
    same_device(values, ragged.values)
    if levels == ragged.ndim - 1:
        return values, False
    return _repeat_for_lists(values, ragged.packed(), levels), True


def _broadcast_to_items(x, ragged):
    """Return an array with one value for each item."""
    values = as_array(x, "an operand", None if is_array(x) else ragged.device)
    if values.shape != (len(ragged),):
        raise ValueError(
            f"an operand of shape {values.shape} does not fit a ragged array of {len(ragged)} items: give one value for each "
            "item, a number, or a Ragged of the same lists"
        )
    return values


def _repeat_for_lists(values, packed, levels):
    """Return the values, one for each list of level `levels`, each repeated for all values of its list."""
    offsets = packed.offsets[levels]
    for inner in packed.offsets[levels + 1 :]:
        offsets = inner[offsets]
    return repeat_by_offsets(as_operand(values), offsets, packed.values.size)


def check_same_lists(x, y):
    """Raise ValueError that names the first list whose length differs; compare only the levels that both arrays have."""
    found = describe_difference(x, y)
    if found:
        raise ValueError(
            f"the lists of the ragged arrays differ: {found}. Operands of fewer axes are repeated, but no list is stretched"
        )
