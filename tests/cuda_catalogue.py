"""Every CUDA kernel with arguments it is launched with: what the compile check goes through."""

import importlib

import numpy as np

from spark_csr import ops
from spark_csr._array import DTYPES
from spark_csr._cuda.compile import type_of
from spark_csr._specialise import digest
from spark_csr.merge_path import cut
from spark_csr.order import comparable

composed, convert, flood, offsets_module, search_module, segmented_module, sort_module = (
    importlib.import_module(f"spark_csr.{name}")
    for name in (
        "operations.composed",
        "operations.convert",
        "primitives.flood",
        "primitives.offsets",
        "primitives.search",
        "primitives.segmented",
        "primitives.segmented_sort",
    )
)

# By name: the package exports functions called like these modules.
foreach, scan, search, segmented, segmented_sort, spmm, spmv = (
    importlib.import_module(f"spark_csr._cuda.{name}")
    for name in ("foreach", "scan", "search", "segmented", "segmented_sort", "spmm", "spmv")
)

FLOAT64 = np.dtype(np.float64)
FLOAT16 = np.dtype(np.float16)
RINGS = {"min_plus": "float64", "max_plus": "int32", "max_times": "float32", "any_pair": "int64", "or_and": "bool"}
OPERATORS = {"prod": "float64", "min": "float32", "max": "int32", "any": "bool", "all": "bool"}
"""The other operators, each with one dtype of its own: kernels differ by the operator's few instructions only."""


def array(dtype):
    """A stand-in: only its dtype counts."""
    return np.empty(1, dtype)


def values(dtype):
    """A matrix's data as kernels see it: float16 as its bits."""
    return array(np.uint16 if dtype == FLOAT16 else dtype)


def computed(dtype):
    return np.dtype(np.float32) if dtype == FLOAT16 else dtype


def products(ring, stored, index):
    """The kernels behind `A @ x`, `A.T @ x` and `A @ X` for one semiring, stored dtype and index width."""
    half, dtype = stored == FLOAT16, np.dtype(bool) if ring.name == "or_and" else computed(stored)
    x, indices, y, i64 = array(dtype), array(index), array(dtype), 1
    item = spmv.product(ring, dtype, half)
    permuted = spmv.product(ring, dtype, half, permuted=True)
    operands = (values(stored), indices, x)
    yield "spmv_tiles", segmented.tile_kernel(ring.add, dtype, item), (operands, indices, indices, i64, y, y)
    yield "spmv_permuted", segmented.tile_kernel(ring.add, dtype, permuted), ((*operands, indices), indices, indices, i64, y, y)
    for lanes in (1, 8, 32):
        yield f"spmv_rows_{lanes}", segmented.row_kernel(ring.add, dtype, item, lanes), (operands, indices, i64, y)
    for lanes in (1, 32):
        yield f"finish_{lanes}", segmented.finish_kernel(ring.add, dtype, lanes), (indices, i64, y, y)
    for name, matrix in (("", (values(stored),)), ("_permuted", (values(stored), indices))):
        multiply, finish = spmm.kernels(ring, dtype, half, bool(name))
        yield f"spmm{name}", multiply, (matrix, indices, indices, x, indices, i64, i64, y, y)
        yield f"spmm_finish{name}", finish, (indices, i64, i64, y, y)


def scans(monoid, dtype):
    """The kernels behind scans: every direction and form."""
    x, out, flags, n = array(dtype), array(dtype), array(np.uint8), 1
    for segmented_by in (False, True):
        for exclusive in (False, True):
            for reverse in (False, True):
                three = scan.kernels(monoid, dtype, segmented_by, exclusive, reverse)
                name = f"{'segmented_' * segmented_by}{'exclusive_' * exclusive}{'reverse_' * reverse}"
                arguments = (x, flags, n, out, flags), (out, flags, n, out, out), (x, flags, n, out, out)
                for part, kernel, sample in zip(("reduce", "sums", "scan"), three, arguments, strict=True):
                    yield f"{name}{part}", kernel, sample


