"""What anybody writes with Numba: one loop, with `prange` where no iteration needs another."""

import numpy as np
import scipy.sparse as sp
from numba import njit, prange

from peers import calls, peer


@njit(parallel=True)
def _rows_times(parts, indptr, indices, data, x, y):
    for part in prange(parts.size - 1):
        for row in range(parts[part], parts[part + 1]):
            total = y.dtype.type(0)
            for p in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
                total += data[p] * x[np.uint64(indices[p])]
            y[row] = total


@njit(parallel=True)
def _rows_times_many(indptr, indices, data, X, Y):
    for row in prange(indptr.size - 1):
        Y[row] = 0
        for p in range(indptr[row], indptr[row + 1]):
            for k in range(X.shape[1]):
                Y[row, k] += data[p] * X[indices[p], k]


@peer("A @ x", "plain")
def product(A, x):
    """Rows in sixteen parts of about equal work, one sum for each row; or row by row, with several columns."""
    if A.data.dtype != x.dtype or A.format != "csr":
        raise NotImplementedError("for rows and operands of the matrix's dtype only")
    work = A.indptr.astype(np.int64) + np.arange(A.indptr.size)
    parts = np.searchsorted(work, np.linspace(0, work[-1], 17))
    parts[-1] = A.shape[0]

    def call():
        y = np.empty((A.shape[0], *x.shape[1:]), x.dtype)
        if x.ndim == 1:
            _rows_times(parts, A.indptr, A.indices, A.data, x, y)
        else:
            _rows_times_many(A.indptr, A.indices, A.data, x, y)
        return y

    return call


@njit
def _square(indptr, indices, data, seen, total):
    """Gustavson's, in two passes: rows come unsorted."""
    n = indptr.size - 1
    out = np.zeros(n + 1, np.int64)
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            for q in range(indptr[indices[p]], indptr[indices[p] + 1]):
                if seen[indices[q]] != row:
                    seen[indices[q]] = row
                    out[row + 1] += 1
        out[row + 1] += out[row]
    columns, values = np.empty(out[-1], indices.dtype), np.empty(out[-1], data.dtype)
    seen[:] = -1
    for row in range(n):
        end = out[row]
        for p in range(indptr[row], indptr[row + 1]):
            for q in range(indptr[indices[p]], indptr[indices[p] + 1]):
                j = indices[q]
                if seen[j] != row:
                    seen[j], columns[end], total[j] = row, j, 0
                    end += 1
                total[j] += data[p] * data[q]
        for at in range(out[row], end):
            values[at] = total[columns[at]]
    return values, columns, out


@peer("A @ A", "plain")
def square(A, masked):
    if masked:
        raise NotImplementedError("without a mask only")
    n = A.shape[0]
    return lambda: sp.csr_array(_square(A.indptr, A.indices, A.data, np.full(n, -1), np.empty(n, A.dtype)), shape=A.shape)


@njit
def _sum_of_two(indptr, indices, data, b_indptr, b_indices, b_data):
    """Rows are merged."""
    out = np.zeros(indptr.size, np.int64)
    columns = np.empty(indices.size + b_indices.size, indices.dtype)
    values = np.empty(columns.size, data.dtype)
    at = 0
    for row in range(indptr.size - 1):
        p, q = indptr[row], b_indptr[row]
        while p < indptr[row + 1] or q < b_indptr[row + 1]:
            if q == b_indptr[row + 1] or (p < indptr[row + 1] and indices[p] < b_indices[q]):
                columns[at], values[at] = indices[p], data[p]
                p += 1
            elif p == indptr[row + 1] or b_indices[q] < indices[p]:
                columns[at], values[at] = b_indices[q], b_data[q]
                q += 1
            else:
                columns[at], values[at] = indices[p], data[p] + b_data[q]
                p += 1
                q += 1
            at += 1
        out[row + 1] = at
    return values[:at], columns[:at], out


@njit
def _order(keys, n):
    """Where entries stand that are sorted by keys below n, by counting; equal ones stay in their order."""
    at, order = np.zeros(n + 1, np.int64), np.empty(keys.size, np.int64)
    for key in keys:
        at[key + 1] += 1
    at = np.cumsum(at)
    for k in range(keys.size):
        order[at[keys[k]]] = k
        at[keys[k]] += 1
    return order


@njit
def _assembled(data, rows, columns, shape):
    """Sorted by columns, then by rows; repeated entries are added up."""
    order = _order(columns, shape[1])
    order = order[_order(rows[order], shape[0])]
    indptr, indices, values = np.zeros(shape[0] + 1, np.int64), np.empty_like(columns), np.empty_like(data)
    end, row = 0, -1
    for k in order:
        if end == 0 or rows[k] != row or columns[k] != indices[end - 1]:
            row, indices[end], values[end] = rows[k], columns[k], 0
            indptr[row + 1] += 1
            end += 1
        values[end - 1] += data[k]
    return values[:end], indices[:end], np.cumsum(indptr)


@njit(parallel=True)
def _sums_of_rows(indptr, data):
    out = np.empty(indptr.size - 1, data.dtype)
    for row in prange(out.size):
        out[row] = data[indptr[row] : indptr[row + 1]].sum()
    return out


@peer("sum", "plain")
def sums(A, axis):
    if axis != 1:
        raise NotImplementedError("of rows only")
    return lambda: _sums_of_rows(A.indptr, A.data)


calls(
    "A + B",
    plain=lambda A, B: sp.csr_array(_sum_of_two(A.indptr, A.indices, A.data, B.indptr, B.indices, B.data), shape=A.shape),
)
calls("COO to CSR", plain=lambda data, i, j, shape: sp.csr_array(_assembled(data, i, j, shape), shape=shape))


@njit
def _levels(indptr, indices, source):
    distance, queue = np.full(indptr.size - 1, -1), np.empty(indptr.size - 1, np.int64)
    distance[source], queue[0], found, k = 0, source, 1, 0
    while k < found:
        for p in range(indptr[queue[k]], indptr[queue[k] + 1]):
            if distance[indices[p]] < 0:
                distance[indices[p]], queue[found] = distance[queue[k]] + 1, indices[p]
                found += 1
        k += 1
    return queue[:found]


@njit
def _roots(indptr, indices):
    """Union and find, with paths halved."""
    parent = np.arange(indptr.size - 1)
    for i in range(parent.size):
        for p in range(indptr[i], indptr[i + 1]):
            a, b = i, indices[p]
            while parent[a] != a:
                parent[a] = parent[parent[a]]
                a = parent[a]
            while parent[b] != b:
                parent[b] = parent[parent[b]]
                b = parent[b]
            parent[max(a, b)] = min(a, b)
    return np.flatnonzero(parent == np.arange(parent.size)), parent


@peer("bfs", "plain")
def bfs(g):
    return lambda: _levels(g.scipy.indptr, g.scipy.indices, g.source)


@peer("weak components", "plain")
def components(g):
    return lambda: _roots(g.scipy.indptr, g.scipy.indices)[0]
