"""Coordinates on workers become blocks: SciPy's matrix, whatever the chunks, blocks and the order of entries."""

import errno
import os
import pathlib

import numpy as np
import pytest

import dtypes
from spark_csr import csr_array

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask
import dask.array as da

from spark_csr.interop.dask import from_coo, pieces

pytestmark = pytest.mark.usefixtures("cpu_only")

ROWS, COLUMNS, ENTRIES = 50, 30, 900
RNG = np.random.default_rng(0)
ROW, COLUMN = RNG.integers(0, ROWS - 5, ENTRIES), RNG.integers(0, COLUMNS, ENTRIES)
VALUES = RNG.integers(-9, 10, ENTRIES).astype(np.float64)


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def of_chunks(chunk=200, entries=slice(None), **options):
    """The matrix of the entries in chunks of this length."""
    arrays = [da.from_array(x[entries], chunks=chunk) for x in (ROW, COLUMN, VALUES)]
    return from_coo(*arrays, **{"shape": (ROWS, COLUMNS), **options})


def combine(rule, values=VALUES):
    """The matrix with one entry for each position, by plain Python."""
    found = {}
    for position, value in zip(zip(ROW.tolist(), COLUMN.tolist(), strict=True), values.tolist(), strict=True):
        found.setdefault(position, []).append(value)
    rules = {"sum": sum, "min": min, "max": max, "first": lambda x: x[0]}
    dense = np.full((ROWS, COLUMNS), np.nan)
    for position, together in found.items():
        dense[position] = rules[rule](together)
    return dense


def dense_of(matrix):
    """The elements of a matrix, NaN where there is no entry."""
    coo = matrix.tocoo()
    dense = np.full(matrix.shape, np.nan)
    dense[coo.row, coo.col] = coo.data
    assert coo.nnz == np.count_nonzero(~np.isnan(dense))  # one entry for each position
    return dense


@pytest.mark.parametrize("chunk", [7, 200, ENTRIES])
@pytest.mark.parametrize("blocks", [1, 4, [0, 20, 0, 30], 60])
@pytest.mark.parametrize("by", ["rows", "nnz"])
def test_blocks_and_chunks(chunk, blocks, by, tmp_path):
    A = of_chunks(chunk, blocks=blocks, by=by, scratch=tmp_path)
    assert len(A.chunks[0]) == (len(blocks) if np.ndim(blocks) else blocks)
    assert (A.shape, A.dtype) == ((ROWS, COLUMNS), np.float64)
    np.testing.assert_array_equal(dense_of(A.compute()), combine("sum"))


@pytest.mark.parametrize("rule", ["sum", "min", "max", "first"])
def test_duplicates(rule, tmp_path):
    A = of_chunks(blocks=3, duplicates=rule, scratch=tmp_path)
    np.testing.assert_array_equal(dense_of(A.compute()), combine(rule))


def test_without_values_entries_are_counted(tmp_path):
    A = from_coo(ROW, COLUMN, shape=(ROWS, COLUMNS), blocks=3, scratch=tmp_path, dtype="i4")
    assert A.compute().dtype == np.int32
    np.testing.assert_array_equal(dense_of(A.compute()), combine("sum", np.ones(ENTRIES)))
    A = from_coo(ROW, COLUMN, shape=(ROWS, COLUMNS), blocks=3, scratch=tmp_path, duplicates="first")
    assert set(A.compute().data.tolist()) == {1.0}


def test_sums_have_the_bits_of_one_process_in_the_order_of_entries(tmp_path):
    values = np.random.default_rng(1).random(ENTRIES)
    A = from_coo(
        *(da.from_array(x, chunks=100) for x in (ROW, COLUMN, values)), shape=(ROWS, COLUMNS), blocks=7, scratch=tmp_path
    )
    expected = csr_array((values, (ROW, COLUMN)), shape=(ROWS, COLUMNS))
    np.testing.assert_array_equal(A.compute().toarray(), expected.toarray())


