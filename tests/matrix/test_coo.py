"""A `coo_array` keeps the entries that it is given, as SciPy's does."""

import copy
import operator
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr import coo_array, csc_array, csr_array
from spark_csr.graph import Graph, sssp

ROWS, COLUMNS = np.array([2, 0, 2, 1, 0, 2]), np.array([1, 3, 1, 0, 3, 0])
VALUES = np.array([1.0, 2, 3, 4, 5, 6])


@pytest.fixture
def A(xp):
    return coo_array((xp.asarray(VALUES.copy()), (xp.asarray(ROWS), xp.asarray(COLUMNS))), shape=(3, 4))


S = sp.coo_array((VALUES, (ROWS, COLUMNS)), shape=(3, 4))

IN_ORDER = {
    "itself": lambda A: A,
    "copy": lambda A: A.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda A: pickle.loads(pickle.dumps(A)),
    "coo_array": coo_array,
    "coo_array, copy": lambda A: coo_array(A, copy=True, dtype=float),
    "astype": lambda A: A.astype(A.dtype),
    "to_device": lambda A: A.to_device("cpu"),
    "transpose": lambda A: A.T.T,
    "tocoo": lambda A: A.tocoo(copy=True),
    "times 1": lambda A: A * 1,
    "minus minus": lambda A: operator.neg(-A),
    "real": lambda A: A.real,
    "conj": lambda A: (A * 1j).conj().imag * -1,
}


@pytest.mark.parametrize("copied", [False, True])
def test_astype_sums_duplicates_and_keeps_the_order_without_them(xp, to_numpy, copied):
    """As SciPy's, whose users rely on it: trees of scikit-learn write outside of their arrays otherwise."""
    for form in ("coo", "csr", "csc"):
        A = coo_array((xp.asarray([1.0, 2, 3]), (xp.asarray([1, 1, 0]), xp.asarray([0, 0, 1])))).asformat(form)
        B = A.astype(np.float32, copy=copied)
        assert (B.nnz, B.dtype, to_numpy(B.toarray()).tolist()) == (2, np.float32, [[0, 3], [3, 0]])
    A = coo_array((xp.asarray([1.0, 2, 3]), (xp.asarray([1, 0, 0]), xp.asarray([0, 2, 1]))))
    assert to_numpy(A.astype(np.float32, copy=copied).data).tolist() == [1, 2, 3]


@pytest.mark.parametrize("way", IN_ORDER)
def test_the_order_and_the_duplicates_stay(to_numpy, A, way):
    B = IN_ORDER[way](A)
    assert type(B) is coo_array
    np.testing.assert_array_equal(to_numpy(B.data), VALUES)
    np.testing.assert_array_equal(to_numpy(B.row), ROWS)
    np.testing.assert_array_equal(to_numpy(B.coords[1]), COLUMNS)
    assert (B.nnz, B.shape, B.has_canonical_format) == (6, (3, 4), False)


OPERATIONS = {
    "tocsr": lambda A, x: A.tocsr(),
    "tocsc": lambda A, x: A.tocsc(),
    "toarray": lambda A, x: A.toarray(),
    "@": lambda A, x: A @ x,
    "T @": lambda A, x: A.T @ x[:3],
    "x @": lambda A, x: x[:3] @ A,
    "+": lambda A, x: A + A,
    "multiply": lambda A, x: A.multiply(x),
    "sum": lambda A, x: A.sum(axis=0),
    "max": lambda A, x: A.max(axis=1),
    "abs": lambda A, x: abs(A),
    "integers": lambda A, x: (A * 0.5).astype(int),
    "a row": lambda A, x: A[2],
    "reshape": lambda A, x: A.reshape(4, 3),
    "diagonal": lambda A, x: A.diagonal(),
}


def plain(x, to_numpy):
    return to_numpy(x.toarray() if hasattr(x, "toarray") else x)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_before_and_after_the_values_are_replaced(xp, to_numpy, A, name):
    x = np.arange(1.0, 5)
    for factor in (1, -3):
        A.data[:] = xp.asarray(VALUES * factor)
        T = sp.coo_array((VALUES * factor, (ROWS, COLUMNS)), shape=(3, 4))
        expected = (T.toarray() * 0.5).astype(int) if name == "integers" else plain(OPERATIONS[name](T, x), np.asarray)
        np.testing.assert_allclose(plain(OPERATIONS[name](A, xp.asarray(x)), to_numpy), expected)
    assert A.nnz == 6


