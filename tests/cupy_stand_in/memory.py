"""Memory of the devices: host memory that only the stand-in touches, given out and taken back as CuPy's pool does.

Blocks lie apart from each other, each between guards; what was freed is given out again at once, and full of rubbish.
"""

import itertools
import sys

import numpy as np

from . import streams
from .errors import GuardError, OutOfMemoryError, unknown

ALIGNMENT = 512
"""CuPy rounds sizes up to it and aligns to it: cupy/cuda/memory.pyx, _allocation_unit_size (v14.2)."""

RUBBISH = 0x5A
"""Each byte that nobody wrote: as a float a large number, as an index far outside, as a bool neither."""

GUARD = 0xA5
DEVICE_BYTES = 4 << 30
"""How much memory a device seems to have."""

KEPT = 256 << 20
"""Of how much freed memory the pool of one device keeps hold, so that tests do not pile it up."""

_numbers = itertools.count(1)


class Block:
    """One piece of a device's memory, in use or waiting in the pool.

    `generation` counts how often it was given back: who remembers an older one remembers memory that is no longer theirs.
    """

    def __init__(self, device_id, rounded, arena):
        self.device_id, self.rounded, self.arena = device_id, rounded, arena
        self._raw = np.empty(rounded + 3 * ALIGNMENT, np.uint8)
        start = self._raw.__array_interface__["data"][0]
        self._at = -(start + ALIGNMENT) % ALIGNMENT + ALIGNMENT
        self.ptr = start + self._at
        self.number, self.generation = next(_numbers), 0
        self.writer, self.readers = None, {}
        self.size, self.host = 0, None

    def give_out(self, size):
        """Make it `size` bytes of rubbish between guards."""
        self.size = size
        self._raw.fill(GUARD)
        self.host = self._raw[self._at : self._at + size]
        self.host.fill(RUBBISH)

    def check_guards(self):
        """Raise where a byte outside was written."""
        raw, end = self._raw, self._at + self.size
        if (raw[: self._at] != GUARD).any() or (raw[end:] != GUARD).any():
            raw[: self._at] = raw[end:] = GUARD
            raise GuardError(f"something wrote outside of {self}")

    def __repr__(self):
        return f"block {self.number} ({self.size} bytes at {self.ptr:#x} on device {self.device_id})"


class PooledMemory:
    """Memory in somebody's hands: goes back to the pool with its last array."""

    identity = "PooledMemory"

    def __init__(self, pool, block):
        self.pool, self.block = pool, block
        self.ptr, self.size, self.device_id = block.ptr, block.rounded, block.device_id

    def __del__(self):
        pool, self.pool = self.pool, None
        if pool is not None and not sys.is_finalizing():
            pool.take_back(self.block)


class _Nothing:
    """The memory of empty arrays: `Memory(0)` of cupy/cuda/memory.pyx, _malloc (v14.2)."""

    identity, block, ptr, size = "Memory", None, 0, 0

    def __init__(self, device_id):
        self.device_id = device_id


_nothing = [_Nothing(number) for number in range(streams.DEVICES)]


class MemoryPointer:
    """As `cupy.cuda.MemoryPointer`: a place in a piece of memory."""

    __slots__ = ("device_id", "mem", "ptr")

    def __init__(self, mem, offset):
        self.mem, self.ptr, self.device_id = mem, mem.ptr + offset, mem.device_id

    @property
    def device(self):
        """The device that the memory is on."""
        from .device import Device

        return Device(self.mem.device_id)

    def __int__(self):
        return self.ptr

    def __getattr__(self, name):
        raise unknown(f"cupy.cuda.MemoryPointer.{name}")


class _Arenas:
    """The free blocks of one device, by stream and size; the block that was freed last is given out first."""

    def __init__(self, device_id):
        self.device_id, self.by_place, self.free, self.used = device_id, {}, 0, 0
        self.order = []

    def malloc(self, size):
        """Memory of `size` bytes: a free block of this stream's arena if there is one that fits."""
        if size == 0:
            return _nothing[self.device_id]
        rounded = -(-size // ALIGNMENT) * ALIGNMENT
        stream = streams.get_current_stream().ptr
        waiting = self.by_place.get((stream, rounded))
        if waiting:
            block = waiting.pop()
            self.free -= rounded
        else:
            block = self._new(rounded, stream)
        self.used += rounded
        block.give_out(size)
        return PooledMemory(self, block)

    def _new(self, rounded, stream):
        if self.used + self.free + rounded > DEVICE_BYTES:
            self.free_all()
        if self.used + rounded > DEVICE_BYTES:
            raise OutOfMemoryError(
                f"Out of memory allocating {rounded:,} bytes (allocated so far: {self.used:,} bytes, limit set to: "
                f"{DEVICE_BYTES:,} bytes)."
            )
        return Block(self.device_id, rounded, stream)

    def take_back(self, block):
        """Put a block back into the arena of the stream that it was allocated on: cupy/cuda/memory.pyx, free (v14.2)."""
        block.generation += 1
        self.used -= block.rounded
        if self.free + block.rounded <= KEPT:
            self.by_place.setdefault((block.arena, block.rounded), []).append(block)
            self.free += block.rounded
        block.check_guards()

    def free_all(self, stream=None):
        """Give all free blocks, or those of one stream, back to the device."""
        for place in list(self.by_place):
            if stream is None or place[0] == stream.ptr:
                self.free -= place[1] * len(self.by_place.pop(place))


arenas = [_Arenas(number) for number in range(streams.DEVICES)]


def alloc(size):
    """Memory of the current device: cupy/cuda/memory.pyx, alloc (v14.2)."""
    return arenas[streams.current.device].malloc(size)


class MemoryPool:
    """As `cupy.cuda.MemoryPool`: each method is about the current device."""

    def malloc(self, size):
        """A pointer to new memory."""
        return MemoryPointer(alloc(size), 0)

    def used_bytes(self):
        """Bytes in somebody's hands."""
        return arenas[streams.current.device].used

    def free_bytes(self):
        """Bytes that wait in the pool."""
        return arenas[streams.current.device].free

    def total_bytes(self):
        """Both."""
        return self.used_bytes() + self.free_bytes()

    def n_free_blocks(self):
        """How many blocks wait in the pool."""
        return sum(map(len, arenas[streams.current.device].by_place.values()))

    def free_all_blocks(self, stream=None):
        """Give free blocks back to the device."""
        arenas[streams.current.device].free_all(stream)

    def __getattr__(self, name):
        raise unknown(f"cupy.cuda.MemoryPool.{name}")


_pool = MemoryPool()


def get_default_memory_pool():
    """The pool of all devices."""
    return _pool
