"""Run public calls with the GPU that holds their arrays as the current one.

Design: CuPy allocates on the current device, wherever the operands are. So a public call looks once for an array on a GPU among
its arguments and makes that GPU the current one until it returns; what it calls need not care. A kernel that is launched on
another than the current device raises (see `_cuda.launch`), so a call that does not come through here gives no wrong result.
Cost: a tenth of a microsecond a call where CuPy was not imported.
"""

import functools
import sys
import types

PROPERTIES = "data", "device", "dtype", "format", "n_edges", "n_vertices", "nbytes", "ndim", "nnz", "offsets", "shape", "size"
SPECIAL = "__init_subclass__", "__class_getitem__", "__getattr__", "__setattr__", "__len__", "__bool__", "__getstate__"
COMPUTES_NOTHING = frozenset(PROPERTIES + SPECIAL)
"""Members of classes that are left alone: they allocate nothing."""


def on_their_device(function):
    """Return `function` that runs with the device of the first array on a GPU among its arguments as the current one.

    Looked at are CuPy arrays, objects of this package that know their device, lists and tuples of these, and the option
    `device`.
    """
    modules, find = sys.modules, _other_device

    def call(*args, **options):
        device = find(args, options) if "cupy" in modules else None
        if device is None:
            return function(*args, **options)
        with device:
            return function(*args, **options)

    # With the globals of `function`: doctest takes what has others for a function of another module.
    call = types.FunctionType(call.__code__, function.__globals__, function.__name__, None, call.__closure__)
    return functools.update_wrapper(call, function)


def on_current_device(function):
    """Mark a method that `methods_on_their_device` shall leave as it is."""
    function.on_current_device = True
    return function


def methods_on_their_device(kind):
    """Apply `on_their_device` to the public methods, operators and properties that a class itself defines; return the class."""
    for name, member in list(vars(kind).items()):
        if name in COMPUTES_NOTHING or (name.startswith("_") and not name.endswith("__")):
            continue
        if isinstance(member, types.FunctionType) and not hasattr(member, "on_current_device"):
            setattr(kind, name, on_their_device(member))
        elif isinstance(member, (classmethod, staticmethod)):
            setattr(kind, name, type(member)(on_their_device(member.__func__)))
        elif isinstance(member, property):
            parts = (part and on_their_device(part) for part in (member.fget, member.fset, member.fdel))
            setattr(kind, name, property(*parts, member.__doc__))
    return kind


def functions_on_their_device(namespace, names):
    """Apply `on_their_device` to those of the names in a package's namespace that are functions.

    They say then that they are the package's, where `pickle` finds them.
    """
    for name in names:
        if isinstance(namespace[name], types.FunctionType):
            namespace[name] = on_their_device(namespace[name])
            namespace[name].__module__ = namespace["__name__"]


def _other_device(args, options):
    """Return the device that the arguments are on, where it is not the current one; else None."""
    cupy = sys.modules["cupy"]
    number = _number_named(options["device"]) if "device" in options else None
    if number is None:
        number = _number_in(cupy.ndarray, args)
        if number is None and options:
            number = _number_in(cupy.ndarray, options.values())
    return None if number is None or number == cupy.cuda.runtime.getDevice() else cupy.cuda.Device(number)


def _number_in(array, arguments):
    """Return the number of the first GPU that is found among arguments; None where there is none.

    Objects of this package have an array that lies where they do as `_holder`; CuPy's sparse matrices know their device.
    """
    for x in arguments:
        x = getattr(x, "_holder", x)
        if isinstance(x, array):
            return x.data.device_id
        if isinstance(x, (tuple, list)):
            number = _number_in(array, x) if any(not isinstance(part, (int, float)) for part in x[:3]) else None
        elif isinstance(x, str):
            number = _number_named(x)
        else:
            number = getattr(x.device, "id", None) if type(x).__module__.startswith("cupyx.") else None
        if number is not None:
            return number
    return None


def _number_named(device):
    """Return N of the text `cuda:N`, None of anything else."""
    name, _, number = str(device).partition(":")
    return int(number) if name == "cuda" and number.isdigit() else None
