"""Types of integers in kernels: as NumPy has them, and no index counts from the end.

In functions of this package an integer that stands in the source, or is a constant of a module, takes the type of the unsigned
number beside it, as in NumPy 2 (NEP 50). To Numba `start + 1` is an int64 where `start` is a uint64, and a variable that is
both becomes a float64. Two uint32 give a uint32, and not a uint64. An index is never negative, so that kernels do not ask
whether it counts from the end. All else is as Numba has it, thus also functions of users.
Cost: two methods of the typing context are replaced while kernels compile: `resolve_function_type`, which types a call, and
`resolve_overload`, which chooses among the cases of an operator, then and when code of it is emitted. Goes when Numba follows
NEP 50 and can do without negative indices.
"""

import contextlib
import operator

from numba import types as numbas_types
from numba.core.registry import cpu_target

from spark_csr._engine.numba.lock import compiler_lock

NAMES = "add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"

ARITHMETIC = {getattr(operator, f"__{place}{name}__") for name in NAMES for place in ("", "i")}
"""Operators of two integers whose result has their common type, also in place."""

WITH_CONSTANTS = {*ARITHMETIC, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, min, max, range}

INDEXING = {operator.getitem, operator.setitem}

_PACKAGE = __name__.partition(".")[0]


class _Typing:
    """What decides about types of calls in place of a typing context. `types`: the module of the compiler's types."""

    def __init__(self, context, types):
        self.context, self.types, self.is_users = context, types, False
        self.resolve, self.select = context.resolve_function_type, context.resolve_overload

    def resolve_function_type(self, function, args, kws):
        """Return the signature of a call that is typed."""
        key = getattr(function, "typing_key", None) or function
        if not _is_ours(self.context):
            self.is_users = key in ARITHMETIC
            try:
                return self.resolve(function, args, kws)
            finally:
                self.is_users = False
        if key in WITH_CONSTANTS:
            args = _with_constants(args, self.types)
        elif key in INDEXING and isinstance(args[0], self.types.Array):
            args = args[0], _position(args[1], self.types), *args[2:]
        return self.resolve(function, args, kws)

    def resolve_overload(self, key, cases, args, kws, **options):
        """Return the best case for the types of arguments, when a call is typed, and when code of it is emitted."""
        if key in ARITHMETIC and not self.is_users and args == (self.types.uint32,) * 2:
            return self.types.uint32(*args)
        return self.select(key, cases, args, kws, **options)


@contextlib.contextmanager
def integer_types(context, types):
    """Give integers these types in what is compiled within. One thread may do so at a time.

    `context`: the typing context of a compiler; `types`: the module of its types.
    """
    if "resolve_overload" in vars(context):  # a kernel is compiled while another one is
        yield
        return
    typing = _Typing(context, types)
    context.resolve_function_type, context.resolve_overload = typing.resolve_function_type, typing.resolve_overload
    try:
        yield
    finally:
        del context.resolve_function_type, context.resolve_overload


def integer_types_on_cores():
    """Give integers these types in what Numba compiles for cores within."""
    return integer_types(cpu_target.typing_context, numbas_types)


def with_integer_types(dispatcher):
    """Let a dispatcher of Numba's own give integers these types when it compiles; return it."""
    dispatcher.compile = compiler_lock(integer_types_on_cores()(dispatcher.compile))
    return dispatcher


def _is_ours(context):
    """Return whether the function that is being typed is one of this package."""
    if not len(context.callstack):
        return False
    return (context.callstack[0].func_id.func.__module__ or "").partition(".")[0] == _PACKAGE


def _is_integer(kind, types, signed):
    return isinstance(kind, types.Integer) and not isinstance(kind, types.Literal) and kind.signed == signed


def _with_constants(args, types):
    """Return the types of operands, in which a constant has the type of an unsigned number beside it that can hold it."""
    unsigned = next((kind for kind in args if _is_integer(kind, types, False)), None)
    return args if unsigned is None else tuple(unsigned if _fits(kind, unsigned, types) else kind for kind in args)


def _fits(kind, unsigned, types):
    return isinstance(kind, types.IntegerLiteral) and 0 <= kind.literal_value < 1 << unsigned.bitwidth


def _position(index, types):
    """Return the type of an index that is not negative."""
    if isinstance(index, types.BaseTuple):
        return types.Tuple([_position(each, types) for each in index])
    return types.uint64 if _is_integer(index, types, True) else index
