"""
Particles in cells
==================

Sort particles into the cells of a grid, sum their momenta by cell, and find the centre of every cell's particles.

Positions and momenta are vectors, the rows of arrays of two axes. A sort by the number of the cell moves whole rows, and sums
of segments sum every coordinate.

Run it with ``python examples/30_particles_in_cells.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/lists.svg"

import numpy as np

from spark_csr import Ragged
from spark_csr.primitives import inclusive_scan, offsets_from_segment_ids, segmented_reduce, sort_by_key


def into_cells(positions, momenta, side):
    """Return positions and momenta as lists, one for each of the `side ** 3` cells of the unit cube."""
    i, j, k = (positions * side).astype(np.int32).T
    vectors = np.stack([positions, momenta], axis=1)  # elements of shape (2, 3): both are moved at once
    cells, vectors = sort_by_key((i * side + j) * side + k, vectors)
    offsets = offsets_from_segment_ids(cells, side**3)
    return Ragged(vectors[:, 0], offsets), Ragged(vectors[:, 1], offsets)


# %%
# Run the program:

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    positions, momenta = into_cells(rng.random((200_000, 3)), rng.normal(size=(200_000, 3)), side=16)
    total = momenta.sum(axis=-1)
    centers = positions.mean(axis=-1)
    print(f"{len(positions):,} cells; {total.shape} momenta and {centers.shape} centres")

    spread = positions - centers  # a vector for each cell applies to all of its particles
    assert np.allclose(spread.sum(axis=-1), 0, atol=1e-9)
    assert np.allclose(total, segmented_reduce(momenta.values, momenta.offsets[0]))
    assert np.allclose(inclusive_scan(total)[-1], momenta.values.sum(axis=0))

    first, second = positions[:100].combinations(2)  # all pairs of the same cell
    distances = np.linalg.norm(first.values - second.values, axis=1)
    print(f"{len(distances):,} pairs in 100 cells, and the nearest are {Ragged(distances, *first.offsets).min():.4f} apart")
