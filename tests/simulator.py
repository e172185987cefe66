"""Numba's CUDA simulator with lanes that take turns: some twenty times as fast as its threads, and the same run every time.

Design: a lane is a greenlet that runs until its next barrier, then hands on. Between two barriers lanes run one after another,
in an order that changes from barrier to barrier and from block to block: where a barrier is missing, some order makes the
reader come before the writer. Cost: a lane is never interrupted between two barriers, so two lanes that update one place
without an atomic are not found out.
"""

import functools
import sys
import types

import numpy as np
from greenlet import getcurrent, greenlet
from numba.core.types import Type
from numba.cuda.simulator import kernel, kernelapi
from numba.np.numpy_support import as_dtype

ORDERS = 16


@functools.cache
def _order(lanes, turn):
    """Lanes from first to last, from last to first, and shuffled."""
    if turn < 2:
        return range(lanes)[:: 1 - 2 * turn]
    return np.random.default_rng(turn).permutation(lanes).tolist()


class Lane(greenlet):
    """A lane: what the simulator asks of the thread that runs."""

    def __init__(self, run, votes, block, thread):
        super().__init__(run)
        self.votes, self.thread_id = votes, thread
        self.blockIdx, self.threadIdx = kernelapi.Dim3(*block), kernelapi.Dim3(thread, 0, 0)

    def syncthreads(self):
        """Wait until all lanes of the block wait, or have ended."""
        self.parent.switch()

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
        waiting = [True] * self.lanes
        turn = block[0] * 7
        first = args
        while any(waiting):
            for thread in _order(self.lanes, turn % ORDERS):
                if waiting[thread]:
                    lanes[thread].switch(*first)
                    waiting[thread] = not lanes[thread].dead
            first = ()
            turn += 1


def _array(self, shape, dtype, alignment=None):
    """`cuda.shared.array`, known by the line that asks; the simulator's own reads the source for that."""
    caller = sys._getframe(1)
    line = caller.f_code, caller.f_lineno
    if line not in self._allocations:
        self._allocations[line] = np.empty(shape, as_dtype(dtype) if isinstance(dtype, Type) else dtype)
    return self._allocations[line]


def prepare():
    """Let the simulator run lanes as this file says."""
    kernel.BlockManager = Block
    kernelapi.threading = types.SimpleNamespace(current_thread=getcurrent)
    kernelapi.FakeCUDAShared.array = _array
