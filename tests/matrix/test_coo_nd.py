"""`coo_array` of three axes or more: what SciPy's gives, by the methods of matrices on folds."""

import contextlib
import copy
import io
import math
import operator
import pickle
import types
import warnings

import numpy as np
import pytest
import scipy
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import dtypes
import spark_csr
from spark_csr import coo_array, csr_array
from spark_csr._matrix import coo_nd as module
from spark_csr._matrix import entries
from spark_csr._matrix.coo_nd import coo_nd

DTYPES = ["bool", "int8", "uint8", "int32", "uint64", "float32", "float64", "complex64", "complex128"]
DUPLICATES = ([1.0, 2, -2, 4, 0], ([0, 1, 0, 0, 1], [2, 1, 2, 2, 0], [3, 0, 3, 3, 4]))
SHAPE = (2, 3, 5)


as_scipys = pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 18),
    reason="SciPy's arrays of three axes have fewer methods before 1.18",
)


def numbers(rng, shape, dtype="float64"):
    """A dense array, mostly of zeros."""
    values = rng.integers(-3, 4, shape) * (rng.random(shape) < 0.4)
    return values.astype(dtype) if np.dtype(dtype).kind != "c" else (values * (1 + 2j)).astype(dtype)


def example(xp, seed=0, shape=(3, 4, 5), dtype="float64"):
    """A dense array, and the same as ours: unsorted, with duplicates and a stored zero."""
    rng = np.random.default_rng(seed)
    dense = numbers(rng, shape, dtype)
    coords = np.array(dense.nonzero()) if dense.any() else np.zeros((len(shape), 0), int)
    order = rng.permutation(coords.shape[1])
    coords = np.concatenate([coords[:, order], coords[:, :2]], axis=1)
    data = np.concatenate([dense[tuple(coords[:, : len(order)])], np.array([1, 0], dtype)[: coords.shape[1] - len(order)]])
    np.add.at(dense, tuple(coords[:, len(order) :]), data[len(order) :])
    return dense, coo_array((xp.asarray(data), tuple(map(xp.asarray, coords))), shape=shape)


