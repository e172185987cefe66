"""What `docs/other_libraries.rst` says of other libraries, where they are installed: the page shows these functions."""

import importlib
import io

import numpy as np
import pytest
import scipy.sparse

import spark_csr
from spark_csr import csr_array, linalg
from spark_csr._array import SIMULATED
from spark_csr.gallery import poisson, uniform

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="the same calls as elsewhere"),
    pytest.mark.filterwarnings("default"),  # of other libraries
    pytest.mark.usefixtures("cpu_only"),
]


def test_pydata_sparse_arrays_are_matrices():
    sparse = pytest.importorskip("sparse")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    x = sparse.COO.from_scipy_sparse(A.to_scipy())
    assert (csr_array(x) != A).nnz == 0
    assert (A @ sparse.GCXS.from_coo(x.T)).toarray().tolist() == [[5, 0], [0, 9]]


def test_pydata_sparse_arrays_are_written():
    sparse = pytest.importorskip("sparse")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    for write, read in ((spark_csr.mmwrite, spark_csr.mmread), (spark_csr.save_npz, spark_csr.load_npz)):
        file = io.BytesIO()
        write(file, sparse.COO.from_scipy_sparse(A.to_scipy()))
        file.seek(0)
        assert (read(file) != A).nnz == 0


def test_scikit_learn_estimators_take_matrices():
    linear_model = pytest.importorskip("sklearn.linear_model")
    A = uniform(60, 10, 4)
    y = (A @ np.ones(10) > 2).astype(int)
    X = A if scipy.sparse.issparse(A) else A.to_scipy()  # from SciPy 1.17 on, A itself
    model = linear_model.LogisticRegression().fit(X, y)
    assert model.predict(X).shape == (60,)


def test_scikit_learn_transformers_return_what_csr_array_takes():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    counts = text.CountVectorizer().fit_transform(["one two", "two two three"])
    A = csr_array(counts)
    assert (A @ np.ones(3)).tolist() == [2, 3]


def test_pandas_series_are_operands():
    pandas = pytest.importorskip("pandas")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    assert np.asarray(A @ pandas.Series([1.0, 10, 100])).tolist() == [201, 30]


def test_pandas_frames_of_sparse_columns():
    pandas = pytest.importorskip("pandas")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    frame = pandas.DataFrame.sparse.from_spmatrix(A.to_scipy())
    back = csr_array(frame.sparse.to_coo())
    assert (back != A).nnz == 0


def test_pandas_tables_of_edges():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {
            "from": ["Rome", "Oslo", "Rome", "Rome"],
            "to": ["Bern", "Bern", "Oslo", "Bern"],
            "trains": [2.0, 1.0, 4.0, 3.0],
        }
    )
    rows, starts = pandas.factorize(table["from"], sort=True)
    columns, ends = pandas.factorize(table["to"], sort=True)
    A = csr_array((table["trains"], (rows, columns)), shape=(len(starts), len(ends)))
    pivot = table.pivot_table(index="from", columns="to", values="trains", aggfunc="sum", fill_value=0)
    assert A.toarray().tolist() == pivot.to_numpy().tolist() == [[1, 0], [5, 4]]
    entries = A.tocoo()
    back = pandas.DataFrame({"from": starts[entries.row], "to": ends[entries.col], "trains": entries.data})
    assert back.equals(table.groupby(["from", "to"], as_index=False).sum())


def test_anndata_holds_to_scipy():
    anndata = pytest.importorskip("anndata")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    cells = anndata.AnnData(X=A.to_scipy())
    assert csr_array(cells.X).sum(axis=0).tolist() == [1, 3, 2]


def test_xarray_products_by_apply_ufunc():
    xarray = pytest.importorskip("xarray")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    x = xarray.DataArray([1.0, 10, 100], dims="cell")
    y = xarray.apply_ufunc(A.matvec, x, input_core_dims=[["cell"]], output_core_dims=[["face"]])
    assert y.values.tolist() == [201, 30]


def test_pyamg_is_a_preconditioner():
    pyamg = pytest.importorskip("pyamg")
    A = poisson((40, 40))
    M = pyamg.ruge_stuben_solver(A.to_scipy()).aspreconditioner()
    x, info = linalg.cg(A, np.ones(1600), M=M, rtol=1e-8)
    assert info == 0
    assert np.linalg.norm(A @ x - 1) < 1e-6 * 40


def test_joblib_files_and_processes():
    joblib = pytest.importorskip("joblib")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    file = io.BytesIO()
    joblib.dump(A, file)
    file.seek(0)
    assert (joblib.load(file) != A).nnz == 0
    sums = joblib.Parallel(n_jobs=2)(joblib.delayed(A.matvec)(np.full(3, k)) for k in range(3))
    assert [y.tolist() for y in sums] == [[0, 0], [3, 3], [6, 6]]


def test_pytorch_shares_arrays():
    pytest.importorskip("torch")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    tensor = A.to_torch()
    A.data[0] = 5
    assert tensor.values().tolist() == [5, 2, 3]


def test_jax_takes_the_three_arrays():
    sparse = pytest.importorskip("jax.experimental.sparse")
    A = csr_array(np.array([[1, 0, 2], [0, 3, 0]], np.float32))
    B = sparse.BCSR((A.data, A.indices, A.indptr), shape=A.shape)
    assert (B @ np.array([1, 10, 100], np.float32)).tolist() == [201, 30]


def test_numba_takes_the_three_arrays():
    numba = pytest.importorskip("numba")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])

    @numba.njit
    def largest_by_row(indptr, data):
        out = np.zeros(indptr.size - 1)
        for row in range(out.size):
            for p in range(indptr[row], indptr[row + 1]):
                out[row] = max(out[row], data[p])
        return out

    assert largest_by_row(A.indptr, A.data).tolist() == [2, 3]


def test_matplotlib_spies():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = importlib.import_module("matplotlib.figure").Figure().subplots()
    (line,) = [axes.spy(csr_array([[1.0, 0, 2], [0, 3, 0]]))]
    assert line.get_xdata().tolist() == [0, 2, 1]
