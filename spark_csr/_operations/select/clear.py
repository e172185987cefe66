"""The entries of a canonical matrix that lie at given positions or in a block of rows and columns."""

import numpy as np

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.select.columns import select_flagged
from spark_csr._operations.select.points import find_positions
from spark_csr.primitives.foreach import for_each


@njit
def _note(i, places, found, flags):
    """Flag the entry of a position. Positions of one entry store the same value."""
    if found[i]:
        flags[places[i]] = True


def flag_entries_at(csr, rows, columns):
    """Return a flag for each entry of a canonical matrix: whether it is at one of the positions."""
    places, found = find_positions(csr, rows, columns)
    flags = csr.xp.zeros(csr.indices.size, np.bool_)
    for_each(rows.size, _note, places, found, flags)
    return flags


def drop_flagged(csr, flags):
    """Return the matrix without the entries whose flag is true: itself if there are none."""
    return select_flagged(csr, ~flags) if to_host_scalar(flags.any()) else csr


def flag_entries_in(csr, rows, columns):
    """Do as `flag_entries_at` for every position in some rows and some columns, given by int64 arrays: for blocks larger than
    the matrix.

    *Cost*: a table of the rows, and one of the columns or, where that is longer than all else, a binary search for each entry.
    """
    chosen = namespace_of(rows).zeros(csr.shape[0], np.bool_)
    chosen[rows] = True
    return chosen[csr.plan(rows_of_entries)] & _flag_among(csr.indices, columns, csr.shape[1])


def _flag_among(indices, columns, width):
    xp = namespace_of(indices)
    if width <= 8 * (indices.size + columns.size) + 1024:
        chosen = xp.zeros(width, np.bool_)
        chosen[columns] = True
        return chosen[indices]
    columns = xp.sort(columns)
    return columns[columns.searchsorted(indices).clip(max=columns.size - 1)] == indices
