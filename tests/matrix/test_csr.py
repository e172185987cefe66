"""`csr_array`: every form of argument, sharing, conversion, attributes, and what they refuse."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import battery
import dtypes
import spark_csr
from spark_csr import config, coo_array, csc_array, csr_array
from spark_csr.graph import Graph

DENSE = np.array([[1.0, 0, 2, 0], [0, 0, 0, 0], [3, 4, 0, 5]])
S = sp.csr_array(DENSE)


def check(A, dense=DENSE):
    assert A.shape == dense.shape
    assert A.dtype == dense.dtype
    np.testing.assert_array_equal(A.toarray(), dense)


def test_dense_forms():
    check(csr_array(DENSE))
    check(csr_array(DENSE.tolist()))
    check(csr_array(np.asfortranarray(DENSE)))
    check(csr_array(DENSE.astype(">f8")))
    check(csr_array(np.zeros((0, 3))), np.zeros((0, 3)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_every_class_of_scipy(form, kind):
    matrix = getattr(sp, f"{form}_{kind}")(DENSE)
    before = matrix.toarray()
    check(csr_array(matrix))
    np.testing.assert_array_equal(matrix.toarray(), before)


def test_tuples():
    check(csr_array((S.data, S.indices, S.indptr)), DENSE)
    check(csr_array((S.data, S.indices, S.indptr), shape=(3, 4)))
    check(csr_array((S.data.tolist(), S.indices.tolist(), S.indptr.tolist())))
    coo = S.tocoo()
    check(csr_array((coo.data, (coo.row, coo.col))))
    check(csr_array((coo.data, [coo.row, coo.col]), shape=(3, 4)))
    check(csr_array((3, 4)), np.zeros((3, 4)))
    check(csr_array((np.int64(3), np.int8(4)), dtype=np.int16), np.zeros((3, 4), np.int16))
    check(csr_array(csr_array(DENSE)))
    check(csr_array(csr_array(DENSE).T), DENSE.T)


def test_duplicates_are_kept_in_rows_and_summed_in_coordinates():
    assert csr_array((np.ones(3), np.array([0, 0, 1]), np.array([0, 3]))).nnz == 3
    assert csr_array((np.ones(3), ([0, 0, 0], [0, 0, 1]))).data.tolist() == [2, 1]


@pytest.mark.parametrize("dtype", dtypes.each())
def test_dtypes(dtype):
    dense = battery.as_dtype(DENSE, dtype)
    check(csr_array(dense), dense)
    check(csr_array((3, 4), dtype=dtype), np.zeros((3, 4), dtype))
    check(csr_array(abs(DENSE), dtype=dtype), abs(DENSE).astype(dtype))
    assert csr_array(DENSE).astype(dtype).dtype == dtype


def test_arrays_are_shared_where_they_can_be():
    for A in (csr_array(S), csr_array((S.data, S.indices, S.indptr)), csr_array(csr_array(S)), csr_array(S).T.T):
        for mine, given in ((A.data, S.data), (A._csr.indices, S.indices), (A._csr.indptr, S.indptr)):
            assert np.shares_memory(mine, given)
    scipys = csr_array(S).to_scipy()
    assert isinstance(scipys, sp.csr_array)
    assert np.shares_memory(scipys.data, S.data)
    assert not np.shares_memory(scipys.indices, S.indices)
    transposed = csr_array(S).T.to_scipy()
    assert isinstance(transposed, sp.csc_array)
    assert np.shares_memory(transposed.data, S.data)
    np.testing.assert_array_equal(transposed.toarray(), DENSE.T)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dense", [np.diag(np.array([1.0, 2, 3], "e")), np.zeros((2, 3), "e"), np.array([0, 1.5, 2], "e")])
def test_float16_becomes_scipys(form, dense):
    """SciPy's `coo_array` refuses float16 when it is made."""
    if form == "csc" and dense.ndim == 1:
        return
    A = csr_array(dense).asformat(form)
    theirs = A.to_scipy()
    assert (theirs.format, theirs.shape, theirs.dtype) == (form, dense.shape, np.float16)
    assert np.shares_memory(theirs.data, A.data) == bool(A.nnz)
    check(csr_array(theirs), dense)


