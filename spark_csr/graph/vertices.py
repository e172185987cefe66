"""Read vertices that are given by number or by name: every function of graphs that takes vertices reads them here.

Design: an integer is the number of a vertex, also if names are integers. Algorithms return numbers, and what one returns is
given to the next, so a number must not change its meaning with the graph. Anything else is looked up among the names. Integers
are told by their dtype, or by the types of a list, so numbers cost no look-up, and a graph without names none at all.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import index_dtype, is_array, namespace_for, refuse_masked
from spark_csr._operations.form import check

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph

NUMBERS = int, float, complex, np.number, np.bool_

MOST = 1 << 14
"""Names that are compared with one that is not there, which takes a tenth of a second. Not tuned."""


def read_vertices(G: Graph, vertices: Any, argument: str) -> Array:
    """Return vertices, given by number or by name, one or several, as an index array on the device of the graph."""
    n, xp = G.n_vertices, namespace_for(G.device)
    if type(vertices) is int and 0 <= vertices < n:  # a plain int needs no checks of arrays
        return xp.full(1, vertices, index_dtype(n))
    numbers = number_names(G, vertices, argument)
    try:
        return check_items(xp, numbers, n, argument)
    except ValueError as error:
        raise ValueError(f"{error}{_hint_at_names(G)}") from None


def read_vertex(G: Graph, vertex: Any, argument: str) -> int:
    """Return one vertex, given by number or by name, as an integer of Python."""
    numbers = _number_names(G, vertex, argument)
    if isinstance(numbers, (str, bytes)):
        _refuse_names(argument, vertex)
    number = operator.index(numbers.item(0) if numbers is not vertex and numbers.size == 1 else vertex)
    if not 0 <= number < G.n_vertices:
        raise ValueError(f"{argument} must lie in [0, {G.n_vertices}), got {number}{_hint_at_names(G)}")
    return number


def number_names(G: Graph, vertices: Any, argument: str) -> Any:
    """Return an array of numbers, on the device of the graph, for names and for lists of names and numbers.

    Return what holds no names as it is.
    """
    numbers = _number_names(G, vertices, argument)
    return numbers if numbers is vertices else namespace_for(G.device).asarray(numbers)


def _number_names(G, vertices, argument):
    """Do as `number_names`, but return an array on the host."""
    if G._names is None or isinstance(vertices, (int, np.integer)):
        return vertices
    if isinstance(vertices, (str, bytes)) or (isinstance(vertices, tuple) and vertices in G):
        names = [vertices]
    elif isinstance(vertices, (list, tuple)):
        if all(issubclass(kind, NUMBERS) for kind in set(map(type, vertices))):
            return vertices
        names = list(vertices)
    else:
        column = vertices if is_array(vertices) else np.asarray(vertices)
        if column.dtype.kind not in "OUST" or column.ndim > 1:
            return vertices
        if column.ndim == 0 and isinstance(vertices, (set, frozenset)) and vertices not in G:
            raise TypeError(f"{argument} must be a name or a list of names, got a set, which has no order: use sorted(...)")
        names = column.tolist() if column.ndim else [column.item()]
    return np.array(look_up(G, names, argument), index_dtype(max(G.n_vertices, 1)))


def look_up(G: Graph, names: list[Any], argument: str, only: bool = False) -> list[int]:
    """Return the vertices of names as a list, in which integers are numbers of vertices unless `only` names are wanted.

    Raise KeyError with the first name that is not there, and with one like it.
    """
    places, numbers = G._lookup(), () if only else (int, np.integer)
    try:
        found = [int(name) if isinstance(name, numbers) else places.get(name, None) for name in names]
    except TypeError:
        name = next(name for name in names if not isinstance(name, (str, bytes, *numbers)) and not _is_hashable(name))
        raise TypeError(f"{argument} must hold names of vertices, got {name!r}, which is no name") from None
    if None in found:
        at = found.index(None)
        where = f", which is {argument}[{at}]" if len(names) > 1 else ""
        raise KeyError(f"no vertex has the name {names[at]!r}{where}: {suggest(G, names[at])}")
    if found and not only and not 0 <= min(found) <= max(found) < G.n_vertices:  # one that fits no dtype, perhaps
        at = next(at for at, number in enumerate(found) if not 0 <= number < G.n_vertices)
        raise ValueError(f"{argument} must lie in [0, {G.n_vertices}), got {argument}[{at}] = {found[at]}")
    return found


def suggest(G: Graph, name: Any) -> str:
    """Return what to write instead of a name that no vertex has."""
    if G._names is None:
        return "the graph has no names, and takes the numbers of vertices"
    places = G._lookup()
    twin = next((x for x in _twins(name) if x in places), None)
    near = [twin] if twin is not None else _find_near(places, name) if isinstance(name, str) else []
    if not near:
        return "G.names has the names"
    return f"did you mean {near[0]!r}?" if isinstance(name, type(near[0])) else f"did you mean G.vertex({near[0]!r})?"


def _twins(name):
    """Yield names that differ in type from one, or in blanks around it."""
    if isinstance(name, bytes):
        yield name.decode(errors="replace")
    elif isinstance(name, str):
        yield name.strip()
        if name.strip().removeprefix("-").isdecimal():
            yield int(name)
    elif isinstance(name, (int, np.integer)):
        yield str(name)


def _find_near(places, name):
    """Return a list with the name that is most like one, or without any."""
    import difflib  # which only errors need

    folded = name.casefold()
    likely, others = [], []
    for other in places:
        if isinstance(other, str) and abs(len(other) - len(name)) <= max(2, len(name) // 3):
            if other.casefold() == folded:
                return [other]
            (likely if other[:1].casefold() == folded[:1] else others).append(other)
    return difflib.get_close_matches(name, (likely + others)[:MOST], 1)


def _is_hashable(name):
    try:
        hash(name)
    except TypeError:
        return False
    return True


def _hint_at_names(G):
    """Return what to add to the message about a number that is no vertex, if it may be meant as a name."""
    if G._names is None or G._names.dtype.kind not in "iu":
        return ""
    return ": integers are numbers of vertices, and G.vertex(name) returns that of a name"


def _refuse_names(argument, first=""):
    raise TypeError(f"{argument} must hold numbers, got {first!r}: names need a graph that has names, as Graph(A, names=...)")


def check_items(xp: Any, items: Any, n: int, name: str = "items") -> Array:
    """Return numbers of vertices or edges as an index array of the dtype that holds `n`."""
    refuse_masked(name, items)
    given = items if is_array(items) else np.atleast_1d(np.asarray(items))
    if given.dtype.kind in "OUST":
        _refuse_names(name, *given.reshape(-1)[:1].tolist())
    if given is not items:
        items = xp.asarray(given if given.size else given.astype(np.int64))
    check.index_array(name, items)
    if items.dtype.kind not in "iu":
        items = items.astype(np.int64)
    if check.config.validate:
        check.within(name, items, n)
    return check.as_index(items, n)
