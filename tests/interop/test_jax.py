"""Matrices and arrays to JAX and back: nothing is lost, padding is left out, what cannot be held is said."""

import doctest
import subprocess
import sys

import numpy as np
import pytest

import battery
from spark_csr import coo_array, csc_array, csr_array
from spark_csr.graph import Graph

pytest.importorskip("jax", reason="needs JAX: pip install jax")

import jax
import jax.numpy as jnp
from jax.experimental import sparse

from spark_csr.interop import jax as bridge
from spark_csr.interop.jax import from_jax, to_jax

pytestmark = pytest.mark.usefixtures("cpu_only")

DENSE = np.array([[1, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 4]], np.float32)


@pytest.fixture
def wide(request):
    """JAX with numbers of 64 bits."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.mark.parametrize("padded", [None, 7])
@pytest.mark.parametrize("kind, expected", [(sparse.BCOO, coo_array), (sparse.BCSR, csr_array)])
def test_from_sparse_arrays(kind, expected, padded):
    A = from_jax(kind.fromdense(jnp.array(DENSE), nse=padded))
    assert (type(A), A.shape, A.dtype, A.nnz) == (expected, DENSE.shape, np.float32, 4)
    np.testing.assert_array_equal(A.toarray(), DENSE)
    np.testing.assert_array_equal(A @ np.ones(4, np.float32), DENSE.sum(axis=1))


def test_coordinates_keep_their_order_and_duplicates():
    given = sparse.BCOO((jnp.array([5.0, 7, 1]), jnp.array([[2, 1], [0, 3], [2, 1]])), shape=DENSE.shape)
    A = from_jax(given)
    assert (A.data.tolist(), A.row.tolist(), A.col.tolist()) == ([5, 7, 1], [2, 0, 2], [1, 3, 1])
    back = to_jax(A)
    np.testing.assert_array_equal(back.indices, given.indices)
    np.testing.assert_array_equal(back.data, given.data)
    assert Graph(A.reshape((3, 4)).tocsr() @ csr_array(DENSE.T)).n_vertices == 3


def test_vectors():
    v = from_jax(sparse.BCOO.fromdense(jnp.array([0.0, 3, 0, 4])))
    assert (v.shape, v.toarray().tolist()) == ((4,), [0, 3, 0, 4])
    assert to_jax(v).todense().tolist() == [0, 3, 0, 4]


@pytest.mark.parametrize("format", ["bcoo", "bcsr"])
@pytest.mark.parametrize("of", [csr_array, csc_array, coo_array])
@pytest.mark.parametrize("name", ["power law", "duplicates", "unsorted", "0xN", "Nx0", "all rows empty"])
def test_there_and_back(name, of, format):
    A = of(battery.build(np, name, np.float32))
    B = to_jax(A, format)
    assert (B.shape, B.dtype, B.nse) == (A.shape, np.float32, A.nnz if format == "bcoo" else A.tocsr().nnz)
    np.testing.assert_allclose(B.todense(), A.toarray(), rtol=1e-6)
    np.testing.assert_array_equal(from_jax(B).toarray(), A.toarray())


@pytest.mark.parametrize("dtype", ["?", "b", "H", "i", "q", "e", "f", "d", "F", "D"])
def test_every_dtype(dtype, wide):
    A = csr_array(DENSE.astype(dtype))
    for x in (A, A.data):
        back = from_jax(to_jax(x))
        assert back.dtype == A.dtype
        np.testing.assert_array_equal(getattr(back, "data", back), x.data)


def test_memory_is_shared():
    x = jnp.arange(1000.0)
    array = from_jax(x)
    assert array.__array_interface__["data"][0] == x.unsafe_buffer_pointer()
    assert not array.flags.writeable
    A = from_jax(sparse.BCOO((x, jnp.zeros((1000, 2), int)), shape=(1, 1)))
    assert A.data.__array_interface__["data"][0] == x.unsafe_buffer_pointer()
    aligned = np.empty(1040, np.float32)
    aligned = aligned[-aligned.__array_interface__["data"][0] % 64 // 4 :][:1000]
    assert to_jax(aligned).unsafe_buffer_pointer() == aligned.__array_interface__["data"][0]


def test_read_only_and_strided_arrays():
    x = np.arange(12, dtype=np.float32)
    x.flags.writeable = False
    assert to_jax(x).tolist() == list(range(12))
    assert to_jax(x[::3]).tolist() == [0, 3, 6, 9]


def test_gradients_of_jax_reach_the_values():
    B = to_jax(csr_array(DENSE))
    grad = jax.grad(lambda data: (sparse.BCOO((data, B.indices), shape=B.shape) @ jnp.arange(4.0)).sum())(B.data)
    assert grad.tolist() == [0, 2, 1, 3]


BATCH = sparse.BCOO.fromdense(jnp.ones((2, 3, 4)), n_batch=1)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda: from_jax(np.ones(3)),
            TypeError,
            r"a BCSR or a jax.Array, got numpy.ndarray: .*csr_array\(x\)",
        ),
        (lambda: from_jax(jnp.ones(3, jnp.bfloat16)), TypeError, "x has dtype bfloat16"),
        (lambda: from_jax(BATCH), ValueError, r"1 axes of batches and 0 dense ones: use x.update_layout\(n_batch=0\)"),
        (lambda: jax.jit(from_jax)(jnp.ones(3)), TypeError, "traced by jax.jit"),
        (lambda: jax.jit(from_jax)(sparse.BCOO.fromdense(jnp.ones((3, 3)))), TypeError, "traced by jax.jit"),
        (lambda: to_jax(csr_array(np.eye(2))), TypeError, "A has dtype float64, .* use jax.config.update"),
        (lambda: from_jax(jax.random.key(0)), TypeError, "x has dtype key<.*>, which NumPy does not have"),
        (lambda: to_jax(np.ma.array([1, 2])), TypeError, "A is a masked array"),
        (lambda: to_jax(np.array(["2026-11-27"], "M8[D]")), TypeError, "A has dtype datetime64"),
        (lambda: to_jax([1, 2]), TypeError, r"got list: use csr_array\(A\)"),
        (lambda: to_jax(csr_array(DENSE), "csr"), ValueError, "format must be 'bcoo' or 'bcsr', got 'csr'"),
        (lambda: to_jax(coo_array(DENSE[0]), "bcsr"), ValueError, "rows and columns"),
        (
            lambda: csr_array(sparse.BCOO.fromdense(jnp.ones((3, 3)))),
            TypeError,
            "BCOO of JAX: use .*interop.jax.from_jax",
        ),
        (lambda: Graph(sparse.BCSR.fromdense(jnp.ones((3, 3)))), TypeError, "BCSR of JAX: use spark_csr.interop.jax.from_jax"),
    ],
)
def test_what_cannot_be_done(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_doctests():
    result = doctest.testmod(bridge)
    assert result.attempted > 5
    assert not result.failed


def test_jax_is_not_imported_unasked():
    code = "import sys; import spark_csr.interop; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
