"""The one room for what is used of Numba's inside, and of llvmlite: all other packages import plain functions from here.

Each file says at its top what it uses that Numba does not document, why, and when that can go. CONTRIBUTING.md lists all of
them, and tests/engine/numba has a test for each, which fails when Numba changes it.
"""

from spark_csr._engine.numba.device import DeviceFunction, njit

__all__ = ["DeviceFunction", "njit"]
