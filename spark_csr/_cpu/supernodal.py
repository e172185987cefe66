"""`factorise` and `substitute_supernodes`: the numbers of a Cholesky factor in supernodes, and systems solved with it.

Design: left-looking. A supernode takes up its entries of the matrix, subtracts the products of the panels that update it, in
the order of elimination, and is factorised. So only one product is kept at a time; a multifrontal method would keep
matrices of the size of the factor. The arithmetic is that of BLAS, whose functions are called by their addresses, each on one
core: subtrees of supernodes that depend on no others are the tiles of a job; of the supernodes above them one after the other
is cut into tiles of rows. Tiles depend on the pattern alone, so the numbers are the same bits for any number of cores. A panel
is kept by rows, which for BLAS is its transpose by columns. With signs, the factor is that of `A = L S L.conj().T`, where S is
a diagonal of signs: the LDL factorisation, scaled.
Source: Ng & Peyton, *Block sparse Cholesky algorithms on advanced uniprocessor computers*, SIAM J. Sci. Comput. 14, 1993.
"""

import math

import numpy as np

from spark_csr._cpu.symbolic import invert
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles_by_core, njit
from spark_csr._engine.numba.intrinsics.foreign import call_by_reference

CONJUGATED, PLAIN, LEFT, RIGHT, UPPER, NON_UNIT = (np.uint8(ord(letter)) for letter in "CNLRUN")


@njit
def _multiply(gemm, first, second, rows, columns, inner, alpha, a, ld_a, b, ld_b, beta, c, ld_c):
    """Compute `c = alpha * a * b + beta * c`, of arrays by columns, of which `first` and `second` say how they are taken."""
    sizes = np.int32(rows), np.int32(columns), np.int32(inner)
    call_by_reference(gemm, (first, second, *sizes, alpha, a, np.int32(ld_a), b, np.int32(ld_b), beta, c, np.int32(ld_c)))


@njit
def _substitute(trsm, side, taken, rows, columns, one, a, ld_a, b, ld_b):
    """Solve with an upper triangle `a` in place of `b`, as BLAS's `trsm` does."""
    sizes = np.int32(rows), np.int32(columns), one
    call_by_reference(trsm, (side, UPPER, taken, NON_UNIT, *sizes, a, np.int32(ld_a), b, np.int32(ld_b)))


@njit
def _find(rows, start, stop, row):
    """Return the first of the positions whose row is not below `row`."""
    while start < stop:
        middle = (start + stop) // 2
        if rows[middle] < row:
            start = middle + 1
        else:
            stop = middle
    return start


@njit(error_model="numpy")
def _gather(s, symbolic, matrix, values, positions):
    """Note the position of every row in a panel, and fill the panel with the entries of the matrix."""
    perm, starts, offsets, rows, places = symbolic[:5]
    indptr, indices, data, inverse = matrix
    width, first = starts[s + 1] - starts[s], starts[s]
    values[places[s] : places[s + 1]] = 0
    for p in range(offsets[s], offsets[s + 1]):
        positions[rows[p]] = p - offsets[s]
    for c in range(width):
        row = perm[first + c]
        for p in range(indptr[row], indptr[row + 1]):
            below = inverse[indices[p]]
            if below >= first + c:
                values[places[s] + positions[below] * width + c] = data[p].conjugate()


@njit(error_model="numpy")
def _update(s, low, high, symbolic, values, signs, positions, product, scaled, blas):
    """Subtract from rows `low` to `high` of a panel the products of all panels that update it."""
    _, starts, offsets, rows, places, update_offsets, updates = symbolic[:7]
    gemm, one, zero = blas[0], values.dtype.type(1), values.dtype.type(0)
    width, whole = starts[s + 1] - starts[s], high - low == offsets[s + 1] - offsets[s]
    bottom = rows[offsets[s] + high - 1]
    for u in range(update_offsets[s], update_offsets[s + 1]):
        k, p, p_end = updates[0, u], updates[1, u], updates[2, u]
        q, q_end, inner = p, offsets[k + 1], starts[k + 1] - starts[k]
        if not whole:
            q = _find(rows, q, q_end, rows[offsets[s] + low])
            q_end = _find(rows, q, q_end, bottom + 1)
        columns, count, corner = p_end - p, q_end - q, places[k] - offsets[k] * inner
        if count == 0:
            continue
        left, right = values[corner + p * inner :], values[corner + q * inner :]
        if signs.size:
            for e in range(columns):
                for i in range(inner):
                    scaled[e * inner + i] = left[e * inner + i] * signs[starts[k] + i]
            left = scaled
        origin, column = places[s] + positions[rows[q]] * width, rows[p] - starts[s]
        if positions[rows[q_end - 1]] - positions[rows[q]] == count - 1 and rows[p_end - 1] - rows[p] == columns - 1:
            target = values[origin + column :]
            _multiply(gemm, CONJUGATED, PLAIN, columns, count, inner, -one, left, inner, right, inner, one, target, width)
            continue
        _multiply(gemm, CONJUGATED, PLAIN, columns, count, inner, one, left, inner, right, inner, zero, product, columns)
        for e in range(count):
            target = places[s] + positions[rows[q + e]] * width - starts[s]
            for c in range(columns):
                values[target + rows[p + c]] -= product[e * columns + c]


