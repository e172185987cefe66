"""The calls that `python -m spark_csr compile` makes on the cores, on the GPU: their kernels are those that a wheel carries."""

import functools
import itertools

import numpy as np

import spark_csr
from spark_csr import gallery
from spark_csr._array import to_device
from spark_csr._cli.calls import CALLS, _operands
from spark_csr._cli.compile import EVERYDAY

ON_CORES = "bandwidth", "cg"
"""Calls that have no kernels of their own for GPUs."""


def items(options):
    """A call for each pair of dtypes; of small operands, since kernels for GPUs do not depend on sizes."""
    for (dtype, index), name in itertools.product(EVERYDAY, CALLS):
        if name not in ON_CORES:
            yield f"{name}, {dtype} and {index}", functools.partial(call, name, dtype, index)


def call(name, dtype, index):
    """Call it with each kind of matrix."""
    for given in operands(np.dtype(dtype), np.dtype(index)):
        CALLS[name](given)


@functools.lru_cache(maxsize=1)
def operands(dtype, index):
    """Short rows, irregular ones, those of grids, and a long one; too few entries for a plan that only large ones get."""
    made = gallery.uniform(200, 200, 4), gallery.rmat(8, 8), gallery.poisson((7, 7, 7)), gallery.one_dense_row(300, 300, 3)
    return [type(o)(*(there(x) for x in o)) for o in (_operands(A, dtype, index) for A in made)]


def there(x):
    """An operand on the GPU."""
    if isinstance(x, tuple):
        return tuple(there(part) for part in x)
    return x.to_device("cuda") if isinstance(x, spark_csr.csr_array) else to_device(x, "cuda")
