"""A GPU where there is none."""

import importlib


def stand_in():
    """Put the stand-in for CuPy in its place; whether it can execute kernels."""
    try:
        importlib.import_module("numba_cuda")
        available = importlib.import_module("ptx").available()
    except ImportError:
        return False
    if available:
        importlib.import_module("ptx_mode").prepare()
    return available
