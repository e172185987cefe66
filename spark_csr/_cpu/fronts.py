"""`analyse_fronts`: the pattern of the factor R of a matrix of any shape, in fronts; and how fronts are filled with rows.

Design: R has the pattern of a Cholesky factor of `A.conj().T @ A`, in which every row of A is a clique of columns. The first
column of a clique, once eliminated, joins all others, so that a star around it gives the same factor: `analyse` reads as many
entries as A has, however long its rows are. A supernode is a front: it takes the rows of A that begin with a column of it.
Rows of A stay where they are in vectors: fronts note the numbers of their rows, of A or handed on, in `slots`.
Source: Davis, *Direct Methods for Sparse Linear Systems*, 2006, chapter 5.
"""

from typing import Any, NamedTuple

import numpy as np

from spark_csr._cpu.symbolic import Symbolic, analyse, invert, offsets_of
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, njit

BLOCK = 16
"""Reflectors that LAPACK applies at a time; each costs the memory of so many numbers. With 32 a mesh of 300 x 300 points took a
third longer, and a dense matrix a seventh less (EPYC 7003, 2026-11)."""


COLUMN, PATTERN, ROW, CHILD, SLOT, PLACE, PANEL = range(7)
"""Columns of the table of fronts: where what a front has begins, and where it ends in the next row of the table."""


class Fronts(NamedTuple):
    """What `factorise_fronts` needs of a pattern. Front s has the columns of supernode s, its own first."""

    symbolic: Symbolic
    table: Any
    """Row s says where things of front s begin: its own columns; its columns in `symbolic.rows`; its rows of A in `rows`; the
    fronts that hand rows on to it in `children`; the places where the numbers of its rows are noted; its values, column by
    column; its panels in `block_places`. Front s is factorised in panels, first its own columns, then the others."""
    rows: Any
    children: Any
    block_places: Any
    """The triangles of the reflectors of panel p begin at this place."""
    panel: int
    """The columns of a panel at most."""

    @property
    def slot_places(self) -> np.ndarray:
        return self.table[:, SLOT]

    @property
    def places(self) -> np.ndarray:
        return self.table[:, PLACE]

    @property
    def panel_offsets(self) -> np.ndarray:
        return self.table[:, PANEL]


@compile_kernel
def _bound_rows(above, passed, tall):
    """Add to the rows of every front those that others hand on to it: a row for each further column at most."""
    for s in range(above.size):
        if above[s] >= 0:
            tall[above[s]] += min(tall[s], passed[s])


def analyse_fronts(indptr, indices, column_indptr, column_rows, perm):
    """Return the `Fronts` of a pattern, of which the transpose is given too, with columns in the order of `perm` up to
    postorder.
    """
    order, lengths = invert(perm), np.diff(indptr)
    filled = np.flatnonzero(lengths)
    first = np.zeros(lengths.size, np.int64)
    if filled.size:
        first[filled] = perm[np.minimum.reduceat(order[indices], indptr[filled])]
    symbolic, panel = analyse(column_indptr, first[column_rows], perm, max(perm.size, 1)), TUNING.qr_panel
    starts, offsets, columns = symbolic.starts, symbolic.offsets, symbolic.rows
    widths, fronts = np.diff(starts), starts.size - 1
    owner = np.repeat(np.arange(fronts), widths)
    taker = owner[invert(symbolic.perm)[first[filled]]]
    tall = np.bincount(taker, minlength=fronts)
    row_offsets, rows = offsets_of(tall), filled[np.argsort(taker, kind="stable")]
    passed = np.diff(offsets) - widths
    above = np.full(fronts, -1)
    above[passed > 0] = owner[columns[(offsets[:-1] + widths)[passed > 0]]]
    children = np.argsort(above, kind="stable")[np.count_nonzero(above < 0) :]
    child_offsets = offsets_of(np.bincount(above[children], minlength=fronts))
    _bound_rows(above, passed, tall)
    wholes, rests = np.divmod(np.stack([widths, passed], axis=1), panel)
    panels = wholes + (rests > 0)
    panel_offsets = offsets_of(panels.sum(axis=1))
    sizes = np.full(panel_offsets[-1], panel)
    last = panel_offsets[:-1, None] + np.cumsum(panels, axis=1) - 1
    sizes[last[rests > 0]] = rests[rests > 0]
    blocks, places = offsets_of(sizes * np.minimum(sizes, BLOCK)), offsets_of(tall * np.diff(offsets))
    table = np.stack([starts, offsets, row_offsets, child_offsets, offsets_of(tall), places, panel_offsets], axis=1)
    return Fronts(symbolic, table, rows, children, blocks, panel)


@njit(error_model="numpy")
def _find_lead(row, matrix, positions):
    """Return the first column of a front in which a row of the matrix has an entry."""
    indptr, indices, _, inverse = matrix
    lead = positions[inverse[indices[indptr[row]]]]
    for p in range(indptr[row], indptr[row + 1]):
        lead = min(lead, positions[inverse[indices[p]]])
    return lead


@njit(error_model="numpy")
def gather_rows(core, s, fronts, matrix, numbers, scratch):
    """Fill a front with its rows, sorted by their first columns, and note how many begin up to each column."""
    values, _, columns, slots, counts, _ = numbers
    positions, stair, targets = scratch[0][core], scratch[3][core], scratch[4][core]
    table, rows, children, _, _ = fronts
    indptr, indices, data, inverse = matrix
    wide, begin, slot = table[s + 1, PATTERN] - table[s, PATTERN], table[s, PLACE], table[s, SLOT]
    stair[: wide + 1] = 0
    for c in range(wide):
        positions[columns[table[s, PATTERN] + c]] = c
    for k in range(table[s, ROW], table[s + 1, ROW]):
        stair[_find_lead(rows[k], matrix, positions) + 1] += 1
    for k in range(table[s, CHILD], table[s + 1, CHILD]):
        child = children[k]
        first = table[child, PATTERN] + table[child + 1, COLUMN] - table[child, COLUMN]
        for i in range(counts[2, child] - counts[1, child]):
            stair[positions[columns[first + i]] + 1] += 1
    for c in range(wide):
        stair[c + 1] += stair[c]
    height = stair[wide]
    values[begin : begin + height * wide] = 0
    for k in range(table[s, ROW], table[s + 1, ROW]):
        lead = _find_lead(rows[k], matrix, positions)
        slots[slot + stair[lead]] = rows[k]
        for p in range(indptr[rows[k]], indptr[rows[k] + 1]):
            values[begin + positions[inverse[indices[p]]] * height + stair[lead]] = data[p]
        stair[lead] += 1
    for k in range(table[s, CHILD], table[s + 1, CHILD]):
        child = children[k]
        own, tall, above = table[child + 1, COLUMN] - table[child, COLUMN], counts[0, child], counts[1, child]
        first, passed = table[child, PATTERN] + own, counts[2, child] - above
        for i in range(passed):
            lead = positions[columns[first + i]]
            targets[i] = stair[lead]
            slots[slot + stair[lead]] = slots[table[child, SLOT] + above + i]
            stair[lead] += 1
        for c in range(table[child + 1, PATTERN] - first):
            source, target = table[child, PLACE] + (own + c) * tall + above, begin + positions[columns[first + c]] * height
            for i in range(min(c + 1, passed)):
                values[target + targets[i]] = values[source + i]
    counts[0, s], counts[1, s], counts[2, s] = height, 0, 0
