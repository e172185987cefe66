"""Types of integers in kernels: as NumPy has them, and no index counts from the end.

In functions of this package an integer that stands in the source, or is a constant of a module, takes the type of the unsigned
number beside it, as in NumPy 2 (NEP 50). To Numba `start + 1` is an int64 where `start` is a uint64, and a variable that is
both becomes a float64. Two uint32 give a uint32, and not a uint64. An index is never negative, so that kernels do not ask
whether it counts from the end. Integers of which Numba would make a float64, an int64 and a uint64 that meet in a variable or
an operator, are an error, since a float64 does not hold all of them. All else is as Numba has it, thus also functions of users.
Cost: three methods of the typing context are replaced while kernels compile: `resolve_function_type`, which types a call,
`resolve_overload`, which chooses among the cases of an operator, then and when code of it is emitted, and `unify_pairs`, which
says what a variable of two types is. Goes when Numba follows NEP 50 and can do without negative indices.
"""

import contextlib
import operator

from numba import types as numbas_types
from numba.core.registry import cpu_target

from spark_csr._engine.numba.lock import compiler_lock

NAMES = "add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"

ARITHMETIC = {getattr(operator, f"__{place}{name}__") for name in NAMES for place in ("", "i")}
"""Operators of two integers whose result has their common type, also in place."""

IN_ONE_TYPE = {operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, min, max}
"""Functions that cast their operands to one type first. Sums and products of an int64 and a uint64 are int64 to Numba."""

WITH_CONSTANTS = {*ARITHMETIC, *IN_ONE_TYPE, range}

REPLACED = "resolve_function_type", "resolve_overload", "unify_pairs"
"""The methods of a typing context that are replaced."""

INDEXING = {operator.getitem, operator.setitem}

_PACKAGE = __name__.partition(".")[0]


class _Typing:
    """What decides about types of calls in place of a typing context. `types`: the module of the compiler's types."""

    def __init__(self, context, types):
        self.context, self.types, self.is_users, self.resolving = context, types, False, 0
        self.resolve, self.select, self.unify = context.resolve_function_type, context.resolve_overload, context.unify_pairs

    def resolve_function_type(self, function, args, kws):
        """Return the signature of a call that is typed."""
        outer, self.resolving = self.resolving, len(self.context.callstack)
        try:
            return self._resolve(function, args, kws)
        finally:
            self.resolving = outer

    def _resolve(self, function, args, kws):
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
        if key in IN_ONE_TYPE and len(args) == 2 and self._turn_to_float(*args):
            return None
        return self.resolve(function, args, kws)

    def unify_pairs(self, first, second):
        """Return the type of a variable of two types; None if there is none.

        While a call of the function on top is resolved, it is asked by what code is emitted for, which is not that function.
        """
        is_typed = len(self.context.callstack) > self.resolving and _is_ours(self.context)
        return None if is_typed and self._turn_to_float(first, second) else self.unify(first, second)

    def _turn_to_float(self, first, second):
        """Return whether Numba makes a float of two integers."""
        are_integers = isinstance(first, self.types.Integer) and isinstance(second, self.types.Integer)
        return are_integers and isinstance(self.unify(first, second), self.types.Float)

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
    for name in REPLACED:
        setattr(context, name, getattr(typing, name))
    try:
        yield
    finally:
        for name in REPLACED:
            delattr(context, name)


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
