"""The first calls on a GPU, one kind of kernel after the other, each against NumPy, SciPy or the cores.

Kernels whose blocks wait for each other come after those whose blocks do not, and last the whole device is filled with them.
"""

import functools
import time

import numpy as np
import scipy.sparse as sp

ESSENTIAL = "first product"
"""The step without which nothing else is tried."""


def items(options):
    """Steps, of small or of large operands."""
    for name, step in STEPS.items():
        yield name, functools.partial(step, options.small)


def close(got, expected, rtol=1e-9):
    """Compare on the host."""
    got, expected = (x.get() if hasattr(x, "get") else np.asarray(x) for x in (got, expected))
    if got.dtype.kind in "fc":
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(got, expected)


def on_gpu(x):
    """An array or a matrix there."""
    import cupy

    from spark_csr import csr_array

    return csr_array(x, device="cuda") if sp.issparse(x) else cupy.asarray(x)


def matrix(n, long=False, dtype=np.float64):
    """Rows of about eight entries, or of lengths of a power law, the longest of half of all columns."""
    rng = np.random.default_rng(5)
    lengths = np.minimum(rng.zipf(2.0, n), n // 2) if long else rng.integers(0, 17, n)
    lengths[n // 3] = n // 2 if long else lengths[n // 3]
    rows = np.repeat(np.arange(n), lengths)
    made = sp.csr_array((rng.random(rows.size), (rows, rng.integers(0, n, rows.size))), shape=(n, n))
    made.data = (made.data * {"c": 1 + 2j, "i": 100}.get(np.dtype(dtype).kind, 1)).astype(dtype)
    return made


def first_product(small):
    """Compile, load, launch, read back; then a hundred calls."""
    A, x = on_gpu(sp.csr_array(np.ones((3, 3)))), on_gpu(np.array([1.0, 2, 3]))
    start = time.perf_counter()
    close(A @ x, [6.0, 6, 6])
    first, start = time.perf_counter() - start, time.perf_counter()
    for _ in range(100):
        y = A @ x
    queued = (time.perf_counter() - start) / 100
    close(y, [6.0, 6, 6])
    return {"first_call_seconds": first, "next_call_seconds": queued}


def products(small):
    """`A @ x`, `A.T @ x` twice, `A @ X`, in four dtypes; `A @ A`."""
    for long in (False, True):
        for dtype in (np.float64, np.float32, np.complex128, np.int64):
            S = matrix(400 if small else 200_000, long, dtype)
            x = (np.random.default_rng(1).random(S.shape[1]) * 9).astype(dtype)
            A, there, rtol = on_gpu(S), on_gpu(x), 1e-3 if dtype is np.float32 else 1e-9
            close(A @ there, S @ x, rtol)
            for _ in range(2):  # the second one is planned otherwise
                close(A.T @ there, S.T @ x, rtol)
            X = np.stack([x] * 8, 1)
            close(A @ on_gpu(X), S @ X, rtol)
        S = matrix(300 if small else 20_000, long)
        A = on_gpu(S)
        same(A @ A, S @ S)


def same(A, S, most=1e-8):
    """Compare matrices."""
    got = A.to_device("cpu").to_scipy()
    assert got.nnz == S.nnz, f"{got.nnz} entries, not {S.nnz}"
    assert abs(got - S).max() <= most


def conversions(small):
    """Coordinates to rows and back, columns, transposes, entry by entry, parts, sums."""
    from spark_csr import coo_array

    S = matrix(500 if small else 100_000, long=True)
    made = S.tocoo()
    order = np.random.default_rng(1).permutation(made.nnz)
    row, column, data = (on_gpu(x[order]) for x in (*made.coords, made.data))
    A = coo_array((data, (row, column)), shape=S.shape).tocsr()
    same(A, S)
    same(A.tocsc(), S)
    same(A.T.tocsr(), S.T)
    same(A + A.T, S + S.T)
    same(A * A.T, S * S.T)
    same(A[10:90, ::2], S[10:90, ::2])
    close(A.sum(axis=1), S.sum(axis=1))
    close(A.max(axis=1).toarray().ravel(), S.max(axis=1).toarray().ravel())


def scans(small):
    """Blocks that wait for others: sums of integers, in any order, and of floats, in one order; from the end; by segment."""
    from spark_csr import primitives

    for n in (1, 1000, 20_000) if small else (1, 1000, 1 << 20, (1 << 24) + 7):
        rng = np.random.default_rng(n)
        for x in (rng.integers(0, 9, n), rng.integers(0, 9, n).astype("i4"), rng.random(n), rng.random(n).astype("f4")):
            there, rtol = on_gpu(x), 1e-3 if x.dtype == "f4" else 1e-9
            close(primitives.inclusive_scan(there), np.cumsum(x, dtype="f8" if x.dtype.kind == "f" else "i8"), rtol)
            close(primitives.exclusive_scan(there, reverse=True)[:-1], np.cumsum(x[:0:-1].astype("f8"))[::-1], rtol)
        offsets, x = np.unique(np.r_[0, rng.integers(0, n, n // 30 + 1), n]), rng.integers(0, 9, n)
        close(primitives.segmented_reduce(on_gpu(x), on_gpu(offsets)), np.add.reduceat(x, offsets[:-1]))


def selections(small):
    """Select, partition, merge, repeat, floods."""
    from spark_csr import primitives

    n, rng = 5000 if small else (1 << 22) + 3, np.random.default_rng(3)
    x, mask, counts = rng.random(n), rng.random(n) < 0.3, rng.integers(0, 5, n // 4)
    there, flags = on_gpu(x), on_gpu(mask)
    close(primitives.compact(there, flags), x[mask])
    close(primitives.partition(there, flags)[0], np.r_[x[mask], x[~mask]])
    a, b = np.sort(x), np.sort(rng.random(n // 2))
    close(primitives.merge(on_gpu(a), on_gpu(b)), np.sort(np.r_[a, b]))
    close(primitives.repeat(there[: n // 4], on_gpu(counts)), np.repeat(x[: n // 4], counts))
    last = np.maximum.accumulate(np.where(mask, np.arange(n), -1))
    close(primitives.right_flood(there, flags), np.where(last >= 0, x[last], 0))


def sorts(small):
    """By radix, where blocks wait, and by merging; positions; by segment."""
    from spark_csr import primitives

    for n in (1000, 20_000) if small else (1000, (1 << 22) + 5):
        rng = np.random.default_rng(n)
        for x in (rng.integers(0, 1 << 32, n, dtype="u4"), rng.integers(-99, 99, n), rng.random(n)):
            for algorithm in ("radix", "merge"):
                close(primitives.sort(on_gpu(x), algorithm=algorithm), np.sort(x))
                close(primitives.argsort(on_gpu(x), algorithm=algorithm), np.argsort(x, kind="stable"))
        offsets = np.unique(np.r_[0, rng.integers(0, n, n // 40), n])
        segments = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
        close(primitives.segmented_sort(on_gpu(x), on_gpu(offsets)), x[np.lexsort((x, segments))])


def graphs(small):
    """Kernels with rounds of their own; a path, whose thousands of rounds of one vertex are one launch."""
    from spark_csr import csr_array, graph

    S = matrix(300 if small else 30_000, long=True)
    S = sp.csr_array(S + S.T)
    S.setdiag(0)
    S.eliminate_zeros()
    here, there = (graph.Graph(csr_array(S, device=device), directed=False) for device in ("cpu", "cuda"))
    for call in (
        lambda G: graph.bfs(G, 0)[0],
        lambda G: graph.sssp(G, 0)[0],
        lambda G: graph.connected_components(G)[1],
        graph.triangles,
        graph.core_number,
        graph.pagerank,
    ):
        close(call(there), call(here), 1e-6)
    n = 300 if small else 40_000
    path = on_gpu(sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1], format="csr"))
    close(graph.bfs(graph.Graph(path), 0)[0], np.arange(n))


def captured(small):
    """Another stream; a CUDA graph that is captured and launched."""
    import cupy

    S = matrix(400 if small else 200_000)
    x = np.random.default_rng(1).random(S.shape[1])
    A, there, out = on_gpu(S), on_gpu(x), cupy.zeros(S.shape[0])
    close(A @ there, S @ x)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        A.matmul(there, out=out)
        stream.synchronize()
        stream.begin_capture()
        A.matmul(there, out=out)
        graph = stream.end_capture()
        there *= 2
        graph.launch(stream)
        stream.synchronize()
    close(out, S @ (2 * x))


def tensors(small):
    """PyTorch's: a product and its gradient on a stream of PyTorch's."""
    try:
        import torch
    except ImportError as error:
        raise NotImplementedError(f"no PyTorch: {error}") from error
    from spark_csr.interop import torch as of_torch

    S = matrix(2000, long=True, dtype=np.float32)
    x, stream = torch.rand(S.shape[1], device="cuda", requires_grad=True), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        y = of_torch.spmv(on_gpu(S), x)
        y.sum().backward()
    torch.cuda.synchronize()
    close(y.detach().cpu().numpy(), S @ x.detach().cpu().numpy(), 1e-3)
    close(x.grad.cpu().numpy(), S.T @ np.ones(S.shape[0], "f4"), 1e-3)


def whole_device(small):
    """As many waiting blocks as the device holds, again and again: the same bits each time."""
    import cupy

    from spark_csr import primitives

    n = 1 << (13 if small else 27)
    x = on_gpu(np.random.default_rng(1).random(n))
    whole = (x * 1000).astype(np.int64)
    keys, expected = whole[: n // 4].astype(np.uint32), cupy.cumsum(whole)
    first, order = primitives.inclusive_scan(x), primitives.argsort(keys, algorithm="radix")
    for _ in range(2 if small else 20):
        assert bool((primitives.inclusive_scan(x) == first).all()), "a scan of floats gave other bits"
        assert bool((primitives.inclusive_scan(whole) == expected).all()), "a scan of integers gave other sums"
        assert bool((primitives.argsort(keys, algorithm="radix") == order).all()), "a sort gave another order"


STEPS = {
    ESSENTIAL: first_product,
    "products": products,
    "conversions": conversions,
    "scans": scans,
    "selections": selections,
    "sorts": sorts,
    "graphs": graphs,
    "captured": captured,
    "tensors": tensors,
    "whole device": whole_device,
}
