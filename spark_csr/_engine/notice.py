"""Say that first calls take long because kernels are compiled: once on a terminal or in the log, in a notebook meanwhile."""

import contextlib
import importlib
import logging
import sys
import time

from numba import types

from spark_csr._config import config

SECONDS = 1.0
"""Seconds of compiling after which it is said."""

_spent, _said = 0.0, False

_line = None, None
"""The number of a notebook's cell, and what has been shown below it."""


@contextlib.contextmanager
def count_time(signature, kept):
    """Count the time of a compilation for arguments of these types; `kept`: whether later processes find what is compiled."""
    global _spent
    text = _text(signature, kept)
    _say_once(text)
    line = _show_in_notebook(text)
    start = time.perf_counter()
    try:
        yield
    finally:
        _spent += time.perf_counter() - start
        if line is not None:
            with contextlib.suppress(Exception):  # the notebook may be gone
                line.update({"text/plain": ""}, raw=True)
    _say_once(text)


def _say_once(text):
    """Write the text to the terminal, or else to the log, if that has not been done and compiling takes long."""
    global _said
    if _spent < SECONDS or _said or not config.verbose:
        return
    with contextlib.suppress(AttributeError, OSError, ValueError):  # there is no terminal, or none any more
        if sys.stderr.isatty():
            _said = True
            print(text, file=sys.stderr, flush=True)
    if not _said:
        _said = True
        logging.getLogger("spark_csr").info(text.partition(": ")[2])


def _show_in_notebook(text):
    """Show the text below the present cell of a notebook, if compiling takes long. Return what can change it, or None."""
    global _line
    if _spent < SECONDS or not config.verbose or "IPython" not in sys.modules:
        return None
    with contextlib.suppress(Exception):  # IPython is being imported, or the notebook is gone
        shell = sys.modules["IPython"].get_ipython()
        if getattr(shell, "kernel", None) is not None:
            if _line[0] != shell.execution_count:
                _line = shell.execution_count, importlib.import_module("IPython.display").DisplayHandle()
                _line[1].display({"text/plain": text}, raw=True)
            else:
                _line[1].update({"text/plain": text}, raw=True)
            return _line[1]
    return None


def _text(signature, kept):
    dtypes = _dtypes(signature)
    return f"spark_csr: compiling kernels{f' for {dtypes}' if dtypes else ''}{', kept for next time' if kept else ''}"


def _dtypes(signature):
    """Return the dtypes of arrays of values: of those that are no indices, if there are any."""
    found = list(dict.fromkeys(kind.dtype for kind in _flatten(signature) if isinstance(kind, types.Array)))
    values = [kind for kind in found if isinstance(kind, (types.Float, types.Complex))]
    return ", ".join(str(kind) for kind in values or found)


def _flatten(kinds):
    for kind in kinds:
        if isinstance(kind, types.BaseTuple):
            yield from _flatten(kind)
        else:
            yield kind
