"""Entries are moved in place only where nobody else sees them: every way to hand out an array, times every such operation."""

import copy
import operator
import pathlib
import pickle
import re
import sys
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr import Ragged, coo_array, csc_array, csr_array, prune, vstack
from spark_csr._engine.kernel import Kernel
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.form import shown
from spark_csr._operations.form.record import ANYBODY, MAKER, MATRICES, MATRIX, Csr
from spark_csr.graph import Graph

N = 40


def zeros_stored():
    """A square matrix that owns its arrays, with zeros among its entries."""
    S = sp.random_array((N, N), density=0.3, rng=np.random.default_rng(1), format="coo")
    S.data[::3] = 0
    return csr_array((S.data, S.coords), shape=S.shape)


def in_disorder():
    """The same with unsorted rows and duplicates."""
    S = zeros_stored().to_scipy()
    return csr_array((S.data, np.random.default_rng(2).integers(0, N, S.nnz), S.indptr), shape=S.shape).copy()


class Holder:
    """Keeps buffers, as a pickle out of band does."""

    def __init__(self, A):
        self.buffers = []
        pickle.dumps(A, protocol=5, buffer_callback=self.buffers.append)

    def contents(self):
        return [np.frombuffer(x, np.uint8) for x in self.buffers]


def torch_of(A):
    pytest.importorskip("torch")
    return A.to_torch()


WAYS = {
    "data": lambda A: A.data,
    "part of data": lambda A: A.data[3:],
    "a buffer": lambda A: memoryview(A.data),
    "DLPack": lambda A: np.from_dlpack(A.data),
    "indices": lambda A: A.indices,
    "indptr": lambda A: A.indptr,
    "coords": lambda A: A.tocoo().coords,
    "row and col": lambda A: (A.tocoo().row, A.tocoo().col),
    "a matrix of its arrays": lambda A: csr_array((A.data, A.indices, A.indptr), shape=A.shape),
    "a matrix of it": csr_array,
    "a csc_array of it": lambda A: csc_array(A),
    "transpose": lambda A: A.T,
    "twice transposed": lambda A: A.T.T,
    "coordinates": lambda A: A.tocoo(),
    "shallow copy": copy.copy,
    "pickle": lambda A: pickle.loads(pickle.dumps(A)),
    "pickle out of band": Holder,
    "other dtype": lambda A: A.astype(np.float32),
    "other dtype, shared pattern": lambda A: A.astype(np.float32, copy=False),
    "negative": lambda A: -A,
    "real part": lambda A: A.real,
    "all rows": lambda A: A[:],
    "some rows": lambda A: A[3:9],
    "rows": lambda A: list(A)[:3],
    "sorted": lambda A: A.sorted_indices(),
    "SciPy's": lambda A: A.to_scipy(),
    "torch's": torch_of,
    "ragged values": Ragged.from_csr,
    "ragged columns": lambda A: Ragged.from_csr(A, "indices"),
    "graph": lambda A: Graph(A).matrix,
    "reversed graph": lambda A: Graph(A).transpose.matrix,
    "record": lambda A: A._csr,
}


def operation(name, *args):
    return lambda A: getattr(A, name)(*args)


def set_new_place(A):
    empty = np.argwhere(A.toarray() == 0)
    free = next((i, j) for i, j in empty if j not in A.indices[A.indptr[i] : A.indptr[i + 1]])
    with pytest.warns(sp.SparseEfficiencyWarning):
        A[free] = 7


def set_data(A):
    A.data = np.arange(float(A.nnz))


def set_indices(A):
    A.indices = np.zeros(A.nnz, int)


