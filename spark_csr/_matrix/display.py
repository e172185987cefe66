"""A matrix as text and as HTML: what `print` and notebooks show."""

import math
import sys

from spark_csr import _html
from spark_csr._array import to_device
from spark_csr._current_device import on_current_device, on_their_device
from spark_csr._matrix.base import SparseArray, say_not_dense
from spark_csr._operations.form.coordinates import Coordinates
from spark_csr._operations.reduce.cells import count_cells

NAMES = {"csr": "Compressed Sparse Row", "csc": "Compressed Sparse Column", "coo": "COOrdinate"}
"""What SciPy calls the formats."""

CELLS = 40
"""Cells of the picture of a pattern, along the longer side."""


class Display(SparseArray):
    """`str` and the representation in notebooks."""

    @on_current_device
    def __format__(self, spec: str) -> str:
        """Return `str(A)`; for SciPy's constructors, whose messages show what they refuse, a line that says why."""
        if sys._getframe(1).f_globals.get("__name__", "").startswith("scipy.sparse._"):
            return f"{self!r} is {say_not_dense(self)}"
        return format(str(self), spec)

    def __str__(self) -> str:
        place = "" if self.device == "cpu" else f" on {self.device}"
        text = f"<{NAMES[self.format]} sparse array of dtype '{self.dtype}'{place}\n"
        text += f"\twith {self.nnz} stored elements and shape {self.shape}>"
        if not self.nnz:
            return text
        text += "\n  Coords\tValues\n"
        shown = max(self.maxprint, 0)
        if self.nnz <= shown:
            return text + self._lines(0, self.nnz)
        first = shown // 2
        return text + self._lines(0, first) + "\n  :\t:\n" + self._lines(self.nnz - (shown - first), self.nnz)

    def _lines(self, start, stop):
        """Return the lines of entries `start` to `stop`, in the order in which they are stored."""
        csr = self._held
        if isinstance(csr, Coordinates):
            rows = csr.rows[start:stop]
        else:
            xp = csr.xp
            rows = xp.searchsorted(csr.indptr, xp.arange(start, stop, dtype=csr.indptr.dtype), side="right") - 1
        arrays = rows, csr.indices[start:stop], csr.data[start:stop]
        rows, columns, values = (to_device(x, "cpu") for x in arrays)
        rows, columns = rows.tolist(), columns.tolist()
        if self.ndim == 1:
            coords = [(column,) for column in columns]
        else:
            coords = list(zip(columns, rows, strict=True) if self._transposed else zip(rows, columns, strict=True))
        return "\n".join(f"  {at}\t{value}" for at, value in zip(coords, values, strict=True))

    @on_their_device
    def _repr_html_(self) -> str:
        size = math.prod(self.shape)
        rows = [
            ("shape", " x ".join(f"{n:,}" for n in self.shape)),
            ("dtype", self.dtype),
            ("stored entries", f"{self.nnz:,}"),
            ("density", f"{self.nnz / size:.3g}" if size else "-"),
            ("memory", _html.bytes_as_text(self.nbytes)),
            ("device", self.device),
        ]
        return _html.table(f"{self.format}_array", rows, picture(self._csr, self._transposed) if size and self.ndim < 3 else "")


def picture(csr, transposed=False):
    """Return the pattern of a record that has elements, or of its transpose, as SVG."""
    cell = max(-(-max(csr.shape) // CELLS), 1)
    height, width = (min(cell, n) for n in csr.shape)
    counts = to_device(count_cells(csr, height, width), "cpu")
    shape = csr.shape
    return _html.pattern((counts.T if transposed else counts).tolist(), shape[::-1] if transposed else shape)
