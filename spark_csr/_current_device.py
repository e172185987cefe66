"""Run public calls with the GPU that holds their arrays as the current one.

Design: CuPy allocates on the current device, wherever the operands are. So a public call looks once for an array on a GPU among
its arguments and makes that GPU the current one until it returns; what it calls need not care. A kernel that is launched on
another than the current device raises (see `_engine.gpu.launch`), so a call that does not come through here gives no wrong
result. Cost: a tenth of a microsecond a call where CuPy was not imported.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

PROPERTIES = "data", "device", "dtype", "format", "n_edges", "n_vertices", "nbytes", "ndim", "nnz", "offsets", "shape", "size"
SPECIAL = "__init_subclass__", "__class_getitem__", "__getattr__", "__setattr__", "__len__", "__bool__", "__getstate__"
COMPUTES_NOTHING = frozenset(PROPERTIES + SPECIAL)
"""Members of classes that `methods_on_their_device` leaves as they are, because they allocate nothing."""


def on_their_device(function: F) -> F:
    """Wrap `function` so that the GPU of the first argument on a GPU is the current one while it runs.

    The wrapper looks at CuPy arrays, at objects of this package that know their device, at lists and tuples of these, and at
    the option `device`. To type checkers the result has the signature of `function`.
    """
    modules, find = sys.modules, _other_device

    def call(*args: Any, **options: Any) -> Any:
        device = find(args, options) if "cupy" in modules else None
        if device is None:
            return function(*args, **options)
        with device:
            return function(*args, **options)

    return present_as(function, call)


def present_as(function: F, call: types.FunctionType) -> F:
    """Return `call`, which uses no globals, under the name, the signature and the globals of `function`.

    Doctest skips a function with the globals of another module.
    """
    wrapper: Any = types.FunctionType(call.__code__, function.__globals__, function.__name__, None, call.__closure__)
    return functools.update_wrapper(wrapper, function)


def on_current_device(function: F) -> F:
    """Mark a method that `methods_on_their_device` must leave as it is."""
    function.on_current_device = True  # type: ignore[attr-defined]
    return function


def methods_on_their_device(kind: C) -> C:
    """Apply `on_their_device` to the public methods, operators and properties that a class itself defines; return the class."""
    for name, member in list(vars(kind).items()):
        if name in COMPUTES_NOTHING or (name.startswith("_") and not name.endswith("__")):
            continue
        if isinstance(member, types.FunctionType) and not hasattr(member, "on_current_device"):
            setattr(kind, name, _wrap_method(member))
        elif isinstance(member, (classmethod, staticmethod)):
            setattr(kind, name, type(member)(_wrap_method(member.__func__)))
        elif isinstance(member, property):
            parts = (part and on_their_device(part) for part in (member.fget, member.fset, member.fdel))
            setattr(kind, name, property(*parts, member.__doc__))
    return kind


def _wrap_method(function):
    """Return `on_their_device(function)`. For wrong arguments Python's message then names the method without its class, which
    may be one of many that a public class is made of; `pickle` finds the result by its full name."""
    method = on_their_device(function)
    if not function.__name__.startswith("__"):
        function.__qualname__ = function.__name__
    return method


def functions_on_their_device(namespace: dict[str, Any], names: Iterable[str]) -> None:
    """Apply `on_their_device` to the functions among these names in the namespace of a package.

    Their `__module__` becomes the package, where `pickle` finds the wrapped functions.
    """
    for name in names:
        if isinstance(namespace[name], types.FunctionType):
            namespace[name] = on_their_device(namespace[name])
            namespace[name].__module__ = namespace["__name__"]


def _other_device(args, options):
    """Return the device of the arguments if it is not the current one, else None."""
    cupy = sys.modules["cupy"]
    number = _parse_number(options["device"]) if "device" in options else None
    if number is None:
        number = _number_in(cupy.ndarray, args)
        if number is None and options:
            number = _number_in(cupy.ndarray, options.values())
    return None if number is None or number == cupy.cuda.runtime.getDevice() else cupy.cuda.Device(number)


def _number_in(array, arguments):
    """Return the number of the first GPU that is found among the arguments; None if there is none.

    The attribute `_holder` of objects of this package is an array on their device; CuPy's sparse matrices know their device.
    """
    for x in arguments:
        x = getattr(x, "_holder", x)
        if isinstance(x, array):
            return x.data.device_id
        if isinstance(x, (tuple, list)):
            number = _number_in(array, x) if any(not isinstance(part, (int, float)) for part in x[:3]) else None
        elif isinstance(x, str):
            number = _parse_number(x)
        else:
            of_cupy = type(x).__module__.startswith("cupyx.")  # its operators have no device
            number = getattr(getattr(x, "device", None), "id", None) if of_cupy else None
        if number is not None:
            return number
    return None


def _parse_number(device):
    """Return N of the text `cuda:N`, None of anything else."""
    name, _, number = str(device).partition(":")
    return int(number) if name == "cuda" and number.isdigit() else None
