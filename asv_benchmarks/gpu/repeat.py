"""The calls of `gpu_counts.py`, a hundred times: does each give the same bits?"""

import functools

import numpy as np

import gpu_counts
from peers.results import arrays

TIMES = 100


def items(options):
    """A family of kernels for each."""
    for name, make in gpu_counts.cases().items():
        yield name, functools.partial(repeat, make, 2 if options.small else TIMES)


def repeat(make, times):
    """Call it so many times, and compare."""
    call, _ = make()
    first = bits(call())
    for k in range(1, times):
        assert all(map(np.array_equal, bits(call()), first)), f"call {k} gave other bits than the first"
    return {"times": times}


def bits(found):
    """All arrays of a result, as bytes."""
    return [np.frombuffer(x.tobytes(), np.uint8) for x in arrays(found)]
