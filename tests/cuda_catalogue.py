"""Every CUDA kernel with arguments it is launched with: what the compile check goes through."""

import importlib
import itertools

import numpy as np
from numba import njit

from spark_csr import _ops as ops
from spark_csr._array import DTYPES
from spark_csr._cuda.compile import type_of
from spark_csr._shared.atomics import DTYPES as DTYPES_OF_ATOMICS
from spark_csr._shared.atomics import atomic_add, atomic_max, atomic_min
from spark_csr._shared.merge_path import cut
from spark_csr._shared.merge_rows import cut_rows
from spark_csr._shared.order import comparable
from spark_csr._specialise import digest


def module(name):
    """By its name: packages export functions called like some modules."""
    return importlib.import_module(f"spark_csr.{name}")


assign = module("operations.assign")
canonical = module("operations.canonical")
choose_module = module("primitives.choose")
clear = module("operations.clear")
counts_module = module("primitives.counts")
columns = module("operations.columns")
compact_module = module("primitives.compact")
broadcast = module("operations.broadcast")
composed = module("operations.composed")
convert = module("operations.convert")
diagonals = module("operations.diagonals")
extremes = module("operations.extremes")
kron = module("operations.kron")
spgemm_composed = module("operations.spgemm_composed")
spgemm_size = module("operations.spgemm_size")
stack = module("operations.stack")
triangle = module("operations.triangle")
flood = module("primitives.flood")
functions = module("primitives._functions")
indexing = module("operations.index")
keep = module("operations.keep")
map_module = module("primitives.map_where")
merge_module = module("primitives.merge")
offsets_module = module("primitives.offsets")
points = module("operations.points")
positions = module("operations.positions")
product_module = module("primitives.product")
prune_module = module("operations.prune")
ragged_aligned = module("ragged.aligned")
ragged_order = module("ragged.order")
ragged_reductions = module("ragged.reductions")
ranges = module("operations.ranges")
reduce_module = module("operations.reduce")
sampled = module("operations.sampled")
reduce_deduce = module("primitives.reduce_deduce")
repeat_module = module("primitives.repeat")
search_module = module("primitives.search")
segmented_module = module("primitives.segmented")
topk_module = module("primitives.segmented_topk")
bits_module = module("primitives.sort_by_bits")
keys_module = module("primitives.sort_keys")
sort_module = module("primitives.sort")
structure = module("operations.structure")

inner = module("ragged.inner")
padding = module("ragged.padding")
pick = module("ragged.pick")
take = module("ragged.take")

expand_module = module("graph.operators.expand")
filter_module = module("graph.operators.filter")
frontier = module("graph.frontier")
intersection = module("graph.operators.intersection")
hits = module("graph.algorithms.hits")
neighbor_reduce = module("graph.operators.neighbor_reduce")
pagerank = module("graph.algorithms.pagerank")
power = module("graph.algorithms.power")
triangle_count = module("graph.algorithms.triangle_count")
pull = module("graph.operators.pull")
push = module("graph.operators.push")
visit = module("graph.operators.for_each")
walk = module("graph.operators.walk")

betweenness = module("graph.algorithms.betweenness")
bfs = module("graph.algorithms.bfs")
k_core = module("graph.algorithms.k_core")
color = module("graph.algorithms.color")
label_propagation = module("graph.algorithms.label_propagation")
random_walk = module("graph.algorithms.random_walk")
spanning = module("graph.algorithms.minimum_spanning_tree")
strong = module("graph.algorithms.strong")
union = module("graph.union")
weak = module("graph.algorithms.weak")
sssp = module("graph.algorithms.sssp")

assemble = module("_cuda.assemble")
brandes = module("_cuda.brandes")
choose = module("_cuda.choose")
claim = module("_cuda.claim")
compact = module("_cuda.compact")
drain = module("_cuda.drain")
elementwise = module("_cuda.elementwise")
foreach = module("_cuda.foreach")
gather = module("_cuda.gather")
kept = module("_cuda.kept")
merge = module("_cuda.merge")
merge_sort = module("_cuda.merge_sort")
networks = module("_cuda.networks")
product = module("_cuda.product")
extreme_positions = module("_cuda.positions")
softmax = module("_cuda.softmax")
prune = module("_cuda.prune")
radix = module("_cuda.radix")
relax = module("_cuda.relax")
repeat = module("_cuda.repeat")
scan = module("_cuda.scan")
search = module("_cuda.search")
segmented = module("_cuda.segmented")
segmented_sort = module("_cuda.segmented_sort")
spgemm = module("_cuda.spgemm")
spgemm_plan = module("_cuda.spgemm_plan")
spmm = module("_cuda.spmm")
spmv = module("_cuda.spmv")
transpose = module("_cuda.transpose")
triangles = module("_cuda.triangles")
traversal = module("ragged.traversal")

WIDTHS = (np.uint8, np.uint16, np.uint32, np.uint64, np.complex128)
FLOAT64 = np.dtype(np.float64)
FLOAT16 = np.dtype(np.float16)
UNSIGNED = tuple(np.dtype(code) for code in "BHIQ")
RINGS = {"min_plus": "float64", "max_plus": "int32", "max_times": "float32", "any_pair": "int64", "or_and": "bool"}
OPERATORS = {"prod": "float64", "min": "float32", "max": "int32", "any": "bool", "all": "bool"}
"""The other operators, each with one dtype of its own: kernels differ by the operator's few instructions only."""


