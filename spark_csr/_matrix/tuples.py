"""What a matrix is made of as plain named tuples, which compiled functions of Numba take as arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spark_csr._array import is_device_array

if TYPE_CHECKING:
    from spark_csr._types import Array, Shape


class CSR(NamedTuple):
    """The arrays of a `csr_array`."""

    indptr: Array
    indices: Array
    data: Array
    shape: Shape


class CSC(NamedTuple):
    """The arrays of a `csc_array`: `indptr` has the offsets of columns, and `indices` the rows."""

    indptr: Array
    indices: Array
    data: Array
    shape: Shape


class COO(NamedTuple):
    """The arrays of a `coo_array`."""

    row: Array
    col: Array
    data: Array
    shape: Shape


def read_only(x: Any) -> Any:
    """Return a view of an array on the cores that cannot be written into; CuPy's arrays have no such views."""
    if is_device_array(x):
        return x
    x = x.view()
    x.flags.writeable = False
    return x
