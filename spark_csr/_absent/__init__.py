"""Attributes that objects of this package lack, though users of other libraries type them, and what to use instead.

The AttributeError gives the hint when an attribute of a matrix, a ragged array, a graph or a frontier is asked for.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from spark_csr._absent.members import FRONTIER, GRAPH, MATRIX, RAGGED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FRONTIER", "GRAPH", "MATRIX", "RAGGED", "hint_at", "refuse"]


def refuse(owner: object, name: str, hints: Mapping[str, str]) -> AttributeError:
    """Return the AttributeError for a name that a module or an object lacks, with a hint if there is one.

    Without a hint, Python looks among the names of `owner` for one that may have been meant.
    """
    hint = f": {hints[name]}" if name in hints else ""
    if isinstance(owner, ModuleType):
        return AttributeError(f"module {owner.__name__!r} has no attribute {name!r}{hint}", name=name, obj=owner)
    return AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=owner)


def hint_at(members: Mapping[str, str]) -> Callable[[object, str], Any]:
    """Return the method `__getattr__` of a class whose objects lack these names."""
    hints = {name: f"use {instead}" for name, instead in members.items()}

    def __getattr__(self: object, name: str) -> Any:
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)  # a property that has raised an AttributeError raises it again
        raise refuse(self, name, hints)

    return __getattr__