@njit
def doubled(v):
    return v + v


SUMS = {
    1: lambda value, i: value + i,
    2: lambda value, i, j: value + i - j,
    3: lambda value, i, j, k: value + i - j * k,
    4: lambda value, i, j, k, m: (value + i - j * k) / m,
}
"""What `Ragged.map` is given, by the number of axes."""


EDGE_TEST = njit(lambda src, dst, edge, weight, marks, limit: marks[dst] + weight < limit + src * edge)
EDGE_VALUE = njit(lambda src, dst, edge, weight, marks, limit: marks[dst] * weight + limit + src * edge)
ITEM_TEST = njit(lambda item, marks, limit: marks[item] < limit)
"""What operators on graphs are given."""

BFS_STEP = bfs._reach
PEEL_STEP, PEEL_TEST = njit(k_core._peel), njit(k_core._stays)


@njit
def item_change(item, slots):
    """Every atomic function."""
    return atomic_add(slots, item, atomic_min(slots, item, 3)) < atomic_max(slots, item + 1, 4)


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


def scans(monoid, dtype, item, emit, operands, forms):
    """The kernels behind scans of one source and sink; a form is (segmented, exclusive, reverse)."""
    out, flags, n = array(dtype), array(np.uint8), 1
    for segmented_by, exclusive, reverse in forms:
        three = scan.kernels(monoid, dtype, item, emit, segmented_by, exclusive, reverse)
        name = f"{'segmented_' * segmented_by}{'exclusive_' * exclusive}{'reverse_' * reverse}"
        arguments = (operands, flags, n, out, flags), (out, flags, n, out, out), (operands, flags, n, out)
        for part, kernel, sample in zip(("reduce", "sums", "scan"), three, arguments, strict=True):
            yield f"{name}{part}", kernel, sample


def plain_scans(monoid, dtype):
    """Scans from an array to an array."""
    forms = itertools.product((False, True), repeat=3)
    return scans(monoid, dtype, ops.element, ops.store, (array(dtype), array(dtype)), forms)


def floods():
    """Floods move values of every width; their gradients add those of every floating dtype."""
    for op, reverse in (("max", False), ("min", True)):
        forms = [(segmented_by, False, reverse) for segmented_by in (False, True)]
        for width, emit in itertools.product(WIDTHS, (flood._take, flood._take_and_tell)):
            x = array(width)
            operands = (array(np.bool_), 1, 1, 1, x, x, x, array(np.int32))
            for name, kernel, sample in scans(ops.MONOIDS[op], np.dtype(np.int32), flood._position, emit, operands, forms):
                yield f"{emit.__name__}_{name}-{np.dtype(width)}", kernel, sample
    for dtype in (t for t in DTYPES if t.kind in "fc" and t != FLOAT16):
        operands = array(dtype), array(np.int32), 1, array(dtype)
        forms = [(True, False, False)]
        for name, kernel, sample in scans(ops.MONOIDS["sum"], dtype, flood._gradient, flood._credit, operands, forms):
            yield f"flood_vjp_{name}-{dtype}", kernel, sample


def merges(dtype):
    """The kernel behind `merge`, without and with positions of either width."""
    x, cuts = array(dtype), array(np.int64)
    yield f"merge-{dtype}", merge.kernel(dtype, False, False), (x, x, x, x, 1, cuts, x, x, cuts, cuts)
    for index in (np.int32, np.int64):
        p = array(index)
        yield f"merge_positions-{dtype}-{p.dtype}", merge.kernel(dtype, False, True), (x, x, x, x, 1, cuts, x, x, p, p)


def sorts(dtype, payload_dtype):
    """The kernels behind the comparison sorts, for keys of one width and a payload of another, or None."""
    x, carries, cuts, flag = array(dtype), payload_dtype is not None, array(np.int64), array(np.uint8)
    p = array(payload_dtype) if carries else x
    name = f"{dtype}-{payload_dtype}"
    yield f"merge_sort_tiles-{name}", merge_sort.tile_kernel(dtype, payload_dtype), (x, p, 1, x, p)
    yield f"merge_sort_merge-{name}", merge.kernel(dtype, carries, False), (x, p, x, p, 1, cuts, x, p, cuts, cuts)
    tiles, near, far, odd_even = networks.kernels(dtype, payload_dtype)
    yield f"bitonic_tiles-{name}", tiles, (x, p, 1)
    yield f"bitonic_near-{name}", near, (x, p, 1)
    yield f"bitonic_far-{name}", far, (x, p, 1, 1, 1)
    yield f"odd_even_tiles-{name}", odd_even, (x, p, 1, 1, flag)


def radix_sorts(key, payload):
    """The kernels of a radix sort for a dtype of keys and one of payloads, or None."""
    keys, places = array(key), array(np.int32)
    moved = keys if payload is None else array(payload)
    count, scatter = radix.kernels(key, payload)
    yield "count", count, (keys, 1, 1, 1, 1, places)
    yield "scatter", scatter, (keys, moved, 1, 1, 1, 1, places, keys, moved)
    if payload is None:
        offsets = array(np.int32)
        yield (
            "differing",
            segmented.tile_kernel(radix.ANY_BIT, key, radix.unlike_first),
            ((keys,), offsets, offsets, 1, keys, keys),
        )
        yield "differing_finish", segmented.finish_kernel(radix.ANY_BIT, key, 32), (offsets, 1, keys, keys)


