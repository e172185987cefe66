"""Read tables of edges with names: text whose columns are separated by commas, tabs or blanks, and parquet files.

Design: names are read as text and become integers at the end, where all of them are integers. So no reader's guess of types
decides whether "007" is 7, and it makes no difference to the graph whether Arrow or Python's `csv` reads the file. Arrow does
not know quotes behind blanks, and stops at rows of another length: such files are left to `csv`. The first two lines tell a
table from a list of numbers, and a line that names the columns from an edge; where they do not, the caller must say it.
"""

import ast
import csv
import importlib
import importlib.util
import io
import itertools
import os
import re
from typing import Any, NamedTuple

import numpy as np

from spark_csr._foreign import wait_for
from spark_csr.io._errors import name_errors, open_to_read
from spark_csr.io._watched import open_watched, watch_reading

PARQUET = (".parquet", ".pq")
DELIMITERS = "\t", ",", ";", "|"
ENDS = ("source", "target"), ("from", "to"), ("src", "dst"), ("fromnodeid", "tonodeid")
"""How columns of the sources and the targets are called, in lower case: by networkx and Gephi; igraph; cuGraph; SNAP."""

INTEGER = re.compile(r"-?[0-9]+")
BLANKS_IN_NAMES = r"[\x00-\x20\x{85}\p{Z}{]"
"""Blanks as `str.split` knows them, where Arrow has split lines at spaces; and the beginning of attributes."""

ATTRIBUTES = re.compile(r"""(?<=[\s,;|])\{(?=\}$|\s*['"])""")
"""The beginning of what ends a line of networkx's edge lists: the attributes of the edge, as a dict of Python's."""


def read_parquet(path, wanted, progress=None):
    """Return the columns of the sources, the targets, the weights (or None) and Gephi's Type (or None) in a parquet file."""
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError("parquet files need pyarrow: install it with: pip install pyarrow") from error
    with name_errors(path, "a parquet file of edges"):
        stored = parquet.read_schema(path).names
        chosen = [stored[k] for k in _choose(stored, wanted)]
        kinds = [stored[k] for k in _find_kinds(stored)] if wanted is None else []
        columns = list(dict.fromkeys(chosen + kinds))
        repeated = next((name for name in columns if stored.count(name) > 1), None)
        if repeated is not None:
            raise ValueError(f"{stored.count(repeated)} columns are called {repeated!r}, and parquet files are read by name")
        table = (
            _read_row_groups(parquet, path, columns, progress)
            if progress
            else wait_for(parquet.read_table, path, columns=columns)
        )
        found = [table.column(name) for name in chosen]
        kinds = _as_strings(table.column(kinds[0])) if kinds else None
    return *found[:2], found[2] if len(found) == 3 else None, kinds


def _as_strings(column):
    """Return a column of a table if it holds strings, else None: then it is not what Gephi calls Type."""
    types = importlib.import_module("pyarrow").types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    return column if types.is_string(kind) or types.is_large_string(kind) else None


def _read_row_groups(parquet, path, columns, progress):
    with parquet.ParquetFile(path) as file, watch_reading(progress, "Graph.read", "row groups", file.num_row_groups) as report:
        found = [file.schema_arrow.empty_table().select(columns)]
        for k in range(file.num_row_groups):  # here `a.b` also names the field `b` of a column `a`
            found.append(file.read_row_group(k, columns=columns).select(columns))
            report(k + 1, file.num_row_groups)
    return importlib.import_module("pyarrow").concat_tables(found)


class Look(NamedTuple):
    """What the beginning of a text file shows."""

    skipped: int
    """How many lines come before the first edge or header."""

    delimiter: str | None
    """What separates columns; None: blanks."""

    fields: list[str]
    """The fields of the first line; none if there is no line."""

    second: list[str] | None
    """The fields of the line after it, or None."""

    has_attributes: bool
    """Whether the first line ends with a dict of Python's, as networkx writes it."""

    def has_header(self) -> bool | None:
        """Return whether the first line names columns: None if it may be an edge between two numbers, or cannot be told."""
        first, second = self.fields, self.second or []
        if _find_ends(first):
            return True
        if len(first) < 2 or all(map(_is_number, first[:2])):
            return None
        if self.has_attributes or (len(first) == 3 and _is_number(first[2])):
            return False
        if any(map(_is_number, first)) or len(first) != len(second):
            return None
        if len(first) == 3 and _is_number(second[2]):
            return True
        return True if len(first) == 2 and all(map(INTEGER.fullmatch, second)) else None


