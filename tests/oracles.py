"""What the right answer is, in a few lines of plain Python each."""

import functools
import itertools

import numpy as np

RINGS = {
    "plus_times": (np.add, np.multiply, 0),
    "min_plus": (np.minimum, np.add, np.inf),
    "max_plus": (np.maximum, np.add, -np.inf),
    "max_times": (np.maximum, np.multiply, -np.inf),
    "any_pair": (np.logical_or, lambda a, b: 1, 0),
    "or_and": (np.logical_or, np.logical_and, False),
}
"""add, multiply, identity."""

OPS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "any": np.logical_or, "all": np.logical_and}


def product(matrix, x, ring="plus_times", *, transposed=False):
    """`A @ x` or `A.T @ x` entry by entry, over a semiring; `x` in the dtype of the result."""
    indptr, indices, data, shape = matrix
    add, multiply, identity = RINGS[ring]
    y = np.full((shape[1 if transposed else 0], *x.shape[1:]), identity, bool if ring == "or_and" else x.dtype)
    with np.errstate(all="ignore"):
        for i in range(shape[0]):
            for p in range(indptr[i], indptr[i + 1]):
                to, source = (indices[p], i) if transposed else (i, indices[p])
                y[to] = add(y[to], multiply(data[p], x[source]))
    return y


def scan(x, add, identity, *, exclusive=False, reverse=False):
    """A loop; returns a list."""
    out, running = [], identity
    for value in reversed(x) if reverse else x:
        after = add(value, running) if reverse else add(running, value)
        out.append(running if exclusive else after)
        running = after
    return out[::-1] if reverse else out


def segmented_scan(x, offsets, add, identity, **how):
    """Every segment on its own; the identity outside of all."""
    out = [identity] * len(x)
    for start, stop in itertools.pairwise(offsets):
        out[start:stop] = scan(list(x[start:stop]), add, identity, **how)
    return out


def segmented_reduce(x, offsets, add, identity):
    """Every segment, left to right."""
    return [functools.reduce(add, x[start:stop], identity) for start, stop in itertools.pairwise(offsets)]


def flood_index(valid, offsets=None, limit=None):
    """Where each element of a right flood comes from, -1 where from nowhere."""
    heads, index, last = set() if offsets is None else set(offsets), [], -1
    for i, is_valid in enumerate(valid):
        if i in heads:
            last = -1
        last = i if is_valid else last
        index.append(-1 if limit is not None and i - last > limit else last)
    if offsets is not None:
        index = [t if offsets[0] <= i < offsets[-1] else -1 for i, t in enumerate(index)]
    return index


def sort_key(value, descending):
    """All NaN are equal and above every number."""
    return (1, 0) if value != value else (0, -value if descending else value)


def segmented_argsort(x, offsets, *, descending=False):
    """Python's stable sort of positions, NaN last; outside of all segments each its own."""
    values, index = [v.item() for v in x], list(range(len(x)))
    for start, stop in itertools.pairwise(offsets):
        index[start:stop] = sorted(index[start:stop], key=lambda i: sort_key(values[i], descending))
    return index


def segment_ids(offsets):
    return [i for i, (start, stop) in enumerate(itertools.pairwise(offsets)) for _ in range(start, stop)]
