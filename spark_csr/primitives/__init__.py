"""The data-parallel building blocks: each with a written contract, on NumPy and CuPy arrays alike."""

from spark_csr._current_device import functions_on_their_device
from spark_csr.primitives.cartesian import cartesian_product
from spark_csr.primitives.choose import combinations, permutations
from spark_csr.primitives.compact import compact, partition
from spark_csr.primitives.counts import allocate, counts_from_offsets, offsets_from_counts
from spark_csr.primitives.flood import left_flood, right_flood, right_flood_vjp
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.map_where import map_where
from spark_csr.primitives.merge import is_bitonic, merge
from spark_csr.primitives.offsets import head_flags_from_offsets, offsets_from_segment_ids
from spark_csr.primitives.repeat import repeat, run_length_encode
from spark_csr.primitives.scan import exclusive_scan, inclusive_scan
from spark_csr.primitives.search import load_balance_search, local_index, segment_ids
from spark_csr.primitives.segmented import segmented_reduce, segmented_scan
from spark_csr.primitives.segmented_sort import segmented_argsort, segmented_sort
from spark_csr.primitives.segmented_topk import segmented_topk
from spark_csr.primitives.sort import argsort, sort, sort_by_key
from spark_csr.primitives.textbook.reduce_deduce import flood_by_reduce_deduce
from spark_csr.primitives.textbook.sort_by_bits import sort_by_bits

__all__ = [
    "allocate",
    "argsort",
    "cartesian_product",
    "combinations",
    "compact",
    "counts_from_offsets",
    "exclusive_scan",
    "flood_by_reduce_deduce",
    "for_each",
    "head_flags_from_offsets",
    "inclusive_scan",
    "is_bitonic",
    "left_flood",
    "load_balance_search",
    "local_index",
    "map_where",
    "merge",
    "offsets_from_counts",
    "offsets_from_segment_ids",
    "partition",
    "permutations",
    "repeat",
    "right_flood",
    "right_flood_vjp",
    "run_length_encode",
    "segment_ids",
    "segmented_argsort",
    "segmented_reduce",
    "segmented_scan",
    "segmented_sort",
    "segmented_topk",
    "sort",
    "sort_by_bits",
    "sort_by_key",
]

functions_on_their_device(globals(), __all__)


def __dir__():
    return __all__
