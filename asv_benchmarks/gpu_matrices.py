"""What `gpu_check.py` checks and times of whole matrices: the device against the processor, and against CuPy."""

import importlib

import numpy as np

import spark_csr
from spark_csr import csr_array, gallery
from spark_csr._array import parse_device, to_device

OPERATIONS = {
    "tocsc": lambda A: A.tocsc(),
    "from coordinates": lambda A: csr_array((A.data, A.tocoo().coords), shape=A.shape),
    "A + B": lambda A: A + spark_csr.prune(A, topk=2),
    "A - A.T @ A": lambda A: A - (A @ A.T) @ A,
    "A * B": lambda A: A * spark_csr.prune(A, topk=2),
    "maximum": lambda A: A.maximum(-A),
    "A > 0.5": lambda A: A > 0.5,
    "prune": lambda A: spark_csr.prune(A, 0.5),
    "top_k": lambda A: spark_csr.prune(A, topk=3),
    "A @ A.T": lambda A: A @ A.T,
    "A @ A.T, masked": lambda A: A.matmul(A.T, mask=A @ A.T),
    "min_plus A @ A.T": lambda A: A.matmul(A.T, semiring="min_plus"),
    "sum of rows": lambda A: A.sum(axis=1),
    "sum of columns": lambda A: A.sum(axis=0),
    "max of rows": lambda A: A.max(axis=1),
    "argmin of columns": lambda A: A.argmin(axis=0),
    "rows by slice": lambda A: A[1:-1:3],
    "rows by list": lambda A: A[np.arange(A.shape[0])[::-2]],
    "columns by slice": lambda A: A[:, 1::2],
    "diagonal": lambda A: A.diagonal(),
    "vstack": lambda A: spark_csr.vstack([A, A]),
    "hstack": lambda A: spark_csr.hstack([A, A]),
    "tril": lambda A: spark_csr.tril(A),
}

ORDERED = ("maximum", "A > 0.5", "min_plus A @ A.T", "max of rows", "argmin of columns")
"""Those that need an order of values: complex numbers have none."""


def checks(device, battery):
    """(name, check) pairs of every operation on every matrix; a check returns whether both devices give the same."""
    for title, make in battery:
        for name, operation in OPERATIONS.items():
            for code in "d" if name in ORDERED else "dF":
                yield f"{name}, {title}, {np.dtype(code)}", _same(operation, make, code, device)


def _same(operation, make, code, device):
    def check():
        A = make(code)
        here, there = operation(A), operation(A.to_device(device))
        if hasattr(here, "tocsr"):
            here, there = here.tocsr(), there.to_device("cpu").tocsr()
            same_pattern = here.shape == there.shape and all(
                np.array_equal(mine, other) for mine, other in ((here.indptr, there.indptr), (here.indices, there.indices))
            )
            return same_pattern and _agree(here.data, there.data)
        return _agree(here, to_device(there, "cpu"))

    return check


def _agree(here, there):
    """Sums may differ in their last bits; all else is the same."""
    here, there = np.asarray(here), np.asarray(there)
    return here.shape == there.shape and here.dtype == there.dtype and np.allclose(here, there, rtol=1e-9, equal_nan=True)


def timed(device, small):
    """(name, ours, CuPy's or SciPy's, bytes that must move), a line each."""
    sparse = importlib.import_module("scipy.sparse" if parse_device(device) is None else "cupyx.scipy.sparse")
    rows = 2_000 if small else 1_000_000
    A = gallery.uniform(rows, rows, 16).to_device(device)
    B = gallery.uniform(rows, rows, 16, seed=1).to_device(device)
    S, T = _peer(A, device), _peer(B, device)
    entry = 12 * A.nnz
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, rows, 10 * rows), rng.integers(0, rows, 10 * rows), rng.random(10 * rows)
    i, j, values = (to_device(x, device) for x in drawn)
    yield (
        "COO to CSR, 10 a row",
        lambda: csr_array((values, (i, j)), shape=(rows, rows)),
        lambda: _coo(sparse)((values, (i, j)), shape=(rows, rows)).tocsr(),
        10 * rows * (24 + 12),
    )
    yield "tocsc, 16 a row", lambda: A.tocsc(), lambda: S.tocsc(), 2 * entry
    yield "prune, half kept", lambda: spark_csr.prune(A, 0.5), lambda: _pruned(S), entry + entry // 2
    yield "sum of rows", lambda: A.sum(axis=1), lambda: S.sum(axis=1), 8 * A.nnz + 12 * rows
    yield "max of rows", lambda: A.max(axis=1), lambda: S.max(axis=1), 8 * A.nnz + 12 * rows
    yield "A + B", lambda: A + B, lambda: S + T, 4 * entry
    for title, make in _factors(small):
        C = make().to_device(device)
        P = _peer(C, device)
        yield f"SpGEMM, {title}", lambda C=C: C @ C, lambda P=P: P @ P, 12 * ((C @ C).nnz + 2 * C.nnz)


def _factors(small):
    shrink = 100 if small else 1
    yield "uniform x 10", lambda: gallery.uniform(200_000 // shrink, 200_000 // shrink, 10)
    yield "R-MAT", lambda: gallery.rmat(8 if small else 17)
    yield "3-D Poisson", lambda: gallery.poisson((8 if small else 100,) * 3)


def _peer(A, device):
    return A.to_scipy() if parse_device(device) is None else A.copy().to_cupy()


def _coo(sparse):
    return getattr(sparse, "coo_array", None) or sparse.coo_matrix


def _pruned(S):
    kept = S.copy()
    kept.data[abs(kept.data) <= 0.5] = 0
    kept.eliminate_zeros()
    return kept
