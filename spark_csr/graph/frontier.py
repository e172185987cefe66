"""`Frontier`: some of a graph's vertices or edges, as a list or as a bitmap.

Design: operators that push read a list, and operators that pull test whether a vertex is in a bitmap. A frontier holds the one
that it was made of, makes the other when it is asked for, and keeps both until items are added. Zero is an item like any other:
no value stands for a missing item.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from spark_csr import _absent
from spark_csr._array import (
    device_of,
    index_dtype,
    is_array,
    namespace_for,
    namespace_of,
    read_only,
    to_host_scalar,
)
from spark_csr._current_device import methods_on_their_device
from spark_csr._engine import njit
from spark_csr.graph.vertices import check_items, read_vertices
from spark_csr.primitives import _check
from spark_csr.primitives.compact import count_selected_before, write_selected
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike
    from spark_csr.graph.graph import Graph

KINDS = "vertex", "edge"


@njit
def _mark(i, items, bitmap):
    """Mark an item. Threads that mark a repeated item store the same value."""
    bitmap[items[i]] = True


@methods_on_their_device
class Frontier:
    """Vertices or edges of a graph, as a list that may grow or as a bitmap.

    Parameters
    ----------
    kind : {"vertex", "edge"}
        What the items are.
    items : int or (k,) array_like of ints, optional
        The items, in any order. An item that is listed twice is in the frontier twice. Give exactly one of `items` and
        `bitmap`.
    bitmap : (n,) array of bool, optional
        True for every item in the frontier.
    n : int, optional
        The number of vertices or edges of the graph. It is required with `items`. With `bitmap` it must be the length of the
        bitmap, and that is the default.

    Attributes
    ----------
    kind : {"vertex", "edge"}
        What the items are.
    n : int
        The number of vertices or edges of the graph.
    edges : (k,) array of ints or None
        The edge by which `advance(..., unique=True)` reached each item; None for other frontiers.
    sources : (k,) array of ints or None
        The vertex from which `advance(..., unique=True)` reached each item; None for other frontiers.

    Raises
    ------
    ValueError
        If `kind` is unknown, if an item is outside `[0, n)` (the message names the first one; the items are checked only if
        `config.validate`), if the length of `bitmap` is not `n`, or if not exactly one of `items` and `bitmap` is given.
    TypeError
        If the items are not integers, or if `bitmap` is not bool.

    Notes
    -----
    `len` of a frontier is its number of items, and repeated items count repeatedly.

    *Cost*: that of the checks, and a copy of the array that is given. Making a bitmap of a list is one pass over the list and
    one over the bitmap. Making a list of a bitmap, or counting its items, is two passes over it and one host read, done once.
    *Empty input*: a frontier may be empty.

    Examples
    --------
    >>> from spark_csr.graph import Frontier, Graph
    >>> G = Graph([[0, 1], [1, 0]])
    >>> Frontier.of(G, 1), Frontier.all(G)
    (Frontier(1 of 2 vertices, cpu), Frontier(2 of 2 vertices, cpu))
    >>> F = Frontier("vertex", [3, 0], n=4)
    >>> F.bitmap
    array([ True, False, False,  True])
    >>> F.add([1])
    >>> F
    Frontier(3 of 4 vertices, cpu)
    >>> F.items
    array([3, 0, 1], dtype=int32)
    """

    kind: Literal["vertex", "edge"]
    n: int
    edges: Array | None
    sources: Array | None

    if not TYPE_CHECKING:  # type checkers would accept any name
        __getattr__ = _absent.hint_at(_absent.FRONTIER)

    def __init__(
        self,
        kind: Literal["vertex", "edge"],
        items: ArrayLike | None = None,
        *,
        bitmap: Array | None = None,
        n: int | None = None,
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind must be 'vertex' or 'edge', got {kind!r}")
        if (items is None) == (bitmap is None):
            given = "neither" if items is None else "both"
            raise ValueError(f"give either items or bitmap, and not both: got {given}")
        if bitmap is not None:
            n = _check.one_dimensional("bitmap", bitmap).size if n is None else operator.index(n)
            bitmap = _check.mask("bitmap", bitmap, n).copy()
        elif n is None:
            raise ValueError("items need n, the number of vertices or edges: give n, or use Frontier.of(G, items)")
        else:
            n = operator.index(n)
            items = check_items(namespace_of(items) if is_array(items) else np, items, n).copy()
        self._set(kind, n, items, bitmap, False)

    def _set(self, kind, n, items, bitmap, ascending):
        self.kind, self.n = kind, n
        self._buffer, self._size, self._bitmap = items, 0 if items is None else items.size, bitmap
        self._ascending, self.edges, self.sources = ascending, None, None

    @classmethod
    def _of(cls, kind, n, items=None, *, bitmap=None, ascending=False):
        """Return a frontier of arrays that need no checks; `ascending` says that the items ascend and that none is repeated."""
        self = cls.__new__(cls)
        self._set(kind, n, items, bitmap, ascending)
        return self

    @classmethod
    def of(cls, G: Graph, items: ArrayLike, kind: Literal["vertex", "edge"] = "vertex") -> Self:
        """Return a frontier of some vertices or edges of a graph, on the device of the graph.

        Parameters
        ----------
        G : Graph
            The graph.
        items : int, name, or (k,) array_like of these
            The vertices, in any order: numbers, or names if the graph has names (see `Graph.vertex`). Or the ids of edges.
        kind : {"vertex", "edge"}, default: "vertex"
            What the items are.

        Returns
        -------
        Frontier
            The frontier of these items, as a list.

        Raises
        ------
        ValueError, KeyError, TypeError
            As the class, or if no vertex has one of the names.
        """
        found = cls._from_argument("items", G, items, kind)
        found._buffer = found._buffer.copy()  # what others write into their arrays is not checked
        return found

    @classmethod
    def _from_argument(cls, name, G, items, kind="vertex"):
        """Do as `of` does, with the name of the caller's argument in errors."""
        n = extent_of(G, kind)
        if kind == "vertex":
            return cls._of(kind, n, read_vertices(G, items, name))
        return cls._of(kind, n, check_items(namespace_for(G.device), items, n, name))

    @classmethod
    def all(cls, G: Graph, kind: Literal["vertex", "edge"] = "vertex") -> Self:
        """Return the frontier of all vertices, or of all edges, of a graph.

        Parameters, result and exceptions that are not listed are those of `of`; the items are all vertices or edges in
        ascending order.
        """
        n = extent_of(G, kind)
        xp = namespace_for(G.device)
        return cls._of(kind, n, xp.arange(n, dtype=index_dtype(n)), bitmap=xp.ones(n, bool), ascending=True)

    @property
    def items(self) -> Array:
        """The items as a read-only array, int32 where `n` fits and int64 otherwise; those of a bitmap ascend."""
        return read_only(self._list())

    def _list(self):
        """Return the items as kernels take them."""
        if self._buffer is None:
            self._buffer, self._ascending = _items_of(self._bitmap), True
            self._size = self._buffer.size
        return self._buffer[: self._size]

    @property
    def bitmap(self) -> Array:
        """A read-only `(n,)` array of bool, True for every vertex or edge in the frontier."""
        return read_only(self._as_bitmap())

    def _as_bitmap(self):
        """Return the bitmap as kernels take it."""
        if self._bitmap is None:
            marked = namespace_of(self._buffer).zeros(self.n, bool)
            for_each(self._size, _mark, self._list(), marked)
            self._bitmap = marked
        return self._bitmap

    @property
    def _holder(self):
        return self._bitmap if self._buffer is None else self._buffer

    @property
    def device(self) -> str:
        """The device of the arrays: `"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return device_of(self._holder)

    def add(self, items: ArrayLike) -> None:
        """Append items to the list.

        Parameters
        ----------
        items : int or (k,) array_like of ints
            The items to append. They may be in the frontier already, and are then repeated.

        Notes
        -----
        `edges` and `sources` become None when items are added. *Cost*: a copy of the new items. The capacity of the list is
        doubled when it is used up, so adding many items one by one takes linear time.
        """
        new = check_items(namespace_of(self._list()), items, self.n)
        xp, start, stop = namespace_of(new, self._buffer), self._size, self._size + new.size
        if start == stop:
            return
        if stop > self._buffer.size:  # so an array of the user's is never written into
            larger = xp.empty(max(stop, 2 * start), self._buffer.dtype)
            larger[:start] = self._buffer[:start]
            self._buffer = larger
        self._buffer[start:stop] = new
        self._size, self._bitmap, self._ascending, self.edges, self.sources = stop, None, False, None, None

    def __len__(self) -> int:
        return self._list().size

    def __repr__(self) -> str:
        nouns = {"vertex": "vertices", "edge": "edges"}
        return f"Frontier({len(self)} of {self.n} {nouns[self.kind]}, {self.device})"


def extent_of(G: Graph, kind: str) -> int:
    """Return the number of vertices or edges of a graph."""
    if kind not in KINDS:
        raise ValueError(f"kind must be 'vertex' or 'edge', got {kind!r}")
    return G.n_vertices if kind == "vertex" else G.n_edges


def _items_of(bitmap):
    """Return the positions of the true elements of a bitmap."""
    mask = bitmap.view(np.uint8)
    before = count_selected_before(mask)
    items = namespace_of(bitmap).empty(to_host_scalar(before[-1]), index_dtype(bitmap.size))
    write_selected(None, mask, before, items)
    return items
