"""Values, keys, masks and results that share memory with the matrix they are set in: as if they were copied before."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr import Ragged, csr_array, linalg, partition, prune
from spark_csr._array import SIMULATED
from spark_csr.gallery import poisson
from spark_csr.graph import Graph, bfs
from spark_csr.linalg import cg

pytestmark = pytest.mark.filterwarnings("ignore:Changing the sparsity structure")

FORMATS = ["csr", "csc", "coo"]

DENSE = np.array(
    [
        [1, 2, 0, 3, 0, 4],
        [0, 5, 0, 0, 6, 0],
        [7, 0, 8, 0, 0, 9],
        [10, 0, 0, 11, 0, 0],
        [0, 12, 13, 0, 14, 0],
        [15, 0, 0, 0, 16, 17],
    ]
)

SOURCES = {
    "data": lambda A, n: A.data[:n],
    "data further on": lambda A, n: A.data[3 : n + 3],
    "data reversed": lambda A, n: A.data[::-1][:n],
    "every other of data": lambda A, n: A.data[::2][: n // 2].repeat(2)[:n] if n > 8 else A.data[::2][:n],
    "data of the transpose": lambda A, n: A.T.data[-n:],
    "data of the real part": lambda A, n: A.real.data[:n],
    "data of a matrix around it": lambda A, n: csr_array(A).data[1 : n + 1],
    "indices": lambda A, n: (A.coords[-1] if A.format == "coo" else A.indices)[:n],
    "data read-only": lambda A, n: read_only(A.data[:n]),
}
"""`n` values, most of them in the memory of the matrix."""

PLACES = {
    "points with entries": np.s_[[0, 0, 1, 2, 5], [1, 0, 1, 5, 0]],
    "points with and without": np.s_[[0, 0, 0, 0, 3], [1, 2, 3, 4, 5]],
    "points without": np.s_[[0, 0, 1, 5], [2, 4, 0, 1]],
    "points that come twice": np.s_[[0, 0, 0, 0, 2], [1, 2, 2, 1, 0]],
    "row": np.s_[2],
    "column": np.s_[:, 4],
    "block": np.s_[1:3, ::2],
    "rows": np.s_[[4, 0]],
    "grid": np.ix_([3, 0], [5, 1, 0]),
    "mask of rows": np.s_[np.array([True, False, False, True, False, False])],
    "mask": np.s_[np.eye(6, dtype=bool)[::-1]],
}


def read_only(x):
    x.flags.writeable = False
    return x


def matrix(xp, form, dense=DENSE, dtype=float):
    return csr_array(xp.asarray(dense.astype(dtype))).asformat(form, copy=True)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("form", FORMATS)
def test_values_of_the_matrix_itself(xp, to_numpy, form, source):
    if source == "data read-only" and xp is not np:
        pytest.skip("CuPy's arrays are never read-only")
    for name, key in PLACES.items():
        A, wanted = matrix(xp, form), DENSE.astype(float)
        shape = wanted[key].shape
        values = SOURCES[source](A, int(np.prod(shape))).reshape(shape)
        wanted[key] = to_numpy(values).copy()
        A[key] = values
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted, err_msg=name)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("form", FORMATS)
def test_a_diagonal_of_values_of_the_matrix_itself(xp, to_numpy, form, source):
    if source == "data read-only" and xp is not np:
        pytest.skip("CuPy's arrays are never read-only")
    for k in (0, 2, -1):
        A, wanted = matrix(xp, form), DENSE.astype(float)
        values = SOURCES[source](A, 6 - abs(k))
        at = np.arange(6 - abs(k))
        wanted[at + max(-k, 0), at + max(k, 0)] = to_numpy(values).copy()
        A.setdiag(values, k)
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)


ITSELF = {
    "the matrix": lambda M: M,
    "the transpose": lambda M: M.T,
    "rows of it": lambda M: M[[5, 4, 3, 2, 1, 0]],
    "another form of it": lambda M: M.tocsr() if hasattr(M, "tocsr") else M,
    "a matrix around its arrays": lambda M: M.asformat(M.format) if hasattr(M, "asformat") else M,
    "its real part": lambda M: M.real,
}

PLACES_OF_SIX = {
    "all": np.s_[:],
    "rows upside down": np.s_[::-1],
    "columns back to front": np.s_[:, ::-1],
    "rows by index": np.s_[[3, 1, 0, 2, 5, 4]],
    "columns by index": np.s_[:, [1, 0, 3, 2, 5, 4]],
    "grid": np.ix_([5, 0, 1, 2, 3, 4], [0, 5, 4, 3, 2, 1]),
}


@pytest.mark.parametrize("source", ITSELF)
@pytest.mark.parametrize("form", FORMATS)
def test_the_matrix_itself_as_the_value(xp, to_numpy, form, source):
    for name, key in PLACES_OF_SIX.items():
        A, wanted = matrix(xp, form), DENSE.astype(float)
        wanted[key] = ITSELF[source](DENSE.astype(float))
        A[key] = ITSELF[source](A)
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted, err_msg=name)


@pytest.mark.parametrize("form", FORMATS)
def test_parts_of_the_matrix_as_the_value(xp, to_numpy, form):
    for to, of in (
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:-1], np.s_[1:]),
        (np.s_[:, 1:], np.s_[:, :-1]),
        (np.s_[0], np.s_[5]),
        (np.s_[:3], np.s_[[0]]),
        (np.s_[1:3, 1:3], np.s_[:2, :2]),
    ):
        A, wanted = matrix(xp, form), DENSE.astype(float)
        wanted[to] = wanted[of].copy()
        A[to] = A[of]
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)


@pytest.mark.parametrize("places", ["with entries", "with and without", "with and without, in order"])
def test_many_values_at_once(to_numpy, cpu_only, places):
    """Beyond a few thousand positions several threads write, in any order."""
    n = 20_000
    A = csr_array((np.arange(1.0, n + 1), np.arange(n), np.array([0, n])), shape=(1, 2 * n))
    drawn = np.random.default_rng(0).permutation(n if places == "with entries" else 2 * n)[:n]
    columns = np.sort(drawn) if places == "with and without, in order" else drawn
    wanted = A.toarray()
    wanted[0, columns] = A.data.copy()
    A[np.zeros(n, int), columns] = A.data
    np.testing.assert_array_equal(A.toarray(), wanted)


@pytest.mark.parametrize("form", FORMATS)
def test_values_of_the_matrix_as_the_key(xp, to_numpy, form):
    """int64 as keys are: no cast makes a copy of them. Positions ascend: no sort makes one."""
    dense = np.zeros((6, 6), np.int64)
    dense[0, :3] = 1, 2, 5
    for of_rows in (False, True):
        A = matrix(xp, form, dense.T if of_rows else dense, np.int64)
        wanted, zeros = to_numpy(A.toarray()).copy(), xp.zeros(3, int)
        wanted[([1, 2, 5], 0) if of_rows else (0, [1, 2, 5])] = 7, 8, 9
        A[(A.data, zeros) if of_rows else (zeros, A.data)] = xp.asarray([7, 8, 9])
        np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)


@pytest.mark.parametrize("form", FORMATS)
def test_index_arrays_of_the_matrix_as_the_key(xp, to_numpy, form):
    A, wanted = matrix(xp, form), DENSE.astype(float)
    rows, columns = A.tocoo().coords
    wanted[to_numpy(columns), to_numpy(rows)] = np.arange(17.0)
    A[columns, rows] = xp.arange(17.0)
    np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)


@pytest.mark.parametrize("form", FORMATS)
def test_masks_of_the_matrix_itself(xp, to_numpy, form):
    A, wanted = matrix(xp, form), DENSE.astype(float)
    mask = A > 5
    wanted[wanted > 5] = -wanted[wanted > 5]
    A[mask] = -A[mask]
    np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)
    full = matrix(xp, form, np.array([[True, True], [True, True]]), bool)
    A, data = full.copy(), full.data.reshape(2, 2)
    full[data] = np.array([True, False, False, True])
    assert to_numpy(full.toarray()).ravel().tolist() == [True, False, False, True]
    half = prune(full, mask=full.tocsr().data)
    assert half.nnz == 2
    assert to_numpy(A.toarray()).all()


def test_places_of_a_sparse_value_in_the_memory_of_the_matrix(xp, to_numpy):
    """The columns of `value` are the data of `A`, which are overwritten."""
    A = csr_array((xp.asarray([0, 1, 2]), xp.asarray([0, 1, 2]), xp.asarray([0, 3])), shape=(1, 3))
    value = csr_array((xp.asarray([7, 8, 9]), A.data, xp.asarray([0, 3])), shape=(1, 3))
    wanted = to_numpy(value.toarray()).copy()
    A[:] = value
    np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_one_array_for_data_and_indices(xp, to_numpy, form):
    """What is written into the data does not move entries."""
    make = getattr(spark_csr, f"{form}_array")
    for dtype in (np.int32, np.int64):
        x, indptr = xp.asarray([0, 1, 2], dtype=dtype), xp.asarray([0, 1, 2, 3])
        A = make((x, x, indptr), shape=(3, 3))
        A.data[:] = 9
        A.data *= 1000
        np.testing.assert_array_equal(to_numpy(A.toarray()), np.eye(3) * 9000)
        B = make((xp.asarray([5, 6, 7], dtype=dtype), xp.asarray([0, 1, 2], dtype=dtype), indptr), shape=(3, 3))
        B.data = B.indices
        B.data += 5
        np.testing.assert_array_equal(to_numpy(B.toarray()), np.diag([5, 6, 7]))
    C = make((xp.asarray([0, 1, 3], dtype=np.int32), xp.asarray([0, 1, 0]), xp.asarray([0, 2, 3])), shape=(2, 2))
    C.indptr = C.data
    C[0, 0] = 8
    assert to_numpy(C.indptr).tolist() == [0, 1, 3]


def test_data_replaced_by_a_view_of_itself(xp, to_numpy):
    A = matrix(xp, "csr")
    A.data = A.data[::-1]
    A *= A.data[:1].reshape(())
    wanted = np.zeros((6, 6))
    wanted[DENSE != 0] = np.arange(17.0, 0, -1) * 17
    np.testing.assert_array_equal(to_numpy(A.toarray()), wanted)


def test_results_in_the_memory_of_the_matrix(xp, to_numpy):
    dense = np.arange(1.0, 10).reshape(3, 3)
    A = matrix(xp, "csr", dense)
    A.toarray(out=A.data.reshape(3, 3)[::-1])
    np.testing.assert_array_equal(to_numpy(A.toarray()), dense[::-1])
    for method, axis in (("sum", 0), ("sum", 1), ("mean", 1)):
        A = matrix(xp, "csr", dense)
        getattr(A, method)(axis=axis, out=A.data[1:4])
        np.testing.assert_array_equal(to_numpy(A.data[1:4]), getattr(dense, method)(axis=axis))
    A = matrix(xp, "csr", dense)
    for out in (A.data[:3], A.data[6:]):
        with pytest.raises(ValueError, match="out shares memory with an operand"):
            A.matmul(xp.ones(3), out=out)
    np.testing.assert_array_equal(to_numpy(A @ A.data[:3]), dense @ dense[0])


def test_ragged_values_and_offsets_in_one_memory(xp, to_numpy):
    x = xp.asarray([0, 1, 3, 5, 5])
    for R in (Ragged(x, x), Ragged(xp.arange(5), x.copy())):
        if not np.array_equal(to_numpy(R.values), to_numpy(x)):
            R.values = R.offsets[0]
        R += 2
        R.values[0] = 9
        assert R.to_lists() == [[9], [3, 5], [7, 7], []]
    assert to_numpy(x).tolist() == [9, 3, 5, 7, 7]


def test_ragged_operands_that_overlap(xp, to_numpy):
    memory, offsets = np.arange(1.0, 9), xp.asarray([0, 3, 3, 6])
    for left, right in ((slice(1, 7), slice(0, 6)), (slice(0, 6), slice(2, 8)), (slice(6), slice(6))):
        x = xp.asarray(memory.copy())
        R, S = (Ragged(x[part], offsets) for part in (left, right))
        R += S
        np.testing.assert_array_equal(to_numpy(R.values), memory[left] + memory[right])
        x = xp.asarray(memory.copy())
        R, S = (Ragged(x[part], offsets) for part in (left, right))
        np.multiply(R, S, out=(S,))
        np.testing.assert_array_equal(to_numpy(S.values), memory[left] * memory[right])
    R = Ragged(xp.asarray(memory), xp.asarray([0, 3, 8]))
    R.values = R.values[::-1]
    R -= R.values[:2]
    assert R.to_lists() == [[0, -1, -2], [-2, -3, -4, -5, -6]]


@pytest.mark.skipif(SIMULATED, reason="SciPy's solver asks for many products")
def test_a_solver_whose_vectors_are_the_data(to_numpy, cpu_only):
    A = csr_array(np.diag([4.0, 3, 2]))
    x, info = cg(A, A.data, x0=A.data, rtol=1e-12)
    np.testing.assert_allclose(x, [1, 1, 1])
    assert (info, A.data.tolist()) == (0, [4, 3, 2])


def test_masked_values_are_refused():
    A = matrix(np, "csr")
    for call in (
        lambda: A.__setitem__(0, np.ma.array([1.0] * 6, mask=[True] * 6)),
        lambda: A.setdiag(np.ma.array([1.0], mask=[1])),
    ):
        with pytest.raises(TypeError, match="mask would be lost"):
            call()
    np.testing.assert_array_equal(A.toarray(), DENSE)


OPERATIONS = {
    "A + A": lambda A: A + A,
    "A * A": lambda A: A * A,
    "maximum": lambda A: A.maximum(A),
    "A @ x": lambda A: A @ np.ones(A.shape[1]),
    "x @ A": lambda A: np.ones(A.shape[0]) @ A,
    "A @ A": lambda A: A @ A,
    "A.T": lambda A: A.T @ A,
    "-A": lambda A: -A,
    "2 * A": lambda A: 2 * A,
    "sum": lambda A: A.sum(axis=1),
    "max": lambda A: A.max(axis=0),
    "row": lambda A: A[1],
    "block": lambda A: A[:2, 1:],
    "assignment": lambda A: A.__setitem__((0, 1), 5.0),
    "csc": lambda A: A.tocsc().tocsr(),
    "coo": lambda A: A.tocoo(),
    "dense": lambda A: A.toarray(),
    "copy": lambda A: A.copy(),
    "sort_indices": lambda A: A.sort_indices(),
    "eliminate_zeros": lambda A: A.eliminate_zeros(),
    "sum_duplicates": lambda A: A.sum_duplicates(),
    "diagonal": lambda A: A.diagonal(),
    "stack": lambda A: spark_csr.vstack([A, A]),
    "Graph": lambda A: spark_csr.graph.Graph(A),
    "arrays": lambda A: (A.indptr, A.indices),
    "to_scipy": lambda A: A.to_scipy(),
}


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_offsets_that_others_wrote_are_found(operation, form):
    """SciPy drops entries within arrays that a matrix shares: kernels would go by offsets that do not fit the entries."""
    S = sp.csr_array(DENSE.astype(float)).asformat(form)
    S.data[::2] = 0
    A = getattr(spark_csr, f"{form}_array")((S.data, S.indices, S.indptr), shape=S.shape)
    assert np.shares_memory(A._record.indptr, S.indptr)
    S.eliminate_zeros()
    with pytest.raises(ValueError, match=r"indptr ends at 8, but there are 17 entries: .*: use csr_array\(matrix, copy=True\)"):
        OPERATIONS[operation](A)


def test_masked_operands_of_solvers_and_searches_are_refused():
    A, b = csr_array(np.diag([4.0, 3, 2])), np.ma.array([1.0, 2, 3], mask=[0, 1, 0])
    solvers = (
        "cg", "minres", "gmres", "bicgstab", "cgs", "bicg", "lgmres", "lsqr", "lsmr", "spsolve", "spsolve_triangular",
        "scale_rows", "scale_columns", "expm_multiply",
    )  # fmt: skip
    calls = {name: functools.partial(getattr(linalg, name), A, b) for name in solvers}
    calls |= {
        "x0": lambda: cg(A, b.data, x0=b),
        "M @ b": lambda: linalg.jacobi(A) @ b,
        "ilu0": lambda: linalg.ilu0(A) @ b,
        "bfs": lambda: bfs(Graph(A), np.ma.array([0], mask=[1])),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match="is a masked array, whose mask would be lost: use x.filled"):
            raise AssertionError(f"{name} takes it: {call()}")


def test_columns_of_a_ragged_array_are_copied():
    R = Ragged(np.array([0, 1, 2, 3, 4, 1], np.int32), np.array([0, 2, 3, 6], np.int32))
    A = R.to_csr(10)
    B, x = A * 2, np.ones(10)
    R.values[0] = 2**30
    R += 2**30
    assert (A @ x).tolist() == [2, 1, 3]
    assert (B @ x).tolist() == [4, 2, 6]


KEPT = {
    "Graph": (lambda S: Graph(S), lambda G, x: bfs(G, 0)[0]),
    "ilu0": (linalg.ilu0, lambda M, x: M @ x),
    "ic0": (linalg.ic0, lambda M, x: M @ x),
    "a product with a diagonal": (lambda S: csr_array(np.eye(S.shape[0])) @ S, lambda C, x: C @ x),
    "Ragged.from_csr": (lambda S: Ragged.from_csr(S, "indices"), lambda R, x: np.concatenate(R.to_lists())),
    "make_block": (lambda S: partition.make_block(S, [0, 3, S.shape[0]]), lambda B, x: B.matrix.toarray()),
}
"""What is made of a matrix of SciPy, and something that is computed with it."""


@pytest.mark.parametrize("name", KEPT)
def test_scipys_methods_do_not_change_what_was_made_of_a_matrix(cpu_only, name):
    make, compute = KEPT[name]
    S = poisson((3, 3)).to_scipy().tocsr()
    made, x = make(S), np.arange(9.0)
    before = compute(made, x).copy()
    S.data[S.indices == 0] *= name == "make_block"  # its values are shared
    S.eliminate_zeros()
    S.indices[:] = 0
    np.testing.assert_array_equal(compute(made, x), before)
