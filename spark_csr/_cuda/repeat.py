"""Write every element of `x` as often as its segment is long: a visit to every item of the tiles."""

from spark_csr._cuda.search import visiting_kernel
from spark_csr._engine.gpu import device_function


@device_function
def _write_element(operands, offsets, row, item):
    x, out = operands
    out[item] = x[row]


def repeat(tiles, x, offsets, out):
    visiting_kernel(_write_element)(tiles.rows.size - 1, offsets, tiles.rows, tiles.entries, (x, out))
