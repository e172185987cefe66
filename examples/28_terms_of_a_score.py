"""
Terms of a score
================

Compute every term of a product ``A @ x``, add them up by rows, and list the terms that make up most of their row's score.

A score is the sum of a row's values times the weights of their columns. `transform_segments` computes the terms: its function
is told the row of each entry. `transform_compact` selects the entries that explain a score, and its function says what is
written of each. Neither makes an array of rows.

Run it with ``python examples/28_terms_of_a_score.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/product.svg"

import numpy as np

from spark_csr import random_array
from spark_csr.primitives import segmented_reduce, transform_compact, transform_segments


def term(index, row, rank, indices, data, weights):
    return data[index] * weights[indices[index]]


def share(index, row, rank, terms, scores):
    return terms[index] / scores[row]


def exceeds(index, shares, indices, limit):
    return shares[index] > limit


def column_of(destination, source, shares, indices, limit):
    return indices[source]


def main():
    A = random_array((100_000, 1000), density=0.003, format="csr", rng=1)
    weights = np.random.default_rng(2).random(1000) ** 4
    terms = transform_segments(A.indptr, term, A.indices, A.data, weights)
    scores = segmented_reduce(terms, A.indptr)
    shares = transform_segments(A.indptr, share, terms, scores)
    columns = transform_compact(shares.size, exceeds, column_of, shares, A.indices, 0.5)
    print(f"{columns.size:,} of {terms.size:,} terms are more than half of the score of their row")
    most, times = np.unique(columns, return_counts=True)
    for column in most[np.argsort(-times, kind="stable")][:3]:
        print(f"column {column:3}, of weight {weights[column]:.2f}")

    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    assert np.allclose(scores, A @ weights)
    assert np.array_equal(terms, A.data * weights[A.indices])
    assert np.array_equal(columns, A.indices[terms / scores[rows] > 0.5])
    print("agrees with NumPy")


# %%
# Run the program:

if __name__ == "__main__":
    main()
