"""Products of blocks, numbered before they are computed: the same blocks as those that are numbered afterwards."""

import numpy as np
import pytest

from spark_csr import csr_array, eye_array
from spark_csr.gallery import poisson
from spark_csr.partition import Block, make_block, multiply, split
from spark_csr.partition.joined import multiply_rows

CUTS = np.array([0, 4, 4, 10, 14])


def of_all_columns(block):
    """The rows of a block with the columns of the whole matrix."""
    matrix, width = block.matrix, int(block.offsets[-1])
    return csr_array((matrix.data, block.columns[matrix.indices], matrix.indptr), shape=(matrix.shape[0], width))


def parts_of(block, others, own):
    """What a block takes of other blocks: its own chunk as a block, and rows of the others."""
    found = []
    for j in block.sources:
        wanted = block.wanted(j)
        rows = of_all_columns(others[j])
        found.append(others[j] if wanted is None and j == own else rows if wanted is None else rows[wanted])
    return found


def both(A, B, i, semiring="plus_times"):
    """Block `i` of a product, numbered before and afterwards."""
    block, others = split(A, CUTS)[i], split(B, CUTS)
    parts = parts_of(block, others, i)
    found = multiply_rows(block, parts, CUTS, i, semiring)
    rows = [of_all_columns(part) if isinstance(part, Block) else part for part in parts]
    return found, make_block(multiply(block, rows, semiring=semiring), CUTS, int(CUTS[i]), own=i)


KINDS = {
    "no neighbours": (eye_array(14), eye_array(14)),
    "halos of one element": (poisson((14,)), poisson((14,))),
    "whole chunks": (csr_array(1 + np.arange(196.0).reshape(14, 14)), csr_array(np.eye(14) + np.eye(14)[::-1])),
}


@pytest.mark.parametrize("semiring", ["plus_times", "max_plus"])
@pytest.mark.parametrize("kind", KINDS)
def test_as_numbered_afterwards(kind, semiring, xp, to_numpy):
    A, B = (matrix.to_device("cpu" if xp is np else "cuda") for matrix in KINDS[kind])
    for i in (0, 2, 3):
        found, expected = both(A, B, i, semiring)
        assert found.outline()._replace(nbytes=0) == expected.outline()._replace(nbytes=0)
        for x, y in (
            (found.columns, expected.columns),
            (found.matrix.indptr, expected.matrix.indptr),
            (found.matrix.indices, expected.matrix.indices),
            (found.matrix.data, expected.matrix.data),
        ):
            assert x.dtype == y.dtype
            np.testing.assert_array_equal(to_numpy(x), to_numpy(y))


def test_rows_that_are_not_needed_leave_it_to_make_block():
    """They may have columns that the product lacks."""
    A = csr_array(np.diag(np.arange(14) % 2))
    assert both(A, poisson((14,)), 0)[0] is None


def test_few_entries_for_so_many_columns_leave_it_to_make_block():
    block = split(poisson((6,)), [0, 6])[0]
    rows = csr_array((np.ones(6), (np.arange(6), np.full(6, 2**40 - 1))), shape=(6, 2**40))
    assert multiply_rows(block, [rows], np.array([0, 2**40]), None, "plus_times") is None


def test_the_chunk_beside_the_product_is_taken_whole():
    block = split(eye_array(14), CUTS)[0]
    rows = csr_array((np.ones(4), (np.arange(4), np.full(4, 13))), shape=(4, 14))
    assert multiply_rows(block, [rows], CUTS, 0, "plus_times").columns.tolist() == [0, 1, 2, 3, 13]
    assert multiply_rows(block, [rows], CUTS, None, "plus_times").columns.tolist() == [13]
