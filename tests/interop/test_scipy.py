"""SciPy's matrices with the patch against the same matrices without it."""

import concurrent.futures
import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import types
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
from scipy.sparse import _sparsetools, csgraph

from spark_csr._cli import main
from spark_csr.csgraph import operands
from spark_csr.gallery import poisson
from spark_csr.interop import scipy as patches
from spark_csr.interop.scipy import _forms, _switch, patch, patched, report, unpatch

DTYPES = ("float64", "float32", "int64", "complex128")


@pytest.fixture(autouse=True)
def sizes(monkeypatch):
    """Everything is large enough, and nothing stays patched."""
    monkeypatch.setattr(_switch.STATE, "is_measured", True)
    monkeypatch.setattr(_forms, "NEAR", -1)
    for each in _switch.SUBSTITUTES.values():
        monkeypatch.setattr(each, "least", 0)
    yield
    unpatch()


def make(shape, seed, dtype="float64", index="int32", density=0.05):
    rng = np.random.default_rng(seed)
    A = sp.random_array(shape, density=density, rng=rng, data_sampler=lambda size: rng.integers(-9, 10, size)).tocsr()
    A.data = A.data.astype(dtype) + (1j if dtype.startswith("complex") else 0)
    A.indptr, A.indices = A.indptr.astype(index), A.indices.astype(index)
    return A


def counts():
    return sum(calls for calls, _ in report().values())


def with_duplicates(A):
    """Return the entries of a matrix, and some of them again behind these, as coordinates."""
    coo, again = A.tocoo(), slice(None, None, 3)
    data, *coords = (np.concatenate([x, x[again]]).astype(x.dtype) for x in (coo.data, *coo.coords))
    make_class = sp.coo_array if isinstance(A, sp.sparray) else sp.coo_matrix
    return make_class((data, tuple(coords)), A.shape)


