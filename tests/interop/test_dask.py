"""Matrices as chunks of Dask's arrays: the calls of everyday use are right on every scheduler, or refused with advice."""

import doctest
import importlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import dtypes
from spark_csr import csc_array, csr_array, issparse

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')
pytest.importorskip("distributed", reason='needs Dask: pip install "dask[array,distributed]"')

import dask
import dask.array as da
from distributed import Client, LocalCluster

from interop.dask_calls import REFUSED, RIGHT
from spark_csr.interop import dask as bridge
from spark_csr.interop.dask import matmul

pytestmark = [
    pytest.mark.usefixtures("cpu_only"),
    pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning"),  # of A == B, as SciPy's
]

CHUNKS = (3, 5)
FORMATS = (csr_array, csc_array)


def numbers():
    """Return two matrices as dense arrays, and a dense vector and matrix."""
    rng = np.random.default_rng(1)
    A, B = ((rng.integers(-4, 9, (8, 8)) + 0.5) * (rng.random((8, 8)) < 0.4) for _ in range(2))
    return A, B, rng.random(8) + 0.1, rng.random((8, 3)) + 0.1


def operands(form=None):
    """Return Dask's arrays of these, the matrices in chunks of the given format, or dense."""
    A, B, x, X = numbers()
    matrices = [da.from_array(M, chunks=CHUNKS) for M in (A, B)]
    if form is not None:
        matrices = [M.map_blocks(form, meta=form((0, 0), dtype=M.dtype)) for M in matrices]
    return *matrices, da.from_array(x, chunks=4), da.from_array(X, chunks=(5, 2))


def dense(x):
    return x.toarray() if issparse(x) else np.asarray(x)


@pytest.fixture(scope="module")
def expected():
    """The results of dense chunks."""
    with np.errstate(invalid="ignore"):
        results = dask.compute([call(*operands()) for call in RIGHT.values()], scheduler="synchronous")[0]
    return dict(zip(RIGHT, results, strict=True))


@pytest.fixture(scope="module")
def client():
    """A cluster with workers in this process."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def check(name, found, expected):
    assert found.shape == expected.shape, name
    np.testing.assert_allclose(dense(found), expected, rtol=1e-12, err_msg=name)
    assert found.dtype == expected.dtype, name


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", RIGHT)
def test_a_call_is_right(name, form, expected):
    lazy = RIGHT[name](*operands(form))
    found = lazy.compute(scheduler="synchronous")
    check(name, found, expected[name])
    assert lazy.dtype == found.dtype
    assert all(lazy == length or np.isnan(lazy) for lazy, length in zip(lazy.shape, found.shape, strict=True))


@pytest.mark.parametrize("form", dtypes.some(FORMATS, FORMATS[:1]))
def test_calls_are_right_in_threads(form, expected):
    found = dask.compute([call(*operands(form)) for call in RIGHT.values()], scheduler="threads")[0]
    for name, result in zip(RIGHT, found, strict=True):
        check(name, result, expected[name])


@pytest.mark.parametrize("form", FORMATS)
def test_calls_are_right_on_a_cluster(form, expected, client):
    found = client.gather(client.compute([call(*operands(form)) for call in RIGHT.values()]))
    for name, result in zip(RIGHT, found, strict=True):
        check(name, result, expected[name])


@pytest.mark.slow
def test_calls_are_right_between_processes(expected):
    """What the cluster in this process does not do: chunks are pickled and sent, and refusals come back."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        for form in FORMATS:
            found = client.gather(client.compute([call(*operands(form)) for call in RIGHT.values()]))
            for name, result in zip(RIGHT, found, strict=True):
                check(name, result, expected[name])
            for call, advice in REFUSED.values():
                with pytest.raises((TypeError, IndexError, ValueError), match=advice):
                    call(*operands(form)).compute(scheduler=client)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "distributed"])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", REFUSED)
