"""Kernels that numba-cuda-mlir compiles, executed by the interpreter of PTX. Needs no numba-cuda, where this is chosen:

    SPARK_CSR_GPU_COMPILER=numba-cuda-mlir python -m pytest tests/engine/gpu/test_mlir.py

With `SPARK_CSR_PTX=1` as well, all tests run on kernels that it compiles.
"""

import importlib
import importlib.util
import itertools

import numpy as np
import pytest
from numba import types

from spark_csr import _ops as ops
from spark_csr._array import SIMULATED
from spark_csr._shared.visits import is_set

if SIMULATED or not importlib.util.find_spec("numba_cuda_mlir"):
    pytest.skip("needs numba-cuda-mlir, and not the simulator", allow_module_level=True)
compiler = importlib.import_module("spark_csr._engine.gpu.compiler")
ptx = pytest.importorskip("ptx")
cubin = pytest.importorskip("ptx.cubin")
if not ptx.available():
    pytest.skip("needs a C++ compiler, for the interpreter of PTX", allow_module_level=True)

CAPABILITY = (9, 0)


def module(name):
    """A module of `_cuda`, whose `__init__` has functions of the same names."""
    return importlib.import_module(f"spark_csr._cuda.{name}")


@pytest.fixture
def mlir(monkeypatch):
    """The compiler, chosen for this test."""
    chosen = importlib.import_module(compiler.COMPILERS["numba-cuda-mlir"])
    for name in ("spark_csr._engine.gpu.compile", "ptx.cubin"):
        monkeypatch.setattr(importlib.import_module(name), "chosen", lambda: chosen)
    return chosen


@pytest.fixture
def run(mlir):
    """A function `run(kernel, blocks, *args)` that compiles, checks and executes a kernel on NumPy's arrays."""
    compile_ = importlib.import_module("spark_csr._engine.gpu.compile")
    look_over = importlib.import_module("spark_csr._engine.numba.parameters").look_over

    def run(kernel, blocks, *args):
        kinds = tuple(compile_.type_of(x, kernel.views) for x in args)
        text = compile_.ptx_of(kernel.function, kinds, kernel.threads, CAPABILITY)
        cubin.check_text(text, kinds)
        program, parameters = ptx.load(ptx.assemble(text)), []
        program.name = ptx.name_of(kernel.function)
        look_over(args, kernel.views, parameters, [], mlir.parts_of_array)
        arrays = [x for x in parameters if isinstance(x, np.ndarray)]
        passed = [np.uintp(x.ctypes.data) if isinstance(x, np.ndarray) else np.asarray(x) for x in parameters]
        buffers = [ptx.Buffer(x.ctypes.data, x.nbytes, x.itemsize, x.ctypes.data) for x in arrays if x.size]
        ptx.launch(program, blocks, kernel.threads, [x.tobytes() for x in passed], buffers)

    return run


def text_of(mlir, function, *kinds):
    """The PTX of a plain function."""
    return mlir.compile_to_ptx(function, types.void(*kinds), CAPABILITY, 64)


@pytest.mark.parametrize("n", [1, 9000])
def test_compact(run, n):
    kept, compact, rng = module("kept"), module("compact"), np.random.default_rng(n)
    x, mask = rng.random(n), rng.random(n) < 0.4
    tiles = compact.compact_tiles(n)
    counts = np.zeros(tiles, np.int64)
    run(kept.count_kernel(is_set), tiles, mask, n, counts)
    before = np.r_[0, np.cumsum(counts)]
    out = np.full(before[-1], np.nan)
    run(compact.write_kernel(compact._store_element, False), tiles, (out, x), mask, n, before, out.size)
    np.testing.assert_array_equal(out, x[mask])


SCANS = {
    "int64": np.random.default_rng(1).integers(-(2**40), 2**40, 9000),
    "uint32": np.random.default_rng(2).integers(0, 9, 9000).astype(np.uint32),
    "float32": np.random.default_rng(3).integers(-9, 9, 9000).astype(np.float32),
    "float64": np.random.default_rng(4).integers(-9, 9, 9000) + 2.0**-40,
}


