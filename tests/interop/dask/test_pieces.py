"""Pieces of entries in files: what is damaged is named before a kernel reads it."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

from spark_csr import config
from spark_csr.interop.dask.pieces import Pieces, read_block, write_piece

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.fixture
def pieces(tmp_path):
    pieces = Pieces(str(tmp_path / "pieces"), np.array([0, 2, 4]), 3, np.dtype(float), False)
    write_piece(pieces, 0, "the entries", np.array([0, 1, 3]), np.array([2, 0, 1]), np.array([5.0, 6, 7]))
    return pieces


def test_there_and_back(pieces):
    np.testing.assert_array_equal(read_block(pieces, 1, 0, "sum").toarray(), [[0, 0, 5], [6, 0, 0]])
    np.testing.assert_array_equal(read_block(pieces, 1, 1, "max").toarray(), [[0, 0, 0], [0, 7, 0]])


@pytest.mark.parametrize("rule", ["sum", "max"])
@pytest.mark.parametrize(
    "at, value, words",
    [
        (0, np.int64(1), "do not ascend from 0"),
        (8, np.int64(7), "do not ascend from 0"),
        (8, np.int64(-1), "do not ascend from 0"),
        (16, np.int64(2**40), "bytes and should have"),
        (24, np.int32(2**30), "1073741824"),
        (36, np.int32(-1), "-1"),
        (36, np.int32(3), "3"),
    ],
)
def test_a_damaged_piece_is_named(pieces, rule, at, value, words):
    with open(pieces.path(0), "r+b") as file:
        file.seek(at)
        file.write(value.tobytes())
    with config(validate=False), pytest.raises(ValueError, match=words):
        read_block(pieces, 1, 0, rule)
