"""`A[key]` and `A[key] = value` beside SciPy's: the same keys on both, for every form, and what each is told that is wrong."""

import contextlib
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import battery
import dtypes
import spark_csr
from spark_csr._array import SIMULATED, is_device_array
from spark_csr._operations.form.record import Csr

pytestmark = pytest.mark.usefixtures("small_tiles")

FORMS = ["csr", "csc", "coo"]
FEWER = 8 if SIMULATED else 1  # the simulator runs few of many alike: threads in Python are slow
DENSE = np.array([[1.0, 0, 2, 0, 5], [0, 0, 0, 0, 0], [3, 4, 0, 6, 0], [0, 7, 0, 0, 8]])
MASK = DENSE > 2


def ours(xp, name, form="csr", dtype=None, index=np.int32):
    A = battery.build(xp, name, dtype, index)
    return A.asformat(form, copy=True)


def scipys(name, form="csr", dtype=None):
    indptr, indices, data, shape = battery.BATTERY[name]
    data = data if dtype is None else battery.as_dtype(data, dtype)
    return sp.csr_array((data, indices, indptr), shape=shape).asformat(form, copy=True)


def of_dense(xp, form, dense=DENSE):
    return getattr(spark_csr, f"{form}_array")(xp.asarray(dense)), getattr(sp, f"{form}_array")(dense)


def seen(x):
    """What a result is: its kind, shape, dtype and values."""
    if isinstance(x, (spark_csr.csr_array, spark_csr.csc_array, spark_csr.coo_array)) or sp.issparse(x):
        dense = x.toarray()
        kind = x.format
    else:
        dense, kind = x, "dense"
    dense = dense.get() if is_device_array(dense) else np.asarray(dense)
    return kind, dense.shape, dense.dtype, dense


def same(got, wanted):
    got, wanted = seen(got), seen(wanted)
    assert got[:3] == wanted[:3]
    np.testing.assert_array_equal(got[3], wanted[3])