def test_copies_are_not_shared():
    A = csr_array(S)
    for B in (csr_array(S, copy=True), A.copy(), A.astype(A.dtype), A.tocsr(copy=True), csr_array(A, copy=True), A.T.copy()):
        for mine, given in ((B.data, S.data), (B.indices, S.indices), (B.indptr, S.indptr)):
            assert not np.shares_memory(mine, given)
    assert np.shares_memory(A.astype(A.dtype, copy=False).data, S.data)
    assert np.shares_memory(A.astype(np.float32, copy=False)._csr.indices, S.indices)
    assert A.tocsr() is A


WIDE = (3, 2**40)


def make_wide_matrices():
    """Return matrices of 2**40 columns, by how they are made."""
    data, rows, columns = np.array([1.0, 2, 3]), np.array([0, 2, 2]), np.array([5, 7, 2**39])
    theirs = sp.csr_array((data, (rows, columns)), shape=WIDE)
    A = csr_array((data, (rows, columns)), shape=WIDE)
    emptied = A.copy()
    emptied.data[1] = 0
    emptied.eliminate_zeros()
    resized = csr_array(np.eye(3))
    resized.resize(*WIDE)
    replaced = A.copy()
    replaced.indptr = np.array([0, 1, 1, 3], np.int32)
    return {
        "coordinates": A,
        "coordinates that are not sorted": csr_array((data[::-1], (rows[::-1], columns[::-1])), shape=WIDE),
        "arrays": csr_array((data, columns, np.array([0, 1, 1, 3], np.int32)), shape=WIDE),
        "shape": csr_array(WIDE),
        "csr of SciPy": csr_array(theirs),
        "coo of SciPy": csr_array(theirs.tocoo()),
        "coo": coo_array(theirs).tocsr(),
        "columns": csc_array((data, columns, np.array([0, 1, 1, 3], np.int32)), shape=WIDE[::-1]).T,
        "copy": A.copy(),
        "pickle": pickle.loads(pickle.dumps(A)),
        "astype": A.astype(np.complex64),
        "rows": A[1:],
        "a list of rows": A[[2, 0]],
        "sum": A + A,
        "elementwise product": A * A,
        "product": csr_array(np.eye(3)) @ A,
        "negative": -A,
        "zeros dropped": emptied,
        "resized": resized,
        "reshaped": A.reshape(1, -1),
        "offsets replaced": replaced,
        "eye": spark_csr.eye_array(*WIDE),
        "diagonals": spark_csr.diags_array([np.ones(3), np.ones(3)], offsets=[0, 2**33], shape=WIDE),
        "random": spark_csr.random_array(WIDE, density=1e-12, rng=0),
        "stacked": spark_csr.vstack([A, A]),
        "side by side": spark_csr.hstack([csr_array(np.eye(3)), A]),
        "kron": spark_csr.kron(csr_array(np.eye(1)), A),
        "triangle": spark_csr.triu(A),
        "pruned": spark_csr.prune(A, 1.5),
    }


def test_index_widths():
    """Columns that need int64 make the offsets int64 too, as in SciPy, however the matrix is made; else int32 that fits is
    enough."""
    made = {way: A.tocsr() for way, A in make_wide_matrices().items()}
    widths = {way: (A.indptr.dtype, A.indices.dtype) for way, A in made.items()}
    assert {way: found for way, found in widths.items() if found != (np.int64, np.int64)} == {}
    assert [way for way, A in made.items() if A.to_scipy().indptr.dtype != A.indptr.dtype] == []
    A = made["coordinates"]
    narrow = A.copy()
    narrow.resize(3, 9)
    for B in (narrow, A[:, :9], A[:, [5, 7]], A[:, [7]], csr_array((1, 2**31 - 1))):
        assert B.indptr.dtype == B.indices.dtype == np.int32
    assert csr_array((1, 2**31)).indptr.dtype == np.int64
    assert A.to_scipy().indices.tolist() == [5, 7, 2**39]
    B = csr_array((S.data, S.indices.astype(np.int64), S.indptr.astype(np.int64)), shape=S.shape)
    assert B.indptr.dtype == B.indices.dtype == np.int32


def test_attributes():
    A = csr_array(DENSE)
    assert (A.shape, A.ndim, A.nnz, A.size, A.format, A.device) == ((3, 4), 2, 5, 5, "csr", "cpu")
    assert A.nbytes == A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
    assert repr(A) == "<csr_array of dtype 'float64' on cpu, shape (3, 4), with 5 stored elements>"
    assert A.T.format == "csc"
    assert (A.T.shape, A.T.nnz, A.T.dtype) == ((4, 3), 5, A.dtype)
    assert "csc_array" in repr(A.T)
    assert A.transpose().T._csr is A._csr
    assert A.to_device("cpu") is A


