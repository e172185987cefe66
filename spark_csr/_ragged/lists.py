"""Ragged arrays from nested lists and back, and the text that shows them.

Design: nested lists are read level by level, not list by list: first the lengths of all lists of a level, then the lists joined
to the items of the next level. The depth is known once the last level is reached.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from spark_csr import _html
from spark_csr._array import (
    device_of,
    index_dtype,
    is_array,
    namespace_of,
    refuse_masked,
    same_device,
    to_device,
    to_host_scalar,
)
from spark_csr._operations.form import dtypes
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import _check, offsets_from_counts
from spark_csr.primitives._check import find_first_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spark_csr._types import Array, ArrayLike, DTypeLike


def _is_list(item):
    return isinstance(item, (list, tuple, range, RaggedBase)) or (is_array(item) and item.ndim > 0)


def _are_lists(items, level):
    """Return whether the items of a level are lists; raise ValueError where some are and some are not."""
    kinds = [_is_list(item) for item in items]
    if any(kinds) and not all(kinds):
        odd = kinds.index(not kinds[0])
        names = {True: "a list", False: "not a list"}
        raise ValueError(
            f"lists must be nested equally deep: at depth {level + 1} item 0 is {names[kinds[0]]} ({items[0]!r:.40}) and "
            f"item {odd} is {names[kinds[odd]]} ({items[odd]!r:.40})"
        )
    return any(kinds)


def _refuse_cycles(lists):
    """Raise ValueError where a list contains itself, at any depth. An empty list may stand at several depths."""
    open_lists, done = {id(lists): iter(lists)}, set()
    while open_lists:
        at, items = next(reversed(open_lists.items()))
        for item in items:
            if isinstance(item, (list, tuple)) and id(item) not in done:
                if id(item) in open_lists:
                    raise ValueError("from_lists cannot read a list that contains itself")
                open_lists[id(item)] = iter(item)
                break
        else:
            done.add(at)
            del open_lists[at]


def _cast(values, items, dtype):
    """Return `values` in another dtype; raise TypeError for the first value that changes by more than a float's rounding.

    The values were made from `items`: NumPy makes floats of integers beyond int64 that stand beside others, unless the dtype is
    given.
    """
    if np.can_cast(values.dtype, dtype):
        return values.astype(dtype, copy=False)
    xp, real = namespace_of(values), dtype.kind != "c"
    with np.errstate(all="ignore"):
        cast = (values.real if real else values).astype(dtype)
        if dtype.kind in "iu" and values.dtype.kind == "f" and not any(map(is_array, (items, *items[:1]))):
            with contextlib.suppress(OverflowError, ValueError):
                cast = to_device(np.asarray(items, dtype), device_of(values))
        lost = cast != values if dtype.kind in "biu" else xp.isfinite(values) & ~xp.isfinite(cast)
    if real and values.dtype.kind == "c":
        lost[...] = True
    at = find_first_true(lost)
    if at is not None:
        raise TypeError(f"values must fit the dtype {dtype}, got {to_host_scalar(values.reshape(-1)[at])} as value {at}")
    return cast


def _join(items):
    """Return the items of all lists of a level; arrays stay one array."""
    if not {list, tuple}.issuperset(map(type, items)):
        for item in items:
            refuse_masked("a list", item)
    if items and all(is_array(item) for item in items):
        return namespace_of(*items).concatenate(items)
    return list(itertools.chain.from_iterable(items))


class Lists(RaggedBase):
    """Nested lists in and out."""

    @classmethod
    def from_lists(
        cls, lists: Sequence[Any] | Array, *, dtype: DTypeLike | None = None, ndim: int | None = None, device: str | None = None
    ) -> Self:
        """Make a ragged array from nested lists.

        Parameters
        ----------
        lists : sequence
            Nested lists or tuples of numbers, of arrays, or of ragged arrays, all nested equally deep. The rows of arrays of
            more than one dimension are elements that are vectors.
        dtype : dtype, optional
            The dtype of the values, which must fit it; floats may be rounded. Default: what NumPy chooses, float64 if there are
            no values.
        ndim : int, optional
            The number of axes. It is needed only if the lists that would show it are empty.
        device : {"cpu", "cuda", "cuda:1", ...}, optional
            The device of the result. Default: that of the arrays given, else the cores.

        Returns
        -------
        Ragged
            An array with these lists and values.

        Raises
        ------
        ValueError
            If a list stands beside a number (the message names the depth and the first such item), if a list contains itself,
            or if `ndim` is not the number of axes.
        TypeError
            If `lists` is not a list, or if values are not numbers or do not fit `dtype`. The message names the first that does
            not fit.

        Notes
        -----
        *Cost*: Python's loops over the lists; a list of arrays is joined at once. *Empty input*: `[]` has one axis, `[[], []]`
        has two.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6, 5, 5], [2], [9, 9]])
        Ragged([[6, 5, 5], [2], [9, 9]], dtype=int64)
        """
        refuse_masked("lists", lists)
        if not _is_list(lists):
            raise TypeError(f"from_lists takes nested lists, got {type(lists).__name__}")
        counts: list[Any] = []
        items, seen = lists, {id(lists)}
        while not is_array(items) and _are_lists(items, len(counts)):
            ids = set(map(id, items))
            if not seen.isdisjoint(ids):
                _refuse_cycles(lists)
            seen |= ids
            counts.append([len(item) for item in items])
            items = _join(items)
        counts += _find_missing_levels(items, counts, ndim)
        values = as_array(_values(items), "values", device)
        if values.ndim > 1 and not counts:
            raise ValueError(f"an array must have one dimension, got {values.ndim}: use Ragged.from_padded")
        values = values if dtype is None else _cast(values, items, dtypes.check_dtype(dtype))
        return cls._of_packed(values, [to_device(_offsets(level), device_of(values)) for level in counts])

    @classmethod
    def from_counts(cls, values: ArrayLike, *counts: ArrayLike) -> Self:
        """Make a ragged array from values and the lengths of the lists.

        Parameters
        ----------
        values : (n,) array
            The values of all lists, one list behind the other. A contiguous array is shared.
        *counts : (m,) integer arrays
            The length of every list: an array for each level, from the outermost level inwards.

        Returns
        -------
        Ragged
            An array whose innermost lists hold all values.

        Raises
        ------
        ValueError
            If a count is negative, or if the counts of a level do not add up to the number of lists or values of the next. The
            message names the level and both numbers.
        TypeError
            If a dtype or an object is not supported, or if the arrays are on different devices.

        Notes
        -----
        *Cost*: a scan of every array of counts, and two host reads for each. *Empty input*: counts may be 0.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Ragged
        >>> Ragged.from_counts(np.array([6, 5, 5, 2]), [3, 0, 1])
        Ragged([[6, 5, 5], [], [2]], dtype=int64)
        """
        numbers = _check.rows("values", as_array(values, "values", None))
        place = device_of(numbers)
        given = [x if is_array(x) else _as_counts(x, f"counts[{level}]", place) for level, x in enumerate(counts)]
        same_device(numbers, *given)
        wanted = [*(x.size for x in given[1:]), len(numbers)][: len(given)]
        offsets = []
        for level, (x, size) in enumerate(zip(given, wanted, strict=True)):
            offsets.append(offsets_from_counts(x))
            total = to_host_scalar(offsets[-1][-1])
            if total != size:
                what = f"there are {size} values" if level == len(given) - 1 else f"counts[{level + 1}] describes {size} lists"
                raise ValueError(f"counts[{level}] must add up to the next level: its sum is {total}, but {what}")
        return cls(numbers, *offsets)

    def to_lists(self) -> list[Any]:
        """Return nested lists of Python numbers.

        Returns
        -------
        list
            One list for each item, or the numbers of an array of one axis.

        Notes
        -----
        *Cost*: copies everything to the host; Python's loops over the lists.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Ragged
        >>> Ragged(np.array([6, 5, 5, 2]), np.array([0, 3, 3, 4])).to_lists()
        [[6, 5, 5], [], [2]]
        """
        packed = self.packed().to_device("cpu")
        items = packed.values.tolist()
        for offsets in reversed(packed.offsets):
            items = [items[start:stop] for start, stop in itertools.pairwise(offsets.tolist())]
        return items

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the items, which are views. *Cost*: the host reads the offsets once."""
        if not self._offsets:
            return iter(self._values)
        return itertools.starmap(self._items_between, itertools.pairwise(self._offsets[0].tolist()))

    def __repr__(self) -> str:
        """Return the lists as text, with the dtype and, on a GPU, the device; the middle of long lists is left out."""
        place = "" if self.device == "cpu" else f", device={self.device!r}"
        shape = self._values.shape[1:]
        dtype = f"({self.dtype}, {shape})" if shape else self.dtype
        return f"Ragged({format_lists(self, len('Ragged('))}, dtype={dtype}{place})"

    def _repr_html_(self) -> str:
        packed = self.packed()
        shape = self._values.shape[1:]
        rows = [("length", f"{len(self):,}"), ("axes", self.ndim), ("dtype", self.dtype)]
        for level, offsets in enumerate(packed.offsets, 1):
            lengths = offsets[1:] - offsets[:-1]
            if lengths.size:
                least, most = to_host_scalar(lengths.min()), to_host_scalar(lengths.max())
                mean = to_host_scalar(offsets[-1]) / lengths.size
                rows.append(
                    (f"lists of axis {level}", f"{lengths.size:,} of {least:,} to {most:,} items, {mean:.3g} on average")
                )
            else:
                rows.append((f"lists of axis {level}", "none"))
        rows += [
            ("values", f"{packed.size:,}{f' of shape {shape}' if shape else ''}"),
            ("memory", _html.bytes_as_text(self.nbytes)),
            ("device", self.device),
        ]
        return _html.table("Ragged", [*rows, ("items", format_lists(self, 0))])