def tuples(out_offsets, x, tile_rows):
    """Products and combinations: offsets of the results, and the dtype of indices."""
    for name, visit in (("product", product._write_tuple), ("combinations", choose._write_combination)):
        yield name, search.visiting_kernel(visit), (out_offsets, tile_rows, 1, (x, x, 1, 1, 1, x))
    replaced = x, array(np.int64), 1, 1, 1, x
    yield "with_replacement", search.visiting_kernel(choose._write_combination), (out_offsets, tile_rows, 1, replaced)


def segmented_sorts(dtype, index):
    """The kernels behind segmented sorts of one dtype; without positions they are a part of those with, checked for one."""
    x, offsets = comparable(array(dtype)), array(index)
    for indexed in (True, False) if dtype == FLOAT64 else (True,):
        positions, where = array(np.int32) if indexed else x, (offsets, offsets, array(np.int64), 1)
        short, pieces, merges = segmented_sort.kernels(x.dtype, indexed)
        name = f"segmented_{'arg' * indexed}sort"
        yield f"{name}_short", short, (offsets, offsets, x, x, positions)
        yield f"{name}_pieces", pieces, (*where, x, x, positions, x, positions)
        yield f"{name}_merges", merges, (*where, 1, x, positions, x, positions)


def sparse_products(ring, dtype, index, masked=False):
    """The kernels behind `A @ B` for one semiring, dtype and width of indices."""
    indices, x, offsets = array(index), array(dtype), array(np.int64)
    count, fill = spgemm.kernels(ring, dtype, indices.dtype, masked)
    pattern = (offsets, indices, indices)
    name = f"{ring.name}-{dtype}-{np.dtype(index)}{'-masked' * masked}"
    shares = (indices, indices), offsets, offsets, indices
    yield f"spgemm_fill-{name}", fill, ((indices, indices, x), (indices, indices, x), *shares, offsets, indices, x)
    if dtype == FLOAT64 and ring is ops.PLUS_TIMES:
        yield f"spgemm_count-{name}", count, ((indices, indices, indices), pattern, *shares, offsets)


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
            for name, kernel, sample in plain_scans(ops.MONOIDS["sum"], stored):
                yield f"scan_{name}-sum-{stored}", kernel, sample
    for name, kernel, sample in products(ops.PLUS_TIMES, FLOAT64, np.int64):
        yield f"{name}-plus_times-float64-int64", kernel, sample
    for ring, stored in RINGS.items():
        for name, kernel, sample in products(ops.SEMIRINGS[ring], np.dtype(stored), np.int32):
            yield f"{name}-{ring}-{stored}-int32", kernel, sample
    for dtype in map(np.dtype, "?bfd"):
        yield from sparse_products(ops.PLUS_TIMES, dtype, np.int32)
    yield from sparse_products(ops.PLUS_TIMES, FLOAT64, np.int32, masked=True)
    yield from sparse_products(ops.PLUS_TIMES, FLOAT64, np.int64, masked=True)
    yield from sparse_products(ops.PLUS_TIMES, np.dtype(np.complex128), np.int64)
    for ring, dtype in RINGS.items():
        yield from sparse_products(ops.SEMIRINGS[ring], np.dtype(dtype), np.int32)
    for op, dtype in OPERATORS.items():
        yield f"segmented_reduce-{op}-{dtype}", *_reduction(ops.MONOIDS[op], np.dtype(dtype))
        for name, kernel, sample in plain_scans(ops.MONOIDS[op], np.dtype(dtype)):
            yield f"scan_{name}-{op}-{dtype}", kernel, sample
    yield from reductions()
    yield from floods()
    yield from of_lists()
    for dtype in DTYPES:
        if dtype.kind != "c":
            for name, kernel, sample in segmented_sorts(dtype, np.int32):
                yield f"{name}-{dtype}-int32", kernel, sample
    for name, kernel, sample in segmented_sorts(FLOAT64, np.int64):
        yield f"{name}-float64-int64", kernel, sample
    for index in (np.int32, np.int64):
        offsets = array(index)
        for write, results in ((search._write_row, 1), (search._write_rank, 1), (search._write_both, 2)):
            sample = offsets, offsets, 1, (offsets,) * results
            yield f"search-{write.__name__}-{np.dtype(index)}", search.visiting_kernel(write), sample
        for wide in (np.int32, np.int64):
            for name, kernel, sample in tuples(offsets, array(wide), array(index)):
                yield f"{name}-{np.dtype(index)}-{np.dtype(wide)}", kernel, sample
    yield from selections()
    yield from prunings()
    for dtype in UNSIGNED:
        for payload_dtype in (None, np.dtype(np.int32), np.dtype(np.int64)):
            yield from sorts(dtype, payload_dtype)
    for dtype in DTYPES:
        if dtype.kind in "iu" or dtype.char in "fd":
            yield from merges(dtype)
    for key in map(np.dtype, (np.uint8, np.uint16, np.uint32, np.uint64)):
        for payload in (None, np.dtype(np.uint32), np.dtype(np.uint64)):
            for name, kernel, sample in radix_sorts(key, payload):
                yield f"radix_{name}-{key}-{payload}", kernel, sample
    for body, arguments in itertools.chain(bodies(), conversions()):
        dtypes = "-".join(str(x.dtype) for x in arguments if isinstance(x, np.ndarray))
        yield f"for_each-{body.__name__}-{dtypes}", foreach._kernel(body), (1, arguments)
    for given in (np.uint32, np.uint64):
        noted = 1, (array(given), array(given), array(bool))
        yield f"coordinates-order-{np.dtype(given)}", foreach._tile_kernel(convert._note_order), noted
    yield from maps()
    yield from graphs()
    yield from atomics()
    yield from searches()
    yield from centralities()
    yield from shortest_paths()
    yield from ranks()
    yield from partitions()


