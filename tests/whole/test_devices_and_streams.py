"""What a GPU's owner relies on: the device of the arrays, the current stream, captured graphs, and kernels in files."""

import importlib

import numpy as np
import pytest
import scipy.sparse as sp

import ptx_mode
from namespaces import CUPY
from spark_csr import Ragged, csr_array, graph, linalg
from spark_csr import primitives as p
from spark_csr.graph import Graph
from spark_csr.primitives.search import _find

if CUPY is None:
    pytest.skip("needs CuPy, or its stand-in: SPARK_CSR_PTX=1", allow_module_level=True)

pytestmark = pytest.mark.gpu

cuda = importlib.import_module("spark_csr._engine.gpu.target").cuda

S = sp.random_array((60, 50), density=0.15, rng=1, format="csr")
LONG = sp.vstack([sp.csr_array(np.ones((1, 3000))), sp.random_array((40, 3000), density=0.001, rng=2)], format="csr")
SQUARE = sp.csr_array(sp.random_array((40, 40), density=0.1, rng=3) + 5 * sp.eye_array(40))


@pytest.fixture
def xp():
    return CUPY


@pytest.fixture
def other(xp):
    """A device that is not the current one."""
    if xp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two devices")
    return xp.cuda.Device(1)


def numbers_of(result):
    """The devices that the arrays of a result are on."""
    if isinstance(result, (tuple, list)):
        return set().union(*map(numbers_of, result))
    if isinstance(result, Graph):
        return numbers_of(result.matrix)
    if isinstance(getattr(result, "device", None), str):
        return {int(result.device.removeprefix("cuda:"))}
    return {result.device.id} if hasattr(result, "device") else set()


