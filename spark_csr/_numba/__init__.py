"""What this package uses of Numba's inside: functions that are compiled into kernels, and the code that they become."""

from spark_csr._numba.device import DeviceFunction, njit

__all__ = ["DeviceFunction", "njit"]
