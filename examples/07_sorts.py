"""
Radix sort
==========

Sort by one bit at a time with stable partitions, then by eight bits at a time.

Run it with ``python examples/07_sorts.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/radix.svg"

import numpy as np

from spark_csr.primitives import argsort, sort, sort_by_bits, sort_by_key


def show(name, array):
    print(f"{name:<50}{array}")


def radix():
    keys = np.array([0, 5, 2, 7], np.uint8)
    show("keys", keys)
    step = keys
    for bit in range(3):
        step = sort_by_bits(step, begin_bit=bit, end_bit=bit + 1)
        show(f"keys without bit {bit} first, each group in its order", step)
    show("sort", sort(keys))
    assert np.array_equal(step, sort(keys))
    assert np.array_equal(sort(keys), np.sort(keys))


def order_of_floats():
    x = np.array([2.0, np.nan, -0.0, -1.0, 0.0, -np.nan])
    show("floats, a zero and a NaN of each sign", x)
    show("both zeros are equal, and NaN are last", sort(x))
    show("descending: NaN last too", sort(x, descending=True))
    show("argsort: equal ones in the order they came", argsort(x))
    assert np.array_equal(argsort(x), np.argsort(x, kind="stable"))


def rows_of_a_matrix():
    rows, values = np.array([2, 0, 1, 0, 2]), np.array([1.5, 2.5, 3.5, 4.5, 5.5])
    show("row of each entry", rows)
    by_row, ordered = sort_by_key(rows, values)
    show("entries by row, in each row as they came", ordered)
    assert np.array_equal(by_row, np.sort(rows))
    assert np.array_equal(ordered, values[np.argsort(rows, kind="stable")])


def main():
    radix()
    order_of_floats()
    rows_of_a_matrix()
    print("all agree with NumPy")


# %%
# Run the program:

if __name__ == "__main__":
    main()
