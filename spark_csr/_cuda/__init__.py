"""Kernels for a GPU, in Numba-CUDA.

What is exported here has the file, name and signature that it has in `spark_csr._cpu`. That has a few functions more, which
only the cores need.
"""

import spark_csr._cuda.atomics  # noqa: F401 - tells Numba what the atomic functions are here
from spark_csr._cuda.assemble import assemble
from spark_csr._cuda.brandes import brandes, brandes_rows
from spark_csr._cuda.cartesian import cartesian_product
from spark_csr._cuda.choose import combinations
from spark_csr._cuda.claim import claim
from spark_csr._cuda.compact import compact, compact_tiles, count_selected, partition, visit_selected
from spark_csr._cuda.drain import drain, small_frontier
from spark_csr._cuda.elementwise import count_merged, fill_intersection, fill_union, merge_tile_size
from spark_csr._cuda.foreach import for_each, for_each_tile, for_few, visit_tile_size
from spark_csr._cuda.gather import gather_segments, gather_tile_size, take_rows
from spark_csr._cuda.keep import count_selected_entries, keep, keep_in_place, keep_tiles
from spark_csr._cuda.merge import merge
from spark_csr._cuda.merge_sort import merge_sort
from spark_csr._cuda.near import find_near
from spark_csr._cuda.pagerank import rank_iteration
from spark_csr._cuda.positions import extreme_positions
from spark_csr._cuda.radix import radix_argsort, radix_sort
from spark_csr._cuda.relax import relax
from spark_csr._cuda.repeat import repeat
from spark_csr._cuda.scan import scan
from spark_csr._cuda.scan_rows import scan_rows
from spark_csr._cuda.search import visit_items
from spark_csr._cuda.segmented import cut_segments, reduce_items, segmented_reduce, tile_size
from spark_csr._cuda.segmented_sort import is_picking_faster, segmented_sort, sort_tile_size
from spark_csr._cuda.softmax import softmax
from spark_csr._cuda.spgemm import spgemm_count, spgemm_fill
from spark_csr._cuda.spgemm_plan import count_products, parts_of_plan, plan_spgemm
from spark_csr._cuda.spmm import prepare_spmm
from spark_csr._cuda.spmv import prepare_spmv
from spark_csr._cuda.spmv_transposed import order_by_column, plan_transposed, prepare_transposed
from spark_csr._cuda.step import advance_frontier, select_visits
from spark_csr._cuda.textbook.networks import bitonic_sort, odd_even_sort
from spark_csr._cuda.transpose import transpose
from spark_csr._cuda.triangles import count_triangles

__all__ = [
    "advance_frontier",
    "assemble",
    "bitonic_sort",
    "brandes",
    "brandes_rows",
    "cartesian_product",
    "claim",
    "combinations",
    "compact",
    "compact_tiles",
    "count_merged",
    "count_products",
    "count_selected",
    "count_selected_entries",
    "count_triangles",
    "cut_segments",
    "drain",
    "extreme_positions",
    "fill_intersection",
    "fill_union",
    "find_near",
    "for_each",
    "for_each_tile",
    "for_few",
    "gather_segments",
    "gather_tile_size",
    "is_picking_faster",
    "keep",
    "keep_in_place",
    "keep_tiles",
    "merge",
    "merge_sort",
    "merge_tile_size",
    "odd_even_sort",
    "order_by_column",
    "partition",
    "parts_of_plan",
    "plan_spgemm",
    "plan_transposed",
    "prepare_spmm",
    "prepare_spmv",
    "prepare_transposed",
    "radix_argsort",
    "radix_sort",
    "rank_iteration",
    "reduce_items",
    "relax",
    "repeat",
    "scan",
    "scan_rows",
    "segmented_reduce",
    "segmented_sort",
    "select_visits",
    "small_frontier",
    "softmax",
    "sort_tile_size",
    "spgemm_count",
    "spgemm_fill",
    "take_rows",
    "tile_size",
    "transpose",
    "visit_items",
    "visit_selected",
    "visit_tile_size",
]
