"""Where the extreme of every segment is: every item that is what its segment was reduced to notes its position, and the least
of these is found by the engine of reductions."""

import numpy as np

from spark_csr import ops
from spark_csr._array import namespace_of
from spark_csr._cuda.search import visiting_kernel
from spark_csr._cuda.segmented import _value, run_tiles
from spark_csr._cuda.target import device_function


@device_function
def _note_candidate(operands, offsets, row, entry):
    x, reduced, none, candidates = operands
    position = entry + np.int64(offsets[0])
    value, best = x[position], reduced[row]
    same = value == best or (value != value and best != best)
    candidates[entry] = position if same else none


def first_positions(tiles, offsets, x, reduced, out):
    """`x.size` for a segment without items."""
    xp = namespace_of(out)
    candidates = xp.empty(tiles.entries - out.size, out.dtype)
    operands = x, reduced, x.size, candidates
    visiting_kernel(_note_candidate)(tiles.rows.size - 1, offsets, tiles.rows, tiles.entries, operands)
    run_tiles(tiles, ops.MONOIDS["min"], _value, (candidates,), offsets - offsets[0], out)
    out[offsets[1:] == offsets[:-1]] = x.size
