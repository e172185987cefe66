"""A context in which BLAS uses one core, for the solvers of SciPy; and the addresses of functions of BLAS, for kernels.

Design: the threads of BLAS spin for a while after each dot product, and ours after each product with a matrix; on the same
cores each must wait until the operating system suspends the other. A product followed by a dot product took twenty times as
long as both alone, and a solver eight times as long as with BLAS on one core (EPYC, two cores, 2026-11). The number of threads
is that of the process, so the first of several contexts sets it, and the last sets it back. Cost: the work of a solver besides
products is done by one core.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import os
import threading
from typing import TYPE_CHECKING, Any

from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

_lock = threading.Lock()
_blocks: list[int] = []
_limit: Any = None
"""The threads that have entered a block, once for each, and what sets back the number of threads after the last one."""


@functools.cache
def _find_libraries():
    """Return the BLAS libraries of this process, which are looked up once: SciPy's is another one than NumPy's."""
    importlib.import_module("scipy.linalg")
    return ThreadpoolController()


def _take_control():
    """Let this thread set the number of threads: from version 3.8 on, threadpoolctl ignores all but the last that did so."""
    for library in _find_libraries().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


def _set_back():
    _take_control()
    _limit.restore_original_limits()
    _take_control()


def _after_fork():
    """Leave the blocks of the threads that a forked child does not have; one of them may have held the lock."""
    global _lock
    _lock = threading.Lock()
    left = [thread for thread in _blocks if thread != threading.get_ident()]
    for thread in left:
        _blocks.remove(thread)
    if left and not _blocks and _limit is not None:
        _set_back()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextlib.contextmanager
def on_one_core() -> Iterator[None]:
    """Let BLAS use no threads within a block, in all threads of the process."""
    global _limit
    thread = threading.get_ident()
    with _lock:
        if not _blocks:
            _take_control()
            _limit = _find_libraries().limit(limits=1, user_api="blas")
        _blocks.append(thread)
    try:
        yield
    finally:
        with _lock:
            _blocks.remove(thread)
            if not _blocks:
                _set_back()


@functools.cache
def addresses_of(dtype: np.dtype[Any], names: tuple[str, ...] = ("gemm", "trsm", "potrf")) -> tuple[int, ...]:
    """Return the addresses of functions of SciPy's BLAS and LAPACK for a dtype, which `scipy.linalg.cython_blas` gives out."""
    letter = {"f": "s", "d": "d", "F": "c", "D": "z"}[dtype.char]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    blas, lapack = (importlib.import_module(f"scipy.linalg.cython_{name}").__pyx_capi__ for name in ("blas", "lapack"))
    found = []
    for name in names:
        capsule = blas.get(letter + name) or lapack[letter + name]
        signature = api.PyCapsule_GetName(capsule)
        if b" int *" not in signature:
            raise RuntimeError(f"{name} of SciPy's BLAS takes no integers of 32 bits: install SciPy from PyPI or conda-forge")
        found.append(api.PyCapsule_GetPointer(capsule, signature))
    return tuple(found)