@pytest.mark.parametrize("order", [None, "C", "F"])
def test_to_dense_in_both_orders(order):
    for matrix, dense in ((csr_array(DENSE), DENSE), (csr_array(DENSE).T, DENSE.T)):
        got = matrix.toarray(order=order)
        np.testing.assert_array_equal(got, dense)
        assert got.flags.f_contiguous if order == "F" else got.flags.c_contiguous
        assert got.flags.owndata or got.base is None


def test_to_dense_into_an_array():
    for out in (np.full((3, 4), 9.0), np.full((4, 3), 9.0).T):
        assert csr_array(DENSE).toarray(out=out) is out
        np.testing.assert_array_equal(out, DENSE)


@pytest.mark.parametrize("matrix", [csr_array(DENSE), csr_array(DENSE).T], ids=["rows", "columns"])
def test_pickle(matrix):
    again = pickle.loads(pickle.dumps(matrix))
    assert type(again) is type(matrix)
    check(again, matrix.toarray())
    np.testing.assert_array_equal(again @ np.ones(again.shape[1]), matrix @ np.ones(again.shape[1]))


def test_data_can_be_replaced():
    A = csr_array(DENSE)
    A.data = [1, 2, 3, 4, 5]
    assert A.dtype == np.int64
    with pytest.raises(ValueError, match=r"data must be one-dimensional, got shape \(1, 5\)"):
        A.data = np.ones((1, 5))
    with pytest.raises(TypeError, match="object"):
        A.data = [None] * 5
    with pytest.raises(AttributeError):
        A.shape = A.shape


def test_truth_and_length_as_scipy():
    with pytest.raises(TypeError, match="ambiguous"):
        len(csr_array(DENSE))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(csr_array(DENSE))
    assert bool(csr_array([[2.0]]))
    assert not bool(csr_array((1, 1)))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: csr_array([[1, 2], [3]]), ValueError, "rectangular"),
        (lambda: csr_array(np.ones((2, 2, 2))), ValueError, r"got shape \(2, 2, 2\)"),
        (lambda: csr_array(3.0), ValueError, r"got shape \(\)"),
        (lambda: csr_array([["a", "b"]]), TypeError, "dtype <U1"),
        (lambda: csr_array([[None, 1]]), TypeError, "dtype object"),
        (lambda: csr_array(([None, 1.0], ([0, 1], [0, 1])), dtype=float), TypeError, "dtype object"),
        (lambda: csr_array(object()), TypeError, "must be an array of numbers, got object$"),
        (lambda: csr_array(Graph([[1]])), TypeError, "got Graph: use its attribute matrix"),
        (lambda: csr_array(np.ones((2, 2), "datetime64[s]")), TypeError, "datetime64"),
        (lambda: csr_array(np.ones((2, 2), np.longdouble)), TypeError, "longdouble|float128"),
        (lambda: csr_array(DENSE, dtype=object), TypeError, "object"),
        (lambda: csr_array(DENSE, dtype="no such"), TypeError, "no such"),
        (lambda: csr_array((3, -4)), ValueError, r"negative, got \(3, -4\)"),
        (lambda: csr_array(DENSE, shape=(3, 5)), ValueError, r"shape \(3, 5\) was asked for, .* \(3, 4\)"),
        (lambda: csr_array(DENSE, shape=(3,)), ValueError, r"shape \(3,\) was asked for, .* \(3, 4\)"),
        (lambda: csr_array(DENSE, shape=(3.0, 4)), ValueError, "two integers"),
        (lambda: csr_array(DENSE, shape="ab"), ValueError, "two integers"),
        (lambda: csr_array(([], ([], []))), ValueError, "give shape"),
        (lambda: csr_array((1, 2, 3, 4)), ValueError, "one or two dimensions, got .1, 2, 3, 4.: coo_array has more"),
        (lambda: csr_array(()), ValueError, "tuple of 0"),
        (lambda: csr_array(DENSE).astype("S1"), TypeError, "S1"),
        (lambda: csr_array(DENSE).astype(int, casting="safe"), TypeError, "cannot cast float64 to int64 .*'safe'"),
        (lambda: csr_array(DENSE).toarray(order="K"), ValueError, "'K'"),
        (lambda: csr_array(DENSE).toarray(out=np.empty((4, 3))), ValueError, r"out must have shape \(3, 4\)"),
        (
            lambda: csr_array(DENSE).toarray(order="C", out=np.empty((3, 4))),
            ValueError,
            "order and out cannot be given together",
        ),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


