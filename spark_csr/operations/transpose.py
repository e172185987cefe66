"""Interim."""

from spark_csr._array import namespace_of
from spark_csr.operations import check
from spark_csr.operations.record import Csr
from spark_csr.primitives.offsets import offsets_from_segment_ids
from spark_csr.primitives.search import segment_ids


def transposed(csr):
    """The record of the transpose."""
    order = namespace_of(csr.data).argsort(csr.indices, kind="stable")
    rows = check.as_index(segment_ids(csr.indptr)[order], csr.shape[0])
    return Csr(offsets_from_segment_ids(csr.indices[order], csr.shape[1]), rows, csr.data[order], csr.shape[::-1])
