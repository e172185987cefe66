"""Functions that make matrices: of numbers, of diagonals, of random numbers, and of other matrices."""

from spark_csr._construct import numpy_functions  # noqa: F401 what they mean
from spark_csr._construct.diagonals import diags_array, eye_array
from spark_csr._construct.kron import kron
from spark_csr._construct.parts import find, tril, triu
from spark_csr._construct.random import random_array
from spark_csr._construct.stack import block_array, block_diag, hstack, vstack
from spark_csr._current_device import functions_on_their_device

__all__ = [
    "block_array",
    "block_diag",
    "diags_array",
    "eye_array",
    "find",
    "hstack",
    "kron",
    "random_array",
    "tril",
    "triu",
    "vstack",
]

functions_on_their_device(globals(), __all__)
