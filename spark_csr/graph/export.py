"""Convert graphs to tables of edges, and write such tables to files.

Design: text is written by Python's `csv`, in slices of rows, so no other library is needed and no table is made in memory. What
text cannot keep is refused: names that would be read as other names.
"""

from __future__ import annotations

import csv
import importlib
import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._current_device import methods_on_their_device
from spark_csr._files import open_to_write
from spark_csr._foreign import wait_for
from spark_csr.graph.tables import PARQUET
from spark_csr.io._errors import import_packing, packing_of, without_packing
from spark_csr.primitives._check import find_first_true

ROWS = 1 << 16
"""Rows of text that are written at once. Not tuned."""

TEXT = {".csv": ",", ".tsv": "\t"}


@methods_on_their_device
class Export:
    """The methods of `Graph` that make tables of its edges."""

    if TYPE_CHECKING:  # `Graph` defines these
        directed: Any
        n_vertices: Any
        sources: Any
        to_device: Any
        _csr: Any
        _names: Any

    def to_pandas(self) -> Any:
        """Return the table of the edges, with the names of their vertices.

        Returns
        -------
        pandas.DataFrame
            The columns `source`, `target` and `weight`, with a row for every edge in the order of their ids. An undirected
            graph has one row for both directions of an edge. Vertices are names, or numbers if the graph has no names.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Notes
        -----
        `Graph.from_edges(table["source"], table["target"], table["weight"], names=G.names, directed=G.directed)` converts back.
        *Cost*: a pass over the edges; a graph on a GPU is copied to the host first. *Empty input*: a table without rows.

        Examples
        --------
        >>> from spark_csr.graph import Graph
        >>> print(Graph.from_edges(["ann", "bob"], ["bob", "cleo"], [5, 7]).to_pandas())
          source target  weight
        0    ann    bob       5
        1    bob   cleo       7
        """
        try:
            library = importlib.import_module("pandas")
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: install it with: pip install pandas") from error
        source, target, weight = _edges_of(self)
        if self._names is not None:
            source, target = self._names[source], self._names[target]
        return library.DataFrame({"source": source, "target": target, "weight": weight})

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table of the edges to a file, which `Graph.read` reads.

        Parameters
        ----------
        path : str or path
            The file. The extension `.csv` means columns separated by commas, `.tsv` by tabs, and `.parquet` or `.pq` a parquet
            file. Text is compressed if a further extension is `.gz`, `.bz2`, `.xz` or `.zst`. A file that is there is replaced
            when the new one is whole.

        Raises
        ------
        ValueError
            If the extension is another one, if a weight is NaN, or if text cannot keep a name: one that is empty, that begins
            or ends with blanks, or that has several lines.
        TypeError
            If names are neither all integers nor all strings, or if weights are complex.
        ImportError
            If the file is a parquet file and pyarrow is not installed.
        OSError
            If the file cannot be written.

        Notes
        -----
        The columns are `source`, `target` and `weight`. An undirected graph has one row for both directions of an edge, and the
        column `type`, which Gephi knows, with "Undirected". A table of edges has no vertices without edges, and
        `Graph.read` numbers the vertices anew, in the order of their names; the numbers of a graph without names become names.
        From text it reads weights as float64, and names as integers if all are written so. *Cost*: Python's `csv` writes text,
        about a million rows in a second. *Empty input*: a table without rows.

        Examples
        --------
        >>> import os
        >>> import tempfile
        >>> from spark_csr.graph import Graph
        >>> G = Graph.from_edges(["ann", "bob"], ["bob", "cleo"], [5, 7], directed=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "edges.csv")
        ...     G.write(path)
        ...     with open(path) as file:
        ...         print(file.read(), end="")
        ...     print(Graph.read(path))
        source,target,weight,type
        ann,bob,5,Undirected
        bob,cleo,7,Undirected
        Graph(3 named vertices, 4 edges, undirected, cpu)
        """
        name = os.fspath(path)
        packing = packing_of(name)
        kind = os.path.splitext(without_packing(name.lower()))[1]
        if kind not in TEXT and (packing or kind not in PARQUET):
            raise ValueError(f"{name}: a table of edges is .csv, .tsv, .csv.gz, .tsv.gz or .parquet, by the end of its name")
        source, target, weight = _edges_of(self)
        names = np.arange(self.n_vertices) if self._names is None else self._names
        _check_names(name, names, kind in TEXT)
        _check_weights(name, weight)
        if kind in PARQUET:
            _write_parquet(path, names, source, target, weight, self.directed)
            return
        with open_to_write(path) as file:
            if packing is None:
                _write_text(file, TEXT[kind], names, source, target, weight, self.directed)
            else:
                with import_packing(packing).open(file, "wb") as packed:
                    _write_text(packed, TEXT[kind], names, source, target, weight, self.directed)


def _edges_of(G):
    """Return the sources, targets and weights of the edges on the host; those of an undirected graph once."""
    G = G.to_device("cpu")
    source, target, weight = G.sources(), G._csr.indices, G._csr.data
    if G.directed:
        return source, target, weight
    once = source <= target
    return source[once], target[once], weight[once]


def _check_names(path, names, of_text):
    """Raise an exception for names that the file would not keep."""
    if names.dtype.kind in "iu":
        return
    listed = names.tolist()
    kinds = {next((x for x in (str, int) if issubclass(kind, x)), kind) for kind in set(map(type, listed))}
    if len(kinds) > 1 or not kinds <= {int, str}:
        shown = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"{path}: a table holds names that are all integers or all strings, got {shown}: convert them")
    for name in listed if of_text and kinds == {str} else ():
        if name != name.strip() or not name or "\n" in name or "\r" in name or "\0" in name:
            why = "which is empty, has blanks around it, or has several lines"
            raise ValueError(f"{path}: text cannot keep the name {name!r}, {why}: use .parquet")


def _check_weights(path, weight):
    if weight.dtype.kind == "c":
        raise TypeError(f"{path}: a table holds real weights, got dtype {weight.dtype}: save_npz(path, G.matrix) keeps it")
    at = find_first_true(weight != weight)
    if at is not None:
        raise ValueError(f"{path}: weights must be numbers, got NaN for edge {at} of the table: give the edge another weight")


def _write_text(file, delimiter, names, source, target, weight, directed):
    lines = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["source", "target", "weight"] + ["type"] * (not directed))
    weight = weight.astype(np.uint8) if weight.dtype.kind == "b" else weight
    for first in range(0, source.size, ROWS):
        some = slice(first, first + ROWS)
        columns = [names[source[some]].tolist(), names[target[some]].tolist(), weight[some].tolist()]
        writer.writerows(zip(*columns, *([["Undirected"] * len(columns[0])] * (not directed)), strict=True))
    lines.flush()
    lines.detach()


def _write_parquet(path, names, source, target, weight, directed):
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError("parquet files need pyarrow: install it with: pip install pyarrow") from error
    stored = arrow.array(names) if names.dtype.kind in "iu" else arrow.array(names.tolist())
    columns = {"source": stored.take(arrow.array(source)), "target": stored.take(arrow.array(target)), "weight": weight}
    if not directed:
        columns["type"] = arrow.DictionaryArray.from_arrays(np.zeros(source.size, np.int8), ["Undirected"])
    with open_to_write(path) as file:
        wait_for(parquet.write_table, arrow.table(columns), file)