def graphs():
    """The kernels of operators that take functions of edges and of items."""
    marks, flags, counts = array(np.float64), array(bool), array(np.uint8)
    for index, weight in ((np.int32, "float32"), (np.int64, "bool")):
        out, seen, dtype = array(index), array(f"u{np.dtype(index)}"), np.dtype(weight)
        edges, kept, state = (seen, out, out, 1, seen, array(weight)), (0, counts, out), (marks, 2)
        for output in push.OUTPUTS:
            sample = *edges, *(kept if output else ()), *state
            yield f"push-{output}-{weight}", foreach._tile_kernel(push.body(EDGE_TEST, dtype, output)), (1, sample)
        body = push.body(push.restricted(EDGE_TEST), dtype, "edge")
        yield f"push-restricted-{weight}", foreach._tile_kernel(body), (1, (*edges, *kept, flags, *state))
        sample = seen, out, seen, seen, flags, array(weight), *kept, *state
        yield f"pull-{weight}", foreach._tile_kernel(pull.body(EDGE_TEST, dtype)), (1, sample)
        yield f"filter-{weight}", foreach._tile_kernel(filter_module.body(ITEM_TEST)), (1, (seen, *kept, *state))
        yield f"visit-{weight}", foreach._kernel(visit.body(ITEM_TEST)), (1, (seen, *state))
        yield f"claim-{weight}", claim.KERNELS[np.dtype(index)], (seen, 1, out)
        for read in (neighbor_reduce._in_place, neighbor_reduce._in_order, neighbor_reduce._reversed):
            item = neighbor_reduce.item(EDGE_VALUE, dtype, FLOAT64, read)
            operands = *(() if read is neighbor_reduce._in_place else (out,)), out, out, array(weight), *state
            kernel = segmented.tile_kernel(ops.MONOIDS["max"], FLOAT64, item)
            yield f"neighbor_reduce-{weight}-{read.__name__}", kernel, (operands, out, out, 1, marks, marks)


def partitions():
    """The kernels that join, colour and name sets of vertices, find trees, and walk."""
    narrow, wide, flags, counts, weights = (array(dtype) for dtype in (np.int32, np.int64, bool, np.uint8, FLOAT64))
    for index in (narrow, wide):
        seen, name = array(f"u{index.dtype}"), index.dtype
        for title, body, arguments in (
            ("rise", union._rise, (index, flags)),
            ("name", union._name, (index, index)),
            ("hang", weak._hang, (index, seen, 1, index, index)),
            ("rise_alone", weak._rise, (index,)),
            ("join_second", weak._join_second, (index, index)),
            ("join_all", weak._join_all, (index, seen, 1, index)),
            ("least", union._least, (index, index)),
            ("is_least", union._is_least, (index, flags)),
            ("draw", color._draw, (index, 1, 1, wide)),
            ("adopt", label_propagation._adopt, (index, index, seen, index, narrow)),
            ("walk", random_walk._body(False), (index, index, index, index, index, 1, 1, 1, index)),
            ("walk_by_weight", random_walk._body(True), (index, index, index, weights, weights, 1, 1, 1, index)),
            ("name_edge", visit.body(spanning._name), (seen, index, index, wide, wide, wide)),
            ("join_over", visit.body(spanning._join_over), (seen, index, index, index, wide, wide, flags)),
        ):
            yield f"partition-{title}-{name}", foreach._kernel(body), (1, arguments)
        edges, kept = (seen, index, index, 1, seen, index), (0, counts, index)
        counted = foreach._tile_kernel(push.body(color._count_earlier, name, None))
        yield f"partition-_count_earlier-{name}", counted, (1, (*edges, wide, narrow))
        yield f"partition-join_edges-{name}", foreach._tile_kernel(weak._join_edges), (1, (index, 1, seen, 1, True, index))
        for func, state in (
            (spanning._weigh, (index, index, index, wide, wide)),
            (union.rises_to_root, (index,)),
            (color._is_first, (narrow, narrow)),
        ):
            yield (
                f"partition-{func.__name__}-{name}",
                foreach._tile_kernel(filter_module.body(func)),
                (1, (seen, *kept, *state)),
            )
        for func, state in ((njit(strong._is_new), (narrow,)), (color._release, (index, index, narrow, narrow))):
            pushed = foreach._tile_kernel(push.body(func, name, "vertex"))
            yield f"partition-push-{func.__name__}-{name}", pushed, (1, (*edges, *kept, *state))
            drained = drain.kernel(func, push.weighing(name))
            yield f"partition-drain-{func.__name__}-{name}", drained, (index, seen, index, seen, 1, wide, 1, state)


