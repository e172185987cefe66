"""What a key in `A[key]` means: for every axis an integer, a slice or an array of indices, and the shape of what is chosen."""

import itertools
import operator

import numpy as np

from spark_csr._array import (
    device_of,
    is_array,
    is_device_array,
    namespace_of,
    refuse_masked,
    same_device,
    to_device,
    to_host_scalar,
)
from spark_csr._operations.form import build
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.check import is_outside
from spark_csr._operations.form.record import rows_of_entries

FULL = slice(None)


def parse(key, shape, owner):
    """Return the index of every axis and the shape of the selection, as NumPy defines them.

    Integers come back in `[0, length)`, arrays as int64 in that range on the device of `owner`; masks as the indices of what is
    true. IndexError for what NumPy or SciPy would refuse, TypeError for masked arrays and mixed devices. Host reads: one for
    each array of indices, two more if it holds negative ones, those of `nonzero` for each mask.
    """
    if type(key) is int and -shape[0] <= key < shape[0]:  # rows one by one must be cheap
        return (key % shape[0], *(FULL,) * (len(shape) - 1)), shape[1:]
    if type(key) is tuple and len(key) == len(shape):  # so must single positions and blocks
        kinds = set(map(type, key))
        if kinds == {int}:
            return tuple(_wrap_integer(k, axis, length) for axis, (k, length) in enumerate(zip(key, shape, strict=True))), ()
        if kinds == {slice}:
            return key, tuple(len(range(length)[k]) for k, length in zip(key, shape, strict=True))
    index, slots, block, front = resolve(key, shape, owner)
    lengths = [1 if n is None else n for n in slots]
    return index, (*lengths[:front], *block, *lengths[front:])


def resolve(key, shape, owner):
    """Return the index of every axis, and what the axes of the selection are: for each slice its length, for each `None` None;
    the shape of the arrays and masks, broadcast; and before how many of the others their axes are."""
    items = [_parse_item(k, owner) for k in (key if isinstance(key, tuple) else (key,))]
    return _resolve(_expand_ellipsis(items, len(shape), key), shape, owner)


def _parse_item(k, owner):
    """Return one part of the key: as it is, or as an integer or an array."""
    if k is None or k is Ellipsis or isinstance(k, (slice, int)):
        return k
    if isinstance(k, np.integer):
        return int(k)
    if not is_array(k) and hasattr(k, "tocsr") and hasattr(k, "nnz"):
        if k.dtype != bool:
            raise IndexError(f"a sparse matrix as a key must be a mask of booleans, got dtype {k.dtype}: use A[B != 0]")
        return k
    refuse_masked("an index", k)
    array = move_beside(owner, k)
    kind = array.dtype.kind
    if not array.ndim:
        return _read_integer(array, k)
    if kind == "b" or (kind in "iu" and array.dtype.isnative):
        return array
    if kind in "iu":
        return array.astype(np.int64)
    if kind not in ("f", "O"):
        raise IndexError(f"arrays used as indices must hold integers or booleans, got dtype {array.dtype}")
    try:
        return build.read_whole(array, "x")
    except ValueError as error:
        raise IndexError(f"arrays used as indices must hold integers or booleans: {error}") from None


def move_beside(owner, k):
    """Return `k` as an array beside `owner`. What the host holds is moved; other mixtures raise TypeError."""
    if is_device_array(k):
        same_device(owner, k)
        return k
    try:
        k = np.asarray(k)
    except ValueError as error:
        raise IndexError(f"an index must be rectangular: {error}") from None
    if not is_device_array(owner):
        return k
    if k.dtype.kind not in "biufc":  # what a GPU cannot hold
        raise IndexError(
            f"Index dimension must be an integer, a slice, or an array of integers or booleans, got dtype {k.dtype}"
        )
    return to_device(k, device_of(owner))


def _read_integer(array, given):
    if array.dtype.kind in "iu":
        return to_host_scalar(array)
    with np.errstate(invalid="ignore"):
        is_whole = array.dtype.kind in "bf" and array % 1 == 0
    if is_whole:
        raise ValueError(f"inexact indices are not allowed, got {given!r}: use int(x), or x // y in place of x / y")
    use = ": use int(x)" if array.dtype.kind == "f" else ""
    raise IndexError(f"Index dimension must be an integer, a slice, or an array of integers or booleans, got {given!r}{use}")


def _expand_ellipsis(items, ndim, key):
    """Return the key with as many full slices as are missing, in place of an ellipsis or at the end.

    An ellipsis stays where none is missing: it keeps its neighbours apart, as in NumPy.
    """
    dimensions, places = 0, []
    for at, k in enumerate(items):
        if k is Ellipsis:
            places.append(at)
        elif k is not None:
            dimensions += k.ndim if not isinstance(k, (int, slice)) and k.dtype == bool else 1
    if dimensions > ndim:
        raise IndexError(f"too many indices: there are {ndim} dimension(s), but {dimensions} were indexed by {key!r}")
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = places[0] if places else len(items)
    missing = [FULL] * (ndim - dimensions) or items[at : at + 1]
    return [*items[:at], *missing, *items[at + 1 :]]


