"""Reductions of matrices."""

from spark_csr._base import SparseArray


class Reductions(SparseArray):
    """The methods of reductions."""
