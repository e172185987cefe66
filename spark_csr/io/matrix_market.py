"""Read and write Matrix Market files by SciPy, or read them by fast_matrix_market if it is installed."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from typing import IO, TYPE_CHECKING, Any, Literal, TypeGuard

import numpy as np

from spark_csr._files import open_to_write
from spark_csr._matrix.base import SparseArray, as_ours
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import check
from spark_csr._operations.form.canonical import has_duplicates, sum_duplicates
from spark_csr._progress import check_progress
from spark_csr.io._errors import as_scipy, name_errors, packing_of
from spark_csr.io._watched import open_watched

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike, Progress


def mmread(source: str | os.PathLike[str] | IO[Any], *, spmatrix: bool | None = None, progress: Progress = None) -> csr_array:
    """Read a matrix from a Matrix Market file.

    Parameters
    ----------
    source : str, path or file object
        A file in `.mtx` format, or one whose name ends with `.gz`, `.bz2`, `.xz` or `.zst`, which is unpacked while it is read.
        A named pipe is read once, from its beginning to its end.
    spmatrix : bool, optional
        Accepted for compatibility with SciPy; the result is a `csr_array` in any case.
    progress : bool or function, optional
        True shows on stderr how much of the file has been read, as a bar of tqdm if that is installed, else in lines. A
        function is called as `progress(bytes, total)`, possibly in another thread; `total` is None if the size of the file is
        not known.

    Returns
    -------
    csr_array
        The matrix. If the file holds only one half of a symmetric matrix, the result has both halves. If the file is dense, the
        result has its nonzeros. Duplicates are summed.

    Raises
    ------
    ValueError
        If the file is truncated or malformed. If a line holds anything else than the numbers that the header names, the message
        has the line.
    MemoryError
        If the matrix has so many rows that their offsets do not fit into memory.

    Notes
    -----
    Format: Boisvert, Pozo & Remington, *The Matrix Market Exchange Formats*, NISTIR 5935, 1996. Exponents of Fortran's double
    precision, as in 1.5D2, are read as well. *Cost*: The lines are checked, which takes about as long as parsing them; the file
    is parsed, and coordinates are converted to rows.

    Examples
    --------
    >>> import io
    >>> from spark_csr import mmread
    >>> text = b"%%MatrixMarket matrix coordinate real general\\n2 3 2\\n1 1 5\\n2 3 7\\n"
    >>> mmread(io.BytesIO(text)).toarray()
    array([[5., 0., 0.],
           [0., 0., 7.]])
    """
    reader, options = _matrix_market()
    with name_errors(source, "a Matrix Market file"):
        if not check_progress(progress) and _may_be_read_twice(source):
            with open(source, "rb") as file:
                checked = _Checked(file)
                for _ in iter(checked.read, b""):
                    pass
            if not checked.changed:
                return csr_array(reader.mmread(os.fspath(source), **options))
        with open_watched(source, progress, "mmread") as file:
            return csr_array(reader.mmread(_Checked(file), **options))


def mmwrite(
    target: str | os.PathLike[str] | IO[Any],
    a: MatrixLike | ArrayLike,
    comment: str | None = None,
    field: Literal["real", "complex", "pattern", "integer"] | None = None,
    precision: int | None = None,
    symmetry: Literal["AUTO", "general", "symmetric", "skew-symmetric", "hermitian"] | None = "AUTO",
) -> None:
    """Write a matrix to a Matrix Market file.

    Parameters
    ----------
    target : str, path or file object
        The file to write. `.mtx` is appended to a name that does not end with it. A file that is there is replaced when the new
        one is whole.
    a : sparse or dense matrix
        The matrix. A matrix on a GPU is copied to the host first; float16 is written as float32.
    comment : str, optional
        A comment that is written at the head of the file.
    field : {"real", "complex", "pattern", "integer"}, optional
        The kind of numbers. By default it follows the dtype.
    precision : int, optional
        The number of digits of floating values, from 1 to 18. By default it is as many as the dtype needs.
    symmetry : {"AUTO", "general", "symmetric", "skew-symmetric", "hermitian"}
        The symmetry of the file. "AUTO", the default, looks for symmetry, which takes a pass over the matrix.

    Raises
    ------
    ValueError
        If `a` is not two-dimensional, `field` or `symmetry` is unknown, or `precision` is out of range.

    Notes
    -----
    Each position has at most one line in the file: duplicates are summed first, in the dtype of the matrix, as `a.toarray()`
    sums them. `a` is not changed. *Cost*: The function writes one line of text for each entry; if there are duplicates, it
    makes a new matrix of their sums.

    Examples
    --------
    >>> import io
    >>> from spark_csr import csr_array, mmread, mmwrite
    >>> file = io.BytesIO()
    >>> mmwrite(file, csr_array([[5.0, 0, 0], [0, 0, 7]]))
    >>> _ = file.seek(0)
    >>> mmread(file).toarray()
    array([[5., 0., 0.],
           [0., 0., 7.]])
    """
    a = a.to_scipy_sparse() if hasattr(a, "to_scipy_sparse") else a
    if hasattr(a, "tocsr") and not isinstance(a, SparseArray):
        check.foreign(a)
    matrix: Any = as_scipy("a", _sum_duplicates(a)) if hasattr(a, "tocsr") else a
    if getattr(matrix, "ndim", 2) != 2:
        raise ValueError(f"a Matrix Market file holds a matrix of two dimensions, got shape {matrix.shape}: use a[None, :]")
    if precision is not None and not 1 <= precision <= 18:
        raise ValueError(f"precision must be 1 to 18 digits, got {precision}")
    wider = {"e": "f"} if precision is None else {"e": "d", "f": "d", "F": "D"}  # SciPy writes NULs past a dtype's own digits
    dtype = getattr(matrix, "dtype", None)
    matrix = matrix.astype(wider[dtype.char]) if dtype is not None and dtype.char in wider else matrix
    if dtype == bool and symmetry in ("AUTO", None):  # SciPy looks for skew symmetry too, and cannot negate bools
        different = matrix != matrix.T if matrix.shape[0] == matrix.shape[1] else np.ones(1, bool)
        count = different.nnz if hasattr(different, "nnz") else np.count_nonzero(different)
        symmetry = "general" if count else "symmetric"
    elif dtype is not None and dtype.kind == "c" and symmetry in ("AUTO", None):
        values = matrix.data if hasattr(matrix, "tocsr") else matrix
        if not np.isfinite(values).all():  # SciPy reads -1 times a half that is skew-symmetric, which is NaN for them
            symmetry = "general"
    write = importlib.import_module("scipy.io").mmwrite
    with open_to_write(target, ".mtx") as file:  # SciPy, which is given a name, does not check what could not be written
        write(file, matrix, comment or "", field, precision, symmetry)


def _sum_duplicates(a):
    """Return a sparse matrix with its duplicates summed in its own dtype; return it as it is if there are none."""
    if isinstance(a, SparseArray) or a.dtype == np.float16:  # SciPy has no sums in float16
        a = as_ours(a)
        return a._like(sum_duplicates(a._csr)) if a._csr.plan(has_duplicates) else a
    if not hasattr(a, "sum_duplicates"):  # formats in which a position has one entry
        return a
    summed = a.copy()
    summed.sum_duplicates()
    return summed if summed.nnz < a.nnz else a


def _matrix_market():
    """Return the module that reads Matrix Market files, and its options."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("fast_matrix_market"), {}
    return importlib.import_module("scipy.io"), {"spmatrix": False}