OPERATIONS = {
    "eliminate_zeros": operation("eliminate_zeros"),
    "sum_duplicates": operation("sum_duplicates"),
    "sort_indices": operation("sort_indices"),
    "resize": operation("resize", N // 2, N // 2),
    "new place": set_new_place,
    "new data": set_data,
    "new indices": set_indices,
}


def contents(held):
    """All numbers that a holder sees, as they are now."""
    if hasattr(held, "contents"):
        held = held.contents()
    if isinstance(held, (list, tuple)):
        return [x for part in held for x in contents(part)]
    if hasattr(held, "crow_indices"):
        return [x.numpy().copy() for x in (held.values(), held.col_indices(), held.crow_indices())]
    if isinstance(held, Ragged):
        return [np.asarray(held.values).copy(), *(np.asarray(x).copy() for x in held.offsets)]
    if isinstance(held, Csr):
        return [x.copy() for x in held.arrays]
    if isinstance(held, SparseArray):
        return [x.copy() for x in held._record.arrays[::-1]]
    if hasattr(held, "tocsr"):
        arrays = (held.data, held.coords) if held.format == "coo" else (held.data, held.indices, held.indptr)
        return contents(arrays)
    return [np.array(held)]


def changed(make, way, act):
    """Whether what was handed out one way is other after an operation."""
    A = make()
    held = WAYS[way](A)
    before = contents(held)
    act(A)
    return not all(np.array_equal(x, y) for x, y in zip(contents(held), before, strict=True))


pytestmark = [
    pytest.mark.usefixtures("cpu_only"),
    pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta state"),
]


@pytest.mark.parametrize("make", [zeros_stored, in_disorder])
@pytest.mark.parametrize("way", WAYS)
def test_what_was_handed_out_stays(way, make):
    assert [name for name, act in OPERATIONS.items() if changed(make, way, act)] == []


COPIES = {"a csc_array of it", "other dtype", "pickle", "reversed graph", "rows", "some rows", "sorted"}
COPIES |= {"indices", "indptr", "coords", "row and col", "ragged columns"}


def take(matrix, csr):
    csr.seen_by = MATRIX if csr.seen_by == MAKER else csr.seen_by
    matrix._record = csr


@pytest.mark.parametrize("way", WAYS)
def test_the_test_above_notices_ways_that_forget(monkeypatch, way):
    """A matrix that does not note that its record is handed out, or was given to it twice, moves entries that others see."""
    monkeypatch.setattr(Csr, "share", lambda csr: csr)
    monkeypatch.setattr(Csr, "lend", lambda csr: csr)
    for kind in (SparseArray, coo_array):
        monkeypatch.setattr(kind, "_csr", property(lambda matrix: matrix._record, take))
    assert changed(zeros_stored, way, operation("eliminate_zeros")) == (way not in COPIES)


@pytest.mark.parametrize("way", WAYS)
def test_the_matrix_is_right_whoever_holds_what(way):
    A, dense = zeros_stored(), zeros_stored().toarray()
    held = WAYS[way](A)
    A.eliminate_zeros()
    assert held is not None
    assert A.nnz == np.count_nonzero(dense)
    np.testing.assert_array_equal(A.toarray(), dense)


def write(array):
    """Write other indices or offsets into an index array, of a matrix of N rows and columns."""
    if array.size == N + 1:
        array[1:N] = np.sort((array[1:N] * 7) % (array[N] + 1))
    else:
        array[...] = (array * 3 + 1) % N


def index_arrays(held):
    """What a holder has of the index arrays of a matrix, and can be written into."""
    if isinstance(held, (list, tuple)):
        return [x for part in held for x in index_arrays(part)]
    if isinstance(held, Ragged):
        return index_arrays([held.values, *held.offsets])
    if hasattr(held, "crow_indices"):
        return [held.col_indices().numpy(), held.crow_indices().numpy()]
    if hasattr(held, "tocsr"):
        return index_arrays(held.coords if held.format == "coo" else (held.indices, held.indptr))
    array = np.asarray(held) if isinstance(held, (np.ndarray, memoryview)) else np.empty(0)
    return [array] if array.dtype.kind == "i" and array.flags.writeable else []


USES = {
    "A @ x": lambda A: A @ np.arange(N),
    "x @ A": lambda A: np.arange(N) @ A,
    "A @ X": lambda A: A @ np.ones((N, 3)),
    "A.T @ x": lambda A: A.T @ np.arange(N),
    "A @ A": lambda A: (A @ A).toarray(),
    "A + A.T": lambda A: (A + A.T).toarray(),
    "sum": lambda A: A.sum(axis=0),
    "toarray": lambda A: A.toarray(),
    "tocoo": lambda A: np.array(A.tocoo().coords),
    "tocsc": lambda A: A.tocsc().toarray(),
    "rows": lambda A: A[3:9].toarray(),
    "an element": lambda A: A[3, 4],
    "max": lambda A: A.max(axis=1).toarray(),
    "sorted": lambda A: A.has_sorted_indices if A.format != "coo" else A.has_canonical_format,
    "in place": lambda A: A.eliminate_zeros() or A.toarray(),
    "scaled in place": lambda A: A.__imul__(2).toarray(),
    "SciPy's": lambda A: A.to_scipy().toarray(),
    "saved": lambda A: pickle.loads(pickle.dumps(A)).toarray(),
    "graph": lambda A: Graph(A).matrix.toarray(),
}


OF_ROWS = {"indices", "indptr", "a matrix of its arrays", "sorted"}
"""Ways that a `coo_array` does not have."""


def made_again(A):
    """A matrix of copies of the arrays that a user sees."""
    arrays = A.coords if A.format == "coo" else (A.indices, A.indptr)
    arrays = [np.array(x) for x in arrays]
    return type(A)((A.data.copy(), tuple(arrays)) if A.format == "coo" else (A.data.copy(), *arrays), shape=A.shape)


def check_uses(A, uses):
    again = made_again(A)
    for use in uses:
        np.testing.assert_allclose(USES[use](A), USES[use](again), err_msg=use)


@pytest.mark.parametrize("make", [zeros_stored, in_disorder])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("record", "pickle out of band")])
def test_what_is_written_into_index_arrays_is_seen_or_nowhere(way, form, make):
    """By the matrix they are of, and by all that share them: never in part, and never by what was kept before."""
    for use in [*USES, None]:
        A = make().asformat(form)
        rows = A.tocsr()
        uses = [use] if use else USES
        for before in uses:
            USES[before](A.copy() if "place" in before else A)  # what depends on the pattern is kept now
        others = [-A, A.astype(np.float32, copy=False), A[2:], A.tocsr() if form == "coo" else A.tocoo()]
        expected = [np.array(x.tocoo().coords) for x in others]
        held = WAYS[way](rows if form == "coo" and way in OF_ROWS else A)
        for number in range(len(index_arrays(held))):
            array = index_arrays(held)[number]
            write(array)
            for matrix in (A, held):
                if isinstance(matrix, SparseArray) and matrix.shape == (N, N):
                    check_uses(matrix.copy() if "in place" in uses else matrix, uses)
            write(array)  # while it lives
            del array
            check_uses(A, uses)
        for x, wanted in zip(others, expected, strict=True):
            np.testing.assert_array_equal(x.tocoo().coords, wanted)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_index_arrays_that_form_no_matrix_any_more_are_an_error(form):
    for number, wrong in ((0, -1), (0, N), (1, -1), (1, 10**9)):
        A = zeros_stored().asformat(form)
        expected = A @ np.ones(N)
        array = index_arrays(A)[number]
        kept = array.copy()
        array[3] = wrong
        for use in USES.keys() - {"scaled in place", "tocoo"}:  # which need no pattern
            with pytest.raises(ValueError, match="must|ends at"):
                USES[use](A)
        array[...] = kept
        np.testing.assert_array_equal(A @ np.ones(N), expected)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_operators_that_write_into_an_index_array(form):
    """`A.indices += N` writes, then sets what was written: nothing is checked before the matrix is used."""
    A = zeros_stored().asformat(form)
    first, second = ("row", "col") if form == "coo" else ("indptr", "indices")
    expected = A.toarray()
    for name in (first, second):
        held = getattr(A, name)
        setattr(A, name, operator.iadd(getattr(A, name), N))
        with pytest.raises(ValueError, match="must"):
            A @ np.ones(N)
        held -= N
        np.testing.assert_array_equal(A.toarray(), expected)
    setattr(A, second, getattr(A, second)[::-1])
    check_uses(A, ["A @ x", "toarray"])


