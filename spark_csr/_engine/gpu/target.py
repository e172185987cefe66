"""What kernels are written in: Numba's `cuda` module, or under the simulator a stand-in that finds the running kernel's."""

from typing import NamedTuple

from numba import from_dtype, types

from spark_csr._array import SIMULATED
from spark_csr._engine.gpu.compiler import chosen
from spark_csr._engine.numba import njit
from spark_csr._engine.numba.gpu import RunningKernel

if SIMULATED:
    cuda = RunningKernel()

    def load_once(x, position):
        """Return an element."""
        return x[position]

    def load_wide(x, position, own, first, count):
        """Load elements into a local array."""
        own[first : first + count] = x[position : position + count]

    def store_wide(x, base, position, own, count):
        """Store elements of a local array."""
        x[base + position : base + position + count] = own[:count]

    def load_volatile(x, position):
        """Return an element."""
        return x[position]

    def store_volatile(x, position, value):
        """Set an element."""
        x[position] = value

    def fetch_add(x, position, value):
        """Add to an element; return what it was before."""
        return cuda.atomic.add(x, position, value)

    def fetch_max(x, position, value):
        """Raise an element to `value` if it is less; return what it was before."""
        return cuda.atomic.max(x, position, value)

else:
    from spark_csr._engine.numba.intrinsics.counters import fetch_add as fetch_add
    from spark_csr._engine.numba.intrinsics.counters import fetch_max as fetch_max
    from spark_csr._engine.numba.intrinsics.once import load_once as load_once
    from spark_csr._engine.numba.intrinsics.volatile import load_volatile as load_volatile
    from spark_csr._engine.numba.intrinsics.volatile import store_volatile as store_volatile
    from spark_csr._engine.numba.intrinsics.wide import load_wide as load_wide
    from spark_csr._engine.numba.intrinsics.wide import store_wide as store_wide

    cuda = chosen().load_cuda()

WARP = 4 if SIMULATED else 32
"""Lanes of a warp. The simulator's tiny blocks of eight threads are two warps of four."""

FULL = 0xFFFFFFFF
"""All lanes take part."""

device_function = njit(forceinline=True)


class Box(NamedTuple):
    """The shape of a block's work: `tile = threads * items`."""

    threads: int
    items: int

    @property
    def tile(self):
        return self.threads * self.items


def box(threads, items):
    """Return the box to compile for; under the simulator a tiny one, so that small arrays have many tiles."""
    return Box(2 * WARP, 2) if SIMULATED else Box(threads, items)


def blocks_for(n, tile):
    """Return how many blocks of `tile` cover `n`; 0 for nothing."""
    return -(-n // tile)


def shared_type(dtype):
    """Return the Numba type of an element of shared memory."""
    return types.boolean if dtype.kind == "b" else from_dtype(dtype)
