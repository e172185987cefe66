"""Autograd functions on torch's tensors: results, gradients, the gradients' gradients, and what is shared."""

import contextlib
import copy
import doctest
import importlib
import itertools
import pkgutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import battery
from spark_csr import Ragged, config, coo_array, csc_array, csr_array, primitives
from spark_csr._array import SIMULATED
from spark_csr.graph import Graph

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install torch")
if SIMULATED:
    pytest.skip("torch's tensors on the cores are no device arrays", allow_module_level=True)

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

from spark_csr.interop import torch as sct  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta state"),
    pytest.mark.filterwarnings("ignore:Sparse invariant checks are implicitly disabled"),
    pytest.mark.filterwarnings("ignore:.*is_fx_tracing"),
]

OFFSETS = torch.tensor([0, 0, 3, 3, 4, 9, 9])
"""Segments: empty ones first, in the middle and last, one of a single item."""

NAMES = ["first row empty", "last row empty", "duplicates", "unsorted", "0xN", "Nx0", "all rows empty"]


def random(*shape, dtype=torch.float64, seed=0, grad=True):
    """Distinct numbers far enough apart for finite differences."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=dtype, generator=generator).requires_grad_(grad)


def check(function, *inputs):
    """The gradient and the gradient's gradient, against finite differences."""
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


def matrix(name="power law", dtype=np.float64):
    return battery.build(np, name, dtype)


@pytest.mark.parametrize("name", ["power law", *NAMES])
@pytest.mark.parametrize("columns", [None, 3])
def test_products_have_gradients(name, columns):
    A = matrix(name)
    multiply = sct.spmv if columns is None else sct.spmm
    x = random(A.shape[1], *(() if columns is None else (columns,)))
    data = random(A.nnz, seed=1)
    np.testing.assert_allclose(multiply(A, x).detach(), A @ x.detach().numpy())
    if x.numel() and A.nnz and A.nnz < 20:
        check(lambda data, x: multiply(A, x, data), data, x)
        check(lambda x: multiply(A, x), x)
    else:
        multiply(A, x, data).sum().backward()
        ones = np.ones((A.shape[0], *x.shape[1:]))
        np.testing.assert_allclose(x.grad, csr_array((data.detach().numpy(), A.indices, A.indptr), shape=A.shape).T @ ones)
        np.testing.assert_allclose(data.grad, x.detach().numpy()[A.indices].reshape(A.nnz, -1 if A.nnz else 1).sum(1))


def test_products_with_the_transpose():
    A = matrix("unsorted")
    data, X = random(A.nnz), random(A.shape[0], 2, seed=1)
    np.testing.assert_allclose(sct.spmm(A.T, X).detach(), A.T @ X.detach().numpy())
    check(lambda data, X: sct.spmm(A.T, X, data), data, X)
    x = random(A.shape[1], seed=2)
    np.testing.assert_allclose(sct.spmv(A.tocsc(), x).detach(), A @ x.detach().numpy())
    np.testing.assert_allclose(sct.spmv(coo_array(A), x).detach(), A @ x.detach().numpy())


def test_products_of_complex_numbers():
    A = matrix("duplicates")
    data, x = random(A.nnz, dtype=torch.complex128), random(A.shape[1], dtype=torch.complex128, seed=1)
    check(lambda data, x: sct.spmv(A, x, data), data, x)
    check(lambda data, x: sct.spmv(A.T, x.conj(), data.conj()), data, random(A.shape[0], dtype=torch.complex128, seed=1))
    check(lambda data, x: sct.spmv(A, x, data), data.detach().real.clone().requires_grad_(), x)
    check(lambda data, x: sct.spmv(A, x, data), data, x.detach().imag.clone().requires_grad_())


def test_gradients_of_mixed_dtypes_come_in_the_dtype_of_their_tensor():
    A = matrix("unsorted")
    data, x = random(A.nnz, dtype=torch.float32), random(A.shape[1])
    y = sct.spmv(A, x, data)
    y.sum().backward()
    assert (y.dtype, data.grad.dtype, x.grad.dtype) == (torch.float64, torch.float32, torch.float64)
    half = random(A.shape[1], dtype=torch.float16)
    z = sct.spmv(A.astype(np.float16), half)
    z.sum().backward()
    assert (z.dtype, half.grad.dtype) == (torch.float16, torch.float16)


@pytest.mark.parametrize("of", [csr_array, csc_array, coo_array, lambda A: A.T])
@pytest.mark.parametrize("shape", ["vector", "columns"])
def test_operators_take_tensors(of, shape):
    """`A @ x` and its relatives give tensors, with gradients."""
    A = of(matrix("unsorted"))
    dense = torch.from_numpy(A.toarray())
    columns = () if shape == "vector" else (2,)
    x, y = random(A.shape[1], *columns), random(*columns, A.shape[0], seed=1)
    for multiply in (A.__matmul__, A.matmul, A.dot, A.matvec):
        torch.testing.assert_close(multiply(x), dense @ x)
    torch.testing.assert_close(y @ A, y @ dense)
    check(lambda x: A @ x, x)
    check(lambda y: y @ A, y)


def test_operators_of_vectors_take_tensors():
    v = coo_array([1.0, 0, 2])
    x, X = random(3), random(3, 2)
    torch.testing.assert_close(v @ X, torch.tensor([1.0, 0, 2], dtype=X.dtype) @ X)
    for product in (v @ x, x @ v):
        torch.testing.assert_close(product, x[0] + 2 * x[2])
    torch.testing.assert_close(X.T @ v, X[0] + 2 * X[2])
    check(lambda X: v @ X, X)


@pytest.mark.parametrize("stack", [(2,), (2, 3), (0,)], ids=str)
def test_operators_take_stacks_of_matrices(stack):
    A = matrix("band")
    dense = torch.from_numpy(A.toarray())
    X, v = random(*stack, A.shape[1], 2), coo_array(A.toarray()[0])
    torch.testing.assert_close(A @ X, dense @ X)
    torch.testing.assert_close(X.mT @ A.T, X.mT @ dense.T)
    torch.testing.assert_close(v @ X, dense[0] @ X)
    for B in (A, A.tocsc(), A.to_torch()):
        torch.testing.assert_close(sct.spmm(B, X), dense @ X)
    torch.testing.assert_close(sct.spmm(A, X, torch.from_numpy(2 * A.data)), 2 * dense @ X)
    if X.numel():
        check(lambda X: A @ X, X)
        check(lambda X, data: sct.spmm(A, X, data), X, random(A.nnz))