def small():
    """A matrix of 3 rows and 4 columns in arrays of its own."""
    return csr_array((np.array([1.0, 2, 3, 4]), np.array([0, 2, 1, 3]), np.array([0, 2, 3, 4])), shape=(3, 4), copy=True)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_values_that_are_replaced_hide_no_change_of_index_arrays(form):
    A = small().asformat(form)
    for number in range(2):
        array = index_arrays(A)[number]
        USES["toarray"](A)
        array[1] = array[0] if form == "coo" or number else array[2]
        A.data = np.array([5.0, 6, 7, 8])
        check_uses(A, ["toarray", "tocoo"])
        array[1] = 100
        A.data = np.array([5.0, 6, 7, 8])
        with pytest.raises(ValueError, match="must|ends at"):
            A @ np.ones(A.shape[1])
        array[1] = array[0]


def set_values(A):
    A.data = np.ones(4)


def set_columns(A):
    A.indices = [0, 2, 1, 3]


@pytest.mark.parametrize("act", [set_values, set_columns])
@pytest.mark.parametrize("relative", [operator.neg, csr_array, lambda A: A[:], lambda A: A.T, lambda A: A.tocoo()])
def test_other_matrices_stay_whatever_was_handed_out_before(act, relative):
    A = small()
    assert A.indices.size == 4
    B = relative(A)
    expected = np.sort(np.concatenate(B.tocoo(copy=True).coords))
    act(A)
    array = A.indices
    array[0] = 1
    A.toarray()
    array[1] = 1
    np.testing.assert_array_equal(np.sort(np.concatenate(B.tocoo().coords)), expected)


