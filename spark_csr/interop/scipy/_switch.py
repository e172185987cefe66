"""What stands in for SciPy's functions, from which size on, and how it is bound where SciPy's own is.

Design: SciPy's matrices call functions of `scipy.sparse._sparsetools` that take raw arrays and write into arrays which SciPy
has allocated. These functions are replaced, so SciPy's own Python goes on to decide classes, formats, dtypes and warnings. A
substitute raises `Unfit` for what it does not take, before it has written anything; then SciPy's function is called. Modules
that import a function while it is replaced keep the substitute, which calls SciPy's function once everything is set back. A
function that this version of SciPy does not have, or that takes other arguments, is not replaced.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import _sparsetools

from spark_csr._dispatch import backend_of

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE = "SPARK_CSR_PATCH_FROM"
"""The environment variable with the number of entries from which substitutes are used, instead of what is measured."""

FLOOR = 8192
"""Entries below which nothing is gained on any processor: up to there not even the size that pays is measured."""

CEILING = 1 << 18
"""The most entries that the measurement may ask for."""


class Unfit(Exception):
    """What a substitute raises for arguments that SciPy's own function is to take; it says why."""


class Substitute:
    """A function that stands in for one of SciPy's: `owner` is a class, or None for a function of a module."""

    def __init__(self, name: str, owner: Any, original: Any, factor: float) -> None:
        self.name, self.owner, self.original, self.factor = name, owner, original, factor
        self.least = _least(factor)
        self.calls, self.returned, self.function = 0, collections.Counter(), None


class _State:
    """Whether substitutes are used, and whether it is known from which size on they pay."""

    def __init__(self) -> None:
        self.on = False
        self.is_measured = bool(os.environ.get(VARIABLE))


STATE = _State()
SUBSTITUTES: dict[str, Substitute] = {}
ABSENT: dict[str, str] = {}
lock = threading.RLock()


def _after_fork():
    """Make a new lock in a forked child: it has none of its parent's threads, one of which may have held the old one."""
    global lock
    lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _least(factor):
    """Return from how many entries on a substitute is used, before the size that pays has been measured."""
    given = os.environ.get(VARIABLE)
    if not given:
        return FLOOR * factor
    try:
        return float(given)
    except ValueError:
        raise ValueError(f"{VARIABLE} must be a number of entries, got {given!r}") from None


def replaces(name: str, size: Callable[..., float], factor: float, owner: Any = _sparsetools) -> Callable[[Any], Any]:
    """Return a decorator for a substitute of a function of a module, or of a method of a class.

    `size` of its arguments says how many entries it handles, and `factor` how many times as many it takes to pay as a product
    with a vector does.
    """

    def decorate(function):
        label, original = f"{owner.__name__}.{name}", vars(owner).get(name)
        if original is None or not _takes_arguments(original, function, owner):
            ABSENT[name] = "this SciPy has no such function" if original is None else "this SciPy's takes other arguments"
            return function
        substitute = SUBSTITUTES[label] = Substitute(name, owner if isinstance(owner, type) else None, original, factor)

        @functools.wraps(original)
        def call(*args: Any, **options: Any) -> Any:
            if not STATE.on or (entries := size(*args, **options)) < substitute.least or not _pays(substitute, entries):
                return original(*args, **options)
            try:
                answer = function(*args, **options)
            except (Unfit, MemoryError) as reason:
                substitute.returned[str(reason)] += 1
                return original(*args, **options)
            substitute.calls += 1
            return answer

        substitute.function = call
        return function

    return decorate


def _takes_arguments(original, function, owner):
    """Return whether SciPy's function takes the arguments of its substitute: functions in C are asked by calling them."""
    parameters = inspect.signature(function).parameters
    if isinstance(owner, type):
        return len(inspect.signature(original).parameters) == len(parameters)
    if owner is not _sparsetools:
        return list(inspect.signature(original).parameters) == list(parameters)
    offsets, one = np.array([0, 1], np.int32), np.zeros(1, np.int32)
    arrays = {"p": offsets, "i": one, "j": one, "x": np.ones(1)}
    numbers = dict.fromkeys(("M", "N", "n", "nnz", "ir1", "ic1"), 1) | {"ir0": 0, "ic0": 0}
    args = [numbers[p] if p in numbers else arrays.get(p[-1], one).copy() for p in parameters]
    with contextlib.suppress(TypeError, ValueError, IndexError):
        original(*args)
        return True
    return False


def _pays(substitute, entries):
    """Return whether there are enough entries, once it is known how many that takes."""
    if not STATE.is_measured:
        with lock:
            if not STATE.is_measured:
                base = _measure_least()
                for each in SUBSTITUTES.values():
                    each.least = base * each.factor
                STATE.is_measured = True
    return entries >= substitute.least


def _measure_least():
    """Return from how many entries on `A @ x` takes less time than SciPy's, with rows of eight entries."""
    ours = backend_of(np.empty(0)).multiply_unplanned
    _time(ours, *_operands(CEILING))  # starts threads and wakes them
    entries = FLOOR
    while entries < CEILING:
        arrays, rows = _operands(entries), entries // 8
        if _time(ours, *arrays) < 0.9 * _time(_sparsetools.csr_matvec, rows, rows, *arrays):
            break
        entries *= 2
    return entries


def _operands(entries):
    """Return the arrays of a matrix with rows of eight entries, and two vectors."""
    rows = entries // 8
    indptr, indices = np.arange(0, entries + 1, 8, np.int32), np.arange(entries, dtype=np.int32) * 7 % rows
    return indptr, indices, np.ones(entries), np.ones(rows), np.zeros(rows)


def _time(function, *args):
    """Return the least time of some calls, within some milliseconds: the threads of a BLAS library may still wait busily."""
    times, end = [], time.perf_counter() + 0.004
    while len(times) < 8 or time.perf_counter() < end:
        start = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - start)
    return min(times)


def bind() -> None:
    """Put the substitutes in the places of SciPy's functions, in all modules that have imported these."""
    with lock:
        if not STATE.on:
            _exchange("original", "function")
            STATE.on = True


def unbind() -> None:
    """Put SciPy's functions back, in modules that were imported meanwhile, too."""
    with lock:
        STATE.on = False
        _exchange("function", "original")


def _exchange(old, new):
    """Bind what stands in one attribute of each substitute wherever what stands in another is bound."""
    by_id = {}
    for each in SUBSTITUTES.values():
        if each.owner is None:
            by_id[id(getattr(each, old))] = getattr(each, new)
        else:
            setattr(each.owner, each.name, getattr(each, new))
    for module in _modules():
        for name, value in list(vars(module).items()):
            if id(value) in by_id:
                setattr(module, name, by_id[id(value)])


def _modules():
    """Return all modules but those of this package."""
    modules = list(sys.modules.items())
    return [m for name, m in modules if not name.startswith("spark_csr") and isinstance(getattr(m, "__dict__", None), dict)]
