"""Triangles and nonzeros against SciPy."""

import numpy as np
import pytest
import scipy.sparse as sp

import battery
import dtypes
from spark_csr import csr_array, find, tril, triu
from spark_csr._array import SIMULATED

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize("name", ["0x0", "unsorted"] if SIMULATED else list(battery.BATTERY))
@pytest.mark.parametrize("k", [1] if SIMULATED else [0, 2, -1, 100])
def test_triangles_of_the_battery(xp, to_numpy, name, k):
    A = battery.build(xp, name)
    dense = to_numpy(A.toarray())
    for function, wanted in ((tril, np.tril), (triu, np.triu)):
        for form, matrix in (("csr", A), ("csc", A.tocsc()), ("csr", A.tocoo()))[: 2 if SIMULATED else 3]:
            got = function(matrix, k, form)
            assert (got.format, got.shape, got.dtype) == (form, A.shape, A.dtype)
            assert function(matrix, k).format == "coo"  # as in SciPy
            got.check_format()
            np.testing.assert_array_equal(to_numpy(got.toarray()), wanted(dense, k))


def test_entries_stay_as_they_are(xp):
    A = battery.build(xp, "explicit zeros")
    expected = sp.tril(A.to_scipy())
    assert tril(A).nnz == expected.nnz
    B = battery.build(xp, "unsorted")
    assert tril(B, 100).col.tolist() == B.indices.tolist()
    assert triu(B, -100).data.tolist() == B.data.tolist()


@pytest.mark.parametrize("k", [0.5, -0.5, np.int8(1), 1.0])
def test_any_number_is_a_diagonal(k):
    A = np.arange(1.0, 13).reshape(3, 4)
    S = sp.csr_array(A)
    np.testing.assert_array_equal(tril(A, k).toarray(), sp.tril(S, k).toarray())
    np.testing.assert_array_equal(triu(A, k).toarray(), sp.triu(S, k).toarray())


@pytest.mark.parametrize("dtype", dtypes.each())
def test_triangles_of_every_dtype(xp, to_numpy, dtype):
    A = np.arange(1, 10).reshape(3, 3).astype(dtype)
    np.testing.assert_array_equal(to_numpy(tril(csr_array(xp.asarray(A))).toarray()), np.tril(A))


def test_what_has_no_triangle():
    with pytest.raises(ValueError, match="two dimensions"):
        tril(csr_array([1.0, 2]))
    with pytest.raises(TypeError, match="k must be"):
        triu(csr_array([[1.0]]), "a")
    with pytest.raises(ValueError, match="unknown"):
        triu(csr_array([[1.0]]), format="rcs")
    assert tril([[1.0]], format="dia").format == "dia"


@pytest.mark.parametrize("name", ["duplicates"] if SIMULATED else battery.FINITE)
def test_find_of_the_battery(xp, to_numpy, name):
    A = battery.build(xp, name)
    expected = sp.find(sp.coo_array(to_numpy(A.toarray())))
    for matrix in (A.tocsc(),) if SIMULATED else (A, A.tocsc(), A.tocoo()):
        got = find(matrix)
        for x, wanted in zip(got, expected, strict=True):
            np.testing.assert_array_equal(to_numpy(x), wanted)
        assert [x.dtype for x in got] == [np.int32, np.int32, A.dtype]


def test_find_sums_before_it_drops():
    A = csr_array((np.array([1.0, -1, 2, 3]), np.array([0, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 2))
    assert [x.tolist() for x in find(A)] == [[1], [1], [5.0]]
    rows, columns, values = find(csr_array([0.0, 3]))
    assert (rows.tolist(), columns.tolist(), values.tolist()) == ([0], [1], [3.0])


def test_find_gives_arrays_of_its_own():
    A = csr_array([[1.0, 2], [0, 3]])
    for x in find(A):
        x[...] = 0
    assert A.toarray().tolist() == [[1, 2], [0, 3]]
