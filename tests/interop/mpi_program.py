"""What `test_mpi` runs on several ranks: `mpiexec -n 3 python tests/interop/mpi_program.py` makes all checks.

Every rank runs every check. Rank 0 prints a line of JSON for each: its name and what went wrong, by rank.
"""

import importlib
import json
import pathlib
import shutil
import sys
import tempfile
import traceback
import types

import numpy as np
import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from battery import BATTERY, FINITE
from spark_csr import csr_array
from spark_csr.gallery import poisson, rmat
from spark_csr.graph import Graph
from spark_csr.graph import pagerank as pagerank_of_one
from spark_csr.interop import mpi
from spark_csr.io import open_blocks, save_blocks
from spark_csr.linalg import cg as cg_of_one
from spark_csr.partition import balanced_offsets, matmul, rmatmul, split


def spread(A, comm, offsets=None, column_offsets=None):
    """The rows of a matrix that every rank has, spread over the ranks."""
    offsets = balanced_offsets(A.indptr, comm.size) if offsets is None else offsets
    return mpi.csr_rows(A[offsets[comm.rank] : offsets[comm.rank + 1]], comm, column_offsets=column_offsets), offsets


def part(x, offsets, comm):
    """This rank's part of a vector that every rank has."""
    return x[offsets[comm.rank] : offsets[comm.rank + 1]]


