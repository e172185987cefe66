"""Say, once in a process and on a terminal, that first calls take long because kernels are compiled."""

import contextlib
import sys
import time

from numba import types

from spark_csr._config import config

SECONDS = 1.0
"""Seconds of compiling after which it is said."""

_spent, _said = 0.0, False


@contextlib.contextmanager
def count_time(signature, kept):
    """Count the time of a compilation for arguments of these types; `kept`: whether later processes find what is compiled."""
    global _spent
    _say_if_slow(signature, kept)
    start = time.perf_counter()
    try:
        yield
    finally:
        _spent += time.perf_counter() - start
    _say_if_slow(signature, kept)


def _say_if_slow(signature, kept):
    global _said
    if _spent < SECONDS or _said or not config.verbose:
        return
    with contextlib.suppress(AttributeError, OSError, ValueError):  # there is no terminal, or none any more
        if sys.stderr.isatty():
            _said = True
            dtypes = _dtypes(signature)
            kernels = f"kernels for {dtypes}" if dtypes else "kernels"
            print(f"spark_csr: compiling {kernels}{', kept for next time' if kept else ''}", file=sys.stderr, flush=True)


def _dtypes(signature):
    """Return the dtypes of arrays of values: of those that are no indices, if there are any."""
    found = list(dict.fromkeys(kind.dtype for kind in _flatten(signature) if isinstance(kind, types.Array)))
    values = [kind for kind in found if isinstance(kind, (types.Float, types.Complex))]
    return ", ".join(str(kind) for kind in values or found)


def _flatten(kinds):
    for kind in kinds:
        if isinstance(kind, types.BaseTuple):
            yield from _flatten(kind)
        else:
            yield kind
