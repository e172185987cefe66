"""Write every element of `x` as often as its segment is long: a visit to every item of the tiles."""

from spark_csr._cuda.search import visit_items
from spark_csr._engine.gpu import device_function


@device_function
def _write_element(operands, item, row, rank):
    x, out = operands
    out[item] = x[row]


def repeat(tiles, x, offsets, out):
    visit_items(_write_element, tiles, offsets, (x, out))