def test_operators_of_tensors_say_what_is_wrong():
    A = matrix("band")
    n = A.shape[1]
    for operand, error, message in (
        (torch.ones(n + 1), ValueError, f"must have {n} rows"),
        (torch.ones(n, n + 1, 2), ValueError, f"must have {n} rows"),
        (torch.tensor(1.0), ValueError, "got a single number"),
        (torch.ones(n, dtype=torch.bfloat16), TypeError, "dtype torch.bfloat16"),
        (A.to_torch(), TypeError, r"spark_csr\.interop\.torch\.from_torch\(x\)"),
    ):
        with pytest.raises(error, match=message):
            A @ operand
    with pytest.raises(TypeError, match="takes no semiring 'min_plus'"):
        A.matmul(torch.ones(n), semiring="min_plus")
    with pytest.raises(TypeError, match="takes no out"):
        A.matmul(torch.ones(n), out=np.ones(A.shape[0]))


def test_primitives_name_this_module():
    x, offsets = torch.ones(2), torch.tensor([0, 2])
    for call in (
        lambda: primitives.inclusive_scan(x),
        lambda: primitives.sort(x),
        lambda: primitives.repeat(x, 2),
        lambda: primitives.segmented_reduce(x, offsets),
        lambda: primitives.segmented_reduce(x.numpy(), offsets),
    ):
        with pytest.raises(TypeError, match=r"spark_csr\.interop\.torch"):
            call()


def test_sparse_tensors_get_sparse_gradients():
    A = matrix("band")
    T = A.to_torch().requires_grad_()
    X = random(A.shape[1], 2)
    sct.spmm(T, X).square().sum().backward()
    reference, Z = torch.from_numpy(A.toarray()).requires_grad_(), X.detach().clone().requires_grad_()
    (reference @ Z).square().sum().backward()
    assert T.grad.layout is torch.sparse_csr
    torch.testing.assert_close(T.grad.to_dense(), torch.where(T.detach().to_dense() != 0, reference.grad, 0))
    torch.testing.assert_close(X.grad, Z.grad)
    torch.testing.assert_close(sct.spmm(A.tocsc().to_torch(), X), sct.spmm(A, X))


def test_results_are_those_of_torch():
    A = matrix("band", np.float32)
    X = random(A.shape[1], 5, dtype=torch.float32, grad=False)
    torch.testing.assert_close(sct.spmm(A, X), A.to_torch() @ X)
    torch.testing.assert_close(sct.spmv(A, X[:, 1]), A.to_torch() @ X[:, 1])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
@pytest.mark.parametrize("op", ["sum", "mean", "min", "max"])
def test_segmented_reduce(op, shape):
    x = random(9, *shape)
    parts = [x[a:b] for a, b in itertools.pairwise(OFFSETS.tolist())]
    y = sct.segmented_reduce(x, OFFSETS, op)
    empty = {"sum": 0.0, "mean": torch.nan, "min": torch.inf, "max": -torch.inf}[op]
    for part, found in zip(parts, y, strict=True):
        expected = getattr(torch, f"a{op}" if op[0] == "m" and op != "mean" else op)(part, 0) if len(part) else empty
        torch.testing.assert_close(found, torch.as_tensor(expected, dtype=x.dtype).expand_as(found), equal_nan=True)
    full = [1, 3, 4]
    check(lambda x: sct.segmented_reduce(x, OFFSETS, op)[full], x)
    with torch.no_grad():
        torch.testing.assert_close(sct.segmented_reduce(x, OFFSETS, op), y.detach(), equal_nan=True, rtol=0, atol=0)


@pytest.mark.parametrize("columns", [None, 3])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("op", ["sum", "mean", "min", "max"])
@pytest.mark.parametrize("ids", [[2, 0, 4, 2, 0, 2, 4], [0, 0, 2, 2, 2, 4, 4]])
def test_segments_by_id(op, ids, columns, dtype):
    """Against torch's own `scatter_reduce`; id 1 has no elements, and `dim_size` is above the greatest id."""
    reduce, index = getattr(sct, f"segment_{op}"), torch.tensor(ids)
    x = random(len(ids), *(() if columns is None else (columns,)), dtype=dtype)
    places = index if columns is None else index[:, None].expand_as(x)
    start = torch.zeros((6, *x.shape[1:]), dtype=dtype)
    expected = start.scatter_reduce(0, places, x, {"min": "amin", "max": "amax"}.get(op, op), include_self=False)
    y = reduce(x, index, 6)
    torch.testing.assert_close(y[[0, 2, 4]], expected[[0, 2, 4]])
    assert y[[1, 3, 5]].isnan().all() if op == "mean" else (y[1] == {"sum": 0, "min": torch.inf, "max": -torch.inf}[op]).all()
    assert reduce(x, index).shape == (5, *x.shape[1:])
    assert reduce(x, index.to(torch.uint8), 6).equal(y) or op == "mean"
    wide = torch.stack([index, index], 1)[:, 0]
    assert torch.equal(reduce(x, wide, 6)[[0, 2, 4]], y[[0, 2, 4]])
    if dtype == torch.float64:
        check(lambda x: reduce(x, index, 6)[[0, 2, 4]], x)


@pytest.mark.parametrize("op", ["sum", "mean", "min", "max"])
def test_segments_by_id_on_all_cores(op):
    rng = np.random.default_rng(0)
    x, index = random(200_000, 4), torch.from_numpy(rng.integers(0, 30_000, 200_000))
    found = set()
    for threads in (1, 2):
        with config(threads=threads):
            y = getattr(sct, f"segment_{op}")(x, index, 40_000)
            (gradient,) = torch.autograd.grad(y[index.unique()].square().sum(), x)
        found.add((y.detach().numpy().tobytes(), gradient.numpy().tobytes()))
    assert len(found) == 1
    start = torch.zeros((40_000, 4), dtype=x.dtype)
    how = {"min": "amin", "max": "amax"}.get(op, op)
    z = start.scatter_reduce(0, index[:, None].expand_as(x), x, how, include_self=False)
    torch.testing.assert_close(y[index.unique()], z[index.unique()])
    torch.testing.assert_close(gradient, torch.autograd.grad(z.square().sum(), x)[0])


