"""`spgemm_composed`, the definition: right on the battery, whole and in pieces, and what it refuses."""

import importlib

import numpy as np
import pytest
import scipy.sparse

import battery
from spark_csr import config, csr_array, spgemm_composed
from spark_csr._array import SIMULATED
from spark_csr._operations.form.record import Csr
from spark_csr._operations.product.spgemm_composed import BYTES, LEAST, cut_pieces, piece_size

composed_module = importlib.import_module("spark_csr._operations.product.spgemm_composed")

NAMES = ["0xN", "first row empty"] if SIMULATED else battery.FINITE


@pytest.mark.parametrize("products", [10**6, 7], ids=["at once", "seven products at a time"])
@pytest.mark.parametrize("name", NAMES)
def test_battery(xp, to_numpy, monkeypatch, name, products):
    indptr, indices, data, shape = battery.BATTERY[name]
    S = scipy.sparse.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=shape)
    T = scipy.sparse.csr_array(S.T)
    A = battery.build(xp, name)
    B = csr_array(tuple(map(xp.asarray, (T.data, T.indices, T.indptr))), shape=T.shape)
    monkeypatch.setattr(composed_module, "piece_size", lambda a, b, budget: products)
    got = spgemm_composed(A, B)
    expected = S @ T
    expected.sort_indices()
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(to_numpy(getattr(got, part)), getattr(expected, part))


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("limit", [1, 5, 10**6])
@pytest.mark.parametrize("name", ["one dense row", "many empty rows", "0xN", "all rows empty"])
def test_pieces_hold_all_entries_once(name, limit):
    """No piece has more products than it may, where every entry of A makes one."""
    a = battery.build(np, name)._csr
    k = a.shape[1]
    b = Csr(np.arange(k + 1, dtype=np.int32), np.zeros(k, np.int32), np.ones(k), (k, 3))
    found = list(cut_pieces(a, b, limit))
    assert [p.start for p in found] == [0, *(p.stop for p in found)][: len(found)]
    assert all(p.stop - p.start <= limit for p in found)
    assert all(p.ends == (p.stop == a.indptr[p.last]) for p in found)
    assert [p.first for p in found if p.ends][1:] == [p.last for p in found if p.ends][:-1]
    assert sum(p.stop - p.start for p in found) == a.indices.size


def test_a_piece_holds_what_fits_but_no_less_than_the_longest_row(xp, monkeypatch):
    """Rows of A have 0, 3 and 1 entries, each of which makes two products."""
    A = csr_array((xp.ones(4), xp.asarray([0, 1, 2, 0]), xp.asarray([0, 0, 3, 4])), shape=(3, 3))._csr
    B = csr_array((xp.ones(6), xp.asarray([0, 1, 0, 1, 0, 5]), xp.asarray([0, 2, 4, 6])), shape=(3, 6))._csr
    assert piece_size(A, B, 1) in LEAST.values()
    assert piece_size(A, B, 10**6 * BYTES) == 10**6
    for device in LEAST:
        monkeypatch.setitem(LEAST, device, 1)
    assert piece_size(A, B, 1) == 6
    B = csr_array((xp.ones(6), xp.asarray([0, 1, 0, 1, 0, 2]), xp.asarray([0, 2, 4, 6])), shape=(3, 3))._csr
    assert piece_size(A, B, 1) == 3
    assert piece_size(csr_array((0, 3))._csr, B, 5 * BYTES) == 5


@pytest.mark.usefixtures("cpu_only")
def test_a_small_bound_makes_few_pieces(monkeypatch):
    """20,000 products, which were 20,000 pieces where the bound had room for one."""
    made, whole = [], composed_module._expand
    monkeypatch.setattr(composed_module, "_expand", lambda *args: made.append(args) or whole(*args))
    A = csr_array(np.ones((20, 1000)))
    with config(spgemm_memory=1):
        spgemm_composed(A, csr_array(np.ones((1000, 1))))
    assert len(made) == 2 * 3


def test_worked_example(xp, to_numpy):
    """Row 0 of A has entries a, b in columns 0 and 2: products of a with row 0 of B and of b with row 2."""
    A = csr_array(xp.asarray([[2.0, 0, 3], [0, 5, 0]]))
    B = csr_array(xp.asarray([[0, 7.0], [11, 0], [13, 17]]))
    assert to_numpy(spgemm_composed(A, B).toarray()).tolist() == [[39, 65], [55, 0]]


def test_refuses():
    A = csr_array([[1.0, 2], [3, 4]])
    with pytest.raises(TypeError, match="takes two csr_arrays of spark_csr, got spark_csr's csc_array: use csr_array"):
        spgemm_composed(A, A.T)
    with pytest.raises(TypeError, match="got numpy's ndarray"):
        spgemm_composed(A, A.toarray())
    with pytest.raises(ValueError, match="dimension mismatch"):
        spgemm_composed(A, csr_array((3, 2)))
