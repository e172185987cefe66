"""`factorise_fronts`: the numbers of a sparse QR factor.

Design: multifrontal. A front is a dense matrix of rows of A and of rows that its children hand on, sorted by first columns, so
that the columns of a panel need only the rows down to a stair. Its own columns are factorised, which gives rows of R; then the
others, whose rows are handed on. LAPACK does the arithmetic, called by address on one core: subtrees of fronts are the tiles of
a job; in fronts above them, the columns behind a panel are. (`gemqrt` only reads the reflectors; `ormqr` writes into them for a
moment, which other cores would see.) Fronts stay in memory as LAPACK leaves them, with R and the Householder vectors, and
nothing is packed. Of a panel, columns that add less than a tolerance to those before are put last, and no row is used up for
them, which is Heath's method.
Source: Davis, *Algorithm 915, SuiteSparseQR*, ACM TOMS 38, 2011.
"""

import numpy as np

from spark_csr._cpu.fronts import BLOCK, COLUMN, PANEL, PATTERN, PLACE, gather_rows
from spark_csr._cpu.symbolic import invert
from spark_csr._engine import compile_kernel, cores_for, for_tiles_by_core, njit
from spark_csr._engine.numba.intrinsics.foreign import call_by_reference

ADJOINT, TRANSPOSED, PLAIN, LEFT = (np.uint8(ord(letter)) for letter in "CTNL")


def adjoint_of(dtype):
    """Return the letter by which LAPACK multiplies with the adjoint of Q."""
    return ADJOINT if dtype.kind == "c" else TRANSPOSED


def plain(fronts):
    """Return `Fronts` as kernels take them: the table, rows, children, places of triangles and the columns of a panel."""
    return fronts[1:]


@njit
def _triangulate(geqrt, rows, columns, a, height, blocks, work):
    """Factorise a dense matrix: R and Householder vectors in its place, and the triangles of blocks of reflectors."""
    block = np.int32(min(rows, columns, BLOCK))
    if block:
        sizes = np.int32(rows), np.int32(columns), block
        call_by_reference(geqrt, (*sizes, a, np.int32(height), blocks, block, work, np.int32(0)))


@njit
def reflect(gemqrt, taken, rows, columns, count, vectors, height, blocks, c, ld, work):
    """Multiply a dense matrix by the `count` reflectors of a panel, or by their adjoint, from the left, in its place."""
    block = np.int32(min(count, BLOCK))
    if rows and columns and count:
        sizes = np.int32(rows), np.int32(columns), np.int32(count), block
        given = vectors, np.int32(height), blocks, block, c, np.int32(ld), work, np.int32(0)
        call_by_reference(gemqrt, (LEFT, taken, *sizes, *given))


@njit
def _copy(source, target, count):
    for i in range(count):  # a copy of slices would raise an exception that only Numba can make
        target[i] = source[i]


@njit
def _swap(one, other, count):
    for i in range(count):
        one[i], other[i] = other[i], one[i]


@njit(error_model="numpy")
def _factorise_panel(row, rows, low, width, height, front, blocks, columns, tolerance, taken, lapack, spare, work):
    """Factorise a panel of a front, columns within the tolerance put last; return how many are before these."""
    corner, end = front[low * height + row :], width
    for c in range(width):
        _copy(corner[c * height :], spare[c * rows :], rows)
    while True:
        _triangulate(lapack[2], rows, end, corner, height, blocks, work)
        bad, rank = 0, min(rows, end)
        while bad < rank and abs(corner[bad * (height + 1)]) > tolerance:
            bad += 1
        if bad == rank:
            reflect(lapack[3], taken, rows, width - end, rank, corner, height, blocks, corner[end * height :], height, work)
            return rank
        end -= 1
        columns[bad], columns[end] = columns[end], columns[bad]
        _swap(front[(low + bad) * height :], front[(low + end) * height :], row)
        _swap(spare[bad * rows :], spare[end * rows :], rows)
        for c in range(width):
            _copy(spare[c * rows :], corner[c * height :], rows)


@njit(error_model="numpy")
def _range_of(q, s, fronts):
    """Return the columns of panel q of a front: panels have either own or other columns."""
    table, _, _, _, panel = fronts
    own, wide = table[s + 1, COLUMN] - table[s, COLUMN], table[s + 1, PATTERN] - table[s, PATTERN]
    before = (own + panel - 1) // panel
    if q < before:
        return q * panel, min((q + 1) * panel, own)
    low = own + (q - before) * panel
    return low, min(low + panel, wide)


