"""`Frontier`: some of a graph's vertices or edges, as a list or as a bitmap.

Design: operators that push walk a list, those that pull ask a bitmap whether a vertex is in it. A frontier holds the one it was
made of, makes the other when asked, and keeps both until it grows. Zero is an item like others: absence is never a value.
"""

import operator

import numpy as np

from spark_csr._array import device_of, index_dtype, is_array, namespace_for, namespace_of, read_only, to_host_scalar
from spark_csr._current_device import methods_on_their_device
from spark_csr._numba import njit
from spark_csr._operations.form import check
from spark_csr.primitives import _check
from spark_csr.primitives.compact import count_selected_before, write_selected
from spark_csr.primitives.foreach import for_each

KINDS = "vertex", "edge"


@njit
def _mark(i, items, bitmap):
    """Items that appear twice store the same value."""
    bitmap[np.uint64(items[i])] = True


@methods_on_their_device
class Frontier:
    """Vertices or edges, in a list that grows or in a bitmap.

    Parameters
    ----------
    kind : {"vertex", "edge"}
    items : sequence or (k,) integer array, optional
        In any order; one that appears twice is in it twice.
    bitmap : (n,) bool array, optional
        True for every item. Give either `items` or `bitmap`; both must not be written into later.
    n : int
        How many vertices or edges there are; of a bitmap its length.

    Attributes
    ----------
    kind, n, device
    items : (k,) read-only array
        int32 where `n` fits, else int64; from a bitmap: ascending.
    bitmap : (n,) read-only bool array
    edges, sources : (k,) arrays or None
        By which edge, and from which vertex, `advance(..., unique=True)` reached every item.

    Raises
    ------
    ValueError
        For an unknown kind, items outside `[0, n)` (the first is named; looked for only if `config.validate`), a bitmap of
        another length than `n`, or not exactly one of `items` and `bitmap`.
    TypeError
        For items that are no integers, or a bitmap that is not bool.

    Notes
    -----
    *Cost*: none but the check. A bitmap of a list: one pass over each; a list, or the number of items, of a bitmap: two passes
    over it and one host read, once. *Empty*: legal.

    Examples
    --------
    >>> from spark_csr.graph import Frontier
    >>> F = Frontier("vertex", [3, 0], n=4)
    >>> F.bitmap
    array([ True, False, False,  True])
    >>> F.add([1])
    >>> F
    Frontier(3 of 4 vertices, cpu)
    >>> F.items
    array([3, 0, 1], dtype=int32)
    """

    def __init__(self, kind, items=None, *, bitmap=None, n=None):
        if kind not in KINDS:
            raise ValueError(f"kind must be 'vertex' or 'edge', got {kind!r}")
        if (items is None) == (bitmap is None):
            raise ValueError("give either items or bitmap, and not both")
        if bitmap is not None:
            n = _check.one_dimensional("bitmap", bitmap).size if n is None else operator.index(n)
            bitmap = _check.mask("bitmap", bitmap, n)
        elif n is None:
            raise ValueError("give n, the number of vertices or edges, beside items, or use Frontier.of(G, items)")
        else:
            n = operator.index(n)
            items = _check_items(namespace_of(items) if is_array(items) else np, items, n)
        self._set(kind, n, items, bitmap, False)

    def _set(self, kind, n, items, bitmap, ascending):
        self.kind, self.n = kind, n
        self._buffer, self._size, self._bitmap = items, 0 if items is None else items.size, bitmap
        self._ascending, self.edges, self.sources = ascending, None, None

    @classmethod
    def _of(cls, kind, n, items=None, *, bitmap=None, ascending=False):
        """A frontier of arrays that are right already; `ascending` says that items ascend, each once."""
        self = cls.__new__(cls)
        self._set(kind, n, items, bitmap, ascending)
        return self

    @classmethod
    def of(cls, G, items, kind="vertex"):
        """A frontier of vertices (or edges) of a graph, on its device: `items` may be one, or a sequence, or an array."""
        return cls._from_argument("items", G, items, kind)

    @classmethod
    def _from_argument(cls, name, G, items, kind="vertex"):
        """Do as `of` does, with the name of the caller's argument in errors."""
        n, xp = extent_of(G, kind), namespace_for(G.device)
        return cls._of(kind, n, _check_items(xp, items, n, name))

    @classmethod
    def all(cls, G, kind="vertex"):
        """All vertices, or all edges, of a graph."""
        n = extent_of(G, kind)
        xp = namespace_for(G.device)
        return cls._of(kind, n, xp.arange(n, dtype=index_dtype(n)), bitmap=xp.ones(n, bool), ascending=True)

    @property
    def items(self):
        """The items of the list, or those of the bitmap in ascending order."""
        return read_only(self._list())

    def _list(self):
        """The items, as kernels take them."""
        if self._buffer is None:
            self._buffer, self._ascending = _items_of(self._bitmap), True
            self._size = self._buffer.size
        return self._buffer[: self._size]

    @property
    def bitmap(self):
        """True for every vertex or edge that is in it."""
        return read_only(self._as_bitmap())

    def _as_bitmap(self):
        """The bitmap, as kernels take it."""
        if self._bitmap is None:
            marked = namespace_of(self._buffer).zeros(self.n, bool)
            for_each(self._size, _mark, self._list(), marked)
            self._bitmap = marked
        return self._bitmap

    @property
    def _holder(self):
        return self._bitmap if self._buffer is None else self._buffer

    @property
    def device(self):
        """`"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return device_of(self._holder)

    def add(self, items):
        """Put more items behind the others; room is doubled when it is used up, so that adding one by one takes linear time."""
        new = _check_items(namespace_of(self._list()), items, self.n)
        xp, start, stop = namespace_of(new, self._buffer), self._size, self._size + new.size
        if start == stop:
            return
        if stop > self._buffer.size:  # so what was given is never written into
            larger = xp.empty(max(stop, 2 * start), self._buffer.dtype)
            larger[:start] = self._buffer[:start]
            self._buffer = larger
        self._buffer[start:stop] = new
        self._size, self._bitmap, self._ascending, self.edges, self.sources = stop, None, False, None, None

    def __len__(self):
        return self._list().size

    def __repr__(self):
        nouns = {"vertex": "vertices", "edge": "edges"}
        return f"Frontier({len(self)} of {self.n} {nouns[self.kind]}, {self.device})"


def extent_of(G, kind):
    """How many vertices or edges a graph has."""
    if kind not in KINDS:
        raise ValueError(f"kind must be 'vertex' or 'edge', got {kind!r}")
    return G.n_vertices if kind == "vertex" else G.n_edges


def _check_items(xp, items, n, name="items"):
    """Return items as an index array of the dtype that holds `n`."""
    if not is_array(items):
        items = np.atleast_1d(np.asarray(items))
        items = xp.asarray(items if items.size else items.astype(np.int64))
    check.index_array(name, items)
    if items.dtype.kind not in "iu":
        items = items.astype(np.int64)
    if check.config.validate:
        check.within(name, items, n)
    return check.as_index(items, n)


def _items_of(bitmap):
    """The positions of true entries."""
    mask = bitmap.view(np.uint8)
    before = count_selected_before(mask)
    items = namespace_of(bitmap).empty(to_host_scalar(before[-1]), index_dtype(bitmap.size))
    write_selected(None, mask, before, items)
    return items
