"""`numba.njit` whose functions are kept on disk under the digest of all that they are made of.

Design: Numba's own files are named after a function and its place, stamped with the time of its source, and lie beside it:
they do not see that a helper in another file or a global array changed, they cannot be written beside a read-only source, and
damaged ones end the process. Here a file is named after the description of the function (see `_meaning`), the types of its
arguments, the processor and the versions of the compilers, and is checked before it is used. Cost: `_cache` of a dispatcher,
`_reduce` and `_rebuild` of a compiled function are Numba's own; a test asks whether they do what is said here.
"""

import pickle

import numba
from numba.core import config, serialize
from numba.core.compiler import CompileResult

from spark_csr import _kept
from spark_csr._meaning import options_of, settled
from spark_csr._numba.codegen import code_switches


def cached_njit(function, **options):
    """Return `numba.njit(function)`, whose machine code a `KernelCache` keeps on disk."""
    kernel = numba.njit(**options)(function)
    if hasattr(kernel, "_cache"):  # under the simulator functions stay as they are
        kernel._cache = KernelCache(kernel)
    return kernel


class KernelCache:
    """The files of one dispatcher, one for each combination of argument types: what Numba asks of a cache."""

    cache_path = None

    def __init__(self, dispatcher):
        self._dispatcher = dispatcher

    def load_overload(self, signature, target_context):
        """The compiled function for these types; None where it must be compiled."""
        target_context.refresh()
        name = self._name(signature, target_context.codegen())
        content = None if name is None else _kept.read(name)
        if content is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception:  # whatever another version of a library wrote is as good as absent
            return None

    def save_overload(self, signature, compiled):
        """Keep what was compiled, if it means the same in another process."""
        if compiled.library.has_dynamic_globals or not all(part.can_cache for part in compiled.lifted):
            return
        name = self._name(signature, compiled.codegen)
        if name is not None:
            _kept.write(name, serialize.dumps(compiled._reduce()))

    def _name(self, signature, codegen):
        """The name of the file; None for what no other process can know."""
        function = self._dispatcher.py_func
        description = settled(function)
        if not description.lasting:
            return None
        switches = *code_switches(), config.SLP_VECTORIZE
        parts = (
            description.digest,
            options_of(self._dispatcher),
            numba.core.sigutils.normalize_signature(signature),
            codegen.magic_tuple(),
            tuple(map(str, switches)),
        )
        return _kept.file_name(function, parts, "kernel")

    def enable(self):
        """Part of what Numba asks of a cache; nothing to do."""

    disable = flush = enable
