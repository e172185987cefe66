"""What functions mean, and functions as they are now: what kernels are made of and named by."""

from spark_csr._engine.meaning.describe import Description, describe, digest, settled_description, source_digest
from spark_csr._engine.meaning.frozen import current, name_of
from spark_csr._engine.meaning.names import codes_of, is_own
from spark_csr._engine.meaning.raising import can_raise, note_if_raising, note_raising

__all__ = [
    "Description",
    "can_raise",
    "codes_of",
    "current",
    "describe",
    "digest",
    "is_own",
    "name_of",
    "note_if_raising",
    "note_raising",
    "settled_description",
    "source_digest",
]