def test_blocks_of_equal_work(tmp_path):
    row = np.minimum((1000 * RNG.random(20_000) ** 4).astype(int), 999)
    about = {
        by: from_coo(row, row, shape=(1000, 1000), blocks=4, by=by, scratch=tmp_path, duplicates="first").describe()
        for by in ("rows", "nnz")
    }
    A = from_coo(row, np.arange(20_000), shape=(1000, 20_000), blocks=4, by="nnz", scratch=tmp_path)
    work = np.array(A.describe().nnz) + A.chunks[0]
    assert work.max() < 1.15 * work.mean()
    assert np.ptp(about["rows"].rows) == 0 < np.ptp(about["nnz"].rows)
    few = from_coo(np.zeros(5, int), np.arange(5), shape=(10_000, 10_000), blocks=4, by="nnz", scratch=tmp_path)
    assert min(few.chunks[0]) > 2400  # rows without entries are work too


def test_nothing_is_computed_before_a_result_is_asked_for(tmp_path):
    A = of_chunks(blocks=3, scratch=tmp_path / "new")
    assert not (tmp_path / "new").exists()
    before = (A @ np.ones(COLUMNS)).compute()
    (folder,) = (tmp_path / "new").iterdir()
    written = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert sorted(written) == [f"piece-{k:06}" for k in range(5)]
    np.testing.assert_array_equal((A @ np.ones(COLUMNS)).compute(), before)
    assert written == {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}  # used again, not written again


def test_chunks_of_unknown_lengths(tmp_path):
    row, column, values = (da.from_array(x, chunks=200) for x in (ROW, COLUMN, VALUES))
    some = values > 0
    A = from_coo(row[some], column[some], values[some], shape=(ROWS, COLUMNS), blocks=3, scratch=tmp_path)
    kept = VALUES > 0
    expected = csr_array((VALUES[kept], (ROW[kept], COLUMN[kept])), shape=(ROWS, COLUMNS))
    np.testing.assert_array_equal(A.compute().toarray(), expected.toarray())
    other = from_coo(row[some], column[~some], shape=(ROWS, COLUMNS), blocks=3, scratch=tmp_path)
    with pytest.raises(ValueError, match=r"chunk \d has \d+ and \d+ rows, columns and values"):
        other.compute()


@pytest.mark.parametrize("dtype", dtypes.each([bool, np.int8, np.float32, np.complex128], "D"))
def test_dtypes(dtype, tmp_path):
    values = (VALUES != 0) if dtype is bool else VALUES.astype(dtype)
    A = from_coo(ROW, COLUMN, values, shape=(ROWS, COLUMNS), blocks=2, scratch=tmp_path)
    expected = csr_array((values, (ROW, COLUMN)), shape=(ROWS, COLUMNS))
    assert A.dtype == A.compute().dtype == dtype
    np.testing.assert_array_equal(A.compute().toarray(), expected.toarray())


