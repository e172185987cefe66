"""Atomic functions on GPUs: see `spark_csr._shared.atomics`."""

import operator

import numpy as np

from spark_csr._array import SIMULATED
from spark_csr._engine.gpu import chosen
from spark_csr._shared.atomics import atomic_add, atomic_max, atomic_min, element_type


def implement():
    """Tell Numba's GPUs what the functions are."""
    compiler = chosen()
    cuda, overload = compiler.load_cuda(), compiler.overload

    @overload(atomic_add)
    def _add(array, index, value):
        element = element_type(array)
        return lambda array, index, value: cuda.atomic.add(array, index, element(value))

    @overload(atomic_min)
    def _min(array, index, value):
        element = element_type(array)
        if _is_float(element):
            return _make_swap(element, operator.lt)
        return lambda array, index, value: cuda.atomic.min(array, index, element(value))

    @overload(atomic_max)
    def _max(array, index, value):
        element = element_type(array)
        if _is_float(element):
            return _make_swap(element, operator.gt)
        return lambda array, index, value: cuda.atomic.max(array, index, element(value))


def _is_float(element):
    return str(element).startswith("float")  # the type is the compiler's own


def _make_swap(element, better):
    """Return the implementation for floats: read, and swap until the value that is replaced is the one that was read.

    Numba's own returns its first read, which another thread may have replaced since: two callers could both be told that they
    were the first. As on the cores, NaN counts as absent.
    """
    cuda = chosen().load_cuda()
    libdevice = cuda.libdevice
    if element.bitwidth == 32:
        bits, to_bits, to_float = np.int32, libdevice.float_as_int, libdevice.int_as_float
    else:
        bits, to_bits, to_float = np.int64, libdevice.double_as_longlong, libdevice.longlong_as_double

    def change(array, index, value):
        slots, new = array.view(bits), element(value)
        before = array[index]
        while better(new, before) or before != before:
            found = to_float(cuda.atomic.cas(slots, index, to_bits(before), to_bits(new)))
            if to_bits(found) == to_bits(before):
                break
            before = found
        return before

    return change


if not SIMULATED:  # there functions are Python, and lanes do not run at once
    implement()