@njit(error_model="numpy")
def _take_roots(s, symbolic, values, signs, blas, failed):
    """Factorise the block on the diagonal; return whether that is possible, else note the column in `failed`."""
    starts, places = symbolic[1], symbolic[4]
    width, begin = starts[s + 1] - starts[s], places[s]
    if not signs.size:
        status = np.zeros(1, np.int32)
        call_by_reference(blas[2], (UPPER, np.int32(width), values[begin:], np.int32(width), status))
        if status[0] > 0:
            failed[0] = starts[s] + status[0] - 1
        return status[0] == 0
    for c in range(width):
        row = values[begin + c * width : begin + (c + 1) * width]
        for k in range(c):
            other = values[begin + k * width : begin + (k + 1) * width]
            total = row[k]
            for i in range(k):
                total -= row[i] * other[i].conjugate() * signs[starts[s] + i]
            row[k] = total * signs[starts[s] + k] / other[k].real
        pivot = row[c].real
        for i in range(c):
            pivot -= (row[i].real * row[i].real + row[i].imag * row[i].imag) * signs[starts[s] + i]
        if not 0 < abs(pivot) < np.inf:
            failed[0] = starts[s] + c
            return False
        signs[starts[s] + c] = 1 if pivot > 0 else -1
        row[c] = math.sqrt(abs(pivot))
    return True


@njit(error_model="numpy")
def _divide(s, low, high, symbolic, values, signs, blas):
    """Divide rows `low` to `high` of a panel by its block on the diagonal."""
    starts, places = symbolic[1], symbolic[4]
    width, one = starts[s + 1] - starts[s], values.dtype.type(1)
    below = values[places[s] + low * width :]
    _substitute(blas[1], LEFT, CONJUGATED, width, high - low, one, values[places[s] :], width, below, width)
    if signs.size:
        for e in range(high - low):
            for c in range(width):
                below[e * width + c] *= signs[starts[s] + c]


@njit(error_model="numpy")
def _factorise_tile(core, tile, symbolic, matrix, values, signs, scratch, blas, tall, failed):
    """Factorise the supernodes of a tile one after the other, up to a pivot that is none."""
    starts, offsets = symbolic[1], symbolic[2]
    positions, product, scaled = scratch[0][core], scratch[1][core], scratch[2][core]
    for s in range(symbolic[7][tile, 0], symbolic[7][tile, 1]):
        height, width = offsets[s + 1] - offsets[s], starts[s + 1] - starts[s]
        _gather(s, symbolic, matrix, values, positions)
        for low in range(0, height, tall):
            _update(s, low, min(low + tall, height), symbolic, values, signs, positions, product, scaled, blas)
        if not _take_roots(s, symbolic, values, signs, blas, failed[tile:]):
            return
        if height > width:
            _divide(s, width, height, symbolic, values, signs, blas)


@njit(error_model="numpy")
def _update_tile(core, tile, s, height, symbolic, values, signs, scratch, blas, tall):
    low, room = np.int64(tile) * tall, (scratch[1][core], scratch[2][core])
    _update(s, low, min(low + tall, height), symbolic, values, signs, scratch[0][0], room[0], room[1], blas)


@njit(error_model="numpy")
def _divide_tile(core, tile, s, width, height, symbolic, values, signs, blas, tall):
    low = width + np.int64(tile) * tall
    _divide(s, low, min(low + tall, height), symbolic, values, signs, blas)