def test_shapes_beyond_32_bits(tmp_path):
    """Rows and columns past 2**31: of blocks that are small, and of one that is as long as that itself."""
    rows, width = 2**31 + 10, 2**40
    row, column = np.array([0, 5, rows - 1, rows - 1]), np.array([width - 1, 3, 0, width - 1])
    lengths = [1000, rows - 2000, 1000]
    A = from_coo(row, column, np.arange(1.0, 5), shape=(rows, width), blocks=lengths, columns=[width], scratch=tmp_path)
    ends = [A._blocks.keys[0], A._blocks.keys[2]]  # the block between has 2**31 rows: 17 GB of offsets
    first, last = dask.get(A.__dask_graph__().cull(set(ends)), ends)
    assert [block.columns.tolist() for block in (first, last)] == [[3, width - 1], [0, width - 1]]
    assert [block.matrix.indptr[[1, 6, -1]].tolist() for block in (first, last)] == [[1, 2, 2], [0, 0, 2]]
    assert first.rows == (0, 1000)
    assert last.rows == (rows - 1000, rows)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"duplicates": "last"}, "duplicates must be one of 'sum', 'min', 'max', 'first', got 'last'"),
        ({"by": "size"}, "by must be 'rows' or 'nnz', got 'size'"),
        ({"blocks": 0}, "blocks must be 1 or more, got 0"),
        ({"blocks": 0, "by": "nnz"}, "blocks must be 1 or more, got 0"),
        ({"blocks": [10, 20]}, r"blocks must sum to 50, got \(10, 20\)"),
        ({"columns": [10]}, r"columns must sum to 30, got \(10,\)"),
    ],
)
def test_bad_arguments(options, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        of_chunks(**{"blocks": 2, "scratch": tmp_path, **options})


def test_arrays_that_do_not_fit(tmp_path):
    options = {"shape": (ROWS, COLUMNS), "blocks": 2, "scratch": tmp_path}
    with pytest.raises(ValueError, match=r"equally many in equal chunks, got \(900,\) in 1 chunks and \(3,\) in 1 chunks"):
        from_coo(ROW, COLUMN[:3], **options)
    with pytest.raises(ValueError, match="must have one axis"):
        from_coo(ROW[None], COLUMN[None], **options)
    assert from_coo(da.from_array(ROW, chunks=450), da.from_array(COLUMN, chunks=(400, 500)), **options).nnz > 0


def test_bad_entries_are_named(tmp_path):
    options = {"shape": (ROWS, COLUMNS), "blocks": 2, "scratch": tmp_path}
    column = da.from_array(COLUMN, chunks=300)
    for wrong in (ROWS, -1):
        row = ROW.copy()
        row[310] = wrong
        with pytest.raises(ValueError, match=rf"chunk 1: row {wrong} of entry 10 is out of range for {ROWS} rows"):
            from_coo(da.from_array(row, chunks=300), column, **options).compute()
    with pytest.raises(TypeError, match=r"chunk \d: numbers of rows must be integers, got shape \(300,\) of dtype float64"):
        from_coo(da.from_array(1.0 * ROW, chunks=300), column, **options).compute()


def test_without_entries(tmp_path):
    A = from_coo(ROW[:0], COLUMN[:0], shape=(4, 4), blocks=2, by="nnz", scratch=tmp_path)
    assert A.compute().toarray().tolist() == np.zeros((4, 4)).tolist()
    assert from_coo(ROW[:0], COLUMN[:0], shape=(0, 0), blocks=2, scratch=tmp_path).compute().shape == (0, 0)


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path, monkeypatch):
    A = of_chunks(blocks=3, scratch=tmp_path)

    def replace(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(pieces.os, "replace", replace)
        with pytest.raises(
            OSError, match=rf"chunk \d: \d+ entries were not written to {tmp_path}/pieces-.*: No space left"
        ) as caught:
            A.compute()
    assert caught.value.errno == errno.ENOSPC
    assert [path for path in pathlib.Path(tmp_path).rglob("*") if path.is_file()] == []
    np.testing.assert_array_equal(dense_of(A.compute()), combine("sum"))  # when there is space again


def test_missing_and_damaged_pieces_are_named(tmp_path):
    A = of_chunks(blocks=[20, 30], scratch=tmp_path)
    A.compute()
    (folder,) = tmp_path.iterdir()
    about = pieces.Pieces(str(folder), np.array([0, 20, 50]), COLUMNS, np.float64, pattern=False)
    piece = folder / "piece-000002"
    whole = piece.read_bytes()
    piece.write_bytes(whole[:-8])
    with pytest.raises(ValueError, match=r"piece-000002 has \d+ bytes and should have \d+: remove the folder"):
        pieces.read_block(about, 5, 1, "sum")
    piece.unlink()
    with pytest.raises(
        FileNotFoundError, match="piece-000002, a piece of the entries of rows 20:50, is missing: scratch must be"
    ):
        pieces.read_block(about, 5, 1, "sum")
    np.testing.assert_array_equal(dense_of(A.compute()), combine("sum"))  # all tasks: the piece is written again