def atomics():
    """Functions of items that change slots in one step."""
    for dtype in DTYPES_OF_ATOMICS:
        yield f"atomics-{dtype}", foreach._kernel(visit.body(item_change)), (1, (array(np.uint32), array(dtype)))


def searches():
    """The kernels that go from one frontier to the next by themselves, and those of breadth-first search."""
    level, counts, totals, marks = (array(dtype) for dtype in (np.uint64, np.uint8, np.int64, FLOAT64))
    for index in (np.int32, np.int64):
        name, out, seen = np.dtype(index), array(index), array(f"u{np.dtype(index)}")
        steps, levels = push.weighing(FLOAT64), push.weighing(None)
        yield f"drain-{name}", drain.kernel(EDGE_TEST, steps), (out, seen, marks, seen, 1, totals, 1, (marks, 2))
        yield f"bfs-drain-{name}", drain.kernel(BFS_STEP, levels), (out, seen, 0, seen, 1, totals, 1, (level,))
        pushed = seen, out, out, 1, seen, 0, 0, counts, out, level
        yield f"bfs-push-{name}", foreach._tile_kernel(push.body(BFS_STEP, None, "vertex")), (1, pushed)
        pulled = out, seen, level, level, np.uint64(1), 0, counts, out
        yield f"bfs-pull-{name}", foreach._tile_kernel(bfs._pull_tile), (1, pulled)
        yield f"bfs-pack-{name}", foreach._kernel(bfs._pack), (1, (level, 1, np.uint64(1), level))
        yield f"bfs-tell-{name}", foreach._kernel(bfs._tell), (1, (level, array(np.int32), out))
        for source, operands in ((walk._degree, (seen, out)), (walk._degree_if_kept, (counts, seen, out))):
            kernel = segmented.tile_kernel(ops.MONOIDS["sum"], np.dtype(np.int64), source)
            yield f"walk-{source.__name__}-{name}", kernel, (operands, totals, totals, 1, totals, totals)


def centralities():
    """The kernels of cores, and those that count shortest paths."""
    counts, depth, sums = (array(dtype) for dtype in (np.uint8, np.int32, FLOAT64))
    for index in (np.int32, np.int64):
        name, out, seen = np.dtype(index), array(index), array(f"u{np.dtype(index)}")
        yield f"k_core-loops-{name}", foreach._kernel(k_core._forget_loop), (1, (out, out, out))
        yield f"k_core-open-{name}", foreach._tile_kernel(k_core._peel_tile), (1, (seen, out, out, 0, counts, out))
        sample = (out, seen, 0, seen, 1, array(np.int64), 1, (out, out))
        yield f"k_core-drain-{name}", drain.kernel(PEEL_STEP, push.weighing(None)), sample
        pushed = seen, out, out, 1, seen, 0, 0, counts, out, out, out
        yield f"k_core-push-{name}", foreach._tile_kernel(push.body(PEEL_STEP, None, "vertex")), (1, pushed)
        kept = seen, 0, counts, out, out, out, out
        yield f"k_core-stays-{name}", foreach._tile_kernel(filter_module.body(PEEL_TEST)), (1, kept)
        sample = (out, seen), (out, seen), seen, 1.0, seen, seen, depth, sums, sums, sums
        yield f"brandes-{name}", brandes.KERNEL, sample
    yield "brandes-add", foreach._kernel(betweenness._add_rows), (1, (sums, 1, 1, sums))


def shortest_paths():
    """The kernels that relax edges, those of predecessors."""
    distance, flags, counts = array(FLOAT64), array(np.int32), array(np.int64)
    for seen in map(array, (np.uint32, np.uint64)):
        out, name = array(np.dtype(f"i{seen.dtype.itemsize}")), seen.dtype
        yield f"relax-close-{name}", relax.kernel(relax._close), (seen, 1, flags)
        yield f"relax-nearest-{name}", relax.kernel(relax._nearest), (seen, 1, distance, 1.0, distance)
        split = seen, 1, distance, 1.0, 1.0, distance, seen, seen, counts
        yield f"relax-split-{name}", relax.kernel(relax._split), split
        for lengths in map(array, (FLOAT64, np.int32)):
            pile = seen, 1, seen, flags, seen, flags, counts
            yield f"relax-{name}-{lengths.dtype}", relax.kernel(relax._relax), (out, seen, lengths, distance, 1.0, 1.0, *pile)
        level = drain.kernel(sssp._reach_level, push.weighing(FLOAT64))
        yield f"sssp-level-{name}", level, (out, seen, distance, seen, 1, counts, 1, (distance, array(np.uint64)))


def ranks():
    """The kernels of algorithms that go over all vertices or edges."""
    x, index = array(np.float64), array(np.int32)
    for item, dtype, operands in (
        (pagerank._begin, np.complex128, (x, x, x, x)),
        (pagerank._step, np.complex128, (x, x, x, x, x, x, 0.5, 0.5)),
        (hits._step, np.float64, (x, x, x)),
    ):
        out = array(dtype)
        kernel = segmented.tile_kernel(ops.MONOIDS["sum"], out.dtype, item)
        yield f"{item.__module__}{item.__name__}", kernel, (operands, array(np.int64), index, 1, out, out)
    item = spmv.product(power.PLUS_SECOND, FLOAT64, False)
    yield "spmv_rows-plus_second", segmented.row_kernel(ops.MONOIDS["sum"], FLOAT64, item, 8), ((index, index, x), index, 1, x)
    for wide in (np.int32, np.int64):
        offsets, counts = array(wide), array(np.int64)
        body = foreach._tile_kernel(triangle_count._leads_up)
        yield f"leads_up-{np.dtype(wide)}", body, (1, (offsets, 1, offsets, array(bool)))
        yield f"count_triangles-{np.dtype(wide)}", triangles.KERNEL, (offsets, 1, offsets, 1, True, counts)