CHANGES = {
    "sum_duplicates": lambda A: A.sum_duplicates(),
    "eliminate_zeros": lambda A: A.eliminate_zeros(),
    "times 2": lambda A: A.__imul__(2),
    "an element": lambda A: A.__setitem__((0, 3), 9),
    "a row": lambda A: A.__setitem__(2, 7),
    "setdiag": lambda A: A.setdiag(5),
    "resize": lambda A: A.resize(2, 2),
    "data": lambda A: setattr(A, "data", np.arange(6.0)),
    "canonical": lambda A: setattr(A, "has_canonical_format", False),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_in_place(cpu_only, name):
    A, T = coo_array((VALUES.copy(), (ROWS, COLUMNS)), shape=(3, 4)), S.copy()
    A.data[3] = T.data[3] = 0
    for matrix in (A, T):
        CHANGES[name](matrix)
    np.testing.assert_array_equal(A.toarray(), T.toarray())
    assert A.nnz == T.nnz or name in ("an element", "a row", "setdiag")  # which sum the other duplicates here


def test_to_and_from_scipy(cpu_only, tmp_path):
    A = coo_array(S)
    assert np.shares_memory(A.data, S.data)
    back = A.to_scipy()
    assert np.shares_memory(back.data, S.data)
    for x, y in zip(back.coords, S.coords, strict=True):
        np.testing.assert_array_equal(x, y)
    half = coo_array((VALUES.astype(np.float16), (ROWS, COLUMNS))).to_scipy()
    assert (half.dtype, half.data.tolist()) == (np.float16, VALUES.tolist())
    spark_csr.save_npz(tmp_path / "A.npz", A)
    assert spark_csr.load_npz(tmp_path / "A.npz").data.tolist() == VALUES.tolist()


def test_compressed_matrices_of_coordinates_are_summed(xp, to_numpy, A):
    for made in (csr_array(A), csc_array(A), A.tocsr(), A.tocsc()):
        np.testing.assert_array_equal(to_numpy(made.toarray()), S.toarray())
        assert made.nnz == 4
        assert made.has_canonical_format
    rows = csr_array((xp.asarray([1.0, 2]), xp.asarray([0, 0]), xp.asarray([0, 2]))).tocoo()
    assert (rows.nnz, rows.tocsr().nnz, rows.tocsc().nnz) == (2, 1, 1)


def test_vectors(xp, to_numpy):
    v = coo_array((xp.asarray([1.0, 2, 3]), (xp.asarray([4, 0, 4]),)))
    assert (v.shape, to_numpy(v.coords[0]).tolist(), to_numpy(v.data).tolist()) == ((5,), [4, 0, 4], [1, 2, 3])
    assert to_numpy(v.T.toarray()).tolist() == to_numpy(v.tocsr().toarray()).tolist() == [2, 0, 0, 0, 4]


def test_the_lines_of_a_matrix_are_in_its_order(A):
    assert str(A).splitlines()[3:6] == ["  (2, 1)\t1.0", "  (0, 3)\t2.0", "  (2, 1)\t3.0"]


def test_values_that_overflow_are_summed_before_they_are_cast(xp, to_numpy):
    """As everywhere: the result is the cast of `toarray`. Without duplicates the order stays."""
    A = coo_array((xp.asarray([200, 100], dtype=np.uint8), (xp.asarray([0, 0]), xp.asarray([1, 1]))))
    assert to_numpy(A.astype(int).toarray()).tolist() == [[0, 44]]
    B = coo_array((xp.asarray([200, 100], dtype=np.uint8), (xp.asarray([1, 0]), xp.asarray([1, 1]))))
    assert to_numpy(B.astype(int).row).tolist() == [1, 0]


@pytest.mark.parametrize("given", ["coo_array", "tuple", "SciPy's"])
def test_a_graph_keeps_parallel_edges(cpu_only, given):
    entries = ([3.0, 1.0, 2.0], ([0, 0, 1], [1, 1, 0]))
    A = {"coo_array": coo_array, "tuple": lambda x: x, "SciPy's": sp.coo_array}[given](entries)
    G = Graph(A)
    assert G.n_edges == 3
    assert G.matrix.data.tolist() == [3, 1, 2]
    assert sssp(G, 0)[0].tolist() == [0, 1]
    assert Graph(csr_array(A)).n_edges == 2


def test_coordinates_can_be_set(xp, to_numpy):
    """One after the other, as programs do that select entries; what was learnt about the old ones is forgotten."""
    A = coo_array((xp.asarray([1.0, 2, 3]), (xp.asarray([0, 1, 1]), xp.asarray([2, 0, 1]))), shape=(2, 3))
    A @ xp.ones(3)
    kept = A.data != 2
    A.row, A.col, A.data = A.row[kept], A.col[kept], A.data[kept]
    assert to_numpy(A.toarray()).tolist() == [[0, 0, 1], [0, 3, 0]]
    A.coords = tuple(x.astype(np.int64) for x in (A.row[::-1], A.col))
    assert to_numpy(A.toarray()).tolist() == [[0, 3, 0], [0, 0, 1]]
    assert to_numpy(A @ xp.asarray([1.0, 10, 100])).tolist() == [30, 100]
    rows = csr_array(xp.asarray([[5, 0], [6, 7]])).tocoo()
    rows.col = [1, 1, 1]
    assert to_numpy(rows.sum(axis=0)).tolist() == [0, 18]
    vector = coo_array(xp.asarray([0, 4, 0]))
    vector.coords = ([2],)
    assert to_numpy(vector.toarray()).tolist() == [0, 0, 4]
    vector.col, vector.data = [0, 1], [8, 9]
    assert to_numpy(vector.toarray()).tolist() == [8, 9, 0]


def test_coordinates_that_do_not_fit_are_refused(xp):
    A = coo_array(xp.asarray([[1.0, 0], [0, 3]]))
    with pytest.raises(ValueError, match=r"row must lie in \[0, 2\), got row\[1\] = 2"):
        A.row = [0, 2]
    with pytest.raises(ValueError, match=r"coords must be 2 index array\(s\), one for each axis, got 1"):
        A.coords = ([0, 1],)
    with pytest.raises(ValueError, match=r"col must hold whole numbers of 64 bits, got col\[1\] = 0.5"):
        A.col = [1, 0.5]
    with pytest.raises(ValueError, match="a vector has no rows"):
        coo_array(xp.asarray([1, 2])).row = [0, 0]
    assert A.nnz == 2
    A.row = [0]
    with pytest.raises(ValueError, match="row, col and data must have equal length, got 1, 2 and 2"):
        A.tocsr()


@pytest.mark.parametrize("made_of", [(2, 3, 4), (2, 3, 4, 5), np.ones((2, 1, 1))], ids=["3 axes", "4 axes", "dense"])
def test_three_axes_are_of_coo_arrays_only(made_of):
    with pytest.raises(ValueError, match=r"got.* \(2, .*: coo_array has more"):
        csr_array(made_of)
