"""Read and write text files of svmlight and libsvm.

Design: a regular expression checks the lines of a piece of the file; then all numbers of the piece are parsed at once, and the
number of colons in a line tells its entries. The numbers are parsed by pyarrow if that is installed, else by NumPy, which takes
twice as long. Both round to the nearest float64. A kernel that parses digits would need tables to round like that.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import re
import warnings
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from spark_csr._array import to_device
from spark_csr._files import open_to_write
from spark_csr._matrix.base import issparse
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.dtypes import check_dtype
from spark_csr._ragged import Ragged
from spark_csr.io._errors import name_errors
from spark_csr.io._watched import open_watched
from spark_csr.primitives._check import find_first_true

if TYPE_CHECKING:
    import os

    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike, DTypeLike, Progress

PIECE = 1 << 24
"""Bytes of text that are parsed at once. Not tuned."""

ROWS = 1 << 12
"""Rows that are written at once. Not tuned."""

NUMBER = rb"[+-]?(?:(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+|(?i:inf(?:inity)?+|nan))"
BEFORE = rb"(?:[ \t]++|(?<![^\n]))"
"""Blanks, or the beginning of a line, which has no label then."""

ENTRIES = rb"(?:" + BEFORE + rb"[0-9]++:" + NUMBER + rb")*+"
QUERY = rb"(?:" + BEFORE + rb"qid:[0-9]++)?+"

LABELS = {False: rb"[ \t]*+" + NUMBER, True: rb"(?:[ \t]*+" + NUMBER + rb"(?:," + NUMBER + rb")*+(?!:))?+"}
"""The labels of a line, by whether there can be any number of them."""

LINES = {
    many: re.compile(rb"(?:(?:" + label + QUERY + ENTRIES + rb")?+[ \t\r]*+(?:#[^\n]*+)?+\n)*+")
    for many, label in LABELS.items()
}
"""What whole lines match."""

COMMENT = re.compile(rb"#[^\n]*+")

SEPARATORS = bytes.maketrans(b": \t\r,", b"\n\n\n\n\n")

MOST = 2**53
"""Indices from here on are no floats."""


class Svmlight(NamedTuple):
    """What `read_svmlight` returns: a matrix, labels, and numbers of queries if they were asked for."""

    X: csr_array
    y: Array | Ragged
    query_id: Array | None


def read_svmlight(
    file: str | os.PathLike[str] | IO[bytes],
    *,
    n_features: int | None = None,
    dtype: DTypeLike = np.float64,
    multilabel: bool = False,
    zero_based: bool | Literal["auto"] = "auto",
    query_id: bool = False,
    offset: int = 0,
    length: int = -1,
    progress: Progress = None,
) -> Svmlight:
    """Read a matrix and labels from a text file of svmlight or libsvm, such as `load_svmlight_file` of scikit-learn reads.

    Parameters, result and exceptions that are not listed are those of `mmread`.

    Parameters
    ----------
    file : str, path or file object
        The file. If its name ends with `.gz`, `.bz2`, `.xz` or `.zst`, it is unpacked while it is read.
    n_features : int, optional
        The number of columns. By default it is that of the largest index. It must be given to read a part of a file.
    dtype : {float64, float32, float16}, default float64
        The dtype of the values of the matrix.
    multilabel : bool, default False
        Whether lines have any number of labels, separated by commas.
    zero_based : bool or "auto", default "auto"
        Whether the first column has the index 0 in the file. "auto" takes it for 1 if no index is 0. It must be given to read a
        part of a file.
    query_id : bool, default False
        Whether to return the numbers after `qid:`. By default they are skipped.
    offset : int, default 0
        The byte at which to begin. What is left of a line that began before is skipped.
    length : int, default -1
        How many bytes to read from there, and then to the end of a line. Negative: all. So parts with
        `offset=i * length` have every line once.

    Returns
    -------
    X : (m, n) csr_array
        The matrix, with a row for each line.
    y : (m,) NumPy array of float64, or Ragged
        The labels. With `multilabel`, a `Ragged` of m lists.
    query_id : (m,) NumPy array of int64, or None
        The numbers of the queries, if they were asked for.

    Raises
    ------
    ValueError
        If the indices of a line do not ascend, if an index is too large for `n_features`, or if a part is read without
        `n_features` and `zero_based`. The message has the line.

    Notes
    -----
    *Cost*: the text is read in pieces of 16 MB, and each is checked and parsed: with pyarrow, which is used if it is installed,
    in about half of the processor time that scikit-learn 1.9 takes; without it, in about the same. Numbers are rounded to the
    nearest float64.

    Examples
    --------
    >>> import io
    >>> from spark_csr.io import read_svmlight, write_svmlight
    >>> X, y, _ = read_svmlight(io.BytesIO(b"1 1:0.5 3:2  # a comment\\n-1 2:1\\n"))
    >>> X.toarray(), y
    (array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]]), array([ 1., -1.]))
    >>> file = io.BytesIO()
    >>> write_svmlight(file, X, y, zero_based=False)
    >>> file.getvalue()
    b'1 1:0.5 3:2.0\\n-1 2:1.0\\n'
    """
    kind = check_dtype(dtype)
    if kind.kind != "f":
        raise TypeError(f"dtype must be a float, got {kind}: use X.astype(dtype) afterwards")
    if zero_based not in (True, False, "auto"):
        raise ValueError(f'zero_based must be True, False or "auto", got {zero_based!r}')
    if offset < 0:
        raise ValueError(f"offset must be 0 or more, got {offset}")
    if (offset or length >= 0) and (n_features is None or zero_based == "auto"):
        raise ValueError("to read a part of a file, give n_features and zero_based, which other parts have too")
    parts = _Parts(multilabel, query_id, kind)
    with name_errors(file, "a text file of svmlight"), open_watched(file, progress, "read_svmlight") as opened:
        for text in _pieces(opened, offset, length):
            parts.add(text)
        return parts.join(n_features, zero_based)


def _read(file, offset, length):
    """Yield the bytes of the lines that begin after `offset`, or at it if it is 0, and at `offset + length` at the latest."""
    left = length if length >= 0 else float("inf")
    if offset:
        file.seek(offset)
        left -= len(file.readline())
        if left < 0:
            return
    while text := file.read(min(PIECE, left)):
        left -= len(text)
        yield text
    yield file.readline()  # the rest of the last line, or the line that begins where the part ends


def _pieces(file, offset, length):
    """Yield pieces of whole lines."""
    held = []
    for text in _read(file, offset, length):
        text = text.encode("latin-1", "replace") if isinstance(text, str) else text
        stop = text.rfind(b"\n") + 1
        if stop:
            yield b"".join([*held, text[:stop]])
            held, text = [], text[stop:]
        held.append(text)
    if last := b"".join(held):
        yield last + b"\n"


def _parse(text):
    """Return the numbers of a text, which whitespace separates, as float64."""
    with contextlib.suppress(ImportError, ValueError):  # spellings of NaN that pyarrow does not know
        arrow, csv = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
        table = csv.read_csv(
            arrow.BufferReader(text),
            csv.ReadOptions(column_names=["x"], block_size=1 << 22),
            csv.ParseOptions(delimiter="\1", quote_char=False),
            csv.ConvertOptions(column_types={"x": arrow.float64()}, null_values=[]),
        )
        return table.column(0).to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return np.fromstring(text.decode("ascii"), sep=" ")


class _Parts:
    """What has been read of a file."""

    def __init__(self, multilabel, query_id, dtype):
        self.multilabel, self.query_id, self.dtype, self.line = multilabel, query_id, dtype, 1
        self.labels, self.counts, self.queries = [np.zeros(0)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        self.columns, self.data, self.entries = [np.zeros(0, np.int64)], [np.zeros(0, dtype)], [np.zeros(0, np.int64)]

    def add(self, text):
        """Parse a piece of whole lines."""
        stop = LINES[self.multilabel].match(text).end()
        if stop < len(text):
            line = text[stop : text.index(b"\n", stop)].decode("latin-1").strip()
            what = "labels" if self.multilabel else "a label"
            number = self.line + text.count(b"\n", 0, stop)
            raise ValueError(f"line {number} must hold {what} and pairs such as 3:0.5, got {line[:80]!r}")
        text = COMMENT.sub(b"", text) if b"#" in text else text
        self._split(text, np.frombuffer(text, np.uint8))

    def _split(self, text, x):
        """Tell labels, queries, indices and values apart by what stands in each line."""
        ends = np.flatnonzero(x == ord("\n"))
        solid = x > ord(" ")
        words, pairs, queries, commas = (
            np.diff(np.searchsorted(np.flatnonzero(found), ends), prepend=0)
            for found in (solid & ~np.concatenate([[False], solid[:-1]]), x == ord(":"), x == ord("q"), x == ord(","))
        )
        lines = np.flatnonzero(words)
        numbers = self.line + lines
        self.line += ends.size
        words, pairs, queries, commas = (counts[lines] for counts in (words, pairs, queries, commas))
        entries = pairs - queries
        labels = words - pairs + commas
        head, widths = labels + queries, labels + queries + 2 * entries
        found = _parse(text.replace(b"qid:", b"").translate(SEPARATORS)) if widths.sum() else np.zeros(0)
        if found.size != widths.sum():
            raise ValueError(f"there are {found.size} numbers and should be {widths.sum()} before line {self.line}")
        starts, before = np.cumsum(widths) - widths, np.cumsum(head) - head
        heads = np.repeat(starts - before, head) + np.arange(head.sum())
        is_entry = np.ones(found.size, bool)
        is_entry[heads] = False
        columns, data = found[is_entry].reshape(-1, 2).T
        self._check_columns(columns, np.repeat(numbers, entries))
        if self.query_id:
            without = np.flatnonzero(queries == 0)
            if without.size:
                raise ValueError(f"line {numbers[without[0]]} has no qid: use query_id=False")
            ids = found[starts + labels]
            if ids.size and ids.max() >= MOST:
                raise ValueError(f"line {numbers[ids.argmax()]} has a qid of 2**53 or more: {ids.max():.0f}")
            self.queries.append(ids.astype(np.int64))
        self.labels.append(found[np.repeat(starts - np.cumsum(labels) + labels, labels) + np.arange(labels.sum())])
        self.counts.append(labels)
        self.columns.append(columns.astype(np.int64))
        with np.errstate(over="ignore"):
            self.data.append(data.astype(self.dtype))
        self.entries.append(entries)

    def _check_columns(self, columns, lines):
        """Raise ValueError unless the indices of every line ascend and are exact."""
        if columns.size and columns.max() >= MOST:
            at = columns.argmax()
            raise ValueError(f"line {lines[at]} has an index of 2**53 or more: {columns[at]:.0f}")
        wrong = np.flatnonzero((columns[1:] <= columns[:-1]) & (lines[1:] == lines[:-1]))
        if wrong.size:
            at = wrong[0]
            raise ValueError(f"the indices of line {lines[at]} must ascend, got {columns[at + 1]:.0f} after {columns[at]:.0f}")

    def join(self, n_features, zero_based):
        """Return the matrix and the labels."""
        labels, counts, queries, columns, data, entries = map(
            np.concatenate, (self.labels, self.counts, self.queries, self.columns, self.data, self.entries)
        )
        least = int(columns.min()) if columns.size else 1
        first = int(least > 0) if zero_based == "auto" else int(not zero_based)
        if least < first:
            raise ValueError("it has the index 0, which zero_based=False does not expect")
        last = int(columns.max()) - first + 1 if columns.size else 0
        if n_features is not None and last > n_features:
            raise ValueError(f"n_features is {n_features}, but the file has the index {last - 1 + first}")
        shape = entries.size, last if n_features is None else n_features
        X = csr_array((data, columns - first, np.concatenate([[0], np.cumsum(entries)])), shape=shape)
        y = Ragged(labels, np.concatenate([[0], np.cumsum(counts)])) if self.multilabel else labels
        return Svmlight(X, y, queries if self.query_id else None)


def write_svmlight(
    file: str | os.PathLike[str] | IO[bytes],
    X: MatrixLike,
    y: ArrayLike | Ragged,
    *,
    zero_based: bool = True,
    comment: str | None = None,
    query_id: ArrayLike | None = None,
    multilabel: bool = False,
) -> None:
    """Write a matrix and labels to a text file of svmlight, such as `dump_svmlight_file` of scikit-learn writes.

    Parameters, result and exceptions that are not listed are those of `write_h5ad`. See the example of `read_svmlight`.

    Parameters
    ----------
    X : (m, n) sparse matrix
        The matrix, of real numbers. Entries that are 0 are written too.
    y : (m,) array_like, or Ragged
        The labels. With `multilabel`, a `Ragged` of m lists, or a list of m lists.
    zero_based : bool, default True
        Whether the first column has the index 0 in the file. libsvm expects False.
    comment : str, optional
        A comment that is written at the head of the file.
    query_id : (m,) array_like of int, optional
        The number of the query of each row, written as `qid:`.
    multilabel : bool, default False
        Whether rows have any number of labels. A row without labels must have entries or a `query_id`: its line would be
        blank, and readers skip blank lines.

    Notes
    -----
    Floats have as many digits as reading them back needs. Duplicates are summed; `X` is not changed. *Cost*: a line of text is
    made for each row, by Python.
    """
    if not issparse(X):
        raise TypeError(f"X must be a sparse matrix, got {type(X).__name__}: use csr_array(...)")
    if len(X.shape) != 2:
        raise ValueError(f"X must have two dimensions, got shape {X.shape}: use X[None, :]")
    A = csr_array(X).to_device("cpu")
    if A.dtype.kind == "c":
        raise TypeError(f"svmlight has no complex numbers, got dtype {A.dtype}: use X.real")
    A = A if A.has_canonical_format else A.copy()
    A.sum_duplicates()
    labels = _labels_of(y, A.shape[0], multilabel)
    queries = None if query_id is None else _queries(query_id, A.shape[0])
    offsets, first = A.indptr.tolist(), int(not zero_based)
    with open_to_write(file) as target:
        for line in (comment or "").splitlines():
            target.write(f"# {line}\n".encode())
        for start in range(0, A.shape[0], ROWS):
            stop = min(start + ROWS, A.shape[0])
            a, b = offsets[start], offsets[stop]
            pairs = [f" {i}:{v}" for i, v in zip((A.indices[a:b] + first).tolist(), _words(A.data[a:b]), strict=True)]
            heads = labels[start:stop]
            if queries is not None:
                heads = [f"{head} qid:{query}" for head, query in zip(heads, queries[start:stop], strict=True)]
            lines = ["".join([head, *pairs[offsets[i] - a : offsets[i + 1] - a]]) for i, head in enumerate(heads, start)]
            if "" in lines:
                row = start + lines.index("")
                raise ValueError(
                    f"row {row} has neither labels nor entries, and readers skip blank lines: leave it out, or give query_id="
                )
            target.write("\n".join([*lines, ""]).encode())


def _words(x):
    """Return the text of each number: of integers where all are whole, none -0.0, else as many digits as the dtype needs."""
    x = np.asarray(x)
    if x.dtype.kind != "f":
        return list(map(str, (x.view(np.uint8) if x.dtype == bool else x).tolist()))
    wide = x.astype(np.float64, copy=False)
    if (wide == np.rint(wide)).all() and (np.abs(wide) < MOST).all() and not (np.signbit(wide) & (wide == 0)).any():
        return list(map(str, wide.astype(np.int64).tolist()))
    return list(map(repr, x.tolist())) if x.dtype == np.float64 else list(map(str, x))


def _one_for_each_row(name, x, rows):
    """Return numbers as an array on the cores; raise ValueError unless there is one for each row."""
    x = np.asarray(to_device(x, "cpu") if hasattr(x, "device") else x)
    if x.shape != (rows,):
        raise ValueError(f"{name} must have {rows} numbers, one for each row, got shape {x.shape}")
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers, got dtype {x.dtype}")
    return x


def _queries(x, rows):
    """Return the numbers of queries, which the reader takes: whole, and from 0 to below 2**53."""
    x = _one_for_each_row("query_id", x, rows)
    at = find_first_true(~((x >= 0) & (x < 2**53) & (x % 1 == 0)))
    if at is not None:
        raise ValueError(f"query_id must hold whole numbers of 0 and above, below 2**53, got query_id[{at}] = {x[at]}")
    return x.astype(np.int64).tolist()


def _labels_of(y, rows, multilabel):
    """Return the text of the labels of each row."""
    if not multilabel:
        return _words(_one_for_each_row("y", y, rows))
    lists = (y if isinstance(y, Ragged) else Ragged.from_lists(y)).to_device("cpu")
    if lists.ndim != 2 or len(lists) != rows:
        raise ValueError(f"y must have {rows} lists of labels, one for each row, got {len(lists)}")
    packed = lists.packed()
    words, offsets = _words(packed.values), packed.offsets[0].tolist()
    return [",".join(words[a:b]) for a, b in itertools.pairwise(offsets)]