def look_at(path: Any) -> Look:
    """Return what the beginning of a text file shows."""
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, which can be read only once
        return Look(0, None, [], None, False)
    with name_errors(path, "a list of edges"):
        return _look(path)


def _find_ends(fields):
    """Return the names of the columns of the sources and the targets in lower case; None if fields do not name them."""
    lower = {field.lower() for field in fields}
    return next((ends for ends in ENDS if lower.issuperset(ends)), None)


def _is_number(field):
    try:
        float(field)
    except ValueError:
        return False
    return True


def read_attributes(line):
    """Return a line of networkx's edge lists, as `1 2 {'weight': 3}`, with the weight in place of the attributes, which is 1
    where they have none; return another line as it is."""
    text = line.rstrip()
    found = ATTRIBUTES.search(text) if text.endswith("}") else None
    if not found or (found.end() + 1 < len(text) and ":" not in text[found.end() :]):
        return line
    try:
        return f"{text[: found.start()]} {float(ast.literal_eval(text[found.start() :]).get('weight', 1))!r}"
    except (AttributeError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError):
        raise ValueError(f"{text.strip()[:80]!r} must end with a dict that has a number as its weight, or none") from None


def read_text(path, wanted, header=None, progress=None):
    """Return the columns of the sources, the targets, the weights (or None) and of Gephi's Type (or None) in a text file.

    `header`: see `Graph.read`.
    """
    with name_errors(path, "a table of edges"):
        if os.path.exists(path) and not os.path.isfile(path):
            raise ValueError("a table is read twice, so it must be a file")
        look = _look(path)
        fields = look.fields
        if header is None:
            header = look.has_header() or any(isinstance(column, str) for column in wanted or ())
        chosen = _choose(fields if header else len(fields), wanted) if fields else []
        if not fields or (header and look.second is None):
            return [], [], None, None
        if not header and len(chosen) == 3:
            _check_first_weight(fields[chosen[2]])
        kinds = _find_kinds(fields) if header and wanted is None else []
        found, layout = None, (look.skipped + bool(header), look.delimiter, len(fields), chosen + kinds, len(chosen))
        if _has_arrow():
            with open_watched(path, progress, "Graph.read") as file:
                found = _by_arrow(io.BytesIO(replace_attributes(file.read())) if look.has_attributes else file, *layout)
        if found is None:
            with open_watched(path, progress, "Graph.read") as file:
                found = _by_csv(file, look.has_attributes, *layout)
    return *found[:2], found[2] if len(chosen) == 3 else None, found[-1] if kinds else None


def find_direction(kinds: Any) -> bool | None:
    """Return whether the edges of a table are directed by what Gephi's column Type says; None if it says nothing."""
    texts = kinds.unique().to_pylist() if hasattr(kinds, "unique") else kinds or []
    said = {text.lower() for text in texts if text}
    if not said or not said <= {"directed", "undirected"}:
        return None
    if len(said) == 2:
        raise ValueError("its column Type has directed and undirected edges: say which they are, as in directed=True")
    return said == {"directed"}


def _find_kinds(fields):
    """Return a list with the position of Gephi's column Type, or without any."""
    lower = [field.lower() for field in fields]
    return [lower.index("type")] if "type" in lower and _find_ends(lower) == ENDS[0] else []


def replace_attributes(text: bytes) -> bytes:
    """Return text with weights in place of attributes of networkx's that hold nothing else; other attributes stay."""
    replaced = (text if text.endswith(b"\n") else text + b"\n").replace(b" {}\n", b" 1\n")
    codes = np.frombuffer(replaced, np.uint8)
    opens, closes, ends = (np.flatnonzero(codes == ord(mark)) for mark in "{}\n")
    plain = replaced.count(b" {'weight': ") == opens.size == closes.size == replaced.count(b"}\n")
    if not plain or (np.searchsorted(ends, opens) != np.searchsorted(ends, closes)).any():
        return text
    return replaced.replace(b" {'weight': ", b" ").replace(b"}\n", b"\n")


def _check_first_weight(field):
    try:
        float(field or 0)
    except ValueError:
        raise ValueError(f"the first line has the weight {field!r}: if this line names the columns, give header=True") from None


def _has_arrow():
    return importlib.util.find_spec("pyarrow") is not None


