"""Substitution with both triangles: values, and the same bits whichever rows are solved at once."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import config, csc_array, csr_array
from spark_csr._operations.triangular import levels
from spark_csr._operations.triangular.substitute import find_zero_pivot, substitute
from spark_csr.linalg import spsolve_triangular

N = 60


def matrix(dtype, seed=0):
    rng = np.random.default_rng(seed)
    dense = sp.random_array((N, N), density=0.1, rng=rng).toarray() + np.diag(rng.uniform(1, 2, N))
    return (dense * (1 + 0.5j) if np.dtype(dtype).kind == "c" else dense).astype(dtype)


def triangle_of(dense, upper, unit):
    part = np.triu(dense) if upper else np.tril(dense)
    if unit:
        np.fill_diagonal(part, 1)
    return part


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("columns", [None, 1, 3])
@pytest.mark.parametrize("wide", [2, 10**6])
def test_solutions(xp, to_numpy, monkeypatch, small_tiles, wide, columns, upper, unit, dtype):
    monkeypatch.setattr(levels, "WIDE", wide)
    dense = matrix(dtype)
    x = np.random.default_rng(1).standard_normal((N,) if columns is None else (N, columns)).astype(dtype)
    b = triangle_of(dense, upper, unit) @ x
    csr = csr_array(xp.asarray(dense))._csr
    found = substitute(csr, xp.asarray(b.astype(dtype)), upper, unit)
    scale = 1e-9 if dtype == "float64" else 1e-3
    np.testing.assert_allclose(to_numpy(found), x, rtol=scale, atol=scale)


@pytest.mark.parametrize("upper", [False, True])
def test_same_bits(monkeypatch, cpu_only, small_tiles, upper):
    """In the order of the rows, by levels, on one core and on two."""
    b, dense = np.random.default_rng(2).standard_normal((N, 2)), matrix("float64", 3)
    found = []
    for wide, threads in ((10**6, 1), (2, 1), (2, 2), (3, 2)):
        monkeypatch.setattr(levels, "WIDE", wide)
        with config(threads=threads):
            found.append(substitute(csr_array(dense)._csr, b.copy(), upper, False))
            columns = [substitute(csr_array(dense)._csr, b[:, c].copy(), upper, False) for c in range(2)]
        found.append(np.stack(columns, axis=1))
    assert all(np.array_equal(found[0], other) for other in found[1:])


@pytest.mark.parametrize("form", [csr_array, csc_array])
@pytest.mark.parametrize("lower", [False, True])
def test_as_users_call_it(xp, to_numpy, form, lower):
    dense, b = matrix("float64", 5), np.random.default_rng(6).standard_normal((N, 2))
    part = triangle_of(dense, not lower, False)
    A = form(xp.asarray(part))
    for _ in range(2):  # the second time with what was kept
        found = spsolve_triangular(A, xp.asarray(b), lower)
        np.testing.assert_allclose(to_numpy(found), np.linalg.solve(part, b))
    with pytest.raises(np.linalg.LinAlgError, match="triangular: A"):
        spsolve_triangular(A, xp.asarray(b), not lower)


def test_nothing_to_solve(xp):
    assert substitute(csr_array((0, 0))._csr, np.empty(0), False, False).size == 0
    assert substitute(csr_array(xp.eye(2))._csr, xp.empty((2, 0)), False, False).shape == (2, 0)


def test_zero_pivots(xp):
    assert find_zero_pivot(csr_array(xp.eye(3))._csr, 3) is None
    A = csr_array((xp.asarray([1.0, 0, 2]), xp.arange(3), xp.arange(4)))
    assert find_zero_pivot(A._csr, A.shape[0]) == 1
