"""Read tables of edges with names: text whose columns are separated by commas, tabs or blanks, and parquet files.

Design: names are read as text and become integers at the end, where all of them are integers. So no reader's guess of types
decides whether "007" is 7, and it makes no difference to the graph whether Arrow or Python's `csv` reads the file.
"""

import csv
import importlib
import importlib.util
import io
import itertools
import os

from spark_csr._foreign import wait_for
from spark_csr.io._errors import name_errors, open_to_read
from spark_csr.io._watched import open_watched, watch_reading

PARQUET = (".parquet", ".pq")
DELIMITERS = "\t", ",", ";", "|"


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
        return {"source", "target"} <= set(_look(path)[2])


def read_text(path, wanted, header=None, progress=None):
    """Return the columns of the sources, the targets and, or None, the weights in a text file; `header`: see `Graph.read`."""
    with name_errors(path, "a table of edges"):
        if os.path.exists(path) and not os.path.isfile(path):
            raise ValueError("a table is read twice, so it must be a file")
        comments, delimiter, fields, is_last = _look(path)
        if header is None:
            header = {"source", "target"} <= set(fields) or any(isinstance(column, str) for column in wanted)
        chosen = _choose(fields if header else len(fields), wanted) if fields else []
        if not fields or (header and is_last):
            return [], [], None
        if not header and len(chosen) == 3:
            _check_first_weight(fields[chosen[2]])
        read = _by_csv if delimiter is None or not _has_arrow() else _by_arrow
        with open_watched(path, progress, "Graph.read") as file:
            found = read(file, comments + bool(header), delimiter, len(fields), chosen)
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
    line, and whether it is the last one."""
    with open_to_read(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as lines:
        for count, line in enumerate(lines):
            if line.strip() and not line.lstrip().startswith(("#", "%")):
                delimiter = next((mark for mark in DELIMITERS if mark in line), None)
                return count, delimiter, _split(line, delimiter), next(lines, None) is None
        return 0, None, [], True


def _split(line, delimiter):
    return line.split() if delimiter is None else [field.strip() for field in next(csv.reader([line], delimiter=delimiter))]


def _choose(stored, wanted):
    """Return the positions of two or three columns, given all names of columns, or how many there are without names."""
    count, names = (stored, []) if isinstance(stored, int) else (len(stored), list(stored))
    if wanted is None:
        if "source" in names and "target" in names:
            wanted = [name for name in ("source", "target", "weight") if name in names]
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
    arrow, reader = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    names = [str(k) for k in range(count)]
    types = {names[k]: kind for k, kind in zip(chosen, [arrow.large_string()] * 2 + [arrow.float64()], strict=False)}
    table = wait_for(
        reader.read_csv,
        file,
        reader.ReadOptions(skip_rows=skipped, column_names=names),
        reader.ParseOptions(delimiter=delimiter),
        reader.ConvertOptions(
            column_types=types,
            include_columns=list(dict.fromkeys(names[k] for k in chosen)),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    return [table.column(names[k]) for k in chosen]


def _by_csv(file, skipped, delimiter, count, chosen):
    found = [[] for _ in chosen]
    with io.TextIOWrapper(file, "utf-8-sig", newline="") as lines:
        rest = itertools.islice(lines, skipped, None)
        rows = map(str.split, rest) if delimiter is None else csv.reader(rest, delimiter=delimiter)
        for at, row in enumerate(rows, skipped + 1):
            if not row:
                continue
            if len(row) != count:
                raise ValueError(f"row {at} has {len(row)} columns, and the first has {count}")
            for column, k in zip(found, chosen, strict=True):
                column.append(row[k] or None)
    if len(found) == 3:
        found[2] = [None if text is None else float(text) for text in found[2]]
    return found
