"""Every public method and operator, on our matrices and on SciPy's: the same values, dtypes, shapes, formats and exceptions."""

import copy
import operator
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import battery
import differences
import dtypes
import spark_csr
from as_scipy import compare, naming
from spark_csr._array import SIMULATED

if SIMULATED:
    pytest.skip("operations have tests of their own; here these would take minutes", allow_module_level=True)

FORMATS = ["csr", "csc", "coo"]
DTYPES = ["bool", "int8", "uint8", "int32", "uint64", "float32", "float64", "complex64", "complex128"]
OPERATORS = [getattr(operator, name) for name in ["add", "sub", "mul", "truediv", "eq", "ne", "lt", "le", "gt", "ge"]]


def matrix(name, dtype="float64", index=np.int32):
    """A matrix of the battery, SciPy's; its index arrays of the given width, where SciPy lets them."""
    indptr, indices, data, shape = battery.BATTERY[name]
    M = sp.csr_array((battery.as_dtype(data, dtype), indices, indptr), shape=shape)
    M.indptr, M.indices = M.indptr.astype(index), M.indices.astype(index)
    return M


def square(s):
    """A dense square matrix that fits on the right."""
    return s.dense(np.arange(1.0, s.A.shape[-1] + 1))


def again(s, form="csr"):
    """Another matrix of the same shape, with another pattern and some equal entries."""
    M = sp.coo_array(s.A.to_scipy() if hasattr(s.A, "to_scipy") else s.A)
    shift = np.arange(M.nnz) % 2 if M.ndim == 2 and M.shape[1] else np.zeros(M.nnz, int)
    columns = (M.coords[-1] + shift) % max(M.shape[-1], 1)
    return s.sparse(sp.csr_array((M.data, (M.coords[0], columns)), shape=M.shape), form)


def methods(*names, **arguments):
    """Calls of methods by name, the same arguments for each."""
    return {f"{name}({arguments or ''})": lambda s, name=name: getattr(s.A, name)(**arguments) for name in names}


def in_place(change):
    """A call that changes a copy and gives it."""

    def call(s):
        A = s.A.copy()
        change(A, s)
        return A

    return call


UNARY = [
    "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "deg2rad", "expm1", "floor", "log1p",
    "rad2deg", "rint", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
]  # fmt: skip

ATTRIBUTES = {
    name: lambda s, name=name: getattr(s.A, name)
    for name in ["shape", "ndim", "dtype", "format", "nnz", "size", "data", "T", "real", "imag", "has_canonical_format"]
}

CONVERSIONS = {
    **methods("tocsr", "tocsc", "tocoo", "toarray", "todense", "copy", "transpose", "todia", "tolil", "todok", "tobsr"),
    **methods("tocsr", "tocsc", "tocoo", "tolil", copy=True),
    **{
        f"asformat({name})": lambda s, name=name: s.A.asformat(name)
        for name in ["csr", "csc", "coo", "dia", None, "array", "x"]
    },
    **{f"toarray({order})": lambda s, order=order: s.A.toarray(order=order).flags.f_contiguous for order in "CF"},
    "astype(float32)": lambda s: s.A.astype("float32"),
    "astype(complex)": lambda s: s.A.astype(complex, copy=False),
    "astype(safe)": lambda s: s.A.astype("int8", casting="safe"),
    "transpose(axes)": lambda s: s.A.transpose((0, 1)),
    "np.asarray(toarray)": lambda s: np.asarray(s.A.toarray()),
    "pickle": lambda s: pickle.loads(pickle.dumps(s.A)),
    "copy.copy": lambda s: copy.copy(s.A),
    "copy.deepcopy": lambda s: copy.deepcopy(s.A),
    "check_format": lambda s: s.A.check_format() if hasattr(s.A, "check_format") else None,
}

