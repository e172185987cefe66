"""The name of a kernel that is specialised for other functions: its own, and theirs in brackets."""

import re
import sys
import types


def name_of(function):
    """Return the module and name of a kernel's function, and in brackets those of the functions that it is specialised for."""
    function = getattr(function, "py_func", function)
    name = f"{function.__module__}.{re.sub(r'_[0-9a-f]{20}$', '', function.__qualname__)}"
    inner = [name_of(part) for part in _meanings(function)]
    return f"{name}({', '.join(inner)})" if inner else name


def _meanings(function):
    """Return the functions that names of this function mean, where they mean something else in its module."""
    usual = vars(sys.modules.get(function.__module__, types))
    found = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    parts = {name: getattr(value, "py_func", value) for name, value in found.items() if usual.get(name) is not value}
    return [part for part in parts.values() if isinstance(part, types.FunctionType)]


def names_in(name):
    """Return the functions that a name consists of."""
    return re.findall(r"[^(), ]+", name)