def _resolve(items, shape, owner):
    """Do as `resolve`. Where arrays and integers are neighbours their shape replaces theirs, else it comes first."""
    index, slots, chosen = [], [], []  # of an axis; of the result: lengths of slices; places of arrays and integers
    for at, k in enumerate(items):
        if k is None:
            slots.append(None)
        elif k is Ellipsis:
            continue
        elif isinstance(k, slice):
            slots.append(len(range(*k.indices(shape[len(index)]))))
            index.append(k)
        else:
            chosen.append((at, len(slots)))
            index.extend(_to_indices(k, shape, len(index), at, owner))
    block = _broadcast_shape([k.shape for k in index if is_array(k)])
    together = all(b[0] == a[0] + 1 for a, b in itertools.pairwise(chosen))
    front = chosen[0][1] if chosen and together else 0
    return tuple(index), slots, block, front


def _broadcast_shape(shapes):
    if not shapes or shapes.count(shapes[0]) == len(shapes):
        return shapes[0] if shapes else ()
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shapes = " ".join(map(str, shapes))
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}; use numpy.ix_(i, j)"
        ) from None


def _to_indices(k, shape, axis, at, owner):
    """Return the axes that one integer, array or mask takes: one index for each."""
    if isinstance(k, int):
        return [_wrap_integer(int(k), axis, shape[axis])]
    if k.dtype == bool:
        meant = shape[axis : axis + k.ndim]
        if k.shape != meant:
            raise IndexError(f"bool index {at} has shape {k.shape} instead of {meant}, the shape of the axes it selects from")
        return [move_beside(owner, x).astype(np.int64, copy=False) for x in _find_true(k)]
    if k.ndim > 2 and len(shape) < 3:
        raise IndexError(f"an array of indices must have one or two dimensions, got {k.ndim}")
    return [_wrap_indices(k, axis, shape[axis])]


def _find_true(mask):
    """Return the indices of what is true, an array for each axis. A matrix of SciPy lists a position once for each of its
    entries."""
    if is_array(mask) or hasattr(type(mask), "_csr"):
        return mask.nonzero()
    csr, ndim = build.from_anything(mask)
    csr = sum_duplicates(csr)
    at = csr.data.nonzero()[0]
    return (csr.plan(rows_of_entries)[at], csr.indices[at])[-ndim:]


def _wrap_indices(indices, axis, length):
    """Return indices with negative ones counted from the end. *Cost*: a pass, and three more if there are any."""
    if is_outside(indices, length):
        for extreme in (to_host_scalar(indices.max()), to_host_scalar(indices.min())):
            if not -length <= extreme < length:
                raise _range_error(extreme, axis, length)
        indices = indices.astype(np.int64)
        return namespace_of(indices).where(indices < 0, indices + length, indices)
    return indices.astype(np.int64, copy=False)


def _wrap_integer(k, axis, length):
    """Return an integer in `[0, length)`: a negative one counts from the end."""
    if not -length <= k < length:
        raise _range_error(k, axis, length)
    return k % length


def _range_error(k, axis, length):
    return IndexError(f"index ({operator.index(k)}) out of range for axis {axis} with size {length}")


def make_grid(index, shape, xp):
    """Return the positions of an index as two int64 arrays of two dimensions that broadcast: every row with every column, or
    pairs.

    IndexError for an array of two dimensions beside a slice: the positions would have three.
    """
    index = index if len(index) == 2 else (0, *index)
    shape = shape if len(shape) == 2 else (1, *shape)
    if any(isinstance(k, slice) for k in index) and any(is_array(k) and k.ndim == 2 for k in index):
        raise IndexError(
            "an array of indices of two dimensions beside a slice leads to more than two: use one of one dimension"
        )
    rows, columns = (_list_indices(k, length, xp) for k, length in zip(index, shape, strict=True))
    if isinstance(index[0], slice) or isinstance(index[1], slice):
        return rows.reshape(-1, 1), columns.reshape(1, -1)
    rows, columns = (k if k.ndim == 2 else k[None] for k in (rows, columns))
    return rows, columns


def _list_indices(k, length, xp):
    """Return the indices that an integer, slice or array stands for."""
    if is_array(k):
        return k
    chosen = range(length)[k] if isinstance(k, slice) else range(k, k + 1)
    return xp.arange(chosen.start, chosen.stop, chosen.step, dtype=np.int64)
