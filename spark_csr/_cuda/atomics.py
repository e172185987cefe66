"""Atomic functions on GPUs: see `spark_csr.atomics`."""

from spark_csr._array import SIMULATED
from spark_csr.atomics import atomic_add, atomic_max, atomic_min, element_type


def implement():
    """Tell Numba's GPUs what the functions are."""
    from numba import cuda

    try:
        from numba.cuda.extending import overload
    except ImportError:  # Numba's own `cuda`, and numba-cuda while it shared these with Numba
        from numba.extending import overload

    @overload(atomic_add, target="cuda")
    def _add(array, index, value):
        element = element_type(array)
        return lambda array, index, value: cuda.atomic.add(array, index, element(value))

    @overload(atomic_min, target="cuda")
    def _min(array, index, value):
        element = element_type(array)
        return lambda array, index, value: cuda.atomic.min(array, index, element(value))

    @overload(atomic_max, target="cuda")
    def _max(array, index, value):
        element = element_type(array)
        return lambda array, index, value: cuda.atomic.max(array, index, element(value))


if not SIMULATED:  # there functions are Python, and lanes do not run at once
    implement()