def test_segments_by_id_of_nothing():
    none = torch.zeros(0, 3, requires_grad=True)
    y = sct.segment_sum(none, torch.zeros(0, dtype=torch.int64), 2)
    y.sum().backward()
    assert (y.tolist(), none.grad.shape) == ([[0, 0, 0], [0, 0, 0]], (0, 3))
    assert sct.segment_sum(none, torch.zeros(0, dtype=torch.int64)).shape == (0, 3)


@pytest.mark.parametrize(
    "index, dim_size, error, message",
    [
        ([0, -3], None, ValueError, "ids of 0 or above, got -3"),
        ([0, 7], 5, ValueError, r"below dim_size, which is 5, got 7: use dim_size=8"),
        ([0, 1], -1, ValueError, "dim_size must be 0 or above, got -1"),
        ([0, 1, 2], None, ValueError, r"one id for each of the 2 rows of src, got shape \(3,\)"),
        ([0.0, 1.0], None, TypeError, "index must hold integers, got dtype torch.float32"),
    ],
)
def test_refused_ids(index, dim_size, error, message):
    with pytest.raises(error, match=message):
        sct.segment_sum(torch.ones(2), torch.tensor(index), dim_size)


def test_the_first_of_equal_elements_gets_the_gradient():
    x = torch.tensor([2.0, 5, 5, 1, 1, torch.nan, 7, torch.nan], requires_grad=True)
    y = sct.segmented_reduce(x, torch.tensor([0, 3, 5, 8]), "max")
    y.backward(torch.tensor([1.0, 10, 100]))
    assert x.grad.tolist() == [0, 1, 0, 10, 0, 100, 0, 0]
    rows = torch.stack([x.detach(), -x.detach()], 1).requires_grad_()
    z = sct.segmented_reduce(rows, torch.tensor([0, 3, 5, 8]), "max")
    torch.testing.assert_close(z[:, 0], y, equal_nan=True)
    z.backward(torch.tensor([[1.0, 2], [10, 20], [100, 200]]))
    assert rows.grad.T.tolist() == [x.grad.tolist(), [2, 0, 0, 20, 0, 200, 0, 0]]


@pytest.mark.parametrize("columns", [None, 2])
@pytest.mark.parametrize("op", ["sum", "mean", "min", "max"])
def test_empty_segments_pass_no_gradient_on(op, columns):
    x = random(9, *(() if columns is None else (columns,)))
    y = sct.segmented_reduce(x, OFFSETS, op)
    g = random(*y.shape, seed=3)
    (first,) = torch.autograd.grad(y, x, g, create_graph=True)
    assert torch.isfinite(first).all()
    (second,) = torch.autograd.grad(first.sum(), g)
    assert second[[0, 2, 5]].eq(0).all()
    assert second[[1, 3, 4]].ne(0).all()


def test_sums_of_integers_and_float16():
    offsets = torch.tensor([0, 2, 4], dtype=torch.int32)
    for columns in ((), (2,)):
        x = torch.full((4, *columns), 200, dtype=torch.uint8)
        assert sct.segmented_reduce(x, offsets).dtype == torch.uint64
        assert sct.segmented_reduce(x, offsets).tolist() == torch.full((2, *columns), 400).tolist()
        half = torch.full((4, *columns), 40000.0, dtype=torch.float16, requires_grad=True)
        mean = sct.segmented_reduce(half, offsets, "mean")
        assert mean.dtype == torch.float16
        torch.testing.assert_close(mean, torch.full((2, *columns), 40000.0, dtype=torch.float16))
        mean.sum().backward()
        assert half.grad.tolist() == torch.full((4, *columns), 0.5).tolist()


@pytest.mark.parametrize("columns", [None, 2])
def test_repeat(columns):
    counts = torch.tensor([0, 3, 1, 0, 2])
    x = random(5, *(() if columns is None else (columns,)))
    assert torch.equal(sct.repeat(x, counts), x.repeat_interleave(counts, 0))
    assert torch.equal(sct.repeat(x, 3), x.repeat_interleave(3, 0))
    check(lambda x: sct.repeat(x, counts), x)
    z = torch.tensor([-0.0, torch.inf])[:, None] if columns else torch.tensor([-0.0, torch.inf])
    assert sct.repeat(z, 2).flatten().signbit().tolist() == [True, True, False, False]


@pytest.mark.parametrize("columns", [None, 2])
def test_segmented_softmax(columns):
    x = random(9, *(() if columns is None else (columns,)))
    y = sct.segmented_softmax(x, OFFSETS)
    for a, b in itertools.pairwise(OFFSETS.tolist()):
        torch.testing.assert_close(y[a:b], torch.softmax(x[a:b], 0))
    check(lambda x: sct.segmented_softmax(x, OFFSETS), x)
    large = sct.segmented_softmax(x.detach() * 1000 + 1e5, OFFSETS)
    assert torch.isfinite(large).all()
    assert sct.segmented_softmax(x.detach().half(), OFFSETS).dtype == torch.float16


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)], ids=str)
@pytest.mark.parametrize("shuffled", [False, True])
def test_segments_by_lengths_and_by_ids(shape, shuffled):
    """The same bits as by offsets, and elements of segments in any order."""
    x, lengths = random(9, *shape), OFFSETS.diff()
    ids = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
    order = torch.randperm(9, generator=torch.Generator().manual_seed(0)) if shuffled else torch.arange(9)
    stable = order[torch.argsort(ids[order], stable=True)]
    for function in (sct.segmented_softmax, sct.segmented_reduce):
        assert torch.equal(function(x, lengths=lengths), function(x, OFFSETS))
        found = function(x[order], ids=ids[order])
        expected = function(x[stable], OFFSETS)
        if function is sct.segmented_softmax:
            expected = expected[torch.argsort(torch.argsort(ids[order], stable=True))]
        torch.testing.assert_close(found, expected[: len(found)], rtol=0, atol=0)
        check(lambda x, function=function: function(x, ids=ids[order]), x)


