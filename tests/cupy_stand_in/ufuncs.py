"""Elementwise functions: NumPy's, with CuPy's rules for operands.

Line numbers are those of CuPy v14.2.0 unless another version is named. Promotion is NumPy 2's, as CuPy 14's. CuPy 13 takes a
NumPy scalar (as it does a Python number) by its value and not by its dtype: cupy/_core/_kernel.pyx:1585 (v13.4), guess_routine.
"""

import functools

import numpy as np

from .array import check_device, checked_dtype, ndarray, produce, should_use_rop
from .errors import unknown
from .registry import NAMES, words

_scalars = (int, float, bool, complex, np.generic)


def operand(x):
    """An array, or a number as it is; TypeError for what CuPy takes for neither: cupy/_core/_scalar.pyx, CScalar."""
    if isinstance(x, ndarray):
        check_device(x)
        return x
    if type(x) in (int, float, bool, complex) or isinstance(x, np.generic):
        if isinstance(x, np.generic):
            checked_dtype(x.dtype)
        return x
    if hasattr(x, "__cuda_array_interface__"):
        return NAMES["asarray"](x)
    raise TypeError(f"Unsupported type {type(x)}")


def shown(x):
    """The NumPy array of an array, and a number as it is."""
    return x._x if isinstance(x, ndarray) else x


class ufunc:
    """As `cupy.ufunc`: cupy/_core/_kernel.pyx:1241."""

    def __init__(self, function, inputs, types=None):
        self._function, self.__name__ = function, function.__name__
        self._inputs, self._types = inputs, types

    def __call__(self, *args, out=None, dtype=None, casting="same_kind", **others):
        if others:
            raise TypeError(f"Wrong arguments {others}")
        if not self._inputs <= len(args) <= self._inputs + 1:
            raise TypeError(f"Wrong number of arguments for {self.__name__!r}")
        inputs = [operand(x) for x in args[: self._inputs]]
        if len(args) > self._inputs:
            if out is not None:
                raise ValueError("Cannot specify 'out' as both a positional and keyword argument")
            out = args[self._inputs]
        out = out[0] if isinstance(out, tuple) else out
        if out is not None and not isinstance(operand(out), ndarray):
            raise TypeError("Output arguments type must be cupy.ndarray")
        if self._types is not None and any(isinstance(x, ndarray) and x.dtype.kind not in self._types for x in inputs):
            raise TypeError(
                f"Wrong type ({[x.dtype for x in inputs if isinstance(x, ndarray)]}) of arguments for {self.__name__}"
            )
        return self._apply(inputs, out, dtype, casting)

    def _apply(self, inputs, out, dtype, casting):
        options = {"casting": casting} if dtype is None else {"casting": "unsafe", "dtype": checked_dtype(dtype)}
        compute = functools.partial(self._function, *map(shown, inputs), **options)
        if out is None:
            return produce(self.__name__, compute, [x for x in inputs if isinstance(x, ndarray)])
        found = self._function(
            *(np.empty((0,) * np.ndim(shown(x)), _dtype(x)) if np.ndim(shown(x)) else shown(x) for x in inputs)
        )
        if not np.can_cast(found.dtype, out.dtype, casting):
            raise TypeError(  # cupy/_core/_dtype.pyx:181, _raise_if_invalid_cast
                f"Cannot cast output operand from {found.dtype!r} to {out.dtype!r} according to the rule '{casting}'"
            )
        if np.broadcast_shapes(*(np.shape(shown(x)) for x in inputs), out.shape) != out.shape:
            raise ValueError("Out shape is mismatched")
        return produce(self.__name__, compute, [x for x in inputs if isinstance(x, ndarray)], out)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        """Sums and products, and no other: _kernel.pyx:1416."""
        if self.__name__ not in ("add", "multiply"):
            raise NotImplementedError(f"`cupy_{self.__name__}.reduce` is not supported yet")
        return NAMES["sum" if self.__name__ == "add" else "prod"](array, axis, dtype, out, keepdims)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Sums and products, and no other: _kernel.pyx:1430."""
        if self.__name__ not in ("add", "multiply"):
            raise NotImplementedError(f"`cupy_{self.__name__}.accumulate` is not supported yet")
        return NAMES["cumsum" if self.__name__ == "add" else "cumprod"](array, axis, dtype, out)

    def at(self, a, indices, b=None):
        """Not used so far."""
        raise unknown(f"cupy.{self.__name__}.at")

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """Sums, and no other: _kernel.pyx:1445."""
        if self.__name__ != "add":
            raise NotImplementedError(f"`cupy_{self.__name__}.reduceat` is not supported yet")
        raise unknown("cupy.add.reduceat")

    def outer(self, A, B, **options):
        """All pairs: _kernel.pyx:1392."""
        A, B = NAMES["array"](A), NAMES["array"](B)
        return self(A.reshape(A.shape + (1,) * B.ndim), B.reshape((1,) * A.ndim + B.shape), **options)

    def __repr__(self):
        return f"<ufunc 'cupy_{self.__name__}'>"


def _dtype(x):
    return x.dtype


BINARY = words(
    "add subtract multiply divide true_divide floor_divide remainder mod fmod power maximum minimum fmax fmin bitwise_and "
    "bitwise_or bitwise_xor left_shift right_shift less less_equal equal not_equal greater greater_equal logical_and "
    "logical_or logical_xor arctan2 hypot copysign logaddexp ldexp gcd lcm"
)
UNARY = words(
    "negative positive absolute sqrt square reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan "
    "sinh cosh tanh arcsinh arccosh arctanh isfinite isnan isinf logical_not invert sign rint conjugate signbit cbrt deg2rad "
    "rad2deg"
)
ROUNDING = ["floor", "ceil", "trunc"]
"""Of integers too: cupy/_math/rounding.py, create_rounding_ufunc; no complex numbers."""

for _name in BINARY:
    NAMES[_name] = ufunc(getattr(np, _name), 2)
for _name in UNARY:
    NAMES[_name] = ufunc(getattr(np, _name), 1)
for _name in ROUNDING:
    NAMES[_name] = ufunc(getattr(np, _name), 1, "biuf")
NAMES |= {"abs": NAMES["absolute"], "conj": NAMES["conjugate"], "bitwise_not": NAMES["invert"], "ufunc": ufunc}
for _name in BINARY + UNARY + ROUNDING:  # NumPy's names of one function that has two: `divide` is `true_divide`
    NAMES[getattr(np, _name).__name__] = NAMES[_name]


def _of_several_results(name, types):
    """A function such as `divmod`: core.pyx:2790. `out` is not known; NumPy's with `out` is a ValueError (core.pyx:1980)."""
    function = getattr(np, name)

    def apply(*args):
        inputs = [operand(x) for x in args]
        if any(x.dtype.kind not in types for x in inputs if isinstance(x, ndarray)):
            raise TypeError(f"Wrong type ({[x.dtype for x in inputs if isinstance(x, ndarray)]}) of arguments for cupy_{name}")
        hosts, reads = list(map(shown, inputs)), [x for x in inputs if isinstance(x, ndarray)]
        return tuple(produce(name, lambda k=k: function(*hosts)[k], reads) for k in range(function.nout))

    NAMES[name] = apply


