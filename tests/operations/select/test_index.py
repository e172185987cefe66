"""Rows and columns of records: ranges, searches in rows short and long, columns in tiles, widths, host reads, messages."""

import numpy as np
import pytest

import battery
import dtypes
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr._operations.form import convert
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.select import columns, index, ranges
from spark_csr._operations.select.index import select
from spark_csr._operations.select.keys import parse

pytestmark = pytest.mark.usefixtures("small_tiles")


def dense_of(csr, to_numpy):
    return to_numpy(convert.to_dense(csr))


@pytest.fixture(params=[0, index.SMALL], ids=["in ranges", "one by one"])
def small(request, monkeypatch):
    """How the entries of blocks are chosen."""
    monkeypatch.setattr(index, "SMALL", request.param)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("dtype", dtypes.each(usual="?D"))
@pytest.mark.parametrize("width", [np.int32, pytest.param(np.int64, marks=pytest.mark.exhaustive)])
def test_every_width_is_moved(xp, to_numpy, dtype, width):
    csr = battery.build(xp, "one dense row", dtype, width)._csr
    dense = dense_of(csr, to_numpy)
    rows, picked = xp.asarray([9, 0, 9, 14]), xp.asarray([3, 0, 35, 3])
    for chosen, wanted in (
        (select(csr, rows, slice(None)), dense[[9, 0, 9, 14]]),
        (select(csr, slice(None), slice(3, 30)), dense[:, 3:30]),
        (select(csr, slice(None), picked), dense[:, [3, 0, 35, 3]]),
        (select(csr, slice(8, 11), slice(None)), dense[8:11]),
    ):
        np.testing.assert_array_equal(dense_of(chosen, to_numpy), wanted)
        assert chosen.data.dtype == dtype
        assert chosen.indptr.dtype == np.int32


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("length", [1, 2, 3, 31, 32, 33, 40])
def test_ranges_of_columns_in_short_and_long_rows(xp, to_numpy, length):
    """Rows up to `SHORT` entries are counted, longer ones searched."""
    dense = np.zeros((3, 2 * length))
    dense[0, ::2], dense[2, 1::2] = 1, 2
    csr = csr_array(xp.asarray(dense))._csr
    for low, high in ((0, 1), (1, 2 * length), (length, length + 1), (2, 2), (length // 2, length)):
        chosen = select(csr, slice(None), slice(low, high))
        np.testing.assert_array_equal(dense_of(chosen, to_numpy), dense[:, low:high])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", battery.FINITE[:: 8 if SIMULATED else 1])
def test_blocks(xp, to_numpy, name):
    """Of empty and unsorted rows, of positions with several entries; rows forwards and backwards; not much is left."""
    csr = battery.build(xp, name)._csr
    dense = dense_of(csr, to_numpy)
    height, width = dense.shape
    for rows in (slice(None), slice(1, None), slice(None, None, -2), slice(height, None)):
        for chosen in (slice(1, None), slice(0, width - 1), slice(width // 2, width // 2 + 1)):
            block = select(csr, rows, chosen)
            np.testing.assert_array_equal(dense_of(block, to_numpy), dense[rows, chosen])
            assert block.shape == dense[rows, chosen].shape
            assert block.indices.size == block.data.size == int(block.indptr[-1])
            if block.plans.get(has_canonical_columns):
                assert has_canonical_columns(block)


STEPS = [slice(None, None, 2), slice(None, None, -1), slice(1, -1, 3), slice(-2, 1, -2), slice(None, None, 10**30)]


@pytest.mark.parametrize("name", battery.FINITE[:: 8 if SIMULATED else 1])
def test_columns_by_steps(xp, to_numpy, name):
    csr = battery.build(xp, name)._csr
    dense = dense_of(csr, to_numpy)
    for key in STEPS:
        chosen = select(csr, slice(None), key)
        np.testing.assert_array_equal(dense_of(chosen, to_numpy), dense[:, key])
        assert chosen.shape == dense[:, key].shape
        if chosen.plans.get(has_canonical_columns):
            assert has_canonical_columns(chosen)


@pytest.mark.parametrize("width", [2**40, 2**63 - 1])
def test_steps_over_more_columns_than_fit_into_memory(xp, to_numpy, width):
    places = [0, 7, width - 1]
    A = csr_array((xp.asarray([1.0, 2, 3]), (xp.asarray([0, 1, 1]), xp.asarray(places))), shape=(2, width))
    for key in STEPS:
        wanted = range(width)[key]
        for form in (A, A.tocoo(), A[1], A[1].tocoo()):
            chosen = form[..., key]
            found = dict(zip(to_numpy(chosen.tocoo().coords[-1]).tolist(), to_numpy(chosen.tocoo().data).tolist(), strict=True))
            mine = zip(places, [1.0, 2, 3], strict=True) if form.ndim == 2 else [(7, 2.0), (width - 1, 3.0)]
            assert found == {wanted.index(place): value for place, value in mine if place in wanted}
            assert chosen.shape[-1] == len(wanted)


@pytest.fixture(params=[0, columns.FEW], ids=["sorted", "counted"])
def few(request, monkeypatch):
    """How the indices of columns are put in order."""
    monkeypatch.setattr(columns, "FEW", request.param)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("tile", [1, 3, 128])
@pytest.mark.parametrize("name", battery.FINITE[:: 8 if SIMULATED else 1])
def test_copies_of_columns_are_shared_out_in_tiles(xp, to_numpy, name, tile, monkeypatch):
    """Tiles that begin inside rows, between them, and before, among and behind empty ones."""
    if not SIMULATED and tile != columns.TILE:
        pytest.skip("a constant of compiled code")
    monkeypatch.setattr(columns, "TILE", tile)
    csr = battery.build(xp, name)._csr
    width = csr.shape[1]
    for k in ([], [*range(width)], [*range(width)][::-1] * 2, [0] * 5 if width else []):
        chosen = columns.select_columns(csr, xp.asarray(k, dtype=np.int64))
        np.testing.assert_array_equal(dense_of(chosen, to_numpy), dense_of(csr, to_numpy)[:, np.array(k, int)])
        assert (to_numpy(chosen.indptr[1:]) >= to_numpy(chosen.indptr[:-1])).all()


@pytest.mark.usefixtures("few")
def test_many_entries_in_many_tiles(cpu_only):
    rng = np.random.default_rng(0)
    indptr = np.concatenate([[0, 0, 0], np.sort(rng.integers(0, 3000, 60)), [3000, 3000, 3000]])
    indices = np.concatenate([np.sort(rng.choice(3000, n, replace=False)) for n in np.diff(indptr)])
    A = csr_array((np.arange(1.0, 3001), indices, indptr), shape=(indptr.size - 1, 3000))
    dense = A.toarray()
    for key in (rng.permutation(3000)[:900], np.arange(0, 3000, 7), rng.integers(0, 3000, 900)):
        np.testing.assert_array_equal(A[:, key].toarray(), dense[:, key])
    for key in (rng.integers(0, 65, 100), slice(None, None, -2)):
        np.testing.assert_array_equal(A[key].toarray(), dense[key])


@pytest.mark.kept
def test_what_is_known_of_rows_is_known_of_chosen_rows(xp):
    A = battery.build(xp, "band")
    assert A.has_canonical_format
    for key in (slice(2, 5), [3, 0], (slice(None), slice(2, 7))):
        assert A[key]._csr.plans[has_canonical_columns] is True
    assert not battery.build(xp, "unsorted")[:, [0, 1]]._csr.plans
    assert A[:, 1::2]._csr.plans[has_canonical_columns] is True
    assert not A[:, [3, 1]].has_sorted_indices
    assert not A[:, ::-1].has_sorted_indices


def test_unsorted_rows_keep_their_order(xp, to_numpy):
    A = battery.build(xp, "unsorted")
    assert to_numpy(A[:, 1:5].indices).tolist() == [3, 1, 2, 0, 1, 3, 0]
    assert to_numpy(A[[2, 0]].indices).tolist() == [2, 0, 4, 1, 4, 0, 2]


@pytest.mark.parametrize(
    "key, index, shape",
    [
        ((2, -1), (2, 4), ()),
        ((None, [0, 1], [1, 2]), ([0, 1], [1, 2]), (1, 2)),
        (([0, 1], None, [1, 2]), ([0, 1], [1, 2]), (2, 1)),
        ((0, None, [1, -1]), (0, [1, 4]), (2, 1)),
        ((Ellipsis, [[1], [2]]), (slice(None), [[1], [2]]), (4, 2, 1)),
        ((None, [0, 1], Ellipsis, 2), ([0, 1], 2), (2, 1)),
        (([True, False, False, True], slice(1, 3)), ([0, 3], slice(1, 3)), (2, 2)),
    ],
    ids=str,
)
def test_keys(key, index, shape):
    got, found = parse(key, (4, 5), np.zeros(1))
    assert found == shape
    assert [k.tolist() if isinstance(k, np.ndarray) else k for k in got] == list(index)
    assert all(k.dtype == np.int64 for k in got if isinstance(k, np.ndarray))


def test_offsets_that_int32_cannot_hold(xp, to_numpy, monkeypatch):
    """Rows chosen often have more entries than the matrix: offsets are then summed once more."""
    csr = battery.build(xp, "one dense row")._csr
    dense = dense_of(csr, to_numpy)
    monkeypatch.setattr(ranges, "index_dtype", lambda largest: np.dtype(np.int32 if largest <= csr.indices.size else np.int64))
    rows = [9, 0, 9, 14, 9]
    chosen = select(csr, xp.asarray(rows), slice(None))
    assert chosen.indptr.dtype == np.int64
    np.testing.assert_array_equal(dense_of(chosen, to_numpy), dense[rows])
    assert select(csr, slice(None, None, -2), slice(None)).indptr.dtype == np.int32


def test_too_many_chosen_entries():
    row = csr_array((np.ones(8), np.arange(8), np.array([0, 8])), shape=(1, 8))
    rows = np.lib.stride_tricks.as_strided(np.zeros(1, np.int64), (1,), (0,))
    assert row[rows].nnz == 8
