"""Kernels for a GPU, in Numba-CUDA. Same files, names and signatures as `spark_csr._cpu`."""

from spark_csr._cuda.compact import compact, compact_tiles, kept_before, partition
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.repeat import repeat
from spark_csr._cuda.scan import scan
from spark_csr._cuda.search import segment_ids
from spark_csr._cuda.segmented import segmented_reduce, tile_items
from spark_csr._cuda.spmm import spmm
from spark_csr._cuda.spmv import prepare_spmv
from spark_csr._cuda.transposed import plan_transposed, spmm_transposed

__all__ = [
    "compact",
    "compact_tiles",
    "for_each",
    "kept_before",
    "partition",
    "plan_transposed",
    "prepare_spmv",
    "repeat",
    "scan",
    "segment_ids",
    "segmented_reduce",
    "spmm",
    "spmm_transposed",
    "tile_items",
]
