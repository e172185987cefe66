"""
Positions of ragged arrays
==========================

Go from the flat position k to (i, j) for every element at once, at any depth, and map a function of value and position.

Run it with ``python examples/06_ragged_traversal.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/lists.svg"

import numpy as np

from spark_csr import Ragged
from spark_csr.primitives import load_balance_search, right_flood, segment_ids


def show(name, array):
    print(f"{name:<46}{array}")


def main():
    offsets = np.array([0, 3, 4, 6])
    R = Ragged(np.array([6, 5, 5, 2, 9, 9]), offsets)
    show("two-dimensional", R)

    # Which row does element k belong to? Write the rows' numbers where they begin, and let them flow to the right.
    marks, heads = np.array([0, 0, 0, 1, 2, 0]), np.array([1, 0, 0, 1, 1, 0], bool)
    show("rows where they begin, flooded", right_flood(marks, heads))
    # Or search the offsets, for the row and the rank in it: this is what coordinates() does.
    i, j = load_balance_search(offsets)
    show("i, the row of every element", i)
    show("j, its rank in the row", j)
    assert all(np.array_equal(x, y) for x, y in zip(R.coordinates(), (i, j), strict=True))

    # A function of value and position becomes one kernel. Its tiles have equal numbers of values, however long the rows are.
    distances = R.map(lambda value, i, j: abs(i - j))
    show("C[i][j] = |i - j|", distances)
    assert distances.to_lists() == [[0, 1, 2], [1], [2, 1]]

    # Rows 1 and 2 both start at position 2. A running sum over the numbers of the rows that start would add 1 and 2 there, and
    # give row 3 to the last two elements. They belong to row 2, as a search in the offsets finds.
    show("empty rows in the middle: [0, 2, 2, 4]", segment_ids(np.array([0, 2, 2, 4])))

    # Three-dimensional: the same question once for each level.
    R = Ragged.from_lists([[[1, 2, 3], [4, 5]], [[6, 7, 8, 9], [10], [11, 12], [13, 14, 15]]])
    outer, inner = R.offsets
    i, j, k = R.coordinates()
    show("three-dimensional", R)
    show("i", i)
    show("j", j)
    show("k", k)
    show("where each i begins", inner[outer])
    assert np.array_equal(R.values[inner[outer[i] + j] + k], R.values)
    print("every element was found again")


# %%
# Run the program:

if __name__ == "__main__":
    main()
