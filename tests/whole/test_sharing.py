"""What a result shares with the matrix it came from: nothing that SciPy copies, whatever is then written into it."""

import copy
import operator
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr._array import SIMULATED

FORMATS = ["csr", "csc", "coo"]

MATRICES = {
    "matrix": [[1.0, 2, 0, 4], [0, 0, 5, 6], [7, 0, 0, 0]],
    "one row": [[1.0, 0, 2]],
    "one column": [[1.0], [0], [2]],
    "one element": [[3.0]],
    "vector": [1.0, 0, 2],
}


def methods(*names, **arguments):
    """Calls of methods by name, the same arguments for each; of libraries and matrices."""
    text = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return {f"A.{name}({text})": lambda lib, A, name=name: getattr(A, name)(**arguments) for name in names}


def keys(**named):
    return {f"A[{name}]": lambda lib, A, key=key: A[key] for name, key in named.items()}


TO = ("tocsr", "tocsc", "tocoo")
CALLS = {
    **methods(
        *TO, "copy", "transpose", "conj", "conjugate", "__abs__", "__neg__", "__round__", "ceil", "rint", "sign", "trunc"
    ),
    **methods("toarray", "diagonal", "todense", "todia", "tolil", "tobsr"),
    **methods(*TO, "transpose", "conj", "conjugate", copy=True),
    **methods(*TO, "transpose", "conj", "conjugate", copy=False),
    **methods("asformat", format=None),
    **methods("asformat", format=None, copy=True),
    **{k: v for form in FORMATS for k, v in methods("asformat", format=form).items()},
    **{k: v for form in FORMATS for k, v in methods("asformat", format=form, copy=True).items()},
    **{k: v for form in FORMATS for k, v in methods("asformat", format=form, copy=False).items()},
    **methods("astype", dtype="float64"),
    **methods("astype", dtype="float64", copy=False),
    **methods("astype", dtype="complex128", copy=False),
    **methods("power", n=1),
    **methods("maximum", "minimum", other=0),
    **{f"A.{name}": lambda lib, A, name=name: getattr(A, name) for name in ("T", "real", "imag", "data")},
    **{f"A.T.{name}()": lambda lib, A, name=name: getattr(A.T, name)() for name in TO},
    **{f"{form}_array(A)": lambda lib, A, form=form: getattr(lib, f"{form}_array")(A) for form in FORMATS},
    **{f"{form}_array(A, copy)": lambda lib, A, form=form: getattr(lib, f"{form}_array")(A, copy=True) for form in FORMATS},
    **{f"{form}_array(A, dtype)": lambda lib, A, form=form: getattr(lib, f"{form}_array")(A, dtype=float) for form in FORMATS},
    "A.reshape(A.shape)": lambda lib, A: A.reshape(A.shape),
    "A.reshape(A.shape, copy)": lambda lib, A: A.reshape(A.shape, copy=True),
    "A.reshape(-1)": lambda lib, A: A.reshape(-1),
    "A.reshape(1, -1)": lambda lib, A: A.reshape(1, -1),
    "A.reshape(1, -1, copy)": lambda lib, A: A.reshape((1, -1), copy=True),
    "A.reshape(-1, 1, F)": lambda lib, A: A.reshape((-1, 1), order="F"),
    **keys(all=np.s_[:], dots=..., both=np.s_[:, :], one=0, last=np.s_[-1:], list=[0], even=np.s_[::2], column=np.s_[:, :1]),
    **{
        f"{name}([A], {form})": lambda lib, A, name=name, form=form: getattr(lib, name)([A], format=form)
        for name in ("hstack", "vstack", "block_diag")
        for form in (None, "csr", "coo")
    },
    "block_array": lambda lib, A: lib.block_array([[A]]),
    "tril": lambda lib, A: lib.tril(A, 9),
    "triu(coo)": lambda lib, A: lib.triu(A, -9, format="coo"),
    "find": lambda lib, A: lib.find(A)[2],
    **{f"A {op.__name__} {n}": lambda lib, A, op=op, n=n: op(A, n) for op, n in ((operator.mul, 1), (operator.truediv, 1))},
    **{f"A {op.__name__} 0": lambda lib, A, op=op: op(A, 0) for op in (operator.add, operator.sub)},
    "0 + A": lambda lib, A: 0 + A,
    "sum([A])": lambda lib, A: sum([A]),
    "A + zeros": lambda lib, A: A + A * 0,
    "A.maximum(A)": lambda lib, A: A.maximum(A),
    "A * True": lambda lib, A: A * True,
    "copy.copy": lambda lib, A: copy.copy(A),
    "copy.deepcopy": lambda lib, A: copy.deepcopy(A),
    "pickle": lambda lib, A: pickle.loads(pickle.dumps(A)),
    "next(iter(A))": lambda lib, A: next(iter(A)),
}


