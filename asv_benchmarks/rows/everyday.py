"""The calls that people make every day, at three sizes, with sorted and with unsorted columns, beside what they use today.

Beside SciPy's classes, `scipy.sparse.linalg` and `csgraph`, and for arrays NumPy. Operands are kept from call to call, as in a
loop of a program. With unsorted columns, as scikit-learn's vectorizers make them, a row is timed for what depends on the order.
"""

import functools
import importlib
import types

import numpy as np

from peers.results import alike
from rows import sized
from timing import Row, rounds_on_cores, summary

SIZES = {"200": 200, "10,000": 10_000, "1,000,000": 1_000_000}
"""Entries, ten in a row."""

MATRICES = {
    "A @ x": lambda s, o: o.A @ o.x,
    "A @ X, 16 columns": lambda s, o: o.A @ o.X,
    "A.T @ x": lambda s, o: o.A.T @ o.x,
    "A.T @ X, 16 columns": lambda s, o: o.A.T @ o.X,
    "x @ A": lambda s, o: o.x @ o.A,
    "A @ B": lambda s, o: o.A @ o.B,
    "A @ A.T": lambda s, o: o.A @ o.A.T,
    "D @ A @ D": lambda s, o: o.D @ o.A @ o.D,
    "A + B": lambda s, o: o.A + o.B,
    "A - B": lambda s, o: o.A - o.B,
    "A.multiply(B)": lambda s, o: o.A.multiply(o.B),
    "A.multiply(row)": lambda s, o: o.A.multiply(o.x),
    "A.multiply(column)": lambda s, o: o.A.multiply(o.x[:, None]),
    "A.maximum(B)": lambda s, o: o.A.maximum(o.B),
    "A * 2": lambda s, o: o.A * 2,
    "A > 0.5": lambda s, o: o.A > 0.5,
    "abs(A)": lambda s, o: abs(o.A),
    "A.log1p()": lambda s, o: o.A.log1p(),
    "A.power(2)": lambda s, o: o.A.power(2),
    "A.astype(float32)": lambda s, o: o.A.astype(np.float32),
    "A.copy()": lambda s, o: o.A.copy(),
    "A.sum()": lambda s, o: o.A.sum(),
    "A.sum(axis=0)": lambda s, o: o.A.sum(axis=0),
    "A.sum(axis=1)": lambda s, o: o.A.sum(axis=1),
    "A.mean(axis=0)": lambda s, o: o.A.mean(axis=0),
    "A.max()": lambda s, o: o.A.max(),
    "A.max(axis=1)": lambda s, o: o.A.max(axis=1),
    "A.argmax(axis=1)": lambda s, o: o.A.argmax(axis=1),
    "norm(A)": lambda s, o: s.linalg.norm(o.A),
    "norm(A, axis=1)": lambda s, o: s.linalg.norm(o.A, axis=1),
    "A.nonzero()": lambda s, o: o.A.nonzero(),
    "A.count_nonzero()": lambda s, o: o.A.count_nonzero(),
    "A.diagonal()": lambda s, o: o.A.diagonal(),
    "A[i]": lambda s, o: o.A[o.A.shape[0] // 2],
    "A[i, j]": lambda s, o: o.A[3, 5],
    "A[rows]": lambda s, o: o.A[o.some],
    "A[:, columns]": lambda s, o: o.A[:, o.some],
    "A[mask]": lambda s, o: o.A[o.mask],
    "A[mask][:, mask]": lambda s, o: o.A[o.mask][:, o.mask],
    "A[a:b]": lambda s, o: o.A[2:-2],
    "A.T.tocsr()": lambda s, o: o.A.T.tocsr(),
    "A.tocsc()": lambda s, o: o.A.tocsc(),
    "A.tocoo()": lambda s, o: o.A.tocoo(),
    "csr_array((data, indices, indptr))": lambda s, o: s.sparse.csr_array((o.data, o.indices, o.indptr), shape=o.A.shape),
    "csr_array((data, (i, j)))": lambda s, o: s.sparse.csr_array((o.data, (o.i, o.indices)), shape=o.A.shape),
    "vstack": lambda s, o: s.sparse.vstack([o.A, o.B], format="csr"),
    "hstack": lambda s, o: s.sparse.hstack([o.A, o.B], format="csr"),
    "tril": lambda s, o: s.sparse.tril(o.A, format="csr"),
    "diags_array": lambda s, o: s.sparse.diags_array(o.x, format="csr") if s.scipy else s.sparse.diags_array(o.x),
    "connected_components": lambda s, o: s.csgraph.connected_components(o.A, return_labels=False),
    "dijkstra": lambda s, o: s.csgraph.dijkstra(o.A, indices=0),
    "cg, 10 iterations": lambda s, o: s.linalg.cg(o.P, o.x, maxiter=10, rtol=1e-300)[0],
}
"""Functions of a library and the operands that it holds."""

IN_ANY_ORDER = "A @ x|A.T @ X, 16|A + B|A.multiply|A > |abs|A.log1p|A.max|A.argmax|norm|A.nonzero|A.sum|A.mean|A.T.tocsr|A.rows"
"""Names of calls that are timed with unsorted columns too, by how they begin."""

ARRAYS = {
    "sort": (lambda p, o: p.sort(o.keys), lambda n, o: n.sort(o.keys)),
    "argsort, stable": (lambda p, o: p.argsort(o.keys), lambda n, o: n.argsort(o.keys, kind="stable")),
    "running sums": (lambda p, o: p.inclusive_scan(o.x), lambda n, o: n.cumsum(o.x)),
    "sums of segments": (lambda p, o: p.segmented_reduce(o.x, o.offsets), lambda n, o: n.add.reduceat(o.x, o.offsets[:-1])),
    "select": (lambda p, o: p.compact(o.x, o.flags), lambda n, o: o.x[o.flags]),
    "repeat": (lambda p, o: p.repeat(o.x, o.counts), lambda n, o: n.repeat(o.x, o.counts)),
}
"""Functions of `primitives` and of NumPy."""


class Everyday(Row):
    """A call of ours and of what people use today. `operation` has both functions."""

    def figures(self, options):
        made, found = self.operands(), {"wrong": [], "left_out": {}}
        calls = {
            library: functools.partial(function, *operands)
            for (library, operands), function in zip(made.items(), self.operation, strict=True)
        }
        ours, theirs = (call() for call in calls.values())
        if not alike("", ours, list(calls)[1], theirs):
            found["wrong"].append(list(calls)[1])
        return found | summary(calls, rounds_on_cores(calls, options))


def libraries():
    """What the functions above call `s`: ours, and SciPy's."""
    names = {"ours": "spark_csr", "scipy": "scipy.sparse"}
    found = {}
    for library, name in names.items():
        parts = {part: importlib.import_module(f"{name}.{part}") for part in ("linalg", "csgraph")}
        found[library] = types.SimpleNamespace(sparse=importlib.import_module(name), scipy=library == "scipy", **parts)
    return found


def matrices(entries, is_sorted):
    """By library its functions, and operands with so many entries."""
    rows, rng = max(entries // 10, 20), np.random.default_rng(0)
    made, found = {}, libraries()
    for name in "AB":
        columns = rng.integers(0, rows, (rows, 10), np.int32)
        columns = np.sort(columns, axis=1)[:, :: 1 if is_sorted else -1]
        indptr = np.arange(0, rows * 10 + 1, 10, np.int32)
        S = found["scipy"].sparse.csr_array(
            (rng.random(rows * 10), np.sort(columns, axis=1).ravel(), indptr), shape=(rows, rows)
        )
        S.sum_duplicates()
        if not is_sorted:
            order = np.lexsort((-S.indices, np.repeat(np.arange(rows), np.diff(S.indptr))))
            S = found["scipy"].sparse.csr_array((S.data[order], S.indices[order], S.indptr), shape=S.shape)
        made[name] = S
    A = made["A"]
    shared = {
        "x": rng.random(rows),
        "X": rng.random((rows, 16)),
        "some": rng.integers(0, rows, max(rows // 10, 3)),
        "mask": rng.random(rows) < 0.9,
        "data": A.data.copy(),
        "indices": A.indices.copy(),
        "indptr": A.indptr.copy(),
        "i": np.repeat(np.arange(rows, dtype=np.int32), np.diff(A.indptr)),
    }
    made["D"] = found["scipy"].sparse.csr_array(found["scipy"].sparse.diags_array(shared["x"]))
    made["P"] = (A + A.T + 20 * found["scipy"].sparse.eye_array(rows)).tocsr()
    csr_array = found["ours"].sparse.csr_array
    return {
        library: (found[library], types.SimpleNamespace(**shared, **{name: kind(S) for name, S in made.items()}))
        for library, kind in {"ours": lambda S: csr_array(S.copy()), "scipy": lambda S: S.copy()}.items()
    }


def arrays(n):
    """By library its module, and arrays of so many elements."""
    rng = np.random.default_rng(0)
    offsets = np.unique(np.r_[0, rng.integers(0, n, max(n // 10, 1)), n])
    o = types.SimpleNamespace(keys=rng.integers(0, 2**62, n), x=rng.random(n), flags=rng.random(n) < 0.5, offsets=offsets)
    o.counts = rng.integers(0, 3, n)
    return {"ours": (importlib.import_module("spark_csr.primitives"), o), "numpy": (np, o)}


def rows(options):
    """All of them."""
    for size, entries in SIZES.items():
        n = sized(options, entries, least=200)
        for is_sorted in (True, False):
            made = functools.cache(functools.partial(matrices, n, is_sorted))
            for name, function in MATRICES.items():
                if is_sorted or name.startswith(tuple(IN_ANY_ORDER.split("|"))):
                    yield Everyday(f"{name}, {size}{'' if is_sorted else ' unsorted'}", (function, function), made, 1)
        made = functools.cache(functools.partial(arrays, n))
        for name, functions in ARRAYS.items():
            yield Everyday(f"{name}, {size}", functions, made, 1)
