"""What a visit to an item of a segment writes: the segment, the rank of the item in it, or both. Whether a mask selects."""

from spark_csr._engine import njit


@njit(forceinline=True)
def is_set(mask, position):
    return mask[position] != 0


@njit(forceinline=True)
def write_segment(operands, item, row, rank):
    operands[0][item] = row


@njit(forceinline=True)
def write_rank(operands, item, row, rank):
    operands[0][item] = rank


@njit(forceinline=True)
def write_both(operands, item, row, rank):
    """Write the segment and the rank."""
    operands[0][item] = row
    operands[1][item] = rank