def test_a_call_is_refused_with_advice(name, form, scheduler, client):
    call, advice = REFUSED[name]
    with pytest.raises((TypeError, IndexError, ValueError), match=advice):
        call(*operands(form)).compute(scheduler=client if scheduler == "distributed" else scheduler)


def test_calls_are_enough():
    """58 of 62 was the aim."""
    assert len(RIGHT) / (len(RIGHT) + len(REFUSED)) >= 0.83


CONSTRUCTIONS = {
    "from_array": lambda A: da.from_array(A, chunks=CHUNKS),
    "from_array of one chunk": da.from_array,
    "from_delayed": lambda A: da.concatenate([_delay(A[:3]), _delay(A[3:])]),
    "map_blocks": lambda A: da.from_array(A.toarray(), chunks=CHUNKS).map_blocks(type(A)),
    "block": lambda A: da.block([[da.from_array(A[i, j]) for j in HALVES] for i in HALVES]),
}
HALVES = (slice(0, 4), slice(4, 8))


def _delay(matrix):
    return da.from_delayed(dask.delayed(matrix), matrix.shape, meta=matrix[:0, :0])


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "distributed"])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_arrays_are_made(name, form, scheduler, client):
    scheduler = client if scheduler == "distributed" else scheduler
    A, _, x, _ = numbers()
    array = CONSTRUCTIONS[name](form(A))
    found = array.compute(scheduler=scheduler)
    assert type(found) is type(array._meta) is form
    np.testing.assert_array_equal(found.toarray(), A)
    np.testing.assert_allclose((array @ da.from_array(x, chunks=4)).compute(scheduler=scheduler), A @ x)


@pytest.mark.parametrize("right", ["sparse", "dense"])
@pytest.mark.parametrize("form", FORMATS)
def test_products_of_two_arrays(form, right):
    A, B, _, X = operands()
    sparse, other, *_ = operands(form)
    expected, found = (A @ B, matmul(sparse, other)) if right == "sparse" else (A @ X, matmul(sparse, X))
    np.testing.assert_allclose(dense(found.compute(scheduler="synchronous")), expected.compute(), rtol=1e-12)
    assert issparse(found._meta) is issparse(found.compute(scheduler="threads")) is (right == "sparse")
    assert found.chunks == expected.chunks


def test_products_of_other_shapes_are_refused():
    A, _, x, _ = operands(csr_array)
    with pytest.raises(ValueError, match=r"shapes \(m, k\) and \(k, n\), got \(8, 8\) and \(8,\)"):
        matmul(A, x)


def test_missing_elements_stay_missing():
    """Where a dense chunk has 0 / 0 or 0 * NaN, as in SciPy; entries are computed."""
    A = da.from_array(csr_array([[0.0, 2], [0, 0]]), chunks=1)
    with np.errstate(invalid="ignore", divide="ignore"), dask.config.set(scheduler="synchronous"):
        np.testing.assert_array_equal((A / A.sum(axis=1)[:, None]).compute().toarray(), [[0, 1], [0, 0]])
        np.testing.assert_array_equal((A * np.array([np.nan, np.nan])).compute().toarray(), [[0, np.nan], [0, 0]])


def test_without_dask_the_import_says_what_to_install():
    program = """
import sys
import spark_csr.interop
assert not [name for name in sys.modules if name.partition('.')[0] in ('dask', 'distributed')]
sys.modules['dask'] = sys.modules['dask.array'] = None
try:
    spark_csr.interop.dask
except ImportError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == 'spark_csr.interop.dask needs Dask: install it with: pip install "dask[array,distributed]"\n'


def test_doctests():
    folder = pathlib.Path(bridge.__file__).parent
    modules = [importlib.import_module(f"{bridge.__name__}.{path.stem}") for path in folder.glob("[a-z]*.py")]
    with dask.config.set(scheduler="synchronous"):
        results = [doctest.testmod(module) for module in modules]
    assert sum(result.attempted for result in results) > 0
    assert sum(result.failed for result in results) == 0
