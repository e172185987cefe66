"""What the code that takes arguments from Python knows of Python's and NumPy's objects: layouts, addresses, numbers of types.

NumPy's structures are public to C and fixed for a major version; Numba gives no other way to look at an argument without
owning it. Goes when Numba's own entry is as fast. Sources: `PyArrayObject_fields` and `PyArray_Descr` in NumPy's C API,
`METH_FASTCALL` in Python's.
"""

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.np.numpy_support import as_dtype

BYTE, CODE, WORD, DOUBLE, VOID = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType(), ir.VoidType()
OBJECT = BYTE.as_pointer()

FUNCTION = ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), WORD])
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


def dtype_of(kind):
    """Return the NumPy dtype of a number's type."""
    if isinstance(kind, (types.Number, types.Boolean)) and kind.name != "float16":
        return as_dtype(kind)
    raise UnsupportedError(f"{kind} is taken")


def type_numbers(dtype):
    """Return NumPy's numbers of all types that look like `dtype`: C has two names for one width of integers."""
    return sorted({np.dtype(kind).num for kind in [*SCALARS, np.longlong, np.ulonglong] if np.dtype(kind) == dtype})


def flags_of(kind):
    """Return which flags of an array count, and their values, if Numba gives it this type."""
    orders = {"C": (C_ORDER, C_ORDER), "F": (C_ORDER | F_ORDER, F_ORDER), "A": (C_ORDER | F_ORDER, 0)}
    mask, wanted = orders[kind.layout]
    return (mask | WRITEABLE, wanted | WRITEABLE) if kind.mutable else (mask, wanted)
