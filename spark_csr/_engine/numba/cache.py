"""Where Numba's dispatchers look for what was compiled before, in files that somebody else names, reads and writes.

Why: Numba's own cache names files by the place of a source, does not keep closures over dispatchers (numba#6264), and has had
races between processes that write one file (numba#4807, numba#10128). A dispatcher asks its `_cache` for the compiled function
of a signature, and hands it over when it has compiled one; `CompileResult._reduce` and `_rebuild` turn it into what can be
pickled and back. Goes when Numba lets others say under which name a function is kept.
"""

import pickle

import numba
from numba.core import serialize, sigutils
from numba.core.compiler import CompileResult

from spark_csr._engine.numba.integers import with_integer_types
from spark_csr._engine.signals import delay_signals


def njit_with_cache(function, cache_of, **options):
    """Return `numba.njit(function)`; `cache_of(dispatcher)` is the `DispatcherCache` that it asks.

    Signals that arrive while it compiles are handled afterwards.
    """
    dispatcher = numba.njit(**options)(function)
    if hasattr(dispatcher, "_cache"):  # under the simulator functions stay as they are
        dispatcher._cache = cache_of(dispatcher)
        dispatcher.compile = delay_signals()(with_integer_types(dispatcher).compile)
    return dispatcher


class DispatcherCache:
    """What Numba asks of the cache of a dispatcher. Derived classes define `name`, `read` and `write`."""

    cache_path = None

    def __init__(self, dispatcher):
        self.dispatcher = dispatcher

    def name(self, argument_types, processor):
        """Return the name of the file for these types on this processor; None for what no other process can know."""
        raise NotImplementedError

    def read(self, name):
        """Return the content of a file, or None."""
        raise NotImplementedError

    def write(self, name, content):
        """Keep the content of a file."""
        raise NotImplementedError

    def load_overload(self, signature, target_context):
        """Return the compiled function for these types; None where it must be compiled."""
        target_context.refresh()
        name = self._name(signature, target_context.codegen())
        content = None if name is None else self.read(name)
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
            self.write(name, serialize.dumps(compiled._reduce()))

    def _name(self, signature, codegen):
        return self.name(sigutils.normalize_signature(signature), codegen.magic_tuple())

    def enable(self):
        """Do nothing: this is part of what Numba asks of a cache."""

    disable = flush = enable
