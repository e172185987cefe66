"""`numba.njit` whose functions are kept on disk under the digest of all that they are made of.

Design: Numba's own files are named after a function and its place, stamped with the time of its source, and lie beside it:
they do not see that a helper in another file or a global array changed, they cannot be written beside a read-only source, and
damaged ones end the process. Here a file is named after the description of the function (see `meaning`), the types of its
arguments, the processor and the versions of the compilers, and is checked before it is used. Cost: see `numba.cache`.
"""

import numba

from spark_csr._engine import store
from spark_csr._engine.meaning import settled_description, source_digest
from spark_csr._engine.numba import integers
from spark_csr._engine.numba.cache import DispatcherCache, njit_with_cache
from spark_csr._engine.numba.codegen import code_switches
from spark_csr._engine.numba.objects import options_of


def cached_njit(function, **options):
    """Return `numba.njit(function)`, whose machine code a `KernelCache` keeps on disk."""
    return njit_with_cache(function, KernelCache, **options)


class KernelCache(DispatcherCache):
    """The files of one dispatcher, one for each combination of argument types."""

    def name(self, argument_types, processor):
        function = self.dispatcher.py_func
        description = settled_description(function)
        if not description.lasting:
            return None
        switches = *code_switches(), numba.config.SLP_VECTORIZE
        made_by = processor, source_digest(integers.__name__), tuple(map(str, switches))
        parts = description.digest, options_of(self.dispatcher), argument_types, made_by
        return store.file_name(function, parts, "kernel")

    def read(self, name):
        return store.read(name)

    def write(self, name, content):
        store.write(name, content)