@pytest.mark.parametrize(
    "how, error, message",
    [
        ({}, ValueError, "give one of offsets, lengths and ids, got none"),
        ({"offsets": OFFSETS, "ids": torch.zeros(9, dtype=torch.int64)}, ValueError, "got offsets and ids"),
        ({"lengths": torch.tensor([3, 4])}, ValueError, "lengths must add up to 9, the length of x, got 7"),
        ({"lengths": torch.tensor([10, -1])}, ValueError, r"lengths must be 0 or above, got lengths\[1\] = -1"),
        ({"ids": torch.tensor([0, 1])}, ValueError, "ids must have one id for each of the 9 rows of x"),
        ({"ids": torch.arange(9) - 1}, ValueError, "ids must hold ids of 0 or above, got -1"),
        ({"ids": torch.ones(9)}, TypeError, "ids must hold integers"),
        ({"lengths": [9]}, TypeError, "lengths"),
    ],
)
def test_segments_are_said_once(how, error, message):
    for function in (sct.segmented_softmax, sct.segmented_reduce):
        with pytest.raises(error, match=message):
            function(torch.ones(9), **how)


def test_gradient_of_the_flood():
    """The worked example of the flood."""
    x = torch.tensor([1.0, 0, 0, 3, 0, 6, 0, 0], requires_grad=True)
    y = sct.right_flood(x)
    assert y.tolist() == [1, 1, 1, 3, 3, 6, 6, 6]
    y.sum().backward()
    assert x.grad.tolist() == [3, 0, 0, 2, 0, 3, 0, 0]
    assert x.requires_grad


@pytest.mark.parametrize("flood", [sct.right_flood, sct.left_flood])
def test_floods_have_gradients(flood):
    valid = torch.tensor([0, 1, 0, 0, 1, 0, 0, 1, 0], dtype=torch.bool)
    x = random(9)
    check(lambda x: flood(x, valid), x)
    check(lambda x: flood(x, valid, offsets=OFFSETS, initial=2.0, limit=1), x)
    z = random(9, dtype=torch.complex128)
    check(lambda z: flood(z, valid), z)
    rows = random(9, 2, 2)
    torch.testing.assert_close(flood(rows, valid)[:, 1, 0], flood(rows[:, 1, 0], valid))
    check(lambda rows: flood(rows, valid, offsets=OFFSETS, initial=2.0, limit=1), rows)


def test_a_leading_zero_gets_no_gradient():
    """Where nothing valid lies to the left there is no index."""
    x = torch.tensor([0.0, 0, 3, 0, 3], requires_grad=True)
    sct.right_flood(x, initial=9.0).sum().backward()
    assert x.grad.tolist() == [0, 0, 2, 0, 1]


def functions():
    """Every function of one tensor, and an input for it."""
    A = matrix("unsorted")
    n, m = A.shape[1], 9
    yield "spmv", lambda x: sct.spmv(A, x), (n,)
    yield "spmv of data", lambda d: sct.spmv(A, torch.ones(n, dtype=d.dtype), d), (A.nnz,)
    yield "spmm", lambda x: sct.spmm(A, x), (n, 4)
    yield "spmm of the transpose", lambda x: sct.spmm(A.T, x), (A.shape[0], 4)
    for op in ("sum", "mean", "min", "max"):
        yield op, lambda x, op=op: sct.segmented_reduce(x, OFFSETS, op)[[1, 3, 4]], (m,)
        yield f"{op} of rows", lambda x, op=op: sct.segmented_reduce(x, OFFSETS, op)[[1, 3, 4]], (m, 3)
    yield "repeat", lambda x: sct.repeat(x, torch.arange(m)), (m,)
    yield "repeat rows", lambda x: sct.repeat(x, 2), (m, 3)
    yield "softmax", lambda x: sct.segmented_softmax(x, OFFSETS), (m,)
    yield "softmax of rows", lambda x: sct.segmented_softmax(x, OFFSETS), (m, 3)
    yield "flood", lambda x: sct.right_flood(x, torch.arange(m) % 3 == 0), (m,)