@compile_kernel(error_model="numpy")
def _factorise(cores, symbolic, matrix, values, signs, scratch, blas, tall):
    """Factorise all supernodes; return the first column without a pivot, or how many columns there are."""
    starts, offsets, tiles, top = symbolic[1], symbolic[2], symbolic[7], symbolic[8]
    n = starts[starts.size - 1]
    failed = np.full(tiles.shape[0] + 1, n, np.int64)
    given = symbolic, matrix, values, signs, scratch, blas, tall
    for_tiles_by_core(cores, tiles.shape[0], _factorise_tile, (*given, failed))
    if failed.min() < n:
        return failed.min()
    for i in range(top.size):
        s = top[i]
        height, width = offsets[s + 1] - offsets[s], starts[s + 1] - starts[s]
        _gather(s, symbolic, matrix, values, scratch[0][0])
        given = s, height, symbolic, values, signs, scratch, blas, tall
        for_tiles_by_core(cores, (height + tall - 1) // tall, _update_tile, given)
        if not _take_roots(s, symbolic, values, signs, blas, failed):
            return failed[0]
        pieces = (height - width + tall - 1) // tall
        for_tiles_by_core(cores, pieces, _divide_tile, (s, width, height, symbolic, values, signs, blas, tall))
    return n


def factorise(symbolic, indptr, indices, data, values, signs, blas):
    """Write the panels of the factor into `values`; return the first column that has no pivot, or how many columns there are.

    `signs` is empty, then pivots are greater than 0, or gets their signs. `blas`: the addresses of `gemm`, `trsm` and `potrf`.
    """
    tall, panel = TUNING.cholesky_rows, int(np.diff(symbolic.starts).max(initial=0))
    cores = cores_for(_factorise)
    matrix, scaled = (indptr, indices, data, invert(symbolic.perm)), panel * panel if signs.size else 0
    scratch = np.empty((cores, symbolic.perm.size), np.int32), np.empty((cores, tall * panel), values.dtype)
    scratch += (np.empty((cores, scaled), values.dtype),)
    return _factorise(cores, tuple(symbolic), matrix, values, signs, scratch, blas, tall)


@compile_kernel(error_model="numpy")
def _solve(starts, offsets, rows, places, values, signs, x, room, blas):
    """Solve with the panels of the factor, forwards and backwards, in place of `x`."""
    width, one, zero = x.shape[1], values.dtype.type(1), values.dtype.type(0)
    flat = x.reshape(-1)
    for s in range(starts.size - 1):
        inner, count, here = starts[s + 1] - starts[s], offsets[s + 1] - offsets[s], flat[starts[s] * width :]
        _substitute(blas[1], RIGHT, PLAIN, width, inner, one, values[places[s] :], inner, here, width)
        count -= inner
        if count:
            below = values[places[s] + inner * inner :]
            _multiply(blas[0], PLAIN, PLAIN, width, count, inner, one, here, width, below, inner, zero, room, width)
            for e in range(count):
                target = rows[offsets[s] + inner + e]
                for c in range(width):
                    x[target, c] -= room[e * width + c]
    for i in range(signs.size):
        for c in range(width):
            x[i, c] *= signs[i]
    for k in range(starts.size - 1):
        s = starts.size - 2 - k
        inner, count, here = starts[s + 1] - starts[s], offsets[s + 1] - offsets[s], flat[starts[s] * width :]
        count -= inner
        if count:
            for e in range(count):
                source = rows[offsets[s] + inner + e]
                for c in range(width):
                    room[e * width + c] = x[source, c]
            below = values[places[s] + inner * inner :]
            _multiply(blas[0], PLAIN, CONJUGATED, width, inner, count, -one, room, width, below, inner, one, here, width)
        _substitute(blas[1], RIGHT, CONJUGATED, width, inner, one, values[places[s] :], inner, here, width)


def substitute_supernodes(symbolic, values, signs, x, blas):
    """Solve with the factor in place of `x`, of two axes, contiguous, of the dtype of the factor and in its order of rows."""
    panels = symbolic.starts, symbolic.offsets, symbolic.rows, symbolic.places
    tallest = (np.diff(symbolic.offsets) - np.diff(symbolic.starts)).max(initial=0)
    _solve(*panels, values, signs, x, np.empty(tallest * x.shape[1], x.dtype), blas)
