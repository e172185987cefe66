"""Calls of other libraries' functions that run long without looking for signals.

Design: the function runs in a thread of its own while the main thread waits, since a wait ends when a signal arrives. So Ctrl-C
is answered at once. Cost: 50 us for a thread; and a call that was left goes on until its end, for nobody, so it must not write
what a user sees, and a process that ends waits for it: OpenBLAS crashes in a thread that outlives it. Other threads than the
main one handle no signals, so they call the function themselves.
"""

from __future__ import annotations

import contextvars
import threading
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