CALLS = {
    "A @ x": lambda A, B, C: A @ np.arange(A.shape[1]).astype(A.dtype),
    "A @ integers": lambda A, B, C: A @ np.arange(A.shape[1]),
    "A @ X": lambda A, B, C: A @ np.arange(A.shape[1] * 3).reshape(-1, 3).astype(A.dtype),
    "A @ X by columns": lambda A, B, C: A @ np.arange(A.shape[1] * 3).reshape(3, -1).T.astype(A.dtype),
    "A @ X of one": lambda A, B, C: A @ np.ones((A.shape[1], 1), A.dtype),
    "A.T @ x": lambda A, B, C: A.T @ np.arange(A.shape[0]).astype(A.dtype),
    "A.T @ X": lambda A, B, C: A.T @ np.arange(A.shape[0] * 3).reshape(-1, 3).astype(A.dtype),
    "A.T @ X of many": lambda A, B, C: A.T @ np.arange(A.shape[0] * 17).reshape(-1, 17).astype(A.dtype),
    "A.T @ X by columns": lambda A, B, C: A.T @ np.arange(A.shape[0] * 16).reshape(16, -1).T.astype(A.dtype),
    "A.T @ X of integers": lambda A, B, C: A.T @ np.arange(A.shape[0] * 16).reshape(-1, 16),
    "x @ A": lambda A, B, C: np.ones(A.shape[0], A.dtype) @ A,
    "A @ C": lambda A, B, C: A @ C,
    "A.T @ A": lambda A, B, C: A.T @ A,
    "A @ A.T": lambda A, B, C: (A @ A.T).tocsc(),
    "A + B": lambda A, B, C: A + B,
    "A - B": lambda A, B, C: A - B,
    "multiply": lambda A, B, C: A.multiply(B),
    "!=": lambda A, B, C: A != B,
    "maximum": lambda A, B, C: A.maximum(B) if A.dtype.kind != "c" else A + B,
    "<": lambda A, B, C: A < B if A.dtype.kind != "c" else A + B,
    "tocsc": lambda A, B, C: A.tocsc(),
    "tocoo tocsr": lambda A, B, C: A.tocoo().tocsr(),
    "sum": lambda A, B, C: (A.tocsc().sum(axis=0), A.sum(axis=1)),
    "rows": lambda A, B, C: A[np.arange(A.shape[0])[::-2]],
    "slice": lambda A, B, C: A[3:-3],
    "mask": lambda A, B, C: A[np.arange(A.shape[0]) % 3 == 0],
    "eliminate_zeros": lambda A, B, C: A.eliminate_zeros() or A,
    "tocsr with duplicates": lambda A, B, C: with_duplicates(A).tocsr(),
    "tocsc with duplicates": lambda A, B, C: with_duplicates(A).tocsc(),
    "sum_duplicates": lambda A, B, C: sp.csr_array((A.data, A.indices // 2, A.indptr), A.shape).sum_duplicates() or A,
    "sort_indices": lambda A, B, C: (A @ C).sorted_indices(),
}


LEFT_TO_SCIPY = {"A.T @ x", "A.T @ X", "A + B", "A - B", "multiply", "!=", "maximum", "<", "rows", "mask", "eliminate_zeros"}
"""What may be computed by SciPy alone."""


def check_same(found, expected):
    if isinstance(expected, tuple):
        for x, y in zip(found, expected, strict=True):
            check_same(x, y)
        return
    assert (type(found), found.shape, found.dtype) == (type(expected), expected.shape, expected.dtype)
    if sp.issparse(expected):
        assert (found.nnz, found.format) == (expected.nnz, expected.format)
        if not isinstance(expected, sp.spmatrix):  # old matrices narrow int64 or not by what SciPy has not written yet
            assert found.indices.dtype == expected.indices.dtype
        found.check_format()
        found, expected = found.toarray(), expected.toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-6 if found.dtype in (np.float32, np.complex64) else 1e-14)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype, index", [*((dtype, "int32") for dtype in DTYPES), ("float64", "int64")])
def test_same_results(call, dtype, index):
    A, B, C = make((70, 50), 1, dtype, index), make((70, 50), 2, dtype, index), make((50, 40), 3, dtype, index)
    expected = CALLS[call](A.copy(), B, C)
    with patched():
        before = counts()
        check_same(CALLS[call](A.copy(), B, C), expected)
        assert counts() > before or call in LEFT_TO_SCIPY | {"x @ A", "sum_duplicates"}
    for make_class in (sp.csr_matrix, sp.csc_array):
        given = tuple(map(make_class, (A, B, C)))
        expected = CALLS[call](given[0].copy(), *given[1:]) if make_class is sp.csr_matrix or "dup" not in call else None
        if expected is not None:
            with patched():
                check_same(CALLS[call](given[0].copy(), *given[1:]), expected)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1), (300, 1), (1, 300)])
@pytest.mark.parametrize("call", CALLS)
def test_empty_and_thin(call, shape):
    A, C = make(shape, 1, density=0.5), make((shape[1], 4), 2, density=0.5)
    expected = CALLS[call](A.copy(), A, C)
    with patched():
        check_same(CALLS[call](A.copy(), A, C), expected)


def _unsorted(A):
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(A.indptr, A.indptr[1:], strict=False)])
    return sp.csr_array((A.data[order], A.indices[order], A.indptr), A.shape)


