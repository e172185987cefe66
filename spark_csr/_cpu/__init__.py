"""Kernels for the processor's cores, in Numba. Same files, names and signatures as `spark_csr._cuda`."""

from spark_csr._cpu.foreach import for_each
from spark_csr._cpu.scan import scan
from spark_csr._cpu.search import segment_ids
from spark_csr._cpu.segmented import segmented_reduce, tile_items
from spark_csr._cpu.segmented_sort import segmented_sort, sort_items
from spark_csr._cpu.spmm import spmm
from spark_csr._cpu.spmv import prepare_spmv
from spark_csr._cpu.transposed import plan_transposed, spmm_transposed

__all__ = [
    "for_each",
    "plan_transposed",
    "prepare_spmv",
    "scan",
    "segment_ids",
    "segmented_reduce",
    "segmented_sort",
    "sort_items",
    "spmm",
    "spmm_transposed",
    "tile_items",
]
