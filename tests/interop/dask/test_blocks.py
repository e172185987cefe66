"""A matrix in blocks of rows: its results are those of the whole matrix, on every scheduler, with the same bits."""

import pickle

import numpy as np
import pytest

import dtypes
from spark_csr import Semiring, csr_array, partition, random_array
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')
pytest.importorskip("distributed", reason='needs Dask: pip install "dask[array,distributed]"')

import dask
import dask.array as da
from distributed import Client, LocalCluster, wait

from spark_csr.interop.dask import from_csr, from_delayed, linalg

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster, set_as_default=False) as client:
        yield client


def matrix(rows=97, columns=53, density=0.08, dtype=np.float64, seed=0):
    """Return a matrix with empty rows and columns, whose first rows are long."""
    S = random_array((rows, columns), density=density, rng=seed).toarray()
    S[:2] += 1
    S[5:40] = S[:, 7:9] = 0
    return csr_array((100 * S).astype(dtype) * (1 + 2j if np.dtype(dtype).kind == "c" else 1))


def cut(S, lengths):
    """Return blocks of rows by tasks, and the blocks of `partition` in this process."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return offsets, from_csr(S, lengths)


LENGTHS = {
    "one": [97],
    "two": [30, 67],
    "three, one empty": [97, 0, 0],
    "seven": [10, 0, 20, 7, 0, 59, 1],
    "without entries": [5, 35, 57],
}


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_products(lengths, dtype):
    S = matrix(dtype=dtype)
    D, A = S.toarray(), from_csr(S, lengths)
    rng = np.random.default_rng(0)
    x, X, y = rng.random(53), rng.random((53, 3)), rng.random((97, 2))
    np.testing.assert_allclose((A @ x).compute(), D @ x, rtol=1e-5)
    np.testing.assert_allclose((A @ da.from_array(X, chunks=(20, 2))).compute(), D @ X, rtol=1e-5)
    np.testing.assert_allclose((A.T @ da.from_array(y, chunks=(11, 1))).compute(), D.T @ y, rtol=1e-5)
    np.testing.assert_allclose((da.from_array(y[:, 0], chunks=11) @ A).compute(), D.T @ y[:, 0], rtol=1e-5)
    np.testing.assert_allclose((y.T @ A).compute(), y.T @ D, rtol=1e-5)
    for product in (A @ x, A @ X, A.T @ y, x @ A.T):
        computed = product.compute()
        assert (product.dtype, product.shape) == (computed.dtype, computed.shape)


@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_products_of_blocks(lengths):
    S, R = matrix(), matrix(53, 41, seed=1)
    A, B = from_csr(S, lengths), from_csr(R, 4)
    C = A @ B
    assert C.chunks == (tuple(lengths), B.chunks[1])
    np.testing.assert_allclose(C.compute().toarray(), S.toarray() @ R.toarray())
    assert C.dtype == C.compute().dtype
    G = A @ A.T
    np.testing.assert_allclose(G.compute().toarray(), S.toarray() @ S.toarray().T)
    np.testing.assert_allclose((A.T @ A).compute().toarray(), S.toarray().T @ S.toarray())
    np.testing.assert_allclose((G @ np.ones(97)).compute(), (S.toarray() @ S.toarray().T).sum(axis=1))


def test_a_mask_selects_what_is_computed():
    S, M = matrix(), matrix(97, 97, seed=3)
    A = from_csr(S, 3)
    found = A.matmul(A.T.to_blocks(), mask=from_csr(M, A.chunks[0]))
    expected = (S @ S.T).toarray() * (M.toarray() != 0)
    np.testing.assert_allclose(found.compute().toarray(), expected)
    with pytest.raises(ValueError, match=r"use mask\.repartition\(A\.chunks\[0\]\)"):
        A.matmul(A.T.to_blocks(), mask=from_csr(M, 2))
    with pytest.raises(TypeError, match="the mask must be a csr_blocks, got csr_array"):
        A.matmul(A.T.to_blocks(), mask=M)
    with pytest.raises(TypeError, match="a mask is for products of two csr_blocks"):
        A.matmul(np.ones(53), mask=from_csr(M, 2))


def farther(a, x):
    return a + 2 * x


@pytest.mark.parametrize(
    "semiring", ["or_and", Semiring("max", farther), *dtypes.some(["min_plus", "max_times", "any_pair"], [])]
)
def test_semirings(semiring):
    S, x = matrix(), np.random.default_rng(0).random(53)
    if semiring == "or_and":
        S, x = S.astype(bool), x > 0.5
    A = from_csr(S, [10, 0, 87])
    found = A.matmul(x, semiring=semiring)
    np.testing.assert_array_equal(found.compute(), S.matmul(x, semiring=semiring))
    assert found.dtype == found.compute().dtype
    squared = A.matmul(A.T.to_blocks(), semiring=semiring)
    np.testing.assert_array_equal(squared.compute().toarray(), S.matmul(S.T.tocsr(), semiring=semiring).toarray())


def by_blocks(S, A, x):
    """The products of blocks in this process: the bits that every engine computes."""
    blocks = partition.split(S, A.offsets[0], A.offsets[1])
    return np.concatenate(partition.matmul(blocks, np.split(x, A.offsets[1][1:-1])))


def test_bits_do_not_depend_on_the_scheduler(client):
    S = poisson((17, 19))
    x = np.random.default_rng(0).random(323)
    A = from_csr(S, 5)
    expected = by_blocks(S, A, x)
    transposed = (A.T @ x).compute(scheduler="synchronous")
    with dask.config.set(scheduler="threads"):
        np.testing.assert_array_equal((A @ x).compute(), expected)
        np.testing.assert_array_equal((A.T @ x).compute(), transposed)
    with client.as_current(), dask.config.set(scheduler=client):
        for B in (from_csr(S, 5), from_csr(S, 5).persist()):
            np.testing.assert_array_equal((B @ x).compute(), expected)
            np.testing.assert_array_equal((B @ B.place(x)).persist(optimize_graph=False).compute(), expected)
            np.testing.assert_array_equal((B.T @ x).compute(), transposed)


def test_tasks_run_where_their_blocks_are(client):
    with client.as_current(), dask.config.set(scheduler=client):
        A = from_csr(poisson((20, 20)), 4).persist()
        x = A.place(np.ones(400))
        y = (A @ x).persist(optimize_graph=False)
        wait(y)
        place = client.who_has()
        homes = [tuple(place[key]) for key in A.__dask_keys__()]
        assert len(set(homes)) == 2
        assert homes == sorted(homes)
        assert [tuple(place[x.name, i]) for i in range(4)] == homes
        assert [tuple(place[y.name, i]) for i in range(4)] == homes


@pytest.mark.parametrize("columns", [(), (2,)])
def test_messages_of_a_placed_vector_are_cut(columns):
    S = poisson((20, 20))
    A, given = from_csr(S, 4).persist(), np.random.default_rng(0).random((400, *columns))
    x = A.place(da.from_array(given, chunks=(130, *columns)))
    products = [A @ x, A.matmul(x, semiring="max_plus")]
    for y in products:
        assert len(y.dask.layers[y.name]) == 4  # nothing but products
        np.testing.assert_array_equal(y.compute(), y.compute(optimize_graph=False))
    np.testing.assert_array_equal(products[0].compute(), (A @ given).compute())
    np.testing.assert_array_equal(products[1].compute(), S.matmul(given, semiring="max_plus"))
    np.testing.assert_array_equal((2 * A @ x).compute(), 2 * (A @ given).compute())  # the plan of another matrix
    np.testing.assert_array_equal((A @ (x + 1)).compute(), (A @ (given + 1)).compute())
    assert not set(from_csr(S, 4).place(given).dask.layers) - {from_csr(S, 4).place(given).name}  # no plan is made for it


def test_a_key_means_one_task(client, caplog):
    """Else Dask warns that it may fail: in optimized graphs chains of tasks are one (dask/dask#9888)."""
    with client.as_current(), dask.config.set(scheduler=client):
        rows = [dask.delayed(poisson)((4,)), dask.delayed(poisson)((4,))]
        A = from_delayed(rows, [4, 4], 4, dtype=float) * 2
        y = (A @ np.ones(4)).persist()
        expected = np.tile(2 * poisson((4,)).sum(axis=1), 2)
        np.testing.assert_array_equal(y.compute(), expected)
        np.testing.assert_array_equal((A @ np.ones(4)).persist(optimize_graph=False).compute(), expected)
        np.testing.assert_array_equal(A.sum(axis=1).compute(), expected)
        np.testing.assert_array_equal(A.compute().sum(axis=1), expected)
        np.testing.assert_array_equal(A.persist().sum(axis=1).compute(), expected)
    assert "run_spec" not in caplog.text


def test_blocks_of_tasks_are_checked():
    part = dask.delayed(poisson)((4,))
    A = from_delayed([part, part], [4, 3], 4)
    with pytest.raises(ValueError, match=r"block of rows 4:7 must have shape \(3, 4\), got \(4, 4\)"):
        A.compute()


def test_what_a_product_takes():
    A = from_csr(poisson((40, 40)), 4)
    y = A @ da.ones(1600, chunks=(A.chunks[1],))
    made = [key for key in dict(y.dask) if isinstance(key, tuple) and "matmul" in key[0]]
    about = A.describe()
    assert len(made) == about.tasks_per_product == 4 + about.messages == 10
    assert about.bytes_per_product == 8 * sum(about.halo) == 8 * 6 * 40


def test_whole_matrices():
    S = matrix()
    A = from_csr(S, 3)
    assert (A.shape, A.ndim, A.dtype, A.nnz, A.numblocks) == ((97, 53), 2, S.dtype, S.nnz, (3, 3))
    np.testing.assert_array_equal(A.compute().toarray(), S.toarray())
    np.testing.assert_array_equal(A.to_dask_array().compute().toarray(), S.toarray())
    assert repr(A) == "<csr_blocks of dtype 'float64', shape (97, 53), in 3 blocks of rows>"
    (kept,) = dask.persist(A)
    np.testing.assert_array_equal((kept @ np.ones(53)).compute(), (A @ np.ones(53)).compute())
    back = pickle.loads(pickle.dumps(A))
    np.testing.assert_array_equal((back @ np.ones(53)).compute(), (A @ np.ones(53)).compute())


@pytest.mark.parametrize("blocks", [1, 2])
def test_whole_matrices_have_arrays_of_their_own(blocks):
    A = from_csr(csr_array(np.eye(3)), blocks).persist()
    B = A.compute()
    B *= 5
    assert (A @ np.ones(3)).compute().tolist() == [1, 1, 1]


def test_bad_operands():
    A = from_csr(matrix(), 3)
    with pytest.raises(ValueError, match=r"the matrix has 53 columns, got an operand of shape \(97,\)"):
        A @ np.ones(97)
    with pytest.raises(ValueError, match=r"the matrix has 97 rows, got an operand of shape \(53,\)"):
        A.T @ np.ones(53)
    with pytest.raises(ValueError, match="must have one or two axes, got shape"):
        A @ np.ones((53, 2, 2))
    with pytest.raises(ValueError, match="inner lengths differ"):
        A @ A
    x = da.ones(53, chunks=10)
    with pytest.raises(ValueError, match=r"lengths of the chunks are not known: call x\.compute_chunk_sizes\(\)"):
        A @ x[x > 0]
    with pytest.raises(TypeError, match="persist takes no retries="):
        A.persist(retries=3)


def test_blocks_are_where_their_tasks_put_them(xp, to_numpy):
    """On a GPU too, as one process for each GPU has them: results are on the device of the blocks."""
    S = poisson((6, 7))
    D = S.toarray()

    device = "cpu" if xp is np else "cuda"

    def rows(start, stop):
        return S[start:stop].to_device(device)

    bounds = [(0, 20), (20, 20), (20, 42)]
    A = from_delayed([dask.delayed(rows)(*each) for each in bounds], [20, 0, 22], 42)
    x, X = np.arange(42.0), np.arange(84.0).reshape(42, 2)
    on_device = [da.from_array(v, chunks=(A.chunks[1], *v.shape[1:])).map_blocks(xp.asarray) for v in (x, X)]
    kept = A.persist()
    for B in (A, kept):
        for product, expected in (
            (B @ on_device[0], D @ x),
            (B @ on_device[1], D @ X),
            (B @ B.place(on_device[0]), D @ x),
            (B.T @ on_device[0], D.T @ x),
            (B.matmul(on_device[0], semiring="min_plus"), S.matmul(x, semiring="min_plus")),
            (B.sum(axis=1), D.sum(axis=1)),
            (B.sum(axis=0), D.sum(axis=0)),
            (B.max(axis=1), D.max(axis=1)),
            (B.min(axis=0), D.min(axis=0)),
            (linalg.cg(B, on_device[0], rtol=1e-12)[0], np.linalg.solve(D, x)),
        ):
            found = product.compute()
            assert isinstance(found, xp.ndarray)
            np.testing.assert_allclose(to_numpy(found), expected)
        assert to_numpy(B.sum().compute()) == D.sum()
        w, v = linalg.power_iteration(B, on_device[0] + 1, tol=1e-3)
        assert isinstance(v.compute(), xp.ndarray)
        assert abs(w - np.linalg.eigvalsh(D)[-1]) < 0.1
    squared = (kept @ kept).compute()
    assert squared.device == kept.compute().device == A.to_dask_array().compute().device
    np.testing.assert_allclose(to_numpy(squared.toarray()), D @ D)
    assert kept.describe() == from_csr(S, [20, 0, 22]).describe()


def test_columns_beyond_32_bits():
    """Of 2**40 columns, of which a block takes few."""
    width = 2**40
    rows, columns = [0, 3, 3, 9], [width - 1, 5, 2**31 + 7, width - 1]
    S = csr_array((np.arange(1.0, 5), (rows, columns)), shape=(10, width))
    A = from_csr(S, [4, 0, 6], columns=[2**31, width - 2**31])
    assert A.nnz == 4
    assert max(A.describe().halo) <= 2  # no block takes a chunk whole
    for found, expected in (
        (A.compute(), S),
        (A.to_dask_array().compute(), S),
        ((A + A * 2).compute(), S * 3),
        (A[::-1].compute(), S[::-1]),
        ((from_csr(poisson((10,)), [4, 6]) @ A.repartition([4, 6])).compute(), poisson((10,)) @ S),
    ):
        assert found.shape == expected.shape
        assert abs(found - expected).nnz == 0 or abs(found - expected).max() == 0
        assert found.indices.max() == width - 1
    np.testing.assert_array_equal(A.sum(axis=1).compute(), S.sum(axis=1))


def test_an_axis_of_one_element_is_one_chunk():
    """Dask broadcasts all chunks of an axis of length 1: with an empty chunk beside it, `y * 1` had two elements."""
    A = from_csr(csr_array([[3.0, 4.0]]), 2)
    assert A.chunks == ((1,), (2,))
    assert ((A @ np.ones(2)) * 1.0).compute().tolist() == [7.0]
    B = from_csr(csr_array([[3.0], [4.0]]), 2)
    assert B.chunks == ((1, 1), (1,))
    assert ((B.T @ np.ones(2)) * 1.0).compute().tolist() == [7.0]
    assert (B @ np.ones(1)).compute().tolist() == [3.0, 4.0]