ODD = {
    "unsorted": _unsorted,
    "duplicates": lambda A: sp.csr_array((A.data, A.indices // 2 * 2, A.indptr), A.shape),
    "zeros": lambda A: sp.csr_array((A.data * (A.data > 0), A.indices, A.indptr), A.shape),
    "nan": lambda A: sp.csr_array((np.where(A.data > 5, np.nan, A.data), A.indices, A.indptr), A.shape),
    "infinite": lambda A: sp.csr_array((np.where(A.data > 5, np.inf, A.data), A.indices, A.indptr), A.shape),
    "longdouble": lambda A: A.astype(np.longdouble),
    "bool": lambda A: A.astype(bool),
    "int8": lambda A: A.astype(np.int8),
    "uint64": lambda A: abs(A).astype(np.uint64),
    "complex64": lambda A: A.astype(np.complex64),
    "big-endian": lambda A: _with(A, data=A.data.astype(">f8")),
    "read-only": lambda A: _read_only(A),
    "strided": lambda A: _with(A, data=np.repeat(A.data, 2)[::2], indices=np.repeat(A.indices, 2)[::2]),
    "slack": lambda A: _with(A, data=np.append(A.data, [7, 7]), indices=np.append(A.indices, [1, 1]).astype("i4")),
    "memmap": lambda A: _with(A, data=_mapped(A.data)),
    "mixed indices": lambda A: _with(A, indptr=A.indptr.astype(np.int64)),
    "a subclass": lambda A: _Sub(A),
}


class _Sub(sp.csr_array):
    def _matmul_vector(self, other):
        return 2 * super()._matmul_vector(other)


def _mapped(x):
    with tempfile.TemporaryFile() as file:
        mapped = np.memmap(file, x.dtype, "w+", shape=x.shape)
    mapped[:] = x
    return mapped


def _with(A, **arrays):
    A = A.copy()
    for name, x in arrays.items():
        setattr(A, name, x)
    return A


def _read_only(A):
    A = A.copy()
    for x in (A.data, A.indices, A.indptr):
        x.flags.writeable = False
    return A


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "call",
    ["A @ x", "A @ X", "A.T @ x", "A @ C", "A + B", "maximum", "tocsc", "tocsr with duplicates", "sum", "rows", "slice"],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_odd_operands_give_what_scipy_gives(odd, call):
    A, B, C = ODD[odd](make((60, 50), 1)), make((60, 50), 2), make((50, 40), 3)

    def run():
        try:
            return CALLS[call](A, B, C)
        except Exception as error:
            return type(error)

    expected = run()
    with patched():
        found = run()
    if isinstance(expected, type):
        assert found is expected
    else:
        check_same(found, expected)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_graphs(monkeypatch, form):
    monkeypatch.setattr(operands, "FEW", 0)
    A = abs(make((60, 60), 1)).asformat(form)
    calls = [
        lambda: csgraph.connected_components(A),
        lambda: csgraph.connected_components(A, connection="strong"),
        lambda: csgraph.connected_components(A, directed=False, return_labels=False),
        lambda: csgraph.dijkstra(A),
        lambda: csgraph.dijkstra(A, directed=False, indices=[3, -1], limit=9),
        lambda: csgraph.dijkstra(A, indices=3, min_only=True, unweighted=True),
        lambda: csgraph.dijkstra(A, indices=3, return_predecessors=True),
        lambda: csgraph.shortest_path(csgraph=A, indices=2),
        lambda: csgraph.shortest_path(A, method="BF"),
        lambda: csgraph.dijkstra(A.toarray(), indices=1),
    ]
    expected = [call() for call in calls]
    with patched():
        before = report()
        found = [call() for call in calls]
    check_same(tuple(map(np.concatenate, map(_flat, found))), tuple(map(np.concatenate, map(_flat, expected))))
    after = report()
    names = "connected_components", "dijkstra", "shortest_path"
    assert [after[name][0] - before[name][0] for name in names] == [2, 3, 1]


def _flat(x):
    return [np.ravel(part) for part in (x if isinstance(x, tuple) else (x,))]


@pytest.mark.parametrize("columns", [8, 20])
def test_csc_matrices_are_kept_by_rows_and_compared(columns, monkeypatch):
    products = patches._products
    monkeypatch.setattr(products, "_kept", {})
    A, X = make((80, 60), 1).tocsc(), np.arange(60.0 * columns).reshape(60, columns)
    Y = np.arange(80.0 * columns).reshape(80, columns)
    with patched():
        for times in range(3):
            np.testing.assert_allclose(A @ X, A.toarray() @ X)
            assert len(products._kept) == 1
            (kept,) = products._kept.values()
            assert (kept.turned is None) == (columns == 8 and times == 0)
        np.testing.assert_allclose(A.T.T @ X, A.toarray() @ X)  # whose arrays are other views of the same memory
        assert products._kept == dict.fromkeys(products._kept, kept)
        for change in (A.indices[:].fill, A.indptr[1:30].fill, A.data[:].fill):
            change(2)
            for _ in range(2):
                np.testing.assert_allclose(A @ X, sp.csc_array(A.toarray()) @ X)
        del change, kept
        others = [make((80, 60), seed) for seed in range(2 * products.MATRICES)]
        for B in others:
            np.testing.assert_allclose(B.T @ Y, B.toarray().T @ Y)
            assert len(products._kept) <= products.MATRICES
        del A, B, others
        assert not products._kept


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
def test_what_is_written_into_csc_matrices_is_seen(dtype, monkeypatch):
    """After that, the first products with few vectors are SciPy's again."""
    products = patches._products
    monkeypatch.setattr(products, "_kept", {})
    A = make((80, 60), 1).astype(dtype).tocsc()
    X = np.arange(60 * products.MANY).reshape(60, -1).astype(dtype)

    def count():
        before = report()["_matmul_multivector"][0]
        np.testing.assert_allclose(A @ X, sp.csc_array(A.toarray()) @ X, rtol=1e-5)
        return report()["_matmul_multivector"][0] - before

    with patched():
        assert [count() for _ in range(4)] == [0, 1, 1, 1]
        for change in (A.data[3:5].fill, A.indices[:2].fill, A.indptr[1:30].fill):
            change(1)
            assert [count() for _ in range(4)] == [0, 0, 1, 1]
        A.data = A.data.copy()
        assert count() == 1, "the same numbers in another array"


def test_what_another_thread_writes_while_a_csc_matrix_is_copied_is_not_kept(monkeypatch):
    """Nobody else can write into what is copied: `transpose` counts entries first, and then writes where it counted."""
    products = patches._products
    A, X, copy = make((80, 60), 1).tocsc(), np.ones((60, 20)), products.transpose
    expected = A.toarray() @ X

    def write_and_copy(record):
        assert not any(np.shares_memory(a, b) for a in record.arrays for b in (A.indptr, A.indices, A.data))
        A.data *= 2
        return copy(record)

    monkeypatch.setattr(products, "transpose", write_and_copy)
    monkeypatch.setattr(products, "_kept", {})
    with patched():
        np.testing.assert_allclose(A @ X, expected)
        A.data /= 2
        np.testing.assert_allclose(A @ X, expected)


def test_csc_matrices_and_few_vectors_are_scipys():
    A, before = make((80, 60), 1).tocsc(), report()["_matmul_multivector"][0]
    with patched():
        for columns in (2, patches._products.MANY - 1):
            for _ in range(4):
                A @ np.ones((60, columns))
    assert report()["_matmul_multivector"][0] == before


def test_columns_of_csc_matrices_are_checked():
    A, X = make((80, 60), 1).tocsc(), np.ones((60, 20))
    A.indices[3] = 10**6
    with pytest.raises(_switch.Unfit, match="an index is out of range"):
        patches._products.multiply_vectors(A, X)


def system(dtype="float64"):
    A = poisson((12, 15)).to_scipy().astype(dtype)
    return A, np.random.default_rng(0).standard_normal(180).astype(dtype)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rtol": 1e-10, "x0": np.linspace(0, 1, 180)},
        {"maxiter": 5},
        {"atol": 1, "rtol": 0},
        {"M": scipy.sparse.linalg.aslinearoperator(sp.diags_array(np.linspace(0.2, 0.3, 180)))},
        {"x0": "Mb"},
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_cg(dtype, options):
    A, b = system(dtype)
    expected = scipy.sparse.linalg.cg(A, b, **options)
    for form in (sp.csr_array, sp.csr_matrix):
        before = report()["cg"][0]
        with patched():
            x, info = scipy.sparse.linalg.cg(form(A), b, **options)
        assert (x.dtype, x.shape, info) == (expected[0].dtype, expected[0].shape, expected[1])
        np.testing.assert_allclose(x, expected[0], rtol=1e-9, atol=1e-3 if x.dtype == np.float32 else 1e-9)
        assert report()["cg"][0] - before == (dtype == "float64" or "M" not in options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rtol": 1e-10, "x0": np.linspace(0, 1, 180)},
        {"maxiter": 2, "restart": 5},
        {"atol": 1, "rtol": 0},
        {"restart": 500},
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gmres(monkeypatch, dtype, options):
    A, b = system(dtype)
    expected = scipy.sparse.linalg.gmres(A, b, **options)
    monkeypatch.setattr("spark_csr.linalg.gradients.LONG", 0)
    before = report()["gmres"][0]
    with patched():
        x, info = scipy.sparse.linalg.gmres(A, b, **options)
    assert (x.dtype, x.shape, info) == (expected[0].dtype, expected[0].shape, expected[1])
    np.testing.assert_allclose(x, expected[0], rtol=1e-6, atol=1e-3 if x.dtype == np.float32 else 1e-7)
    assert report()["gmres"][0] == before + 1


@pytest.mark.parametrize("options", [{"M": sp.eye_array(180)}, {"callback_type": "x"}, {"maxiter": 0}, {"restart": 0}, {}])
def test_gmres_of_scipy(monkeypatch, options):
    A, b = system()
    if options:
        monkeypatch.setattr("spark_csr.linalg.gradients.LONG", 0)
    before = report()["gmres"][0]
    with patched(), contextlib.suppress(UnboundLocalError, IndexError, ValueError):
        scipy.sparse.linalg.gmres(A, b, **options)
    assert report()["gmres"][0] == before


def test_the_last_iteration_of_cg_is_not_looked_at():
    A, b = sp.csr_array(2 * np.eye(40)), np.ones(40)
    with patched():
        assert [scipy.sparse.linalg.cg(A, b, maxiter=limit)[1] for limit in (1, 2)] == [1, 0]


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"callback": lambda x: None}, "a callback is given"),
        ({"rtol": 0.0}, "the tolerance or the right-hand side is 0, or not in range"),
        ({"M": sp.eye_array(180, dtype="float32")}, "the dtypes of a system of float32 or float64 differ"),
        ({"atol": np.float64(-1)}, "a tolerance is not a non-negative number"),
    ],
)
def test_systems_that_scipy_solves(options, reason):
    A, b = system()
    before = report()["cg"][1].get(reason, 0)
    with patched(), contextlib.suppress(ValueError), warnings.catch_warnings(action="ignore"):
        scipy.sparse.linalg.cg(A, b, maxiter=5, **options)
    assert report()["cg"][1][reason] == before + 1