def write_data(result, source):
    (result.data if hasattr(result, "nnz") else result)[...] = 99


def write_item(result, source):
    """Into an entry that is there, so that no new arrays are made."""
    if hasattr(result, "nnz") and result.nnz:
        places = result.tocoo().coords if result.ndim == 2 else result.reshape((1, -1)).tocoo().coords[1:]
        result[tuple(int(k[0]) for k in places)] = 99


def multiply(result, source):
    result *= 99


def write_source(result, source):
    source.data[...] = 99


WRITES = [write_data, write_item, multiply, write_source]


def values(x):
    """The stored values of a matrix, or an array."""
    return (x.data if hasattr(x, "nnz") else x).copy()


def leaks(lib, call, A, write):
    """Whether what is written on one side is seen on the other: not where the call or the writing is not possible."""
    try:
        result = call(lib, A)
        other = result if write is write_source else A
        before = values(other)
        write(result, A)
    except (TypeError, ValueError, IndexError, NotImplementedError, AttributeError):
        return False
    after = values(other)
    return before.shape != after.shape or bool((before != after).any())


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_shared_that_scipy_copies(xp, name, form):
    for kind, dense in list(MATRICES.items())[: 1 if SIMULATED else None]:
        if form == "csc" and kind == "vector":
            continue
        S, make = getattr(sp, f"{form}_array")(np.array(dense)), getattr(spark_csr, f"{form}_array")
        seen = [write.__name__ for write in WRITES if leaks(spark_csr, CALLS[name], make(xp.asarray(dense)), write)]
        if seen:
            shared = any(leaks(sp, CALLS[name], S.copy(), write) for write in WRITES)
            assert shared, f"{name} of a {form} {kind}: {', '.join(seen)} is seen on the other side, but not with SciPy"


def test_scipys_matrices_both_ways(cpu_only):
    """The arrays of a matrix in canonical format are shared, those of coordinates are copied."""
    for form, shared in (("csr", True), ("csc", False), ("coo", False)):
        S = getattr(sp, f"{form}_array")(np.array(MATRICES["matrix"]))
        assert np.shares_memory(spark_csr.csr_array(S).data, S.data) == shared
        A = getattr(spark_csr, f"{form}_array")(np.array(MATRICES["matrix"]))
        assert np.shares_memory(A.tocsr().to_scipy().data, A.data) == shared
        for B in (spark_csr.csr_array(S, copy=True), A.copy()):
            assert not np.shares_memory(B.to_scipy().data, S.data if B is not A else A.data)


@pytest.mark.parametrize("form", [spark_csr.csr_array, spark_csr.csc_array])
def test_scipy_cannot_move_entries_of_ours(form):
    A = form(np.array([[1.0, 0, 2], [3, 4, 0]]))
    x = np.ones(3)
    S = A.to_scipy()
    assert np.shares_memory(S.data, A.data)
    S.data[0] = 0
    expected = A @ x
    A.to_scipy().resize(1, 1)
    S.indices[0] = S.indptr[1] = 1
    np.testing.assert_array_equal(A @ x, expected)
    with pytest.warns(sp.SparseEfficiencyWarning):
        A.to_scipy()[0, 1] = 5
    np.testing.assert_array_equal(A.toarray(), [[0, 0, 2], [3, 4, 0]])
