"""A progress bar on standard error; silent where that is no terminal."""

import sys

WIDTH = 30


class Progress:
    """`step("what comes next")` once for each of `total` pieces of work; leaves an empty line behind."""

    def __init__(self, total, stream=None):
        self.total, self.done = total, 0
        self.stream = sys.stderr if stream is None else stream
        self.shown = self.stream.isatty()
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._write("")

    def say(self, text):
        """Name the work in hand."""
        self.text = text
        self._draw()

    def tick(self):
        """One piece of work is done."""
        self.done = min(self.done + 1, self.total)
        self._draw()

    def _draw(self):
        full = WIDTH * self.done // max(self.total, 1)
        self._write(f"[{'#' * full}{'.' * (WIDTH - full)}] {100 * self.done // max(self.total, 1):3d} % {self.text}")

    def _write(self, line):
        if self.shown:
            self.stream.write(f"\r\033[K{line}")
            self.stream.flush()