IN_PLACE = {
    "sort": lambda A: A.sort_indices(),
    "sum": lambda A: A.sum_duplicates(),
    "flags": lambda A: [setattr(A, name, True) for name in ("has_sorted_indices", "has_canonical_format")],
    "same shape": lambda A: A.resize(3, 4),
    "more columns": lambda A: A.resize(3, 6),
    "diagonal": lambda A: A.setdiag([1]),
    "zeros": lambda A: A.eliminate_zeros(),
    "an element": lambda A: A.__setitem__((0, 0), 1),
    "scaled": lambda A: A.__imul__(1),
    "values": lambda A: setattr(A, "data", A.data * 1),
}


@pytest.mark.parametrize("act", IN_PLACE)
def test_methods_that_move_nothing_leave_index_arrays_with_their_matrix(act):
    """As SciPy's do: what is written afterwards is seen."""
    found = []
    for A in (small(), small().to_scipy()):
        array = A.indices
        IN_PLACE[act](A)
        array[0] = 3
        found.append(A.toarray())
    np.testing.assert_array_equal(*found)


def test_offsets_that_end_earlier_for_a_while():
    A = small()
    expected, offsets = A.toarray(), A.indptr
    offsets[-1] = 3
    assert (A.nnz, A.toarray()[2].any()) == (3, False)
    offsets[-1] = 4
    np.testing.assert_array_equal(A.toarray(), expected)


def test_an_array_stays_the_same_object_as_long_as_it_lives():
    """`min_weight_full_bipartite_matching` of SciPy takes other arrays for converted ones, and a csc_array for a csr_array."""
    for A in (small(), small().tocsc(), small().tocoo()):
        held = index_arrays(A)
        assert [x is y for x, y in zip(index_arrays(A), held, strict=True)] == [True, True]


def test_threads_that_take_arrays_while_others_multiply():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            A, x, held = zeros_stored(), np.ones(N), []
            stop = threading.Event()

            def multiply(A=A, x=x, stop=stop):
                while not stop.is_set():
                    A @ x

            def take(A=A, held=held):
                for _ in range(50):
                    held[:] = [A.indices]

            threads = [threading.Thread(target=multiply), *(threading.Thread(target=take) for _ in range(2))]
            for thread in threads:
                thread.start()
            for thread in threads[1:]:
                thread.join()
            stop.set()
            threads[0].join()
            write(held[0])
            check_uses(A, ["A @ x", "toarray"])
    finally:
        sys.setswitchinterval(interval)