def with_duplicates():
    indices = np.array([2, 0, 2, 1, 1], np.int32)
    return csr_array((np.arange(1.0, 6), indices, np.array([0, 3, 5], np.int32)), shape=(2, 3))


def test_scipy_cannot_merge_our_entries(cpu_only):
    A, x = with_duplicates(), np.array([1.0, 10, 100])
    before = A @ x
    A.to_scipy().max()  # merges duplicates in place
    np.testing.assert_array_equal(A @ x, before)
    S = A.to_scipy()
    B = csr_array(S)
    S.sum_duplicates()
    np.testing.assert_array_equal(B @ x, before)


def test_canonical_arrays_are_shared_with_scipy(cpu_only):
    A = csr_array(S)
    assert np.shares_memory(A.data, S.data)
    assert np.shares_memory(A.to_scipy().data, A.data)
    assert not np.shares_memory(A.to_scipy(copy=True).data, A.data)
    assert not np.shares_memory(A.to_scipy().indices, A.indices)


def test_old_matrices_of_scipy(cpu_only):
    A = csr_array(DENSE)
    for B in (A, A.tocsc(), A.tocoo()):
        M = B.to_scipy(matrix=True)
        assert isinstance(M, sp.spmatrix)
        assert (M.format, M.toarray().tolist()) == (B.format, DENSE.tolist())
        assert np.shares_memory(M.data, B.data)
        assert not np.shares_memory(B.to_scipy(copy=True, matrix=True).data, B.data)
    with pytest.raises(ValueError, match=r"two dimensions: use A.reshape\(\(1, -1\)\)"):
        A[0].to_scipy(matrix=True)


def test_index_arrays_may_be_replaced_by_others_that_fit(xp, to_numpy):
    A = csr_array(xp.asarray([[1, 2, 0], [0, 0, 3]]))
    A @ xp.ones(3)
    A.indices = [2, 0, 1]
    assert not A.has_sorted_indices
    A.indptr = xp.asarray([0, 1, 3])
    assert to_numpy(A.toarray()).tolist() == [[0, 0, 1], [2, 3, 0]]
    assert to_numpy(A @ xp.asarray([1, 10, 100])).tolist() == [100, 32]
    columns = A.tocsc()
    columns.indices = [0, 0, 0]
    assert to_numpy(columns.toarray()).tolist() == [[2, 3, 1], [0, 0, 0]]
    with pytest.raises(ValueError, match=r"indptr must have 3 entries for 2 rows, got 2"):
        A.indptr = [0, 3]
    with pytest.raises(ValueError, match=r"indices.* 3"):
        A.indices = [0, 1, 3]
    assert to_numpy(A.toarray()).tolist() == [[0, 0, 1], [2, 3, 0]]


@pytest.mark.parametrize("given, dtype, summed", [(np.array([200, 100], np.uint8), np.int64, 300), ([True, True], int, 2)])
def test_duplicates_are_summed_in_the_dtype_asked_for(given, dtype, summed):
    assert csr_array((given, ([0, 0], [0, 0])), dtype=dtype).toarray().tolist() == [[summed]]


@pytest.mark.parametrize("form", [sp.csc_array, sp.coo_array])
def test_hostile_foreign_matrices_are_refused(form):
    M = form(np.eye(2))
    if form is sp.csc_array:
        M.indices[1] = 10**9
    else:
        M.coords[1][1] = 10**9
    with pytest.raises(ValueError, match=r"\[1\] = 1000000000"):
        csr_array(M)


@pytest.mark.parametrize("form", [sp.coo_array, sp.csc_array, sp.bsr_array, sp.dia_array, sp.lil_array, sp.dok_array])
def test_every_foreign_format(form):
    check(csr_array(form(DENSE)))


def test_index_arrays_of_foreign_byte_order():
    M = sp.csr_array(DENSE)
    M.indices = M.indices.astype(">i4")
    check(csr_array(M))


