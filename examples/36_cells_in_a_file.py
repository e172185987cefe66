"""
Cells in a file that is larger than memory
==========================================

Read the counts of an AnnData file in blocks of rows, find the genes that vary most, and write a smaller file with these genes.

`open_hdf5` reads the rows that are asked for. Two passes go over the file, and both give every cell the same total and take
logarithms. The first adds up the values and their squares, and the second passes block after block to `write_h5ad`. The file is
small here, and a block has 500 cells.

Run it with ``python examples/36_cells_in_a_file.py``. It needs h5py.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/matrix.svg"

import pathlib
import tempfile

import numpy as np

from spark_csr import csr_array
from spark_csr.io import open_hdf5, read_h5ad, write_h5ad
from spark_csr.linalg import scale_rows


def prepare(counts):
    """Return the logarithms of counts that are scaled such that every cell has the same total."""
    return scale_rows(counts, 10_000 / counts.sum(axis=1)).log1p()


def blocks_of(matrix, cells=500):
    """Read one block of rows after the other."""
    for start in range(0, matrix.shape[0], cells):
        yield prepare(matrix.rows(start, min(start + cells, matrix.shape[0])))


def variances(matrix):
    """Return the variance of every gene, of blocks that need not fit into memory together."""
    total = squares = np.zeros(matrix.shape[1])
    for block in blocks_of(matrix):
        total, squares = total + block.sum(axis=0), squares + (block * block).sum(axis=0)
    return squares / matrix.shape[0] - (total / matrix.shape[0]) ** 2


def main():
    rng = np.random.default_rng(0)
    counts = csr_array(rng.poisson(rng.gamma(0.3, 0.5, 1000), (2000, 1000)).astype(np.float64))
    with tempfile.TemporaryDirectory() as folder:
        whole, part = pathlib.Path(folder, "cells.h5ad"), pathlib.Path(folder, "variable.h5ad")
        names = np.array([f"gene {i}" for i in range(counts.shape[1])])
        write_h5ad(whole, counts, var_names=names)
        matrix = open_hdf5(whole, "X")
        print(matrix)
        genes = np.sort(np.argsort(-variances(matrix), kind="stable")[:100])
        write_h5ad(part, (block[:, genes] for block in blocks_of(matrix)), var_names=names[genes])
        X = read_h5ad(part).X
    print(f"{X.shape[0]} cells and {X.shape[1]} genes, from {names[genes[0]]} to {names[genes[-1]]}")
    expected = prepare(counts)
    assert np.array_equal(np.sort(np.argsort(-expected.var(axis=0))[:100]), genes)
    assert (expected[:, genes] != X).nnz == 0
    print("agrees with the matrix in memory")


# %%
# Run the program:

if __name__ == "__main__":
    main()