def _look(path):
    with open_to_read(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as lines:
        for count, line in enumerate(lines):
            if line.strip() and not line.lstrip().startswith(("#", "%")):
                text = read_attributes(line)
                delimiter = next((mark for mark in DELIMITERS if mark in text), None)
                following = next(lines, None)
                second = None if following is None else _split(read_attributes(following), delimiter)
                return Look(count, delimiter, _split(text, delimiter), second, text != line)
        return Look(0, None, [], None, False)


def _split(line, delimiter):
    if delimiter is None:
        return line.split()
    rows = csv.reader([line], delimiter=delimiter, skipinitialspace=delimiter != "\t")
    return [field.strip() for field in next(rows, [])]


def _choose(stored, wanted):
    """Return the positions of two or three columns, given all names of columns, or how many there are without names."""
    count, names = (stored, []) if isinstance(stored, int) else (len(stored), list(stored))
    if wanted is None:
        ends = _find_ends(names)
        if ends:
            lower = [name.lower() for name in names]
            wanted = [lower.index(name) for name in (*ends, "weight") if name in lower]
            wanted += [k for k in range(3) if k not in wanted] if len(wanted) == 2 and ends != ENDS[0] and count == 3 else []
        else:
            wanted = range(3 if count == 3 else 2)
    if isinstance(wanted, str) or len(wanted) not in (2, 3):
        raise ValueError(f"columns must be those of the source, the target and perhaps the weight, got {wanted!r}")
    for column in wanted:
        if column not in (names if isinstance(column, str) else range(count)):
            has = f"columns {', '.join(map(repr, names))}" if names else f"{count} columns without names"
            raise ValueError(f"there is no column {column!r}: the file has {has}")
    return [names.index(column) if isinstance(column, str) else column for column in wanted]


def _by_arrow(file, skipped, delimiter, count, chosen, ends):
    """Return the columns without the blanks around their fields; None if the file is for `_by_csv`.

    Of the columns, `ends` are those of the edge, of which the third is the weight.
    """
    arrow, reader = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    compute = importlib.import_module("pyarrow.compute")
    names = [str(k) for k in range(count)]
    options = (
        reader.ReadOptions(skip_rows=skipped, column_names=names),
        reader.ParseOptions(delimiter=delimiter or " ", quote_char=delimiter is not None and '"'),
        reader.ConvertOptions(
            column_types=dict.fromkeys(names, arrow.large_string()),
            include_columns=names if delimiter is None else list(dict.fromkeys(names[k] for k in chosen)),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    try:
        table = wait_for(reader.read_csv, file, *options)
    except arrow.ArrowInvalid:
        return None
    if delimiter is None and any(column.null_count for column in table.columns):
        return None  # two blanks are one for `_by_csv`: there is no empty field between them
    found = []
    for k in chosen:
        x = compute.utf8_trim_whitespace(table.column(names[k]))
        if compute.any(compute.starts_with(x, '"') if delimiter else compute.match_substring_regex(x, BLANKS_IN_NAMES)).as_py():
            return None
        found.append(compute.if_else(compute.equal(x, ""), None, x))
    try:
        return [*found[:2], *(x.cast(arrow.float64()) for x in found[2:ends]), *found[ends:]]
    except arrow.ArrowInvalid:
        return None


def _by_csv(file, has_attributes, skipped, delimiter, count, chosen, ends):
    found = [[] for _ in chosen]
    with io.TextIOWrapper(file, "utf-8-sig", newline="") as lines:
        rest = itertools.islice(lines, skipped, None)
        rest = map(read_attributes, rest) if has_attributes else rest
        if delimiter is None:
            rows = map(str.split, rest)
        else:
            rows = csv.reader(rest, delimiter=delimiter, skipinitialspace=delimiter != "\t")
        for at, row in enumerate(rows, skipped + 1):
            if not row:
                continue
            if len(row) != count:
                raise ValueError(f"row {at} has {len(row)} columns, and the first has {count}")
            for column, k in zip(found, chosen, strict=True):
                column.append(row[k].strip() or None)
            if ends == 3 and found[2][-1] is not None:
                found[2][-1] = _as_weight(found[2][-1], at)
    return found


def _as_weight(text, row):
    """Return a number, which Python's `float` also reads from 1_0."""
    try:
        return float("" if "_" in text else text)
    except ValueError:
        raise ValueError(f"row {row} has the weight {text!r}, which is no number") from None
