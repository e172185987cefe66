"""
Purchases by user, item and month
=================================

A table with three keys is a sparse array of three axes.

`coo_array` takes the three columns of the table as coordinates. Sums along some axes are those of grouping by the others, and
`tensordot` with weights of the months makes recent purchases count most. Run it with
``python examples/34_sparse_tensor.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/matrix.svg"

import numpy as np

from spark_csr import coo_array


def purchases(users=2000, items=300, months=24, count=40_000):
    """Return how often every user bought every item in every month: some items sell in summer, others in winter."""
    rng = np.random.default_rng(0)
    user, item = rng.integers(users, size=count), rng.integers(items, size=count)
    peak = np.where(item % 2, 6, 0) + rng.normal(0, 1.5, count) + 12 * rng.integers(0, months // 12, count)
    month = np.rint(peak).astype(int) % months
    array = coo_array((np.ones(count), (user, item, month)), shape=(users, items, months))
    array.sum_duplicates()
    return array


def seasons(array):
    """Return the share of purchases of each item that were made from April to September."""
    of_months = array.sum(axis=0)
    by_season = of_months.reshape(len(of_months), -1, 12)[:, :, 3:9].sum(axis=(1, 2))
    return by_season / of_months.sum(axis=1)


def favourites(array, half_life=6):
    """Return the item that each user bought most, where a purchase counts half as much after so many months."""
    months = array.shape[2]
    weights = 0.5 ** (np.arange(months)[::-1] / half_life)
    return array.tensordot(weights, axes=([2], [0])).argmax(axis=1)


# %%
# Run the program:

if __name__ == "__main__":
    sold = purchases()
    print(f"{sold!r}")
    print(f"in the last month: {sold[:, :, -1].nnz} pairs of a user and an item")
    summer = seasons(sold)
    print(f"share of the summer: {summer[1::2].mean():.2f} of odd items, {summer[::2].mean():.2f} of even ones")
    print(f"favourites of the first users: {favourites(sold)[:5]}")
    assert sold.sum(axis=(0, 2)).sum() == 40_000
    print(f"odd items are sold in summer: {bool((summer[1::2] > summer[::2].max()).all())}")