def cuts(length, comm):
    return np.array([length * i // comm.size for i in range(comm.size + 1)])


def refused(comm, kind, words, call, *operands, **settings):
    """All ranks raise the same exception."""
    found = None
    try:
        call(*operands, **settings)
    except Exception as error:
        found = type(error), str(error)
    everywhere = comm.allgather(found)
    assert found, everywhere
    assert everywhere.count((kind, found[1])) == comm.size, everywhere
    assert words in found[1], found[1]


def check_products_of_the_battery(comm):
    for name in FINITE:
        indptr, indices, data, shape = BATTERY[name]
        A = csr_array((data, indices, indptr), shape=shape)
        dense = A.toarray()
        rows, columns = cuts(shape[0], comm), cuts(shape[1], comm)
        B, _ = spread(A, comm, rows, columns)
        for k in ((), (2,)):
            x = np.resize([3.0, -1, 2, 0, 5], (shape[1], *k))
            for _ in range(2):  # the buffers are used again
                np.testing.assert_array_equal(B @ part(x, columns, comm), part(dense @ x, rows, comm), err_msg=name)
                x = x[::-1].copy()
            x = np.resize([3.0, -1, 2, 0, 5], (shape[0], *k))
            for _ in range(2):
                np.testing.assert_array_equal(B.T @ part(x, rows, comm), part(dense.T @ x, columns, comm), err_msg=name)
                x = x[::-1].copy()


def check_bits_are_those_of_the_blocks(comm):
    for A in (poisson((13, 17)), rmat(8, 6)):
        B, offsets = spread(A, comm)
        x = np.random.default_rng(1).random(A.shape[0])
        blocks, chunks = split(A, offsets), np.split(x, offsets[1:-1])
        np.testing.assert_array_equal(B @ part(x, offsets, comm), matmul(blocks, chunks)[comm.rank])
        np.testing.assert_array_equal(B.T @ part(x, offsets, comm), rmatmul(blocks, chunks)[comm.rank])


def check_dtypes_and_semirings(comm):
    A = poisson((7, 5))
    x = np.arange(35.0)
    for dtype in ("float16", "float32", "int64", "complex64", "bool"):
        B, offsets = spread(A.astype(dtype), comm)
        y = B @ part(x.astype(dtype), offsets, comm)
        wanted = A.astype(dtype) @ x.astype(dtype)
        assert y.dtype == wanted.dtype
        np.testing.assert_allclose(y, part(wanted, offsets, comm), rtol=1e-2)
        assert (B.T @ part(x.astype(dtype), offsets, comm)).dtype == wanted.dtype
    B, offsets = spread(A, comm)
    y = B.matmul(part(x, offsets, comm), semiring="min_plus")
    np.testing.assert_array_equal(y, part(A.matmul(x, semiring="min_plus"), offsets, comm))
    out = np.empty_like(y)
    assert B.matmul(part(x, offsets, comm), out=out) is out
    np.testing.assert_array_equal(out, part(A @ x, offsets, comm))


def check_empty_ranks(comm):
    A = poisson((4, 4))
    B, offsets = spread(A, comm, np.array([0, *[16] * comm.size]))  # all rows on rank 0
    x = np.arange(16.0)
    np.testing.assert_array_equal(B @ part(x, offsets, comm), part(A @ x, offsets, comm))
    np.testing.assert_array_equal(B.T @ part(x, offsets, comm), part(A.T @ x, offsets, comm))
    y, info = mpi.cg(B, part(x, offsets, comm), rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(B.gather(B @ y), x, atol=1e-8)
    nothing, _ = spread(csr_array((0, 0)), comm, np.zeros(comm.size + 1, int))
    assert (nothing @ np.zeros(0)).size == 0
    assert mpi.cg(nothing, np.zeros(0))[1] == 0
    assert mpi.pagerank(nothing).size == 0


def check_the_plan_and_the_messages(comm):
    A = poisson((10, 10))
    B, offsets = spread(A, comm)
    plan = B.plan()
    assert plan.messages == spread(A, comm)[0].plan().messages
    halo = B._halo(np.float64, ())
    sent = sum(x.nbytes for x, _ in halo.exchange.sends)
    received = sum(x.nbytes for x, _ in halo.exchange.receives)
    assert received == 8 * plan.received()[comm.rank]
    assert sent == 8 * plan.sent()[comm.rank]
    assert (B.shape, B.rows, B.dtype) == (A.shape, tuple(offsets[comm.rank : comm.rank + 2]), A.dtype)
    assert repr(B).startswith(f"<csr_rows of shape (100, 100) and dtype float64: rows {offsets[comm.rank]}:")


def check_the_chunk_of_the_halo_is_not_copied(comm):
    A = poisson((6, 6))
    B, offsets = spread(A, comm)
    halo = B._new_halo(np.float64)
    mine = part(np.arange(36.0), offsets, comm)
    halo.chunk[:] = mine
    assert halo.fetch(halo.chunk) is halo.local
    np.testing.assert_array_equal(B.block.matrix @ halo.local, part(A @ np.arange(36.0), offsets, comm))
    np.testing.assert_array_equal(halo.chunk, mine)


def check_messages_of_the_program_are_not_taken(comm):
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    mine = np.empty(1)
    request = comm.Irecv(mine, left)
    A = poisson((6, 6))
    B, offsets = spread(A, comm)
    assert spread(A, comm)[0].comm.comm == B.comm.comm
    np.testing.assert_array_equal(B @ part(np.arange(36.0), offsets, comm), part(A @ np.arange(36.0), offsets, comm))
    comm.Send(np.array([float(comm.rank)]), right)
    request.Wait()
    assert mine[0] == left
    own = comm.Dup()
    mpi.csr_rows(A[offsets[comm.rank] : offsets[comm.rank + 1]], own)
    own.Free()


def check_cg(comm):
    A = poisson((15, 11))
    b = np.random.default_rng(2).random(165)
    wanted, _ = cg_of_one(A, b, rtol=1e-10)
    B, offsets = spread(A, comm)
    mine, history, seen = part(b, offsets, comm), [], []
    x, info = mpi.cg(
        B, mine, rtol=1e-10, progress=lambda k, norm: history.append((k, norm)), callback=lambda x: seen.append(x.copy())
    )
    assert info == 0
    np.testing.assert_allclose(B.gather(x), wanted, rtol=1e-7)
    assert [k for k, _ in history] == list(range(1, len(history) + 1))
    assert len(set(comm.allgather(tuple(history)))) == 1
    assert history[-1][1] <= 1e-10 * np.linalg.norm(b) < history[-2][1]
    np.testing.assert_array_equal(seen[-1], x)
    steps = []
    cg_of_one(A, b, rtol=1e-10, callback=lambda x: steps.append(0))
    assert abs(len(steps) - len(history)) <= 1
    again, _ = mpi.cg(B, mine, rtol=1e-10, callback=lambda x: mpi.cg(B, B @ x, maxiter=2))
    np.testing.assert_array_equal(again, x)
    np.testing.assert_array_equal(mine, part(b, offsets, comm))
    nearby, info = mpi.cg(B, mine, x + 1e-12, rtol=1e-9, maxiter=1)
    assert info == 0
    np.testing.assert_allclose(nearby, x, rtol=1e-6)
    assert mpi.cg(B, mine, rtol=1e-10, maxiter=3)[1] == 3
    assert mpi.cg(B, 0 * mine)[1] == 0


def check_cg_preconditioned_and_in_other_dtypes(comm):
    A = poisson((9, 9)) + csr_array(np.diag(np.linspace(1, 900, 81)))
    B, offsets = spread(A, comm)
    b = part(np.ones(81), offsets, comm)
    inverse = 1 / part(A.diagonal(), offsets, comm)
    plain, better = [], []
    mpi.cg(B, b, rtol=1e-8, progress=lambda k, norm: plain.append(norm))
    x, info = mpi.cg(B, b, rtol=1e-8, M=lambda r: inverse * r, progress=lambda k, norm: better.append(norm))
    assert info == 0
    assert len(better) < len(plain) / 2
    np.testing.assert_allclose(A @ B.gather(x), np.ones(81), atol=1e-6)
    for dtype in (np.float32, np.complex128):
        C, _ = spread(A.astype(dtype), comm)
        x, info = mpi.cg(C, b.astype(dtype), rtol=1e-5)
        assert (info, x.dtype) == (0, dtype)
        np.testing.assert_allclose(A @ C.gather(x), np.ones(81), atol=1e-3)
    zero, _ = spread(csr_array((81, 81)), comm, offsets)
    assert mpi.cg(zero, b)[1] == -1


def check_pagerank(comm):
    for A in (rmat(7, 4), csr_array(np.triu(np.ones((9, 9)), 1)), rmat(6, 3).astype(bool)):
        B, offsets = spread(A, comm)
        history = []
        ranks = mpi.pagerank(B, tol=1e-10, progress=lambda k, change, seen=history: seen.append(k))
        np.testing.assert_allclose(B.gather(ranks), pagerank_of_one(Graph(A.astype(float)), tol=1e-12), rtol=1e-6)
        assert history == list(range(1, len(history) + 1))
    for factor in (1e308, 5e-320):  # sums of weights must not overflow, and products of them not lose digits
        B, offsets = spread(A * factor, comm)
        ranks = B.gather(mpi.pagerank(B, tol=1e-10))
        np.testing.assert_allclose(ranks, pagerank_of_one(Graph(A.astype(float)), tol=1e-12), rtol=1e-6)
    weights = np.arange(1.0, B.shape[0] + 1)
    mine = part(weights, offsets, comm)
    got = B.gather(mpi.pagerank(B, 0.7, personalization=mine, nstart=mine, tol=1e-10))
    wanted = pagerank_of_one(Graph(A.astype(float)), 0.7, personalization=weights, dangling=weights, tol=1e-12)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def check_refusals_on_all_ranks(comm):
    last = comm.size - 1
    rows = poisson((4, 4))[comm.rank :: comm.size]
    wider = csr_array((rows.shape[0], 17)) if comm.rank == last and last else rows
    if last:
        refused(comm, ValueError, f"columns differ: 16 on rank 0, 17 on rank {last}", lambda: mpi.csr_rows(wider, comm))
    wrong = [[1.0]] if comm.rank == last else rows
    refused(
        comm,
        TypeError,
        f"rows must be a sparse matrix, or a folder of blocks, got list: use csr_array(...) (on rank {last})",
        lambda: mpi.csr_rows(wrong, comm),
    )
    narrow = csr_array((1, 5 * comm.size))
    refused(comm, ValueError, f"{comm.size} rows together, of {5 * comm.size} columns", lambda: mpi.csr_rows(narrow, comm))
    refused(comm, ValueError, "that end at 16", lambda: mpi.csr_rows(rows, comm, column_offsets=[0, 15]))
    A = mpi.csr_rows(rows, comm)
    size = int(A.offsets[1])
    refused(
        comm, ValueError, f"x must have {size} elements, got shape (17,): give this rank's part alone", lambda: A @ np.ones(17)
    )
    refused(comm, TypeError, "x is a masked array, whose mask would be lost", lambda: A @ np.ma.ones(rows.shape[0]))
    refused(comm, TypeError, "x has dtype object: use", lambda: A.T @ A.ones(object))
    refused(comm, ValueError, "x must have one axis or two, got shape (1, 1, 1)", lambda: A @ np.ones((1, 1, 1)))
    refused(comm, TypeError, "an array on cpu, got list", lambda: A @ [1.0])
    refused(comm, ValueError, "atol must be", lambda: mpi.cg(A, A.ones(), atol=-1))
    refused(comm, ValueError, "atol must be a real, non-negative number, got nan", lambda: mpi.cg(A, A.ones(), atol=np.nan))
    refused(comm, ValueError, "rtol must be a real number, got nan", lambda: mpi.cg(A, A.ones(), rtol=np.nan))
    for limit in (0, -1):
        refused(comm, ValueError, f"maxiter must be at least 1, got {limit}", mpi.cg, A, A.ones(), maxiter=limit)
    column = A.ones()[:, None]
    refused(comm, ValueError, "b must have one axis, got shape", lambda: mpi.cg(A, column))
    refused(comm, ValueError, "x0 must have one axis, got shape", lambda: mpi.cg(A, A.ones(), column))
    refused(comm, TypeError, "M must be a function, got csr_array", lambda: mpi.cg(A, A.ones(), M=rows))
    refused(comm, TypeError, "callback must be a function, got int", lambda: mpi.cg(A, A.ones(), callback=3))
    refused(comm, TypeError, "M(r) must be this rank's part of a vector", lambda: mpi.cg(A, A.ones(), M=lambda r: 1.0))
    refused(comm, TypeError, "M(r) must be real for a real system", lambda: mpi.cg(A, A.ones(), M=lambda r: r * 1j))
    refused(comm, TypeError, "A must be a csr_rows, got csr_array", lambda: mpi.cg(rows, A.ones()))
    refused(comm, ValueError, "alpha must lie in [0, 1], got 2", lambda: mpi.pagerank(A, 2))
    refused(comm, ValueError, "the weights must be finite and not negative, got -1.0 on rank 0", lambda: mpi.pagerank(A))
    B = mpi.csr_rows(abs(rows), comm)
    bad = B.ones() if comm.rank < last else np.full(rows.shape[0], np.nan)
    refused(
        comm, ValueError, f"nstart must be finite and not negative, got nan on rank {last}", lambda: mpi.pagerank(B, nstart=bad)
    )
    refused(
        comm,
        ValueError,
        "personalization must have a finite sum above 0, got 0.0",
        lambda: mpi.pagerank(B, personalization=0 * B.ones()),
    )
    refused(comm, RuntimeError, "has not converged after 1 iterations", lambda: mpi.pagerank(B, tol=1e-12, max_iter=1))
    refused(comm, TypeError, "personalization must be real", lambda: mpi.pagerank(B, personalization=B.ones(complex)))
    refused(comm, ValueError, "nstart must have one axis, got shape", lambda: mpi.pagerank(B, nstart=column))
    for name in ("personalization", "nstart"):
        huge = {name: B.ones() * 1e308}
        refused(comm, ValueError, f"{name} must have a finite sum above 0, got inf", mpi.pagerank, B, **huge)
    refused(comm, TypeError, "x must be this rank's part of a vector, an array, got list", lambda: A.gather([1.0]))
    refused(comm, ValueError, f"x must have {size} elements, got shape (17,)", lambda: A.gather(np.ones(17)))
    refused(
        comm, TypeError, "y must be this rank's part of a vector, an array on cpu, got list", lambda: A.dot(A.ones(), [1.0])
    )
    refused(comm, ValueError, "x must have one axis, got shape", lambda: A.dot(column, A.ones()))


def check_column_offsets(comm):
    ends, odd = cuts(10, comm), comm.rank == comm.size - 1
    rows = csr_array(np.eye(10)[2 * comm.rank : 2 * comm.rank + 2])
    A = mpi.csr_rows(rows, comm, column_offsets=ends)
    np.testing.assert_array_equal(A @ part(np.arange(10.0), ends, comm), np.arange(10.0)[2 * comm.rank : 2 * comm.rank + 2])
    listed = "column_offsets must be a list of at least two integers, got shape"
    for wrong, words in (
        (10, listed),
        ([0, 2.7, 10], listed),
        ([[0], [1, 2], 10], "inhomogeneous"),
        ([1, *[2] * comm.size], "column_offsets must begin at 0"),
        ([0, 2, 1, 10], "column_offsets must not decrease"),
    ):
        refused(comm, ValueError, words, mpi.csr_rows, rows, comm, column_offsets=wrong)
        refused(comm, ValueError, words, mpi.csr_rows, rows, comm, column_offsets=wrong if odd else ends)
    refused(comm, ValueError, "that end at 10", mpi.csr_rows, rows, comm, column_offsets=[*[0] * comm.size, 9])
    vector = csr_array(np.array([1.0, 0, 2]))
    refused(comm, ValueError, "rows must be a matrix of two axes, got shape (3,)", mpi.csr_rows, vector, comm)
    refused(comm, ValueError, f"(on rank {comm.size - 1})", mpi.csr_rows, vector if odd else rows, comm)


def check_vectors_of_a_rectangle(comm):
    """A vector is spread as the rows or as the columns, on all ranks."""
    offsets, ends = np.arange(comm.size + 1) * 2, np.arange(comm.size + 1) ** 2
    A = mpi.csr_rows(csr_array((2, ends[-1])), comm, column_offsets=ends)
    for spread_as in (offsets, ends):
        whole = np.arange(float(spread_as[-1]))
        np.testing.assert_array_equal(A.gather(part(whole, spread_as, comm)), whole)
        assert A.dot(*[part(whole, spread_as, comm)] * 2) == whole @ whole
    words, mixed = "vectors must be spread as the rows or as the columns on all ranks", np.ones(2 if comm.rank == 2 else 1)
    for wrong in (np.ones(9), *([mixed] if comm.size > 2 else [])):
        refused(comm, ValueError, words, A.gather, wrong)
        refused(comm, ValueError, words, A.dot, wrong, wrong)


def check_ranks_that_differ(comm):
    """All raise the same and name the rank; none waits for what another sends. Afterwards they agree again."""
    last = comm.size - 1
    if not last:
        return
    odd, rows = comm.rank == last, poisson((4, 4))[comm.rank :: comm.size]
    words = f"dtypes differ: float64 on rank 0, float32 on rank {last}: use rows.astype"
    refused(comm, ValueError, words, mpi.csr_rows, rows.astype(np.float32) if odd else rows, comm)
    A = mpi.csr_rows(abs(rows), comm)
    x, size = A.ones(), int(A.offsets[-1] - A.offsets[-2])
    others = (
        (ValueError, f" differs between ranks: float64 of no columns on rank 0, float32 of no columns on rank {last}", "f4"),
        (ValueError, f" differs between ranks: float64 of no columns on rank 0, int64 of no columns on rank {last}", "i8"),
        (ValueError, f" must have {size} elements, got shape ({size - 1},): give this rank's part alone", lambda x: x[1:]),
        (TypeError, " must be this rank's part of a vector, an array", lambda x: [1.0] * x.size),
        (TypeError, " has dtype object: use bool, (u)int8..64, float16/32/64 or complex64/128", object),
        (TypeError, " is a masked array, whose mask would be lost: use x.filled(value)", np.ma.array),
    )
    of_vectors = {
        "b": lambda y: mpi.cg(A, y),
        "x0": lambda y: mpi.cg(A, x, y),
        "M(r)": lambda y: mpi.cg(A, x, M=lambda r: y),
        "personalization": lambda y: mpi.pagerank(A, personalization=y),
        "nstart": lambda y: mpi.pagerank(A, nstart=y),
        "x": lambda y: A.dot(y, x),
        "y": lambda y: A.dot(x, y),
    }
    of_columns = {"x": A.matmul, "x ": A.T.__matmul__, "x  ": A.gather}
    for name, call in (*of_vectors.items(), *of_columns.items()):
        for kind, words, make in others:
            other = make(x) if callable(make) and make is not object else x.astype(make)
            refused(comm, kind, name.strip() + words, call, other if odd else x)
            refused(comm, kind, f"on rank {last}", call, other if odd else x)
        two = "differs between ranks: float64 of no columns on rank 0, float64 of 2 columns on rank"
        words = two if call in of_columns.values() else f"must have one axis, got shape ({size}, 2) (on rank {last})"
        refused(comm, ValueError, words, call, np.ones((x.size, 2)) if odd else x)
        np.testing.assert_array_equal(A.gather(x), np.ones(16))
        if name in ("x0", "personalization", "nstart"):
            words = f"{name} differs between ranks: float64 of no columns on rank 0, None on rank {last}"
            refused(comm, ValueError, words, call, None if odd else x)


def check_settings_that_differ(comm):
    last = comm.size - 1
    if not last:
        return
    A = spread(abs(poisson((4, 4))), comm)[0]
    odd, x = comm.rank == last, A.ones()
    for call, name, usual, other, kind, words in (
        (mpi.cg, "rtol", 1e-3, 1e-4, ValueError, f"rtol differs between ranks: 0.001 on rank 0, 0.0001 on rank {last}"),
        (mpi.cg, "rtol", 1e-3, np.nan, ValueError, "rtol must be a real number, got nan"),
        (mpi.cg, "atol", 0, 1, ValueError, f"atol differs between ranks: 0.0 on rank 0, 1.0 on rank {last}"),
        (mpi.cg, "atol", 0, np.nan, ValueError, "atol must be a real, non-negative number, got nan"),
        (mpi.cg, "maxiter", None, 2, ValueError, f"maxiter differs between ranks: None on rank 0, 2 on rank {last}"),
        (mpi.cg, "maxiter", 2, 0, ValueError, "maxiter must be at least 1, got 0"),
        (mpi.cg, "maxiter", 2, 2.5, TypeError, "'float' object cannot be interpreted as an integer"),
        (mpi.cg, "M", None, lambda r: r, ValueError, f"M differs between ranks: None on rank 0, a function on rank {last}"),
        (mpi.cg, "callback", None, 1, TypeError, "callback must be a function, got int"),
        (mpi.pagerank, "alpha", 0.5, 0.6, ValueError, f"alpha differs between ranks: 0.5 on rank 0, 0.6 on rank {last}"),
        (mpi.pagerank, "alpha", 0.5, np.nan, ValueError, "alpha must lie in [0, 1], got nan"),
        (mpi.pagerank, "tol", 1e-3, 1e-9, ValueError, f"tol differs between ranks: 0.001 on rank 0, 1e-09 on rank {last}"),
        (mpi.pagerank, "max_iter", 100, 2, ValueError, f"max_iter differs between ranks: 100 on rank 0, 2 on rank {last}"),
        (mpi.pagerank, "progress", None, 1, TypeError, "progress must be a function, got int"),
        (
            A.matmul,
            "semiring",
            "plus_times",
            "min_plus",
            ValueError,
            "semiring differs between ranks: plus_times on rank 0, min",
        ),
        (A.matmul, "semiring", "plus_times", "times", ValueError, "unknown semiring 'times'"),
        (A.matmul, "out", None, [1.0], TypeError, "out must be a NumPy or CuPy array, got list"),
        (A.matmul, "out", None, np.ones(17), ValueError, "out must have shape"),
        (A.matmul, "out", None, A.block.matrix.data[: x.size], ValueError, "out shares memory with an operand"),
    ):
        operands = {mpi.cg: (A, x), mpi.pagerank: (A,)}.get(call, (x,))
        for whole in (words, f"on rank {last}"):
            refused(comm, kind, whole, call, *operands, **{name: other if odd else usual})
        np.testing.assert_array_equal(A.gather(x), np.ones(16))
    one_alone = {"callback": (lambda x: None) if odd else None, "progress": (lambda *told: None) if odd else None}
    assert mpi.cg(A, x, maxiter=1, **one_alone)[1] == 1


def check_out_may_be_the_operand(comm):
    A = poisson((4, 4))
    B, offsets = spread(A, comm)
    x = part(np.arange(16.0), offsets, comm).copy()
    assert B.matmul(x, out=x) is x
    np.testing.assert_array_equal(x, part(A @ np.arange(16.0), offsets, comm))


def check_cg_of_any_scale(comm):
    A, offsets, wanted = poisson((10,)), cuts(10, comm), [5, 9, 12, 14, 15, 15, 14, 12, 9, 5]
    for dtype, scales in (("f8", (1e-170, 1e-300, 5e-324, 1e170, 1e300)), ("f4", (1e-45, 1e-30, 1e30)), ("D", (1e-170, 1e170))):
        B, _ = spread(A.astype(dtype), comm, offsets)
        for scale in scales:
            b, seen = np.full(10, scale, dtype), []
            x, info = mpi.cg(B, part(b, offsets, comm), callback=seen.append)
            assert (info, x.dtype) == (0, dtype)
            np.testing.assert_allclose(B.gather(x).real / b.real, wanted, rtol=1e-4)
            np.testing.assert_array_equal(seen[-1], x)
            again, info = mpi.cg(B, part(b, offsets, comm), x0=x, maxiter=1)
            assert info == 0
            np.testing.assert_array_equal(again, x)
    B, _ = spread(A, comm, offsets)
    for scale in (1e-170, 1e170):
        b, norms, usual = B.ones() * scale, [], []
        mpi.cg(B, b, progress=lambda k, norm, seen=norms: seen.append(norm))
        mpi.cg(B, B.ones(), progress=lambda k, norm, seen=usual: seen.append(norm))
        np.testing.assert_allclose(np.array(norms[:4]) / scale, usual[:4], rtol=1e-12)
        x, info = mpi.cg(B, b, atol=100 * scale)
        assert info == 0
        assert not x.any()
        x, info = mpi.cg(spread(A * scale, comm, offsets)[0], B.ones())
        assert info == 0
        np.testing.assert_allclose(B.gather(x) * scale, wanted)
    for wrong in (np.nan, np.inf):
        assert mpi.cg(B, B.ones() * (wrong if comm.rank == comm.size - 1 else 1))[1] == -1
    x, info = mpi.cg(B, B.ones(), x0=B.ones() * 1j)
    assert (info, x.dtype) == (0, complex)


class Petsc:
    """What `to_petsc` asks of petsc4py first."""

    IntType, ScalarType = np.int8, np.float64


def check_petsc_on_all_ranks(comm):
    last = comm.size - 1
    m = 200 if comm.rank == last else 1
    rows = csr_array((np.ones(m), (np.arange(m), np.zeros(m, int))), shape=(m, 1))
    A = mpi.csr_rows(rows, comm, column_offsets=[0] * comm.size + [1])
    sys.modules["petsc4py"], sys.modules["petsc4py.PETSc"] = types.ModuleType("petsc4py"), Petsc
    words = f"200 does not fit: build it with --with-64-bit-indices (on rank {last})"
    refused(comm, TypeError, words, A.to_petsc)
    del sys.modules["petsc4py"], sys.modules["petsc4py.PETSc"]


def check_nccl_on_all_ranks(comm):
    if comm.rank == comm.size - 1:
        sys.modules["cupy.cuda.nccl"] = None
    refused(comm, ImportError, "(on rank ", mpi.NcclCommunicator, comm)
    sys.modules.pop("cupy.cuda.nccl", None)


class Broken:
    """A folder that cannot be read."""

    def __init__(self, error):
        self.error = error

    def __fspath__(self):
        raise self.error


def check_exceptions_of_any_kind(comm):
    """Also those that other ranks could not make."""

    class Strange(Exception):
        pass

    for error, kind in (
        (Strange("odd"), RuntimeError),
        (KeyError("odd"), KeyError),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "odd"), ValueError),
        (MemoryError("odd"), MemoryError),
        (OverflowError("odd"), ArithmeticError),
    ):
        rows = Broken(error) if comm.rank == comm.size - 1 else csr_array((1, comm.size))
        refused(comm, kind, "odd", mpi.csr_rows, rows, comm)


def check_matrices_from_files(comm):
    A = rmat(7, 5)
    folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
    if comm.rank == 0:
        for blocks in (1, 3, 8):
            save_blocks(f"{folder}/{blocks}", A, blocks)
    comm.barrier()
    x = np.random.default_rng(3).random(128)
    for blocks in (1, 3, 8):
        B = mpi.csr_rows(f"{folder}/{blocks}", comm)
        assert B.shape == A.shape
        work = [block.nnz + block.rows[1] - block.rows[0] for block in B.plan().outlines]
        assert max(work) <= (1.2 if blocks == 8 else 2.2) * (A.nnz + 128) / comm.size
        if blocks >= comm.size:
            assert set(B.offsets.tolist()) <= set(open_blocks(f"{folder}/{blocks}").offsets.tolist())
        np.testing.assert_allclose(B @ part(x, B.offsets, comm), part(A @ x, B.offsets, comm))
    comm.barrier()
    if comm.rank == 0:
        shutil.rmtree(f"{folder}/8/block-000007")
    comm.barrier()
    mixed = f"{folder}/1" if comm.rank else A
    if comm.size > 1:
        refused(
            comm, ValueError, "rows differs between ranks: a matrix on rank 0, a folder of 1 blocks", mpi.csr_rows, mixed, comm
        )
    with pytest.raises(FileNotFoundError, match=f"block 7, of rows .*:128, is missing.*on rank {comm.size - 1}"):
        mpi.csr_rows(f"{folder}/8", comm)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        mpi.csr_rows(f"{folder}/9", comm)
    comm.barrier()
    if comm.rank == 0:
        shutil.rmtree(folder)


def check_threads_are_shared(comm):
    from spark_csr import config

    A, _ = spread(poisson((4, 4)), comm)
    assert A.threads is None if comm.size == 1 else A.threads >= 1
    with config(threads=3):
        assert spread(poisson((4, 4)), comm)[0].threads == 3


def on_gpu(comm):
    """On the stand-in for CuPy, whose kernels are interpreted."""
    cupy = importlib.import_module("ptx_mode").prepare()
    A = poisson((5, 4))
    offsets = np.array([0, 9, 20])
    rows = A[offsets[comm.rank] : offsets[comm.rank + 1]]
    on_device = [cupy.asarray(x) for x in (rows.data, rows.indices, rows.indptr)]
    B = mpi.csr_rows(csr_array(tuple(on_device), shape=rows.shape), comm)
    x = np.arange(20.0)
    mine = cupy.asarray(part(x, offsets, comm))
    np.testing.assert_array_equal(B.gather(B @ mine), A.to_scipy() @ x)
    np.testing.assert_array_equal(B.gather(B.T @ mine), A.to_scipy() @ x)
    y, info = mpi.cg(B, mine, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(A.to_scipy() @ B.gather(y), x, atol=1e-6)
    z, info = mpi.cg(B, mine * 1e-170, y * 1e-170, rtol=1e-9)
    assert info == 0
    np.testing.assert_array_equal(B.gather(z), B.gather(y) * 1e-170)
    assert B.dot(mine, mine) == x @ x
    assert B.matmul(mine, out=cupy.empty(mine.size)).shape == mine.shape
    on_host = mine.get() if comm.rank else mine
    for call in (B.matmul, B.T.__matmul__, lambda y: B.dot(mine, y), lambda y: mpi.cg(B, y)):
        refused(comm, TypeError, "on cuda:0, got ndarray of shape (11,) on cpu (on rank 1)", call, on_host)
    np.testing.assert_array_equal(B.gather(on_host), x)


def main():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    checks = {name: f for name, f in globals().items() if name.startswith("check_")}
    for name, check in ({"on_gpu": on_gpu} if "stand-in" in sys.argv else checks).items():
        wrong = ""
        try:
            check(comm)
        except Exception:
            wrong = f"rank {comm.rank}: {traceback.format_exc()}"
        wrongs = comm.gather(wrong)
        if comm.rank == 0:
            print(json.dumps([name, "".join(wrongs)]), flush=True)


if __name__ == "__main__":
    main()