def maps():
    """The kernels of `Ragged.map`, by the number of axes, and by dtype."""
    for dtype, ndim in (("float64", 1), ("bool", 2), ("int32", 2), ("complex128", 2), ("float32", 3), ("int64", 4)):
        func = functions.compiled(SUMS[ndim], ("value", *traversal.AXES[:ndim]))
        x, body = array(np.dtype(dtype)), traversal.body(func, np.dtype(dtype), ndim)
        for index in (np.int32, np.int64):
            sample = x, array(index), 1, array(index), array(np.dtype("complex128" if dtype == "complex128" else "float64"))
            yield f"map-{dtype}-{ndim}-{np.dtype(index)}", foreach._tile_kernel(body), (1, sample)


def reductions():
    """The kernels behind sums of columns, and behind the extremes that have operators of their own."""
    for stored, dtype in (("float64", "float64"), ("bool", "int64"), ("float16", "float32")):
        stored, x, index = np.dtype(stored), array(dtype), array(np.int32)
        item = spmv.product(reduce_module.SUM_OF_FIRST, x.dtype, stored == FLOAT16, permuted=True)
        sample = (values(stored), index, x, index), index, index, 1, x, x
        yield f"sum_of_columns-{stored}", segmented.tile_kernel(ops.MONOIDS["sum"], x.dtype, item), sample
    for table, dtype in ((extremes.OF_FLOATS, "float64"), (extremes.OF_COMPLEX, "complex128")):
        for op, monoid in table.items():
            yield f"segmented_reduce-{op}-{dtype}", *_reduction(monoid, np.dtype(dtype))


def of_lists():
    """The kernels that find extremes and make a softmax."""
    index = array(np.int32)
    for dtype in map(np.dtype, "?bBhHiIqQfdFD"):
        x = array(dtype)
        for wide in (np.int32, np.int64) if dtype == FLOAT64 else (np.int32,):
            operands = x, x, 1, array(wide)
            visit = search.visiting_kernel(extreme_positions._note_candidate)
            yield f"extreme_positions-{dtype}-{np.dtype(wide)}", visit, (index, index, 1, operands)
    for dtype in (np.float32, np.float64):
        x = array(dtype)
        for step in (softmax._exponential, softmax._quotient):
            yield f"softmax{step.__name__}-{np.dtype(dtype)}", search.visiting_kernel(step), (index, index, 1, (x, x, x))


def selections():
    """The kernels behind `compact`, `partition` and `repeat`: they move elements by width."""
    mask, before = array(np.uint8), array(np.int64)
    yield "compact_count", kept.count_kernel(compact.is_selected), (mask, 1, before)
    for index in (np.int32, np.int64):
        sample = mask, mask, 1, before, 1, array(index)
        yield f"compact_positions-{np.dtype(index)}", compact.write_kernel(True, False), sample
    for width in WIDTHS:
        x, name = array(width), np.dtype(width)
        yield f"compact-{name}", compact.write_kernel(False, False), (x, mask, 1, before, 1, x)
        yield f"partition-{name}", compact.write_kernel(False, True), (x, mask, 1, before, 1, x)
        for rows in (np.int32, np.int64):
            yield (
                f"repeat-{name}-{np.dtype(rows)}",
                search.visiting_kernel(repeat._write_element),
                (before, array(rows), 1, (x, x)),
            )
        index = array(np.int32)
        operands = index, 1, array(np.uint32), x, array(np.uint32), x
        yield f"gather-{name}", search.visiting_kernel(gather._copy_entry), (index, index, 1, operands)
        yield f"gather-values-{name}", search.visiting_kernel(gather._copy_value), (index, index, 1, (index, x, x))
    operands = before, 1, array(np.uint64), x, array(np.uint64), x
    yield "gather-int64", search.visiting_kernel(gather._copy_entry), (before, before, 1, operands)
    for index in (np.int32, np.int64):
        operands = before, 1, 1, array(index), array(index), array(index)
        for name, kernel, sample in scans(
            ops.MONOIDS["sum"], np.dtype(np.int64), ranges._length, ranges._note, operands, [(False, False, False)]
        ):
            yield f"gather_{name}-{np.dtype(index)}", kernel, sample


def prunings():
    """The kernels behind `keep`: a mask for data of any width, or the data itself."""
    test, index, before = keep.above(), array(np.int32), array(np.int64)
    for tested in UNSIGNED:
        yield f"kept_entries-{tested}", kept.count_kernel(prune.passes), ((array(tested), *test), 1, before)
    for tested, width in [(np.uint8, width) for width in WIDTHS] + [(t, t) for t in UNSIGNED]:
        sample = ((array(tested), *test), 1, index, 1, index, array(width), before, index, index, array(width))
        yield f"keep-{np.dtype(tested)}-{np.dtype(width)}", prune.keep_kernel(), sample
    sample = ((array(np.uint64), *test), 1, before, 1, before, array(np.uint64), before, before, before, array(np.uint64))
    yield "keep-uint64-uint64-int64", prune.keep_kernel(), sample


