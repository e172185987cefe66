"""Kernels for a GPU, in Numba-CUDA. Same files, names and signatures as `spark_csr._cpu`."""

from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.scan import scan
from spark_csr._cuda.search import segment_ids
from spark_csr._cuda.segmented import segmented_reduce, tile_items
from spark_csr._cuda.segmented_sort import segmented_sort, sort_items
from spark_csr._cuda.spmm import spmm
from spark_csr._cuda.spmv import prepare_spmv
from spark_csr._cuda.transposed import plan_transposed, spmm_transposed

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