def keys_for(rows, columns):
    """Keys that are legal for every matrix of this size."""
    i, j = rows // 2, columns // 2
    some_rows = np.arange(rows)[:: max(rows // 3, 1)]
    some_columns = np.arange(columns)[::-1][: max(columns // 2, 1)]
    yield from (slice(1, 4), slice(None), slice(None, None, 2), slice(None, None, -1), slice(-3, None), slice(5, 2), Ellipsis)
    for k in (slice(1, 4), slice(1, None, 3), slice(None, None, -1), slice(-1, 0, -2), slice(4, 1)):
        yield slice(None), k
        yield slice(None, None, 2), k
        yield some_rows, k
    yield some_rows
    yield [*some_rows, *some_rows[::-1]]
    yield slice(None), np.concatenate([some_columns, some_columns])
    yield slice(1, None), some_columns
    yield np.ix_(some_rows, some_columns)
    yield np.arange(rows) % 2 == 0
    yield slice(None), np.arange(columns) % 3 == 1
    yield np.ix_(np.arange(rows) % 2 == 1, np.arange(columns) % 2 == 0)
    yield []
    yield slice(None), []
    if rows:
        yield from (i, -1, np.uint8(i), (i, None), (i, slice(1, None)), (i, slice(None, None, -2)), (i, some_columns))
        yield [i, -1, 0, i]
        yield np.array([i, 0, i], np.uint8)
    if columns:
        yield from ((slice(None), j), (slice(1, 3), -1), (some_rows, j), (Ellipsis, j), (slice(None), None, j))
    if rows and columns:
        yield from ((i, j), (-1, -1), (np.int8(i), np.uint64(j)), (i, j, None))
        yield np.resize(some_rows, 7), np.resize(some_columns, 7)
        yield np.resize(some_rows, (3, 4)), np.resize(some_columns, (3, 4))
        yield np.resize(some_rows, (3, 2)), j


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("length", [120, 129, 200, 256, 300])
def test_negative_indices_of_narrow_dtypes(xp, to_numpy, length, dtype):
    """As unsigned numbers, they are below the length."""
    dense, m = np.arange(length**2).reshape(length, length) % 17 + 1, np.array([-100, 3, -1], dtype)
    A, x, k = spark_csr.csr_array(xp.asarray(dense)), np.arange(length), xp.asarray(m)
    np.testing.assert_array_equal(to_numpy(A[k].toarray()), dense[m])
    np.testing.assert_array_equal(to_numpy(A[:, k].toarray()), dense[:, m])
    np.testing.assert_array_equal(to_numpy(A[k, k[::-1]]), dense[m, m[::-1]])
    np.testing.assert_array_equal(to_numpy(spark_csr.csr_array(xp.asarray(x))[k].toarray()), x[m])
    assert spark_csr.Ragged(xp.asarray(x), xp.arange(length + 1))[k].to_lists() == x[m, None].tolist()
    A[k, k] = dense[m, m] = 99
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense)


def test_one_element_of_a_matrix_that_is_known_to_be_canonical(xp, to_numpy):
    A = spark_csr.csr_array(xp.asarray(DENSE))
    assert A.has_canonical_format
    assert [[float(A[i, j]) for j in range(5)] for i in range(4)] == DENSE.tolist()


@pytest.mark.parametrize("columns", [[1, 3, 6, 7, 8, 999_999], [0, 1, 5, 6, 7, 700_000], [2, 3, 4, 9, 999_998, 999_999]])
def test_columns_of_a_wide_matrix_are_cleared(xp, to_numpy, columns):
    """They are found by bisection: no array is as long as the matrix is wide."""
    at = [0, 5, 9, 700_000, 999_998]
    A = spark_csr.csr_array((xp.ones(10), (xp.repeat(xp.arange(2), 5), xp.asarray(at * 2))), shape=(2, 10**6))
    A[:, columns] = spark_csr.csr_array((xp.ones(0), (xp.zeros(0, int), xp.zeros(0, int))), shape=(2, len(columns)))
    assert to_numpy(A.data).tolist() == [float(column not in columns) for column in at] * 2


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", list(battery.BATTERY)[::FEWER])
def test_every_matrix(xp, name, form):
    A, S = ours(xp, name, form), scipys(name, form)
    for key in list(keys_for(*A.shape))[::FEWER]:
        if form == "csr" and isinstance(key, tuple) and isinstance(key[0], np.ndarray) and not _plain(key[1]):
            continue  # SciPy 1.17 reads A[[0, 1], ::2] as pairs of indices
        same(A[key], S[key])


def _plain(k):
    return not isinstance(k, slice) or k.step in (1, None)


@pytest.mark.parametrize("index", [pytest.param(np.int32, marks=pytest.mark.exhaustive), np.int64])
@pytest.mark.parametrize("dtype", dtypes.each(["float32", "complex128", "bool", "int8", "int16"][::FEWER], "D"))
@pytest.mark.parametrize("form", FORMS)
def test_dtypes_and_widths(xp, form, dtype, index):
    for name in ("power law", "duplicates"):
        A, S = ours(xp, name, form, dtype, index), scipys(name, form, dtype)
        alternating = np.arange(A.shape[0]) % 2 == 0
        for key in (slice(1, 9), [2, 0, 2], (slice(None), [1, 0, 1]), (slice(None), slice(1, 3)), ([0, 2], [1, 2]), (0, 1), 0):
            same(A[key], S[key])
        same(A[alternating], S[alternating])


def test_half_precision(xp, to_numpy):
    A = ours(xp, "duplicates", dtype=np.float16)
    dense = to_numpy(A.toarray())
    for key in (0, (0, 1), [2, 0], (slice(None), [2, 1]), ([0, 3], [1, 2])):
        same(A[key].toarray() if hasattr(A[key], "toarray") else A[key], dense[key])


VECTOR = np.array([1.0, 0, 2, 0, 5])


OF_VECTORS = [
    2, 1, -1, slice(1, 4), slice(None), slice(3, 1), slice(None, None, 2), slice(None, None, -1), [0, 2, 2], [], None, Ellipsis,
    VECTOR > 1, sp.csr_array(VECTOR > 1), (2, None), (None, 2, None), (None, slice(1, 3)), (slice(1, 3), None), (Ellipsis, 2),
    np.array([[0, 1], [2, 4]]), np.array([[0], [2]]), (), range(2),
]  # fmt: skip


@pytest.mark.parametrize("form", ["csr", "coo"])
@pytest.mark.parametrize("key", OF_VECTORS[::FEWER], ids=str)
def test_vectors(xp, form, key):
    A, S = of_dense(xp, form, VECTOR)
    same(A[key], S[key])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "made", [np.asarray, np.ndarray.tolist, sp.csr_array, sp.coo_array, spark_csr.csr_array, spark_csr.csc_array][::FEWER]
)
def test_masks(xp, form, made):
    A, S = of_dense(xp, form)
    same(A[made(MASK)], S[MASK])
    A[made(MASK)] = -1
    S[MASK] = -1
    same(A, S)


@pytest.mark.parametrize("form", FORMS)
def test_keys_of_wrong_kinds(xp, form):
    A, S = of_dense(xp, form)
    wrong = [4, -5, (0, 5), [0, 4], [0, -5], ([0, 1], [0, 9]), (0, 1, 2), MASK[:2], (slice(None), MASK[:, 0]), (MASK, 0)]
    wrong += [np.array([255], np.uint8), [2**63], 2**70, 1.0, 1.5, "a", 1j, {1, 2}, (Ellipsis, Ellipsis), ([0, 1], [0, 1, 2])]
    wrong += [slice(0.5, 2), slice(None, None, 0), sp.csr_array(MASK[:2]), S, np.zeros((1, 1, 1, 1), int)[0]]
    for key in wrong if form != "coo" else wrong[:-1]:
        with pytest.raises((IndexError, ValueError, TypeError)) as theirs:
            S[key]
        with pytest.raises(theirs.type):
            A[key]
        with pytest.raises(theirs.type):
            A[key] = 1


@pytest.mark.parametrize(
    "key, message",
    [
        (4, r"index \(4\) out of range for axis 0 with size 4"),
        (([0, 1], [0, -6]), r"index \(-6\) out of range for axis 1 with size 5"),
        (np.array([0, 200], np.uint8), r"index \(200\) out of range"),
        (np.array([0.5]), r"whole numbers of 64 bits, got x\[0\] = 0.5: use x.astype\(int\) to round"),
        (np.array([0, np.nan]), r"got x\[1\] = nan"),
        (float("nan"), r"got nan: use int\(x\)"),
        (np.array([0, True], object), r"got x\[1\] = True|got dtype object"),
        (MASK.T, r"bool index 0 has shape \(5, 4\) instead of \(4, 5\)"),
        (([0, 1], [0, 1, 2]), r"\(2,\) \(3,\)"),
        ((0, 1, 2), "3 were indexed"),
        (None, r"more than two dimensions .* \(1, 4, 5\)"),
        ([[0, 1], [1, 2]], "more than two dimensions"),
        (spark_csr.csr_array(DENSE), "mask of booleans, got dtype float64"),
    ],
    ids=str,
)
def test_the_offending_value_is_named(xp, key, message):
    A, _ = of_dense(xp, "csr")
    with pytest.raises(IndexError, match=message):
        A[key]


@pytest.mark.parametrize("form", FORMS)
def test_an_index_array_of_two_dimensions_beside_a_slice_is_refused(xp, to_numpy, form):
    """SciPy's matrices write to other elements than NumPy's where the widths fit."""
    A, _ = of_dense(xp, form)
    with pytest.raises(IndexError, match="more than two"):
        A[[[0, 1], [2, 3]], :2] = 5
    np.testing.assert_array_equal(to_numpy(A.toarray()), DENSE)


def test_where_scipy_is_not_followed(xp, to_numpy):
    """Each has its reason: see the notes of the classes."""
    for form in FORMS:
        A, _ = of_dense(xp, form)
        assert A[None, [0, 1], [1, 2]].shape == (1, 2)  # as NumPy; SciPy: (2, 1)
        np.testing.assert_array_equal(to_numpy(A[[0, 2], ::2].toarray()), DENSE[[0, 2], ::2])  # SciPy's csr: ValueError
        empty = A[np.zeros((4, 5), bool)]  # the kind of points does not depend on how many there are
        assert empty.shape == (0,)
        assert hasattr(empty, "format") == (form == "coo")


@pytest.mark.parametrize("form", FORMS)
def test_what_is_chosen_is_a_copy(xp, to_numpy, form):
    A, _ = of_dense(xp, form)
    for key in (slice(None), slice(0, 4), (slice(None), slice(None)), [0, 1, 2, 3], 0):
        B = A[key]
        B.data[:] = -1
        np.testing.assert_array_equal(to_numpy(A.toarray()), DENSE)


def test_a_small_slice_does_not_keep_a_large_matrix_alive(xp):
    A = ours(xp, "band")
    assert not xp.may_share_memory(A[0:1].indices, A.indices)
    assert not xp.may_share_memory(A[:].data, A.data)


def test_int64_indices_give_values(xp, to_numpy):
    """As a GPU library's points once did not: zeros came back in silence where its indices were of 64 bits."""
    A = ours(xp, "band", index=np.int64)
    i = np.arange(12)
    for dtype in (np.int64, np.int32, np.uint64):
        np.testing.assert_array_equal(
            to_numpy(A[xp.asarray(i.astype(dtype)), xp.asarray(i.astype(dtype))]), scipys("band").diagonal()
        )


def test_very_wide_matrices(xp, to_numpy, cpu_only):
    """No table as long as the matrix is wide; keys of row and column that fit no 64 bits."""
    columns = np.array([5, 2**61, 2**62 - 1, 5])
    A = spark_csr.csr_array._of(Csr(xp.asarray([0, 3, 4, 4, 4]), xp.asarray(columns), xp.asarray([1.0, 2, 3, 4]), (4, 2**62)))
    np.testing.assert_array_equal(
        to_numpy(A[:, [2**62 - 1, 5, 7, 5]].toarray()), [[3, 1, 0, 1], [0, 4, 0, 4], [0] * 4, [0] * 4]
    )
    assert A[:, []].shape == (4, 0)
    assert to_numpy(A[[0, 1, 3], [2**61, 5, 5]]).tolist() == [2, 4, 0]
    with pytest.warns(sp.SparseEfficiencyWarning):
        A[[3, 0, 3], [2**62 - 1, 2**61, 7]] = [7, 8, 9]
    assert to_numpy(A.indices).tolist() == [5, 2**61, 2**62 - 1, 5, 7, 2**62 - 1]
    assert to_numpy(A.data).tolist() == [1, 8, 3, 4, 9, 7]


@pytest.mark.parametrize("form", FORMS)
def test_iteration(xp, form):
    for dense in (DENSE, np.zeros((0, 3)), np.zeros((2, 0))):
        A, S = of_dense(xp, form, dense)
        rows = list(A), list(S)
        assert len(rows[0]) == len(rows[1])
        for got, wanted in zip(*rows, strict=True):
            same(got, wanted)
    if form != "csc":
        A, S = of_dense(xp, form, VECTOR)
        for got, wanted in zip(A, S, strict=True):
            same(got, wanted)


VALUES = [
    ((0, 1), 9), ((0, 2), 9), ((0, 1), 0), ((0, 2), 0), (0, 9), (0, np.arange(5)), (0, np.arange(5)[None]), ((0, 1), [3]),
    (([0, 1], [1, 1]), [5, 6]), ((slice(1, 3), slice(1, 3)), [[1, 2], [3, 4]]), ((slice(1, 3), slice(1, 3)), [1, 2]),
    (MASK, 1), (MASK, np.arange(6)), ((slice(None), 1), [1, 2, 3, 4]), ((slice(None), 1), [[1], [2], [3], [4]]),
    ((slice(None, None, -1), 0), [1, 2, 3, 4]), (np.ix_([0, 2], [1, 3]), [[1, 2], [3, 4]]), ([0, 2], 3),
    (([0, 2], slice(None, None, 2)), [1, 2, 3]), ((0, None), np.arange(5)), (Ellipsis, 1), (Ellipsis, 0), (None, 3),
    ((np.array([[0, 1], [2, 3]]), np.array([[0, 1], [2, 3]])), [[1, 2], [3, 4]]), (([], []), 1), (slice(2, 2), 1), (True, 4),
    ((slice(1, 3), slice(1, 3)), sp.csr_array([[1, 0], [0, 2]])), ((slice(1, 3), slice(1, 3)), sp.csr_array([[1, 0]])),
    ((slice(1, 3), slice(1, 3)), sp.csc_array([[1], [2]])), (0, sp.coo_array([1, 0, 3, 0, 4])), ((0, 1), sp.csr_array([[3]])),
    (0, sp.csr_array([[1, 0, 3, 0, 4]])), ((slice(None), 0), sp.csr_array([[1], [0], [0], [3]])), ((0, 1), "7"),
    (([0, 1], [1, 2]), sp.coo_array([1, 0])), (slice(2, 2), sp.csr_array((0, 5))), (slice(0, 4), sp.eye_array(4, 5).tocsr()),
    ((slice(0, 4), [0, 3]), sp.csr_array([[1, 2]])), ((0, 1), np.array(3, object)), ((0, [1, 3]), [[7], [8]]),
]  # fmt: skip


def assigned(A, key, value):
    """The categories of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        A[key] = value
    return [w.category for w in caught]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key, value", VALUES[::FEWER], ids=str)
def test_assignment(xp, form, key, value):
    A, S = of_dense(xp, form, DENSE.copy())
    assert assigned(A, key, value) == assigned(S, key, value)
    same(A, S)
    assert A.nnz == S.nnz
    assert A.has_canonical_format


@pytest.mark.parametrize("form", FORMS)
def test_of_places_that_come_twice_the_last_value_stays(xp, to_numpy, form):
    """SciPy's coordinates keep the first; its rows and NumPy the last."""
    for place in ((0, 1), (0, 2)):
        A, dense = of_dense(xp, form, DENSE.copy())[0], DENSE.copy()
        rows, columns = [place[0], 3, place[0]], [place[1], 0, place[1]]
        assigned(A, (rows, columns), [5, 6, 7])
        dense[rows, columns] = [5, 6, 7]
        np.testing.assert_array_equal(to_numpy(A.toarray()), dense)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "key", [[1, 1], ([1, 1], slice(None)), (slice(None), [2, 0, 2, 1]), ([3, 0], [2, 2]), ([[1], [1]], [[0, 3, 2, 0]])], ids=str
)
@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
def test_of_places_that_come_twice_the_last_of_a_sparse_value_stays(xp, to_numpy, form, key):
    """Also if it is a zero that is not stored."""
    A, dense = of_dense(xp, form, DENSE.copy())[0], DENSE.copy()
    value = np.resize([[4, 2, 0, 5, 0], [0, 0, 7, 0, 1]], np.atleast_2d(dense[key]).shape)
    A[key] = of_dense(xp, "csr", value)[0]
    dense[key] = value
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "key, value, message",
    [
        (0, [1, 2], r"shape \(2,\)"),
        (MASK, np.arange(5), r"shape \(5,\)"),
        ((slice(1, 3), slice(1, 3)), sp.csr_array([[1, 2, 3]]), r"shape mismatch .* \(1, 3\) .* \(2, 2\)"),
        ((0, 1), [3, 4], "sequence"),
        ((0, 1), "a", "could not convert"),
        (slice(2, 2), [1, 2, 3], r"shape \(3,\)"),
    ],
    ids=str,
)
def test_values_that_do_not_fit(xp, to_numpy, form, key, value, message):
    A, S = of_dense(xp, form, DENSE.copy())
    with pytest.raises(ValueError, match=message):
        A[key] = value
    with contextlib.suppress(ValueError):
        S[key] = value
    np.testing.assert_array_equal(to_numpy(A.toarray()), DENSE)


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
def test_a_matrix_may_be_assigned_to_itself(xp, to_numpy):
    A, dense = of_dense(xp, "csr")[0], DENSE.copy()
    A[::-1] = A
    dense[::-1] = dense.copy()
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense)


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
@pytest.mark.parametrize("form", FORMS)
def test_an_assignment_that_fails_leaves_the_matrix(xp, to_numpy, monkeypatch, form):
    A, dense = of_dense(xp, form)[0], DENSE.copy()
    with monkeypatch.context() as patch:
        patch.setattr("spark_csr._operations.select.assign._merge", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            A[:] = spark_csr.csr_array(xp.ones(DENSE.shape))
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense)


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
def test_what_shares_values_stays_or_sees_the_assignment_whole(xp, to_numpy):
    A = spark_csr.csr_array(xp.asarray([[0, 2.0], [0, 7]]))
    B = spark_csr.csr_array(A)
    A[:] = A.T
    assert to_numpy(A.toarray()).tolist() == [[0, 0], [2, 7]]
    assert to_numpy(B.toarray()).tolist() == [[0, 2], [0, 7]]
    C = spark_csr.csr_array(A)
    A[1] = spark_csr.csr_array(xp.asarray([[0, 5.0]]))
    assert to_numpy(A.toarray()).tolist() == to_numpy(C.toarray()).tolist() == [[0, 0], [0, 5]]