def test_a_matrix_looks_for_changes_as_long_as_there_may_be_some(monkeypatch):
    looked = []
    look = shown.Shown._fingerprints
    monkeypatch.setattr(shown.Shown, "_fingerprints", lambda record: looked.append(1) or look(record))

    def count(call):
        looked.clear()
        call()
        return len(looked)

    A, x = zeros_stored(), np.ones(N)
    assert count(lambda: A @ x) == 0
    assert count(lambda: A.indices.sum()) == 1
    assert count(lambda: [A.indptr[i] for i in range(9)]) == 0
    assert [count(lambda: A @ x) for _ in range(3)] == [1, 0, 0]
    view = A.indices[3:]
    assert [count(lambda: A @ x) for _ in range(3)] == [1, 1, 1]
    del view
    assert [count(lambda: A @ x) for _ in range(3)] == [1, 0, 0]
    B = csr_array((A.data, A.indices, A.indptr), shape=A.shape)  # has copies
    R = Ragged(A.data, A.indptr)
    assert [count(lambda: A @ x) for _ in range(2)] == [1, 0]
    assert B.nnz == R.size


SHARING = {
    "data": lambda A: A.data,
    "transpose": lambda A: A.T,
    "a matrix of its arrays": lambda A: type(A)((A.data, A.indices, A.indptr), shape=A.shape),
    "a copy": lambda A: A.copy(),
    "indices": lambda A: A.indices,
}


def set_stored_place(A):
    A[np.repeat(np.arange(N), np.diff(A.indptr))[5], A.indices[5]] = 7


def write_to_data(A):
    A.data[:5] = 7


def scale(A):
    A *= 2


