"""What is found out about a pattern once and kept with its record: are columns sorted, does a position repeat?"""

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._engine import njit
from spark_csr.primitives.foreach import for_each


@njit
def _descends(i, indices, flags):
    flags[i + 1] = indices[i + 1] < indices[i]


@njit
def does_not_ascend(i, indices, flags):
    flags[i + 1] = indices[i + 1] <= indices[i]


@njit
def _clear_start(row, indptr, entries, flags):
    """Clear the flag of a row's first entry, which has none before it. Empty rows that share a start store the same value."""
    start = np.uint64(indptr[row])
    if start < np.uint64(entries):
        flags[start] = False


def flag_entries(csr, body):
    """Return a flag for every entry: whether `body` flags it when it compares it with the entry before it in its row."""
    entries = csr.indices.size
    flags = csr.xp.empty(entries, bool)
    if entries:
        for_each(entries - 1, body, csr.indices, flags)
        for_each(csr.shape[0], _clear_start, csr.indptr, entries, flags)
    return flags


def has_sorted_columns(csr):
    """Return whether the columns of every row ascend. Cost: one pass, a byte for each entry, one host read."""
    return not to_host_scalar(flag_entries(csr, _descends).any())


def has_canonical_columns(csr):
    """Return whether the columns of every row ascend and none appears twice. Cost: as `has_sorted_columns`."""
    return not to_host_scalar(flag_entries(csr, does_not_ascend).any())


def note_facts(csr, *facts):
    """Note facts about the pattern of a record, so that they are not looked for again; return the record."""
    csr.plans.update(dict.fromkeys(facts, True))
    return csr


def inherit_facts(csr, chosen):
    """Note what is known of the columns of a record for one that has some of its entries, in their order; return that."""
    return note_facts(chosen, *(fact for fact in (has_sorted_columns, has_canonical_columns) if csr.plans.get(fact)))
