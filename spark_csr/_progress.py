"""Say how far work is that may take long: the parameter `progress` of public functions.

Design: `watch` gives the function that work calls after each of its steps, or None where nobody asks. What is one kernel is
divided into steps only if somebody asks, and so that results keep their bits. tqdm is imported at the first bar. Cost of None:
a generator for each call.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spark_csr._types import Progress

SECONDS = 2.0
"""Seconds from one line to the next, without tqdm."""


@contextlib.contextmanager
def watch(
    progress: Progress, name: str, unit: str = "iterations", total: int | None = None
) -> Iterator[Callable[[int, Any], Any] | None]:
    """Give what is called as `report(done, value)` after every step; None if `progress` is None or False.

    `total` is how many of `unit` there are, if that is known. Then `value` is `total` again, else a number that shows how far
    the work is, or None.
    """
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        yield check_progress(progress)
    else:
        shown = _make_bar(name, unit, total) or _Lines(name, unit, total)
        try:
            yield shown.report
        finally:
            shown.close()


def check_progress(progress: Any) -> Any:
    """Return what was given for `progress`; raise TypeError if it is no bool, no function and not None."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress must be True, or a function that is called as progress(done, value), got {progress!r}")
    return progress


def number_steps(report: Callable[[int, Any], Any] | None) -> Callable[[Any], Any] | None:
    """Return a function `tell(value)` that reports the number of its calls and the value; None without a report."""
    if report is None:
        return None
    steps = itertools.count(1)
    return lambda value: report(next(steps), value)


def _make_bar(name, unit, total):
    """Return a bar of tqdm, None where it is not installed."""
    try:
        bars = importlib.import_module("tqdm.auto")
    except ImportError:
        return None
    return _Bar(bars.tqdm(desc=name, total=total, unit=" " + unit, unit_scale=total is not None and total > 10**6))


class _Bar:
    def __init__(self, bar):
        self.bar, self.close = bar, bar.close

    def report(self, done, value=None):
        if self.bar.total is None and value is not None:
            self.bar.set_postfix_str(_format(value), refresh=False)
        self.bar.update(done - self.bar.n)


class _Lines:
    """Lines on stderr: one every two seconds, and one at the end."""

    def __init__(self, name, unit, total):
        self.name, self.unit, self.total = name, unit, total
        self.done, self.value, self.started, self.shown = 0, None, time.monotonic(), time.monotonic()

    def report(self, done, value=None):
        self.done, self.value = done, value
        if time.monotonic() - self.shown >= SECONDS:
            self.close()

    def close(self):
        self.shown = time.monotonic()
        count = f"{self.done:,}" if self.total is None else f"{self.done:,} of {self.total:,}"
        value = f", {_format(self.value)}" if self.total is None and self.value is not None else ""
        taken = f"{self.shown - self.started:.1f} s"
        print(f"{self.name}: {count} {self.unit}{value}, {taken}", file=sys.stderr, flush=True)


def _format(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
