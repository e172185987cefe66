"""What the lanes of a warp tell each other: shuffles and ballots, for every element type.

The hardware shuffles 32 and 64 bits, signed or floating; narrower and unsigned values travel as signed ones, complex ones
as two floats. Under the simulator (that of the tests, whose lanes know a barrier of the warp) lanes exchange values through
shared memory.
"""

import numpy as np

from spark_csr._array import SIMULATED
from spark_csr._engine.gpu import FULL, WARP, cuda, device_function


@device_function
def lane_of(thread):
    return np.uint32(thread) & np.uint32(WARP - 1)


@device_function
def _read_as_is(value, lane):
    return cuda.shfl_sync(np.uint32(FULL), value, lane)


@device_function
def _read_as_int32(value, lane):
    return cuda.shfl_sync(np.uint32(FULL), np.int32(value), lane)


@device_function
def _read_as_int64(value, lane):
    return cuda.shfl_sync(np.uint32(FULL), np.int64(value), lane)


@device_function
def _read_parts(value, lane):
    real = cuda.shfl_sync(np.uint32(FULL), value.real, lane)
    imaginary = cuda.shfl_sync(np.uint32(FULL), value.imag, lane)
    return complex(real, imaginary)


@device_function
def _ballot(flag):
    return np.uint32(cuda.ballot_sync(np.uint32(FULL), flag))


@device_function
def last_at_or_below(votes, lane):
    """Return the highest lane at or below `lane` that voted, or -1."""
    below = votes & FULL >> 31 - lane
    return 31 - cuda.clz(np.int32(below))


@device_function
def _warp_barrier():
    cuda.syncwarp(np.uint32(FULL))


def _simulate_barrier():
    cuda.syncwarp()


def _simulate_exchange(value):
    """Return the values of the warp, by thread of the block."""
    slots, me = cuda.shared.array(cuda.blockDim.x, object), cuda.threadIdx.x
    slots[me] = value
    cuda.syncwarp()
    seen = slots.copy()
    cuda.syncwarp()
    return seen, me


def _simulate_read(value, lane):
    seen, me = _simulate_exchange(value)
    return seen[me - me % WARP + int(lane) % WARP]


def _simulate_ballot(flag):
    seen, me = _simulate_exchange(bool(flag))
    return np.uint32(sum(1 << lane for lane in range(WARP) if seen[me - me % WARP + lane]))


def _simulate_last(votes, lane):
    return (int(votes) & ((2 << int(lane)) - 1)).bit_length() - 1


def reader(dtype):
    """Return the device function `read(value, lane)`: the value that another lane holds. All lanes call it together."""
    if SIMULATED:
        return _simulate_read
    if dtype.kind == "c":
        return _read_parts
    if dtype.kind == "f" or (dtype.kind == "i" and dtype.itemsize >= 4):
        return _read_as_is
    return _read_as_int64 if dtype.itemsize == 8 else _read_as_int32


ballot = _simulate_ballot if SIMULATED else _ballot
warp_barrier = _simulate_barrier if SIMULATED else _warp_barrier
"""What lanes wrote before it, the others of the warp read after it. All lanes call."""
if SIMULATED:
    last_at_or_below = _simulate_last
