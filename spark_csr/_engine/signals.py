"""Delay the handlers of signals until a step is complete.

Why: Python runs the handlers of signals between any two instructions of its main thread. If one raises, as Ctrl-C does, machine
code may be freed that the linker still knows, and Numba's tables of types stay half made: later calls crash. Signals cannot be
blocked instead, as they then arrive in another thread, and the main thread runs the handlers all the same.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Handlers = dict[int, Callable[..., Any]]

_NUMBERS = sorted(signal.valid_signals())


@contextlib.contextmanager
def delay_signals() -> Iterator[None]:
    """Call the handlers of signals that arrive within the block after its end, each handler once.

    Only handlers that are Python functions are delayed. Other threads than the main one handle no signals: nothing changes
    there. Cost: 30 us.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: handler for number in _NUMBERS if callable(handler := signal.getsignal(number))}
    arrived: dict[int, Any] = {}
    try:
        for number in handlers:
            signal.signal(number, arrived.__setitem__)
        yield
    finally:
        try:
            _restore(handlers)
        finally:
            _call(handlers, arrived)


def _restore(handlers: Handlers) -> None:
    """Set all handlers, although one that is set already may raise meanwhile."""
    try:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    except BaseException:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        raise


def _call(handlers: Handlers, arrived: dict[int, Any]) -> None:
    """Call the handlers of the signals that arrived, all of them although one may raise."""
    if arrived:
        number, frame = arrived.popitem()
        try:
            handlers[number](number, frame)
        finally:
            _call(handlers, arrived)