@pytest.mark.parametrize("long", [0, 10**9])
@pytest.mark.parametrize(
    "dtype, size, options",
    [("f", 1e20, {}), ("d", 1e160, {}), ("d", 0, {"x0": np.ones(180), "atol": 1e-8}), ("d", 1, {"atol": 1e300})],
)
def test_right_sides_out_of_range(monkeypatch, dtype, size, options, long):
    monkeypatch.setattr("spark_csr.linalg.gradients.LONG", long)
    A, b = system(dtype)
    with np.errstate(all="ignore"):
        expected = scipy.sparse.linalg.cg(A, b * b.dtype.type(size), **options)
        with patched():
            found = scipy.sparse.linalg.cg(A, b * b.dtype.type(size), **options)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
    assert found[1] == expected[1]


def test_what_breaks_down_is_solved_by_scipy():
    A, b = sp.csr_array(np.array([[0.0, 1], [1, 0]])), np.array([1.0, 0])
    with np.errstate(all="ignore"):
        expected = scipy.sparse.linalg.cg(A, b)
        with patched():
            found = scipy.sparse.linalg.cg(A, b)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1] == expected[1] == 20


def test_arrays_may_be_written_between_two_calls():
    A, x = make((80, 80), 1), np.arange(80.0)
    with patched():
        for change in (lambda: A.data.fill(2), lambda: A.indices.fill(3), lambda: A.indptr.__setitem__(slice(1, 40), 0)):
            before = A @ x
            change()
            assert not np.array_equal(A @ x, before)
            np.testing.assert_allclose(A @ x, sp.csr_array(A.toarray()) @ x)


