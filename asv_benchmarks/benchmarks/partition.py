"""Matrices in blocks of rows: the cut, the products of all blocks in this process, and files."""

import shutil
import tempfile

import numpy as np

from benchmarks import data
from benchmarks.common import Benchmark
from spark_csr._cli.time_product import bytes_moved
from spark_csr.io import open_blocks, save_blocks
from spark_csr.partition import balanced_offsets, make_block, matmul, rmatmul, split

BLOCKS = 4


class InBlocks(Benchmark):
    param_names = ("matrix", "backend")
    params = (["poisson", "rmat"], ["cpu"])

    def cut(self, matrix):
        """The matrix, and where it is cut."""
        A = data.matrix(matrix)
        return A, balanced_offsets(A.indptr, BLOCKS)


class MakeBlock(InBlocks):
    """The columns of one block of rows, numbered anew."""

    def prepare(self, matrix):
        A, offsets = self.cut(matrix)
        rows = A[: int(offsets[1])]
        return lambda: make_block(rows, offsets, own=0), 2 * rows.indices.nbytes


class Product(InBlocks):
    """`A @ x`, block by block."""

    def prepare(self, matrix):
        A, offsets = self.cut(matrix)
        blocks, chunks = split(A, offsets), np.split(np.ones(A.shape[1]), offsets[1:-1])
        return lambda: matmul(blocks, chunks), bytes_moved(A)


class TransposedProduct(InBlocks):
    """`A.T @ x`, block by block."""

    def prepare(self, matrix):
        A, offsets = self.cut(matrix)
        blocks, chunks = split(A, offsets), np.split(np.ones(A.shape[0]), offsets[1:-1])
        return lambda: rmatmul(blocks, chunks), bytes_moved(A)


class FromFiles(InBlocks):
    """`A @ x`, of blocks that are mapped from files of NumPy."""

    def prepare(self, matrix):
        A, offsets = self.cut(matrix)
        self.folder = tempfile.mkdtemp()
        save_blocks(self.folder, A, offsets)
        x = np.ones(A.shape[1])
        return lambda: [block @ x for block in open_blocks(self.folder)], bytes_moved(A)

    def teardown(self, *params):
        shutil.rmtree(self.folder, ignore_errors=True)
