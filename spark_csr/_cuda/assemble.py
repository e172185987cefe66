"""Entries with two indices each, in any order, to the three arrays of a compressed matrix.

Design: one radix sort of keys of row and column where 32 bits hold both; else one by row, and a sort of each row, unless there
are more rows than entries. Wider keys are moved in more passes, and each of these moves more bytes.
"""

import numpy as np

from spark_csr._array import by_width, namespace_of, to_host_scalar
from spark_csr._cuda.assemble_by_row import assemble_by_row
from spark_csr._cuda.radix import join_bits, list_digits, move_by_digits
from spark_csr._cuda.unpack import unpack
from spark_csr._engine.gpu import device_function

NARROW = 32
"""Bits of the widest keys of row and column that are sorted at once."""


@device_function
def _key(operands, position):
    major, minor, bits, _ = operands
    return np.uint64(major[position]) << np.uint64(bits) | np.uint64(minor[position])


@device_function
def _pack(operands, position):
    """Write the key of an entry; return the bits in which it differs from that of the first."""
    key = _key(operands, position)
    operands[3][position] = key
    return key ^ _key(operands, np.int64(0))


def assemble(major, minor, data, minors, ordered, indptr, indices, out):
    """Write entries by row `major`, stably, and if `ordered` by `minor` in a row. If `data` is None, `out` takes positions.

    Return whether no position has two entries. The host reads twice, and once more where row and column need more than 32 bits:
    then entries are sorted by row, which takes half the passes, and by column in shared memory.
    """
    n, xp = major.size, namespace_of(major)
    bits = max(minors - 1, 0).bit_length()
    in_use = bits + max(indptr.size - 2, 0).bit_length()
    if in_use > NARROW and ordered and indptr.size <= n:
        return assemble_by_row(major, minor, data, indptr, indices, out)
    keys = xp.empty(n, np.uint32 if in_use <= NARROW else np.uint64)
    differing = join_bits(_pack, (by_width(major), by_width(minor), bits, keys), n, keys.dtype)
    digits = list_digits(differing & ((1 << in_use) - (1 << (0 if ordered else bits))))
    pair, out = [keys, xp.empty_like(keys) if digits else keys], by_width(out)
    spare = xp.empty_like(out) if len(digits) > 1 else out
    source, target = None if data is None else by_width(data), len(digits) % 2
    move_by_digits(digits, [keys, source], [pair[target], out], [pair[1 - target], spare])
    repeats = xp.zeros(1, bool)
    unpack(pair[target], bits, indptr, indices, repeats)
    return not to_host_scalar(repeats[0])