def sorts(dtype, index):
    """The kernels behind segmented sorts of one dtype; without positions they are a part of those with, checked for one."""
    x, offsets = comparable(array(dtype)), array(index)
    for indexed in (True, False) if dtype == FLOAT64 else (True,):
        positions, where = array(np.int32) if indexed else x, (offsets, offsets, array(np.int64), 1)
        short, pieces, merges = segmented_sort.kernels(dtype, x.dtype, indexed)
        name = f"segmented_{'arg' * indexed}sort"
        yield f"{name}_short", short, (offsets, offsets, x, x, positions)
        yield f"{name}_pieces", pieces, (*where, x, x, positions, x, positions)
        yield f"{name}_merges", merges, (*where, 1, x, positions, x, positions)


def everything():
    """`(name, kernel, argument types)` of every kernel x dtype that operations can ask for, each once."""
    seen = set()
    for name, kernel, sample in _all_launched():
        argument_types = tuple(type_of(x, kernel.views) for x in sample)
        identity = digest(kernel.function), argument_types
        if identity not in seen:
            seen.add(identity)
            yield name, kernel, argument_types


def _all_launched():
    for stored in DTYPES:
        for name, kernel, sample in products(ops.PLUS_TIMES, stored, np.int32):
            yield f"{name}-plus_times-{stored}-int32", kernel, sample
        if stored != FLOAT16:
            yield f"segmented_reduce-sum-{stored}", *_reduction(ops.MONOIDS["sum"], stored)
            for name, kernel, sample in scans(ops.MONOIDS["sum"], stored):
                yield f"scan_{name}-sum-{stored}", kernel, sample
    for name, kernel, sample in products(ops.PLUS_TIMES, FLOAT64, np.int64):
        yield f"{name}-plus_times-float64-int64", kernel, sample
    for ring, stored in RINGS.items():
        for name, kernel, sample in products(ops.SEMIRINGS[ring], np.dtype(stored), np.int32):
            yield f"{name}-{ring}-{stored}-int32", kernel, sample
    for op, dtype in OPERATORS.items():
        yield f"segmented_reduce-{op}-{dtype}", *_reduction(ops.MONOIDS[op], np.dtype(dtype))
        for name, kernel, sample in scans(ops.MONOIDS[op], np.dtype(dtype)):
            yield f"scan_{name}-{op}-{dtype}", kernel, sample
    for dtype in DTYPES:
        if dtype.kind != "c":
            for name, kernel, sample in sorts(dtype, np.int32):
                yield f"{name}-{dtype}-int32", kernel, sample
    for name, kernel, sample in sorts(FLOAT64, np.int64):
        yield f"{name}-float64-int64", kernel, sample
    for index in (np.int32, np.int64):
        offsets = array(index)
        yield f"segment_ids-{np.dtype(index)}", search.ids_kernel(), (offsets, offsets, 1, offsets)
    for body, arguments in bodies():
        dtypes = "-".join(str(x.dtype) for x in arguments if isinstance(x, np.ndarray))
        yield f"for_each-{body.__name__}-{dtypes}", foreach._kernel(body), (1, arguments)


def bodies():
    """`(body, arguments)` of every function that operations and primitives run by `for_each`."""
    flags, index = array(bool), array(np.int32)
    for wide in (np.int32, np.int64):
        offsets = array(wide)
        yield cut, (offsets, 1, 1, offsets)
        yield offsets_module._mark_head, (offsets, 1, 1, flags)
        yield offsets_module._first_with_id, (offsets, 1, offsets)
        yield search_module._rank, (offsets, offsets, offsets)
        yield search_module._find, (offsets, 1, offsets, index, index)
        yield segmented_sort.count_pieces, (offsets, index, 1, 1, array(np.int64))
        yield composed._write_row_at_start, (offsets, offsets, flags)
    yield flood._position, (flags, 1, index)
    yield flood._within, (1, 1, index)
    for width in (np.uint8, np.uint16, np.uint32, np.uint64, np.complex128):
        yield flood._take, (array(width), index, array(width), array(width))
        yield sort_module._take_first, (index, index, index, array(width), index, array(width), index)
    for dtype in DTYPES:
        if dtype != FLOAT16:
            x = array(dtype)
            yield segmented_module._candidate, (x, index, x, 1, 1, index)
            yield convert._spread_row, (index, index, x, 1, x)
            yield composed._take_last_of_row, (index, 1, x, x)


def _reduction(monoid, dtype):
    index, x = array(np.int32), array(dtype)
    return segmented.tile_kernel(monoid, dtype, segmented._value), ((x,), index, index, 1, x, x)
