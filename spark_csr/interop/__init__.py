"""Bridges to other libraries.

Importing a bridge imports the library, and raises ImportError with the pip command if that is not installed; nothing else does.

- `interop.scipy`: all cores for code that exists: SciPy's own matrices compute with the kernels of this package
- `interop.torch`: products and segmented operations of tensors, with gradients
- `interop.pyg`: sampled neighbours for the loaders of PyTorch Geometric
- `interop.networkx`: the backend "spark_csr" of networkx
- `interop.awkward`: ragged arrays to and from awkward-array
- `interop.arrow`: ragged arrays to and from Arrow's arrays of lists, and Parquet files
- `interop.jax`: matrices to and from JAX's BCOO and BCSR, and arrays by DLPack
- `interop.dask`: matrices as the chunks of Dask's arrays, and matrices in blocks of rows on Dask's workers
- `interop.mpi`: matrices whose rows are distributed over the ranks of an MPI program

Examples
--------
>>> import awkward
>>> from spark_csr.interop.awkward import from_awkward
>>> from_awkward(awkward.Array([[1.5, 2], [], [3]]))
Ragged([[1.5, 2.0], [], [3.0]], dtype=float64)
"""

import importlib
import sys
from typing import TYPE_CHECKING

from spark_csr import _absent

__all__ = ["arrow", "awkward", "dask", "jax", "mpi", "networkx", "pyg", "scipy", "torch"]

if TYPE_CHECKING:  # names that `__getattr__` imports; it is hidden, as it would let type checkers accept any name
    from spark_csr.interop import arrow, awkward, dask, jax, mpi, networkx, pyg, scipy, torch
else:

    def __getattr__(name):
        if name in __all__:
            return importlib.import_module(f"{__name__}.{name}")
        hint = f"use one of {', '.join(__all__)}"
        raise _absent.refuse(sys.modules[__name__], name, {name: hint})


def __dir__() -> list[str]:
    return __all__