@pytest.mark.parametrize("place, value", [(3, 10**6), (3, -4), (0, 1), (-1, 10**6), (40, 0)])
def test_offsets_out_of_order_are_left_to_scipy(place, value):
    A = make((80, 80), 1)
    A.indptr[place] = value
    args = A.indptr, A.indices, A.data, np.ones(80), np.empty(80)
    with patched():
        substitute = _switch.SUBSTITUTES["_cs_matrix._matmul_vector"]
        with pytest.raises(_switch.Unfit, match="does not ascend|too short|fewer"):
            patches._products.multiply_rows(types.SimpleNamespace(arrays=args[:3]), *args[3:])
        assert substitute.least == 0


def test_columns_out_of_range_are_not_read():
    A = make((80, 80), 1)
    A.indices[5] = 10**6
    with pytest.raises(_switch.Unfit, match="an index is out of range"):
        patches._forms.transpose(80, 80, A.indptr, A.indices, A.data, A.indptr.copy(), A.indices.copy(), A.data.copy())
    with pytest.raises(_switch.Unfit, match="an index is out of range"):
        patches._products.count_entries_of_product(80, 80, A.indptr, A.indices, A.indptr, A.indices)
    for axis in (0, 1):
        coo = make((80, 80), 1).tocoo()
        coo.coords[axis][5] = -4
        with pytest.raises(_switch.Unfit, match="an index is out of range"):
            patches._forms.sum_by_rows(coo)


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_duplicates_of_a_matrix_that_is_called_canonical_stay(order):
    coo = with_duplicates(make((80, 80), 1))
    coo.data, coo.coords = coo.data[order], tuple(x[order] for x in coo.coords)
    coo.has_canonical_format = True
    expected = coo.tocsr()
    with patched():
        found = coo.tocsr()
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_duplicates_are_summed_into_new_arrays():
    for A in (make((80, 80), 1), make((80, 80), 1, index="int64")):
        coo = with_duplicates(A)
        # of entries that come sorted, copies are made
        for order in (slice(None), slice(None, None, -1), np.lexsort(coo.coords[::-1])):
            given = sp.coo_array((coo.data[order], tuple(x[order] for x in coo.coords)), A.shape)
            expected, before = given.tocsr(), [x.copy() for x in (given.data, *given.coords)]
            with patched():
                calls = report()["tocsr"][0]
                found = given.tocsr()
                assert report()["tocsr"][0] == calls + 1
            check_same(found, expected)
            assert found.has_canonical_format
            for name in ("indptr", "indices"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
            for x in (found.data, found.indices, found.indptr):
                x[:] = 0
            for x, old in zip((given.data, *given.coords), before, strict=True):
                np.testing.assert_array_equal(x, old)


def test_entries_that_stay_near_each_other_are_left_to_scipy(monkeypatch):
    monkeypatch.setattr(_forms, "NEAR", 100)
    with patched():
        for width, computed in ((80, 0), (1000, 1)):
            A, before = make((40, width), 1), report()["csr_tocsc"][0]
            A.tocsc()
            assert report()["csr_tocsc"][0] - before == computed


def test_switch():
    original, method = _sparsetools.csr_tocsc, sp._compressed._cs_matrix._matmul_vector
    held = types.ModuleType("a_module_that_imports_it")
    held.csr_tocsc = original
    sys.modules[held.__name__] = held
    try:
        with patched():
            substitute = _sparsetools.csr_tocsc
            assert substitute is not original
            assert held.csr_tocsc is substitute is sp._csr.csr_tocsc
            held.later = substitute
            patch()
            with patched():
                pass
            assert _sparsetools.csr_tocsc is substitute
        assert _sparsetools.csr_tocsc is substitute, "patch() stays on after the block"
        unpatch()
        assert held.csr_tocsc is held.later is _sparsetools.csr_tocsc is sp._csr.csr_tocsc is original
        assert sp._compressed._cs_matrix._matmul_vector is method
        with patched():
            unpatch()
            assert _sparsetools.csr_tocsc is substitute
        assert _sparsetools.csr_tocsc is original
        before = counts()
        A = make((30, 30), 1)
        substitute(30, 30, A.indptr, A.indices, A.data, *(x.copy() for x in (A.indptr, A.indices, A.data)))
        assert counts() == before, "a substitute that somebody has kept calls SciPy's function"
    finally:
        del sys.modules[held.__name__]


def test_small_calls_are_left_to_scipy(monkeypatch):
    for each in _switch.SUBSTITUTES.values():
        monkeypatch.setattr(each, "least", 10**9)
    with patched():
        before = counts()
        make((30, 30), 1) @ np.ones(30)
        assert counts() == before


def test_the_size_that_pays_is_measured_once(monkeypatch):
    monkeypatch.setattr(_switch.STATE, "is_measured", False)
    monkeypatch.setattr(_switch, "FLOOR", 64)
    monkeypatch.setattr(_switch, "CEILING", 256)
    with patched():
        make((30, 30), 1) @ np.ones(30)
    assert _switch.STATE.is_measured
    for each in _switch.SUBSTITUTES.values():
        assert 64 <= each.least / each.factor <= 256


def test_report():
    with patched():
        A = make((30, 30), 1)
        calls, _ = report()["csr_tocsc"]
        A.tocsc()
        A.astype(np.longdouble).tocsc()
        table = report()
    assert table["csr_tocsc"][0] == calls + 1
    assert table["csr_tocsc"][1][f"dtype {np.dtype(np.longdouble)}"] >= 1
    assert "csr_tocsc" in str(table)
    assert str(table).startswith("not patched") or str(table).startswith("patched")


def test_a_scipy_without_a_function_or_with_another():
    made = dict(_switch.SUBSTITUTES)
    _switch.replaces("csr_to_nowhere", lambda: 0, 1)(lambda: 0)
    _switch.replaces("csr_tocsc", lambda: 0, 1)(lambda M, N, Ap: 0)
    _switch.replaces("_matmul_vector", lambda: 0, 1, sp._compressed._cs_matrix)(lambda matrix: 0)
    try:
        assert made == _switch.SUBSTITUTES
        assert list(_switch.ABSENT) == ["csr_to_nowhere", "csr_tocsc", "_matmul_vector"]
        assert "not replaced: this SciPy's takes other arguments" in str(report())
    finally:
        _switch.ABSENT.clear()


def test_threads_and_pickles():
    A, X = make((300, 300), 1), np.random.default_rng(0).random((8, 300))
    expected = [((A @ A) @ x).tolist() for x in X]
    with patched(), concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert np.allclose(list(pool.map(lambda x: (A @ A) @ x, X)), expected)
        check_same(pickle.loads(pickle.dumps(A)), A)


IMPORTS = ["import scipy.sparse as sp", "from spark_csr.interop.scipy import report"]

PROGRAM = """
import atexit, os, pickle, sys, subprocess
{imports}
import numpy as np

class Held:
    pass

place = __file__
atexit.register(lambda: print(type(pickle.loads(pickle.dumps(Held()))) is Held, os.path.isabs(place), flush=True))
sp.eye_array(9, format="csr") @ np.ones(9)
print(sys.argv[1:], report()["_matmul_vector"][0], flush=True)
if "child" not in sys.argv:
    subprocess.run([sys.executable, __file__, "child"], check=True)
"""


@pytest.mark.parametrize("as_module", [False, True])
def test_programs(tmp_path, as_module):
    """A script or module is what Python makes of it, also at its end; so are processes that it starts, and a sitecustomize."""
    imports = IMPORTS[::-1] if as_module else IMPORTS
    (tmp_path / "program.py").write_text(PROGRAM.replace("{imports}", "\n".join(imports)))
    (tmp_path / "sitecustomize.py").write_text("print('mine', flush=True)")
    what = ["-m", "program"] if as_module else ["program.py"]
    env = {**os.environ, "SPARK_CSR_PATCH_FROM": "0"}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(tmp_path), env.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "spark_csr", "run", *what, "-x", "1"]
    found = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout
    last = "True True"
    assert found.split("\n") == ["mine", "mine", "['-x', '1'] 1", "mine", "['child'] 1", last, last, ""]


