"""Kernels for the processor's cores, in Numba.

What is exported here has the file, name and signature that it has in `spark_csr._cuda`.
"""

from spark_csr._cpu.amd import amd
from spark_csr._cpu.assemble import assemble
from spark_csr._cpu.assemble_summed import assemble_summed
from spark_csr._cpu.brandes import brandes, brandes_rows
from spark_csr._cpu.breadth import breadth_first
from spark_csr._cpu.cartesian import cartesian_product
from spark_csr._cpu.choose import combinations
from spark_csr._cpu.claim import claim
from spark_csr._cpu.compact import compact, compact_tiles, count_selected, partition, visit_selected
from spark_csr._cpu.dissect import dissect
from spark_csr._cpu.drain import drain, small_frontier
from spark_csr._cpu.elementwise import count_merged, fill_intersection, fill_union, merge_tile_size
from spark_csr._cpu.fingerprint import fingerprint
from spark_csr._cpu.foreach import for_each, for_each_tile, for_few, visit_tile_size
from spark_csr._cpu.fronts import analyse_fronts
from spark_csr._cpu.gather import gather_segments, gather_tile_size, take_rows
from spark_csr._cpu.keep import count_selected_entries, keep, keep_in_place, keep_tiles
from spark_csr._cpu.merge import merge
from spark_csr._cpu.merge_sort import merge_sort
from spark_csr._cpu.multifrontal import factorise_fronts
from spark_csr._cpu.near import find_near
from spark_csr._cpu.orthogonalise import subtract_share
from spark_csr._cpu.pagerank import rank_iteration
from spark_csr._cpu.positions import extreme_positions
from spark_csr._cpu.radix import radix_argsort, radix_sort
from spark_csr._cpu.reflectors import apply_reflectors, substitute_fronts
from spark_csr._cpu.relax import relax
from spark_csr._cpu.repeat import repeat
from spark_csr._cpu.scan import scan
from spark_csr._cpu.scan_rows import scan_rows
from spark_csr._cpu.search import visit_items
from spark_csr._cpu.segmented import cut_segments, reduce_items, segmented_reduce, tile_size
from spark_csr._cpu.segmented_sort import is_picking_faster, segmented_sort, sort_tile_size
from spark_csr._cpu.softmax import softmax
from spark_csr._cpu.spgemm import spgemm_count, spgemm_fill
from spark_csr._cpu.spgemm_plan import count_products, parts_of_plan, plan_spgemm
from spark_csr._cpu.spmm import prepare_spmm
from spark_csr._cpu.spmv import prepare_spmv
from spark_csr._cpu.spmv_transposed import order_by_column, plan_transposed, prepare_transposed
from spark_csr._cpu.step import advance_frontier, select_visits
from spark_csr._cpu.supernodal import factorise, substitute_supernodes
from spark_csr._cpu.symbolic import analyse, find_asymmetry
from spark_csr._cpu.textbook.networks import bitonic_sort, odd_even_sort
from spark_csr._cpu.topk import topk_of_products
from spark_csr._cpu.transpose import transpose
from spark_csr._cpu.triangles import count_triangles
from spark_csr._cpu.unplanned import multiply_unplanned

__all__ = [
    "advance_frontier",
    "amd",
    "analyse",
    "analyse_fronts",
    "apply_reflectors",
    "assemble",
    "assemble_summed",
    "bitonic_sort",
    "brandes",
    "brandes_rows",
    "breadth_first",
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
    "dissect",
    "drain",
    "extreme_positions",
    "factorise",
    "factorise_fronts",
    "fill_intersection",
    "fill_union",
    "find_asymmetry",
    "find_near",
    "fingerprint",
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
    "multiply_unplanned",
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
    "substitute_fronts",
    "substitute_supernodes",
    "subtract_share",
    "take_rows",
    "tile_size",
    "topk_of_products",
    "transpose",
    "visit_items",
    "visit_selected",
    "visit_tile_size",
]
