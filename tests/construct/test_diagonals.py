"""`eye_array` and `diags_array` against SciPy: values, dtypes, formats, exceptions."""

import numpy as np
import pytest
import scipy.sparse as sp

import dtypes
from spark_csr import csr_array, diags_array, eye_array
from spark_csr._operations.compose import diagonals

DIAGONALS = {
    "one": (([1.0, 2, 3],), {}),
    "above": (([1.0, 2],), {"offsets": 1}),
    "below": (([1.0, 2],), {"offsets": -2}),
    "zeros are not stored": (([1.0, 0, -0.0, np.nan],), {}),
    "nothing is stored": (([0.0, -0.0],), {}),
    "three": (([[1.0, 2], [3.0, 4, 5], [6.0, 7]],), {"offsets": [-1, 0, 1]}),
    "any order": (([[1.0, 2, 3], [4.0], [5.0, 6]],), {"offsets": [0, 2, -1]}),
    "numbers": (([-1.0, 2.0, -1.0],), {"offsets": [-1, 0, 1], "shape": (5, 5)}),
    "a zero on all of one": (([-1.0, 0.0, -1.0],), {"offsets": [-1, 0, 1], "shape": (5, 5)}),
    "wide": (([-1.0, [1.0, 2, 3], 4.0],), {"offsets": [-2, 0, 5], "shape": (3, 8)}),
    "tall": (([-1.0, [1.0, 2, 3], 4.0],), {"offsets": [-7, 0, 2], "shape": (8, 3)}),
    "too long": (([[1.0, 2, 3, 4], [5.0, 6, 7, 8]],), {"offsets": [0, 1], "shape": (3, 3)}),
    "outside by one": (([[1.0, 2], [3.0]],), {"offsets": [0, 2], "shape": (2, 2)}),
    "several tiles": (([1.0, np.arange(1.0, 301), 3, 4],), {"offsets": [-260, -1, 0, 31], "shape": (320, 300)}),
    "nothing": (([],), {}),
    "no columns": (([1.0, 2],), {"shape": (2, 0)}),
    "no rows": (([[], [1.0]],), {"offsets": [0, 1], "shape": (0, 1)}),
    "own dtype": (([[1, 2], [3]],), {"offsets": [0, 1], "dtype": None}),
    "common dtype": (([np.float32([1, 2]), [3j]],), {"offsets": [0, 1]}),
    "given dtype": (([1, 2],), {"dtype": "int8"}),
    "bools": (([True, False],), {"dtype": None}),
}

WRONG = {
    "more offsets": (([[1.0, 2]],), {"offsets": [0, 1]}),
    "more diagonals": (([1.0, 2],), {"offsets": [0]}),
    "one offset for nested": (([[1.0, 2]],), {"offsets": 0}),
    "too short": (([[1.0, 2]],), {"offsets": [0], "shape": (3, 3)}),
    "out of bounds": (([[1.0]],), {"offsets": [4], "shape": (3, 3)}),
    "out of bounds below": (([[1.0]],), {"offsets": [-4], "shape": (3, 3)}),
    "twice": (([1.0, 2],), {"offsets": [0, 0], "shape": (3, 3)}),
    "an offset of 1.5": (([1.0, 2],), {"offsets": 1.5}),
    "a number": ((5.0,), {"shape": (3, 3)}),
    "one size": (([1.0, 2],), {"shape": (2,)}),
    "bools": (([True, False],), {}),
    "a format": (([1.0],), {"format": "rcs"}),
}


def same(A, expected):
    """Shape, dtype, and every entry in its position."""
    expected = expected.tocsr()
    assert (A.format, A.shape, A.dtype, A.nnz) == ("csr", expected.shape, expected.dtype, expected.nnz)
    A = A.to_device("cpu")
    for got, wanted in ((A.indptr, expected.indptr), (A.indices, expected.indices), (A.data, expected.data)):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("case", DIAGONALS)
def test_diagonals_as_scipy(xp, case):
    (diagonals,), options = DIAGONALS[case]
    same(diags_array(diagonals, **options), sp.diags_array(diagonals, **options))
    if case != "nothing":
        alone = np.ndim(options.get("offsets", 0)) == 0
        moved = xp.asarray(diagonals) if alone else [x if np.isscalar(x) else xp.asarray(x) for x in diagonals]
        same(diags_array(moved, **options), sp.diags_array(diagonals, **options))


@pytest.mark.parametrize("case", WRONG)
def test_what_scipy_refuses(case):
    arguments, options = WRONG[case]
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        sp.diags_array(*arguments, **options)
    with pytest.raises(theirs.type):
        diags_array(*arguments, **options)


def test_integers_become_floating_with_a_warning():
    with pytest.warns(FutureWarning) as ours:
        A = diags_array([1, 2])
    assert A.dtype == np.float64
    assert ours[0].filename == __file__


def test_offsets_as_an_array(xp):
    same(diags_array(xp.ones((2, 3)), offsets=np.array([0, 1])), sp.diags_array(np.ones((2, 3)), offsets=[0, 1]))


@pytest.mark.parametrize("dtype", dtypes.each(usual="?eD"))
def test_dtypes(xp, dtype):
    values = np.array([1, 0, 3]).astype(dtype)
    A = diags_array(xp.asarray(values), dtype=None)
    assert A.dtype == dtype
    assert A.to_device("cpu").data.tolist() == values[[0, 2]].tolist()


def test_diagonals_are_not_changed_nor_shared(xp):
    x = xp.asarray([1.0, 2, 3])
    A = diags_array(x)
    A.data[...] = 7
    assert x.tolist() == [1, 2, 3]


PLACES = [(3, None, 0), (3, 4, 1), (4, 3, -1), (3, 3, 3), (0, 0, 0), (3, 0, -2), (1, 9, 8), (2.7, 3, 0)]
PLACES += [(1100, 1000, -550), (1100, 100, 0), (513, 1600, 700)]


@pytest.mark.parametrize("large", [0, diagonals.LARGE], ids=["tiles", "arrays"])
@pytest.mark.parametrize("m, n, k", PLACES)
@pytest.mark.parametrize("dtype", [float, bool, np.int8, complex])
def test_eye_as_scipy(monkeypatch, m, n, k, dtype, large):
    monkeypatch.setattr(diagonals, "LARGE", large)
    same(eye_array(m, n, k=k, dtype=dtype), sp.eye_array(m, n, k=k, dtype=dtype))


@pytest.mark.parametrize(
    "arguments, k", [((3,), 4), ((3,), -4), ((-1,), 0), ((3, -1), 0), ((3,), 1.5), (("a",), 0), ((0, 3), 5)]
)
def test_no_such_diagonal(arguments, k):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        sp.eye_array(*arguments, k=k)
    with pytest.raises(theirs.type):
        eye_array(*arguments, k=k)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "bsr", "lil", "dok"])
def test_formats(form):
    for A in (eye_array(3, format=form), diags_array([1.0, 2, 3], format=form)):
        assert A.format == form


def test_an_eye_that_no_machine_can_hold():
    with pytest.raises(MemoryError, match="rows"):
        eye_array(2**45)


def test_an_eye_on_its_device(xp):
    device = csr_array(xp.ones((1, 1))).device
    assert eye_array(3, device=device).device == device
