"""Read tables of edges with names: text whose columns are separated by commas, tabs or blanks, and parquet files.

Design: names are read as text and become integers at the end, where all of them are integers. So no reader's guess of types
decides whether "007" is 7, and it makes no difference to the graph whether Arrow or Python's `csv` reads the file. Arrow does
not know quotes behind blanks, and stops at rows of another length: such files are left to `csv`.
"""

import ast
import csv
import importlib
import importlib.util
import io
import itertools
import os
import re

from spark_csr._foreign import wait_for
from spark_csr.io._errors import name_errors, open_to_read
from spark_csr.io._watched import open_watched, watch_reading

PARQUET = (".parquet", ".pq")
DELIMITERS = "\t", ",", ";", "|"
ATTRIBUTES = re.compile(r"""(?<=[\s,;|])\{(?=\}$|\s*['"])""")
"""The beginning of what ends a line of networkx's edge lists: the attributes of the edge, as a dict of Python's."""


def read_parquet(path, wanted, progress=None):
    """Return the columns of the sources, the targets and, or None, the weights in a parquet file."""
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError("parquet files need pyarrow: install it with: pip install pyarrow") from error
    with name_errors(path, "a parquet file of edges"):
        stored = parquet.read_schema(path).names
        chosen = [stored[k] for k in _choose(stored, wanted)]
        columns = list(dict.fromkeys(chosen))
        table = (
            _read_row_groups(parquet, path, columns, progress)
            if progress
            else wait_for(parquet.read_table, path, columns=columns)
        )
        found = [table.column(name) for name in chosen]
    return found if len(found) == 3 else [*found, None]


def _read_row_groups(parquet, path, columns, progress):
    with parquet.ParquetFile(path) as file, watch_reading(progress, "Graph.read", "row groups", file.num_row_groups) as report:
        found = [file.schema_arrow.empty_table().select(columns)]
        for k in range(file.num_row_groups):
            found.append(file.read_row_group(k, columns=columns))
            report(k + 1, file.num_row_groups)
    return importlib.import_module("pyarrow").concat_tables(found)


def is_table(path):
    """Return whether the first line of a text file names columns `source` and `target`."""
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, which can be read only once
        return False
    with name_errors(path, "a list of edges"):
        return _names_ends(_look(path)[2])


def _names_ends(fields):
    """Return whether fields name the columns of the sources and the targets, as ours do, and Gephi's: Source and Target."""
    return {"source", "target"} <= {field.lower() for field in fields}


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
    """Return the columns of the sources, the targets and, or None, the weights in a text file; `header`: see `Graph.read`."""
    with name_errors(path, "a table of edges"):
        if os.path.exists(path) and not os.path.isfile(path):
            raise ValueError("a table is read twice, so it must be a file")
        comments, delimiter, fields, is_last, has_attributes = _look(path)
        if header is None:
            header = _names_ends(fields) or any(isinstance(column, str) for column in wanted)
        chosen = _choose(fields if header else len(fields), wanted) if fields else []
        if not fields or (header and is_last):
            return [], [], None
        if not header and len(chosen) == 3:
            _check_first_weight(fields[chosen[2]])
        found, layout = None, (comments + bool(header), delimiter, len(fields), chosen)
        if delimiter is not None and not has_attributes and _has_arrow():
            with open_watched(path, progress, "Graph.read") as file:
                found = _by_arrow(file, *layout)
        if found is None:
            with open_watched(path, progress, "Graph.read") as file:
                found = _by_csv(file, *layout)
    return found if len(found) == 3 else [*found, None]


def _check_first_weight(field):
    try:
        float(field or 0)
    except ValueError:
        raise ValueError(f"the first line has the weight {field!r}: if this line names the columns, give header=True") from None


def _has_arrow():
    return importlib.util.find_spec("pyarrow") is not None


def _look(path):
    """Return how many lines come before the first edge or header, what separates columns (None: blanks), the fields of that
    line, whether it is the last one, and whether it ends with attributes."""
    with open_to_read(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as lines:
        for count, line in enumerate(lines):
            if line.strip() and not line.lstrip().startswith(("#", "%")):
                text = read_attributes(line)
                delimiter = next((mark for mark in DELIMITERS if mark in text), None)
                return count, delimiter, _split(text, delimiter), next(lines, None) is None, text != line
        return 0, None, [], True, False


def _split(line, delimiter):
    if delimiter is None:
        return line.split()
    return [field.strip() for field in next(csv.reader([line], delimiter=delimiter, skipinitialspace=delimiter != "\t"))]


def _choose(stored, wanted):
    """Return the positions of two or three columns, given all names of columns, or how many there are without names."""
    count, names = (stored, []) if isinstance(stored, int) else (len(stored), list(stored))
    if wanted is None:
        if _names_ends(names):
            lower = [name.lower() for name in names]
            wanted = [lower.index(name) for name in ("source", "target", "weight") if name in lower]
        else:
            wanted = range(3 if count == 3 else 2)
    if isinstance(wanted, str) or len(wanted) not in (2, 3):
        raise ValueError(f"columns must be those of the source, the target and perhaps the weight, got {wanted!r}")
    for column in wanted:
        if column not in (names if isinstance(column, str) else range(count)):
            has = f"columns {', '.join(map(repr, names))}" if names else f"{count} columns without names"
            raise ValueError(f"there is no column {column!r}: the file has {has}")
    return [names.index(column) if isinstance(column, str) else column for column in wanted]


def _by_arrow(file, skipped, delimiter, count, chosen):
    """Return the columns without the blanks around their fields; None if the file is for `_by_csv`."""
    arrow, reader = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    compute = importlib.import_module("pyarrow.compute")
    names = [str(k) for k in range(count)]
    options = (
        reader.ReadOptions(skip_rows=skipped, column_names=names),
        reader.ParseOptions(delimiter=delimiter),
        reader.ConvertOptions(
            column_types=dict.fromkeys(names, arrow.large_string()),
            include_columns=list(dict.fromkeys(names[k] for k in chosen)),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    try:
        table = wait_for(reader.read_csv, file, *options)
    except arrow.ArrowInvalid:
        return None
    found = []
    for k in chosen:
        x = compute.utf8_trim_whitespace(table.column(names[k]))
        if compute.any(compute.starts_with(x, '"')).as_py():
            return None
        found.append(compute.if_else(compute.equal(x, ""), None, x))
    try:
        return [*found[:2], *(x.cast(arrow.float64()) for x in found[2:])]
    except arrow.ArrowInvalid:
        return None


def _by_csv(file, skipped, delimiter, count, chosen):
    found = [[] for _ in chosen]
    with io.TextIOWrapper(file, "utf-8-sig", newline="") as lines:
        rest = map(read_attributes, itertools.islice(lines, skipped, None))
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
            if len(found) == 3 and found[2][-1] is not None:
                found[2][-1] = _as_weight(found[2][-1], at)
    return found


def _as_weight(text, row):
    """Return a number, which Python's `float` also reads from 1_0."""
    try:
        return float("" if "_" in text else text)
    except ValueError:
        raise ValueError(f"row {row} has the weight {text!r}, which is no number") from None
