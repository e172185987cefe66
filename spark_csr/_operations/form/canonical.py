"""Canonical form: in every row columns ascend and none appears twice."""

import numpy as np

from spark_csr._array import by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._config import config
from spark_csr._engine import njit
from spark_csr._operations.form.assemble import assemble
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.facts import (
    does_not_ascend,
    flag_entries,
    has_canonical_columns,
    has_sorted_columns,
    note_facts,
)
from spark_csr._operations.form.keep import make_test, select_passing
from spark_csr._operations.form.record import Csr
from spark_csr.primitives.compact import compact
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.scan import inclusive_scan
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.segmented import segmented_reduce
from spark_csr.primitives.segmented_sort import sort_segments
from spark_csr.primitives.sort import gather

SHORT = 32
"""Entries of an average row up to which rows are sorted one by one: at 16 they gain a tenth by it, at 160 they lose two thirds
(two cores of an EPYC, 2026-11)."""

LONG = 1024
"""Entries of one position that one core, or one thread of a GPU, still adds in their order. Not tuned."""

IS_FALSE = make_test(254, shift=255, width=255)
"""The test of `select_passing` for a bool that is false: one less than 0 is 255."""


def has_duplicates(csr):
    """Return whether a position has several entries. Cost: as `has_sorted_columns`; for unsorted rows a sort."""
    if csr.plan(has_canonical_columns) or csr.plan(has_sorted_columns):
        return not csr.plan(has_canonical_columns)
    in_order = csr.plans.get(_entries_in_order) or Csr(csr.indptr, sort_columns(csr)[0], None, csr.shape)
    return not in_order.plan(has_canonical_columns)


def with_facts(csr, is_sorted=None, is_canonical=None):
    """Return the record of the same arrays of which these facts are believed, True or False; None leaves a fact as it is.

    The record is another one: matrices that share the arrays, such as the transpose, keep their own facts.
    """
    facts = {has_sorted_columns: is_sorted, has_canonical_columns: is_canonical}
    believed = {fact: value for fact, value in facts.items() if value is not None}
    return Csr(csr.indptr, csr.share().indices, csr.data, csr.shape, {**csr.plans, **believed})


def sort_columns(csr):
    """Return the columns with every row sorted, stably, and the entry that each comes from: None if they are sorted already."""
    if csr.plan(has_sorted_columns):
        return csr.indices, None
    indices, order = sort_segments(csr.indices, csr.indptr, 0, csr.indices.size, False, True)
    return indices, order


def sort_indices(csr):
    """Return the entries of every row sorted by column (stable); `csr` itself if they are sorted already."""
    if csr.plan(has_sorted_columns):
        return csr
    if csr.indices.size > SHORT * csr.shape[0]:
        return assemble(segment_ids(csr.indptr), csr.indices, csr.data, csr.shape)
    indices, order = sort_columns(csr)
    return note_facts(Csr.new(csr.indptr, indices, gather(csr.data, order), csr.shape), has_sorted_columns)


def sum_duplicates(csr, spend=False):
    """Return the entries of every row by column, those of one position summed in their order; `csr` itself if it is canonical.

    Sums are in the dtype of the data (bool: any; float16: rounded once). If a position has more than `LONG` entries, sums are
    those of `segmented_reduce`, whose order is fixed, too. `spend`: see `select_passing`. Cost: a sort of the rows if they are
    not sorted, the compaction of `select_entries`, and for entries that share their position a pass over flags, a host
    read and their sum.
    """
    if csr.plans.get(has_canonical_columns):
        return csr
    in_order = sort_indices(csr)
    if in_order.plans.get(has_canonical_columns):
        return in_order
    repeats = flag_entries(in_order, does_not_ascend)
    if not to_host_scalar(repeats.any()):
        return note_facts(in_order, has_canonical_columns)
    sums, *places = _sum_runs(in_order.data, repeats)
    out = select_passing(in_order, repeats, IS_FALSE, spend or in_order is not csr)
    for_each(sums.size, _store_sum, by_width(sums), *places, by_width(out.data))
    return note_facts(out, has_sorted_columns, has_canonical_columns)


def without_duplicates(csr):
    """Return the record itself if no position has several entries, in any order, else the result of `sum_duplicates`.

    It is for functions of single entries. Cost: that of `has_duplicates` the first time.
    """
    return sum_duplicates(csr) if csr.plan(has_duplicates) else csr