@njit(error_model="numpy")
def _do_panel(core, q, s, fronts, numbers, tolerance, taken, lapack, scratch):
    """Factorise panel q of a front, and note its first row and column, its reflectors and its rows."""
    values, blocks, columns, _, counts, panels = numbers
    table, _, _, block_places, _ = fronts
    p, (low, high) = table[s, PANEL] + q, _range_of(q, s, fronts)
    row, is_own = counts[2, s], low < table[s + 1, COLUMN] - table[s, COLUMN]
    rows = scratch[3][core, high - 1] - row
    front, order = values[table[s, PLACE] :], columns[table[s, PATTERN] + low :]
    at = row, rows, low, high - low, counts[0, s], front, blocks[block_places[p] :], order
    given = tolerance if is_own else -1.0, taken, lapack, scratch[1][core], scratch[2][core]
    rank = _factorise_panel(*at, *given)
    panels[0, p], panels[1, p], panels[2, p], panels[3, p] = row, low, rank, rows
    counts[2, s] += rank
    counts[1, s] += rank * is_own


@njit(error_model="numpy")
def _update(core, tile, q, s, breadth, fronts, numbers, taken, lapack, scratch):
    """Multiply columns behind panel q of a front by its reflectors."""
    values, blocks, _, _, counts, panels = numbers
    table, _, _, block_places, _ = fronts
    p, height = table[s, PANEL] + q, counts[0, s]
    row, low, rank, rows = panels[0, p], panels[1, p], panels[2, p], panels[3, p]
    front, start = values[table[s, PLACE] + row :], _range_of(q, s, fronts)[1] + np.int64(tile) * breadth
    columns = min(breadth, table[s + 1, PATTERN] - table[s, PATTERN] - start)
    given = front[low * height :], height, blocks[block_places[p] :], front[start * height :], height, scratch[2][core]
    reflect(lapack[3], taken, rows, columns, rank, *given)


@njit(error_model="numpy")
def _factorise_tile(core, tile, tiles, fronts, matrix, numbers, tolerance, taken, lapack, scratch):
    table = fronts[0]
    for s in range(tiles[tile, 0], tiles[tile, 1]):
        gather_rows(core, s, fronts, matrix, numbers, scratch)
        wide = table[s + 1, PATTERN] - table[s, PATTERN]
        for q in range(table[s + 1, PANEL] - table[s, PANEL]):
            _do_panel(core, q, s, fronts, numbers, tolerance, taken, lapack, scratch)
            _update(core, np.uint64(0), q, s, wide, fronts, numbers, taken, lapack, scratch)


@compile_kernel(error_model="numpy")
def _factorise(cores, tiles, top, fronts, matrix, numbers, tolerance, taken, lapack, scratch):
    table, _, _, _, panel = fronts
    given = tiles, fronts, matrix, numbers, tolerance, taken, lapack, scratch
    for_tiles_by_core(cores, tiles.shape[0], _factorise_tile, given)
    first_core = np.uint64(0)  # as tiles are given it: for another type the functions would be compiled again
    for i in range(top.size):
        s = top[i]
        gather_rows(first_core, s, fronts, matrix, numbers, scratch)
        for q in range(table[s + 1, PANEL] - table[s, PANEL]):
            _do_panel(first_core, q, s, fronts, numbers, tolerance, taken, lapack, scratch)
            behind = table[s + 1, PATTERN] - table[s, PATTERN] - _range_of(q, s, fronts)[1]
            given = q, s, panel, fronts, numbers, taken, lapack, scratch
            for_tiles_by_core(cores, (behind + panel - 1) // panel, _update, given)


def factorise_fronts(fronts, indptr, indices, data, tolerance, lapack, numbers):
    """Write the numbers of a factor: fronts, triangles of reflectors, columns and rows of fronts; of each front how many rows
    it has, how many of them are rows of R, and how many with those handed on; of each panel what `_do_panel` notes.

    `lapack`: the addresses of `gemm`, `trsm`, `geqrt` and `gemqrt`.
    """
    cores, symbolic, tall = cores_for(_factorise), fronts.symbolic, np.diff(fronts.slot_places)
    tallest, widest, dtype = tall.max(initial=0), np.diff(symbolic.offsets).max(initial=0), data.dtype
    sizes = (symbolic.perm.size, np.int32), (tallest * fronts.panel, dtype), (widest * BLOCK, dtype)
    scratch = tuple(np.empty((cores, size), kind) for size, kind in (*sizes, (widest + 1, np.int64), (widest, np.int64)))
    matrix = indptr, indices, data, invert(symbolic.perm)
    given = plain(fronts), matrix, numbers, tolerance, adjoint_of(dtype), lapack, scratch
    _factorise(cores, symbolic.tiles, symbolic.top, *given)
