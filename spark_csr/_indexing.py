"""Indexing of matrices."""

from spark_csr._base import SparseArray


class Indexing(SparseArray):
    """The methods of indexing."""