def canonical(csr):
    """Do as `sum_duplicates`, for operations that only read: the order of the entries is found once, and kept as a plan.

    Cost: the first time a sort of the rows if they are not sorted, with 8 to 16 bytes for each entry that are kept with the
    pattern; then a pass over the data. Entries of one position are summed at every call.
    """
    if csr.plan(has_canonical_columns):
        return csr
    if not csr.plan(has_sorted_columns):
        in_order = csr.plan(_entries_in_order)
        csr = in_order.with_data(gather(csr.data, in_order.data))
    return csr if csr.plan(has_canonical_columns) else sum_duplicates(csr)


def _entries_in_order(csr):
    """Return a record with the columns of every row sorted, whose data are the positions of the entries. A plan."""
    positions = csr.xp.arange(csr.indices.size, dtype=index_dtype(csr.indices.size))
    return sort_indices(Csr(csr.indptr, csr.indices, positions, csr.shape, {has_sorted_columns: False}))


def sum_duplicates_wide(csr, dtype):
    """Return the record itself if no position has several entries, in any order, else one where they are summed in `dtype`.

    Cost: that of `has_duplicates` the first time; with duplicates, that of `sum_duplicates` of a copy.
    """
    return sum_duplicates(csr.as_dtype(dtype)) if csr.plan(has_duplicates) else csr


def sum_before_cast(csr, dtype):
    """Return the record whose values may be cast to `dtype`: entries of one position are summed first, in their own dtype, as
    `to_dense` sums them. It is `csr` itself if no position repeats, if the dtype stays, or if floats stay floats: there only
    rounding differs. Cost: the first time, a pass over the indices."""
    old = csr.data.dtype
    if old == dtype or (old.kind in "fc" and dtype.kind in "fc"):
        return csr
    return sum_duplicates(csr.by_rows()) if csr.plan(has_duplicates) else csr


@njit
def _note_opening(i, places, opens):
    """Repeats of one position lie side by side; the first of them opens a run."""
    opens[i] = i == 0 or places[i - 1] + 1 != places[i]


@njit
def _list_run(i, places, opens, runs, members):
    """Repeats behind the entry that they repeat; `runs` counts the runs up to this one."""
    here = np.uint64(i)
    to = here + np.uint64(runs[here])
    members[to] = places[here]
    if opens[here]:
        members[to - 1] = places[here] - 1


@njit
def _store_sum(run, sums, members, starts, first_repeats, out):
    """Store the sum of a run where its first entry went: the repeats before it are gone."""
    out[members[starts[run]] - first_repeats[run]] = sums[run]


@njit
def _add_in_order(run, values, starts, sums):
    """Add the values of a run, from the first to the last."""
    start = np.uint64(starts[run])
    total = values[start]
    for k in range(start + 1, np.uint64(starts[np.uint64(run) + 1])):
        total += values[k]
    sums[run] = total


def _sum_runs(data, repeats):
    """Return the sums of runs of several entries, and which runs these are: a run continues where `repeats` is true."""
    xp = namespace_of(data)
    places = compact(repeats, repeats, return_index=True)[1]
    opens = xp.empty(places.size, bool)
    for_each(places.size, _note_opening, places, opens)
    first_repeats = compact(opens, opens, return_index=True)[1]
    members = xp.empty(places.size + first_repeats.size, index_dtype(data.size))
    for_each(places.size, _list_run, places, opens, inclusive_scan(opens), members)
    starts = xp.empty(first_repeats.size + 1, index_dtype(members.size))
    starts[:-1] = first_repeats + xp.arange(first_repeats.size, dtype=first_repeats.dtype)
    starts[-1] = members.size
    values = gather(data, members)
    if data.dtype.kind in "fc" and to_host_scalar((starts[1:] - starts[:-1]).max()) <= LONG:
        values = values.astype(computed_dtype(data.dtype), copy=False)
        sums = xp.empty(first_repeats.size, values.dtype)
        for_each(sums.size, _add_in_order, values, starts, sums)
    else:
        with config(validate=False):
            sums = segmented_reduce(values, starts, "any" if data.dtype == bool else "sum")
    return sums.astype(data.dtype, copy=False), members, starts, first_repeats