ARITHMETIC = {
    **{f"{op.__name__} {form}": lambda s, op=op, form=form: op(s.A, again(s, form)) for op in OPERATORS for form in FORMATS},
    **{f"{op.__name__} itself": lambda s, op=op: op(s.A, s.A) for op in OPERATORS},
    **{f"{op.__name__} dense": lambda s, op=op: op(s.A, s.dense(np.full(s.A.shape, 2.0))) for op in OPERATORS},
    **{f"dense {op.__name__}": lambda s, op=op: op(s.dense(np.full(s.A.shape, 2.0)), s.A) for op in OPERATORS},
    **{f"{op.__name__} {n}": lambda s, op=op, n=n: op(s.A, n) for op in OPERATORS for n in (0, 2, -1.5, 1j, True, np.int8(3))},
    **{f"{n} {op.__name__}": lambda s, op=op, n=n: op(n, s.A) for op in OPERATORS for n in (0, 2, -1.5, np.float32(2))},
    **{f"{op.__name__} nonsense": lambda s, op=op: op(s.A, "x") for op in OPERATORS},
    **{f"{op.__name__} None": lambda s, op=op: op(s.A, None) for op in OPERATORS},
    **{f"{op.__name__} too large": lambda s, op=op: op(s.A, s.sparse(sp.eye_array(50, 51))) for op in OPERATORS},
    **{f"{op.__name__} row": lambda s, op=op: op(s.A, square(s)) for op in OPERATORS},
    **{
        f"{op.__name__} column": lambda s, op=op: op(s.A, s.dense(np.arange(1.0, s.A.shape[0] + 1)[:, None]))
        for op in OPERATORS
    },
    "neg": lambda s: -s.A,
    "abs": lambda s: abs(s.A),
    "round": lambda s: round(s.A * 1.25, 1),
    "** 2": lambda s: s.A**2,
    "** 0.5": lambda s: abs(s.A) ** 0.5,
    "** 0": lambda s: s.A**0,
    "** -1": lambda s: s.A**-1,
    "** A": lambda s: s.A**s.A,
    "// 2": lambda s: s.A // 2,
    "% 2": lambda s: s.A % 2,
    "power(3)": lambda s: s.A.power(3),
    "power(2, float32)": lambda s: s.A.power(2, dtype="float32"),
    **{f"multiply {form}": lambda s, form=form: s.A.multiply(again(s, form)) for form in FORMATS},
    "multiply dense": lambda s: s.A.multiply(s.dense(np.full(s.A.shape, 3))),
    "multiply row": lambda s: s.A.multiply(square(s)),
    "multiply 2": lambda s: s.A.multiply(2),
    **{
        f"{name} {form}": lambda s, name=name, form=form: getattr(s.A, name)(again(s, form))
        for name in ("maximum", "minimum")
        for form in FORMATS
    },
    **{f"{name} {n}": lambda s, name=name, n=n: getattr(s.A, name)(n) for name in ("maximum", "minimum") for n in (0, 2, -2)},
    "maximum dense": lambda s: s.A.maximum(s.dense(np.ones(s.A.shape))),
    **{f"{op.__name__} 2": in_place(lambda A, s, op=op: op(A, 2)) for op in (operator.imul, operator.itruediv)},
    **{
        f"{op.__name__} again": lambda s, op=op: op(s.A.copy(), again(s))
        for op in (operator.iadd, operator.isub, operator.imul)
    },
    **methods(*UNARY, "conj", "conjugate"),
    **{f"np.{name}": lambda s, name=name: getattr(np, name)(s.A) for name in ("sin", "abs", "sqrt", "sign")},
    "np.add": lambda s: np.add(s.A, s.A),
}

PRODUCTS = {
    "@ vector": lambda s: s.A @ square(s),
    "@ integers": lambda s: s.A @ s.dense(np.arange(s.A.shape[-1])),
    "@ column": lambda s: s.A @ square(s)[:, None],
    "@ matrix": lambda s: s.A @ s.dense(np.arange(3.0 * s.A.shape[-1]).reshape(-1, 3)),
    "@ list": lambda s: s.A @ [1.0] * s.A.shape[-1],
    "vector @": lambda s: s.dense(np.arange(1.0, s.A.shape[0] + 1)) @ s.A,
    "matrix @": lambda s: s.dense(np.arange(2.0 * s.A.shape[0]).reshape(2, -1)) @ s.A,
    **{f"@ {form}": lambda s, form=form: s.A @ again(s, form).T for form in FORMATS},
    **{f"T @ {form}": lambda s, form=form: s.A.T @ again(s, form) for form in FORMATS},
    "@ too long": lambda s: s.A @ s.dense(np.ones(77)),
    "@ 2": lambda s: s.A @ 2,
    "@ None": lambda s: s.A @ None,
    "@ 3-D": lambda s: s.A @ s.dense(np.ones((2, s.A.shape[-1], 2))),
    "2 @": lambda s: 2 @ s.A,
    "dot(2)": lambda s: s.A.dot(2),
    "dot vector": lambda s: s.A.dot(square(s)),
    "dot sparse": lambda s: s.A.dot(again(s).T),
    "@ vector of one row": lambda s: s.A @ s.sparse(sp.csr_array(np.arange(s.A.shape[-1]))),
}

AXES = (None, 0, 1, -1, -2, 2, (0, 1))

