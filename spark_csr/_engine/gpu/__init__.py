"""Kernels for GPUs: what they are written in, and how they are compiled, kept and launched."""

from spark_csr._engine.gpu.compiler import chosen
from spark_csr._engine.gpu.launch import Kernel
from spark_csr._engine.gpu.target import (
    FULL,
    WARP,
    Box,
    blocks_for,
    box,
    cuda,
    device_function,
    fetch_add,
    fetch_max,
    load_once,
    load_volatile,
    load_wide,
    shared_type,
    store_volatile,
    store_wide,
)

__all__ = [
    "FULL",
    "WARP",
    "Box",
    "Kernel",
    "blocks_for",
    "box",
    "chosen",
    "cuda",
    "device_function",
    "fetch_add",
    "fetch_max",
    "load_once",
    "load_volatile",
    "load_wide",
    "shared_type",
    "store_volatile",
    "store_wide",
]