_of_several_results("divmod", "biuf")
_of_several_results("modf", "biuf")
_of_several_results("frexp", "biuf")


# Operators: core.pyx:1493 and after

OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "mod": "remainder", "lshift": "left_shift", "rshift": "right_shift", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "matmul": "matmul",
}  # fmt: skip


def _forward(name):
    def apply(self, other):
        if isinstance(other, ndarray):
            return NAMES[name](self, other)
        if should_use_rop(self, other):
            return NotImplemented
        return getattr(np, name)(self, other)

    return apply


def _reflected(name):
    # Compiled with c_api_binop_methods: `__radd__(self, other)` is `__add__(other, self)`, and the second is a CuPy array.
    return lambda self, other: NAMES[name](other, self)


def _in_place(name):
    return lambda self, other: NAMES[name](self, other, self)


for _name, _function in OPERATORS.items():
    setattr(ndarray, f"__{_name}__", _forward(_function))
    setattr(ndarray, f"__r{_name}__", _reflected(_function))
    if _name != "matmul":
        setattr(ndarray, f"__i{_name}__", _in_place(_function))


def _divmod(self, other):
    """core.pyx:1620."""
    if isinstance(other, ndarray):
        return NAMES["divmod"](self, other)
    return NotImplemented if should_use_rop(self, other) else np.divmod(self, other)


ndarray.__divmod__, ndarray.__rdivmod__ = _divmod, _reflected("divmod")


def _power(self, other, modulo=None):
    """`x ** 2` is a square: core.pyx:1636 (v14; v13.4 calls power always)."""
    if isinstance(other, ndarray):
        return NAMES["power"](self, other)
    return NotImplemented if should_use_rop(self, other) else np.power(self, other)


ndarray.__pow__, ndarray.__rpow__, ndarray.__ipow__ = _power, _reflected("power"), _in_place("power")


def _comparison(name):
    def compare(self, other):
        # core.pyx:1493, __richcmp__
        if isinstance(other, ndarray):
            return NAMES[name](self, other)
        if should_use_rop(self, other):
            return NotImplemented
        if isinstance(other, np.ndarray) and other.ndim == 0:
            other = other.item()
        if name in ("equal", "not_equal") and (other is None or type(other).__eq__ is object.__eq__):
            return NAMES["zeros" if name == "equal" else "ones"](self.shape, bool)
        return getattr(np, name)(self, other)

    return compare


for _name, _function in {
    "lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal"
}.items():  # fmt: skip
    setattr(ndarray, f"__{_name}__", _comparison(_function))
ndarray.__hash__ = None

for _name, _function in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
    setattr(ndarray, f"__{_name}__", lambda self, name=_function: NAMES[name](self))


def _conjugated(self):
    """A copy with the signs of imaginary parts turned; the array itself where it is real: _routines_math.pyx, _ndarray_conj."""
    return NAMES["conjugate"](self) if self.dtype.kind == "c" else self


ndarray.conj = ndarray.conjugate = _conjugated
