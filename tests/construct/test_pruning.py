"""The public functions: what they take, what they refuse, and that operands stay as they are."""

import signal
import time

import numpy as np
import pytest
import scipy.sparse as sp

from interrupts import handler, press
from spark_csr import _cpu, csr_array, drop_empty_columns, drop_empty_rows, prune
from spark_csr._matrix import in_place

DENSE = np.array([[0.5, 0.1, 3, 0], [0, 0, 0, 0], [0.2, -4, 0.3, 0]])


def test_prune(xp, to_numpy):
    A = csr_array(xp.asarray(DENSE))
    np.testing.assert_array_equal(to_numpy(prune(A, 0.2).toarray()), np.where(abs(DENSE) > 0.2, DENSE, 0))
    assert prune(A, 0.2, topk=1).nnz == 2
    assert prune(A, 9, keep_diagonal=True).nnz == 2
    assert A.nnz == 6
    assert isinstance(prune(A), csr_array)


def test_without_a_condition_zeros_go(xp):
    A = csr_array((xp.asarray([1.0, 0, np.nan, -0.0]), xp.asarray([0, 1, 2, 3]), xp.asarray([0, 4])))
    assert prune(A).nnz == 2
    assert prune(A, mask=xp.ones(4, bool)).nnz == 4
    assert prune(A, topk=4).nnz == 4


def test_transposed_views_and_masks_of_any_kind(xp, to_numpy):
    A = csr_array(xp.asarray(DENSE))
    np.testing.assert_array_equal(to_numpy(prune(A.T, 1).toarray()), np.where(abs(DENSE) > 1, DENSE, 0).T)
    mask = csr_array(xp.asarray(DENSE > 0.25))
    wanted = np.where(DENSE > 0.25, DENSE, 0)
    np.testing.assert_array_equal(to_numpy(prune(A, mask=mask).toarray()), wanted)
    np.testing.assert_array_equal(to_numpy(prune(A.T, mask=mask.T).toarray()), wanted.T)
    if xp is np:
        np.testing.assert_array_equal(to_numpy(prune(A, mask=sp.coo_array(DENSE > 0.25)).toarray()), wanted)
        assert prune(A, mask=[True, False, True, False, True, False]).nnz == 3


def with_zeros():
    A = csr_array(sp.random_array((60, 50), density=0.5, rng=np.random.default_rng(1), format="csr"))
    A.data[::3] = 0
    return A.copy()


@pytest.mark.usefixtures("cpu_only", "small_tiles")
def test_zeros_are_dropped_in_the_same_memory():
    S = with_zeros().to_scipy()
    entries = S.data, S.tocoo().coords
    for A in (with_zeros(), with_zeros().tocsc(), with_zeros().tocoo(copy=True), csr_array(entries)):
        before, wanted = A._record.data.ctypes.data, S.asformat(A.format).copy()
        assert A.nnz == S.nnz
        assert A.shape == S.shape
        A.eliminate_zeros()
        wanted.eliminate_zeros()
        assert A.data.ctypes.data == before
        assert A.data.size == A.nnz == wanted.nnz
        np.testing.assert_array_equal(A.toarray(), wanted.toarray())


@pytest.mark.usefixtures("cpu_only")
def test_memory_much_longer_than_the_entries_is_given_back():
    for kept, shared in ((0, False), (300, False), (400, True)):
        A = csr_array((np.r_[np.zeros(1000 - kept), np.ones(kept)], (np.arange(1000), np.arange(1000))))
        before = A._record.data.ctypes.data
        A.eliminate_zeros()
        assert A.nnz == kept
        assert (A.data.ctypes.data == before) == shared


def arrays_of(A):
    """As they are now."""
    return [x.copy() for x in (A.data, A.indices, A.indptr)]


class Halfway:
    """Stands for the kernel that moves entries; `then` is called when they are moved."""

    def __init__(self, monkeypatch, then):
        self.move, self.then = _cpu.keep_in_place, then
        monkeypatch.setattr(_cpu, "keep_in_place", self)

    def __call__(self, *args):
        self.move(*args)
        self.then()


