"""Interim."""

from spark_csr.operations.record import Csr
from spark_csr.primitives.offsets import offsets_from_segment_ids
from spark_csr.primitives.search import segment_ids


def eliminate_zeros(csr):
    """Without zeros."""
    keep = csr.data != 0
    return Csr(
        offsets_from_segment_ids(segment_ids(csr.indptr)[keep], csr.shape[0]), csr.indices[keep], csr.data[keep], csr.shape
    )