FUNCTIONS = {name: (function, shape) for name, function, shape in functions()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_tensor_and_mode(name):
    """Leaf or not, contiguous or not, read-only or not: the caller's tensor stays as it is."""
    function, shape = FUNCTIONS[name]
    x = random(*shape)
    y = function(x)
    with torch.no_grad():
        silent = function(x)
    assert not silent.requires_grad
    assert x.requires_grad
    assert torch.equal(silent, y)
    assert torch.equal(function(x.detach()), y)
    wide = torch.stack([x.detach(), x.detach()], -1).requires_grad_()
    strided, non_leaf = wide[..., 0], x * 1
    weights = random(*y.shape, seed=7, grad=False)
    (expected,) = torch.autograd.grad((y * weights).sum(), x)
    for given, leaf in ((strided, wide), (non_leaf, x)):
        assert given.is_contiguous() == (given is non_leaf)
        z = function(given)
        assert torch.equal(z, y)
        (found,) = torch.autograd.grad((z * weights).sum(), leaf)
        assert torch.equal(found[..., 0] if leaf is wide else found, expected)
        assert given.requires_grad
        assert not leaf.grad_fn
    frozen = torch.from_numpy(x.detach().numpy().copy())
    before = frozen.clone()
    function(frozen)
    assert torch.equal(frozen, before)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_same_bits_every_run(name):
    """No float atomics, forward or backward."""
    function, shape = FUNCTIONS[name]
    x, seen = random(*shape), set()
    for _ in range(3):
        y = function(x)
        (gradient,) = torch.autograd.grad(y.square().sum(), x)
        seen.add((y.detach().numpy().tobytes(), gradient.numpy().tobytes()))
    assert len(seen) == 1


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if "spm" not in n])
def test_large_inputs_on_all_cores(name):
    """Past the sizes that one core does alone."""
    n, columns = 200_000, FUNCTIONS[name][1][1:]
    rng = np.random.default_rng(0)
    offsets = torch.from_numpy(np.concatenate([[0], np.sort(rng.integers(0, n, n // 7)), [n]]))
    x = random(n, *columns)
    if name.startswith("repeat"):
        y = sct.repeat(x, 2)
        assert torch.equal(y, x.repeat_interleave(2, 0))
        (gradient,) = torch.autograd.grad(y.sum(), x)
        assert torch.equal(gradient, torch.full_like(x, 2))
    elif name.startswith("softmax"):
        y = sct.segmented_softmax(x, offsets)
        sums = sct.segmented_reduce(y, offsets)[offsets.diff() > 0]
        torch.testing.assert_close(sums, torch.ones_like(sums))
    elif name == "flood":
        valid = torch.from_numpy(rng.random(n) < 0.1)
        (gradient,) = torch.autograd.grad(sct.right_flood(x, valid).sum(), x)
        assert gradient.sum() == n - valid.int().argmax()
    else:
        ids = torch.arange(offsets.numel() - 1).repeat_interleave(offsets.diff())
        ids = ids[:, None].expand_as(x) if columns else ids
        op = name.split()[0]
        start = torch.full((offsets.numel() - 1, *columns), {"min": torch.inf, "max": -torch.inf}.get(op, 0.0), dtype=x.dtype)
        how = {"min": "amin", "max": "amax"}.get(op, op)
        expected = start.scatter_reduce(0, ids, x, how, include_self=op in ("sum", "min", "max"))
        y = sct.segmented_reduce(x, offsets, op)
        full = offsets.diff() > 0
        torch.testing.assert_close(y[full], expected[full])
        given, wanted = (torch.autograd.grad(z[full].square().sum(), x)[0] for z in (y, expected))
        torch.testing.assert_close(given, wanted)


def test_products_on_all_cores():
    rng = np.random.default_rng(0)
    n = 20_000
    A = csr_array((rng.random(8 * n), (rng.integers(0, n, 8 * n), rng.integers(0, n, 8 * n))), shape=(n, n))
    X, data = random(n, 5), torch.from_numpy(A.data.copy()).requires_grad_()
    sct.spmm(A, X, data).square().sum().backward()
    Y = A @ X.detach().numpy()
    np.testing.assert_allclose(X.grad, 2 * (A.T @ Y))
    rows = np.repeat(np.arange(n), np.diff(A.indptr))
    np.testing.assert_allclose(data.grad, 2 * (Y[rows] * X.detach().numpy()[A.indices]).sum(1))


def test_empty_inputs():
    none, start = torch.zeros(0, requires_grad=True), torch.tensor([0])
    for op in ("sum", "mean", "min", "max"):
        y = sct.segmented_reduce(none, start, op)
        assert y.shape == (0,)
        z = sct.segmented_reduce(none, torch.tensor([0, 0, 0]), op)
        assert z.shape == (2,)
        (z.sum() + y.sum()).backward()
        assert none.grad.shape == (0,)
        assert sct.segmented_reduce(torch.zeros(0, 3), torch.tensor([0, 0]), op).shape == (1, 3)
        assert sct.segmented_reduce(torch.zeros(2, 0), torch.tensor([0, 2]), op).shape == (1, 0)
    for y in (sct.repeat(none, 3), sct.segmented_softmax(none, start), sct.right_flood(none), sct.left_flood(none)):
        assert y.shape == (0,)
        y.sum().backward()
    assert sct.spmm(csr_array((3, 4)), torch.zeros(4, 0)).shape == (3, 0)


def test_lazy_conjugates_and_negatives_are_read_right():
    A, z = matrix("unsorted", np.complex128), random(5, dtype=torch.complex128, grad=False)
    torch.testing.assert_close(sct.spmv(A, z.conj()), sct.spmv(A, z.conj().resolve_conj()))
    torch.testing.assert_close(sct.repeat(z.conj().imag, 2), (-z.imag).repeat_interleave(2))


def test_the_matrix_is_shared():
    A = matrix("band")
    T = A.to_torch()
    assert T.layout is torch.sparse_csr
    assert T.shape == A.shape
    assert T.values().data_ptr() == A.data.__array_interface__["data"][0]
    B = sct.from_torch(T)
    assert isinstance(B, csr_array)
    assert np.shares_memory(A.data, B.data)
    C = A.tocsc()
    assert C.to_torch().layout is torch.sparse_csc
    torch.testing.assert_close(C.to_torch().to_dense(), T.to_dense())
    assert sct.from_torch(C.to_torch()).format == "csc"
    wide = torch.sparse_csr_tensor(T.crow_indices().long(), T.col_indices().long(), T.values(), T.shape)
    assert sct.from_torch(wide).indices.dtype == np.int32


@pytest.mark.parametrize("name", battery.FINITE)
def test_every_matrix_there_and_back(name):
    A = matrix(name)
    T = A.to_torch()
    np.testing.assert_array_equal(T.to_dense(), A.toarray())
    np.testing.assert_array_equal(sct.from_torch(T).toarray(), A.toarray())
    torch.sparse_csr_tensor(T.crow_indices(), T.col_indices(), T.values(), T.shape, check_invariants=True)


@pytest.mark.parametrize("coalesced", [True, False])
def test_coordinates_from_torch(coalesced):
    tensor = torch.sparse_coo_tensor([[2, 0, 2], [1, 3, 1]], [5.0, 7.0, 1.0], (3, 4))
    A = sct.from_torch(tensor.coalesce() if coalesced else tensor)
    assert isinstance(A, coo_array)
    assert A.nnz == (2 if coalesced else 3)
    np.testing.assert_array_equal(A.toarray(), tensor.to_dense())


EDGES = torch.tensor([[3, 0, 1, 3, 3], [1, 2, 0, 1, 0]])


def test_edge_index_there_and_back():
    weight = torch.tensor([5.0, 7, 1, 2, 4])
    G = sct.from_edge_index(EDGES, weight, 5)
    assert (G.n_vertices, G.n_edges, G.directed, G.names) == (5, 5, True, None)
    x = torch.arange(5.0)
    arrived = torch.zeros(5).index_add(0, EDGES[1], weight * x[EDGES[0]])
    torch.testing.assert_close(G.transpose.matrix @ x, arrived)
    index, weights = sct.to_edge_index(G)
    assert list(zip(*index.tolist(), weights.tolist(), strict=True)) == sorted(
        zip(*EDGES.tolist(), weight.tolist(), strict=True), key=lambda edge: edge[:2]
    )
    assert index.dtype == torch.int64


def test_edge_index_of_parallel_and_undirected_edges_and_of_none():
    assert sct.from_edge_index(EDGES).n_vertices == 4
    assert sct.from_edge_index(EDGES, combine="sum").n_edges == 4
    both = sct.from_edge_index(EDGES, directed=False)
    np.testing.assert_array_equal(both.matrix.toarray(), both.matrix.T.toarray())
    assert sct.from_edge_index(torch.empty(2, 0, dtype=torch.int32), num_nodes=3).n_vertices == 3
    assert sct.from_edge_index(torch.empty(2, 0, dtype=torch.long)).n_vertices == 0
    np.testing.assert_array_equal(sct.from_edge_index(EDGES, torch.arange(5)).matrix.data, [1, 2, 4, 0, 3])
    for dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64):
        assert sct.from_edge_index(EDGES.to(dtype)).n_vertices == 4


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: sct.from_edge_index(EDGES.T), ValueError, r"must have two rows, sources and targets, got shape \(5, 2\)"),
        (lambda: sct.from_edge_index(EDGES.double()), TypeError, r"must hold integers, got dtype torch.float64: .*long\(\)"),
        (lambda: sct.from_edge_index(EDGES.numpy()), TypeError, r"edge_index must be a torch.Tensor, got ndarray"),
        (lambda: sct.from_edge_index(EDGES, torch.ones(4)), ValueError, "4"),
        (lambda: sct.from_edge_index(EDGES, num_nodes=3), ValueError, "3"),
        (lambda: sct.from_edge_index(EDGES, num_nodes=2.5), TypeError, "num_nodes must be an integer, got 2.5"),
        (lambda: sct.from_edge_index(EDGES - 1), ValueError, "-1"),
        (lambda: sct.to_edge_index(EDGES), TypeError, "G must be a Graph, got Tensor"),
        (lambda: sct.SparseMatrix(torch.ones(3)), ValueError, "two dimensions"),
    ],
)
def test_edges_and_modules_refuse(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("trainable", [False, True])
@pytest.mark.parametrize("columns", [(), (3,)])
def test_a_module_has_the_products_and_gradients_of_its_matrix(trainable, columns):
    A = matrix("unsorted")
    layer, x = sct.SparseMatrix(A, trainable), random(A.shape[1], *columns)
    np.testing.assert_allclose(layer(x).detach(), A @ x.detach().numpy())
    torch.testing.assert_close(layer @ x, layer(x))
    if trainable:
        check(lambda data, x: torch.func.functional_call(layer, {"data": data}, (x,)), random(A.nnz, seed=1), x)
    assert [name for name, _ in layer.named_parameters()] == ["data"] * trainable
    assert set(layer.state_dict()) == {"indptr", "indices", "data"}
    check(layer, x)


def test_a_module_learns_and_leaves_its_matrix_alone():
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    layer = sct.SparseMatrix(A, trainable=True)
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.5)
    x = torch.tensor([1.0, 10, 100], dtype=torch.float64)
    layer(x).sum().backward()
    optimiser.step()
    assert layer.data.tolist() == [0.5, -48, -2]
    assert layer.matrix.toarray().tolist() == [[0.5, 0, -48], [0, -2, 0]]
    assert layer(x).tolist() == [0.5 - 4800, -20]
    assert A.data.tolist() == [1, 2, 3]


def test_a_module_changes_its_dtype_and_keeps_its_pattern():
    layer = torch.nn.Sequential(sct.SparseMatrix(csr_array([[1, 0, 2], [0, 3, 0]]), trainable=True))
    assert layer[0].data.dtype == torch.float32  # integers cannot be trained
    kinds = layer[0].indptr.dtype, layer[0].indices.dtype
    before = layer(torch.ones(3))
    after = layer.to(torch.float64)(torch.ones(3, dtype=torch.float64))
    assert (before.dtype, after.dtype) == (torch.float32, torch.float64)
    assert kinds == (layer[0].indptr.dtype, layer[0].indices.dtype)
    assert layer.half()(torch.ones(3, dtype=torch.float16)).tolist() == [3, 3]
    assert layer.to("cpu")[0].matrix.dtype == np.float16


def test_a_module_takes_a_state_and_is_copied_and_saved(tmp_path):
    one, other = (sct.SparseMatrix(csr_array(np.array(x))) for x in ([[1.0, 0, 2], [0, 3, 0]], [[0, 4.0, 0], [5, 0, 6]]))
    x = torch.tensor([1.0, 10, 100], dtype=torch.float64)
    assert one(x).tolist() == [201, 30]
    torch.save(other.state_dict(), tmp_path / "state.pt")
    one.load_state_dict(torch.load(tmp_path / "state.pt"))
    assert one(x).tolist() == other(x).tolist() == [40, 605]
    copied = copy.deepcopy(one)
    copied.data *= 2
    assert (copied(x).tolist(), one(x).tolist()) == ([80, 1210], [40, 605])
    torch.save(one, tmp_path / "module.pt")
    again = torch.load(tmp_path / "module.pt", weights_only=False)
    assert again(x).tolist() == [40, 605]
    assert repr(again) == "SparseMatrix(shape=(2, 3), entries=3, trainable=False)"
    bad = {**one.state_dict(), "indices": torch.tensor([0, 9, 1])}
    one.load_state_dict(bad)
    with pytest.raises(ValueError, match="9"):
        one(x)


@pytest.mark.parametrize("of", [csr_array, csc_array, coo_array, lambda A: A.to_scipy(), lambda A: A.to_torch()])
def test_what_a_module_is_made_of(of):
    A = matrix("unsorted")
    np.testing.assert_allclose(sct.SparseMatrix(of(A)).matrix.toarray(), A.toarray())


PATTERNS_THAT_CHANGE = {
    "spmv, CSR": lambda x: (sct.spmv, torch.sparse_csr_tensor, x),
    "spmv, CSC": lambda x: (sct.spmv, torch.sparse_csc_tensor, x),
    "spmm, CSR": lambda x: (sct.spmm, torch.sparse_csr_tensor, x[:, None]),
}


@pytest.mark.parametrize("which", ["offsets", "indices"])
@pytest.mark.parametrize("name", PATTERNS_THAT_CHANGE)
def test_the_gradient_is_that_of_the_pattern_of_the_forward_pass(name, which):
    """Torch's own tensors of indices do not tell that they were written into. With a gradient for the values torch crashes."""
    found = []
    for changes in (False, True):
        x = torch.arange(1.0, 4, dtype=torch.float64, requires_grad=True)
        values = torch.tensor([1.0, 2, 3], dtype=torch.float64)
        offsets, indices = (torch.tensor(y, dtype=torch.int32) for y in ([0, 2, 3, 3], [0, 2, 1]))
        multiply, make, operand = PATTERNS_THAT_CHANGE[name](x)
        y = multiply(make(offsets, indices, values, (3, 3)), operand)
        if changes:
            (offsets if which == "offsets" else indices).fill_(2**31 - 1)
        (y.ravel() * torch.arange(1.0, 4)).sum().backward()
        found.append(x.grad)
    torch.testing.assert_close(found[0], found[1])


@pytest.mark.parametrize("which", ["indptr", "indices"])
def test_a_module_whose_pattern_changes(which):
    """The backward pass belongs to the old pattern; the next product uses the new one, which is checked."""
    M = sct.SparseMatrix(csr_array([[1.0, 0, 2], [0, 3, 0]]), trainable=True)
    matrix, x = M.matrix, torch.ones(3, dtype=torch.float64, requires_grad=True)
    y = M(x)
    getattr(M, which).fill_(2**31 - 1)
    y.sum().backward()
    assert x.grad.tolist() == [1, 3, 2]
    assert (matrix @ np.ones(3)).tolist() == [3, 3]
    with pytest.raises(ValueError, match=which):
        M(x)


@pytest.mark.parametrize("which", ["indptr", "indices"])
def test_a_module_whose_pattern_is_replaced_twice(which):
    """The memory of the tensor that is gone is that of the next one: nothing but its address says that it is another."""
    n = 2000
    M, x = sct.SparseMatrix(csr_array((np.ones(n), np.arange(n), np.arange(n + 1)), shape=(n, n))), torch.arange(1.0, n + 1)
    for k in range(1, 20):
        M(x)
        for shift in (k + 100, k):
            if which == "indices":
                M.indices = ((torch.arange(n) + shift) % n).to(M.indices.dtype)
            else:
                M.indptr = torch.cat([torch.zeros(shift + 1), torch.full((n - shift,), n)]).to(M.indptr.dtype)
        expected = x.roll(-k) if which == "indices" else torch.zeros(n).index_fill(0, torch.tensor(k), x.sum())
        torch.testing.assert_close(M(x).to(x.dtype), expected)


@pytest.mark.parametrize(
    "function",
    [
        sct.right_flood,
        sct.left_flood,
        lambda x: sct.segmented_reduce(x, torch.tensor([0, 1, 3]), "max"),
        lambda x: sct.segment_min(x, torch.tensor([0, 1, 1])),
        lambda x: sct.segmented_reduce(x, torch.tensor([0, 1, 3])),
    ],
)
@pytest.mark.filterwarnings("ignore:.torch.jit.script:FutureWarning")
def test_derivatives_in_forward_mode_are_refused(function):
    x = torch.tensor([1.0, 0, 2])
    with torch.autograd.forward_ad.dual_level(), pytest.raises(NotImplementedError, match="jvp"):
        function(torch.autograd.forward_ad.make_dual(x, torch.ones(3)))


def test_what_torch_shares_it_cannot_break():
    indices = torch.tensor([0, 2, 1], dtype=torch.int32)
    A = sct.from_torch(torch.sparse_csr_tensor(torch.tensor([0, 2, 3], dtype=torch.int32), indices, torch.ones(3), (2, 3)))
    R = Ragged.from_lists([[1.0], [2.0, 3.0]])
    nested = sct.to_nested(R)
    back = sct.from_nested(nested)
    indices.fill_(2**30)
    nested.offsets().fill_(2**30)
    assert (A @ np.ones(3)).tolist() == [2, 1]
    assert R.sum(axis=-1).tolist() == back.sum(axis=-1).tolist() == [1, 5]


def test_tensors_do_not_write_into_what_is_read_only():
    x = np.arange(5.0)
    x.flags.writeable = False
    A = csr_array((x, np.arange(5), np.arange(6)), shape=(5, 5))
    sct.to_torch(A).values().mul_(2)
    sct.to_edge_index(Graph(A))[1].mul_(2)
    sct.to_nested(Ragged(x, np.array([0, 2, 5]))).values().mul_(2)
    assert x.tolist() == A.data.tolist() == [0, 1, 2, 3, 4]


def test_a_module_in_inference_mode():
    x = torch.ones(2, dtype=torch.float64)
    with torch.inference_mode():
        M = sct.SparseMatrix(csr_array([[1.0, 2]]))
        assert M(x).tolist() == [3]
        M.indices.copy_(torch.tensor([1, 1]))
        M.data.copy_(torch.tensor([5, 0]))
        assert M(x).tolist() == [5]
    assert copy.deepcopy(M)(x).tolist() == [5]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_module_in_a_compiled_model():
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    M = sct.SparseMatrix(csr_array([[1.0, 0, 2], [0, 3, 0]]), trainable=True)
    y = torch.compile(torch.nn.Sequential(M, torch.nn.ReLU()), backend="eager")(x)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist(), M.data.grad.tolist()) == ([3, 3], [1, 3, 2], [1, 1, 1])