def test_existing_entries_are_written_in_place_and_shared(xp):
    data = xp.asarray([1.0, 2, 3])
    A = spark_csr.csr_array((data, xp.asarray([0, 2, 1]), xp.asarray([0, 2, 3])))
    pattern = A.indices
    A[0, 2] = 9
    A.T[1, 1] = 7
    assert data.tolist() == [1, 9, 7]
    assert xp.may_share_memory(pattern, A.indices)
    B = A.tocoo(copy=False)
    B[0, 2] = 5
    assert data.tolist() == [1, 9, 7]


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
@pytest.mark.parametrize("name", ["duplicates", "unsorted", "all rows empty", "0xN", "Nx0", "row of several tiles"][::FEWER])
@pytest.mark.parametrize("form", FORMS)
def test_assignment_to_every_kind_of_pattern(xp, name, form):
    A, S = ours(xp, name, form), scipys(name, form)
    for key in (slice(0, 2), (slice(None), slice(1, 2)), (slice(0, 4, 2), slice(None, None, 2)))[::FEWER]:
        A[key], S[key] = 6, 6
        same(A, S)
    S.sum_duplicates()
    assert A.nnz == S.nnz


def slices(length):
    bound = st.none() | st.integers(-length - 2, length + 2)
    return st.builds(slice, bound, bound, st.none() | st.integers(-3, 3).filter(bool))