def test_coordinates_as_one_array():
    check(csr_array((np.array([5.0]), np.array([[2], [3]])), shape=(3, 4)), np.array([[0.0] * 4] * 2 + [[0.0] * 3 + [5]]))


@pytest.mark.parametrize(
    "arg, error, message",
    [
        (([1.0], ([-5], [0])), ValueError, r"row must be 0 or above, got row\[0\] = -5"),
        (([1.0], [-1], [0, 1]), ValueError, r"indices must be 0 or above, got indices\[0\] = -1"),
        (([1.0], ([np.nan], [0])), ValueError, r"row must hold whole numbers of 64 bits, got row\[0\] = nan"),
        ((2**62, 1), MemoryError, "offsets of 4611686018427387904 rows"),
        (np.ma.array([[1.0]], mask=[[True]]), TypeError, "mask would be lost"),
        (np.ones((2, 2, 2)), ValueError, r"got shape \(2, 2, 2\): coo_array has more$"),
    ],
)
def test_what_cannot_be_read_is_named(arg, error, message):
    with pytest.raises(error, match=message):
        csr_array(arg)


def test_slack_behind_the_last_row_is_dropped_without_checks_too():
    with config(validate=False):
        A = csr_array((np.ones(5), np.array([0, 1, 2**30, 7, 9]), np.array([0, 1, 2])), shape=(2, 3))
    assert A.nnz == 2
    np.testing.assert_array_equal(A.T.tocsr().toarray(), A.toarray().T)


def test_format_and_dimensions_cannot_be_set():
    for form in (csr_array, csc_array, coo_array):
        A = form([[1, 2], [0, 3]])
        with pytest.raises(AttributeError, match=r"cannot be set: use A\.asformat\('bsr'\)"):
            A.format = "bsr"
        with pytest.raises(AttributeError, match="ndim"):
            A.ndim = 1
        assert (A.format, A.ndim, A[0].ndim) == (f"{form.format}", 2, 1)


def test_a_subclass_takes_no_ones_place():
    class Mine(csr_array):
        pass

    A = Mine([[1, 2]])
    assert (type(csr_array([[1, 2]]) + A), A.format) == (csr_array, "csr")


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
@pytest.mark.parametrize("length", [1, 2, 5])
def test_values_of_another_length_must_get_their_positions(xp, to_numpy, form, length):
    """SciPy reads behind the array if it is shorter."""
    A = form(xp.asarray([[1.0, 2], [0, 3]]))
    A.data = xp.arange(1.0, length + 1)
    uses = A.toarray, A.copy, A.sum, A.eliminate_zeros, lambda: A @ xp.ones(2), lambda: pickle.dumps(A), lambda: A.T
    for use in uses:
        with pytest.raises(ValueError, match=r"equal length|there are only|indptr"):
            use()
    assert (A.shape, A.dtype, A.data.size) == ((2, 2), np.float64, length)
    if form is coo_array:
        A.row, A.col = [0] * length, [1] * length
    else:
        A.indices, A.indptr = [1] * length, [0, length, length]
    where = (1, 0) if form is csc_array else (0, 1)
    wanted = np.zeros((2, 2))
    wanted[where] = sum(range(length + 1))
    np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)
    np.testing.assert_array_equal(to_numpy(A @ xp.ones(2)), wanted @ np.ones(2))


def test_arrays_that_are_set_may_grow_and_shrink(xp, to_numpy):
    A = csr_array(xp.asarray([[1, 2, 0], [0, 0, 3]]))
    A @ xp.ones(3)
    kept = A.data != 2
    A.indices, A.data = A.indices[kept], A.data[kept]
    A.indptr = [0, 1, 2]
    assert to_numpy(A.toarray()).tolist() == [[1, 0, 0], [0, 0, 3]]
    A.data, A.indices = xp.asarray([1, 5, 6, 7]), xp.asarray([0, 1, 2, 0])
    A.indptr = xp.asarray([0, 1, 4])
    assert to_numpy(A.toarray()).tolist() == [[1, 0, 0], [7, 5, 6]]
    assert to_numpy(A @ xp.asarray([1, 10, 100])).tolist() == [1, 657]


def test_product_of_two_vectors_is_a_number():
    for form in (csr_array, coo_array):
        v = form(np.array([1.0, 0, 2]))
        assert type(v @ v) is np.float64
        assert v @ v == 5
