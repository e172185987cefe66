"""`apply_reflectors` and `substitute_fronts`: products with the Q of a QR factor, and systems with its R.

Design: fronts one after the other, for all right sides together. What a front needs of a vector is copied to one place first.
"""

import numpy as np

from spark_csr._cpu.fronts import BLOCK, COLUMN, PANEL, PATTERN, PLACE, SLOT
from spark_csr._cpu.multifrontal import ADJOINT, LEFT, PLAIN, adjoint_of, plain, reflect
from spark_csr._engine import compile_kernel, njit
from spark_csr._engine.numba.intrinsics.foreign import call_by_reference

UPPER, NON_UNIT = np.uint8(ord("U")), np.uint8(ord("N"))


@compile_kernel(error_model="numpy")
def _apply(fronts, numbers, y, letter, forwards, room, work, lapack):
    values, blocks, _, slots, counts, panels = numbers
    table, _, _, block_places, _ = fronts
    count, last = y.shape[1], table.shape[0] - 2
    for k in range(last + 1):
        s = k if forwards else last - k
        height, begin = counts[0, s], table[s, PANEL]
        here, size = slots[table[s, SLOT] :], table[s + 1, PANEL] - begin
        for i in range(height):
            for c in range(count):
                room[c * height + i] = y[here[i], c]
        for q in range(size):
            p = begin + q if forwards else begin + size - 1 - q
            row, low, rank, rows = panels[0, p], panels[1, p], panels[2, p], panels[3, p]
            given = values[table[s, PLACE] + low * height + row :], height, blocks[block_places[p] :], room[row:], height, work
            reflect(lapack[3], letter, rows, count, rank, *given)
        for i in range(height):
            for c in range(count):
                y[here[i], c] = room[c * height + i]


def apply_reflectors(fronts, numbers, y, adjoint, lapack):
    """Multiply `y`, of two axes, by Q or its adjoint in place; its rows have the numbers of the rows of the matrix."""
    count = y.shape[1]
    room, work = (np.empty(size * count, y.dtype) for size in (np.diff(fronts.slot_places).max(initial=0), BLOCK))
    _apply(plain(fronts), numbers, y, adjoint_of(y.dtype) if adjoint else PLAIN, adjoint, room, work, lapack)


@njit(error_model="numpy")
def _copy(source, rows, room, count):
    for c in range(count):
        for i in range(rows.size):
            room[c * rows.size + i] = source[rows[i], c]


@njit(error_model="numpy")
def _copy_back(room, rows, target, count):
    for c in range(count):
        for i in range(rows.size):
            target[rows[i], c] = room[c * rows.size + i]


@compile_kernel(error_model="numpy")
def _substitute(fronts, numbers, x, y, adjoint, room, lapack):
    values, _, columns, slots, counts, panels = numbers
    table, _, _, _, panel = fronts
    count, one, last = x.shape[1], values.dtype.type(1), table.shape[0] - 2
    letter = ADJOINT if adjoint else PLAIN
    for k in range(last + 1):
        s = k if adjoint else last - k
        height, size = counts[0, s], (table[s + 1, COLUMN] - table[s, COLUMN] + panel - 1) // panel
        for q in range(size):
            p = table[s, PANEL] + (q if adjoint else size - 1 - q)
            row, low, rank = panels[0, p], panels[1, p], panels[2, p]
            if rank == 0:
                continue
            first, slot = table[s, PATTERN] + low, table[s, SLOT] + row
            own, others = columns[first : first + rank], columns[first + rank : table[s + 1, PATTERN]]
            here, more = slots[slot : slot + rank], np.int32(others.size)
            triangle, ends = values[table[s, PLACE] + low * height + row :], room[rank * count :]
            beside, sizes = triangle[rank * height :], (np.int32(rank), np.int32(count))
            solved = one, triangle, np.int32(height), room, np.int32(rank)
            _copy(x, others, ends, count)
            if adjoint:
                _copy(x, own, room, count)
                call_by_reference(lapack[1], (LEFT, UPPER, letter, NON_UNIT, *sizes, *solved))
                if more:
                    given = -one, beside, np.int32(height), room, np.int32(rank), one, ends, more
                    call_by_reference(lapack[0], (letter, PLAIN, more, np.int32(count), np.int32(rank), *given))
                _copy_back(ends, others, x, count)
                _copy_back(room, here, y, count)
            else:
                _copy(y, here, room, count)
                if more:
                    given = -one, beside, np.int32(height), ends, more, one, room, np.int32(rank)
                    call_by_reference(lapack[0], (PLAIN, PLAIN, *sizes, more, *given))
                call_by_reference(lapack[1], (LEFT, UPPER, letter, NON_UNIT, *sizes, *solved))
                _copy_back(room, own, x, count)


def substitute_fronts(fronts, numbers, x, y, adjoint, lapack):
    """Solve `R x = y`, or `R.conj().T y = x`, which spends `x`: rows of `x` are in the order of elimination, those of `y` as in
    `apply_reflectors`.
    """
    room = np.empty(np.diff(fronts.symbolic.offsets).max(initial=0) * x.shape[1], x.dtype)
    _substitute(plain(fronts), numbers, x, y, adjoint, room, lapack)
