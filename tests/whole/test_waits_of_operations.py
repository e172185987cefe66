"""How often operations wait for a value from the device: as often as their docstrings say, less what kernels read."""

import operator
import sys

import numpy as np
import pytest

from spark_csr import csr_array, drop_empty_columns, drop_empty_rows, prune
from spark_csr._array import SIMULATED, to_host_list, to_host_scalar
from spark_csr._operations.compose.diagonals import from_diagonals
from spark_csr._operations.form import facts, keep
from spark_csr._operations.form.convert import from_coo
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.merge import elementwise
from spark_csr._operations.product import spgemm
from spark_csr._operations.reduce import extreme_positions as positions
from spark_csr._operations.select import assign, columns, keys, points
from spark_csr._operations.select.index import select
from spark_csr.linalg import inv_diagonal

pytestmark = pytest.mark.skipif(not SIMULATED, reason="counted once, under the simulator")


def known(dense):
    """A matrix that knows that it is in canonical format."""
    matrix = csr_array(np.asarray(dense, float))
    assert matrix.has_canonical_format
    return matrix


A, B, SQUARE = known(np.arange(12).reshape(3, 4)), known(np.eye(4)[:3]), known([[4, 1, 0], [1, 0, 0], [0, 0, 5]])
REGULAR, NEGATIVE, LONG = known(4 * np.eye(3)), known(-np.eye(3)), known(np.ones((2, 100)))
ROWS, COLUMNS, VALUES = np.array([2, 0, 1, 0]), np.array([1, 3, 0, 3]), np.arange(1.0, 5)
EVERY, SOME = slice(None), np.array([2, 0])

WAITS = {
    "keep": (1, lambda: keep.select_entries(A._csr, A.data > 3)),
    "prune by a threshold": (1, lambda: prune(A, 2)),
    "drop_empty_rows": (1, lambda: drop_empty_rows(A)),
    "drop_empty_columns": (1, lambda: drop_empty_columns(A)),
    "value_at": (4, lambda: points.value_at(A._csr, 1, 2)),
    "value_at in a long row": (4, lambda: points.value_at(LONG._csr, 1, 2)),
    "values_at": (0, lambda: points.values_at(A._csr, ROWS, COLUMNS)),
    "from_diagonals": (1, lambda: from_diagonals([np.ones(3), np.ones(2)], [0, 1], (3, 3))),
    "from_diagonals with zeros": (2, lambda: from_diagonals([np.ones(3), np.zeros(2)], [0, 1], (3, 3))),
    "select_columns that ascend": (2, lambda: columns.select_columns(A._csr, SOME[::-1])),
    "has_sorted_columns": (1, lambda: facts.has_sorted_columns(A._csr)),
    "has_canonical_columns": (1, lambda: facts.has_canonical_columns(A._csr)),
    "all_finite": (1, lambda: elementwise.all_finite(A.data)),
    "union of one pattern": (1, lambda: elementwise.union(operator.add, A._csr, A._csr)),
    "union": (2, lambda: elementwise.union(operator.add, A._csr, B._csr)),
    "product": (4, lambda: elementwise.multiply(A._csr, B._csr)),
    "a slice of rows": (2, lambda: select(A._csr, slice(0, 2), EVERY)),
    "some rows": (1, lambda: select(A._csr, SOME, EVERY)),
    "a block": (1, lambda: select(A._csr, slice(0, 2), slice(1, 3))),
    "a key of integers": (0, lambda: keys.parse((1, 2), (3, 4), VALUES)),
    "a key of an array": (1, lambda: keys.parse((SOME, EVERY), (3, 4), VALUES)),
    "a key of negative ones": (3, lambda: keys.parse((-SOME, EVERY), (3, 4), VALUES)),
    "position explicit": (1, lambda: positions.find_extreme_position(A._csr, "max", True)),
    "position of an entry": (4, lambda: positions.find_extreme_position(A._csr, "max", False)),
    "position of a missing zero": (10, lambda: positions.find_extreme_position(NEGATIVE._csr, "max", False)),
    "spgemm": (1, lambda: spgemm.spgemm(REGULAR._csr, REGULAR._csr)),  # and one of the GPU's count of products
    "assign to entries": (2, lambda: assign.assign(REGULAR._csr, np.array([0, 1]), np.array([0, 1]), np.ones(2))),
    "sums": (0, lambda: (A.sum(), A.sum(axis=0), A.sum(axis=1))),
    "inv_diagonal": (1, lambda: inv_diagonal(REGULAR)),
    "transposed": (0, lambda: transpose(A._csr)),  # and one of the GPU's sort
    "from_coo in order": (3, lambda: from_coo(ROWS[[1, 2]], COLUMNS[[1, 2]], VALUES[:2], (3, 4))),
}


@pytest.mark.parametrize("name", WAITS)
def test_operations_wait_as_they_say(monkeypatch, name):
    """Plans are made by a first call."""
    waits, work = WAITS[name]
    work()
    read = []
    for module in [m for key, m in sys.modules.items() if key.startswith(("spark_csr._operations", "spark_csr.primitives"))]:
        for read_host in (to_host_scalar, to_host_list):
            if hasattr(module, read_host.__name__):
                monkeypatch.setattr(module, read_host.__name__, lambda x, read_host=read_host: read.append(x) or read_host(x))
    work()
    assert len(read) == waits
