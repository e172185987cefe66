"""The plan counts what is really sent."""

import numpy as np
import pytest

from spark_csr import csr_array
from spark_csr.gallery import poisson, rmat
from spark_csr.partition import HaloPlan, balanced_offsets, halo_plan, split


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 30])
def test_the_messages_are_what_blocks_want_of_others(blocks):
    for A in (poisson((5, 5)), rmat(5, 3)):
        parts = split(A, balanced_offsets(A.indptr, blocks))
        plan = halo_plan(parts)
        found = {(m.source, m.target): m for m in plan.messages}
        assert len(found) == len(plan.messages)
        received = [0] * blocks
        for i, block in enumerate(parts):
            for j in block.sources:
                wanted = block.wanted(j)
                count = block.size_of(j) if wanted is None else wanted.size
                if i == j:
                    assert (j, i) not in found
                else:
                    assert found.pop((j, i)) == (j, i, count, wanted is None)
                    received[i] += count
        assert not found
        assert plan.received() == received
        assert sum(plan.sent()) == sum(received)
        assert plan.nbytes(16) == 16 * sum(received)


def test_of_outlines_the_same():
    A = poisson((6, 6))
    blocks = split(A, [0, 12, 24, 36])
    outlines = [block.outline() for block in blocks]
    assert halo_plan(outlines).messages == halo_plan(blocks).messages == HaloPlan(outlines).messages
    assert halo_plan(blocks).sent() == [6, 12, 6]


def test_blocks_of_one_worker_send_nothing():
    plan = halo_plan(split(poisson((16,)), [0, 4, 8, 12, 16]))
    assert plan.nbytes(8, "aaaa") == 0
    assert plan.nbytes(8, "aabb") == 16
    assert plan.nbytes(8, "abab") == plan.nbytes(8) == 48


def test_more_chunks_than_blocks():
    A = poisson((16,))
    plan = halo_plan(split(A, [0, 8, 16], [0, 4, 8, 12, 16]))
    assert [m[:3] for m in plan.messages] == [(1, 0, 4), (2, 0, 1), (2, 1, 4), (3, 1, 4)]
    assert plan.sent() == [0, 4, 5, 4]
    assert plan.nbytes(1, [0, 1]) == 13


def test_rows_out_of_order_are_refused():
    blocks = split(poisson((16,)), [0, 4, 8, 16])
    with pytest.raises(ValueError, match="block 1 begins at row 8, and the blocks before it end at row 4"):
        halo_plan([blocks[0], blocks[2], blocks[1]])


def test_a_dense_row_needs_all():
    A = np.zeros((6, 6))
    A[0] = 1
    plan = halo_plan(split(csr_array(A), [0, 2, 4, 6]))
    assert [(m.source, m.target, m.whole) for m in plan.messages] == [(1, 0, True), (2, 0, True)]
