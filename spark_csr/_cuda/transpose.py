"""The transpose of a compressed matrix: a radix sort of its columns, which rows and values follow."""

from spark_csr._array import by_width, index_dtype, namespace_of
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.radix import differing_bits, list_digits, move_by_digits
from spark_csr._cuda.search import visit_items
from spark_csr._cuda.segmented import tile_size
from spark_csr._cuda.unpack import unpack
from spark_csr._shared.merge_path import Tiles, cut
from spark_csr._shared.visits import write_segment


def _rows(offsets, entries):
    """Return the row of every entry."""
    xp, rows = namespace_of(offsets), offsets.size - 1
    listed, out = entries + rows, xp.empty(entries, index_dtype(rows))
    items = tile_size(listed)
    cuts = xp.empty(-(-listed // items) + 1, index_dtype(rows))
    for_each(cuts.size, cut, offsets, rows, items, cuts)
    visit_items(write_segment, Tiles(cuts, items, listed), offsets, (out,))
    return out


def transpose(offsets, columns, data, indptr, indices, out):
    """Write the entries of every column in the order of their rows; if `data` is None, `out` takes positions.

    The host reads once where there are fewer entries than columns, whose numbers then may differ in few bits.
    """
    n, columns, xp = columns.size, by_width(columns), namespace_of(out)
    in_use = (1 << max(indptr.size - 2, 0).bit_length()) - 1
    digits = list_digits(in_use if indptr.size <= n else differing_bits(columns) & in_use)
    sources = columns, None if data is None else by_width(data), by_width(_rows(offsets, n))
    targets = xp.empty_like(columns) if digits else columns, by_width(out), by_width(indices)
    spares = tuple(xp.empty_like(x) for x in targets) if len(digits) > 1 else targets
    move_by_digits(digits, sources, targets, spares)
    unpack(targets[0], 0, indptr)
