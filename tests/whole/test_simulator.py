"""The simulator finds what it is there for."""

import numpy as np
import pytest

from spark_csr._array import SIMULATED

if not SIMULATED:
    pytest.skip("tests the simulator", allow_module_level=True)

from spark_csr._cuda.warp import warp_barrier
from spark_csr._engine.gpu.target import cuda


def _mirror(x, out, barrier):
    """Each block reverses its own 8 elements through shared memory."""
    thread, start = cuda.threadIdx.x, 8 * cuda.blockIdx.x
    shared = cuda.shared.array(8, np.int64)
    shared[thread] = x[start + thread]
    if barrier:
        cuda.syncthreads()
    out[start + thread] = shared[7 - thread]


def _shift(x, out, barrier):
    """Each lane reads what lies behind it, then writes its own position."""
    thread, start = cuda.threadIdx.x, 8 * cuda.blockIdx.x
    value = x[start + thread - 1] if thread else 0
    if barrier:
        cuda.syncthreads()
    x[start + thread] = -1
    out[start + thread] = value


def _shift_back(x, out, barrier):
    thread, start = cuda.threadIdx.x, 8 * cuda.blockIdx.x
    value = x[start + thread + 1] if thread < 7 else 0
    if barrier:
        cuda.syncthreads()
    x[start + thread] = -1
    out[start + thread] = value


def run(kernel, barrier, blocks=2):
    from spark_csr._engine.gpu.launch import Kernel

    x, out = np.arange(1, 8 * blocks + 1), np.zeros(8 * blocks, int)
    Kernel(kernel, 8)(blocks, x, out, barrier)
    return out.tolist()


@pytest.mark.parametrize("kernel", [_mirror, _shift, _shift_back])
def test_a_missing_barrier_is_seen(kernel):
    expected = {
        _mirror: [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9],
        _shift: [0, 1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15],
        _shift_back: [2, 3, 4, 5, 6, 7, 8, 0, 10, 11, 12, 13, 14, 15, 16, 0],
    }[kernel]
    assert run(kernel, True) == expected
    assert run(kernel, False) != expected
    assert run(kernel, False) == run(kernel, False)  # and seen again


def _mirror_warps(x, out, barrier):
    """Each warp of four reverses its own elements."""
    thread = cuda.threadIdx.x
    shared = cuda.shared.array(8, np.int64)
    shared[thread] = x[thread]
    if barrier:
        warp_barrier()
    out[thread] = shared[thread // 4 * 4 + 3 - thread % 4]


def _mirror_across_warps(x, out, barrier):
    """A barrier of a warp holds no other warp back."""
    thread = cuda.threadIdx.x
    shared = cuda.shared.array(8, np.int64)
    shared[thread] = x[thread]
    warp_barrier()
    if barrier:
        cuda.syncthreads()
    out[thread] = shared[7 - thread]


@pytest.mark.parametrize("kernel", [_mirror_warps, _mirror_across_warps])
def test_a_missing_barrier_is_seen_beside_those_of_warps(kernel):
    expected = [4, 3, 2, 1, 8, 7, 6, 5] if kernel is _mirror_warps else [8, 7, 6, 5, 4, 3, 2, 1]
    assert run(kernel, True, 1) == expected
    assert run(kernel, False, 1) != expected


def _part_ways(x, out, barrier):
    if cuda.threadIdx.x % 2:
        cuda.syncthreads()
    else:
        warp_barrier()


def test_lanes_of_a_warp_wait_at_one_barrier():
    with pytest.raises(RuntimeError, match="lanes of one warp wait at"):
        run(_part_ways, True)


def _votes(out):
    thread = cuda.threadIdx.x
    if thread >= 6:
        return
    out[3 * thread] = cuda.syncthreads_count(thread % 2)
    out[3 * thread + 1] = cuda.syncthreads_or(thread == 5)
    out[3 * thread + 2] = cuda.syncthreads_and(thread < 6)


def test_lanes_that_ended_are_not_waited_for():
    from spark_csr._engine.gpu.launch import Kernel

    out = np.zeros(18, int)
    Kernel(_votes, 8)(1, out)
    assert out.tolist() == [3, 1, 1] * 6


def _out_of_bounds(x):
    x[cuda.threadIdx.x] = 1


def test_an_index_beyond_the_end_is_an_error():
    from spark_csr._engine.gpu.launch import Kernel

    with pytest.raises(IndexError):
        Kernel(_out_of_bounds, 8)(1, np.zeros(7))
    Kernel(_out_of_bounds, 8)(1, np.zeros(8))  # and the next launch runs
