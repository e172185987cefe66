"""Arithmetic of matrices."""

from spark_csr._base import SparseArray


class Arithmetic(SparseArray):
    """The methods of arithmetic."""
