"""`Workspace`: the memory through which the kernels of one plan hand partial sums on, kept from call to call.

Design: memory that is taken for one call goes back to CuPy's pool when the call returns, but a captured CUDA graph writes into
it at every replay. So a plan keeps its own, one for every stream, since the order of a stream is what protects it.
Cost: it stays as long as the plan does; an element for every tile, of the matrix or of the result one percent.
"""

import sys
import threading

import numpy as np

from spark_csr._array import SIMULATED


class Workspace:
    """An array of `size` elements for every stream.

    In a `with` block it is that of the current stream, and no other thread launches with it, so that the launches of the block
    follow each other directly. CuPy's `ExternalStream` objects of one stream are one.
    """

    def __init__(self, size, dtype):
        self.size, self.dtype = size, dtype
        self._lock, self._arrays = threading.Lock(), {}

    def __enter__(self):
        self._lock.acquire()
        try:
            return self._array_of_stream()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, *_):
        self._lock.release()

    def _array_of_stream(self):
        if SIMULATED:
            return np.empty(self.size, self.dtype)
        cupy = sys.modules["cupy"]
        stream = cupy.cuda.get_current_stream()
        found = self._arrays.get(stream.ptr)
        if found is None:
            found = self._arrays[stream.ptr] = (
                cupy.empty(self.size, self.dtype),
                stream,
            )  # which lives on: no other gets its address
        return found[0]
