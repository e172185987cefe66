"""What tests ask of Numba's inside: whether names and arguments are there as this package uses them."""

import inspect
import re


def parameters(function):
    """The names of a function's parameters, without `self` or `cls`."""
    names = list(inspect.signature(function).parameters)
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def missing(holder, names):
    """Those of the names, separated by spaces, that an object has not."""
    return [name for name in names.split() if not hasattr(holder, name)]


def code_of(dispatcher, argument_types):
    """The code of a `DeviceFunction` for these types as Numba lowered it: its own, without functions that it calls."""
    dispatcher.compile(argument_types)
    compiled = dispatcher.overloads[argument_types]
    name = re.escape(compiled.fndesc.llvm_func_name)
    body = re.search(rf'^define [^\n]*@"?{name}"?\(.*?^}}', str(compiled.library._final_module), re.DOTALL | re.MULTILINE)
    return body[0]