def test_nested_tensors():
    for lists in ([[6.0, 5, 5], [2], [9, 9]], [[], [1.0], [], []], [[]]):
        R = Ragged.from_lists(lists)
        N = sct.to_nested(R)
        assert [row.tolist() for row in N.unbind()] == lists
        assert N.values().data_ptr() == torch.from_numpy(R.values).data_ptr() or not R.values.size
        back = sct.from_nested(N)
        assert back.to_lists() == lists
        assert np.shares_memory(back.values, R.values) or not R.values.size
    vectors = Ragged(np.arange(6.0).reshape(3, 2), [0, 1, 3])
    assert [row.tolist() for row in sct.to_nested(vectors).unbind()] == vectors.to_lists()
    assert sct.from_nested(sct.to_nested(vectors)).values.tolist() == vectors.values.tolist()
    sliced = Ragged(np.arange(6), np.array([2, 3, 5]))
    assert [row.tolist() for row in sct.to_nested(sliced).unbind()] == [[2], [3, 4]]


def test_nested_tensors_that_are_no_ragged_arrays():
    values = torch.zeros(4, 2)
    with pytest.raises(ValueError, match="along the second axis"):
        sct.from_nested(torch.nested.nested_tensor_from_jagged(values, offsets=torch.tensor([0, 4])).transpose(1, 2))
    gaps = torch.nested.nested_tensor_from_jagged(values[:, 0], offsets=torch.tensor([0, 2, 4]), lengths=torch.tensor([1, 2]))
    with pytest.raises(ValueError, match="gaps"):
        sct.from_nested(gaps)
    with pytest.raises(TypeError, match="strided"):
        sct.from_nested(values)
    with pytest.raises(ValueError, match="two axes, got 3"):
        sct.to_nested(Ragged.from_lists([[[1]]]))
    with pytest.raises(TypeError, match="list"):
        sct.to_nested([[1]])


