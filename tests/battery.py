"""Small matrices, each with the bug it surfaces, as `(indptr, indices, data, shape)` in NumPy arrays.

Values are small integers in float64, so that every order of summation gives the same bits and results can be compared exactly.
"""

import numpy as np

from spark_csr import csr_array
from spark_csr._operations.form.record import Csr


def _of_rows(rows, columns, data=None):
    """A matrix of lists of columns."""
    indptr = np.cumsum([0] + [len(row) for row in rows]).astype(np.int32)
    indices = np.array([j for row in rows for j in row], np.int32)
    values = np.resize([3.0, -2, 1, 5, -4, 2, 7], indices.size) if data is None else np.array(data, float)
    return indptr, indices, values, (len(rows), columns)


def _power_law():
    lengths = (18 / np.arange(1, 16)).astype(int)
    rng = np.random.default_rng(1)
    return _of_rows([np.sort(rng.choice(20, n, replace=False)) for n in rng.permutation(lengths)], 20)


def _band():
    return _of_rows([range(max(0, i - 2), min(12, i + 3)) for i in range(12)], 12)


BATTERY = {
    "0x0": _of_rows([], 0),  # launches with no blocks, reductions of nothing
    "0xN": _of_rows([], 5),  # products of no rows
    "Nx0": _of_rows([[]] * 5, 0),  # gathers from an empty vector
    "1xN": _of_rows([range(36)], 40),  # one row over many tiles: the carry is the result
    "Nx1": _of_rows([[0], [], [0]] * 9, 1),  # all gathers hit one entry; rows as columns
    "first row empty": _of_rows([[], [], [1, 2], [0]], 3),  # row ids by adding instead of taking the last start
    "middle rows empty": _of_rows([[0, 2]] + [[]] * 6 + [[1]] + [[]] + [[0, 1, 2]], 3),  # two rows that start at one position
    "last row empty": _of_rows([[1], [0, 2], [], []], 3),  # starts beyond the last entry
    "all rows empty": _of_rows([[]] * 37, 4),  # results never written, tiles that hold only row ends
    "one dense row": _of_rows([[i % 9] for i in range(9)] + [range(36)] + [[i] for i in range(5)], 36),  # load balance
    "one dense column": _of_rows([[3]] * 33, 7),  # every scatter of the transpose hits one position
    "band": _band(),  # parts of the transpose overlap in a few columns only
    "power law": _power_law(),  # cuts inside long rows, many short ones in a tile
    "duplicates": _of_rows([[1, 1, 1], [0, 2, 0], [], [2, 2]], 3),  # entries of one position overwrite each other
    "unsorted": _of_rows([[4, 0, 2], [3, 1], [2, 0, 4, 1]], 5),  # code that searches columns
    "explicit zeros": _of_rows([[0, 1], [2], [0, 1, 2]], 3, [0, 2, 0, -0.0, 1, 0]),  # zero taken for "missing"
    "NaN and inf": _of_rows([[0, 1], [2], [], [1, 2], [0]], 3, [np.nan, 1, np.inf, -np.inf, 2, 3]),  # they must pass
    "row of several tiles": _of_rows([[0], range(40), [], [5]], 40),  # tiles in which no row ends
    "row ends at a tile's end": _of_rows([[0, 1, 2]] * 12, 3),  # an empty carry: 3 entries and 1 end are a tile of 4
    "many empty rows": _of_rows([[0]] + [[]] * 60 + [[1]], 2),  # rows without entries must be shared out too
}

FINITE = [name for name in BATTERY if name != "NaN and inf"]


# Tests share these arrays: one that changes a matrix copies it first.
for _indptr, _indices, _data, _ in BATTERY.values():
    _indptr.flags.writeable = _indices.flags.writeable = _data.flags.writeable = False


def build(xp, name, dtype=None, index=np.int32):
    """The matrix of this name, with index arrays of the given width (the constructor would narrow them)."""
    indptr, indices, data, shape = BATTERY[name]
    if dtype is not None:
        data = as_dtype(data, dtype)
    return csr_array._of(Csr(xp.asarray(indptr.astype(index)), xp.asarray(indices.astype(index)), xp.asarray(data), shape))


def as_dtype(x, dtype):
    """Small integers in any dtype: made positive for unsigned ones, given an imaginary part where there is one."""
    dtype = np.dtype(dtype)
    if dtype.kind in "bu":
        x = np.abs(x)
    return (x + 1j * (x - 1)).astype(dtype) if dtype.kind == "c" else x.astype(dtype)


def operand(rows, columns=None, dtype=np.float64):
    """A vector or matrix of small integers, zeros among them."""
    size = rows * (1 if columns is None else columns)
    x = as_dtype(np.resize([1.0, -3, 2, 0, 4, -1, 5, -2, 3], size), dtype)
    return x if columns is None else x.reshape(rows, columns)
