"""Ragged arrays to and from awkward-array: the values are shared.

An awkward array is a tree of layouts. A tree that is a chain of lists and ends in numbers can become a `Ragged`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spark_csr._ragged import Ragged

try:
    import awkward
except ImportError as error:
    raise ImportError("spark_csr.interop.awkward needs awkward-array: install it with: pip install awkward") from error


def to_awkward(ragged: Ragged) -> awkward.Array:
    """Return an awkward array that shares the values of a `Ragged`.

    Parameters
    ----------
    ragged : Ragged
        An array on the cores, or on a GPU, for which the result has awkward's "cuda" backend.

    Returns
    -------
    awkward.Array
        An array with the same lists and values.

    Raises
    ------
    ImportError
        When this module is imported, if awkward-array is not installed.

    Notes
    -----
    *Cost*: one pass over offsets of 32 bits, which become 64 bits: some functions of awkward (`sort`) accept only those.

    Examples
    --------
    >>> from spark_csr import Ragged
    >>> from spark_csr.interop.awkward import to_awkward
    >>> to_awkward(Ragged.from_lists([[1, 2], [], [3]]))
    <Array [[1, 2], [], [3]] type='3 * var * int64'>
    """
    layout = awkward.contents.NumpyArray(ragged.values)
    for offsets in reversed(ragged.offsets):
        layout = awkward.contents.ListOffsetArray(awkward.index.Index64(offsets.astype(np.int64, copy=False)), layout)
    return awkward.Array(layout)


def from_awkward(array: Any) -> Ragged:
    """Return a `Ragged` with the lists and numbers of an awkward array.

    Parameters
    ----------
    array : awkward.Array or layout
        Lists of numbers, nested to any depth. Lists of equal length (regular axes) count as lists. The type may allow missing
        values, as that of an array of Arrow does, if there are none.

    Returns
    -------
    Ragged
        An array that shares the numbers; offsets become int32 where they fit. Numbers that are stored in several pieces or in
        another order are first copied into one array.

    Raises
    ------
    TypeError
        If the array has missing values, records, unions or strings. The message says which, and what to do.
    ImportError
        When this module is imported, if awkward-array is not installed.

    Notes
    -----
    *Cost*: one pass that checks the offsets. *Empty input*: an array of unknown type becomes one of float64 without values.

    Examples
    --------
    >>> import awkward
    >>> from spark_csr.interop.awkward import from_awkward
    >>> from_awkward(awkward.Array([[1.5, 2], [], [3]]))
    Ragged([[1.5, 2.0], [], [3.0]], dtype=float64)
    """
    layout, offsets = _numbers_or_lists(awkward.to_layout(array)), []
    while layout.is_list:
        content, bounds = layout.content, _to_integers(layout.offsets.data)
        if content.is_option:  # values outside of the lists may be missing
            first, last = int(bounds[0]), int(bounds[-1])
            content, bounds = content[first:last], bounds - first
        offsets.append(bounds)
        layout = _numbers_or_lists(content)
    return Ragged(layout.data, *offsets)


def _to_integers(offsets):
    """Return offsets as signed integers: index arrays of this package are never uint32."""
    return offsets.astype(np.int64) if offsets.dtype == np.uint32 else offsets


def _numbers_or_lists(layout):
    """Return a layout as a one-dimensional array of numbers, or as lists with offsets."""
    if layout.is_unknown:
        return layout.to_NumpyArray(np.dtype(np.float64))
    if layout.is_option:  # arrays of Arrow have optional types even if no value is missing
        if layout.mask_as_bool(valid_when=False).any():
            raise TypeError(
                "the awkward array has missing values (None): use awkward.drop_none(array) or awkward.fill_none(array, ...)"
            )
        return _numbers_or_lists(layout.project())
    if layout.is_union:
        raise TypeError("the awkward array holds values of several types: pick one, or convert them")
    if layout.is_record:
        raise TypeError(f"the awkward array holds records with the fields {layout.fields}: pass one of them, array[field]")
    if layout.is_indexed:
        return _numbers_or_lists(layout.project())
    if layout.parameter("__array__") in ("string", "bytestring"):
        raise TypeError("the awkward array holds strings: Ragged holds numbers")
    if layout.is_numpy:
        return layout if layout.data.ndim == 1 else _numbers_or_lists(layout.to_RegularArray())
    return layout if hasattr(layout, "offsets") else layout.to_ListOffsetArray64(False)
