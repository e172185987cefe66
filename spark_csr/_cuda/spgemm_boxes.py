"""What the kernels of `A @ B` have in common: how many products a block takes, and what their holes mean."""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import SIMULATED
from spark_csr._cuda.block import block_carry_in
from spark_csr._engine.gpu import box, shared_type

BOXES = box(256, 7), box(256, 5)
"""For products whose column and value have up to 12 bytes, and more: 43 and 46 KiB of shared memory at most. Not tuned."""

THREADS_OF_ROWS = 256, 512, 1024
"""Of blocks that take one row: small ones what fits, since of a large one many threads would have nothing to do. Not tuned."""


def box_for(dtype, key):
    """Return the box of blocks that expand a tile, for values of `dtype` and columns of `key`."""
    return BOXES[dtype.itemsize + key.itemsize > 12]


def boxes_of_rows(key):
    """Return the boxes of blocks that take one row, for columns of `key`: at most 42 KiB of shared memory for four bytes, 40
    for eight. Not tuned.
    """
    return [box(threads, 7 if key.itemsize <= 4 else 4) for threads in THREADS_OF_ROWS[: 1 if SIMULATED else None]]


def meanings(ring, dtype, key, masked, chosen):
    """Return what the holes mean in all kernels for values of `dtype`, columns of `key` and blocks of a box."""
    return {
        "add": ring.add.op,
        "multiply": ring.multiply_for(dtype),
        "scalar": dtype.type,
        "IDENTITY": ring.add.identity_for(dtype).item(),
        "key_type": shared_type(key),
        "shared_scalar": shared_type(dtype),
        "MASKED_OUT": np.iinfo(key).max,
        "MASKED": masked,
        "TILE": chosen.tile,
        "ITEMS": chosen.items,
        "THREADS": chosen.threads,
        "carry_in": block_carry_in(chosen.threads, ops.plus, np.dtype(np.int32)),
    }
