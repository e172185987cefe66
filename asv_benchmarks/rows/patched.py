"""SciPy's own matrices with `spark_csr.interop.scipy` beside the same without it: calls at three sizes, and whole programs.

"ours" is SciPy with the patch. Programs that live on SciPy's products gain; those with kernels of their own should not lose.
Those of scikit-learn need scikit-learn.
"""

import functools
import importlib.util

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

from rows import once, sized
from spark_csr.interop.scipy import _switch, patch
from timing import Row, rounds_on_cores, summary


class Patched(Row):
    """A call that is timed with the substitutes used and not used. `operation` is a function of the operands."""

    def figures(self, options):
        patch()
        operands, found = self.operands(), {"wrong": [], "left_out": {}}
        calls = {
            library: functools.partial(_call, library == "ours", self.operation, operands) for library in ("ours", "scipy")
        }
        results = [call() for call in calls.values()]
        if not _alike(*results):
            found["wrong"].append("ours")
        return found | summary(calls, rounds_on_cores(calls, options))


def _call(on, function, operands):
    _switch.STATE.on = on
    return function(*operands)


def _alike(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        return len(ours) == len(theirs) and all(map(_alike, ours, theirs))
    if sp.issparse(theirs):
        difference = abs(ours.astype(float) - theirs.astype(float))
        return ours.format == theirs.format and difference.data.max(initial=0) <= 1e-9
    return bool(np.allclose(ours, theirs, rtol=1e-5, atol=1e-8))


def uniform(entries, seed=0):
    """Ten entries a row at random columns."""
    rows, rng = max(entries // 10, 1), np.random.default_rng(seed)
    columns = np.sort(rng.integers(0, rows, (rows, 10), np.int32), axis=1)
    A = sp.csr_array((rng.random(rows * 10), columns.ravel(), np.arange(0, rows * 10 + 1, 10, np.int32)), shape=(rows, rows))
    A.sum_duplicates()
    return A


def grid(entries):
    """Five points on a square."""
    n = max(round((entries / 5) ** 0.5), 2)
    line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sp.csr_array(sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line))


CALLS = {
    "A @ x": lambda A, B, x, X: A @ x,
    "A @ X, 8 columns": lambda A, B, x, X: A @ X,
    "A.T @ x": lambda A, B, x, X: A.T @ x,
    "A.T @ X, 8 columns": lambda A, B, x, X: A.T @ X,
    "A.T @ X, 32 columns": lambda A, B, x, X: A.T @ np.tile(X, (1, 4)),
    "A @ A": lambda A, B, x, X: A @ A,
    "tocsc": lambda A, B, x, X: A.tocsc(),
    "tocoo, tocsr": lambda A, B, x, X: A.tocoo().tocsr(),
    "A + B": lambda A, B, x, X: A + B,
    "A - B": lambda A, B, x, X: A - B,
    "A.multiply(B)": lambda A, B, x, X: A.multiply(B),
    "A.maximum(B)": lambda A, B, x, X: A.maximum(B),
    "A != B": lambda A, B, x, X: A != B,
    "A.sum(axis=0)": lambda A, B, x, X: A.sum(axis=0),
    "A.sum(axis=1)": lambda A, B, x, X: A.sum(axis=1),
    "A.T.sum(axis=0)": lambda A, B, x, X: A.T.sum(axis=0),
    "A[a:b]": lambda A, B, x, X: A[A.shape[0] // 4 : -A.shape[0] // 4],
    "A[permutation]": lambda A, B, x, X: A[np.random.default_rng(1).permutation(A.shape[0])],
    "A[mask]": lambda A, B, x, X: A[x > 0.5],
    "new matrix, has_canonical_format": lambda A, B, x, X: sp.csr_array((A.data, A.indices, A.indptr)).has_canonical_format,
    "eliminate_zeros": lambda A, B, x, X: _without_zeros(A),
    "sort_indices": lambda A, B, x, X: sp.csr_array((A.data, A.indices[::-1], A.indptr)).sorted_indices(),
    "COO with duplicates to CSR": lambda A, B, x, X: sp.coo_array(
        (np.ones(A.nnz), (A.indices, A.indices[::-1])), A.shape
    ).tocsr(),
}


def _without_zeros(A):
    A = A.copy()
    A.eliminate_zeros()
    return A


def rows(options):
    """Calls on random matrices and on grids, then programs."""
    for exponent in (4, 5, 6, 7):
        for kind, make in {"random": uniform, "grid": grid}.items():
            operands = once(functools.partial(_operands, make, sized(options, 10**exponent)))
            for name, call in CALLS.items():
                if exponent < 7 or name in ("A @ x", "A @ X, 8 columns", "A.T @ x", "tocsc", "A + B"):
                    yield Patched(f"{name}: {kind}, 1e{exponent} entries", call, operands, 1.2 if exponent > 4 else 0.95)
    yield from programs(options)


def _operands(make, entries):
    A, rng = make(entries), np.random.default_rng(7)
    B = sp.csr_array((rng.random(A.nnz), *_other(A)), shape=A.shape)
    B.sum_duplicates()
    return A, B, rng.random(A.shape[1]), rng.random((A.shape[1], 8))


def _other(A):
    """Another pattern: the columns of the next row."""
    shifted = A[np.r_[1 : A.shape[0], 0]]
    return shifted.indices, shifted.indptr


def programs(options):
    """Programs that live on products, and, below, some that have kernels of their own."""
    small, large = (once(functools.partial(grid, sized(options, n))) for n in (10**5, 5 * 10**6))
    text = once(functools.partial(_text, sized(options, 20_000), sized(options, 10_000)))
    solved = {"rtol": 1e-5, "maxiter": 60}
    yield Patched("cg, grid", lambda A: sla.cg(A, np.ones(A.shape[0]), **solved)[0], lambda: (large(),), 1.5)
    yield Patched("gmres, grid", lambda A: sla.gmres(A, np.ones(A.shape[0]), rtol=1e-5, maxiter=3)[0], lambda: (large(),), 1.5)
    yield Patched("svds, text", lambda A: sla.svds(A, 5, v0=np.ones(min(A.shape)))[1], lambda: (text(),), 1.5)
    yield Patched("power iteration", _power_iteration, lambda: (uniform(sized(options, 5 * 10**6)),), 1.5)
    yield Patched("neighbours by A @ A.T, text", lambda A: (A[:2000] @ A.T).nnz, lambda: (text(),), 1.5)
    yield Patched("assembly by COO, then A @ x", _assemble, lambda: (sized(options, 200_000),), 1.5)
    yield Patched("eigsh of a small grid", lambda A: sla.eigsh(A, 3, v0=np.ones(A.shape[0]))[0], lambda: (small(),), 0.97)
    for name in ("LogisticRegression", "TruncatedSVD", "KMeans", "NMF") if importlib.util.find_spec("sklearn") else ():
        wanted = 0.97 if name in ("KMeans", "NMF") else 1.5
        yield Patched(f"{name} of scikit-learn, text", functools.partial(_fit, name), lambda: (text(),), wanted)


def _text(documents, words, length=60):
    """Documents of words by frequency."""
    rng = np.random.default_rng(3)
    columns = (words * rng.random(documents * length) ** 3).astype(np.int32)
    A = sp.csr_array((rng.random(columns.size), columns, np.arange(0, columns.size + 1, length, np.int32)), (documents, words))
    A.sum_duplicates()
    return A


def _power_iteration(A):
    x = np.ones(A.shape[0])
    for _ in range(20):
        x = A @ x
        x /= np.linalg.norm(x)
    return x


def _assemble(elements):
    rng = np.random.default_rng(0)
    nodes = np.minimum(np.arange(elements)[:, None] + rng.integers(0, 50, (elements, 4)), elements - 1)
    i, j = np.repeat(nodes, 4, axis=1).ravel(), np.tile(nodes, 4).ravel()
    return sp.coo_array((np.ones(i.size), (i, j)), shape=(elements, elements)).tocsr() @ np.ones(elements)


def _fit(name, A):
    import sklearn.cluster
    import sklearn.decomposition
    import sklearn.linear_model

    if name == "LogisticRegression":
        labels = np.asarray(A[:, :50].sum(axis=1)).ravel() > 3
        return sklearn.linear_model.LogisticRegression(max_iter=20, tol=1e-9).fit(A, labels).coef_ * 0 + 1
    if name == "TruncatedSVD":
        return sklearn.decomposition.TruncatedSVD(10, random_state=0).fit(A).singular_values_
    if name == "KMeans":
        return sklearn.cluster.KMeans(8, n_init=1, max_iter=10, random_state=0).fit(A).inertia_
    return sklearn.decomposition.NMF(5, max_iter=10, random_state=0, init="nndsvda", tol=0).fit(abs(A)).reconstruction_err_