def conversions():
    """`(body, arguments)` of coordinates, transposes, canonical form and pruning."""
    flags, index, test = array(bool), array(np.int32), keep.above()
    for wide, given in ((np.int32, np.uint32), (np.int64, np.uint64)):
        places, unsigned = array(wide), array(given)
        yield assemble.pack, (unsigned, unsigned, 1, array(np.uint64))
        yield assemble.take_minor, (unsigned, np.uint64(1), places)
        yield assemble.first_of_major, (unsigned, 1, 1, index)
        yield transpose.take, (unsigned, array(np.uint32), unsigned)
        yield offsets_module.first_with_id, (unsigned, 1, index)
        yield canonical._is_below, (places, flags)
        yield canonical._is_not_above, (places, flags)
        yield canonical._clear_start, (places, 1, flags)
        yield canonical._store, (unsigned, index, index, index, unsigned)
        yield points._find, (index, places, index, places, array(np.int64), flags)
        yield prune_module._mark, (places, flags)
        yield prune_module._renumber, (places, index, index)
    yield assemble.pack, (array(np.uint32), array(np.uint32), 1, array(np.uint32))
    yield canonical._note_opening, (index, flags)
    yield canonical._list_run, (index, flags, array(np.int64), index)
    for width in UNSIGNED:
        yield prune_module._note_above, (array(width), *test, flags)
    for dtype, real in ((np.complex64, np.float32), (np.complex128, np.float64)):
        yield prune_module._note_magnitude, (array(dtype), array(real), flags)


def bodies():
    """`(body, arguments)` of every function that operations and primitives run by `for_each`."""
    flags, index = array(bool), array(np.int32)
    for wide in (np.int32, np.int64):
        offsets = array(wide)
        yield cut, (offsets, 1, 1, offsets)
        yield offsets_module.mark_head, (offsets, 1, 1, flags)
        yield offsets_module.first_with_id, (offsets, 1, offsets)
        yield search_module._find, (offsets, 1, offsets, index, index)
        yield segmented_sort.count_pieces, (offsets, index, 1, 1, array(np.int64))
        yield frontier._mark, (offsets, flags)
        yield expand_module._add_start, (offsets, offsets, offsets, offsets)
        yield intersection._count_common, (offsets, offsets, offsets, offsets, array(np.int64))
        yield intersection._write_common, (offsets, offsets, offsets, offsets, array(np.int64), offsets)
        yield composed._write_row_at_start, (offsets, offsets, flags)
        sought, intp = array(np.int32), array(np.intp)
        yield positions._find_column, (offsets, sought, offsets, flags, flags, 1, intp)
        yield flood._starts_run, (offsets, flags)
        yield flood._is_foreign, (offsets, flags)
        yield reduce_deduce._plant, (flags, offsets)
        yield reduce_deduce._reduce, (1, offsets, offsets)
        yield reduce_deduce._deduce, (offsets, offsets)
        yield reduce_deduce._pick, (offsets, offsets)
        sizes = array(np.int64)
        yield columns._count_copies, (offsets, index, 1, sizes)
        yield offsets_module.first_with_id, (sizes, 1, offsets)
        yield indexing._narrow, (sizes, 1, 1, offsets, index, 1, 1, offsets)
        yield points._find, (sizes, sizes, index, offsets, sizes, flags)
        yield spgemm_plan.count_of_entry, (index, offsets, sizes)
        yield spgemm_size.count_products, (offsets, index, offsets, sizes)
        yield spgemm_size.longest_factor, (offsets, index, offsets, sizes)
        yield structure._relocate, (index, offsets, 1, 1, sizes, offsets)
        yield product_module._count_tuples, (offsets, 1, 1, sizes)
        yield ragged_aligned._place, (index, offsets, index, offsets, offsets)
        yield ragged_order._subtract_start, (index, offsets, offsets)
        yield ragged_reductions._subtract_start, (offsets, offsets)
        yield choose_module._count_combinations, (offsets, 1, sizes)
        yield choose_module._take_factorial, (offsets, sizes, sizes, sizes)
        yield choose_module._write_permutation, (index, offsets, offsets, offsets, index, sizes, offsets, offsets)
    yield counts_module._note_decrease, (array(np.int64), flags)
    yield repeat_module._differs_wide, (array(np.uint64), array(np.uint8))
    for width in WIDTHS:
        x, mask = array(width), array(np.uint8)
        yield compact_module._keep_or_fill, (x, mask, x, x)
        if width != np.complex128:
            yield repeat_module._differs, (x, mask)
    yield from merges_of_rows()
    cuts = array(np.int64)
    for dtype in UNSIGNED:
        yield merge_sort.cut_runs, (array(dtype), 1, 1, 1, cuts)
    for dtype in DTYPES:
        if dtype.kind in "iu" or dtype.char in "fd":
            x = array(dtype)
            yield merge.cut_arrays, (x, 1, x, 1, 1, cuts)
            yield merge_module._steps_up, (x, flags)
            yield merge_module._steps_down, (x, flags)
    for width in (np.uint8, np.uint16, np.uint32, np.uint64):
        bits, one = array(width), width(1)
        yield keys_module._flip, (bits, one, bits)
        yield bits_module._bit_is_zero, (bits, index, 1, array(np.uint8))
        if width != np.uint8:
            yield keys_module._code_of_float, (bits, one, one, one, one, bits)
            yield keys_module._float_of_code, (bits, one, one, one)
    places = array(np.int64)
    yield clear._note, (places, flags, flags)
    for width in WIDTHS:
        x = array(width)
        yield points._sample, (places, places, index, index, x, x)
        yield columns._write_copies, (index, 1, index, x, index, index, places, index, index, x)
        yield assign._overwrite, (places, flags, x, x)
        yield assign._move_up, (index, index, x, index, x)
        yield sort_module._take, (array(width), index, array(width))
    yield topk_module._take_first, (index, index, index, index, index)
    for dtype, wide in (("float32", np.int32), ("float64", np.int64), ("complex128", np.int32), ("int64", np.int32)):
        x, offsets = array(dtype), array(wide)
        yield sampled._dot_rows, (1, offsets, 1, offsets, 1, 1, x[0], x, x, x)
    yield from construction(flags)
    yield from ragged(flags)
    counts = array(np.uint64)
    yield bits_module._place, (array(np.uint32), array(np.uint8), counts, counts, array(np.uint32))
    for dtype in map(np.dtype, "?dD"):
        multiply, combine = spgemm_composed.bodies(ops.PLUS_TIMES, dtype)
        x = array(dtype)
        yield multiply, (index, index, x, x, x)
        yield combine, (array(np.int64), x, x, x)
    for dtype in DTYPES:
        if dtype != FLOAT16:
            x = array(dtype)
            if dtype.kind != "c":
                yield topk_module._pick, (index, index, comparable(x), index)
            yield map_module._body(doubled, dtype), (x, index, x)
            yield convert._spread_rows, (1, 1, index, index, x, 1, x)
            yield composed._take_last_of_row, (index, 1, x, x)


