"""Room for frames: calls at no depth ask the system for memory again and again."""

import resource

import pytest

from spark_csr._engine.numba.memory import call_with_room

CALLS = 2000
DEPTHS = 400
"""Frames of `_descend` that need more than a chunk of 16 kB."""


def _leaf(a, b, c, d, e, f):
    return a


def _loop():
    for _ in range(CALLS):
        _leaf(1, 2, 3, 4, 5, 6)


def _descend(depth):
    if depth:
        return _descend(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    _loop()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_no_depth_asks_for_memory_at_each_call():
    """A new chunk is a new page: the system counts it."""
    faults = [call_with_room(_descend, depth) for depth in range(DEPTHS)]
    assert max(faults) < CALLS // 2


def test_results_and_exceptions_pass_through():
    assert call_with_room(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError) as raised:
        call_with_room(divmod, 7, 0)
    assert raised.traceback[-1].frame.code.raw is call_with_room.__code__
