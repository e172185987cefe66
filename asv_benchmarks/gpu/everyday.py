"""The calls that `python -m spark_csr compile` makes on the cores, on the GPU: their kernels are those that a wheel carries."""

import functools

import numpy as np

import spark_csr
from spark_csr import gallery
from spark_csr._array import to_device
from spark_csr._cli.calls import CALLS, operands_of
from spark_csr._cli.compile import EVERYDAY

ON_CORES = "bandwidth", "cg", "spsolve", "lstsq"
"""Calls that have no kernels of their own for GPUs."""


def items(options):
    """A call for each pair of dtypes. Operands are small: most kernels for GPUs are the same for all sizes."""
    for names in EVERYDAY:
        kind, title = tuple(map(np.dtype, names)), " and ".join(names)
        yield f"products of each shape, {title}", functools.partial(products_of_each_shape, *kind)
        for name in CALLS:
            if name not in ON_CORES:
                yield f"{name}, {title}", functools.partial(call, name, *kind)


def products_of_each_shape(dtype, index):
    """There is a kernel for each number of lanes that a row may have, and for numbers of columns."""
    for lanes in (1, 2, 4, 8, 16, 32):
        o = on_gpu(operands_of(gallery.uniform(200, 200, lanes), dtype, index))
        o.A @ o.x, o.A.T @ o.x, o.A.sum(axis=1)
    for columns in (1, 2, 3, 4, 8, 16, 32, 64, 128):
        o.A @ there(np.ones((200, columns), dtype))


def call(name, dtype, index):
    """Call it with each kind of matrix."""
    for given in operands(dtype, index):
        CALLS[name](given)


@functools.lru_cache(maxsize=1)
def operands(dtype, index):
    """Short rows, irregular ones, those of grids, and a long one; too few entries for a plan that only large ones get."""
    made = gallery.uniform(200, 200, 4), gallery.rmat(8, 8), gallery.poisson((7, 7, 7)), gallery.one_dense_row(300, 300, 3)
    return [on_gpu(operands_of(A, dtype, index)) for A in made]


def on_gpu(o):
    """All operands there."""
    return type(o)(*map(there, o))


def there(x):
    """An operand on the GPU."""
    if isinstance(x, tuple):
        return tuple(there(part) for part in x)
    return x.to_device("cuda") if isinstance(x, spark_csr.csr_array) else to_device(x, "cuda")
