"""Ragged arrays to and from awkward-array: the values are shared.

An awkward array of lists of numbers, nested to any depth, becomes a `Ragged`. An awkward array of records, or of lists of
records, becomes a dict with a `Ragged` or an array for each field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._ragged import Ragged
from spark_csr.interop._records import check_records, shared_offsets, split_records

if TYPE_CHECKING:
    from spark_csr._ragged.types import Records

try:
    import awkward
except ImportError as error:
    raise ImportError("spark_csr.interop.awkward needs awkward-array: install it with: pip install awkward") from error

__all__ = ["from_awkward", "to_awkward"]


def __dir__() -> list[str]:
    return __all__


def to_awkward(ragged: Ragged | Records) -> awkward.Array:
    """Return an awkward array that shares the values of a `Ragged`, or of a dict of ragged arrays.

    See the example of `from_awkward`.

    Parameters
    ----------
    ragged : Ragged or dict
        An array; for an array on a GPU, the result has awkward's "cuda" backend. Or records: a dict from names to ragged
        arrays, to arrays of one axis, or to further dicts.

    Returns
    -------
    awkward.Array
        An array with the same lists and values. A dict gives an array of records. The records are nested in the lists that all
        fields share, as `awkward.zip` makes them.

    Raises
    ------
    TypeError
        If something else is given.
    ValueError
        If a dict is empty, or if fields have different numbers of items.

    Notes
    -----
    *Cost*: offsets of 32 bits are copied to 64 bits, since some functions of awkward, such as `sort`, accept only 64 bits.
    """
    return awkward.Array(_to_layout(ragged if isinstance(ragged, Ragged) else check_records(ragged)))


def _to_layout(x):
    """Return the layout of an array or of records."""
    if not isinstance(x, dict):
        return _wrap_lists(awkward.contents.NumpyArray(x.values), x.offsets)
    offsets, fields = split_records(x)
    contents = [_to_layout(field) for field in fields.values()]
    lengths = [content.length for content in contents]
    if len(set(lengths)) > 1:
        raise ValueError(f"fields must have the same number of items, got {dict(zip(fields, lengths, strict=True))}")
    return _wrap_lists(awkward.contents.RecordArray(contents, list(fields)), offsets)


def _wrap_lists(layout, levels):
    for offsets in reversed(levels):
        layout = awkward.contents.ListOffsetArray(awkward.index.Index64(offsets.astype(np.int64, copy=False)), layout)
    return layout


def from_awkward(array: Any) -> Any:
    """Return a `Ragged` with the lists and numbers of an awkward array, or a dict of ragged arrays for records.

    Parameters
    ----------
    array : awkward.Array or layout
        Lists of numbers or of records, nested to any depth. Lists of equal length (regular axes) that are innermost and inside
        of other lists are vectors, which become elements; others count as lists. The type can allow missing values, as types of
        Arrow do, but no value can be missing.

    Returns
    -------
    Ragged or dict
        A `Ragged` that shares the numbers; offsets become int32 if they fit. Numbers that are stored in several arrays or in
        another order are first copied into one array. For records, a dict from the names of the fields to such ragged arrays,
        which share the offsets of the lists that hold the records. A field without lists is a plain array.

    Raises
    ------
    TypeError
        If the array has missing values, unions or strings. The message says which, and what to do.

    Notes
    -----
    *Cost*: one pass that checks the offsets. Virtual arrays are read first. *Empty input*: an empty array of unknown type
    becomes an empty `Ragged` of float64.

    Examples
    --------
    >>> import awkward
    >>> from spark_csr.interop.awkward import from_awkward, to_awkward
    >>> from_awkward(awkward.Array([[1.5, 2], [], [3]]))
    Ragged([[1.5, 2.0], [], [3.0]], dtype=float64)
    >>> records = from_awkward(awkward.Array([[{"x": 1, "y": 1.5}], []]))
    >>> records
    {'x': Ragged([[1], []], dtype=int64), 'y': Ragged([[1.5], []], dtype=float64)}
    >>> print(to_awkward(records)[0])
    [{x: 1, y: 1.5}]
    """
    layout = awkward.to_layout(array)
    if hasattr(awkward, "materialize"):  # older versions have no virtual arrays, which are read when they are used
        layout = awkward.materialize(layout, highlevel=False)
    return _from_layout(layout, ())


def _from_layout(layout, offsets, field=False):
    """Return the array, or the dict of arrays, of a layout that is inside of lists with the given offsets."""
    while True:
        vectors = _open_vectors(layout) if offsets else None
        if vectors is not None:
            return Ragged._sharing(vectors, *offsets)
        layout = _numbers_or_lists(layout)
        if not layout.is_list:
            break
        content, bounds = layout.content, layout.offsets.data
        if content.is_option or content.is_record:  # values outside of the lists may be missing
            first, last = int(bounds[0]), int(bounds[-1])
            content, bounds = content[first:last], bounds - first if first else bounds
        offsets = (*offsets, shared_offsets(bounds, content.length))
        layout = content
    if layout.is_record:
        return {name: _from_layout(layout.content(name), offsets, field=True) for name in layout.fields}
    return Ragged._sharing(layout.data, *offsets) if offsets or not field else layout.data


def _open_vectors(layout):
    """Return numbers in lists of equal length, which their type says, as an array of more than one axis; None for others."""
    if not layout.purelist_isregular or layout.purelist_depth < 2 or layout.fields or layout.purelist_parameter("__array__"):
        return None
    found = layout.to_backend_array()
    if not isinstance(found, np.ma.MaskedArray):
        return found
    return None if np.ma.is_masked(found) else found.data


def _numbers_or_lists(layout):
    """Return a layout as a one-dimensional array of numbers, as lists with offsets, or as records."""
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
        return layout
    if layout.is_indexed:
        return _numbers_or_lists(layout.project())
    if layout.parameter("__array__") in ("string", "bytestring"):
        raise TypeError("the awkward array holds strings: Ragged holds numbers")
    if layout.is_numpy:
        return layout if layout.data.ndim == 1 else _numbers_or_lists(layout.to_RegularArray())
    return layout if hasattr(layout, "offsets") else layout.to_ListOffsetArray64(False)
