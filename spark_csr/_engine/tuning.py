"""Numbers that kernels are tuned with: how they are declared, and how they are replaced for a while.

Design: each backend has one object `TUNING`, in its file `tuning.py`, with a field for each number. What launches a kernel
reads `TUNING.reduce_tile` when it is called and passes the number on: as an argument of the kernel, or where it is compiled in,
as an argument of the cached function that makes the kernel, for a hole. So a number that was replaced counts from the next call
on. What is kept with a matrix has the numbers that it was made with. One thread at a time may replace numbers, and another one
is refused: if two replacements overlapped, each thread would run with numbers of the other, and the numbers that the second one
restores would be those of the first. Numbers that fix how a kernel is written, such as how many elements it holds in registers,
are constants beside it. Cost: an attribute is read where a constant was.
"""

import contextlib
import dataclasses
import threading

KINDS = {
    "serial": "items up to which one core does it all",
    "tile": "items that a core takes at a time, or a block of them",
    "block": "items of a block, several of which make a tile",
    "count": "tiles, or other parts of the work, at most or at least",
    "ahead": "items or bytes from what is in hand to the memory that is asked for",
    "time": "nanoseconds",
    "limit": "any other number, mostly one from which on another way is taken",
}
"""The kinds of numbers."""

AS_KIND = object()
"""What a number is in tests of small tiles if nothing else is said: of kind "serial", "tile" or "block", what the test says."""

_REPLACING = threading.RLock()
"""Held by the thread that replaces numbers; one lock for the numbers of all backends."""


def number(kind, value, small=AS_KIND):
    """Return the field of a dataclass for a number of a kind.

    `small` is what the number is in tests of small tiles: a number, the name of a kind, or a function of the tile size; None
    if it stays as it is.
    """
    if kind not in KINDS:
        raise ValueError(f"`{kind}` is not a kind of number: use one of {', '.join(KINDS)}")
    if small is AS_KIND:
        small = kind if kind in ("serial", "tile", "block") else None
    return dataclasses.field(default=value, metadata={"kind": kind, "small": small})


class Numbers:
    """The base of dataclasses whose fields are made by `number`."""

    __slots__ = ()

    @contextlib.contextmanager
    def replace(self, **values):
        """Replace numbers, in all threads, until the `with` statement ends.

        Statements may be nested in one thread. While one thread replaces numbers, others that try to get a RuntimeError.
        """
        known = {field.name for field in dataclasses.fields(self)}
        if unknown := sorted(values.keys() - known):
            raise TypeError(f"there is no number `{unknown[0]}`: the numbers are {', '.join(sorted(known))}")
        if not _REPLACING.acquire(blocking=False):
            raise RuntimeError("another thread is replacing numbers, which count in all threads: wait until it has ended")
        try:
            before = {name: getattr(self, name) for name in values}
            try:
                self._assign(values)
                yield self
            finally:
                self._assign(before)
        finally:
            _REPLACING.release()

    def small_values(self, serial, tile, block):
        """Return what numbers are in tests of small tiles, by name, for these values of the kinds."""
        by_kind, found = {"serial": serial, "tile": tile, "block": block}, {}
        for field in dataclasses.fields(self):
            small = field.metadata["small"]
            if small is not None:
                found[field.name] = small(tile) if callable(small) else by_kind.get(small, small)
        return found

    def _assign(self, values):
        for name, value in values.items():
            setattr(self, name, value)
