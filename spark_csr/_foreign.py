"""Calls of other libraries' functions that run long without looking for signals; warnings that name the user's line.

Design: the function runs in a thread of its own while the main thread waits, since a wait ends when a signal arrives. So Ctrl-C
is answered at once. Cost: 50 us for a thread; and a call that was left goes on until its end, for nobody, so it must not write
what a user sees, and a process that ends waits for it: OpenBLAS crashes in a thread that outlives it. Other threads than the
main one handle no signals, so they call the function themselves.
"""

from __future__ import annotations

import contextvars
import functools
import sys
import threading
import types
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def wait_for(function: Callable[..., T], *args: Any, **options: Any) -> T:
    """Return the result of a function, or raise what it raises; a signal's handler may end the wait by an exception."""
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **options)
    ended, context = threading.Event(), contextvars.copy_context()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(context.run(function, *args, **options))
        except BaseException as error:
            errors.append(error)
        finally:
            ended.set()

    threading.Thread(target=run, name=f"spark_csr: {getattr(function, '__name__', 'call')}").start()
    ended.wait()
    if errors:
        raise errors.pop()
    return results.pop()


def _find_user():
    """Return the innermost frame that is not of this package, and how many frames lie between, for `stacklevel`."""
    frame, level = sys._getframe(2), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "spark_csr":
        frame, level = frame.f_back, level + 1
    return frame, level


def warn_user(message: str, category: type[Warning]) -> None:
    """Issue a warning at the line that has called this package, through however many functions."""
    warnings.warn(message, category, stacklevel=_find_user()[1])


def at_line_of_user(function: Callable[..., T]) -> Callable[..., T]:
    """Return a function that calls another as if the line that has called this package did: warnings then name that line."""
    frame, _ = _find_user()
    call: Any = lambda *args, **options: function(*args, **options)  # noqa: E731 one line, whose number is replaced
    code = call.__code__.replace(co_filename=frame.f_code.co_filename, co_firstlineno=frame.f_lineno)
    wrapper: Any = types.FunctionType(code, frame.f_globals, call.__name__, None, call.__closure__)
    return functools.update_wrapper(wrapper, function)
