"""`njit` whose kernels on disk are safe for several processes at once.

Design: Numba numbers the files of a kernel in the order in which its types come, and writes the index before the code. Of two
processes that compile one kernel for two dtypes at once, either may then find the other's code under its own dtype, and run
it. Here a file is named after the types and the source it is for, and is written before the index names it: what an index
names is never another's. Cost: of two indices written at once one is lost, and its kernel is compiled again.
"""

import hashlib

import numba
from numba.core.caching import IndexDataCacheFile


class NamedByTypes(IndexDataCacheFile):
    """The files of one kernel."""

    def save(self, key, data):
        """Write the code, then say where it is."""
        digest = hashlib.sha256(f"{self._version} {self._source_stamp} {key!r}".encode()).hexdigest()[:24]
        name = self._index_name.removesuffix(".nbi") + f".{digest}.nbc"
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


def njit(function=None, **options):
    """`numba.njit`; with `cache=True` the files are those of `NamedByTypes`."""
    if function is None:
        return lambda function: njit(function, **options)
    kernel = numba.njit(**options)(function)
    if options.get("cache") and hasattr(kernel, "_cache"):
        kernel._cache._cache_file.__class__ = NamedByTypes
    return kernel
