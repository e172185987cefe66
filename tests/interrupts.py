"""Ctrl-C while something runs."""

import _thread
import contextlib
import os
import signal
import threading
import time


def press():
    """Press Ctrl-C."""
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextlib.contextmanager
def handler(function):
    """Call this function where Ctrl-C is pressed."""
    before = signal.signal(signal.SIGINT, function)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def interrupt(work, after=0.2):
    """Press Ctrl-C some seconds after the call of `work`; return the seconds until it raises, 0 if it ended before."""
    pressed = []

    def act():
        pressed.append(time.monotonic())
        press()

    timer, ended = threading.Timer(after, act), False
    with handler(signal.default_int_handler):
        try:
            timer.start()
            work()
            ended = not pressed
            timer.join()
            time.sleep(10)
        except KeyboardInterrupt:
            return 0 if ended else time.monotonic() - pressed[0]
    raise AssertionError("a signal got lost")


class Interrupted:
    """A function before which Ctrl-C is pressed; `calls` counts those that were completed all the same."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args, **options):
        press()
        time.sleep(0.01)  # Python calls the handler here, unless it is delayed
        result = self.function(*args, **options)
        self.calls += 1
        return result


def interrupt_step(monkeypatch, owner, name, work):
    """Press Ctrl-C before the step `owner.name` of `work`: the step must be completed, and must not be needed again."""
    step = Interrupted(getattr(owner, name))
    monkeypatch.setattr(owner, name, step)
    with handler(signal.default_int_handler):
        try:
            work()
        except KeyboardInterrupt:
            assert step.calls == 1
            work()
            assert step.calls == 1
            return
    raise AssertionError("a signal got lost")
