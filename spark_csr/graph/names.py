"""Names of vertices: kept with a graph, looked up, and put on results."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import index_dtype, is_device_array, read_only, refuse_masked, to_host_scalar
from spark_csr._current_device import methods_on_their_device
from spark_csr._ragged import Ragged
from spark_csr.graph.columns import as_host_names, read_names, refuse_unhashable
from spark_csr.graph.vertices import look_up
from spark_csr.primitives._check import find_first_true

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


@methods_on_their_device
class Names:
    """The methods of `Graph` that know its vertices by name."""

    _names: np.ndarray[Any, Any] | None = None
    _places: dict[Any, int] | None = None

    if TYPE_CHECKING:  # `Graph` defines this
        n_vertices: Any

    @property
    def names(self) -> np.ndarray[Any, Any] | None:
        """The name of every vertex, or None if the graph has no names.

        The names are an array on the host: of integers, or of dtype object. It is read-only. `transpose`, `symmetrize` and
        `to_device` keep the names.
        """
        return None if self._names is None else read_only(self._names)

    def vertex(self, name: Any) -> int:
        """Return the vertex that has a name.

        Parameters
        ----------
        name : object
            The name. A graph without names takes the number of the vertex.

        Returns
        -------
        int
            The vertex, a number from 0 on.

        Raises
        ------
        KeyError
            If no vertex has this name. The message has a name that is like it, if there is one.
        TypeError
            If the object cannot be hashed.

        Notes
        -----
        Wherever a function of `spark_csr.graph` takes vertices of a graph, it takes their names as well: one name, or a list or
        another column of names and numbers. An integer is always the number of a vertex, also in a graph whose names are
        integers: algorithms return numbers, which are given to the next algorithm. In such a graph this method, and `vertices`
        for several, are the way to write a name. A tuple that is itself a name counts as that name. *Cost*: a look-up in a
        dict, which the first use of a name makes of all names.
        """
        return look_up(self, [name], "names", only=True)[0]

    def vertices(self, names: ArrayLike) -> Array:
        """Return the vertices that have these names.

        Parameters, result and exceptions that are not listed are those of `vertex`; the message says which name has no vertex.

        Parameters
        ----------
        names : (k,) array_like
            The names. A graph without names takes numbers of vertices.

        Returns
        -------
        (k,) array of int32, or int64 for 2**31 or more vertices
            The vertex of every name, on the host.
        """
        listed = getattr(names, "tolist", None) or getattr(names, "to_pylist", None)  # the latter of Arrow's columns
        wanted = list(names if listed is None else listed())
        return np.array(look_up(self, wanted, "names", only=True), index_dtype(self.n_vertices))

    def names_of(self, vertices: Array | Ragged) -> Any:
        """Return the names of vertices, such as those of a path or of a core, or the predecessors that a search returns.

        Parameters
        ----------
        vertices : array or Ragged of ints
            The vertices, in an array of any shape, or in lists, as `path` returns for several targets. A negative number stands
            for no vertex.

        Returns
        -------
        array of the shape of `vertices`, or list
            The name of every vertex, on the host, or its number if the graph has no names. If there are negative numbers, the
            dtype is object, and None is in their positions. For a `Ragged`, a list with what its rows give.

        Raises
        ------
        TypeError
            If `vertices` does not hold integers.
        ValueError
            If a number is not below that of vertices. The message names it.
        """
        if isinstance(vertices, Ragged):
            return [self.names_of(row) for row in vertices]
        refuse_masked("vertices", vertices)
        ids = _to_host(vertices)
        if ids.size == 0:
            ids = ids.astype(np.int64)
        if ids.dtype.kind not in "iu":
            raise TypeError(
                f"vertices must hold integers, got dtype {ids.dtype}: G.vertices(names) returns the vertices of names"
            )
        at = find_first_true((ids >= self.n_vertices).reshape(-1))
        if at is not None:
            raise ValueError(f"vertices must be below {self.n_vertices}, got {to_host_scalar(ids.reshape(-1)[at])}")
        nowhere = ids < 0
        if not nowhere.any():
            return ids if self._names is None else self._names[ids]
        named = np.full(ids.shape, None, object)
        named[~nowhere] = self.names_of(ids[~nowhere])
        return named

    def named(self, values: Array | Mapping[str, Array]) -> Any:
        """Return one value for each vertex as a pandas Series by name, or several as a DataFrame.

        Parameters
        ----------
        values : (n,) array, or dict of (n,) arrays
            A value for every vertex, as `pagerank` and other algorithms return them; or several of these, by the names of their
            columns. Arrays on a GPU are copied to the host.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            The values, whose index is the names, or the numbers of the vertices if the graph has no names. If pandas is not
            installed: a dict from names to values; for several columns, a dict of such dicts.

        Raises
        ------
        ValueError
            If an array does not have one value for each vertex.

        Notes
        -----
        Results that are vertices, such as paths and predecessors, become names by `names_of`. *Order*: that of the vertices.

        Examples
        --------
        >>> from spark_csr.graph import Graph, bfs
        >>> G = Graph.from_edges(["ann", "bob"], ["bob", "cleo"])
        >>> distance, before = bfs(G, "ann")
        >>> for name, edges in G.named(distance).items():
        ...     print(name, edges)
        ann 0
        bob 1
        cleo 2
        """
        several = isinstance(values, Mapping)
        columns = {key: self._check_values(key, x) for key, x in (values if several else {"values": values}).items()}
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            names = range(self.n_vertices) if self._names is None else self._names.tolist()
            dicts = {key: dict(zip(names, x.tolist(), strict=True)) for key, x in columns.items()}
            return dicts if several else dicts["values"]
        index = pandas.RangeIndex(self.n_vertices) if self._names is None else pandas.Index(self._names, tupleize_cols=False)
        return pandas.DataFrame(columns, index=index) if several else pandas.Series(columns["values"], index=index)

    def __contains__(self, name: object) -> bool:
        """Return whether a vertex has this name, or, in a graph without names, this number."""
        try:
            return name in self._lookup()
        except TypeError:  # what cannot be hashed is no name
            return False

    def _lookup(self):
        """Return the vertex of every name: a dict, which is made when it is first asked for, or a range of numbers."""
        if self._names is None:
            return _Numbers(self.n_vertices)
        if self._places is None:
            self._places = {name: vertex for vertex, name in enumerate(self._names.tolist())}
        return self._places

    def _check_values(self, key, x):
        x = _to_host(x)
        if x.shape != (self.n_vertices,):
            advice = ": names_of returns the names of vertices" if x.dtype.kind in "iu" else ""
            raise ValueError(
                f"{key} must have one value for each of the {self.n_vertices} vertices, got shape {x.shape}{advice}"
            )
        return x


class _Numbers:
    """The numbers from 0 to n - 1, as a dict in which each is its own value."""

    def __init__(self, n):
        self.n = n

    def __contains__(self, name):
        return isinstance(name, (int, np.integer)) and 0 <= name < self.n

    def get(self, name, default=None):
        return int(name) if name in self else default


def check_names(names, n=None):
    """Return names as an array on the host; raise ValueError or TypeError if they are not `n`, or not different names."""
    array = as_host_names(read_names("names", names))
    seen, listed = {}, array.tolist()
    refuse_unhashable("names", listed)
    if n is not None and array.size != n:
        raise ValueError(f"names must have one name for each of the {n} vertices, got {array.size}")
    for vertex, name in enumerate(listed):
        first = seen.setdefault(name, vertex)
        if first != vertex:
            raise ValueError(f"names must differ from each other, got {name!r} as names[{first}] and names[{vertex}]")
    return array


def take_names(names, vertices):
    """Return the names of some vertices of a graph, of which a graph of these alone is made; None if it has no names."""
    return names if names is None else names[_to_host(vertices)]


def _to_host(x):
    return x.get() if is_device_array(x) else np.asarray(x)