def _may_be_read_twice(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether a source is a plain file, which is parsed fastest by its name; a pipe can be read only once."""
    if not isinstance(source, (str, os.PathLike)) or packing_of(source):
        return False
    return os.path.isfile(source) or not os.path.exists(source)


NUMBER = rb"[+-]?(?:(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eEdD][+-]?[0-9]++)?+|(?i:inf(?:inity)?+|nan))"
WHOLE, INDEX = rb"[+-]?[0-9]++", rb"[0-9]++"

FIELDS = {
    "real": ([NUMBER], "a real number"),
    "double": ([NUMBER], "a real number"),
    "complex": ([NUMBER, NUMBER], "two real numbers"),
    "integer": ([WHOLE], "an integer"),
    "unsigned-integer": ([WHOLE], "an integer"),
    "pattern": ([], ""),
}
"""For the field of a file, the patterns of the numbers that a value consists of, and what they are in a message."""

VALUE = re.compile(rb"^[ \t]*+[^\s%]", re.MULTILINE)

LONGEST_LINE = 1 << 20

EXPONENTS = bytes.maketrans(b"dD", b"ee")


def _line_of(header):
    """Return a pattern that matches lines of a file with this first line, and what a line holds; None if that is not known."""
    words = header.decode("latin-1").lower().split()
    if len(words) < 4 or words[1] != "matrix" or words[3] not in FIELDS:
        return None
    numbers, what = FIELDS[words[3]]
    if words[2] == "coordinate":
        numbers, what = [INDEX, INDEX, *numbers], f"a row, a column and {what}" if what else "a row and a column"
    line = rb"[ \t]++".join(numbers) + rb"[ \t\r]*+"
    return re.compile(rb"(?:[ \t]*+(?:" + line + rb")?+[ \t\r]*+(?:%[^\n]*+)?+\n)*+"), what


class _Checked:
    """A file whose `read` refuses NUL bytes and ends the last line: SciPy's parser reads past both, and ends the process.

    It also refuses lines that are not numbers to their end, of which that parser takes what it understands, and more values of
    a dense matrix than there are elements, which it writes past the end. It writes the exponents of Fortran's double
    precision, as in 1.5d2, as that parser understands them. `changed` is whether it changed anything.
    """

    def __init__(self, file):
        self.file, self.at, self.last, self.changed = file, 0, b"\n", False
        self.symmetry, self.elements, self.values = None, None, 0
        self.rest, self.line, self.rule, self.in_head = b"", 1, None, True

    def read(self, size=1 << 20):
        chunk = self.file.read(size)
        chunk = chunk.encode("latin-1", "replace") if isinstance(chunk, str) else chunk
        if not chunk and size and self.last != b"\n":
            self.last, self.changed = b"\n", True
            return self._check(self.last)
        self.last = chunk[-1:] or self.last
        found = chunk.find(b"\0")
        if found >= 0:
            raise ValueError(f"byte {self.at + found} is NUL, so this is not a text file")
        self.at += len(chunk)
        return self._check(chunk)

    def _check(self, chunk):
        """Check the lines that end in a chunk, and return the chunk as SciPy reads it."""
        known = len(self.rest)
        text = self.rest + chunk
        start = self._skip_head(text)
        stop = max(text.rfind(b"\n") + 1, start)
        if self.rule is not None and not self.in_head:
            self._check_lines(text, start, stop)
            body = max(start - known, 0)
            numbers = chunk[body:].translate(EXPONENTS)
            if numbers != chunk[body:]:
                chunk, self.changed = chunk[:body] + numbers, True
        self.line += text.count(b"\n", start, stop)
        self.rest = text[stop:]
        if len(self.rest) > LONGEST_LINE:
            raise ValueError(f"line {self.line} has more than {LONGEST_LINE} bytes, so this is not a Matrix Market file")
        return chunk

    def _skip_head(self, text):
        """Return where the lines behind that of the sizes begin, or what is not yet known to be one of the lines before."""
        start = 0
        while self.in_head and (stop := text.find(b"\n", start) + 1):
            line = text[start:stop].strip()
            if self.line == 1:
                self.rule = _line_of(line)
                words = line.lower().split()
                self.symmetry = words[4] if len(words) > 4 and words[2] == b"array" else None
            elif line and not line.startswith(b"%"):
                self.in_head = False
                self.elements = _count_elements(self.symmetry, line) if self.symmetry is not None else None
            start, self.line = stop, self.line + 1
        return start

    def _check_lines(self, text, start, stop):
        """Raise ValueError with the first line that does not match the rule."""
        pattern, what = self.rule
        end = pattern.match(text, start, stop).end()
        if end < stop:
            wrong, line = (
                text[end : text.index(b"\n", end)].decode("latin-1").strip(),
                self.line + text.count(b"\n", start, end),
            )
            raise ValueError(f"line {line} must hold {what}, got {wrong[:80]!r}")
        if self.elements is not None:
            self.values += len(VALUE.findall(text, start, stop))
            if self.values > self.elements:
                raise ValueError(f"a dense matrix of these sizes has {self.elements} values in the file, but there are more")


def _count_elements(symmetry, sizes):
    """Return how many values the file of a dense matrix has whose line of sizes is given."""
    words = sizes.split()
    if len(words) != 2 or not all(word.isdigit() for word in words):
        raise ValueError(f"the sizes of a dense matrix must be two whole numbers, got {sizes[:80].decode('latin-1')!r}")
    rows, columns = map(int, words)
    if symmetry == b"general":
        if not rows * columns:
            raise ValueError(f"a dense matrix of {rows} rows and {columns} columns has no values to read")
        return rows * columns
    if rows != columns:
        raise ValueError(f"a {symmetry.decode('latin-1')} matrix must be square, got {rows} rows and {columns} columns")
    return rows * (rows + (-1 if symmetry == b"skew-symmetric" else 1)) // 2
