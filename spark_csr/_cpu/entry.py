"""Emit the C function through which Python calls a compiled kernel.

Design: Numba's dispatcher looks up the type of every argument, unboxes arrays with their owners and counts references, which
takes about a microsecond for ten arguments. The function that is emitted here belongs to one list of types. It compares its
arguments with these types, field by field of NumPy's public C structures, reads addresses and shapes, and calls the kernel
without the interpreter's lock. Arrays have no owners inside of the kernel: the caller holds them. Where a type differs, it
passes all arguments on to the next function, see `kernel`. Cost: only arrays, numbers, None and tuples of these can be passed,
and only numbers, None and tuples of these can be returned.
"""

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype

_byte, _code, _word, _double, _void = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType(), ir.VoidType()
_object = _byte.as_pointer()

FUNCTION = ir.FunctionType(_object, [_object, _object.as_pointer(), _word])
"""The type of C functions that take what they are bound to, an array of arguments, and their number (METH_FASTCALL)."""

HEAD = object.__basicsize__
"""Bytes with which every Python object begins."""

DATA, NDIM, DIMS, STRIDES, DESCR, FLAGS = (HEAD + k for k in (0, 8, 16, 24, 40, 48))
"""Where the fields of an array are: `PyArrayObject_fields` in NumPy's C API."""

BYTE_ORDER, TYPE_NUMBER = HEAD + 10, HEAD + 12
"""Where two fields of a dtype are: `PyArray_Descr` in NumPy's C API."""

FOREIGN = ">" if sys.byteorder == "little" else "<"

C_ORDER, F_ORDER, WRITEABLE = 0x1, 0x2, 0x400
"""Flags of an array."""

SCALARS = [np.dtype(code).type for code in "?bBhHiIlLqQfdFD"]
OBJECTS = {"None": None, "ndarray": np.ndarray, "tuple": tuple}
OBJECTS |= {"True": True, "False": False, "np_True": np.True_, "np_False": np.False_}
OBJECTS |= {"int": int, "float": float, "complex": complex, **{f"np_{kind.__name__}": kind for kind in SCALARS}}
"""The Python objects that the emitted code knows by their addresses; their symbols are `PREFIX` and these names."""

PYTHON = (
    "PyBool_FromLong",
    "PyComplex_ImagAsDouble",
    "PyComplex_RealAsDouble",
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyFloat_AsDouble",
    "PyFloat_FromDouble",
    "PyLong_AsLongLongAndOverflow",
    "PyLong_FromLongLong",
    "PyLong_FromUnsignedLongLong",
    "PyObject_CallFunction",
    "PyObject_Vectorcall",
    "PyTuple_GetItem",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyTuple_Size",
    "Py_IncRef",
)
"""The functions of Python's C API that the emitted code calls."""

PREFIX = "spark_csr_py_"

REPORT = "report"
"""The symbol, after `PREFIX`, of the function that raises the exception of a kernel: `report(code, address)`."""


class UnsupportedError(TypeError):
    """A type for which no C function is emitted."""


def emit(compiled, name):
    """Return the module of the C function `name` that calls what Numba compiled; UnsupportedError where a type is not known."""
    return _Entry(compiled, name).module


