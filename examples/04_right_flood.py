"""
Right flood
===========

Replace every element by the last valid one to its left (forward fill), find its position, and compute the gradient.

Run it with ``python examples/04_right_flood.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/flood.svg"

import numpy as np

from spark_csr.primitives import flood_by_reduce_deduce, left_flood, right_flood, right_flood_vjp


def show(name, array):
    print(f"{name:<46}{array}")


def main():
    x = np.array([1, 0, 0, 0, 3, 0, 2, 0, 0, 5, 2])
    show("x, where 0 is a hole", x)
    flooded, source = right_flood(x, return_index=True)
    show("right flood", flooded)
    show("the position each came from", source)
    assert np.array_equal(flooded, x[source])

    # Zero can be a value, too: then a mask says what is valid. The first two elements have no valid element to their left.
    readings = np.array([0.0, 0.0, 7.5, 0.0, 0.0, np.nan, 0.0])
    valid = np.array([False, False, True, True, False, True, False])
    show("readings", readings)
    show("which are valid (0.0 and nan among them)", valid.astype(int))
    show("right flood, nothing known before: -1", right_flood(readings, valid, initial=-1.0))
    show("the same, no further than one position", right_flood(readings, valid, initial=-1.0, limit=1))
    show("left flood", left_flood(readings, valid, initial=-1.0))
    show("right flood within segments of 4 and 3", right_flood(readings, valid, offsets=np.array([0, 4, 7]), initial=-1.0))

    # An element gets the gradients of all its copies. Copies of one element are neighbours, so this is a segmented sum.
    x = np.array([1.0, 0, 0, 3, 0, 6, 0, 0])
    _, source = right_flood(x, return_index=True)
    gradient = right_flood_vjp(np.ones(8), source)
    show("gradient of the sum of the flood of [1003 0600]", gradient)
    assert gradient.tolist() == [3, 0, 0, 2, 0, 3, 0, 0]

    # A pass up a tree and a pass down it find the same positions as the scan.
    assert np.array_equal(flood_by_reduce_deduce(x != 0), source)
    print("reduce and deduce agree")


# %%
# Run the program:

if __name__ == "__main__":
    main()
