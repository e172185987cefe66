"""Files whose reading is watched: the parameter `progress` of readers."""

from __future__ import annotations

import contextlib
import io
import os
from typing import IO, TYPE_CHECKING, Any

from spark_csr._progress import watch
from spark_csr.io._errors import import_packing, open_to_read, packing_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spark_csr._types import Progress

CHUNK = 1 << 20
"""The most bytes that are read at once, so that a large array is not one step. Not tuned."""


@contextlib.contextmanager
def watch_reading(progress: Progress, name: str, unit: str, total: int | None) -> Iterator[Callable[[int, Any], Any] | None]:
    """Do as `watch`, and mark what the function raises, which is no error of the file: see `name_errors`."""
    with watch(progress, name, unit, total) as report:

        def tell(done, value):
            try:
                report(done, value)
            except BaseException as error:
                error.of_progress = True
                raise

        yield None if report is None else tell


@contextlib.contextmanager
def open_watched(file: Any, progress: Progress, name: str) -> Iterator[IO[Any]]:
    """Open a file as `open_to_read` does, and report how many of its bytes have been read, packed as they are."""
    with contextlib.ExitStack() as stack:
        is_path = isinstance(file, (str, os.PathLike))
        raw = stack.enter_context(open(file, "rb")) if progress and is_path else file
        report = stack.enter_context(watch_reading(progress, name, "bytes", _size(raw) if progress else None))
        if report is None:
            yield stack.enter_context(open_to_read(file))
            return
        watched = io.BufferedReader(_Watched(raw, report, _size(raw)), CHUNK)
        packing = packing_of(file) if is_path else None
        opener = None if packing is None else import_packing(packing).open
        yield watched if opener is None else stack.enter_context(opener(watched, "rb"))


def _size(file):
    """Return the number of bytes in a file; None if it is a pipe, or no file of the system."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return os.fstat(file.fileno()).st_size or None
    return None


class _Watched(io.RawIOBase):
    def __init__(self, file, report, total):
        self.file, self.report, self.total, self.count = file, report, total, 0

    def readable(self):
        return True

    def seekable(self):
        return self.file.seekable()

    def seek(self, offset, whence=os.SEEK_SET):
        return self.file.seek(offset, whence)

    def tell(self):
        return self.file.tell()

    def readinto(self, buffer):
        chunk = self.file.read(min(len(buffer), CHUNK))
        chunk = chunk.encode("latin-1", "replace") if isinstance(chunk, str) else chunk
        buffer[: len(chunk)] = chunk
        if chunk:
            self.count += len(chunk)
            self.report(self.count if self.total is None else min(self.count, self.total), self.total)
        return len(chunk)