A3 = csr_array((3, 4))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: sct.spmv(A3, torch.zeros(3)), ValueError, r"must have 4 rows .* shape \(3, 4\), got shape \(3,\)"),
        (lambda: sct.spmv(A3.T, torch.zeros(4)), ValueError, r"must have 3 rows .* shape \(4, 3\), got shape \(4,\)"),
        (lambda: sct.spmv(A3, torch.zeros(4, 1)), ValueError, "use spmm"),
        (lambda: sct.spmm(A3, torch.zeros(4)), ValueError, "two dimensions or more, got .*: use spmv"),
        (lambda: sct.spmm(A3, torch.zeros(4, 3, 2)), ValueError, r"must have 4 rows .* got shape \(4, 3, 2\)"),
        (lambda: sct.segmented_reduce(torch.zeros(3), torch.tensor([2, 1])), ValueError, "give them as lengths="),
        (lambda: sct.spmv(A3, np.zeros(4)), TypeError, "x must be a torch.Tensor, got ndarray"),
        (lambda: sct.repeat(torch.zeros(3), 2**70), ValueError, r"fewer than 2\*\*63 elements, got 1180591620717411303424 for"),
        (lambda: sct.spmv(A3, torch.zeros(4), torch.zeros(2)), ValueError, r"each of the 0 entries, got shape \(2,\)"),
        (lambda: sct.spmv(A3, torch.zeros(4).bfloat16()), TypeError, "bfloat16.*float"),
        (lambda: sct.spmv(A3, torch.zeros(4, device="meta")), TypeError, "device meta"),
        (lambda: sct.spmv(torch.zeros(3, 4), torch.zeros(4)), TypeError, "layout torch.strided: use A.to_sparse_csr"),
        (lambda: sct.spmv(A3.to_scipy(), torch.zeros(4)), TypeError, r"scipy.*csr_array: use spark_csr.csr_array\(A\)"),
        (lambda: sct.spmv(A3.to_torch(), torch.zeros(4).double(), torch.zeros(0)), ValueError, "data is for"),
        (lambda: sct.spmv(A3, torch.zeros(4).to_sparse()), TypeError, "dense"),
        (lambda: sct.spmv(coo_array([1.0, 2]), torch.zeros(2)), ValueError, "vector"),
        (lambda: coo_array([1.0, 2]).to_torch(), ValueError, "rows and columns"),
        (lambda: sct.to_torch([[1]]), TypeError, "list"),
        (lambda: sct.from_torch(torch.zeros(2, 2)), TypeError, "strided"),
        (
            lambda: sct.segmented_reduce(torch.zeros(3), torch.tensor([0, 2])),
            ValueError,
            r"from 0 to 3.*got 0 to 2: use x\[0:2\]",
        ),
        (lambda: sct.segmented_reduce(torch.zeros(3), torch.tensor([0, 2, 1, 3])), ValueError, r"offsets\[1\] = 2"),
        (lambda: sct.segmented_reduce(torch.zeros(3), torch.tensor([0, 3]), "prod"), ValueError, "logarithms"),
        (lambda: sct.segmented_reduce(torch.zeros(3).long(), torch.tensor([0, 3]), "mean"), TypeError, "int64: use x.double"),
        (lambda: sct.segmented_reduce(torch.tensor(1.0), torch.tensor([0, 1])), ValueError, "one axis or more"),
        (lambda: sct.segmented_softmax(torch.zeros(3).long(), torch.tensor([0, 3])), TypeError, "floating"),
        (lambda: sct.repeat(torch.zeros(3), torch.zeros(2).long()), ValueError, "the 3 elements of x"),
        (lambda: sct.repeat(torch.zeros(3), torch.tensor([1, -1, 0])), ValueError, r"counts\[1\] = -1"),
        (lambda: sct.repeat(torch.zeros(3), torch.zeros(3)), TypeError, "counts must hold integers"),
        (lambda: sct.repeat(torch.zeros(3), 1.5), TypeError, "float"),
        (lambda: sct.right_flood(torch.zeros(3), torch.zeros(3)), TypeError, "valid must have dtype bool"),
        (lambda: sct.right_flood(torch.zeros(3), limit=-1), ValueError, "limit"),
        (lambda: sct.right_flood(torch.zeros(3), [True] * 3), TypeError, "valid must be a torch.Tensor, got list"),
    ],
)
def test_what_cannot_be_done(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_tensors_on_two_devices():
    """No GPU is needed to refuse: the second device is torch's one without memory."""
    share = importlib.import_module("spark_csr.interop.torch._share")
    with pytest.raises(TypeError, match="x is on cpu and offsets on meta: move one"):
        share.check_same_device(x=torch.zeros(1), valid=None, offsets=torch.zeros(1, device="meta"))


@pytest.mark.parametrize("version", [13, 14])
def test_kernels_run_on_torchs_stream(monkeypatch, version):
    """Without a GPU: a stand-in for CuPy notes what is asked of it."""
    share, entered = importlib.import_module("spark_csr.interop.torch._share"), []

    def block(kind):
        @contextlib.contextmanager
        def enter(number):
            entered.append((kind, number.__cuda_stream__()[1] if hasattr(number, "__cuda_stream__") else number))
            yield
            entered.append(("left", kind))

        return enter

    new = SimpleNamespace(from_external=block("stream")) if version == 14 else SimpleNamespace()
    cupy = SimpleNamespace(cuda=SimpleNamespace(Device=block("device"), ExternalStream=block("stream"), Stream=new))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: SimpleNamespace(cuda_stream=70 + device.index))
    with share.stream_of(SimpleNamespace(is_cuda=True, device=torch.device("cuda:1"))):
        assert entered == [("device", 1), ("stream", 71)]
    assert entered[2:] == [("left", "stream"), ("left", "device")]
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(RuntimeError, match="pip install cupy"):
        share.array_of(SimpleNamespace(is_cuda=True))


def test_doctests():
    package = importlib.import_module("spark_csr.interop.torch")
    names = [f"{package.__name__}.{found.name}" for found in pkgutil.iter_modules(package.__path__)]
    results = [doctest.testmod(importlib.import_module(name)) for name in names]
    assert sum(result.attempted for result in results) > 20
    assert not any(result.failed for result in results)


@pytest.mark.parametrize("statement", ["import spark_csr", "import spark_csr.interop"])
def test_torch_is_not_imported_unasked(statement):
    code = f"import sys; {statement}; assert not {{'torch', 'cupy'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