@pytest.mark.parametrize("given, found", [({}, "20"), ({"OPENBLAS_THREAD_TIMEOUT": "24"}, "24")])
def test_threads_of_openblas_wait_less_in_programs(tmp_path, given, found):
    (tmp_path / "program.py").write_text("import os; print(os.environ['OPENBLAS_THREAD_TIMEOUT'])")
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"} | given
    command = [sys.executable, "-m", "spark_csr", "run", str(tmp_path / "program.py")]
    assert subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split() == [found]


def test_a_number_of_entries_that_is_none():
    env = {**os.environ, "SPARK_CSR_PATCH_FROM": "many"}
    found = subprocess.run(
        [sys.executable, "-c", "import spark_csr.interop.scipy as s; s.patch()"], env=env, capture_output=True, text=True
    )
    assert "SPARK_CSR_PATCH_FROM must be a number of entries, got 'many'" in found.stderr


BESIDE = """
import faulthandler, importlib.util, multiprocessing
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import scipy.sparse as sp
from spark_csr.interop.scipy import patch, report

faulthandler.dump_traceback_later(200, exit=True)  # threads that wait for each other
patch()
A = sp.random_array((20_000, 20_000), density=4e-4, rng=np.random.default_rng(0), format="csr")
x, D = np.ones(20_000), np.random.default_rng(1).random((300, 300))
expected, dense = A @ x, D @ D

def multiply(_):
    return np.allclose(A @ x, expected) and np.allclose((A @ np.c_[x, x])[:, 1], expected)

def multiply_dense(number):  # by BLAS and its threads
    return all(multiply(number) and np.allclose(D @ D, dense) for _ in range(20))

def cluster(number):  # by OpenMP
    from sklearn.cluster import KMeans
    return KMeans(2, n_init=1, max_iter=5, random_state=0).fit(A[:2000]).labels_.size == 2000 and multiply(number)

if __name__ == "__main__":
    with ThreadPoolExecutor(8) as pool:
        print(all(pool.map(multiply_dense, range(8))))
        if importlib.util.find_spec("sklearn"):
            assert all(pool.map(cluster, range(8)))
    for method in {"fork", "spawn"} & set(multiprocessing.get_all_start_methods()):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(all(pool.map(multiply, range(4))))
    if importlib.util.find_spec("joblib"):
        from joblib import Parallel, delayed
        for backend in ("loky", "threading"):
            assert all(Parallel(2, backend=backend)(delayed(multiply)(k) for k in range(4)))
    assert multiply(0) and report()["_matmul_vector"][0] > 100
"""


def test_beside_threads_and_processes_of_others(tmp_path):
    """Threads of Python, of BLAS and of OpenMP, and processes that are forked or started anew: none waits for another."""
    (tmp_path / "program.py").write_text(BESIDE)
    env = {**os.environ, "SPARK_CSR_PATCH_FROM": "0"}
    command = [sys.executable, "-W", "ignore", "program.py"]
    found = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (found.returncode, set(found.stdout.split())) == (0, {"True"}), found.stderr


def test_programs_that_are_not_there(capsys, monkeypatch):
    assert main(["run"]) == main(["run", "-m"]) == main(["run", "no_such_file.py"]) == 2
    assert "there is no file no_such_file.py" in capsys.readouterr().err
    monkeypatch.setattr(sys, "flags", types.SimpleNamespace(ignore_environment=1, no_site=0))
    assert main(["run", __file__]) == 2
    assert "the options -E, -I and -S of Python hide the patch" in capsys.readouterr().err


def test_ipython():
    import spark_csr

    spark_csr.load_ipython_extension(None)
    assert _switch.STATE.on
    spark_csr.unload_ipython_extension(None)
    assert not _switch.STATE.on
