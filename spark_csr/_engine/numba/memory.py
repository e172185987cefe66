"""Memory of Python while Numba compiles: room for the frames of functions, and no search for garbage.

Design: Python keeps the frames of a thread in chunks of 16 kB. A loop that calls functions across the end of a chunk asks the
system for memory at each call, and gives it back at each return. Numba's passes are such loops, at depths that depend on the
caller: in tests, a million of these requests took 30 % of the time of compiling (EPYC, family 26 model 2, 2026-11). A function
whose frame needs a larger chunk gets one, and the frames above it use the rest. Cost: a megabyte of addresses, of which a few
pages are used. Source: https://github.com/python/cpython/issues/142183. Goes when the oldest supported Python keeps a chunk
that it may need again, as 3.14.4 does.
"""

import contextlib
import gc

ROOM = 1 << 16
"""Words of a frame: half of a chunk of a megabyte, as chunks grow by powers of two and hold a little more than frames."""


def call_with_room(function, *args, **options):
    """Call a function, and let its frames and those of what it calls lie in a chunk of their own."""
    return function(*args, **options)


call_with_room.__code__ = call_with_room.__code__.replace(co_stacksize=ROOM)


@contextlib.contextmanager
def disable_collection():
    """Disable the garbage collector, which takes an eighth of the time of compiling and frees almost nothing."""
    enabled = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if enabled:
            gc.enable()