REDUCTIONS = {
    **{
        f"{name}({axis})": lambda s, name=name, axis=axis: getattr(s.A, name)(axis=axis)
        for name in ["sum", "mean", "min", "max", "nanmin", "nanmax", "argmin", "argmax", "count_nonzero"]
        for axis in AXES
    },
    **{
        f"{name}(explicit)": lambda s, name=name: getattr(s.A, name)(axis=1, explicit=True)
        for name in ["min", "max", "argmin", "argmax"]
    },
    "sum(float32)": lambda s: s.A.sum(axis=0, dtype="float32"),
    "sum(int8)": lambda s: s.A.sum(axis=1, dtype="int8"),
    "mean(float32)": lambda s: s.A.mean(axis=0, dtype="float32"),
    "sum(out)": lambda s: s.A.sum(axis=1, out=s.dense(np.zeros(s.A.shape[0], np.result_type(s.A.dtype, float)))),
    "trace": lambda s: s.A.trace(),
    "trace(1)": lambda s: s.A.trace(offset=1),
    "trace(-2)": lambda s: s.A.trace(-2),
    **{f"np.{name}": lambda s, name=name: getattr(np, name)(s.A) for name in ("sum", "mean", "max", "min")},
}


def positive(A):
    """A matrix of bools."""
    return abs(A) > 2


KEYS = {
    "0": lambda s: 0,
    "-1": lambda s: -1,
    "numpy int": lambda s: np.int16(1),
    "1:3": lambda s: slice(1, 3),
    "::-1": lambda s: slice(None, None, -1),
    "::2": lambda s: slice(None, None, 2),
    "5:1:-2": lambda s: slice(5, 1, -2),
    "...": lambda s: ...,
    "[0, 1, 0]": lambda s: [0, 1, 0],
    "[]": lambda s: [],
    "uint8": lambda s: np.array([1, 0], np.uint8),
    "0, 1": lambda s: (0, 1),
    "-1, -1": lambda s: (-1, -1),
    "0, :": lambda s: (0, slice(None)),
    ":, 0": lambda s: (slice(None), 0),
    ":, -1:": lambda s: (slice(None), slice(-1, None)),
    ":, ::-2": lambda s: (slice(None), slice(None, None, -2)),
    "1:, :2": lambda s: (slice(1, None), slice(None, 2)),
    "::2, ::2": lambda s: (slice(None, None, 2), slice(None, None, 2)),
    ":, [0, 0]": lambda s: (slice(None), [0, 0]),
    "[1, 0], :": lambda s: ([1, 0], slice(None)),
    "[0, 1], [0, 1]": lambda s: ([0, 1], [0, 1]),
    "ix_": lambda s: np.ix_([1, 0], [0, 1]),
    "[[0], [1]], [[0, 1]]": lambda s: (np.array([[0], [1]]), np.array([[0, 1]])),
    "0, [0, 1]": lambda s: (0, [0, 1]),
    "[0, 1], 0": lambda s: ([0, 1], 0),
    "0, None": lambda s: (0, None),
    "None, 0": lambda s: (None, 0),
    "None": lambda s: None,
    "mask of rows": lambda s: np.arange(s.A.shape[0]) % 2 == 0,
    "mask of columns": lambda s: (slice(None), np.arange(s.A.shape[-1]) % 2 == 1),
    "mask": lambda s: np.add.outer(np.arange(s.A.shape[0]), np.arange(s.A.shape[-1])) % 3 == 0,
    "sparse mask": lambda s: positive(s.A),
    "float": lambda s: 1.5,
    "floats": lambda s: [0.5],
    "text": lambda s: "a",
    "too far": lambda s: 99,
    "too far back": lambda s: (0, -99),
    "list too far": lambda s: [0, 99],
    "three": lambda s: (0, 0, 0),
    "mask too long": lambda s: np.ones(77, bool),
}

INDEXING = {f"A[{name}]": lambda s, key=key: s.A[key(s)] for name, key in KEYS.items()}

VALUES = {
    "5": lambda s, at: 5,
    "0": lambda s, at: 0,
    "array": lambda s, at: s.dense(np.arange(at.size).reshape(at.shape) + 1.0),
}


def assigning(key, value):
    """`A[key] = value`, the value shaped like what it replaces."""

    def change(A, s):
        at = np.zeros(A.shape)[key(s)] if not hasattr(key(s), "tocsr") else np.zeros(positive(s.A).nnz)
        A[key(s)] = value(s, np.asarray(at))

    return in_place(change)


ASSIGNMENT = {
    f"A[{name}] = {text}": assigning(key, value)
    for name, key in KEYS.items()
    for text, value in VALUES.items()
    if "None" not in name
}