X = np.linspace(0, 1, 50)
FLAGS, OFFSETS = np.arange(50) % 3 == 0, np.array([0, 20, 50])
CALLS = {
    "A @ x": lambda A, x, f, o: A @ x,
    "x @ A.T": lambda A, x, f, o: x @ A.T,
    "A.T @ y": lambda A, x, f, o: A.T @ (A @ x),
    "A @ X": lambda A, x, f, o: A @ A.T.toarray(),
    "A @ A.T": lambda A, x, f, o: A @ A.T,
    "A + A": lambda A, x, f, o: A + A * 2,
    "A * x": lambda A, x, f, o: A * x,
    "-A": lambda A, x, f, o: -A,
    "A[rows]": lambda A, x, f, o: A[[3, 1, 1]],
    "A[1:9, ::2]": lambda A, x, f, o: A[1:9, ::2],
    "A.tocsc()": lambda A, x, f, o: A.tocsc(),
    "A.tocoo().tocsr()": lambda A, x, f, o: A.tocoo().tocsr(),
    "A.coords": lambda A, x, f, o: A.tocoo().coords,
    "A.toarray()": lambda A, x, f, o: A.toarray(),
    "A.sum(axis=0)": lambda A, x, f, o: A.sum(axis=0),
    "A.max(axis=1)": lambda A, x, f, o: A.max(axis=1),
    "A > 0.5": lambda A, x, f, o: A > 0.5,
    "A.copy()": lambda A, x, f, o: A.copy(),
    "csr_array of arrays": lambda A, x, f, o: csr_array((A.data, A.indices, A.indptr), shape=A.shape),
    "csr_array of coordinates": lambda A, x, f, o: csr_array((A.data, A.tocoo().coords), shape=A.shape),
    "csr_array(shape, device)": lambda A, x, f, o: csr_array((5, 4), device="cuda:1"),
    "csr_array(host, device)": lambda A, x, f, o: csr_array(S, device="cuda:1") + csr_array(S, device="cuda:1"),
    "norm": lambda A, x, f, o: linalg.norm(A, axis=1),
    "inclusive_scan": lambda A, x, f, o: p.inclusive_scan(x),
    "segmented_reduce": lambda A, x, f, o: p.segmented_reduce(x, o),
    "compact": lambda A, x, f, o: p.compact(x, f),
    "right_flood": lambda A, x, f, o: p.right_flood(x, f),
    "argsort": lambda A, x, f, o: p.argsort(x),
    "segment_ids": lambda A, x, f, o: p.segment_ids(o),
    "Ragged": lambda A, x, f, o: Ragged(x, o).sum(axis=1),
    "Ragged + Ragged": lambda A, x, f, o: (Ragged(x, o) + Ragged(x, o)).values,
    "bfs": lambda A, x, f, o: graph.bfs(Graph(A @ A.T), 0),
    "pagerank": lambda A, x, f, o: graph.pagerank(Graph(A @ A.T)),
    "components": lambda A, x, f, o: graph.connected_components(Graph(A @ A.T))[1],
    "strong components": lambda A, x, f, o: graph.connected_components(Graph(A @ A.T), "strong")[1],
    "degrees": lambda A, x, f, o: Graph(A @ A.T).degrees("in"),
    "transpose of a graph": lambda A, x, f, o: Graph(A @ A.T).transpose,
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_where_the_arrays_are(xp, other, name):
    """And the current device is what it was."""
    A = csr_array(S, device="cuda:1")
    with other:
        given = [xp.asarray(x) for x in (X, FLAGS, OFFSETS)]
    assert numbers_of(CALLS[name](A, *given)) == {1}
    assert xp.cuda.Device().id == 0


def test_values_of_another_device_are_right(xp, other):
    A = csr_array(S, device="cuda:1")
    with other:
        x = xp.asarray(X)
    np.testing.assert_allclose((A @ x).get(), S @ X)
    np.testing.assert_allclose((A @ A.T).to_device("cpu").toarray(), (S @ S.T).toarray())


def test_both_devices_in_turn(xp, other):
    here, there = csr_array(S, device="cuda:0"), csr_array(S, device="cuda:1")
    for _ in range(2):
        for A, device in ((here, xp.cuda.Device(0)), (there, other)):
            with device:
                x = xp.asarray(X)
            np.testing.assert_allclose((A @ x).get(), S @ X)


def test_a_kernel_on_another_device_is_refused(xp, other):
    """What does not come through a public call."""
    from spark_csr.primitives.foreach import for_each

    with other:
        x = xp.zeros(3, np.int64)
    with pytest.raises(RuntimeError, match=r"the arrays are on cuda:1, the current device is cuda:0: call inside of `with"):
        for_each(3, _find, x, 2, x, x, x)


PRODUCTS = {
    "rows": (S, lambda A, x, out: A.matmul(x, out=out), (50,), (60,)),
    "tiles": (LONG, lambda A, x, out: A.matmul(x, out=out), (3000,), (41,)),
    "columns": (LONG, lambda A, x, out: A.matmul(x, out=out), (3000, 4), (41, 4)),
    "transposed": (LONG, lambda A, x, out: A.T.matmul(x, out=out), (41,), (3000,)),
    "transposed columns": (LONG, lambda A, x, out: A.T.matmul(x, out=out), (41, 3), (3000, 3)),
}


def capture(stream, work):
    """The graph of what `work` launches."""
    stream.begin_capture()
    work()
    return stream.end_capture()


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_can_be_captured(xp, name):
    """After one call on the stream; a graph that is launched again reads what the operands are by then."""
    scipys, product, of, to = PRODUCTS[name]
    A, x, out = csr_array(scipys, device="cuda"), xp.ones(of), xp.empty(to)
    expected = (scipys.T if "transposed" in name else scipys) @ np.ones(of)
    xp.cuda.Device().synchronize()
    stream = xp.cuda.Stream(non_blocking=True)
    with stream:
        product(A, x, out)
        captured = capture(stream, lambda: product(A, x, out))
        taken = xp.empty(to)  # memory that was free may be given to others by now
        taken.fill(7)
        for factor in (1, 2):
            x.fill(factor)
            captured.launch(stream)
            stream.synchronize()
            np.testing.assert_allclose(out.get(), factor * expected)
        assert (taken.get() == 7).all()


@pytest.mark.parametrize("of, to", [((41,), (3000,)), ((41, 3), (3000, 3))])
def test_a_captured_product_with_the_transpose_reads_the_values_of_then(xp, of, to):
    """Also where products before it read values that were kept by column."""
    A, x, out = csr_array(LONG, device="cuda"), xp.ones(of), xp.empty(to)
    stream = xp.cuda.Stream(non_blocking=True)
    xp.cuda.Device().synchronize()
    with stream:
        for _ in range(3):
            A.T.matmul(x, out=out)
        kept = A._record.by_column
        assert kept.size == A.nnz
        captured = capture(stream, lambda: A.T.matmul(x, out=out))
        A.data[:] *= 2
        captured.launch(stream)
        stream.synchronize()
    np.testing.assert_allclose(out.get(), 2 * (LONG.T @ np.ones(of)))


@pytest.mark.skipif(not ptx_mode.ON, reason="allocations are counted by the stand-in")
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_into_out_allocate_nothing(xp, name, monkeypatch):
    scipys, product, of, to = PRODUCTS[name]
    A, x, out = csr_array(scipys, device="cuda"), xp.ones(of), xp.empty(to)
    product(A, x, out)
    arenas, taken = importlib.import_module("cupy_stand_in.memory")._Arenas, []
    malloc = arenas.malloc
    monkeypatch.setattr(arenas, "malloc", lambda self, size: taken.append(size) or malloc(self, size))
    xp.empty(3)
    assert taken == [24]
    taken.clear()
    product(A, x, out)
    assert not taken


def on_two_streams(xp, work):
    """The results of work on one stream, then on another, with nothing between that would order them."""
    xp.cuda.Device().synchronize()
    results = []
    for _ in range(2):
        with xp.cuda.Stream(non_blocking=True):
            results.append(work())
    xp.cuda.Device().synchronize()
    return results


@pytest.mark.parametrize("name", PRODUCTS)
def test_plans_are_written_before_other_streams_read_them(xp, name):
    scipys, product, of, to = PRODUCTS[name]
    A, x = csr_array(scipys, device="cuda"), xp.ones(of)
    expected = (scipys.T if "transposed" in name else scipys) @ np.ones(of)
    for y in on_two_streams(xp, lambda: product(A, x, xp.empty(to))):
        np.testing.assert_allclose(y.get(), expected)


def test_plans_of_graphs_and_reductions_too(xp):
    A = csr_array(SQUARE, device="cuda")
    G = Graph(A)
    for sums in on_two_streams(xp, lambda: A.sum(axis=0)):
        np.testing.assert_allclose(sums.get(), SQUARE.sum(axis=0))
    for degrees in on_two_streams(xp, lambda: G.transpose.degrees()):
        assert degrees.get().tolist() == np.diff(SQUARE.tocsc().indptr).tolist()


def test_streams_share_no_workspace(xp):
    A, x = csr_array(LONG, device="cuda"), xp.ones(3000)
    xp.cuda.Device().synchronize()
    results = []
    for _ in range(3):
        with xp.cuda.Stream(non_blocking=True):
            results.append(A @ x)
    xp.cuda.Device().synchronize()
    for y in results:
        np.testing.assert_allclose(y.get(), LONG @ np.ones(3000))


def shifted(xp, x):
    """The array at an address that the size of its elements does not divide."""
    raw = xp.empty(x.nbytes + 1, np.uint8)
    raw[1:] = xp.asarray(x).reshape(-1).view(np.uint8)
    return raw[1:].view(x.dtype).reshape(x.shape)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_misplaced_vectors_are_copied(xp, dtype):
    A, x = csr_array(S.astype(dtype), device="cuda"), X.astype(dtype)
    np.testing.assert_allclose((A @ shifted(xp, x)).get(), S @ x, rtol=1e-5)
    np.testing.assert_allclose((A @ shifted(xp, np.stack([x, x], axis=1))).get()[:, 1], S @ x, rtol=1e-5)
    np.testing.assert_array_equal(p.inclusive_scan(shifted(xp, np.arange(9))).get(), np.cumsum(np.arange(9)))
    B = csr_array((shifted(xp, S.data.astype(dtype)), shifted(xp, S.indices), shifted(xp, S.indptr)), shape=S.shape)
    np.testing.assert_array_equal(B.to_device("cpu").toarray(), S.astype(dtype).toarray())


def test_misplaced_arrays_that_are_written_are_refused(xp):
    x = shifted(xp, np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="at multiples of their size on a GPU"):
        p.for_each(3, _find, x, 2, x, x, x)


@pytest.mark.skipif(not ptx_mode.ON, reason="a driver that refuses a cubin")
def test_a_cubin_that_the_driver_refuses_is_compiled_again(xp, monkeypatch):
    compiler, launch = (importlib.import_module(f"spark_csr._engine.gpu.{name}") for name in ("compile", "launch"))
    asked = []

    def cubin_of(*args, anew=False):
        asked.append(anew)
        return compiler.cubin_of(*args) if anew else b"of a newer toolkit"

    def load(self, cubin):
        if cubin == b"of a newer toolkit":
            raise xp.cuda.driver.CUDADriverError("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available")
        return loaded(self, cubin)

    loaded = xp.cuda.function.Module.load
    monkeypatch.setattr(xp.cuda.function.Module, "load", load)
    monkeypatch.setattr(launch, "cubin_of", cubin_of)
    x = xp.arange(5)
    kernel = launch.Kernel(_double, 32)
    kernel(1, x)
    assert x.get().tolist() == [0, 2, 4, 6, 8]
    assert asked == [False, True]


def _double(x):
    if cuda.threadIdx.x < 5:
        x[cuda.threadIdx.x] *= 2
