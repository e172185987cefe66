"""Everything else that one does with matrices: SciPy's function of the same name, and CuPy's."""

import functools
import importlib
import operator

import numpy as np
import scipy.sparse as sp

from peers import DIGESTS, ON_GPU, OURS, Fresh, calls, everywhere, given, peer
from spark_csr import csr_array, prune

ENTRYWISE = {
    "A + B": operator.add,
    "A - B": operator.sub,
    "A.multiply(B)": lambda A, B: A.multiply(B),
    "A.maximum(B)": lambda A, B: A.maximum(B),
    "A < B": operator.lt,
    "A * 2": lambda A: A * 2,
    "A * dense row": lambda A, row: A.multiply(row),
    "sin": lambda A: A.sin(),
    "A[key]": operator.getitem,
    "diagonal": lambda A: A.diagonal(),
    "toarray": lambda A: A.toarray(),
    "tocsr": lambda A: A.tocsr(),
    "tocsc": lambda A: A.tocsc(),
    "copy": lambda A: A.copy(),
    "iteration": lambda A: sum(row.nnz for row in A),
}
for name, function in ENTRYWISE.items():
    calls(name, ours=function, scipy=function, cupy=function)

REDUCTIONS = "sum", "mean", "max", "nanmax", "argmax", "count_nonzero"
for name in REDUCTIONS:
    function = lambda A, axis, name=name: getattr(A, name)(axis=axis)  # noqa: E731
    calls(name, ours=function, scipy=function, **({} if name == "count_nonzero" else {"cupy": function}))

STACKS = {
    "vstack": lambda m, A: m.vstack([A, A], format="csr"),
    "hstack": lambda m, A: m.hstack([A, A], format="csr"),
    "block_array": lambda m, A: m.block_array([[A, None], [A, A]], format="csr"),
    "block_diag": lambda m, A: m.block_diag([A, A], format="csr"),
    "tril": lambda m, A: m.tril(A, format="csr"),
    "find": lambda m, A: m.find(A),
    "kron": lambda m, A, B: m.kron(A, B, format="csr"),
}
for name, function in STACKS.items():
    everywhere(name, function)


def _made(name, library, *operands):
    """A function that makes a matrix of numbers: the last operand is a dictionary of options."""
    module = importlib.import_module("spark_csr" if library in OURS else "scipy.sparse")
    where = {"device": "cuda"} if library in ON_GPU else {} if library in OURS else {"format": "csr"}
    return functools.partial(getattr(module, name), *operands[:-1], **operands[-1], **where)


for name in ("eye_array", "diags_array", "random_array"):
    for library in ("ours", "cuda", "scipy"):
        peer(name, library)(functools.partial(_made, name, library))
DIGESTS["random_array"] = lambda library, A: A.nnz  # each library draws in an order of its own


def _summed(data, i, j, shape):
    S = sp.coo_array((data, (i, j)), shape=shape).tocsr()
    S.sum_duplicates()
    return S


def _of_cupy(data, i, j, shape):
    return importlib.import_module("cupyx.scipy.sparse").coo_matrix((data, (i, j)), shape=shape).tocsr()


calls("COO to CSR", ours=lambda data, i, j, shape: csr_array((data, (i, j)), shape=shape), scipy=_summed, cupy=_of_cupy)


def _pruned(S, threshold):
    """A copy without what is not larger."""
    kept = S.copy()
    if threshold:
        kept.data[abs(kept.data) <= threshold] = 0
    kept.eliminate_zeros()
    return kept


calls("prune", ours=lambda A, threshold: prune(A, threshold), scipy=_pruned, cupy=_pruned)
calls("prune, top 4", ours=lambda A: prune(A, topk=4))

for name in ("eliminate_zeros", "sort_indices", "sum_duplicates"):
    for library in ("ours", "scipy"):
        peer(name, library)(lambda A, name=name, library=library: Fresh(given(A, library), name))


calls("A[key] = x", ours=operator.setitem, scipy=operator.setitem)


def _set(A, key, value):
    copy = A.copy()
    copy[key] = value
    return copy


def _with_diagonal(A):
    copy = A.copy()
    copy.setdiag(1.0)
    return copy


calls("A[key] = x, with a copy", ours=_set, scipy=_set)
calls("setdiag, with a copy", ours=_with_diagonal, scipy=_with_diagonal)


def uniform(rows, per_row=16, seed=0):
    """A matrix whose rows have so many random entries, at places that may repeat, which are then added up."""
    rng = np.random.default_rng(seed)
    indptr = np.arange(rows + 1, dtype=np.int32) * np.int32(per_row)
    A = csr_array((rng.random(indptr[-1]), rng.integers(0, rows, indptr[-1]).astype(np.int32), indptr), shape=(rows, rows))
    A.sum_duplicates()
    return A