STRUCTURE = {
    "nonzero": lambda s: s.A.nonzero(),
    **{f"diagonal({k})": lambda s, k=k: s.A.diagonal(k) for k in (0, 1, -2, 99)},
    **{f"setdiag({k})": in_place(lambda A, s, k=k: A.setdiag(7, k)) for k in (0, 1, -1, 99)},
    "setdiag(list)": in_place(lambda A, s: A.setdiag([1.0, 2])),
    "setdiag(fractions)": in_place(lambda A, s: A.setdiag([2.75, 0.5])),
    "reshape": lambda s: s.A.reshape(s.A.shape[::-1]),
    "reshape(-1)": lambda s: s.A.reshape((-1, 1)),
    "reshape to a vector": lambda s: s.A.reshape(-1),
    "reshape(F)": lambda s: s.A.reshape(s.A.shape[::-1], order="F"),
    "reshape two": lambda s: s.A.reshape(*s.A.shape[::-1]),
    "reshape wrong": lambda s: s.A.reshape((7, 13)),
    "resize": in_place(lambda A, s: A.resize(2, 50)),
    "resize tuple": in_place(lambda A, s: A.resize((45, 2))),
    "eliminate_zeros": in_place(lambda A, s: A.eliminate_zeros()),
    "sum_duplicates": in_place(lambda A, s: A.sum_duplicates()),
    "iter": lambda s: list(s.A)[:3],
    "len": lambda s: len(s.A),
    "bool": lambda s: bool(s.A),
    "hash": lambda s: isinstance(hash(s.A), int),
    "in": lambda s: 3.0 in s.A.data,
}

CALLS = {
    **ATTRIBUTES,
    **CONVERSIONS,
    **ARITHMETIC,
    **PRODUCTS,
    **REDUCTIONS,
    **INDEXING,
    **ASSIGNMENT,
    **STRUCTURE,
}


def test_no_public_name_is_missing():
    for form in FORMATS:
        scipys, ours = (set(dir(getattr(library, f"{form}_array"))) for library in (sp, spark_csr))
        assert not {name for name in scipys - ours if not name.startswith("_")}


def test_no_two_kinds_of_methods_share_a_name():
    for form in FORMATS:
        types = [f"spark_csr._matrix.{module}" for module in ("base", *FORMATS)]
        bases = [base for base in getattr(spark_csr, f"{form}_array").__mro__ if base.__module__ not in types]
        kinds = [vars(base) for base in bases if base.__module__.startswith("spark_csr._matrix.")]
        of_classes = {"__doc__", "__module__", "__firstlineno__", "__static_attributes__"}  # the last two since Python 3.13
        names = [name for kind in kinds for name in kind if name not in of_classes]
        assert sorted(names) == sorted(set(names))


def compared(name, call, M, where, xp):
    if not differences.expected(name, where):
        with naming(f"{name} of {where}"):
            compare(call, M, xp)


@pytest.mark.parametrize("name", CALLS)
def test_calls(xp, name):
    """Every matrix of the battery in one format: the next one by the next call."""
    if xp is not np and name == "np.asarray(toarray)":
        pytest.skip("arrays of CuPy become arrays of NumPy by get() only")
    first = list(CALLS).index(name)
    for k, case in enumerate(battery.BATTERY):
        form = FORMATS[(first + k) % len(FORMATS)]
        compared(name, CALLS[name], matrix(case).asformat(form), f"{form} {case}", xp)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_calls_in_every_format(cpu_only, form):
    for name, call in CALLS.items():
        for case in battery.BATTERY:
            compared(name, call, matrix(case).asformat(form), f"{form} {case}", np)


@pytest.mark.parametrize("dtype", dtypes.each(DTYPES, ""))
def test_calls_in_every_dtype(cpu_only, dtype):
    for name, call in CALLS.items():
        for case, index in (("unsorted", np.int32), ("band", np.int64)):
            compared(name, call, matrix(case, dtype, index), f"csr {dtype}", np)


@pytest.mark.parametrize("dtype", dtypes.each(DTYPES, ""))
def test_diagonals_in_every_dtype(cpu_only, dtype):
    for form in FORMATS:
        for name, call in CALLS.items():
            if name.startswith("setdiag"):
                compared(name, call, matrix("band", dtype).asformat(form), f"{form} {dtype}", np)


VECTORS = {
    name: call
    for name, call in CALLS.items()
    if not any(text in name for text in ("column", ", ", "vector @", "matrix @", "mask", "resize", "csc", "coo", "row"))
}


@pytest.mark.parametrize("name", VECTORS)
def test_calls_of_vectors(cpu_only, name):
    for values, where in (([0.0, 3, 0, -2, 5], "vector"), ([np.nan, 0, 1], "vector with NaN"), ([0.0] * 4, "zeros")):
        for form in ("csr", "coo"):
            compared(name, VECTORS[name], getattr(sp, f"{form}_array")(np.array(values)), f"{form} {where}", np)
