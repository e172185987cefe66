"""Raw arrays of SciPy's matrices: what kernels can read of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from spark_csr._operations.form.check import is_outside
from spark_csr._operations.form.record import Csr
from spark_csr.interop.scipy._switch import Unfit
from spark_csr.primitives._check import inspect_offsets

NUMBERS = frozenset("bBhHiIlLqQfdFD")
"""Characters of the dtypes that are computed with: not bool, half, long double, objects."""

MOVABLE = NUMBERS | {"?"}


def check_plain(*arrays: Any) -> None:
    """Raise `Unfit` for arrays that are no plain contiguous arrays of one axis in the byte order of the machine."""
    for x in arrays:
        if type(x) is not np.ndarray or x.ndim != 1:
            raise Unfit("an array is of a subclass, or not of one axis")
        if not (x.flags.c_contiguous and x.flags.aligned and x.dtype.isnative):
            raise Unfit("an array is not contiguous, not aligned or not in native byte order")


def check_dtypes(allowed: frozenset[str], *arrays: Any) -> None:
    for x in arrays:
        if x.dtype.char not in allowed:
            raise Unfit(f"dtype {x.dtype}")


def check_indices(*arrays: Any) -> None:
    """Raise `Unfit` unless these arrays have one dtype, int32 or int64."""
    check_plain(*arrays)
    if arrays[0].dtype.char not in "ilq" or any(x.dtype != arrays[0].dtype for x in arrays):
        raise Unfit("index arrays of other or of several dtypes")


def check_range(indices: Any, bound: int) -> None:
    """Raise `Unfit` for an index below 0, or not below a bound."""
    if is_outside(indices, bound):
        raise Unfit("an index is out of range")


def as_record(rows: int, columns: int, indptr: Any, indices: Any, data: Any = None, movable: bool = False) -> Csr:
    """Return the record of a matrix by rows, without the slack behind its entries; columns are not looked at."""
    check_indices(indptr, indices)
    if indptr.size < rows + 1:
        raise Unfit("indptr is too short")
    indptr = indptr[: rows + 1]
    first, stored, at = inspect_offsets(indptr)
    if first != 0 or at is not None or stored > indices.size:
        raise Unfit("indptr does not ascend from 0 to the number of entries")
    if data is not None:
        check_plain(data)
        check_dtypes(MOVABLE if movable else NUMBERS, data)
        if data.size < stored:
            raise Unfit("there are fewer values than entries")
        data = data[:stored]
    return Csr(indptr, indices[:stored], data, (rows, columns))


def write_back(record: Csr, indptr: Any, indices: Any, data: Any) -> None:
    """Write a record into the arrays that SciPy has allocated for a result."""
    entries = record.indices.size
    if indices.size < entries or data.size < entries:
        raise Unfit("there is no room for the result")
    indptr[: record.indptr.size], indices[:entries], data[:entries] = record.indptr, record.indices, record.data
