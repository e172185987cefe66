"""What Dask asks of a matrix as a chunk: sizes, names, joining."""

import importlib.metadata
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

from spark_csr import Ragged, coo_array, csc_array, csr_array, random_array

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask.array as da
from dask.array.dispatch import concatenate_lookup
from dask.sizeof import sizeof
from dask.tokenize import tokenize

import spark_csr.interop.dask  # noqa: F401 it registers

pytestmark = pytest.mark.usefixtures("cpu_only")

FORMATS = (csr_array, csc_array, coo_array)


def matrix(form=csr_array, seed=0):
    return form(random_array((300, 200), density=0.1, rng=seed))


@pytest.mark.parametrize("form", FORMATS)
def test_the_size_counts_arrays_and_plans(form):
    A = matrix(form)
    assert sizeof(A) == A.nbytes > 40_000
    A @ np.ones(200)
    A.T @ np.ones(300)
    assert A.nbytes < sizeof(A) < 4 * A.nbytes


def test_the_size_of_plans_that_are_matrices_is_counted():
    A = matrix()
    before = sizeof(A)
    record = A._csr
    record.plan(lambda csr: csr.copy())
    assert sizeof(A) == before + A.nbytes


def test_the_size_of_ragged_arrays():
    R = Ragged(np.arange(1000.0), [0, 400, 1000])
    assert sizeof(R) == R.nbytes > 8000


def test_sizes_are_known_without_importing_the_bridge():
    """As in a worker, by the entry point of the installed package."""
    if "spark_csr" not in {entry.name for entry in importlib.metadata.entry_points(group="dask.sizeof")}:
        pytest.skip("the package is not installed, or before it had this entry point: pip install -e .")
    program = """
import sys
from dask.sizeof import sizeof
assert 'spark_csr' not in sys.modules
from spark_csr import csr_array
A = csr_array((1000, 1000))
assert sizeof(A) == A.nbytes, sizeof(A)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("form", FORMATS)
def test_names_are_those_of_equal_matrices(form):
    A = matrix(form)
    assert tokenize(A) == tokenize(A.copy()) == tokenize(pickle.loads(pickle.dumps(A)))
    other = A.copy()
    other.data[3] += 1
    others = [other, matrix(form, 1), form(A.toarray()[:, :150]), A.astype("f4")]
    assert len({tokenize(x) for x in (A, *others)}) == 5


def test_names_tell_formats_apart():
    S = matrix()[:200]
    assert len({tokenize(form(S)) for form in FORMATS}) == 3
    assert tokenize(csr_array(S)) != tokenize(csr_array(S.T.tocsc()))
    assert tokenize(Ragged.from_lists([[1], [2, 3]])) != tokenize(Ragged.from_lists([[1, 2], [3]]))


def test_the_name_does_not_depend_on_plans():
    A = matrix()
    before = tokenize(A)
    A @ np.ones(200)
    assert tokenize(A) == before


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("axis", [0, 1])
def test_chunks_are_joined_in_their_format(form, axis):
    A, B = matrix(form), matrix(form, 1)
    joined = concatenate_lookup.dispatch(form)([A, B], axis=axis)
    assert type(joined) is form
    np.testing.assert_array_equal(joined.toarray(), np.concatenate([A.toarray(), B.toarray()], axis=axis))


def test_one_chunk_is_not_copied():
    A = matrix()
    assert concatenate_lookup.dispatch(csr_array)([A], axis=0) is A
    assert np.concatenate([A]) is not A


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_sent_shares_the_arrays(form):
    """With protocol 5, which Dask uses, the arrays go beside the stream, and only they: no plans."""
    A = matrix(form)
    A @ np.ones(200)
    buffers = []
    stream = pickle.dumps(A, protocol=5, buffer_callback=buffers.append)
    assert len(stream) < 1000
    assert sum(len(buffer.raw()) for buffer in buffers) == sum(x.nbytes for x in A._csr.arrays)
    back = pickle.loads(stream, buffers=buffers)
    np.testing.assert_array_equal(back @ np.arange(200.0), A @ np.arange(200.0))


class TestFaultsOfDask:
    """What is wrong in Dask itself: where one of these fails, Dask has mended it, and what it says here may go."""

    def test_dot_of_scipys_arrays_is_elementwise(self):
        """`_tensordot_scipy_sparse` writes `a * b`, which multiplies matrices of the class `spmatrix` only: in one chunk, the
        product of two of SciPy's arrays is that of their elements, without a word. Chunks of this package refuse the call.
        """
        S = scipy.sparse.csr_array(np.array([[1.0, 2], [3, 4]]))
        A = da.from_array(S.toarray(), chunks=2).map_blocks(scipy.sparse.csr_array)
        np.testing.assert_array_equal(da.dot(A, A).compute().toarray(), (S * S).toarray())

    def test_the_size_of_scipys_arrays_is_not_known(self):
        """`sizeof` knows the class `spmatrix` only; so this package has a size of its own."""
        S = scipy.sparse.random_array((1000, 1000), density=0.01, format="csr")
        assert sizeof(S) < 1000 < S.data.nbytes

    def test_the_fill_value_of_pydatas_arrays_is_lost(self):
        """`distributed.protocol.sparse` sends the coordinates and values of a COO and not its fill value: on a cluster, sums of
        A != 0 and of similar arrays are wrong. Matrices of this package have no fill value.
        """
        sparse = pytest.importorskip("sparse")
        protocol = pytest.importorskip("distributed.protocol")
        full = sparse.COO.from_numpy(np.array([5.0, 5, 1]), fill_value=5.0)
        back = protocol.deserialize(*protocol.serialize(full))
        assert (full.fill_value, back.fill_value) == (5.0, 0.0)

    def test_functions_like_ones_like_return_a_function(self):
        """toolz's `curry`, which `dask.array.wrap` uses, takes a TypeError of the function for too few arguments and returns
        another function; so the sentence with which `numpy.broadcast_to` refuses a matrix is lost.
        """
        made = da.ones_like(da.from_array(csr_array((2, 2)))).compute()
        assert callable(made)
        with pytest.raises(TypeError, match=r"numpy\.broadcast_to is not defined for a csr_array"):
            np.broadcast_to(csr_array([[1]]), (2, 2))
