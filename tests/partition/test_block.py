"""Blocks: that they are the rows of the matrix, that they take what they need, and that they travel."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from battery import BATTERY
from spark_csr import coo_array, csr_array
from spark_csr.gallery import poisson
from spark_csr.partition import Block, make_block, split


def matrix(xp, name):
    indptr, indices, data, shape = BATTERY[name]
    return csr_array((xp.asarray(data), xp.asarray(indices), xp.asarray(indptr)), shape=shape)


def cuts(length, parts):
    return [length * i // parts for i in range(parts + 1)]


def unpacked(block, to_numpy):
    """The rows of a block with the columns of the whole matrix, dense, and added where there are duplicates."""
    dense = np.zeros((block.matrix.shape[0], int(block.offsets[-1])))
    indptr, columns = to_numpy(block.matrix.indptr), to_numpy(block.columns)[to_numpy(block.matrix.indices)]
    rows = np.repeat(np.arange(block.matrix.shape[0]), np.diff(indptr))
    np.add.at(dense, (rows, columns), to_numpy(block.matrix.data))
    return dense


@pytest.mark.parametrize("name", BATTERY)
def test_blocks_are_the_rows(xp, to_numpy, name):
    A = matrix(xp, name)
    dense = to_numpy(A.toarray())
    for whole in (0.5, 0, 1):
        for rows, chunks in [(1, 1), (2, 3), (3, 2), (A.shape[0] + 2, A.shape[1] + 2)]:
            blocks = split(A, cuts(A.shape[0], rows), cuts(A.shape[1], chunks), whole=whole)
            assert len(blocks) == rows
            np.testing.assert_array_equal(np.concatenate([unpacked(block, to_numpy) for block in blocks]), dense)
            assert sum(block.nnz for block in blocks) == A.nnz
            for block in blocks:
                check_what_is_taken(block, whole, to_numpy)


def check_what_is_taken(block, whole, to_numpy):
    """A chunk is taken whole if a larger share than `whole` is needed, else what is needed; by each in turn, in order."""
    columns = to_numpy(block.columns)
    needed = np.unique(columns[to_numpy(block.matrix.indices)])
    taken = []
    for j in range(block.offsets.size - 1):
        of_chunk = needed[(needed >= block.offsets[j]) & (needed < block.offsets[j + 1])] - block.offsets[j]
        size = block.size_of(j)
        assert (j in block.sources) == bool(of_chunk.size)
        if of_chunk.size:
            wanted = block.wanted(j)
            if of_chunk.size > whole * size or of_chunk.size == size:
                assert wanted is None
                of_chunk = np.arange(size)
            else:
                np.testing.assert_array_equal(to_numpy(wanted), of_chunk)
                assert wanted.dtype == np.int32
            taken.append(of_chunk + block.offsets[j])
    np.testing.assert_array_equal(columns, np.concatenate([*taken, np.zeros(0, int)]))


def test_entries_keep_their_order_and_their_duplicates(xp, to_numpy):
    for name in ("duplicates", "unsorted", "explicit zeros"):
        A = matrix(xp, name)
        (block,) = split(A, [0, A.shape[0]], [0, A.shape[1]], whole=1)
        np.testing.assert_array_equal(to_numpy(block.columns[block.matrix.indices]), to_numpy(A.indices))
        np.testing.assert_array_equal(to_numpy(block.matrix.indptr), to_numpy(A.indptr))


def test_the_own_chunk_is_taken_whole(xp, to_numpy):
    A = poisson((12,)).to_device("cpu")
    A = csr_array((xp.asarray(A.data), xp.asarray(A.indices), xp.asarray(A.indptr)), shape=A.shape)
    block = make_block(A[:3], [0, 6, 12], own=0)
    assert block.wanted(0) is None
    assert block.sources == (0,)
    empty = make_block(A[:0], [0, 6, 12], first_row=12, own=1)
    assert empty.rows == (12, 12)
    assert to_numpy(empty.columns).tolist() == list(range(6, 12))
    assert make_block(A[:0], [0, 6, 12]).sources == ()
    assert [block.sources for block in split(A, [0, 4, 8, 12])] == [(0, 1), (0, 1, 2), (1, 2)]


def test_columns_beyond_int32(xp, to_numpy):
    n = 2**40
    columns = [5, n - 1, n // 2, n // 2, 0]
    A = csr_array(
        (xp.arange(1.0, 6), xp.asarray(np.array(columns, np.int64)), xp.asarray([0, 2, 2, 5])),
        shape=(3, n),
    )
    block = make_block(A, [0, n // 2, n // 2 + 1, n])
    assert to_numpy(block.columns).tolist() == [0, 5, n // 2, n - 1]
    assert block.matrix.indices.dtype == block.matrix.indptr.dtype == np.int32
    assert to_numpy(block.matrix.toarray()).tolist() == [[0, 1, 0, 2], [0] * 4, [5, 0, 7, 0]]
    assert [None if block.wanted(j) is None else to_numpy(block.wanted(j)).tolist() for j in range(3)] == [
        [0, 5],
        None,
        [n - 1 - n // 2 - 1],
    ]
    assert block.wanted(0).dtype == np.int64


def test_other_formats_and_libraries(xp, to_numpy):
    A = matrix(xp, "power law")
    dense = to_numpy(A.toarray())
    forms = [A.tocsc(), A.tocoo(), *([sp.csr_array(dense), sp.coo_array(dense)] if xp is np else [])]
    for form in forms:
        blocks = split(form, cuts(A.shape[0], 3), cuts(A.shape[1], 2))
        np.testing.assert_array_equal(np.concatenate([unpacked(block, to_numpy) for block in blocks]), dense)


def test_blocks_travel_without_a_copy():
    (block,) = split(poisson((30, 30)), [0, 900])
    buffers = []
    inside = pickle.dumps(block, protocol=5, buffer_callback=buffers.append)
    assert len(inside) < 1500
    there = pickle.loads(inside, buffers=buffers)
    assert there.rows == block.rows
    assert there.sources == block.sources
    assert there.cuts == block.cuts
    assert np.shares_memory(there.matrix.data, block.matrix.data)
    assert np.shares_memory(there.columns, block.columns)
    np.testing.assert_array_equal(there.matrix.toarray(), block.matrix.toarray())


def test_the_operand_is_not_changed_and_values_are_shared():
    A = poisson((10,))
    before = A.indices.copy(), A.indptr.copy(), A.data.copy()
    block = make_block(A, [0, 5, 10])
    for x, y in zip((A.indices, A.indptr, A.data), before, strict=True):
        np.testing.assert_array_equal(x, y)
    assert np.shares_memory(block.matrix.data, A.data)


def test_how_a_block_is_shown(xp):
    A = matrix(xp, "band")
    block = make_block(A[:1], [0, 1, 2, 3, 4, 12], whole=1)
    assert repr(block) == "<Block of rows 0:1, 3 entries, 3 of 12 columns, from chunks 0 (whole), 1 (whole) and 2 (whole)>"
    assert repr(make_block(A[:0], [0, 12])) == "<Block of rows 0:0, 0 entries, 0 of 12 columns, from chunks none>"
    assert "and 2 more>" in repr(make_block(A, [0, 1, 2, 3, 4, 12]))
    assert block.device == A.device
    assert block.nbytes == block.matrix.nbytes + block.columns.nbytes == block.outline().nbytes


def test_what_is_refused(xp):
    A = matrix(xp, "band")
    with pytest.raises(ValueError, match="offsets must begin at 0 and end at 12, got 0 and 11"):
        make_block(A, [0, 11])
    with pytest.raises(ValueError, match="own must be one of the 2 chunks, got 2"):
        make_block(A, [0, 6, 12], own=2)
    with pytest.raises(TypeError, match="rows must be a sparse matrix, got list"):
        make_block([[1.0]], [0, 1])
    with pytest.raises(TypeError, match="A must be a sparse matrix, got list"):
        split([[1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"shape \(2, 12\) is not square: give column_offsets"):
        split(A[:2], [0, 2])
    with pytest.raises(ValueError, match="column_offsets must not decrease, got 8 before 4"):
        split(A, [0, 12], [0, 8, 4, 12])
    block = make_block(A[:1], [0, 6, 12])
    with pytest.raises(ValueError, match=r"rows 0:1 take nothing of chunk 1: use one of \(0,\)"):
        block.wanted(1)
    with pytest.raises(ValueError, match=r"for each of rows 0:2 .* 3 columns, got shape \(1, 3\)"):
        Block(block.matrix, block.columns, block.offsets, (0, 2))


def test_coordinates_with_duplicates_keep_every_entry():
    A = coo_array((np.ones(3), ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert sum(block.nnz for block in split(A, [0, 1, 2])) == split(A, [0, 2])[0].nnz
