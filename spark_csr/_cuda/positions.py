"""The extreme of every segment, and where it first is.

Design: segments are reduced; every item that is what its segment became notes its position; the least of these is found by the
same engine.
"""

from spark_csr import _ops as ops
from spark_csr._array import namespace_of
from spark_csr._cuda.search import visit_items
from spark_csr._cuda.segmented import segmented_reduce
from spark_csr._engine.gpu import device_function


@device_function
def _note_candidate(operands, entry, row, rank):
    x, offsets, reduced, none, candidates = operands
    position = offsets[0] + entry
    value, best = x[position], reduced[row]
    same = value == best or (value != value and best != best)
    candidates[entry] = position if same else none


def extreme_positions(tiles, monoid, offsets, x, out, index):
    """Write the least or greatest item of every segment, and its position; -1 for a segment without items."""
    segmented_reduce(tiles, monoid, offsets, x, out)
    candidates = namespace_of(out).empty(tiles.entries - out.size, index.dtype)
    operands = x, offsets, out, x.size, candidates
    visit_items(_note_candidate, tiles, offsets, operands)
    segmented_reduce(tiles, ops.MONOIDS["min"], offsets - offsets[0], candidates, index)
    index[offsets[1:] == offsets[:-1]] = -1