def lists(length):
    if not length:
        return st.just([])
    return st.lists(st.integers(-length, length - 1), max_size=7).flatmap(
        lambda k: st.sampled_from([k, np.array(k, np.int64), np.array([j % length for j in k], np.uint8)])
    )


def masks(length):
    return st.lists(st.booleans(), min_size=length, max_size=length).map(lambda k: np.array(k, bool))


def axis_keys(length):
    ints = [st.integers(-length, length - 1)] if length else []
    return st.one_of(slices(length), lists(length), masks(length), *ints)


@st.composite
def matrices(draw, largest=5 if SIMULATED else 7):
    shape = draw(st.integers(0, largest)), draw(st.integers(0, largest))
    values = draw(st.lists(st.sampled_from([0, 0, 1, 2, -3]), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return np.array(values, float).reshape(shape)


@st.composite
def keys(draw, shape):
    """One axis, both, pairs, outer products and full masks."""
    rows, columns = shape
    kind = draw(st.sampled_from(["rows", "both", "both", "pairs", "outer", "mask"]))
    if kind == "rows":
        return draw(axis_keys(rows))
    if kind == "both":
        i, j = draw(axis_keys(rows)), draw(axis_keys(columns))
        if all(isinstance(k, (list, np.ndarray)) for k in (i, j)):
            j = draw(slices(columns))
        return i, j
    if kind == "pairs":
        places = (
            draw(st.lists(st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)), max_size=6))
            if rows and columns
            else []
        )
        return tuple([place[axis] for place in places] for axis in (0, 1))
    if kind == "outer":
        return np.ix_(*(np.array(draw(lists(n)), np.int64) for n in shape))
    return np.array(draw(st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns)), bool).reshape(shape)


