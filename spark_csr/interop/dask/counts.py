"""Sums over files or chunks that workers read: of anything, and of entries in ranges of rows, which cut blocks."""

from __future__ import annotations

import itertools
import operator
import uuid
from functools import partial

import numpy as np

from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import compute, make_layer

BINS = 4096
"""Ranges of rows whose entries are counted to cut blocks; 64 for each block if that is more. Not tuned."""


def cut_by_entries(reader, sources, dependencies, rows, blocks):
    """Return the numbers of rows of blocks for which entries plus rows are about equally many."""
    if blocks < 1:
        raise ValueError(f"blocks must be 1 or more, got {blocks}")
    bins = min(max(rows, 1), max(BINS, 64 * blocks))
    cuts = np.linspace(0, rows, bins + 1).astype(np.int64)
    counts = add_up(partial(_count, reader, cuts), [source if reader else source[:1] for source in sources], dependencies)
    work = np.concatenate([[0], np.cumsum((0 if counts is None else counts) + np.diff(cuts))])
    ends = cuts[np.searchsorted(work, work[-1] * np.arange(1, blocks) / blocks)]
    return tuple(np.diff(np.concatenate([[0], ends, [rows]])).tolist())


def _count(reader, cuts, *source):
    """Return how many entries have their row in each range."""
    rows = np.asarray(tasks.made(source[0]) if reader is None else reader(*source)[0])
    return np.histogram(rows, cuts)[0] if rows.size else np.zeros(cuts.size - 1, np.int64)


def add_up(function, sources, dependencies=(), add=operator.add):
    """Return the sum of what a function returns for all sources, eight at a time on the workers; None without sources."""
    layer = f"sum-{uuid.uuid4().hex}"
    made = {(layer, 0, k): (function, *source) for k, source in enumerate(sources)}
    last = list(made)
    for level in itertools.count(1):
        if len(last) < 2:
            break
        groups = [last[k : k + 8] for k in range(0, len(last), 8)]
        last = [(layer, level, k) for k in range(len(groups))]
        made.update({key: (partial(_add, add), group) for key, group in zip(last, groups, strict=True)})
    if not last:
        return None
    sums = make_layer(layer, made, dependencies)
    sums.keys = last
    return compute(sums)[0][0]


def _add(add, parts):
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part)
    return total