@pytest.mark.parametrize("segmented", [False, True])
@pytest.mark.parametrize("name", SCANS)
def test_scan(run, name, segmented):
    chained, x = module("scan"), SCANS[name]
    dtype, n, monoid = x.dtype, x.size, ops.MONOIDS["sum"]
    tiles = -(-n // chained.BOX.tile)
    words = np.zeros(1 + chained.words_for(tiles) * chained.parts_of(dtype), np.uint64)
    starts = np.arange(0, n, 700 if segmented else n)
    heads = np.isin(np.arange(n), starts) if segmented else words[:1]
    kernel = chained._kernel(dtype.kind in "fc", monoid, dtype, ops.element, ops.store, segmented, False, False)
    out, total = np.zeros_like(x), np.zeros(1, dtype)
    run(kernel, tiles, (x, out), heads, n, words[:1], words[1:], tiles, monoid.identity_for(dtype), total)
    np.testing.assert_array_equal(out, np.concatenate([np.cumsum(part, dtype=dtype) for part in np.split(x, starts[1:])]))
    assert total[0] == out[-1]


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.complex128])
def test_product_of_a_matrix_and_a_vector(run, dtype):
    """Rows without entries, and one that several tiles hold."""
    spmv, segmented, foreach, rng = module("spmv"), module("segmented"), module("foreach"), np.random.default_rng(5)
    lengths = rng.integers(0, 40, 300)
    lengths[7:20], lengths[5] = 0, 3000
    indptr = np.r_[0, np.cumsum(lengths)].astype(np.int32)
    data, x = rng.integers(-3, 4, indptr[-1]).astype(dtype), rng.integers(-3, 4, 200).astype(dtype)
    indices, entries = rng.integers(0, x.size, data.size).astype(np.int32), int(indptr[-1]) + lengths.size
    tiles = -(-entries // segmented.BOX.tile)
    rows, carry, y = np.zeros(tiles + 1, np.int64), np.zeros(tiles, dtype), np.zeros(lengths.size, dtype)
    cut = foreach._kernel(segmented.cut)
    run(cut, 1, rows.size, (indptr, lengths.size, segmented.BOX.tile, rows))
    ring = ops.SEMIRINGS["plus_times"]
    kernel = segmented.tile_kernel(ring.add, np.dtype(dtype), spmv.product(ring, np.dtype(dtype), False))
    run(kernel, tiles, (data, indices, x), indptr, rows, np.int64(entries), carry, y)
    np.add.at(y, rows[1:-1], carry[:-1])
    products = data * x[indices]
    np.testing.assert_array_equal(y, [products[a:b].sum() for a, b in itertools.pairwise(indptr)])


def test_words_that_have_no_counterpart_are_named(mlir):
    from spark_csr._engine.numba.intrinsics.prefetch import prefetch_at

    def read(x):
        prefetch_at(x, 0)

    with pytest.raises(NotImplementedError, match="`prefetch_at`"):
        text_of(mlir, read, types.CPointer(types.int64))


def test_complex_numbers_are_refused_as_parameters(mlir):
    with pytest.raises(NotImplementedError, match="complex number as one parameter"):
        text_of(mlir, _view, types.CPointer(types.float32), types.complex128)


def test_another_version_is_refused(mlir, monkeypatch):
    monkeypatch.setattr(mlir, "VERSION", "0.0.1")
    with pytest.raises(ImportError, match="numba-cuda-mlir 0.0.1 is needed, found 0"):
        mlir.load_cuda.__wrapped__()


def _large(x):
    x[0] = np.uint64(large)  # noqa: F821


def test_integers_of_64_bits_are_constants(mlir):
    assert "-2" in text_of(mlir, _with_globals(_large, large=2**64 - 2), types.CPointer(types.uint64))


def _with_globals(function, **names):
    return type(function)(function.__code__, {"np": np, "__builtins__": __builtins__, **names})


def _shuffle(x):
    x[0] = cuda.shfl_sync(np.uint32(0xFFFFFFFF), x[0], np.uint32(1))  # noqa: F821


@pytest.mark.parametrize("kind", [types.int64, types.uint64, types.float64])
def test_shuffles_move_all_bits(mlir, kind):
    text = text_of(mlir, _with_globals(_shuffle, cuda=mlir.load_cuda()), types.CPointer(kind))
    assert text.count("shfl.sync") == 2


def _set_bits(x):
    marks = cuda.shared.array(64, uint32)  # noqa: F821
    marks[cuda.threadIdx.x] = np.uint32(0)  # noqa: F821
    again = marks
    cuda.atomic.or_(again, np.int64(5), np.uint32(1))  # noqa: F821
    x[0] = marks[5]


def test_atomics_of_shared_arrays_that_have_two_names(mlir):
    text = text_of(mlir, _with_globals(_set_bits, cuda=mlir.load_cuda(), uint32=types.uint32), types.CPointer(types.uint32))
    assert "atom.shared" in text or "red.shared" in text
    assert "atom.global" not in text


def _differs(x):
    x[0] = 1.0 if x[1] != x[1] else 0.0


def test_nan_differs_from_itself(mlir):
    assert "setp.n" in text_of(mlir, _with_globals(_differs), types.CPointer(types.float64))


def _least(x):
    x[0] = min(x[1], x[2])


@pytest.mark.parametrize("kind", [types.uint32, types.uint64])
def test_least_of_unsigned_numbers(mlir, kind):
    assert f"min.u{kind.bitwidth}" in text_of(mlir, _with_globals(_least), types.CPointer(kind))


def _view(x):
    x[0] = np.uint32(x[0]).view(np.float32)


def test_numbers_are_viewed(mlir):
    assert ".entry" in text_of(mlir, _with_globals(_view), types.CPointer(types.float32))


def test_the_capability_is_not_kept(mlir):
    tools = importlib.import_module("numba_cuda_mlir.tools")
    before = tools._cached_cc
    text = mlir.compile_to_ptx(_with_globals(_differs), types.void(types.CPointer(types.float64)), (8, 0), 64)
    assert ".target sm_80" in text
    assert tools._cached_cc is before
