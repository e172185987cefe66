"""Products of blocks are those of the whole matrix, for any cut into blocks and chunks."""

import itertools

import numpy as np
import pytest

import dtypes
from battery import BATTERY, FINITE
from spark_csr import Semiring, config, csr_array
from spark_csr.gallery import poisson, rmat
from spark_csr.partition import (
    add_parts,
    balanced_offsets,
    gather,
    make_block,
    matmul,
    multiply,
    multiply_transposed,
    pack,
    rmatmul,
    split,
)

CUTS = [(1, 1), (2, 3), (3, 2), (7, 7)]


def matrix(xp, name):
    indptr, indices, data, shape = BATTERY[name]
    return csr_array((xp.asarray(data), xp.asarray(indices), xp.asarray(indptr)), shape=shape)


def cuts(length, parts):
    return [length * i // parts for i in range(parts + 1)]


def chunks_of(x, offsets):
    return [x[a:b] for a, b in itertools.pairwise(offsets)]


def blocks_of(A, rows, chunks):
    offsets = cuts(A.shape[0], rows), cuts(A.shape[1], chunks)
    return split(A, *offsets), *offsets


@pytest.mark.parametrize("name", FINITE)
def test_dense_operands(xp, to_numpy, name):
    A = matrix(xp, name)
    dense, (m, n) = to_numpy(A.toarray()), A.shape
    for rows, chunks in CUTS:
        blocks, row_offsets, column_offsets = blocks_of(A, rows, chunks)
        for k in ((), (2,)):
            x = np.resize([3.0, -1, 2, 0, 5], (n, *k))
            y = matmul(blocks, chunks_of(xp.asarray(x), column_offsets))
            assert [len(part) for part in y] == np.diff(row_offsets).tolist()
            np.testing.assert_array_equal(np.concatenate([to_numpy(part) for part in y]), dense @ x)
            x = np.resize([3.0, -1, 2, 0, 5], (m, *k))
            y = rmatmul(blocks, chunks_of(xp.asarray(x), row_offsets))
            assert [len(part) for part in y] == np.diff(column_offsets).tolist()
            np.testing.assert_array_equal(np.concatenate([to_numpy(part) for part in y]), dense.T @ x)


@pytest.mark.parametrize("name", ["band", "power law", "all rows empty", "0xN", "duplicates", "one dense row"])
def test_sparse_operands(xp, to_numpy, name):
    A = matrix(xp, name)
    dense = to_numpy(A.toarray())
    B = A.T.tocsr()
    for rows, chunks in CUTS[:3]:
        blocks, row_offsets, column_offsets = blocks_of(A, rows, chunks)
        C = matmul(blocks, chunks_of(B, column_offsets))
        assert all(part.format == "csr" for part in C)
        assert [part.shape[0] for part in C] == np.diff(row_offsets).tolist()
        np.testing.assert_array_equal(np.concatenate([to_numpy(part.toarray()) for part in C]), dense @ dense.T)


def test_nan_and_inf_pass(xp, to_numpy):
    A = matrix(xp, "NaN and inf")
    blocks, _, offsets = blocks_of(A, 2, 2)
    y = np.concatenate([to_numpy(part) for part in matmul(blocks, chunks_of(xp.ones(A.shape[1]), offsets))])
    np.testing.assert_array_equal(y, to_numpy(A @ xp.ones(A.shape[1])))


@pytest.mark.parametrize("semiring", dtypes.some(["min_plus", "max_times", "any_pair", "or_and"], ["min_plus", "or_and"]))
def test_semirings(xp, to_numpy, semiring):
    A = matrix(xp, "middle rows empty")
    blocks, _, offsets = blocks_of(A, 3, 2)
    x = xp.asarray([2.0, -1, 4])
    y = matmul(blocks, chunks_of(x, offsets), semiring=semiring)
    np.testing.assert_array_equal(np.concatenate([to_numpy(part) for part in y]), to_numpy(A.matmul(x, semiring=semiring)))


@pytest.mark.usefixtures("cpu_only")
def test_a_semiring_of_ones_own_and_a_mask():
    A = rmat(6, 4)
    last = Semiring("max", lambda a, b: a - b)
    blocks, _, offsets = blocks_of(A, 3, 3)
    x = np.arange(64.0)
    got = np.concatenate(matmul(blocks, chunks_of(x, offsets), semiring=last))
    np.testing.assert_array_equal(got, A.matmul(x, semiring=last))
    mask = csr_array(np.eye(64)[: blocks[0].matrix.shape[0]])
    C = multiply(blocks[0], gather(blocks[0], chunks_of(A, offsets)), mask=mask)
    np.testing.assert_allclose(C.toarray(), (A @ A).toarray()[: mask.shape[0]] * mask.toarray())


@pytest.mark.parametrize("dtype", dtypes.some(["bool", "int8", "float32", "complex128"], ["bool", "complex128"]))
def test_dtypes_are_those_of_the_whole_matrix(dtype, to_numpy, xp):
    S = poisson((12,)).astype(dtype)
    A = csr_array((xp.asarray(S.data), xp.asarray(S.indices), xp.asarray(S.indptr)), shape=S.shape)
    x = xp.asarray((np.arange(12) % 3).astype(dtype))
    blocks, offsets, _ = blocks_of(A, 3, 3)
    for got, wanted in [(matmul(blocks, chunks_of(x, offsets)), A @ x), (rmatmul(blocks, chunks_of(x, offsets)), A.T @ x)]:
        assert {part.dtype for part in got} == {wanted.dtype}
        np.testing.assert_array_equal(np.concatenate([to_numpy(part) for part in got]), to_numpy(wanted))


@pytest.mark.usefixtures("cpu_only")
def test_the_bits_do_not_depend_on_the_number_of_threads():
    A = rmat(12, 8)
    offsets = balanced_offsets(A.indptr, 5)
    blocks, x = split(A, offsets), chunks_of(np.random.default_rng(1).random(A.shape[0]), offsets)
    results = []
    for threads in (1, 2):
        with config(threads=threads):
            results.append((np.concatenate(matmul(blocks, x)), np.concatenate(rmatmul(blocks, x))))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_allclose(results[0][0], A @ np.concatenate(x))
    np.testing.assert_allclose(results[0][1], A.T @ np.concatenate(x))


def test_parts_are_added_in_the_order_given():
    parts = [np.array([1e16]), np.array([1.0]), np.array([-1e16])]
    assert add_parts(1, parts, [None] * 3, parts[0]).tolist() == [0.0]
    assert add_parts(1, [parts[0], parts[2], parts[1]], [None] * 3, parts[0]).tolist() == [1.0]


def test_no_argument_is_written_into(xp, to_numpy):
    A = matrix(xp, "band")
    (block, *_), _, offsets = blocks_of(A, 2, 2)
    parts = gather(block, chunks_of(xp.arange(12.0), offsets))
    before = [to_numpy(part).copy() for part in parts]
    multiply(block, parts)
    sums = multiply_transposed(block, xp.ones(block.matrix.shape[0]))
    first = [to_numpy(part).copy() for part in sums]
    add_parts(6, [sums[0], sums[0]], [block.wanted(0)] * 2, sums[0])
    for x, y in zip([*parts, *sums], before + first, strict=True):
        np.testing.assert_array_equal(to_numpy(x), y)


def test_a_whole_chunk_is_passed_on(xp):
    x = xp.arange(5.0)
    assert pack(x, None) is x


def test_no_parts(xp, to_numpy):
    assert to_numpy(add_parts(3, [], [], xp.zeros((0, 2), np.float32))).shape == (3, 2)
    block = make_block(matrix(xp, "band")[:0], [0, 12])
    with pytest.raises(ValueError, match=r"rows 0:0 take nothing of any chunk: give an empty part, as chunks\[0\]\[:0\]"):
        multiply(block, [])


def test_what_does_not_fit_is_refused(xp):
    (block, _), _, _ = blocks_of(matrix(xp, "band"), 2, 2)
    x = xp.arange(12.0)
    with pytest.raises(ValueError, match="the vector must be in 2 chunks, got 1"):
        gather(block, [x])
    with pytest.raises(ValueError, match=r"chunk 1 must have length 6, got shape \(5,\)"):
        gather(block, [x[:6], x[7:]])
    with pytest.raises(ValueError, match=r"the parts must have \d+ elements or rows together, got 12"):
        multiply(block, [x])
    with pytest.raises(ValueError, match=r"vectors and matrices, got shape \(2, 12, 3\): give one matrix of a stack"):
        multiply(block, [xp.ones((2, 12, 3))])
    with pytest.raises(ValueError, match="a part of 2 elements was given for 3"):
        add_parts(3, [x[:2]], [None], x)