def _as_counts(x, name, device):
    """Return a list of counts as an array; an empty one holds integers."""
    if not hasattr(x, "__len__"):
        raise TypeError(f"{name} must be an array of the lengths of lists, got {x!r}: give one length for each list")
    return as_array(x if len(x) else np.zeros(0, np.int64), name, device)


def _values(items):
    """Return one new array of all values; arrays without dimensions count as numbers."""
    if is_array(items):
        return items.copy()
    return namespace_of(*items).stack(items) if items and all(map(is_array, items)) else np.asarray(items)


def _find_missing_levels(items, counts, ndim):
    """Return the levels of offsets that no item shows."""
    found = len(counts) + 1
    if ndim is None or ndim == found:
        return []
    if ndim < found or len(items):
        raise ValueError(f"ndim is {ndim}, but the lists have {found} axes")
    return [[] for _ in range(ndim - found)]


def _offsets(counts):
    total = sum(counts)
    return np.cumsum([0, *counts], dtype=index_dtype(total))


LINE, EDGE, WHOLE = 100, 3, 60
"""The length of a line; how many items of each end of a long list are shown; up to how many values or lists all are shown."""


def format_lists(ragged, indent):
    """Return the nested lists as text, without the middle of long ones; on a line for each item if one line is too short."""
    packed = ragged.packed()
    rows = _rows(ragged, max([packed.size, *map(len, packed.offsets)]) > WHOLE)
    line = _one_line(rows)
    return line if len(line) + indent <= LINE or _height(rows) == 1 else _lines(rows, indent + 1)


def _rows(ragged, short):
    """Return the shown items as nested lists of texts."""
    n = len(ragged)
    middle = short and n > 2 * EDGE
    if ragged.ndim == 1:
        values = ragged.values
        shown = [str(x) for part in ((values[:EDGE], values[-EDGE:]) if middle else (values,)) for x in part.tolist()]
    else:
        shown = [_rows(ragged._row(i), short) for i in ([*range(EDGE), *range(n - EDGE, n)] if middle else range(n))]
    return [*shown[:EDGE], "...", *shown[EDGE:]] if middle else shown


def _one_line(rows):
    return rows if isinstance(rows, str) else f"[{', '.join(map(_one_line, rows))}]"


def _lines(rows, indent):
    deep = [_lines(row, indent + 1) if _height(row) > 1 else _one_line(row) for row in rows]
    return "[" + f",\n{' ' * indent}".join(deep) + "]"


def _height(rows):
    return 0 if isinstance(rows, str) else 1 + max(map(_height, rows), default=0)
