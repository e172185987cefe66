"""Signals whose handlers are called after a step."""

import contextlib
import signal
import threading
import time

import pytest

from interrupts import handler, press
from spark_csr._engine.signals import delay_signals

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals but Ctrl-C")


def send(number):
    """Send a signal to this process. Python has called its handler when this returns, unless it is delayed."""
    signal.raise_signal(number)
    time.sleep(0.001)


@contextlib.contextmanager
def handlers(**functions):
    before = {name: signal.signal(getattr(signal, name), function) for name, function in functions.items()}
    try:
        yield
    finally:
        for name, function in before.items():
            signal.signal(getattr(signal, name), function)


def test_ctrl_c_is_answered_after_the_block():
    done = []

    @delay_signals()
    def step():
        press()
        time.sleep(0.01)
        done.append("all")

    with handler(signal.default_int_handler):
        with pytest.raises(KeyboardInterrupt):
            step()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert done == ["all"]


def test_each_handler_is_called_once_with_its_signal():
    called = []
    with handlers(SIGUSR1=lambda *given: called.append(given), SIGUSR2=lambda *given: called.append(given)):
        with delay_signals():
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1):
                send(number)
            assert not called
        assert sorted(number for number, _ in called) == sorted((signal.SIGUSR1, signal.SIGUSR2))
        assert all(frame.f_code is send.__code__ for _, frame in called)
        send(signal.SIGUSR1)
        assert len(called) == 3


def test_all_handlers_are_called_although_one_raises():
    called = []

    @delay_signals()
    def step():
        for number in (signal.SIGUSR2, signal.SIGINT, signal.SIGUSR1):
            send(number)

    with handlers(SIGINT=signal.default_int_handler, SIGUSR1=lambda *_: called.append(1), SIGUSR2=lambda *_: called.append(2)):
        with pytest.raises(KeyboardInterrupt):
            step()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert sorted(called) == [1, 2]


def test_an_exception_of_the_block_is_the_context_of_that_of_a_handler():
    @delay_signals()
    def step():
        press()
        raise ZeroDivisionError

    with handler(signal.default_int_handler), pytest.raises(KeyboardInterrupt) as raised:
        step()
    assert isinstance(raised.value.__context__, ZeroDivisionError)


def test_blocks_within_blocks():
    done = []

    @delay_signals()
    def step():
        with delay_signals():
            press()
            time.sleep(0.01)
            done.append("inner")
        time.sleep(0.01)
        done.append("outer")

    with handler(signal.default_int_handler), pytest.raises(KeyboardInterrupt):
        step()
    assert done == ["inner", "outer"]


def test_signals_that_are_ignored_stay_so():
    with handlers(SIGUSR1=signal.SIG_IGN), delay_signals():
        assert signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN
        send(signal.SIGUSR1)


@pytest.mark.parametrize("which", [0, 1])
def test_a_handler_that_raises_while_handlers_are_restored_leaves_none_out(monkeypatch, which):
    """The first that is restored raises before the second is."""
    sent, real = [], signal.signal

    def interrupt(number, function):
        before = real(number, function)
        if function in own.values():
            sent.append(number)
            if len(sent) == 1 + which:
                send(number)
        return before

    def fail(*_):
        raise InterruptedError

    own = {signal.SIGUSR1: fail, signal.SIGUSR2: lambda *_: fail()}
    with handlers(SIGUSR1=own[signal.SIGUSR1], SIGUSR2=own[signal.SIGUSR2]):
        with monkeypatch.context() as patch:
            patch.setattr(signal, "signal", interrupt)
            with pytest.raises(InterruptedError), delay_signals():
                pass
        assert [signal.getsignal(number) for number in own] == list(own.values())


def test_in_other_threads_nothing_changes():
    found = []

    def look():
        with delay_signals():
            found.append(signal.getsignal(signal.SIGINT))

    other = threading.Thread(target=look)
    with handler(signal.default_int_handler):
        other.start()
        other.join()
    assert found == [signal.default_int_handler]
