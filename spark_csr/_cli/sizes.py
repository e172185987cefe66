"""`bench --plot`: how fast `A @ x` is over the size of the matrix, beside the other libraries that are installed."""

import dataclasses
import glob
import importlib
import os
import sys

import numpy as np

from spark_csr import gallery
from spark_csr._array import parse_device, to_device
from spark_csr._cli import measure
from spark_csr._cli.time_product import agree, make_operand

SIDES = 6, 9, 13, 19, 28, 41, 60, 88, 128
"""Sides of the cubes of points of the Laplacians that are multiplied: from a thousand entries to 15 million."""

MKL_PAUSE = 0.25
"""Seconds before each timing where MKL takes part, whose threads spin for 0.2 s after a call."""


@dataclasses.dataclass
class Timing:
    """One point of the plot: a product by one library. Time in seconds."""

    library: str
    matrix: str
    nnz: int
    dtype: str
    device: str
    seconds: float
    agrees: bool


def find_mkl():
    """Return MKL's function for products, or None where MKL or its Python package is not installed."""
    if "MKL_RT" not in os.environ:  # its loader looks into the folders of the system only
        found = sorted(glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so.*")))
        if found:
            os.environ["MKL_RT"] = found[-1]
    try:
        return importlib.import_module("sparse_dot_mkl").dot_product_mkl
    except (ImportError, OSError, RuntimeError):
        return None


def measure_size(side, device, dtype, rounds, block=0.02):
    """Return the `Timing` of each library for the Laplacian of `side` points in each of three directions."""
    A = gallery.poisson((side,) * 3, dtype)
    S, x = A.to_scipy(), make_operand(A)
    there, x_there = A.to_device(device), to_device(x, device)
    products, pause, time_rounds = {"spark_csr": lambda: there @ x_there}, measure.PAUSE, measure.time_rounds
    if parse_device(device) is None:
        products["SciPy"] = lambda: S @ x
        mkl = find_mkl() if dtype in ("float32", "float64", "complex64", "complex128") else None
        if mkl is not None:
            M = importlib.import_module("scipy.sparse").csr_matrix(S)
            products["MKL (sparse_dot_mkl)"] = lambda: mkl(M, x)
            pause = MKL_PAUSE
        options = {"pause": pause, "block": block}
    else:
        from spark_csr._cli import gpu

        C = there.copy().to_cupy()  # CuPy sorts and merges in place
        products["CuPy"], time_rounds, options = (lambda: C @ x_there), gpu.time_rounds, {}
    expected = S @ x
    right = {name: agree(to_device(product(), "cpu"), expected, S, x) for name, product in products.items()}
    seconds = np.median(time_rounds(list(products.values()), rounds=rounds, **options), axis=0)
    return [
        Timing(name, "3-D Laplacian", A.nnz, str(A.dtype), device, float(taken), right[name])
        for name, taken in zip(products, seconds, strict=True)
    ]
