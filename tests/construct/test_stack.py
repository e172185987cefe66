"""Stacking against SciPy, of every form of operand."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import battery
from spark_csr import block_array, block_diag, csr_array, hstack, vstack
from spark_csr._array import SIMULATED
from spark_csr._operations.compose import stack

A = np.array([[1.0, 0, 2], [0, 3, 0]])
B = np.array([[0.0, 4, 0], [5, 0, 6]])
V = np.array([7.0, 0, 8])


@pytest.fixture(params=[0] if SIMULATED else [10**9, 0], autouse=True)
def few(request, monkeypatch):
    monkeypatch.setattr(stack, "FEW", request.param)
    monkeypatch.setattr(stack, "MANY", 10**9)


def forms(xp, dense):
    """One matrix in all the forms that are taken."""
    ours = csr_array(xp.asarray(dense))
    return [
        ours,
        ours.tocsc(),
        ours.tocoo(),
        xp.asarray(dense),
        *((sp.csr_array(dense), sp.csc_array(dense)) if xp is np else ()),
    ]


def both(name, blocks, **options):
    """What SciPy makes of the same dense blocks."""
    return getattr(sp, name)([sp.coo_array(x) for x in blocks], **options)


@pytest.mark.parametrize("function", [hstack, vstack, block_diag], ids=lambda f: f.__name__)
def test_all_forms_beside_each_other(xp, to_numpy, function):
    for left in forms(xp, A)[: 1 if SIMULATED else None]:
        for right in forms(xp, B)[: 2 if SIMULATED else None]:
            got, expected = function([left, right, left]), both(function.__name__, [A, B, A])
            formats = {getattr(x, "format", "dense") for x in (left, right)}
            assert got.format == ("coo" if function is block_diag else "csc" if formats == {"csc"} else "csr")
            assert (got.shape, got.dtype, got.nnz) == (expected.shape, expected.dtype, expected.nnz)
            np.testing.assert_array_equal(to_numpy(got.toarray()), expected.toarray())


@pytest.mark.parametrize("name", ["0x0", "unsorted"] if SIMULATED else battery.FINITE)
def test_battery(xp, to_numpy, name):
    M = battery.build(xp, name)
    dense = to_numpy(M.toarray())
    for matrix in (M, M.T):
        expected = dense if matrix is M else dense.T
        for function, wanted in ((hstack, np.hstack), (vstack, np.vstack)):
            got = function([matrix, matrix, matrix])
            assert got.nnz == 3 * M.nnz
            got.check_format()
            np.testing.assert_array_equal(to_numpy(got.toarray()), wanted([expected] * 3))


@pytest.mark.parametrize("dtypes", ["ef", "iD", "?b", "bB", "fd", "fF", "lQ"][: 2 if SIMULATED else None])
def test_dtypes_are_joined_as_numpy_joins_them(xp, to_numpy, dtypes):
    blocks = [csr_array(xp.asarray(np.array([[1, 0, 1]]).astype(code))) for code in dtypes]
    for function in (hstack, vstack, block_diag):
        assert function(blocks).dtype == np.result_type(*dtypes)
        assert function(blocks, dtype="complex64").dtype == np.complex64
        assert to_numpy(function(blocks).toarray()).sum() == 4


@pytest.mark.parametrize(
    "layout",
    [
        [["A", None], [None, "B"]],
        [["A", "B"], [None, "A"]],
        [[None, "A", None], ["B", None, None]],
        [["A", None]],
        [[None], ["A"]],
        [["A", "B", "A"], ["B", "B", None], [None, None, None]],
        [["A", "E"], ["B", None]],
        [[None, None]],
    ],
)
def test_blocks_with_gaps(xp, to_numpy, layout):
    dense = {"A": A, "B": B, "E": np.zeros((2, 0))}
    make = [lambda x: csr_array(xp.asarray(x)), lambda x: csr_array(xp.asarray(x)).tocsc()]
    expected = sp.block_array([[None if x is None else sp.coo_array(dense[x]) for x in row] for row in layout])
    for of in make[: 1 if SIMULATED else 2]:
        got = block_array([[None if x is None else of(dense[x]) for x in row] for row in layout])
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(to_numpy(got.toarray()), expected.toarray())


@pytest.mark.parametrize("function", [hstack, vstack, block_diag], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [None, np.float32])
def test_many_small_ones(xp, to_numpy, monkeypatch, function, dtype):
    """At once the same as one by one; those without entries and rows among them."""
    shapes = {hstack: [(2, 3), (2, 0), (2, 1)], vstack: [(2, 3), (0, 3), (1, 3)], block_diag: [(2, 3), (0, 2), (2, 0), (1, 1)]}
    rng = np.random.default_rng(0)
    blocks = [csr_array(xp.asarray(rng.integers(-1, 2, shape))) for shape in 3 * shapes[function]]
    blocks.append(battery.build(xp, "unsorted")[: 3 if function is vstack else 2, :3])
    one_by_one = function(blocks, dtype=dtype)
    monkeypatch.setattr(stack, "MANY", 2)
    got = function(blocks, dtype=dtype)
    assert (got.shape, got.dtype) == (one_by_one.shape, one_by_one.dtype)
    for x, wanted in zip(got._csr.arrays, one_by_one._csr.arrays, strict=True):
        assert x.dtype == wanted.dtype
        np.testing.assert_array_equal(to_numpy(x), to_numpy(wanted))


def test_dense_ones_on_the_diagonal(xp, to_numpy):
    dense = [A, V, np.zeros((0, 2)), np.ones((2, 0)), B.astype(np.float32), np.array([[1, -0.0], [np.nan, 2j]])]
    got, expected = block_diag([xp.asarray(x) for x in dense]), sp.block_diag([sp.coo_array(x) for x in dense])
    assert (got.format, got.shape, got.dtype, got.nnz) == ("coo", expected.shape, expected.dtype, expected.nnz)
    np.testing.assert_array_equal(to_numpy(got.toarray()), expected.toarray())


def test_vectors_count_as_rows(xp, to_numpy):
    ours, theirs = csr_array(xp.asarray(V)), sp.coo_array(V)
    for name, blocks in (("hstack", 2), ("vstack", 3), ("block_diag", 2)):
        got, expected = globals()[name]([ours] * blocks), getattr(sp, name)([theirs] * blocks)
        assert got.shape == expected.shape
        np.testing.assert_array_equal(to_numpy(got.toarray()), expected.toarray())


def test_numbers_on_the_diagonal():
    blocks = [sp.csr_array(A), 3, np.float64(2), [1, 0], [[1, 2]], B]
    got, expected = block_diag(blocks), sp.block_diag(blocks)
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(got.toarray(), expected.toarray())


M, N = csr_array(A), sp.csr_array(A)
WRONG = [
    ("hstack", [[1, 2]]),
    ("vstack", [[]]),
    ("block_array", [[]]),
    ("block_diag", [[]]),
    ("hstack", ["M"]),
    ("block_array", [["M", "M"]]),
    ("block_array", [[["M"], ["M", "M"]]]),
    ("vstack", [["M", "T"]]),
    ("hstack", [["M", "T"]]),
    ("block_array", [[["M", "M"], ["M", "T"]]]),
    ("hstack", [["M", "M"], "rcs"]),
]


def _filled(x, matrices):
    if isinstance(x, list):
        return [_filled(y, matrices) for y in x]
    return matrices.get(x, x) if isinstance(x, str) else x


@pytest.mark.parametrize("name, arguments", WRONG)
def test_what_scipy_refuses(name, arguments):
    theirs = [_filled(x, {"M": N, "T": N.T.tocsr()}) for x in arguments]
    ours = [_filled(x, {"M": M, "T": M.T.tocsr()}) for x in arguments]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dense blocks will give another class
        with pytest.raises(ValueError):  # noqa: PT011
            getattr(sp, name)(*theirs)
    with pytest.raises(ValueError, match="block|format"):
        globals()[name](*ours)


def test_the_block_that_does_not_fit_is_named():
    with pytest.raises(ValueError, match=r"block \(1, 0\) has shape \(3, 2\), but it needs 3 columns"):
        vstack([M, M.T.tocsr()])
    with pytest.raises(ValueError, match=r"block \(0, 1\) has shape \(3, 2\), but it needs 2 rows"):
        hstack([M.tocsc(), M.T])
    with pytest.raises(ValueError, match="but it needs 2 rows"):
        hstack([M, csr_array((0, 2))])


def test_operands_are_only_read(xp, to_numpy):
    M = battery.build(xp, "unsorted")
    before = [to_numpy(x).copy() for x in M._csr.arrays]
    for function in (hstack, vstack, block_diag):
        function([M, M]).data[...] = 0
        function([M]).data[...] = 0
    assert all(np.array_equal(to_numpy(x), y) for x, y in zip(M._csr.arrays, before, strict=True))


def test_columns_beyond_32_bits():
    wide = csr_array((np.ones(2), ([0, 1], [2**40, 3])), shape=(2, 2**41))
    got = hstack([wide, csr_array(A), wide])
    assert got.indices.tolist() == [2**40, 2**41, 2**41 + 2, 2**41 + 3 + 2**40, 3, 2**41 + 1, 2**41 + 6]
    assert got.shape == (2, 2**42 + 3)
    with pytest.raises(ValueError, match="2\\*\\*63"):
        hstack([csr_array((1, 2**62)), csr_array((1, 2**62))])


SIZES = st.integers(0, 3 if SIMULATED else 5)


@given(st.lists(SIZES, min_size=1, max_size=3), st.lists(SIZES, min_size=1, max_size=3), st.data())
def test_any_grid(xp, to_numpy, heights, widths, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    dense = [[rng.integers(-2, 3, (m, n)) for n in widths] for m in heights]
    forms = st.sampled_from(["csr", "csc", "coo"])
    blocks = [[csr_array(xp.asarray(x)).asformat(data.draw(forms)) for x in row] for row in dense]
    got = block_array(blocks)
    got.check_format()
    np.testing.assert_array_equal(to_numpy(got.toarray()), np.block(dense))
