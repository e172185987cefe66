"""Emit the C function through which Python calls a compiled kernel.

Design: Numba's dispatcher looks up the type of every argument, unboxes arrays with their owners and counts references, which
takes about a microsecond for ten arguments. The function that is emitted here belongs to one list of types. It compares its
arguments with these types, field by field of NumPy's public C structures, reads addresses and shapes, and calls the kernel
without the interpreter's lock. Arrays have no owners inside of the kernel: the caller holds them. Where a type differs, it
passes all arguments on to the next function, see `_engine.kernel`. Cost: only arrays, numbers, None and tuples of these can be
passed, and only numbers, None and tuples of these can be returned. Numba's calling convention (`context.call_conv`) and its
arrays (`populate_array`) are its own. Goes when Numba's dispatcher is as fast.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import populate_array

from spark_csr._engine.numba.layouts import (
    BYTE,
    BYTE_ORDER,
    CODE,
    DATA,
    DESCR,
    DIMS,
    DOUBLE,
    FLAGS,
    FOREIGN,
    FUNCTION,
    HEAD,
    NDIM,
    OBJECT,
    PREFIX,
    REPORT,
    STRIDES,
    TYPE_NUMBER,
    VOID,
    WORD,
    UnsupportedError,
    dtype_of,
    flags_of,
    type_numbers,
)


def emit(compiled, name):
    """Return the module of the C function `name` that calls what Numba compiled; UnsupportedError where a type is not known."""
    return _Entry(compiled, name).module


class _Entry:
    """The C function that calls a compiled kernel, while it is emitted."""

    def __init__(self, compiled, name):
        self.context, descriptor = compiled.target_context, compiled.fndesc
        self.module = self.context.create_module(name)
        self.function = ir.Function(self.module, FUNCTION, name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.others = self.function.append_basic_block("others")
        following, given, count = self.function.args
        self.require(self.builder.icmp_signed("==", count, WORD(len(descriptor.argtypes))))
        values = []
        for k, kind in enumerate(descriptor.argtypes):
            values.append(self.unbox(kind, self.builder.load(self.builder.gep(given, [WORD(k)]))))
        self.call(descriptor, values)
        self.builder.position_at_end(self.others)
        self.builder.ret(self.call_python("PyObject_Vectorcall", OBJECT, following, given, count, OBJECT(None)))

    def call(self, descriptor, values):
        """Call the kernel and return what it returns."""
        convention, builder = self.context.call_conv, self.builder
        kind = convention.get_function_type(descriptor.restype, descriptor.argtypes)
        kernel = ir.Function(self.module, kind, descriptor.llvm_func_name)
        thread = self.call_python("PyEval_SaveThread", OBJECT)
        status, result = convention.call_function(builder, kernel, descriptor.restype, descriptor.argtypes, values)
        self.call_python("PyEval_RestoreThread", VOID, thread)
        with cgutils.if_unlikely(builder, status.is_error):
            with builder.if_then(status.is_python_exc):  # a handler of a signal raised
                builder.ret(OBJECT(None))
            text = self.context.insert_const_string(self.module, "iK")
            address = builder.ptrtoint(status.excinfoptr, WORD)
            call = ir.FunctionType(OBJECT, [OBJECT, OBJECT], var_arg=True)
            call = cgutils.get_or_insert_function(self.module, call, "PyObject_CallFunction")
            builder.ret(builder.call(call, [self.object_address(REPORT), text, status.code, address]))
        builder.ret(self.box(descriptor.restype, result))

    def require(self, condition):
        """Go on only if the condition holds: else the arguments are of other types."""
        following = self.function.append_basic_block("then")
        self.builder.cbranch(condition, following, self.others)
        self.builder.position_at_end(following)

    def call_python(self, name, returned, *args):
        """Call a function of Python's C API."""
        kind = ir.FunctionType(returned, [a.type for a in args])
        return self.builder.call(cgutils.get_or_insert_function(self.module, kind, name), args)

    def object_address(self, name):
        """Return the address of one of `OBJECTS`."""
        symbol = PREFIX + name
        if symbol not in self.module.globals:
            ir.GlobalVariable(self.module, BYTE, symbol)
        return self.module.globals[symbol]

    def load_field(self, pointer, offset, kind):
        """Load a field of a C structure."""
        address = self.builder.gep(pointer, [WORD(offset)])
        return self.builder.load(self.builder.bitcast(address, kind.as_pointer()))

    def is_of(self, value, kind):
        """Emit whether an object's type is the class of this name in `OBJECTS`."""
        return self.is_same(self.load_field(value, HEAD - 8, OBJECT), kind)

    def is_same(self, value, name):
        return self.builder.icmp_unsigned("==", value, self.object_address(name))

    def unbox(self, kind, value):
        """Return the native value of an argument, after the test of its type."""
        if isinstance(kind, types.Array):
            return self.unbox_array(kind, value)
        if isinstance(kind, types.BaseTuple) and not isinstance(kind, types.BaseNamedTuple):
            return self.unbox_tuple(kind, value)
        if isinstance(kind, types.NoneType):
            self.require(self.is_same(value, "None"))
            return self.context.get_dummy_value()
        return self.unbox_scalar(kind, value)

    def unbox_tuple(self, kind, value):
        self.require(self.is_of(value, "tuple"))
        size = self.call_python("PyTuple_Size", WORD, value)
        self.require(self.builder.icmp_signed("==", size, WORD(len(kind))))
        parts = [self.call_python("PyTuple_GetItem", OBJECT, value, WORD(k)) for k in range(len(kind))]
        parts = [self.unbox(each, part) for each, part in zip(kind, parts, strict=True)]
        return self.context.make_tuple(self.builder, kind, parts)

    def unbox_array(self, kind, value):
        builder = self.builder
        dtype = dtype_of(kind.dtype)
        self.require(self.is_of(value, "ndarray"))
        self.require(builder.icmp_signed("==", self.load_field(value, NDIM, CODE), CODE(kind.ndim)))
        describing = self.load_field(value, DESCR, OBJECT)
        self.require(self.is_one_of(self.load_field(describing, TYPE_NUMBER, CODE), type_numbers(dtype)))
        self.require(builder.icmp_signed("!=", self.load_field(describing, BYTE_ORDER, BYTE), BYTE(ord(FOREIGN))))
        mask, wanted = flags_of(kind)
        flags = builder.and_(self.load_field(value, FLAGS, CODE), CODE(mask))
        self.require(builder.icmp_signed("==", flags, CODE(wanted)))
        array = self.context.make_array(kind)(self.context, builder)
        sizes = ir.ArrayType(WORD, kind.ndim)
        shape, strides = (self.load_field(self.load_field(value, at, OBJECT), 0, sizes) for at in (DIMS, STRIDES))
        data = builder.bitcast(self.load_field(value, DATA, OBJECT), array.data.type)
        populate_array(array, data, shape, strides, WORD(dtype.itemsize), None)
        return array._getvalue()

    def is_one_of(self, number, choices):
        found = ir.IntType(1)(0)
        for choice in choices:
            found = self.builder.or_(found, self.builder.icmp_signed("==", number, CODE(choice)))
        return found

    def unbox_scalar(self, kind, value):
        """Read a Python number or a NumPy scalar."""
        dtype = dtype_of(kind)
        if dtype.kind == "b":
            return self.unbox_bool(value)
        python = {"i8": "int", "f8": "float", "c16": "complex"}.get(dtype.str[1:])
        if python is None:
            self.require(self.is_of(value, f"np_{dtype.type.__name__}"))
            return self.load_content(kind, value)
        slot = cgutils.alloca_once(self.builder, self.context.get_value_type(kind))
        done = self.function.append_basic_block("read")
        with self.builder.if_then(self.is_of(value, f"np_{dtype.type.__name__}")):
            self.builder.store(self.load_content(kind, value), slot)
            self.builder.branch(done)
            self.builder.position_at_end(self.builder.append_basic_block("unreachable"))
        self.require(self.is_of(value, python))
        self.builder.store(getattr(self, f"convert_{python}")(kind, value), slot)
        self.builder.branch(done)
        self.builder.position_at_end(done)
        return self.builder.load(slot)

    def unbox_bool(self, value):
        """Read one of the four objects for true and false."""
        true, false = ([self.is_same(value, f"{name}{word}") for name in ("", "np_")] for word in ("True", "False"))
        true = self.builder.or_(*true)
        self.require(self.builder.or_(true, self.builder.or_(*false)))
        return true

    def load_content(self, kind, value):
        """Load the value of a NumPy scalar, which follows the head."""
        return self.load_field(value, HEAD, self.context.get_value_type(kind))

    def convert_int(self, kind, value):
        overflow = cgutils.alloca_once(self.builder, CODE)
        number = self.call_python("PyLong_AsLongLongAndOverflow", WORD, value, overflow)
        self.require(self.builder.icmp_signed("==", self.builder.load(overflow), CODE(0)))
        return number

    def convert_float(self, kind, value):
        return self.call_python("PyFloat_AsDouble", DOUBLE, value)

    def convert_complex(self, kind, value):
        number = self.context.make_complex(self.builder, kind)
        number.real = self.call_python("PyComplex_RealAsDouble", DOUBLE, value)
        number.imag = self.call_python("PyComplex_ImagAsDouble", DOUBLE, value)
        return number._getvalue()

    def box(self, kind, value):
        """Return the Python object of a result."""
        builder = self.builder
        if isinstance(kind, types.NoneType):
            self.call_python("Py_IncRef", VOID, self.object_address("None"))
            return self.object_address("None")
        if isinstance(kind, types.BaseTuple) and not isinstance(kind, types.BaseNamedTuple):
            result = self.call_python("PyTuple_New", OBJECT, WORD(len(kind)))
            for k, (each, part) in enumerate(zip(kind, cgutils.unpack_tuple(builder, value), strict=True)):
                self.call_python("PyTuple_SetItem", CODE, result, WORD(k), self.box(each, part))
            return result
        if isinstance(kind, types.Boolean):
            return self.call_python("PyBool_FromLong", OBJECT, builder.zext(value, WORD))
        if isinstance(kind, types.Integer):
            widened = value if kind.bitwidth == 64 else (builder.sext if kind.signed else builder.zext)(value, WORD)
            return self.call_python("PyLong_FromLongLong" if kind.signed else "PyLong_FromUnsignedLongLong", OBJECT, widened)
        if isinstance(kind, types.Float):
            widened = value if kind.bitwidth == 64 else builder.fpext(value, DOUBLE)
            return self.call_python("PyFloat_FromDouble", OBJECT, widened)
        raise UnsupportedError(f"{kind} is returned")
