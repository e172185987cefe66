"""The line that says that kernels are being compiled."""

import io
import logging
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numba import typeof

from spark_csr import config
from spark_csr._array import SIMULATED
from spark_csr._engine import store

if SIMULATED:
    pytest.skip("kernels are not compiled", allow_module_level=True)

from spark_csr._engine import notice
from spark_csr._engine.kernel import Kernel


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """A terminal, and a process that has compiled nothing yet."""
    monkeypatch.setattr(notice, "_spent", 0.0)
    monkeypatch.setattr(notice, "_said", False)
    monkeypatch.setattr(notice, "sys", SimpleNamespace(stderr=Terminal(), modules={}))
    return notice.sys.stderr


def _compile(*args, kept=True, seconds=2):
    with notice.count_time(tuple(map(typeof, args)), kept):
        notice._spent += seconds


X, INDICES = np.ones(2), np.arange(2)


def test_it_is_said_once(terminal):
    _compile((INDICES, X), np.float64(3))
    assert terminal.getvalue() == "spark_csr: compiling kernels for float64, kept for next time\n"
    _compile(X.astype(np.float32))
    assert terminal.getvalue().count("\n") == 1


def test_it_is_said_before_the_next_kernel_is_compiled(terminal):
    _compile(X, seconds=0.9)
    assert terminal.getvalue() == ""
    notice._spent = 1.5
    with notice.count_time((typeof(INDICES),), False):
        assert terminal.getvalue() == "spark_csr: compiling kernels for int64\n"


def test_kernels_of_no_arrays(terminal):
    _compile(3)
    assert terminal.getvalue() == "spark_csr: compiling kernels, kept for next time\n"


def test_it_can_be_switched_off(terminal):
    with config(verbose=False):
        _compile(X)
    assert terminal.getvalue() == ""
    _compile(X)
    assert terminal.getvalue() != ""


class Gone(Terminal):
    def write(self, text):
        raise OSError(5, "Input/output error")


def _closed():
    stream = Terminal()
    stream.isatty = io.StringIO.isatty.__get__(stream)
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [Gone(), _closed(), object()], ids=["gone", "closed", "no stream"])
def test_a_terminal_that_is_no_more_is_no_error(terminal, monkeypatch, stream):
    monkeypatch.setattr(notice, "sys", SimpleNamespace(stderr=stream, modules={}))
    _compile(X)
    _compile(X)


@pytest.mark.parametrize("stream", [io.StringIO(), None], ids=["a file", "nothing"])
def test_without_a_terminal_it_is_in_the_log(terminal, monkeypatch, caplog, stream):
    monkeypatch.setattr(notice, "sys", SimpleNamespace(stderr=stream, modules={}))
    with caplog.at_level("INFO"):
        _compile(X)
        _compile(X)
    assert caplog.record_tuples == [("spark_csr", logging.INFO, "compiling kernels for float64, kept for next time")]
    assert not stream or not stream.getvalue()


class Handle:
    """What IPython's `DisplayHandle` does, noted in the list `seen`."""

    def display(self, bundle, raw):
        self.seen.append((id(self), "display", bundle["text/plain"]))

    def update(self, bundle, raw):
        self.seen.append((id(self), "update", bundle["text/plain"]))


def test_in_a_notebook_it_is_shown_below_the_cell_while_kernels_are_compiled(terminal, monkeypatch):
    shell, seen = SimpleNamespace(kernel=object(), execution_count=1), []
    monkeypatch.setattr(Handle, "seen", seen, raising=False)
    monkeypatch.setattr(notice, "_line", (None, None))
    display = SimpleNamespace(DisplayHandle=Handle)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    notice.sys.modules["IPython"] = SimpleNamespace(get_ipython=lambda: shell)
    text = "spark_csr: compiling kernels for float64, kept for next time"
    _compile(X, seconds=0.5)
    assert seen == []
    _compile(X)  # it is not known to be slow before it ends
    assert seen == []
    _compile(X)
    _compile(X)
    shell.execution_count = 2
    with pytest.raises(KeyboardInterrupt), notice.count_time((typeof(X),), True):
        raise KeyboardInterrupt
    assert [(how, said) for _, how, said in seen] == [
        *[("display", text), ("update", ""), ("update", text), ("update", "")],
        *[("display", text), ("update", "")],
    ]
    assert len({of for of, *_ in seen}) == 2
    with config(verbose=False):
        _compile(X)
    shell.kernel = None  # IPython in a terminal
    _compile(X)
    assert len(seen) == 6


def test_a_notebook_that_is_no_more_is_no_error(terminal, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError

    monkeypatch.setattr(notice, "_spent", 2.0)
    for shell in (None, SimpleNamespace(kernel=object(), execution_count=1)):
        notice.sys.modules["IPython"] = SimpleNamespace(get_ipython=lambda shell=shell: shell) if shell else SimpleNamespace()
        monkeypatch.setattr(notice, "_line", (1, SimpleNamespace(update=fail, display=fail)))
        with pytest.raises(ZeroDivisionError), notice.count_time((typeof(X),), True):
            raise ZeroDivisionError


def test_kernels_say_it(terminal, monkeypatch):
    monkeypatch.setattr(notice, "SECONDS", 0.0)
    monkeypatch.setattr(store, "read", lambda name: None)
    kernel = Kernel(lambda x: x.size)
    assert kernel(X) == 2
    assert terminal.getvalue() == "spark_csr: compiling kernels for float64, kept for next time\n"


def test_values_are_named_and_not_indices():
    assert notice._dtypes((typeof(INDICES), typeof(X.astype(complex)))) == "complex128"