def same(found, expected):
    """The elements, the dtype and the shape are the same, and the result is sparse if it should be."""
    assert spark_csr.issparse(found) == spark_csr.issparse(expected)
    found, expected = (x.toarray() if hasattr(x, "toarray") else x for x in (found, expected))
    found = found.get() if hasattr(found, "get") else np.asarray(found)
    assert (found.shape, found.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    rounding = 1e-6 if found.dtype in (np.float32, np.complex64) else 1e-14
    np.testing.assert_allclose(found, expected, rounding, rounding)


def sparse(dense):
    """What a sparse result is compared with."""
    return sp.coo_array(dense)


@contextlib.contextmanager
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
        yield


@st.composite
def arrays(draw, least=3, most=5):
    """Coordinates with duplicates, values and a shape, whose axes may have no or one element."""
    shape = tuple(draw(st.lists(st.integers(0, 4), min_size=least, max_size=most)))
    count = draw(st.integers(0, 12)) if 0 not in shape else 0
    at = [draw(st.lists(st.integers(0, max(size - 1, 0)), min_size=count, max_size=count)) for size in shape]
    values = draw(st.lists(st.integers(-3, 3), min_size=count, max_size=count))
    return np.array(values, float), tuple(np.array(x, int) for x in at), shape


def both(data, coords, shape):
    """SciPy's array and ours."""
    return sp.coo_array((data, coords), shape=shape), coo_array((data.copy(), coords), shape=shape)


UNARY = {
    **{name: operator.methodcaller(name) for name in module.FUNCTIONS.split() if not name.startswith(("_", "power", "arc"))},
    "arctan": lambda A: A.arctan(),
    "neg": operator.neg,
    "abs": abs,
    "round": lambda A: round(A / 2, 0),
    "conj": lambda A: A.conj(),
    "real": lambda A: A.real,
    "imag": lambda A: A.imag,
    "power": lambda A: A.power(3),
    "**": lambda A: A**2,
    "times": lambda A: 2.5 * A * 2,
    "over": lambda A: A / 4,
    "copy": lambda A: A.copy(),
    "astype": lambda A: A.astype("float32"),
    "astype, not copied": lambda A: A.astype(complex, copy=False),
    "T": lambda A: A.T,
    "mT": lambda A: A.mT,
    "transpose": lambda A: A.transpose((1, *range(2, A.ndim), 0)),
    "tocoo": lambda A: A.tocoo(copy=True),
    "asformat": lambda A: A.asformat("coo"),
    "flat": lambda A: A.reshape(-1),
    "F": lambda A: A.reshape((1, *A.shape[::-1]), order="F"),
    "matrix": lambda A: A.reshape(A.shape[0] * A.shape[1], math.prod(A.shape[2:])),
    "back": lambda A: A.reshape(A.shape[0], math.prod(A.shape[1:])).reshape((*A.shape, 1)),
    "back, F": lambda A: A.reshape(A.shape[0], math.prod(A.shape[1:])).reshape((*A.shape, 1), order="F"),
    "array": lambda A: A.toarray(order="F"),
    "+ 0": lambda A: A + 0,
    "0 - A": lambda A: 0 - A,
    "> 1": lambda A: A > 1,
    "!= 0": lambda A: A != 0,
    "<= -1": lambda A: A <= -1,
    "== 0": lambda A: A == 0,
    "maximum": lambda A: A.maximum(0),
    "minimum": lambda A: A.minimum(-1),
    "NaN": lambda A: float("nan") > A,
}

BINARY = {name: getattr(operator, name) for name in ("add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge", "truediv")}
BINARY |= {name: lambda A, B, name=name: getattr(A, name)(B) for name in ("multiply", "maximum", "minimum")}


@as_scipys
@given(arrays())
def test_functions_of_one_array(entries):
    S, A = both(*entries)
    for function in UNARY.values():
        with quiet():
            same(function(A), function(S))


@as_scipys
@given(arrays(), st.randoms(use_true_random=False))
def test_functions_of_two_arrays(entries, random):
    data, coords, shape = entries
    S, A = both(*entries)
    order = random.sample(range(len(data)), len(data))
    T, B = both(data[order] * 2, tuple(x[::-1] for x in coords), shape)
    for function in BINARY.values():
        with quiet():
            same(function(A, B), function(S, T))
            same(function(A, T), function(S, T))
            same(function(A, T.toarray()), function(S, T.toarray()))


@as_scipys
@given(arrays(), st.data())
def test_reductions(entries, data):
    S, A = both(*entries)
    dense = S.toarray()
    several = st.sets(st.integers(0, A.ndim - 1), min_size=1).map(tuple)
    axes = data.draw(st.sampled_from([None, *range(-A.ndim, A.ndim)]) | several)
    same(A.sum(axis=axes), S.sum(axis=axes))
    same(A.count_nonzero(axes), np.count_nonzero(dense, axis=axes))
    same(A.sum(axis=axes, keepdims=True), dense.sum(axis=axes, keepdims=True))
    taken = math.prod(dense.shape[n] for n in np.atleast_1d(range(A.ndim) if axes is None else axes))
    if not taken:
        for name in ("max", "argmin"):
            with pytest.raises(ValueError, match="zero-size|Cannot apply"):
                getattr(A, name)(axis=axes)
        with pytest.raises(ZeroDivisionError):
            A.mean(axis=axes)
        return
    same(A.mean(axis=axes), S.mean(axis=axes))
    same(A.std(axis=axes), dense.std(axis=axes))
    for name in ("max", "min", "nanmax", "nanmin"):
        same(getattr(A, name)(axis=axes), getattr(S, name)(axis=axes))
        wanted = getattr(dense, name[-3:])(axis=axes, keepdims=True)
        found = getattr(A, name)(axis=axes, keepdims=True)
        same(found.toarray() if spark_csr.issparse(found) else found, wanted)
    if axes is None or not isinstance(axes, tuple):
        assert np.array_equal(A.argmax(axis=axes), dense.argmax(axis=axes))
        return
    kept = [n for n in range(A.ndim) if n not in axes]
    flat = dense.transpose(*kept, *axes).reshape(*(dense.shape[n] for n in kept), taken)
    assert np.array_equal(A.argmin(axis=axes), flat.argmin(axis=-1))


def keys(shape):
    """Keys of NumPy, for most axes integers, slices or arrays."""

    def of_axis(size):
        bounds = st.none() | st.integers(-6, 6)
        parts = [st.builds(slice, bounds, bounds, st.sampled_from([None, 1, 2, -1, -3])), st.just(None)]
        if size:
            parts.append(st.integers(-size, size - 1))
            parts.append(st.lists(st.integers(-size, size - 1), min_size=2, max_size=2).map(np.array))
            parts.append(st.lists(st.integers(0, size - 1), min_size=2, max_size=2).map(lambda x: np.array(x)[:, None]))
        return st.one_of(parts)

    def cut(key, count, dots):
        key = list(key)[:count]
        return (*key, ...) if dots else tuple(key)

    return st.builds(cut, st.tuples(*map(of_axis, shape)), st.integers(0, len(shape)), st.booleans())


@given(arrays(), st.data())
def test_keys_are_numpys(entries, data):
    S, A = both(*entries)
    key = data.draw(keys(A.shape))
    expected, found = S.toarray()[key], A[key]
    same(found, sparse(expected) if np.ndim(expected) else expected)


SLICES = [
    np.s_[::2, ::-1, 1::2],
    np.s_[2::-2, 3:0:-2, ::-3],
    np.s_[1:1],
    np.s_[..., 4:1:-1],
    np.s_[1:, None, :2, [4, 0, 4]],
    np.s_[[2, 0], 1:, [[0], [3]]],
    np.s_[:, [0, 3], None, [1, 2]],
    np.s_[0, ::3, [1, 1]],
    np.s_[None, ..., None],
    np.s_[[True, False, True], 1],
    np.s_[:, [0, 3], ..., 2],
    np.s_[:, 1, ..., [1, 2]],
    np.s_[[0, 2], [1, 3], ..., [0, 1]],
]


@pytest.mark.parametrize("number", range(len(SLICES)))
def test_slices_are_numpys(cpu_only, number):
    dense, A = example(np)
    same(A[SLICES[number]], sparse(dense[SLICES[number]]))


def test_masks_and_other_keys(xp, to_numpy):
    dense, A = example(xp)
    rows = np.array([True, False, True])
    for key in (rows, (slice(None), dense[0] > 0), (..., rows[:, None] & (dense[:, :, 0] != 0)), np.array([[[0], [2]]])):
        if isinstance(key, tuple) and key[0] is ...:
            key = (rows[:, None] & (dense[:, :, 0] != 0), slice(1, None))
        expected = dense[key]
        ours = tuple(xp.asarray(k) if isinstance(k, np.ndarray) else k for k in (key if isinstance(key, tuple) else (key,)))
        same(A[ours], sparse(expected))
    same(A[xp.asarray(dense > 0)], sparse(dense[dense > 0]))
    same(A[A > 0], sparse(dense[dense > 0]))
    same(A[1, 2, -1], dense[1, 2, -1])
    same(A[1], sparse(dense[1]))
    assert [type(x) for x in A] == [coo_array] * 3
    same(list(A)[2], sparse(dense[2]))
    M = coo_array(xp.asarray(dense[0]))
    same(M[None, :, None], sparse(dense[0][None, :, None]))
    with pytest.raises(IndexError, match=r"index \(3\) out of range for axis 0 with size 3"):
        A[3]
    with pytest.raises(IndexError, match="too many indices"):
        A[0, 0, 0, 0]


@given(arrays(1, 4), arrays(1, 4), st.data())
def test_products(left, right, data):
    """Of arrays whose sizes are made to fit, one of which has three axes or more."""
    (values, coords, shape), (others, other_coords, other_shape) = left, right
    if max(len(shape), len(other_shape)) < 3:
        return
    inner = max(shape[-1], other_shape[max(len(other_shape) - 2, 0)], 1)
    shape = (*shape[:-1], inner)
    at = max(len(other_shape) - 2, 0)
    other_shape = (*other_shape[:at], inner, *other_shape[at + 1 :])
    S, A = both(values, coords, shape)
    T, B = both(others, other_coords, other_shape)
    same(A.dot(B), sparse(np.dot(S.toarray(), T.toarray())))
    same(A.dot(T.toarray()), np.dot(S.toarray(), T.toarray()))
    same(np.dot(S.toarray(), B), np.dot(S.toarray(), T.toarray()))
    left, right = (data.draw(st.permutations(range(x.ndim))) for x in (A, B))
    axes = [(i, j) for i, j in zip(left, right, strict=False) if A.shape[i] == B.shape[j]] or [(A.ndim - 1, at)]
    axes = tuple(map(list, zip(*axes, strict=True)))
    expected = np.tensordot(S.toarray(), T.toarray(), axes)
    same(A.tensordot(B, axes), sparse(expected) if expected.ndim else expected)
    same(A.tensordot(T.toarray(), axes), expected)
    same(np.tensordot(S.toarray(), B, axes), expected)
    try:
        expected = np.matmul(S.toarray(), T.toarray())
    except ValueError:
        for b in (B, T.toarray()):
            with pytest.raises(ValueError, match="broadcast"):
                A @ b
        return
    same(A @ B, sparse(expected))
    same(A @ T.toarray(), expected)
    same(S.toarray() @ B, expected)


STACKS = [
    ((3, 1, 4, 5), (2, 5, 2)),
    ((1, 4, 5), (3, 5, 2)),
    ((3, 4, 5), (1, 5, 2)),
    ((2, 1, 4, 5), (1, 3, 5, 2)),
    ((4, 5), (3, 5, 2)),
]


@pytest.mark.parametrize("left, right", STACKS)
def test_stacks_are_broadcast(cpu_only, left, right):
    (a, A), (b, B) = example(np, 1, left), example(np, 2, right)
    same(A @ B, sparse(a @ b))
    same(A @ b, a @ b)
    same(a @ B, a @ b)
    for axes in (([-1], [-2]), ([0, -1], [-3, -2]) if left[0] == right[-3] else 1 if left[-1] == right[0] else 0):
        same(np.tensordot(A, B, axes), sparse(np.tensordot(a, b, axes)))


def test_products_on_every_device(xp, to_numpy):
    dense, A = example(xp)
    other = np.random.default_rng(1).integers(-2, 3, (4, 5, 2)).astype(float)
    X = xp.asarray(other)
    same(A.tensordot(X, axes=([1, 2], [0, 1])), np.tensordot(dense, other, axes=([1, 2], [0, 1])))
    same(A.tensordot(coo_array(X), axes=([2, 1], [1, 0])), sparse(np.tensordot(dense, other, axes=([2, 1], [1, 0]))))
    same(A.tensordot(A, axes=([0, 1, 2], [0, 1, 2])), (dense * dense).sum())
    same(A @ X[0, :, :], dense @ other[0])
    same(X[:2, :, 0] @ A.transpose((1, 2, 0)), other[:2, :, 0] @ dense.transpose(1, 2, 0))
    for form in ("csr", "csc", "coo"):
        M = coo_array(X[0]).asformat(form)
        same(A @ M, sparse(dense @ other[0]))
        same(M.T @ A.mT, sparse(other[0].T @ dense.swapaxes(1, 2)))
        same(M.T.dot(A.mT), sparse(np.dot(other[0].T, dense.swapaxes(1, 2))))
    vector = coo_array(xp.arange(5.0))
    same(A @ vector, sparse(dense @ np.arange(5.0)))
    M = coo_array(X[0])
    same(M.tensordot(M, axes=([0, 1], [0, 1])), (other[0] ** 2).sum())
    same(M.T.tensordot(M, 1), sparse(other[0].T @ other[0]))
    same(M.dot(X[:2, :2]), np.dot(other[0], other[:2, :2]))


@as_scipys
def test_methods_on_every_device(xp, to_numpy):
    dense, A = example(xp)
    for name in ("T", "+ 0", "> 1", "F", "matrix", "back", "abs", "astype", "times", "flat"):
        same(UNARY[name](A), UNARY[name](sparse(dense)))
    same(A + A.copy(), sparse(dense + dense))
    same(A * xp.asarray(dense), sparse(dense * dense))
    same(A + xp.asarray(dense), dense + dense)
    for axis in (None, 1, (0, 2)):
        same(A.sum(axis=axis), dense.sum(axis=axis))
        found = A.max(axis=axis)
        same(found, sparse(dense.max(axis=axis)) if axis is not None else dense.max())
    assert to_numpy(A.argmax(axis=0)).tolist() == dense.argmax(axis=0).tolist()
    assert [to_numpy(x).tolist() for x in A.nonzero()] == [x.tolist() for x in dense.nonzero()]
    out = xp.zeros(dense.shape)
    assert A.toarray(out=out) is out
    np.testing.assert_array_equal(to_numpy(out), dense)
    same(pickle.loads(pickle.dumps(A)), sparse(dense))
    assert A.device == coo_array(xp.asarray([[1.0]])).device
    same(A.to_device("cpu"), sparse(dense))


def test_entries_are_kept_in_their_order_until_they_are_summed(xp, to_numpy):
    values, coords = DUPLICATES
    A = coo_array((xp.asarray(values), tuple(map(xp.asarray, coords))))
    assert (A.shape, A.nnz, A.size, A.ndim, A.has_canonical_format) == (SHAPE, 5, 5, 3, False)
    for B in (
        A,
        A.copy(),
        copy.copy(A),
        copy.deepcopy(A),
        operator.neg(-A),
        A * 1.0,
        A.T.T,
        A.reshape(-1).reshape(SHAPE),
        coo_array(A),
    ):
        assert to_numpy(B.data).tolist() == values
        assert [to_numpy(x).tolist() for x in B.coords] == [list(x) for x in coords]
    A.sum_duplicates()
    assert A.has_canonical_format
    assert [to_numpy(x).tolist() for x in (*A.coords, A.data)] == [[0, 1, 1], [2, 0, 1], [3, 4, 0], [3, 0, 2]]
    A.eliminate_zeros()
    assert to_numpy(A.data).tolist() == [3, 2]
    A.has_canonical_format = False
    assert A.has_canonical_format
    assert not A.T.has_canonical_format
    assert [to_numpy(x).tolist() for x in A.T.nonzero()] == [[0, 3], [1, 2], [1, 0]]


@as_scipys
@pytest.mark.parametrize("dtype", dtypes.each(DTYPES, "?D"))
def test_every_dtype(cpu_only, dtype):
    _, A = example(np, dtype=dtype)
    A.sum_duplicates()  # bools are summed by `or` first: see test_duplicates_that_overflow_are_summed_first
    S = A.to_scipy(copy=True)
    assert A.dtype == S.dtype == dtype
    with quiet():
        for name in ("times", "over", "astype", "> 1", "== 0", "T", "conj", "real", "imag", "abs"):
            if not (dtype.kind == "c" and name in ("> 1", "astype")):
                same(UNARY[name](A), UNARY[name](S))
        for name in ("add", "mul", "maximum", "ne", "truediv"):
            if not (dtype.kind == "c" and name in ("maximum", "truediv")):
                same(BINARY[name](A, A.copy()), BINARY[name](S, S.copy()))
        for axis in (None, 1, (0, 2)):
            same(A.sum(axis=axis), S.sum(axis=axis))
            same(A.mean(axis=axis), S.mean(axis=axis))
        same(A @ np.ones(5, dtype), S @ np.ones(5, dtype))
        same(A @ A.mT, S @ S.mT)


def test_what_an_array_is_made_of(xp, to_numpy):
    dense, A = example(xp)
    S = sparse(dense)
    for made in (coo_array(xp.asarray(dense)), coo_array(A), coo_array(A, copy=True), coo_array(S).to_device(A.device)):
        assert type(made) is coo_nd
        assert isinstance(made, coo_array)
        same(made, S)
    same(coo_array(dense.tolist()), S)
    same(coo_array((2, 3, 4)), sp.coo_array((2, 3, 4)))
    same(coo_array((2, 0, 4, 1), dtype="int8"), sp.coo_array((2, 0, 4, 1), dtype="int8"))
    same(coo_array((A.data, xp.stack([*A.coords])), shape=dense.shape, dtype="float32"), sparse(dense.astype("float32")))
    assert coo_array((A.data, A.coords)).shape == S.shape
    assert {x.dtype for x in A.coords} == {np.dtype(np.int32)}
    assert {x.dtype for x in coo_array((3, 2**31, 1)).coords} == {np.dtype(np.int64)}
    assert type(coo_array(xp.asarray(dense[0]))) is coo_array
    assert spark_csr.issparse(A)


def test_arrays_of_pydata(cpu_only):
    """Objects with what `sparse.COO` has, in place of the library; missing elements must be zeros."""
    x = types.SimpleNamespace(
        ndim=3, nnz=2, shape=(2, 1, 3), data=np.array([1.0, 2]), coords=np.array([[0, 1], [0, 0], [2, 1]])
    )
    x.to_scipy_sparse, x.fill_value = None, np.float64(0)
    assert coo_array(x).toarray().tolist() == [[[0, 0, 1]], [[0, 2, 0]]]
    x.fill_value = np.float64(1)
    with pytest.raises(TypeError, match="an array of 3 axes must be given by coordinates, with missing elements 0"):
        coo_array(x)


@pytest.mark.parametrize("empty", [[], [[]], [[[]]], [[], []], [[[], []]]], ids=str)
def test_empty_lists(cpu_only, empty):
    same(coo_array(empty), sp.coo_array(empty))


def test_values_are_shared_and_index_arrays_are_not(cpu_only):
    values, coords = np.array([1.0, 2]), tuple(np.array([0, 1]) for _ in range(3))
    A = coo_array((values, coords))
    assert np.shares_memory(A.data, values)
    assert not any(np.shares_memory(a, b) for a, b in zip(A.coords, coords, strict=True))
    assert not np.shares_memory(coo_array((values, coords), copy=True).data, values)
    S = A.to_scipy()
    assert np.shares_memory(S.data, values)
    assert not np.shares_memory(S.coords[0], A.coords[0])
    assert np.shares_memory(coo_array(S).data, values)
    assert np.shares_memory(A.T.data, values)
    assert not np.shares_memory(A.transpose(copy=True).data, values)
    assert not np.shares_memory(A.reshape(-1, 2, copy=True).data, values)
    M = A[0, 0, 0, None, None]
    assert not np.shares_memory(M.row, M.col)
    A.data[0] = 7
    assert A.toarray()[0, 0, 0] == 7
    A *= 2
    assert values.tolist() == [14, 4]
    with pytest.raises(ValueError, match="read-only"):
        A.coords[0][0] = 5


def test_attributes_can_be_set(xp, to_numpy):
    A = coo_array((xp.asarray([1.0, 2]), (xp.asarray([0, 1]),) * 3), shape=(2, 2, 3))
    assert A.has_canonical_format
    A.coords = ([1, 0], [0, 1], [2, 0])
    assert not A.has_canonical_format
    A.data = xp.asarray([5, 6])
    A.col = [1, 2]
    A.row = [1, 0]
    assert [to_numpy(x).tolist() for x in (A.row, A.col, A.data)] == [[1, 0], [1, 2], [5, 6]]
    assert (
        to_numpy(A.toarray()).tolist() == sp.coo_array(([5, 6], ([1, 0], [1, 0], [1, 2])), shape=(2, 2, 3)).toarray().tolist()
    )
    with pytest.raises(ValueError, match=r"coords\[2\] must lie in \[0, 3\), got coords\[2\]\[1\] = 3"):
        A.col = [0, 3]
    with pytest.raises(ValueError, match=r"2 index arrays were given for shape \(2, 2, 3\)"):
        A.coords = ([0, 1], [0, 1])
    with pytest.raises(ValueError, match=r"data must have shape \(2,\), got \(3,\)"):
        A.data = xp.asarray([1.0, 2, 3])


HUGE = (10**5, 10**5, 10**5)


def huge(xp):
    """Six entries, two of them duplicates."""
    at = np.array([[5, 99_999, 5, 0, 5, 7], [99_998, 1, 99_998, 0, 3, 99_998], [99_997, 2, 99_997, 1, 99_997, 99_997]])
    return coo_array((xp.arange(1.0, 7), tuple(map(xp.asarray, at))), shape=HUGE)


def test_huge_shapes_take_memory_for_their_entries_only(xp, to_numpy):
    """Of 10**15 elements, in which 10**10 rows would be too many."""
    A = huge(xp)
    assert (A.sum(), A.max(), (A + A).nnz, (A * A).sum(), A.argmax()) == (21, 6, 5, 97, 7 * 10**10 + 99_998 * 10**5 + 99_997)
    found = A.max(axis=2)
    assert found.shape == HUGE[:2]
    assert [to_numpy(x).tolist() for x in (*found.coords, found.data)] == [
        [0, 5, 5, 7, 99_999],
        [0, 3, 99_998, 99_998, 1],
        [4, 5, 4, 6, 2],
    ]
    assert [to_numpy(x).tolist() for x in A.min(axis=(0, 1), explicit=True).coords] == [[1, 2, 99_997]]
    assert (A[5].nnz, A[5].shape, A[5, 3:, ::-1].sum()) == (3, HUGE[1:], 9)
    assert to_numpy(A[[5, 99_999, 5, 8], [99_998, 1, 99_998, 0], [99_997, 2, 99_997, 1]].toarray()).tolist() == [4, 2, 4, 0]
    assert to_numpy(A[:, [99_998, 1]].tocoo().sum(axis=(0, 2))).tolist() == [10, 2]
    M = coo_array((xp.asarray([1.0, 2]), (xp.asarray([99_997, 2]), xp.asarray([0, 1]))), shape=(10**5, 3))
    product = A @ M
    assert (product.shape, product.sum(), product.nnz) == ((10**5, 10**5, 3), 1 + 3 + 5 + 6 + 4, 4)
    assert (A @ A.mT).sum() == 16 + 25 + 2 * 20 + 36 + 4 + 16
    assert A.tensordot(A, axes=([0, 1], [0, 1])).sum() == 16 + 25 + 36 + 4 + 16


def test_sizes_that_cannot_be_numbered_are_named(cpu_only):
    A = huge(np)
    B = coo_array((A.data, A.coords + A.coords), shape=HUGE * 2)
    assert (B.T.shape, (-B).nnz, B.has_canonical_format) == (HUGE * 2, 6, False)
    with pytest.raises(ValueError, match=rf"the {10**30} positions along axes of sizes \[100000, .* cannot be numbered"):
        B.sum_duplicates()
    with pytest.raises(ValueError, match="cannot be numbered in 64 bits"):
        B.reshape(10**15, 10**15)
    same(coo_array((np.ones(1), ([2], [0], [2**61])), shape=(4, 1, 2**62)).sum(axis=2), np.array([[0.0], [0], [1], [0]]))


def test_rows_are_numbered_anew_only_where_there_are_many(xp, monkeypatch):
    """The same results both ways."""
    monkeypatch.setattr(entries, "FEW", -1000)
    monkeypatch.setattr(module, "FEW", -1000)
    dense, A = example(xp)
    same(A.max(axis=0), sparse(dense.max(axis=0)))
    same(A[[0, 2], [1, 1]], sparse(dense[[0, 2], [1, 1]]))
    same(A + A, sparse(dense + dense))


REFUSALS = [
    (
        lambda A: A.tocsr(),
        ValueError,
        r"A.tocsr needs a matrix, and the array has shape \(3, 4, 5\): use A.reshape\(m, n\) first",
    ),
    (lambda A: csr_array(A), ValueError, "A.reshape"),
    (lambda A: spark_csr.hstack([A]), ValueError, "A.reshape"),
    (lambda A: spark_csr.linalg.norm(A), ValueError, "A.reshape"),
    (lambda A: spark_csr.graph.Graph(A), ValueError, "square"),
    (lambda A: A.to_scipy(matrix=True), ValueError, "A.reshape"),
    (lambda A: A.__setitem__((0, 0, 0), 1), ValueError, "to make another array"),
    (lambda A: A + 1, NotImplementedError, "nonzero scalar"),
    (lambda A: A + A.T, ValueError, r"inconsistent shapes: the array has shape \(3, 4, 5\), the operand \(5, 4, 3\)"),
    (lambda A: A.multiply(np.ones(5)), ValueError, "inconsistent shapes"),
    (lambda A: A < A.T, ValueError, "inconsistent shapes"),
    (lambda A: A**0, NotImplementedError, "zero power"),
    (lambda A: -(A != 0), NotImplementedError, "boolean"),
    (lambda A: A.maximum(object()), NotImplementedError, "unrecognized"),
    (lambda A: A @ np.ones(4), ValueError, r"dimension mismatch in @: .* \(3, 4, 5\) and \(4,\)"),
    (lambda A: A @ np.ones((2, 5, 1)), ValueError, r"not broadcastable: .* \(3, 4, 5\) and \(2, 5, 1\)"),
    (lambda A: A @ 2, ValueError, "scalar operands"),
    (lambda A: A.dot(object()), TypeError, "takes sparse and dense arrays, got coo_nd and object"),
    (lambda A: A.tensordot(A, 4), ValueError, "out of bounds"),
    (lambda A: A.tensordot(A, ([0], [1])), ValueError, "sizes of the corresponding axes must match"),
    (lambda A: A.tensordot(A, ([0], [3])), ValueError, "axis 3 is out of range"),
    (lambda A: A.tensordot(A, ([0],)), ValueError, "an integer or two lists"),
    (lambda A: A.sum(axis=3), ValueError, "axis 3 is out of range"),
    (lambda A: A.sum(axis=(0, 0)), ValueError, "duplicate"),
    (lambda A: A.sum(axis=()), ValueError, "0D axis"),
    (lambda A: A.sum(axis=1.5), TypeError, "axis"),
    (lambda A: A.max(axis=0, out=np.ones(1)), ValueError, "out"),
    (lambda A: A.transpose((0, 1)), ValueError, "each of the 3 axes once"),
    (lambda A: A.transpose((0, 0, 1)), ValueError, "duplicate"),
    (lambda A: A.reshape(7, 7), ValueError, "cannot reshape"),
    (lambda A: A.reshape(60, 1, order="K"), ValueError, "order must be"),
    (lambda A: A.toarray(order="K"), ValueError, "order must be"),
    (lambda A: bool(A), ValueError, "ambiguous"),
    (lambda A: len(A), TypeError, "ambiguous"),
    (lambda A: np.asarray(A), TypeError, "not a dense array"),
    (lambda A: np.cos(A), TypeError, "does not map 0 to 0"),
]


@pytest.mark.parametrize("number", range(len(REFUSALS)))
def test_refusals_say_what_to_do(cpu_only, number):
    call, error, words = REFUSALS[number]
    with pytest.raises(error, match=words):
        call(example(np)[1])


WRONG = [
    (([1.0], ([0], [-1], [0])), {}, r"coords\[1\] must be 0 or above, got coords\[1\]\[0\] = -1"),
    (([1.0], ([0], [-1], [0])), {"shape": (1, 2, 3)}, r"coords\[1\] must lie in \[0, 2\), got coords\[1\]\[0\] = -1"),
    (([1.0], ([0], [2], [0])), {"shape": (1, 2, 3)}, r"got coords\[1\]\[0\] = 2"),
    (([1.0], ([0], [0.5], [0])), {}, r"coords\[1\]\[0\] = 0.5"),
    (([1.0], ([0], [0, 1], [0])), {}, r"coords\[1\] and data must have equal length, got 2 and 1"),
    (([1.0], ([0], [0], [0])), {"shape": (1, 2)}, r"3 index arrays were given for shape \(1, 2\)"),
    (([], ([], [], [])), {}, r"cannot infer the shape .* give shape="),
    (([[1.0]], ([0], [0], [0])), {}, "data must be one-dimensional"),
    ((2, -3, 4), {}, "shape must not be negative"),
    ((2,) * 65, {}, "shape must be 1 to 64 integers"),
    (np.ones((1, 2, 3)), {"shape": (3, 2, 1)}, r"inconsistent shapes: shape \(3, 2, 1\) was asked for"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_entries_are_named(cpu_only, number):
    arg, options, words = WRONG[number]
    with pytest.raises(ValueError, match=words):
        coo_array(arg, **options)


def test_state_that_was_changed_is_refused(cpu_only):
    _, A = example(np)
    (coords, data, shape), others = A.__getstate__()
    with pytest.raises(ValueError, match=r"coords\[0\] must lie in"):
        coo_nd.__new__(coo_nd).__setstate__(((tuple(x + 9 for x in coords), data, shape), others))


SAME_FOR_ALL = {
    "T",
    "asformat",
    "flatten",
    "format",
    "maximum",
    "maxprint",
    "minimum",
    "ravel",
    "tensordot",
    "to_scipy",
    "todense",
}
"""Members that `coo_nd` has as `coo_array` defines them: they call others."""


def test_every_method_works_or_is_refused(cpu_only):
    """No method of matrices is inherited unseen."""
    own = {name for name in vars(coo_nd) if not name.startswith("_")}
    public = {name for name in dir(coo_array) if not name.startswith("_")}
    assert public - own == SAME_FOR_ALL
    assert set(module.REFUSED) <= set(vars(coo_nd))
    dense, A = example(np)
    for name in module.REFUSED:
        with pytest.raises(ValueError, match=rf"A.{name} needs a matrix, .*: use "):
            getattr(A, name)()
    same(A.todense(), dense)
    same(A.flatten(), sparse(dense.ravel()))
    same(A.ravel(order="F"), sparse(dense.ravel(order="F")))


def test_every_method_of_scipys_array_is_there():
    assert {name for name in dir(sp.coo_array) if not name.startswith("_")} <= set(dir(coo_nd))


def test_functions_of_numpy(xp, to_numpy):
    dense, A = example(xp)
    for name in ("sum", "mean", "max", "argmax", "count_nonzero", "std"):
        found = getattr(np, name)(A, axis=1)
        same(found.toarray() if spark_csr.issparse(found) else found, getattr(np, name)(dense, axis=1))
    same(np.transpose(A, (2, 0, 1)), sparse(dense.transpose(2, 0, 1)))
    same(np.reshape(A, (12, 5)), sparse(dense.reshape(12, 5)))
    same(np.take(A, [2, 0], axis=1), sparse(dense.take([2, 0], axis=1)))
    same(np.clip(A, -1, 1), sparse(dense.clip(-1, 1)))
    same(np.sin(A), sparse(np.sin(dense)))
    same(np.modf(A / 2)[0], sparse(np.modf(dense / 2)[0]))
    same(np.zeros_like(A), sparse(np.zeros_like(dense)))
    same(np.ones_like(A, shape=(1, 2, 2)), sparse(np.ones((1, 2, 2))))
    assert np.size(A) == 60
    assert np.array_equal(A, A.copy())
    assert to_numpy(np.any(A, axis=2)).tolist() == dense.any(axis=2).tolist()


def test_clipped_zeros_are_no_entries(xp):
    A = coo_array((xp.asarray([0.0, 5, -3]), (xp.asarray([0, 0, 1]), xp.asarray([1, 1, 2]), xp.asarray([3, 2, 0]))))
    clipped = np.clip(A, -1, 1)
    assert clipped.nnz == 2
    same(clipped, sparse(A.to_scipy().toarray().clip(-1, 1)))


def test_duplicates_that_overflow_are_summed_first(cpu_only):
    """The result is that of the dense array, in which 200 + 100 is 44."""
    A = coo_array((np.array([200, 100], np.uint8), ([1, 1], [0, 0], [2, 2])))
    assert A.toarray()[1, 0, 2] == 44
    for found in (A * 1.5, A * np.full(A.shape, 1.5), A / (2 / 3), A.astype(float) * 1.5):
        assert found.toarray()[1, 0, 2] == 66


def test_sums_are_written(cpu_only):
    A = coo_array((np.array([2.0**24, 1, 1], np.float32), ([0, 0, 1], [0, 1, 0], [1, 1, 1])))
    out = np.zeros(2)
    assert A.sum(axis=(0, 1), out=out) is out
    assert out.tolist() == [0, 2.0**24 + 2]
    assert A.sum(axis=(0, 1), dtype=np.float64).tolist() == out.tolist()
    with pytest.raises(ValueError, match=r"its shape is \(2,\), that of the result \(2, 2\)"):
        A.sum(axis=0, out=out)
    assert A.mean(axis=(0, 1), out=out).tolist() == [0, 2.0**22]


def test_arrays_of_other_shapes_are_not_equal(cpu_only):
    _, A = example(np)
    assert (A == A.T) is False
    assert (A != A.T) is True
    assert not np.array_equal(A, A.T)


def test_functions_of_scipy(cpu_only):
    dense, A = example(np)
    if hasattr(sp, "expand_dims"):
        same(spark_csr.swapaxes(A, 0, 2), sparse(dense.swapaxes(0, 2)))
        same(spark_csr.permute_dims(A, (1, 0, 2)), sparse(dense.transpose(1, 0, 2)))
        same(spark_csr.expand_dims(coo_array(dense[0]), axis=1), sparse(dense[0][:, None]))
    file = io.BytesIO()
    spark_csr.save_npz(file, A)
    file.seek(0)
    loaded = spark_csr.load_npz(file)
    assert type(loaded) is coo_nd
    same(loaded, sparse(dense))


def test_entries_of_one_array_are_combined_by_functions(cpu_only):
    A = coo_array(([3, 1], ([0, 1], [0, 0], [0, 1])), shape=(2, 1, 2))
    B = coo_array(([2, 5], ([0, 1], [0, 0], [0, 0])), shape=(2, 1, 2))
    assert A.ewise_add(B, "min").toarray().tolist() == [[[2, 0]], [[5, 1]]]
    assert A.ewise_mult(B, lambda a, b: a - b).toarray().tolist() == [[[1, 0]], [[0, 0]]]


def test_text(cpu_only):
    A = coo_array(DUPLICATES)
    assert repr(A) == "<coo_array of dtype 'float64' on cpu, shape (2, 3, 5), with 5 stored elements>"
    assert str(A).splitlines()[3:5] == ["  (0, 2, 3)\t1.0", "  (1, 1, 0)\t2.0"]
    assert "2 x 3 x 5" in A._repr_html_()
    A.maxprint = 2
    assert str(A).splitlines()[3:] == ["  (0, 2, 3)\t1.0", "  :\t:", "  (1, 0, 4)\t0.0"]


def test_half_precision(cpu_only):
    A = coo_array((np.array([1, 2], np.float16), ([0, 1], [0, 1], [0, 1])))
    assert A.to_scipy().dtype == np.float16
    assert coo_array(A.to_scipy()).toarray()[1, 1, 1] == 2