MASKED = np.ma.array([1, 2], mask=[False, True])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "key",
    [
        MASKED,
        np.ma.array([1, 2]),
        np.ma.masked,
        np.ma.array([True, False, True, True], mask=[False, False, True, False]),
        np.s_[:, MASKED],
        (MASKED, MASKED),
        (MASKED, [1, 2]),
        (0, MASKED),
        np.ma.array(MASK, mask=~MASK),
    ],
)
def test_masked_keys_are_refused(xp, to_numpy, form, key):
    A, _ = of_dense(xp, form)
    for call in (lambda: A[key], lambda: A.__setitem__(key, 9.0)):
        with pytest.raises(TypeError, match="is a masked array, whose mask would be lost: use"):
            call()
    np.testing.assert_array_equal(to_numpy(A.toarray()), DENSE)


def test_a_masked_index_of_a_vector_is_refused(xp):
    with pytest.raises(TypeError, match="mask would be lost"):
        spark_csr.coo_array(xp.asarray([1.0, 2, 3]))[MASKED]


@given(st.data())
def test_any_key_as_numpy(xp, to_numpy, data):
    dense = data.draw(matrices())
    key = data.draw(keys(dense.shape))
    key = tuple(np.asarray(k, np.int64) if isinstance(k, list) else k for k in key) if isinstance(key, tuple) else key
    key = np.asarray(key, np.int64) if isinstance(key, list) else key
    for form in FORMS[::FEWER]:
        chosen = of_dense(xp, form, dense)[0][key]
        got = to_numpy(chosen.toarray() if hasattr(chosen, "toarray") else chosen)
        np.testing.assert_array_equal(got, dense[key])
        assert got.shape == dense[key].shape


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
@given(st.data())
def test_any_assignment_as_numpy(xp, to_numpy, data):
    dense = data.draw(matrices())
    key = data.draw(keys(dense.shape))
    key = tuple(np.asarray(k, np.int64) if isinstance(k, list) else k for k in key) if isinstance(key, tuple) else key
    key = np.asarray(key, np.int64) if isinstance(key, list) else key
    shape = dense[key].shape
    value = np.resize([5.0, 0, -7, 8, 9], shape) if data.draw(st.booleans()) else data.draw(st.sampled_from([0.0, 4.0]))
    for form in FORMS[::FEWER]:
        A, wanted = of_dense(xp, form, dense.copy())[0], dense.copy()
        A[key] = xp.asarray(value) if data.draw(st.booleans()) else value
        wanted[key] = value
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)
        assert A.has_canonical_format


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_whole_numbers_of_any_dtype_are_indices(xp, to_numpy, form):
    """As in SciPy, in constructors and in keys; a list of Python's numbers too."""
    rows, columns, data = [2, 0, 1], [1, 1, 2], [5.0, 6, 7]
    wanted = np.zeros((3, 4))
    wanted[rows, columns] = data
    make = getattr(spark_csr, f"{form}_array")
    kinds = [[xp.asarray(np.array(x, np.float32)) for x in (rows, columns)]]
    if xp is np:  # a GPU has no arrays of objects, and its arrays go with no lists
        kinds += [np.array(x, object) for x in (rows, columns)], ([2.0, Fraction(0), np.int8(1)], columns)
    for i, j in kinds:
        A = make((xp.asarray(data), (i, j)), shape=(3, 4))
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)
    S = sp.csr_array(wanted).asformat(form)
    if form != "coo":
        indices, indptr = xp.asarray(S.indices.astype(np.float64)), xp.asarray(S.indptr.astype(object if xp is np else float))
        B = make((xp.asarray(S.data), indices, indptr), shape=(3, 4))
        np.testing.assert_array_equal(to_numpy(B.toarray()), wanted)
    for key in (np.array([2.0, 0]), [2.0, -1.0]):
        np.testing.assert_array_equal(to_numpy(A[xp.asarray(key)].toarray()), wanted[np.asarray(key, int)])
    np.testing.assert_array_equal(to_numpy(A[:, xp.asarray([3.0, 1])].toarray()), wanted[:, [3, 1]])
    A[xp.asarray([0.0]), xp.asarray([1.0])] = 9
    assert A[0, 1] == 9
