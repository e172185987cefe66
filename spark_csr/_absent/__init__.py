"""Names that modules and classes of this package lack, though users of other libraries type them, and what to use instead.

Exceptions give the hint, whether a name is asked for as an attribute of a module, a matrix, a ragged array, a graph or a
frontier, or in `from spark_csr import name`.

Design: an attribute that is missing is an AttributeError of the package's `__getattr__`, so `hasattr` is False. A from-import
discards that message. But it looks for a submodule of that name before it fails, so a finder at the end of `sys.meta_path` can
raise an ImportError with the hint. `importlib.util.find_spec` asks the same finders and expects None of them. A finder is not
told who asks, so this one looks at the frames of its callers. Cost: the finder is asked about modules that no other finder has
found; the hint of a from-import is lost where the functions of `importlib` have other names than CPython's.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spark_csr._absent.members import FRONTIER, GRAPH, MATRIX, RAGGED
from spark_csr._absent.modules import HINTS, LINALG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import FrameType

__all__ = ["FRONTIER", "GRAPH", "HINTS", "LINALG", "MATRIX", "PACKAGES", "RAGGED", "hint_at", "refuse"]

PACKAGES = {"spark_csr": HINTS, "spark_csr.linalg": LINALG}


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


def _is_import(frame: FrameType) -> bool:
    """Return whether the function of a frame, which asks the finders, was called by an import."""
    return frame.f_back is not None and frame.f_back.f_code.co_name == "_find_and_load_unlocked"


class Finder:
    """A finder that finds no module, and raises an ImportError with the hint if one of SciPy's names is imported."""

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Raise ImportError if a module is imported that has the name of a hint; return None otherwise."""
        package, _, name = fullname.rpartition(".")
        hint = PACKAGES.get(package, {}).get(name)
        if hint is not None and _is_import(sys._getframe(1)):
            raise ImportError(f"cannot import name {name!r} from {package!r}: {hint}", name=fullname)


sys.meta_path.append(Finder)