@pytest.mark.usefixtures("cpu_only", "small_tiles")
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_exception_after_entries_were_moved_leaves_the_new_matrix(monkeypatch, error):
    def fail():
        raise error

    dense = with_zeros().toarray()
    A, nnz = with_zeros(), np.count_nonzero(dense)
    Halfway(monkeypatch, fail)
    with pytest.raises(error):
        A.eliminate_zeros()
    assert A.nnz == nnz == A.indices.size == A.indptr[-1]
    np.testing.assert_array_equal(A.toarray(), dense)


@pytest.mark.usefixtures("cpu_only", "small_tiles")
def test_ctrl_c_is_answered_when_the_matrix_has_its_new_record(monkeypatch):
    A, settle = with_zeros(), in_place._settle
    dense, answered = with_zeros().toarray(), []

    def settle_late(*args):
        time.sleep(0.01)  # Python would have called the handler by now
        answered.append(len(answered))
        settle(*args)

    Halfway(monkeypatch, press)
    monkeypatch.setattr(in_place, "_settle", settle_late)
    with handler(signal.default_int_handler), pytest.raises(KeyboardInterrupt):
        A.eliminate_zeros()
    assert answered == [0]
    assert A.nnz == np.count_nonzero(dense) == A.data.size == A.indptr[-1]
    np.testing.assert_array_equal(A.toarray(), dense)


@pytest.mark.usefixtures("cpu_only", "small_tiles")
def test_no_room_for_a_copy_leaves_the_new_matrix(monkeypatch):
    def fail(csr):
        raise MemoryError

    A = csr_array((np.eye(1, 100)[0], (np.arange(100), np.arange(100))))
    monkeypatch.setattr("spark_csr._operations.form.record.Csr.copy", fail)
    with pytest.raises(MemoryError):
        A.eliminate_zeros()
    assert A.nnz == 1
    assert A.sum() == A[0, 0] == 1


@pytest.mark.usefixtures("cpu_only")
def test_an_exception_before_entries_are_moved_leaves_the_old_matrix(monkeypatch):
    def fail(*args):
        raise KeyboardInterrupt

    before, A = arrays_of(with_zeros()), with_zeros()
    monkeypatch.setattr(_cpu, "keep_in_place", fail)
    with pytest.raises(KeyboardInterrupt):
        A.eliminate_zeros()
    for x, wanted in zip(arrays_of(A), before, strict=True):
        np.testing.assert_array_equal(x, wanted)


@pytest.mark.usefixtures("cpu_only", "small_tiles")
@pytest.mark.parametrize("take", [lambda A: A._csr, lambda A: A.data, lambda A: A.indices, lambda A: A.T])
def test_who_came_while_entries_were_moved_keeps_the_memory(monkeypatch, take):
    dense, A, taken = with_zeros().toarray(), with_zeros(), []
    old = A.nnz
    Halfway(monkeypatch, lambda: taken.append(take(A)))
    A.eliminate_zeros()
    assert taken
    assert A.nnz < old
    np.testing.assert_array_equal(A.toarray(), dense)
    held = taken[0]
    for x in (held,) if isinstance(held, np.ndarray) else (held.indices, held.data):
        assert x.size == old
        assert not np.shares_memory(x, A.data)
        assert not np.shares_memory(x, A.indices)


@pytest.mark.usefixtures("cpu_only", "small_tiles")
def test_nothing_to_drop():
    A = with_zeros()
    A.eliminate_zeros()
    before, arrays = A.data.ctypes.data, arrays_of(A)
    A.eliminate_zeros()
    assert A.data.ctypes.data == before
    for x, wanted in zip(arrays_of(A), arrays, strict=True):
        np.testing.assert_array_equal(x, wanted)
    A = csr_array((0, 5))
    A.eliminate_zeros()
    assert A.shape == (0, 5)


