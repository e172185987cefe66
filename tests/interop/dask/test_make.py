"""Blocks of rows of a matrix here, of tasks, and of arrays of Dask."""

import numpy as np
import pytest
import scipy.sparse

from spark_csr import csc_array, csr_array, random_array
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask
import dask.array as da

from spark_csr.interop.dask import from_csr, from_dask, from_delayed, make

pytestmark = pytest.mark.usefixtures("cpu_only")

S = random_array((60, 40), density=0.1, rng=0)


@pytest.mark.parametrize("form", [csr_array, csc_array, scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_of_a_matrix(form):
    A = from_csr(form(S.to_scipy()), 3)
    np.testing.assert_array_equal(A.compute().toarray(), S.toarray())


def test_lengths():
    assert from_csr(S, [10, 50]).chunks == ((10, 50), (20, 20))
    assert from_csr(S, [10, 50], columns=[1, 39]).chunks == ((10, 50), (1, 39))
    assert from_csr(poisson((10,)), 2).chunks == ((5, 5), (5, 5))
    for bad, words in (([10, 20], r"must sum to 60, got \(10, 20\), which sum to 30"), (0, "1 or more, got 0")):
        with pytest.raises(ValueError, match=words):
            from_csr(S, bad)


def test_of_tasks():
    rows = [dask.delayed(lambda a, b: S[a:b].to_scipy())(a, b) for a, b in ((0, 25), (25, 60))]
    A = from_delayed(rows, [25, 35], 40)
    assert A.chunks == ((25, 35), (20, 20))
    np.testing.assert_array_equal(A.compute().toarray(), S.toarray())
    with pytest.raises(ValueError, match="got 2 tasks and 3 lengths"):
        from_delayed(rows, [25, 30, 5], 40)


@pytest.mark.parametrize("form", [None, csr_array, csc_array])
@pytest.mark.parametrize("chunks", [(60, 40), (25, 17)])
def test_of_arrays_of_dask(form, chunks):
    array = da.from_array(S.toarray(), chunks=chunks)
    A = from_dask(array if form is None else array.map_blocks(form, meta=form((0, 0))))
    assert A.chunks[0] == array.chunks[0]
    np.testing.assert_array_equal(A.compute().toarray(), S.toarray())


def test_arrays_that_are_no_matrices():
    with pytest.raises(ValueError, match=r"an array of two axes, got shape \(4,\)"):
        from_dask(da.ones(4))
    array = da.ones((4, 4), chunks=2)
    with pytest.raises(ValueError, match="not known: call"):
        from_dask(array[array[:, 0] > 0])


def test_large_matrices_are_not_sent_to_a_scheduler(monkeypatch):
    monkeypatch.setattr(make, "LARGEST", 100)
    from_csr(S, 2)
    monkeypatch.setattr(make, "current_client", lambda: "a client")
    with pytest.raises(ValueError, match=rf"a matrix of {S.nbytes} bytes would be kept by the scheduler .* use from_delayed"):
        from_csr(S, 2)


def test_equal_matrices_have_equal_names():
    assert from_csr(S, 2).name == from_csr(S.copy(), 2).name != from_csr(S, 3).name
