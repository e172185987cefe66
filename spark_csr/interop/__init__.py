"""Bridges to other libraries, a module for each. A library is imported only with its bridge."""

import importlib

__all__ = ["awkward", "networkx", "torch"]


def __getattr__(name):
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}: there are bridges to {', '.join(__all__)}", name=name)


def __dir__():
    return __all__
