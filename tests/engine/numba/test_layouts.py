"""Where the fields of arrays and dtypes are in memory: read as the emitted code reads them."""

import ctypes

import numba
import numpy as np
import pytest

from spark_csr._array import DTYPES
from spark_csr._engine.numba import layouts

pytestmark = pytest.mark.usefixtures("cpu_only")


def _read(address, offset, kind):
    return kind.from_address(address + offset).value


ROWS = np.arange(6.0).reshape(2, 3)

ARRAYS = [ROWS, ROWS.T, np.arange(8)[::2], np.zeros((0, 2), np.float32), np.ones(1)]


@pytest.mark.parametrize("array", ARRAYS)
def test_fields_of_arrays(array):
    assert _read(id(array), layouts.DATA, ctypes.c_void_p) == array.ctypes.data
    assert _read(id(array), layouts.NDIM, ctypes.c_int) == array.ndim
    for offset, expected in ((layouts.DIMS, array.shape), (layouts.STRIDES, array.strides)):
        first = _read(id(array), offset, ctypes.c_void_p)
        assert [_read(first, 8 * k, ctypes.c_ssize_t) for k in range(array.ndim)] == list(expected)
    assert _read(id(array), layouts.DESCR, ctypes.c_void_p) == id(array.dtype)


@pytest.mark.parametrize("writeable", [True, False])
@pytest.mark.parametrize("array", ARRAYS)
def test_flags_of_arrays(array, writeable):
    array = array.view()
    array.flags.writeable = writeable
    flags = _read(id(array), layouts.FLAGS, ctypes.c_int)
    found = [bool(flags & bit) for bit in (layouts.C_ORDER, layouts.F_ORDER, layouts.WRITEABLE)]
    assert found == [array.flags.c_contiguous, array.flags.f_contiguous, array.flags.writeable]
    mask, wanted = layouts.flags_of(numba.typeof(array))
    assert flags & mask == wanted


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != np.float16], ids=str)
def test_fields_of_dtypes(dtype):
    assert _read(id(dtype), layouts.TYPE_NUMBER, ctypes.c_int) == dtype.num
    assert dtype.num in layouts.type_numbers(dtype)
    for order in "<>":
        one = np.dtype(dtype).newbyteorder(order)
        if one.itemsize > 1:
            found = chr(_read(id(one), layouts.BYTE_ORDER, ctypes.c_uint8))
            assert (found == layouts.FOREIGN) == (not one.isnative)


@pytest.mark.parametrize("kind", [kind for kind in layouts.SCALARS if kind is not np.bool_])
def test_scalars_hold_their_value_behind_the_head(kind):
    scalar = kind(5)
    assert ctypes.string_at(id(scalar) + layouts.HEAD, scalar.itemsize) == scalar.tobytes()
