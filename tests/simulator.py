"""Numba's CUDA simulator with lanes that take turns: much faster than its threads, and the same run every time.

Design: a lane is a greenlet that runs until its next barrier, then hands on. Between two barriers of the block warps run one
after another, and between two barriers of a warp its lanes do, in orders that change from barrier to barrier and from block to
block: where a barrier is missing, some order makes the reader come before the writer. Cost: a lane is never interrupted
between two barriers, so two lanes that update one position without an atomic are not found out.
"""

import functools
import sys
import types

import numpy as np
from greenlet import getcurrent, greenlet
from numba.core.types import Type
from numba.cuda.simulator import kernel, kernelapi
from numba.np.numpy_support import as_dtype

from spark_csr._engine.gpu.target import WARP

ORDERS = 16

RUBBISH = 0x5A
"""What a byte of shared memory holds at first."""

OF_WARP, OF_BLOCK = "a barrier of the warp", "a barrier of the block"
"""What a lane waits at."""


@functools.cache
def _order(count, turn):
    """Positions from first to last, from last to first, and shuffled."""
    if turn < 2:
        return range(count)[:: 1 - 2 * turn]
    return np.random.default_rng(turn).permutation(count).tolist()


class Lane(greenlet):
    """A lane: what the simulator asks of the thread that runs."""

    def __init__(self, run, votes, block, thread):
        super().__init__(run)
        self.votes, self.thread_id = votes, thread
        self.blockIdx, self.threadIdx = kernelapi.Dim3(*block), kernelapi.Dim3(thread, 0, 0)

    def syncthreads(self):
        """Wait until all lanes of the block wait, or have ended."""
        self.parent.switch(OF_BLOCK)

    def syncwarp(self):
        """The same for the lanes of the warp."""
        self.parent.switch(OF_WARP)

    def syncthreads_count(self, vote):
        self.votes[self.thread_id] = bool(vote)
        self.syncthreads()
        count = sum(self.votes.values())
        self.syncthreads()
        return count

    def syncthreads_or(self, vote):
        return int(self.syncthreads_count(vote) > 0)

    def syncthreads_and(self, vote):
        return int(self.syncthreads_count(vote) == len(self.votes))


class Block:
    """Runs a block, barrier by barrier."""

    def __init__(self, function, grid_dim, block_dim, debug):
        self.function, self.lanes = function, block_dim[0]

    def run(self, block, *args):
        votes = {}
        lanes = [Lane(self.function, votes, block, thread) for thread in range(self.lanes)]
        warps = [lanes[first : first + WARP] for first in range(0, self.lanes, WARP)]
        self.turn = block[0] * 7
        while any(warps):
            for w in _order(len(warps), self.turn % ORDERS):
                warps[w] = self._to_barrier_of_block(warps[w], args)
            args = ()
            self.turn += 1

    def _to_barrier_of_block(self, warp, args):
        """Run the lanes of a warp, barrier by barrier of the warp; returns those that have not ended."""
        at = OF_WARP
        while warp and at == OF_WARP:
            reached = {warp[k]: warp[k].switch(*args) for k in _order(len(warp), self.turn % ORDERS)}
            warp, args = [lane for lane in warp if not lane.dead], ()
            stops = {reached[lane] for lane in warp}
            if len(stops) > 1:
                raise RuntimeError(f"lanes of one warp wait at {OF_WARP} and at {OF_BLOCK}")
            at = stops.pop() if stops else OF_BLOCK
            self.turn += 1
        return warp


def _array(self, shape, dtype, alignment=None):
    """`cuda.shared.array`, known by the line that asks; the simulator's own reads the source for that.

    It begins as rubbish: memory that an earlier block left behind could hold just what a barrier is missing for.
    """
    caller = sys._getframe(1)
    line = caller.f_code, caller.f_lineno
    if line not in self._allocations:
        made = np.empty(shape, as_dtype(dtype) if isinstance(dtype, Type) else dtype)
        if made.dtype != object:
            made.view(np.uint8)[...] = RUBBISH
        self._allocations[line] = made
    return self._allocations[line]


def prepare():
    """Let the simulator run lanes as this file says."""
    kernel.BlockManager = Block
    kernelapi.threading = types.SimpleNamespace(current_thread=getcurrent)
    kernelapi.FakeCUDAShared.array = _array
    kernelapi.FakeCUDAModule.syncwarp = lambda self, mask=None: getcurrent().syncwarp()