@pytest.mark.parametrize("write", [set_stored_place, write_to_data, scale])
@pytest.mark.parametrize("way", SHARING)
def test_what_is_written_to_values_is_seen_by_those_who_see_it_with_scipy(way, write):
    A = zeros_stored()
    S = zeros_stored().to_scipy()
    seen = []
    for matrix in (A, S):
        held = SHARING[way](matrix)
        write(matrix)
        seen.append(contents(held))
    for ours, theirs in zip(*seen, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_who_owns_what():
    assert zeros_stored()._record.seen_by == MATRIX
    A = zeros_stored()
    _ = A.nnz, A.shape, A.dtype, A.nbytes, A.device, A.size, A.ndim, repr(A)
    assert A._record.seen_by == MATRIX
    B = A.copy()
    assert (A._record.seen_by, B._record.seen_by) == (ANYBODY, MATRIX)
    S = A.to_scipy()
    for given in ((S.data, S.indices, S.indptr), S, np.eye(3)):
        assert csr_array(given)._record.seen_by == ANYBODY
    assert csr_array(S, copy=True)._record.seen_by == MATRIX


def test_two_matrices_around_one_record():
    csr = zeros_stored()._csr.copy()
    assert csr.seen_by == MAKER
    A, B = csr_array._of(csr), csr_array._of(csr)
    before = contents(B._record)
    A.eliminate_zeros()
    for x, wanted in zip(B._record.arrays, before, strict=True):
        np.testing.assert_array_equal(x, wanted)


def test_records_that_share_arrays():
    for share in (lambda csr: csr.with_data(csr.data * 2), Csr.copy_of_pattern):
        csr = zeros_stored()._csr.copy()
        other = share(csr)
        assert (csr.seen_by, other.seen_by) == (ANYBODY, ANYBODY)
    csr = zeros_stored()._csr
    assert csr.plan(Csr.copy).seen_by == ANYBODY


def test_a_memory_map_stays(tmp_path):
    S = zeros_stored().to_scipy()
    S.data.tofile(tmp_path / "data")
    data = np.memmap(tmp_path / "data", np.float64, "r+")
    A = csr_array((data, S.indices, S.indptr), shape=S.shape)
    A.eliminate_zeros()
    np.testing.assert_array_equal(np.fromfile(tmp_path / "data"), S.data)


def test_a_weak_reference_stays():
    A = zeros_stored()
    held = weakref.ref(A.data)
    array, before = A.data, A.data.copy()
    A.eliminate_zeros()
    np.testing.assert_array_equal(array, before)
    assert held() is array


def test_threads_that_take_the_arrays_never_see_freed_memory():
    for _ in range(20):
        A, taken = zeros_stored(), []
        start = threading.Barrier(3)

        def take(A=A, taken=taken, start=start):
            start.wait()
            taken.append((A.data, A.indices))

        threads = [threading.Thread(target=take) for _ in range(2)]
        for thread in threads:
            thread.start()
        start.wait()
        A.eliminate_zeros()
        for thread in threads:
            thread.join()
        for data, indices in taken:
            assert data.size == data.copy().size
            assert indices.max() < N


def test_who_looks_at_the_record_without_saying_so():
    """Everything else asks for `_csr`, which says so."""
    package = pathlib.Path(spark_csr.__file__).parent
    files = [path for path in package.rglob("*.py") if re.search(r"[.]_record\b", path.read_text())]
    users = {path.relative_to(package).as_posix() for path in files}
    inside = {"_operations/form/shown.py"}  # an attribute of its own
    assert users - inside == {"_matrix/base.py", "_matrix/coo.py", "_matrix/in_place.py", "interop/dask/chunks.py"}


def test_who_is_lent_the_record():
    """Products hand out none of its arrays, and what holds the transpose says itself who sees them."""
    package = pathlib.Path(spark_csr.__file__).parent
    files = [path for path in package.rglob("*.py") if re.search(r"\b_lent\b", path.read_text())]
    users = {path.relative_to(package).as_posix() for path in files}
    assert users == {"_matrix/base.py", "_matrix/coo.py", "_matrix/products.py"}


def test_who_has_multiplied_moves_nothing_in_place():
    """Products of other threads may be reading."""
    for multiply in (lambda A: A @ np.ones(N), lambda A: A.T @ np.ones(N), lambda A: np.ones(N) @ A, lambda A: A.T):
        A = zeros_stored()
        lent = multiply(A)
        assert lent is not None
        assert A._record.seen_by == MATRICES
        before = contents(A._record)
        csr, _ = A._record, A.eliminate_zeros()
        for x, wanted in zip(csr.arrays, before, strict=True):
            np.testing.assert_array_equal(x, wanted)


@pytest.mark.usefixtures("cpu_only")
def test_values_that_may_not_be_written_into_need_no_kernels_of_their_own(monkeypatch):
    """Such are those of memory-mapped files, of pandas and of Arrow."""
    S = sp.random_array((60, 60), density=0.1, format="csr", rng=1)
    frozen = S.data.copy()
    frozen.flags.writeable = False
    rows, mask, x = np.arange(0, 60, 7), np.arange(60) % 3 == 0, np.ones(60)

    def call_all(A):
        X = np.ones((60, 3))
        yield from (A @ x, x @ A, A @ X, A.T @ X, (A @ A).data, A.T.tocsr().data, A.tocsc().data, (A + A).data, (A * 2).data)
        yield from (A.sum(axis=0), A.sum(axis=1), A.max(axis=1).data, A.toarray(), A.diagonal(), A[rows, rows], A[rows].data)
        yield from (A[mask].data, A[:, rows].data, A[:, 2:9].data, A[3:9].data, prune(A, 0.5).data, vstack([A, A]).data)

    first = list(call_all(csr_array((S.data, S.indices, S.indptr), shape=S.shape)))
    make, made = Kernel._make_for, []

    def note(kernel, signature):
        made.append((kernel.py_func.__module__, kernel.py_func.__name__, signature))
        return make(kernel, signature)

    monkeypatch.setattr(Kernel, "_make_for", note)
    A = csr_array((frozen, S.indices, S.indptr), shape=S.shape)
    assert not A.data.flags.writeable
    for found, expected in zip(call_all(A), first, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert not [kernel for kernel in made if not kernel[0].startswith("spark_csr._engine")]
