"""Ragged arrays: from the flat position k to (i, j) for every element at once, at any depth, and a kernel over them.

python examples/06_ragged_traversal.py
"""

import itertools

import numba
import numpy as np

from spark_csr.primitives import for_each, load_balance_search, local_index, segment_ids


def show(name, array):
    print(f"{name:<46}{array}")


def nested(values, *offsets):
    """Lists of lists again."""
    for ends in reversed(offsets):
        values = [list(values[a:b]) for a, b in itertools.pairwise(ends)]
    return values


@numba.njit
def distance(k, i, j, out):
    """C[i][j] = |i - j|, one element a call."""
    out[k] = abs(i[k] - j[k])


def main():
    offsets, values = np.array([0, 3, 4, 6]), np.array([6, 5, 5, 2, 9, 9])
    show("two-dimensional", nested(values.tolist(), offsets))
    i, j = load_balance_search(offsets)
    show("i, the row of every element", i)
    show("j, its rank in the row", j)
    out = np.empty(6, np.int64)
    for_each(6, distance, i, j, out)
    show("C[i][j] = |i - j|", nested(out.tolist(), offsets))
    assert out.tolist() == [0, 1, 2, 1, 2, 1]

    # Rows without elements: adding up marks at the starts of rows would give 0 0 3 3. A search does not.
    show("empty rows in the middle: [0, 2, 2, 4]", segment_ids(np.array([0, 2, 2, 4])))

    # Three-dimensional: the same question once for each level.
    outer, inner = np.array([0, 2, 6]), np.array([0, 3, 5, 9, 10, 12, 15])
    values = np.arange(1, 16)
    show("three-dimensional", nested(values.tolist(), outer, inner))
    row = segment_ids(inner)
    i, j, k = segment_ids(outer)[row], local_index(outer)[row], local_index(inner)
    show("i", i)
    show("j", j)
    show("k", k)
    show("where each i begins", inner[outer])
    assert np.array_equal(values[inner[outer[i] + j] + k], values)
    print("every element was found again")


if __name__ == "__main__":
    main()