def locked(x):
    x.flags.writeable = False
    return x


WHOLE = np.array([9.0, 1, 0, 2, 0])
PLACES = np.array([9, 0, 1, 2, 3], np.int32)
RAW = WHOLE.tobytes()
BORROWED = {
    "part of an array": lambda: (WHOLE[1:], PLACES[1:].copy()),
    "part of the columns": lambda: (WHOLE[1:].copy(), PLACES[1:]),
    "bytes": lambda: (np.frombuffer(RAW)[1:], PLACES[1:].copy()),
    "read-only": lambda: (locked(WHOLE[1:].copy()), PLACES[1:].copy()),
    "whole arrays": lambda: (WHOLE[1:].copy(), PLACES[1:].copy()),
}


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("arrays", BORROWED.values(), ids=BORROWED)
def test_memory_that_is_not_the_matrix_s_own_is_not_written_to(arrays):
    data, indices = arrays()
    before = data.copy(), indices.copy()
    A = csr_array((data, indices, [0, 4]))
    A.eliminate_zeros()
    assert not np.shares_memory(A.data, data)
    np.testing.assert_array_equal(data, before[0])
    np.testing.assert_array_equal(indices, before[1])
    assert A.toarray().tolist() == [[1, 0, 2, 0]]
    assert WHOLE.tolist() == [9, 1, 0, 2, 0]
    assert PLACES.tolist() == [9, 0, 1, 2, 3]
    assert WHOLE.tobytes() == RAW


def test_dropped_rows_and_columns(xp, to_numpy):
    A = csr_array(xp.asarray(DENSE))
    B, kept = drop_empty_rows(A)
    np.testing.assert_array_equal(to_numpy(B.toarray()), DENSE[to_numpy(kept)])
    assert to_numpy(kept).tolist() == [0, 2]
    B.data[0] = 7
    C, kept = drop_empty_columns(A)
    np.testing.assert_array_equal(to_numpy(C.toarray()), DENSE[:, to_numpy(kept)])
    assert to_numpy(kept).tolist() == [0, 1, 2]


A = csr_array(DENSE)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: prune(DENSE), TypeError, "A must be a csr_array, csc_array or coo_array of spark_csr, got numpy.s ndarray"),
        (lambda: prune(A, np.nan), ValueError, "threshold must be 0 or above, got nan"),
        (lambda: prune(A, -0.5), ValueError, "threshold must be 0 or above, got -0.5"),
        (lambda: prune(A, "x"), TypeError, "threshold must be a real number, got 'x'"),
        (lambda: prune(A, 1j), TypeError, "threshold must be a real number"),
        (lambda: prune(A, topk=-1), ValueError, "topk must be 0 or above, got -1"),
        (lambda: prune(A, topk=1.5), TypeError, "float"),
        (lambda: prune(A, mask=np.ones(5, bool)), ValueError, r"one element for each of the 6 entries, got shape \(5,\)"),
        (lambda: prune(A, mask=DENSE > 1), ValueError, r"one element for each of the 6 entries, got shape \(3, 4\)"),
        (lambda: prune(A, mask=np.ones(6)), TypeError, "mask must have dtype bool, got float64: use mask != 0"),
        (lambda: prune(A, mask=A.T), ValueError, r"shape of the matrix, \(3, 4\), got \(4, 3\)"),
        (lambda: drop_empty_rows(DENSE), TypeError, "A must be a csr_array, csc_array or coo_array"),
        (
            lambda: drop_empty_columns(None),
            TypeError,
            "of spark_csr, got builtins.s NoneType",
        ),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_threshold_beyond_every_float_drops_all_but_nan():
    B = csr_array((np.array([1e308, np.nan, np.inf]), np.array([0, 1, 2]), np.array([0, 3])))
    assert prune(B, 10**400).nnz == 1
    assert prune(B, np.float32(np.inf)).nnz == 1
