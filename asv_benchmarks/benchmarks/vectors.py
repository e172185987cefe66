"""Elements that are vectors: rows of 3 and of 16 numbers."""

import numpy as np

from benchmarks import data
from benchmarks.common import Compared, N


def rows(columns):
    """About as many numbers as other primitives work on."""
    return data.values().reshape(-1)[: N // columns * columns].reshape(-1, columns)


class Scan(Compared, operations=("vectors inclusive_scan",), axes={"columns": [3, 16]}):
    def operands(self, columns):
        return (rows(columns),)

    def moved(self, x):
        return 2 * x.nbytes


class Selected(Compared, operations=("vectors compact",), axes={"columns": [3, 16]}):
    def operands(self, columns):
        x = rows(columns)
        return x, data.values("float32", len(x)) < 0.5

    def moved(self, x, mask):
        return 2 * int(mask.sum()) * x.itemsize * x.shape[1] + mask.nbytes


class Taken(Compared, operations=("vectors take",), axes={"columns": [3, 16]}):
    def operands(self, columns):
        x = rows(columns)
        return x, np.random.default_rng(0).permutation(len(x))

    def moved(self, x, index):
        return 2 * x.nbytes + index.nbytes


class SegmentSums(Compared, operations=("vectors segmented_reduce",), axes={"columns": [3, 16]}):
    def operands(self, columns):
        x = rows(columns)
        return x, np.append(np.arange(0, len(x), 8), len(x)).astype(np.int32)

    def moved(self, x, offsets):
        return x.nbytes + offsets.nbytes + (offsets.size - 1) * x.shape[1] * x.itemsize
