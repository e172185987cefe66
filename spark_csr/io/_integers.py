"""Read lines of integers, in large pieces: which lines there are, how many integers each has, and all integers as one array.

Design: NumPy parses a piece of many lines at once, and finds the ends of lines and of numbers by passes over its bytes. Lines
are looked at one by one only where a piece has comments, and to name the one that is wrong. Source of the idea: Langdale &
Lemire, *Parsing Gigabytes of JSON per Second*, 2019.
"""

from __future__ import annotations

import re
import warnings
from typing import IO, Any, NamedTuple

import numpy as np

PIECE = 1 << 24
"""The bytes of a piece. Not tuned."""

INT64 = np.iinfo(np.int64)
INTEGER = re.compile(rb"[+-]?[0-9]+")


class Lines(NamedTuple):
    """Integers in lines: those of line `k`, whose number in the file is `numbers[k]`, are `counts[k]` in `values`."""

    values: np.ndarray[Any, np.dtype[Any]]
    counts: np.ndarray[Any, np.dtype[np.int64]]
    numbers: np.ndarray[Any, np.dtype[np.int64]]

    def starts(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the position of the first integer of every line in `values`."""
        return np.cumsum(self.counts) - self.counts

    def where(self, position: int) -> str:
        """Return what messages call the line of an integer in `values`."""
        return f"line {self.numbers[np.searchsorted(np.cumsum(self.counts), position, 'right')]}"


def read_head(file: IO[bytes], comment: bytes) -> tuple[list[bytes], int]:
    """Return the words of the first line that is no comment, and its number; no words if there is none."""
    for number, line in enumerate(file, 1):
        if line.strip() and not line.lstrip().startswith(comment):
            return line.split(), number
    return [], 0


def read_lines(file: IO[bytes], before: int, comment: bytes, mark: bytes = b"", dtype: Any = np.int64) -> Lines:
    """Return the numbers in the rest of a file, `before` of whose lines have been read; of blank lines there are none.

    Lines that begin with `comment` are left out. With `mark`, a letter, each other line must begin with it, or be blank.
    Numbers are integers; with the dtype float64, any.
    """
    pieces, rest = [_read_piece(b"", before, comment, mark, dtype)], b""
    while piece := file.read(PIECE):
        end = piece.rfind(b"\n") + 1
        if not end:
            rest += piece
            continue
        pieces.append(_read_piece(rest + piece[:end], before, comment, mark, dtype))
        before, rest = before + (rest + piece[:end]).count(b"\n"), piece[end:]
    if rest:
        pieces.append(_read_piece(rest + b"\n", before, comment, mark, dtype))
    return Lines(*map(np.concatenate, zip(*pieces, strict=True)))


def _read_piece(text, before, comment, mark, dtype):
    """Return the integers of whole lines, their counts by line, and the numbers of the lines."""
    numbers = None
    if comment and comment in text:
        lines = text.split(b"\n")[:-1]
        kept = [k for k, line in enumerate(lines) if not line.lstrip().startswith(comment)]
        numbers, text = np.array(kept, np.int64), b"".join(lines[k] + b"\n" for k in kept)
    codes = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(codes == ord("\n"))
    numbers = (np.arange(ends.size) if numbers is None else numbers) + (before + 1)
    if mark:
        codes, text = _drop_marks(codes, text, ends, numbers, mark)
    is_word = codes > ord(" ")
    is_word[1:] &= ~is_word[:-1].copy()
    opens = np.flatnonzero(is_word)
    counts = np.diff(np.searchsorted(opens, ends), prepend=0)
    values = np.empty(0, dtype)
    if opens.size:
        values = _parse(text, dtype) if dtype == np.float64 or _are_signs_of_numbers(codes) else None
    if values is None or values.size != opens.size:
        _name_wrong_line(text, numbers)
    return values, counts, numbers


def _drop_marks(codes, text, ends, numbers, mark):
    """Return the text with blanks in place of the letters that lines begin with; raise ValueError for a line without it."""
    opens = np.concatenate([[0], ends[:-1] + 1])[: ends.size]
    marked = (codes[opens] == mark[0]) & (codes[opens + (opens < ends)] <= ord(" "))
    for k in np.flatnonzero(~marked):
        line = text[opens[k] : ends[k]].strip()
        if line:
            raise ValueError(f"line {numbers[k]} is {_show(line)} and should begin with {mark.decode()!r}")
    codes = codes.copy()
    codes[opens[marked]] = ord(" ")
    return codes, codes.tobytes()


def _are_signs_of_numbers(codes):
    """Return whether a digit follows every sign; `fromstring` reads a sign at the end as 0."""
    after = codes[np.flatnonzero((codes == ord("-")) | (codes == ord("+"))) + 1]
    return bool(((after >= ord("0")) & (after <= ord("9"))).all())


def _parse(text, dtype):
    """Return all numbers in a text; None if something else is in it, or an integer beyond 64 bits."""
    if dtype == np.float64:  # `fromstring` takes ten times as long as `float`, which also reads 1_0
        try:
            return None if b"_" in text else np.fromiter(map(float, text.split()), np.float64)
        except ValueError:
            return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # older versions of NumPy warn of text that is no number
        try:
            values = np.fromstring(text, np.int64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    return None if (values == INT64.max).any() or (values == INT64.min).any() else values


def _name_wrong_line(text, numbers):
    """Raise ValueError with the first word that is no integer, or one beyond 64 bits, and its line."""
    for number, line in zip(numbers.tolist(), text.split(b"\n"), strict=False):
        for word in line.split():
            if not INTEGER.fullmatch(word):
                raise ValueError(f"line {number} has {_show(word)}, which is no integer")
            if not INT64.min < int(word[:40]) < INT64.max:
                raise ValueError(f"line {number} has {_show(word)}, and integers must be within -2**63 + 1 and 2**63 - 2")
    raise ValueError("it has characters that are neither digits nor blanks")


def _show(word):
    return repr(word[:40].decode("utf-8", "replace"))


def as_count(word: bytes, what: str, line: int) -> int:
    """Return a number of a header; raise ValueError unless it is an integer of 0 or above that fits in 64 bits."""
    if not INTEGER.fullmatch(word) or not 0 <= int(word[:40]) < INT64.max:
        raise ValueError(f"line {line} has {_show(word)} as the number of {what}, which should be an integer of 0 or above")
    return int(word)