def construction(flags):
    """What matrices are put together with."""
    narrow, wide = array(np.int32), array(np.int64)
    for index, other in ((narrow, narrow), (narrow, wide), (wide, narrow), (wide, wide)):
        yield stack._shift, (index, 1, other)
        yield triangle._is_below, (index, other, 1, flags)
        yield triangle._is_above, (index, other, 1, flags)
    for width in WIDTHS:
        x = array(width)
        yield stack._take, (x, x)
        for index in (narrow, wide):
            yield stack._move, (index, 1, index, x, index, x)
            yield diagonals._write_rows, (1, 1, 1, wide, x, index, index, x)
    for dtype in map(np.dtype, "?bifdFD"):
        x = array(dtype)
        for index in (narrow, wide):
            matrix = index, index, x
            yield kron._write_tile, (1, 1, 1, index, *matrix, 1, 1, *matrix, index, x)


def ragged(flags):
    """What ragged arrays are selected and padded with."""
    narrow, wide = array(np.int32), array(np.int64)
    for index in (narrow, wide):
        yield take._bound, (index, index, index, index)
        yield take._move_end, (narrow, index, index, index, index, index, index)
        yield inner._cut, (index, 1, 1, 1, index, index)
        yield inner._step_to, (narrow, index, index, 1, wide)
        yield pick._place, (narrow, index, index, wide, flags)
        yield inner._note_item, (index, 1, wide, flags)
        yield padding._find_lists, (1, 1, 1, index, index, index, index, index)
    for width in WIDTHS:
        x = array(width)
        yield inner._take_step, (narrow, narrow, narrow, 1, x, x)
        yield pick._take_place, (narrow, narrow, narrow, x, x, flags)
        yield padding._fill, (1, 1, 1, narrow, narrow, x, x, x, flags)


def merges_of_rows():
    """What adds, multiplies and compares matrices: values move by width, a few operators and dtypes are combined at once."""
    tiles = array(np.int64)
    for index in (np.int32, np.int64):
        pattern = array(index), array(index)
        yield cut_rows, (*pattern, *pattern, 1, 1, tiles)
        yield elementwise.count_body, (*pattern, *pattern, tiles, True, tiles)
    pattern = array(np.int32), array(np.int32)
    for width in WIDTHS:
        x = array(width)
        operands = (*pattern, x, *pattern, x, tiles, tiles, *pattern)
        yield elementwise.intersect_body, (*operands, x, x)
        yield elementwise.union_body(None, np.dtype(width)), (*operands, (x, x), tiles)
        yield broadcast._gather, (*pattern, x, 1, 1, x)
    for combine, dtype in (
        (ops.plus, "float64"),
        (ops.minus, "complex128"),
        (ops.maximum, "float32"),
        (ops.less_than, "float64"),
        (ops.not_equal, "int64"),
    ):
        x, out = array(dtype), array(bool if combine in (ops.less_than, ops.not_equal) else dtype)
        operands = (*pattern, x, *pattern, x, tiles, tiles, *pattern)
        yield elementwise.union_body(combine, np.dtype(dtype)), (*operands, (out,), tiles)
    for dtype in DTYPES:
        if dtype != FLOAT16:
            x = array(dtype)
            yield broadcast._add_row, (*pattern, x, 1, x)


def _reduction(monoid, dtype):
    index, x = array(np.int32), array(dtype)
    return segmented.tile_kernel(monoid, dtype, segmented._value), ((x,), index, index, 1, x, x)
