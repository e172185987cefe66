"""The data-parallel building blocks: each with a written contract, on NumPy and CuPy arrays alike."""

from spark_csr.primitives.flood import left_flood, right_flood
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import (
    counts_from_offsets,
    head_flags_from_offsets,
    offsets_from_counts,
    offsets_from_segment_ids,
)
from spark_csr.primitives.scan import exclusive_scan, inclusive_scan
from spark_csr.primitives.search import load_balance_search, local_index, segment_ids
from spark_csr.primitives.segmented import segmented_reduce, segmented_scan
from spark_csr.primitives.segmented_sort import segmented_argsort, segmented_sort, segmented_topk

__all__ = [
    "counts_from_offsets",
    "exclusive_scan",
    "for_each",
    "head_flags_from_offsets",
    "inclusive_scan",
    "left_flood",
    "load_balance_search",
    "local_index",
    "offsets_from_counts",
    "offsets_from_segment_ids",
    "right_flood",
    "segment_ids",
    "segmented_argsort",
    "segmented_reduce",
    "segmented_scan",
    "segmented_sort",
    "segmented_topk",
]
