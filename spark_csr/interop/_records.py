"""Records: dicts of arrays. Fields with the same outer lists are the fields of the records in these lists."""

import numpy as np

from spark_csr._array import is_array, is_same_memory, read_only
from spark_csr._ragged import Ragged
from spark_csr._ragged.base import is_fixed
from spark_csr.primitives import _check


def check_records(x, name="array"):
    """Return `x` with arrays as they are; raise an exception for what is neither a Ragged, an array nor a dict of these."""
    if isinstance(x, dict):
        if not x:
            raise ValueError(f"{name} is a dict without fields: records have one field at least")
        return {key: check_records(value, f"{name}[{key!r}]") for key, value in x.items()}
    if is_array(x):
        return Ragged(x)
    if not isinstance(x, Ragged):
        raise TypeError(f"{name} must be a Ragged, an array or a dict of these, got {type(x).__name__}")
    return x.packed()


def split_records(records):
    """Return the offsets of the lists that all fields have in common, and the fields without these lists."""
    leaves = list(_leaves(records))
    levels = 0
    while all(leaf.ndim - 1 > levels for leaf in leaves) and _are_equal([leaf.offsets[levels] for leaf in leaves]):
        levels += 1
    return leaves[0].offsets[:levels], _strip(records, levels)


def _leaves(records):
    for x in records.values():
        if isinstance(x, dict):
            yield from _leaves(x)
        else:
            yield x


def _are_equal(arrays):
    first, *others = arrays
    return all(is_same_memory(first, x) or (x.size == first.size and bool((x == first).all())) for x in others)


def _strip(x, levels):
    """Return an array, or all arrays of records, without the first levels."""
    if isinstance(x, dict):
        return {key: _strip(value, levels) for key, value in x.items()}
    return x._of_packed(x.values, x.offsets[levels:]) if levels else x


def shared_offsets(offsets, size):
    """Return offsets as a `Ragged` keeps them, read-only, so that all fields of records share them; check them before that.

    They are copied if anybody can write into them.
    """
    own = offsets if is_fixed(offsets) else offsets.copy()
    wide = own.astype(np.int64) if own.dtype == np.uint32 else own
    if size >= 2**31 or wide.dtype == np.int32:
        return read_only(wide)
    stop = _check.offsets("offsets", wide)[2]
    if stop > size:
        raise ValueError(f"offsets end at {stop}, but there are only {size} items in the lists")
    return read_only(wide.astype(np.int32))
