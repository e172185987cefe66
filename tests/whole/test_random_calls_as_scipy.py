"""Random calls on random matrices, ours and SciPy's. `HYPOTHESIS_PROFILE=thorough` looks at ten thousand."""

import operator
import os

import numpy as np
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from as_scipy import compare
from spark_csr._array import SIMULATED

LARGEST = 4 if SIMULATED else 7
QUICK = os.environ.get("HYPOTHESIS_PROFILE", "quick") == "quick"
DTYPES = ["float64", *([] if SIMULATED else ["int32"] if QUICK else ["float64", "float32", "int32", "bool", "complex128"])]
"""Each pair of dtypes is compiled: few of them unless there is time."""

VALUES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 3.5, -7.0, np.nan, np.inf])

SIZES = st.integers(0, LARGEST)


@st.composite
def matrices(draw, rows=SIZES, columns=SIZES, forms=("csr", "csr", "csc", "coo")):
    """A matrix of SciPy's with entries in any order, zeros and duplicates among them."""
    shape = draw(rows), draw(columns)
    places = st.tuples(st.integers(0, max(shape[0] - 1, 0)), st.integers(0, max(shape[1] - 1, 0)))
    entries = draw(st.lists(st.tuples(places, VALUES), max_size=3 * LARGEST)) if min(shape) else []
    entries.sort(key=lambda entry: entry[0][0])  # rows ascend, columns are in any order
    data, dtype = np.array([v for _, v in entries], float), np.dtype(draw(st.sampled_from(DTYPES)))
    data = (np.nan_to_num(data, nan=4, posinf=5) if dtype.kind in "bi" else data).astype(dtype)
    indptr = np.searchsorted([at[0] for at, _ in entries], np.arange(shape[0] + 1))
    M = sp.csr_array((data, np.array([at[1] for at, _ in entries], np.int32), indptr.astype(np.int32)), shape=shape)
    if dtype.kind == "b":
        M.sum_duplicates()  # SciPy counts two of one position as 2 here and as True there
    return M.asformat(draw(st.sampled_from(forms)))


def keys(size):
    """What may stand for one axis in `A[...]`."""
    one = st.integers(-size - 1, size)
    edge = st.none() | st.integers(-size - 2, size + 2)
    step = st.none() | st.sampled_from([1, 2, -1, -2, 3])
    return (
        one
        | st.builds(slice, edge, edge, step)
        | st.lists(one, max_size=5)
        | st.lists(st.booleans(), min_size=size, max_size=size).map(lambda mask: np.array(mask, bool))
    )


@st.composite
def indexings(draw, forms=("csr", "csc", "coo")):
    M = draw(matrices(forms=forms))
    key = draw(keys(M.shape[0]) | st.tuples(keys(M.shape[0]), keys(M.shape[1])))
    return M, key


def picks_nothing_in_steps(M, key):
    """`A[rows, ::2]` with nothing to pick: see `differences.ELSEWHERE`."""
    rows, columns = key if isinstance(key, tuple) else (key, slice(None))
    if not isinstance(rows, (list, np.ndarray)) or not isinstance(columns, slice) or columns.step in (None, 1):
        return False
    return not M.shape[1] or not (rows.any() if isinstance(rows, np.ndarray) else rows)


@given(indexings())
def test_indexing(drawn):
    M, key = drawn
    assume(not picks_nothing_in_steps(M, key))

    def call(s):
        picked = s.A[key]
        return picked.toarray() if picked.shape == (0,) and hasattr(picked, "nnz") else picked  # SciPy's may be either

    compare(call, M)


@given(indexings(("csr", "csc")), st.sampled_from([0, 2.5, "array", "sparse"]))
def test_assignment(drawn, value):
    """Of coordinates `differences` says too much."""
    M, key = drawn

    def assign(s):
        A = s.A.copy()
        there = np.zeros(M.shape)[key] if value in ("array", "sparse") else None
        new = value if there is None else np.arange(1.0, there.size + 1).reshape(there.shape)
        A[key] = s.sparse(sp.csr_array(new)) if value == "sparse" and new.ndim == 2 else new
        return A

    compare(assign, M)


@st.composite
def pairs(draw):
    M = draw(matrices())
    rows, columns = (st.just(n) | st.just(1) for n in M.shape)
    other = draw(matrices(rows, columns))
    form = draw(st.sampled_from(["sparse", "dense", "scalar"]))
    return M, other, form


OPERATORS = [getattr(operator, name) for name in ["add", "sub", "mul", "truediv", "eq", "ne", "lt", "le", "gt", "ge"]]
METHODS = ["maximum", "minimum", "multiply"]


@given(pairs(), st.sampled_from(OPERATORS + METHODS), st.booleans())
def test_arithmetic(drawn, operation, reflected):
    """What `differences` says of NaN, of 0 below a fraction and of duplicates is left out."""
    M, other, form = drawn
    assume(not np.isinf([*M.data, *other.data]).any() or all(x.tocoo().has_canonical_format for x in drawn[:2]))
    ordered = operation in (operator.lt, operator.le, operator.gt, operator.ge, "maximum", "minimum")
    assume(not ordered or not (np.isnan(M.data).any() or np.isnan(other.data).any()))
    assume(
        operation is not operator.truediv
        or ((M.data != 0).all() and (other.data != 0).all() and "c" not in M.dtype.kind + other.dtype.kind)
    )

    def call(s):
        if form == "sparse":
            right = s.sparse(other, other.format)
        else:
            right = s.dense(other.toarray()) if form == "dense" else float(other.sum())
        if isinstance(operation, str):
            return getattr(s.A, operation)(right)
        return operation(right, s.A) if reflected else operation(s.A, right)

    compare(call, M)


REDUCTIONS = ["sum", "mean", "min", "max", "nanmin", "nanmax", "argmin", "argmax", "count_nonzero"]


@given(matrices(), st.sampled_from(REDUCTIONS), st.sampled_from([None, 0, 1, -1, -2]))
def test_reductions(M, name, axis):
    """What `differences` says of positions among NaN, sums of complex inf, and the dtype of counts, is left out."""
    assume(not name.startswith("arg") or not np.isnan(M.data).any())
    assume(name not in ("sum", "mean") or M.dtype.kind != "c" or np.isfinite(M.data).all())

    def call(s):
        result = getattr(s.A, name)(axis=axis)
        return result.astype(np.intp) if name == "count_nonzero" and axis is not None else result

    compare(call, M)


@st.composite
def factors(draw):
    inner = draw(SIZES)
    return draw(matrices(columns=st.just(inner))), draw(matrices(rows=st.just(inner)))


@given(factors())
def test_products(drawn):
    """What `differences` says of zeros that a coo_array stores is left out."""
    M, other = drawn
    assume(M.format != "coo" or (M.data != 0).all() or np.isfinite(other.data).all())
    compare(lambda s: s.A @ s.sparse(other, other.format), M)
    compare(lambda s: s.A @ s.dense(other.toarray()), M)


@given(matrices(), st.integers(-3, 3))
def test_structure(M, k):
    compare(lambda s: s.A.diagonal(k), M)
    compare(lambda s: s.A.tocsc().tocsr().tocoo(), M)
    dense = [places.astype(np.intp) for places in M.toarray().nonzero()]  # SciPy lists a position once for each of its entries
    compare(lambda s: dense if s.library is sp else [places.astype(np.intp) for places in s.A.nonzero()], M)
    compare(lambda s: s.A.reshape((-1, M.shape[0])) if M.shape[0] else s.A, M)
    if np.isfinite(M.data).all():
        compare(lambda s: s.A.T.sum(axis=0), M)
