"""A progress bar on standard error; nothing is shown if that is not a terminal."""

import sys

WIDTH = 30


class Progress:
    """A context that shows how many of `total` tasks are done; at its end it clears the line.

    Call `say` with the name of the next task, and `tick` after each task.
    """

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
        """Show the name of the current task."""
        self.text = text
        self._draw()

    def tick(self):
        """Count one task as done."""
        self.done = min(self.done + 1, self.total)
        self._draw()

    def _draw(self):
        full = WIDTH * self.done // max(self.total, 1)
        self._write(f"[{'#' * full}{'.' * (WIDTH - full)}] {100 * self.done // max(self.total, 1):3d} % {self.text}")

    def _write(self, line):
        if self.shown:
            self.stream.write(f"\r\033[K{line}")
            self.stream.flush()
