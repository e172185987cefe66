"""What functions mean, and functions as they are now: what kernels are made of and named by."""

from spark_csr._meaning.describe import Description, describe, digest, options_of, settled, source_digest
from spark_csr._meaning.frozen import current, name_of

__all__ = ["Description", "current", "describe", "digest", "name_of", "options_of", "settled", "source_digest"]
