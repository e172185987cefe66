"""Numba's CUDA simulator, six times as fast, and without a race of its own."""

import sys
import threading

import numpy as np
from numba.core import types
from numba.cuda.simulator.kernelapi import FakeCUDAShared
from numba.np.numpy_support import as_dtype

_first_come = threading.Lock()


def _array(self, shape, dtype, alignment=None):
    """`cuda.shared.array`: the simulator's gives two threads that come first at the same moment an array each."""
    caller = sys._getframe(1)
    line = caller.f_code.co_filename, caller.f_lineno
    with _first_come:
        if line not in self._allocations:
            self._allocations[line] = np.empty(shape, as_dtype(dtype) if isinstance(dtype, types.Type) else dtype)
        return self._allocations[line]


def prepare():
    """Let threads take turns often: the main one asks without pause whether the others are done, and keeps the interpreter
    from them for a switch interval each time, 5 ms if nobody says otherwise. Races show themselves sooner, too."""
    sys.setswitchinterval(1e-5)
    FakeCUDAShared.array = _array
