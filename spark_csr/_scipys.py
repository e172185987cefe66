"""Names of SciPy's packages that this package has no function or class of its own for: they are SciPy's.

Design: the names are those that the installed SciPy lists in `__all__`, so there is no table to keep. A function becomes one
that takes matrices of this package, which SciPy gets as matrices that share their memory, and that returns matrices of this
package where SciPy returns sparse ones. A class of sparse matrices becomes one that takes matrices of this package too, and
makes SciPy's. Other classes, exceptions and old modules are given as they are. `scipy.sparse` is imported when a name is asked
for. Cost: a conversion for each call.
"""

from __future__ import annotations

import abc
import functools
import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

from spark_csr import _absent
from spark_csr._foreign import at_line_of_user
from spark_csr._matrix.base import SparseArray, are_old, as_ours, issparse
from spark_csr._operations.form import check

if TYPE_CHECKING:
    from collections.abc import Callable

MULTIPLY_ONLY = frozenset(("gcrotmk", "matrix_power", "qmr", "tfqmr"))
"""Functions that do nothing with a matrix but multiply: they get it as it is, and use the kernels of this package."""


def names_of(package: str) -> list[str]:
    """Return the public names of a package of SciPy, without its old modules."""
    library = importlib.import_module(package)
    return [name for name in library.__all__ if not isinstance(getattr(library, name), types.ModuleType)]


@functools.cache
def _find(owner: str, package: str, name: str) -> Any:
    found = getattr(importlib.import_module(package), name)
    if isinstance(found, type):
        return derive(found, owner) if hasattr(found, "tocsr") else found
    return found if isinstance(found, types.ModuleType) else take_ours(found, owner)


def find_name(owner: str, package: str, name: str) -> Any:
    """Return what a public name of SciPy's package means in the package `owner`; raise AttributeError for other names."""
    if name.startswith("_") or name not in importlib.import_module(package).__all__:
        raise _absent.refuse(sys.modules[owner], name, {})
    return _find(owner, package, name)


def take_ours(function: Callable[..., Any], owner: str) -> Callable[..., Any]:
    """Return a function of SciPy as one that takes and returns matrices of this package; `owner` is the package it is in.

    Where all matrices given are of SciPy's old classes, such results are returned as they are.
    """
    multiplies = function.__name__ in MULTIPLY_ONLY

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        given = list(_find_sparse((*args, *options.values())))
        for matrix in given:
            if not isinstance(matrix, SparseArray):
                check.foreign(matrix)
        keeps_old = are_old(given)
        if not multiplies:
            args, options = _to_scipy(args), {name: _to_scipy(x) for name, x in options.items()}
        return _to_ours(at_line_of_user(function)(*args, **options), keeps_old)

    call.__module__ = owner
    return call


def derive(theirs: Any, owner: str) -> Any:
    """Return a class that makes matrices of a class of SciPy, also of matrices of this package, and that equals that class.

    What is made is of SciPy's class itself, whose objects are instances of the class returned. It shares no memory with a
    matrix of this package, since SciPy's methods in place move entries. Users may derive from the class.
    """

    class Kind(type(theirs)):  # type: ignore[misc]
        def __call__(cls, *args: Any, **options: Any) -> Any:
            args = tuple(x.to_scipy(copy=True) if isinstance(x, SparseArray) else x for x in args)
            return theirs(*args, **options) if cls is derived else super().__call__(*args, **options)

        def __instancecheck__(cls, x: object) -> bool:
            return cls.__subclasscheck__(type(x))

        def __subclasscheck__(cls, kind: type) -> bool:
            return (theirs if cls is derived else cls) in kind.__mro__  # an ABC would ask its subclasses, thus this one again

        def __eq__(cls, other: object) -> bool:
            return other is cls or (cls is derived and other is theirs)

        def __hash__(cls) -> int:
            return hash(theirs) if cls is derived else super().__hash__()

    derived = None  # while the class is made, it is asked for its hash
    derived = Kind(theirs.__name__, (theirs,), {"__doc__": theirs.__doc__, "__module__": owner})
    return derived


def _find_sparse(arguments):
    """List the sparse matrices among arguments, and among the items of lists and tuples."""
    for x in arguments:
        if isinstance(x, (list, tuple)):
            yield from _find_sparse(x)
        elif issparse(x):
            yield x


def _to_scipy(x):
    """Return a matrix of this package as one of SciPy; lists and tuples with their items so, anything else as it is."""
    if type(x) in (list, tuple):
        return type(x)(map(_to_scipy, x))
    return x.to_scipy() if isinstance(x, SparseArray) else x


def _to_ours(found, keeps_old):
    """Return sparse results as matrices of this package, but those of old classes if `keeps_old`."""
    if type(found) is tuple:
        return tuple(_to_ours(x, keeps_old) for x in found)
    return as_ours(found) if issparse(found) and not (keeps_old and are_old([found])) else found


class sparray(abc.ABC):  # noqa: B024 nothing is derived from it
    """The base class of sparse arrays for `isinstance`: those of this package, and those of SciPy.

    It has no methods, and nothing is made of it. Matrices of SciPy's old classes, such as `csr_matrix`, are no instances; they
    are instances of `spmatrix`, which is SciPy's class.

    Examples
    --------
    >>> import scipy.sparse
    >>> from spark_csr import csr_array, csr_matrix, sparray
    >>> [isinstance(x, sparray) for x in (csr_array((2, 3)), scipy.sparse.csr_array((2, 3)), csr_matrix((2, 3)))]
    [True, True, False]
    """

    @classmethod
    def __subclasshook__(cls, kind: type) -> Any:
        """Return whether a class is one of sparse arrays."""
        if cls is not sparray:
            return NotImplemented
        theirs = sys.modules.get("scipy.sparse")
        return issubclass(kind, SparseArray) or (theirs is not None and issubclass(kind, theirs.sparray)) or NotImplemented
