"""Entries counted in the cells of a grid."""

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import csr_array
from spark_csr._operations.reduce.cells import count_cells


def expected(S, height, width):
    shape = -(-S.shape[0] // height), -(-S.shape[1] // width)
    found, C = np.zeros(shape, np.int64), S.tocoo()
    np.add.at(found, (C.row // height, C.col // width), 1)
    return found


@pytest.mark.parametrize("cell", [(1, 1), (3, 2), (7, 100), (100, 100)])
@pytest.mark.parametrize("shape", [(23, 17), (1, 50), (50, 1)])
def test_counts(xp, to_numpy, small_tiles, shape, cell):
    S = sp.random_array(shape, density=0.3, rng=np.random.default_rng(0), format="csr")
    csr = csr_array(S).to_device("cpu" if xp is np else "cuda")._csr
    np.testing.assert_array_equal(to_numpy(count_cells(csr, *cell)), expected(S, *cell))


def test_no_entries(xp, to_numpy):
    csr = csr_array((5, 4)).to_device("cpu" if xp is np else "cuda")._csr
    np.testing.assert_array_equal(to_numpy(count_cells(csr, 2, 2)), np.zeros((3, 2)))


def test_duplicates_and_zeros_count(xp, to_numpy):
    csr = csr_array((xp.asarray([0.0, 1, 2]), xp.asarray([1, 1, 0]), xp.asarray([0, 2, 3])), shape=(2, 2))._csr
    assert to_numpy(count_cells(csr, 1, 1)).tolist() == [[0, 2], [1, 0]]