class _Entry:
    def __init__(self, compiled, name):
        self.context, descriptor = compiled.target_context, compiled.fndesc
        self.module = self.context.create_module(name)
        self.function = ir.Function(self.module, FUNCTION, name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.others = self.function.append_basic_block("others")
        following, given, count = self.function.args
        self.require(self.builder.icmp_signed("==", count, _word(len(descriptor.argtypes))))
        values = []
        for k, kind in enumerate(descriptor.argtypes):
            values.append(self.unboxed(kind, self.builder.load(self.builder.gep(given, [_word(k)]))))
        self.call(descriptor, values)
        self.builder.position_at_end(self.others)
        self.builder.ret(self.python("PyObject_Vectorcall", _object, following, given, count, _object(None)))

    def call(self, descriptor, values):
        """Call the kernel and return what it returns."""
        convention, builder = self.context.call_conv, self.builder
        kind = convention.get_function_type(descriptor.restype, descriptor.argtypes)
        kernel = ir.Function(self.module, kind, descriptor.llvm_func_name)
        thread = self.python("PyEval_SaveThread", _object)
        status, result = convention.call_function(builder, kernel, descriptor.restype, descriptor.argtypes, values)
        self.python("PyEval_RestoreThread", _void, thread)
        with cgutils.if_unlikely(builder, status.is_error):
            text = self.context.insert_const_string(self.module, "iK")
            address = builder.ptrtoint(status.excinfoptr, _word)
            call = ir.FunctionType(_object, [_object, _object], var_arg=True)
            call = cgutils.get_or_insert_function(self.module, call, "PyObject_CallFunction")
            builder.ret(builder.call(call, [self.object(REPORT), text, status.code, address]))
        builder.ret(self.boxed(descriptor.restype, result))

    def require(self, condition):
        """Go on only if the condition holds: else the arguments are of other types."""
        following = self.function.append_basic_block("then")
        self.builder.cbranch(condition, following, self.others)
        self.builder.position_at_end(following)

    def python(self, name, returned, *args):
        """Call a function of Python's C API."""
        kind = ir.FunctionType(returned, [a.type for a in args])
        return self.builder.call(cgutils.get_or_insert_function(self.module, kind, name), args)

    def object(self, name):
        """Return the address of one of `OBJECTS`."""
        symbol = PREFIX + name
        if symbol not in self.module.globals:
            ir.GlobalVariable(self.module, _byte, symbol)
        return self.module.globals[symbol]

    def field(self, pointer, offset, kind):
        """Load a field of a C structure."""
        address = self.builder.gep(pointer, [_word(offset)])
        return self.builder.load(self.builder.bitcast(address, kind.as_pointer()))

    def is_of(self, value, kind):
        """Whether an object's type is the class of this name in `OBJECTS`."""
        return self.is_same(self.field(value, HEAD - 8, _object), kind)

    def is_same(self, value, name):
        return self.builder.icmp_unsigned("==", value, self.object(name))

    def unboxed(self, kind, value):
        """Return the native value of an argument, after the test of its type."""
        if isinstance(kind, types.Array):
            return self.array(kind, value)
        if isinstance(kind, types.BaseTuple) and not isinstance(kind, types.BaseNamedTuple):
            return self.tuple(kind, value)
        if isinstance(kind, types.NoneType):
            self.require(self.is_same(value, "None"))
            return self.context.get_dummy_value()
        return self.scalar(kind, value)

    def tuple(self, kind, value):
        self.require(self.is_of(value, "tuple"))
        size = self.python("PyTuple_Size", _word, value)
        self.require(self.builder.icmp_signed("==", size, _word(len(kind))))
        parts = [self.python("PyTuple_GetItem", _object, value, _word(k)) for k in range(len(kind))]
        parts = [self.unboxed(each, part) for each, part in zip(kind, parts, strict=True)]
        return self.context.make_tuple(self.builder, kind, parts)

    def array(self, kind, value):
        builder = self.builder
        dtype = _dtype(kind.dtype)
        self.require(self.is_of(value, "ndarray"))
        self.require(builder.icmp_signed("==", self.field(value, NDIM, _code), _code(kind.ndim)))
        describing = self.field(value, DESCR, _object)
        self.require(self.is_one_of(self.field(describing, TYPE_NUMBER, _code), _type_numbers(dtype)))
        self.require(builder.icmp_signed("!=", self.field(describing, BYTE_ORDER, _byte), _byte(ord(FOREIGN))))
        mask, wanted = _flags(kind)
        flags = builder.and_(self.field(value, FLAGS, _code), _code(mask))
        self.require(builder.icmp_signed("==", flags, _code(wanted)))
        array = self.context.make_array(kind)(self.context, builder)
        sizes = ir.ArrayType(_word, kind.ndim)
        shape, strides = (self.field(self.field(value, at, _object), 0, sizes) for at in (DIMS, STRIDES))
        data = builder.bitcast(self.field(value, DATA, _object), array.data.type)
        populate_array(array, data, shape, strides, _word(dtype.itemsize), None)
        return array._getvalue()

    def is_one_of(self, number, choices):
        found = ir.IntType(1)(0)
        for choice in choices:
            found = self.builder.or_(found, self.builder.icmp_signed("==", number, _code(choice)))
        return found

    def scalar(self, kind, value):
        """Read a Python number or a NumPy scalar."""
        dtype = _dtype(kind)
        if dtype.kind == "b":
            return self.boolean(value)
        python = {"i8": "int", "f8": "float", "c16": "complex"}.get(dtype.str[1:])
        if python is None:
            self.require(self.is_of(value, f"np_{dtype.type.__name__}"))
            return self.content(kind, value)
        slot = cgutils.alloca_once(self.builder, self.context.get_value_type(kind))
        done = self.function.append_basic_block("read")
        with self.builder.if_then(self.is_of(value, f"np_{dtype.type.__name__}")):
            self.builder.store(self.content(kind, value), slot)
            self.builder.branch(done)
            self.builder.position_at_end(self.builder.append_basic_block("unreachable"))
        self.require(self.is_of(value, python))
        self.builder.store(getattr(self, f"from_{python}")(kind, value), slot)
        self.builder.branch(done)
        self.builder.position_at_end(done)
        return self.builder.load(slot)

    def boolean(self, value):
        """Read one of the four objects for true and false."""
        true, false = ([self.is_same(value, f"{name}{word}") for name in ("", "np_")] for word in ("True", "False"))
        true = self.builder.or_(*true)
        self.require(self.builder.or_(true, self.builder.or_(*false)))
        return true

    def content(self, kind, value):
        """Load the value of a NumPy scalar, which follows the head."""
        return self.field(value, HEAD, self.context.get_value_type(kind))

    def from_int(self, kind, value):
        overflow = cgutils.alloca_once(self.builder, _code)
        number = self.python("PyLong_AsLongLongAndOverflow", _word, value, overflow)
        self.require(self.builder.icmp_signed("==", self.builder.load(overflow), _code(0)))
        return number

    def from_float(self, kind, value):
        return self.python("PyFloat_AsDouble", _double, value)

    def from_complex(self, kind, value):
        number = self.context.make_complex(self.builder, kind)
        number.real = self.python("PyComplex_RealAsDouble", _double, value)
        number.imag = self.python("PyComplex_ImagAsDouble", _double, value)
        return number._getvalue()

    def boxed(self, kind, value):
        """Return the Python object of a result."""
        builder = self.builder
        if isinstance(kind, types.NoneType):
            self.python("Py_IncRef", _void, self.object("None"))
            return self.object("None")
        if isinstance(kind, types.BaseTuple) and not isinstance(kind, types.BaseNamedTuple):
            result = self.python("PyTuple_New", _object, _word(len(kind)))
            for k, (each, part) in enumerate(zip(kind, cgutils.unpack_tuple(builder, value), strict=True)):
                self.python("PyTuple_SetItem", _code, result, _word(k), self.boxed(each, part))
            return result
        if isinstance(kind, types.Boolean):
            return self.python("PyBool_FromLong", _object, builder.zext(value, _word))
        if isinstance(kind, types.Integer):
            widened = value if kind.bitwidth == 64 else (builder.sext if kind.signed else builder.zext)(value, _word)
            return self.python("PyLong_FromLongLong" if kind.signed else "PyLong_FromUnsignedLongLong", _object, widened)
        if isinstance(kind, types.Float):
            widened = value if kind.bitwidth == 64 else builder.fpext(value, _double)
            return self.python("PyFloat_FromDouble", _object, widened)
        raise UnsupportedError(f"{kind} is returned")


def _dtype(kind):
    """Return the NumPy dtype of a number's type."""
    if isinstance(kind, (types.Number, types.Boolean)) and kind.name != "float16":
        return as_dtype(kind)
    raise UnsupportedError(f"{kind} is taken")


def _type_numbers(dtype):
    """Return NumPy's numbers of all types that look like `dtype`: C has two names for one width of integers."""
    return sorted({np.dtype(kind).num for kind in [*SCALARS, np.longlong, np.ulonglong] if np.dtype(kind) == dtype})


def _flags(kind):
    """Return which flags of an array count, and their values, if Numba gives it this type."""
    orders = {"C": (C_ORDER, C_ORDER), "F": (C_ORDER | F_ORDER, F_ORDER), "A": (C_ORDER | F_ORDER, 0)}
    mask, wanted = orders[kind.layout]
    return (mask | WRITEABLE, wanted | WRITEABLE) if kind.mutable else (mask, wanted)
