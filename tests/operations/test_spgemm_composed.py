"""`spgemm_composed`, the definition: right on the battery, whole and in pieces, and what it refuses."""

import numpy as np
import pytest
import scipy.sparse

import battery
from spark_csr import config, csr_array, spgemm_composed
from spark_csr._array import SIMULATED
from spark_csr.operations.spgemm_composed import BYTES, pieces

NAMES = ["0x0", "0xN", "first row empty", "duplicates"] if SIMULATED else battery.FINITE


@pytest.mark.parametrize("products", [10**6, 7], ids=["at once", "seven products at a time"])
@pytest.mark.parametrize("name", NAMES)
def test_battery(xp, to_numpy, name, products):
    indptr, indices, data, shape = battery.BATTERY[name]
    S = scipy.sparse.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=shape)
    A, T = (
        battery.build(xp, name),
        csr_array(tuple(map(xp.asarray, (S.T.tocsr().data, S.T.tocsr().indices, S.T.tocsr().indptr))), shape=shape[::-1]),
    )
    with config(spgemm_memory=products * BYTES):
        got = spgemm_composed(A, T)
    expected = S @ S.T.tocsr()
    expected.sort_indices()
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(to_numpy(getattr(got, part)), getattr(expected, part))


@pytest.mark.parametrize("limit", [1, 5, 36, 37, 10**6])
def test_pieces_hold_all_entries_once(xp, limit):
    """No piece has more products than it may, unless it is one entry."""
    a, b = battery.build(xp, "one dense row")._csr, battery.build(xp, "power law")._csr
    b = battery.build(xp, "row of several tiles")._csr if limit == 37 else b
    a = battery.build(xp, "many empty rows")._csr if b.shape[0] == 4 else a
    b = battery.build(xp, "1xN")._csr if a.shape[1] == 2 else b
    b = type(b)(xp.arange(a.shape[1] + 1, dtype=np.int32), xp.zeros(a.shape[1], np.int32), xp.ones(a.shape[1]), (a.shape[1], 3))
    found = list(pieces(a, b, limit))
    assert [p.start for p in found] == [0, *(p.stop for p in found[:-1])]
    assert found[-1].stop == a.indices.size
    assert all(p.stop - p.start <= limit for p in found)
    assert all(p.ends == (p.stop == int(a.indptr[p.last])) for p in found)


def test_worked_example(xp, to_numpy):
    """Row 0 of A has entries a, b in columns 0 and 2: products of a with row 0 of B and of b with row 2."""
    A = csr_array(xp.asarray([[2.0, 0, 3], [0, 5, 0]]))
    B = csr_array(xp.asarray([[0, 7.0], [11, 0], [13, 17]]))
    assert to_numpy(spgemm_composed(A, B).toarray()).tolist() == [[39, 65], [55, 0]]


def test_refuses():
    A = csr_array([[1.0, 2], [3, 4]])
    with pytest.raises(TypeError, match=r"takes two csr_arrays, got csc_array: use X\.tocsr"):
        spgemm_composed(A, A.T)
    with pytest.raises(TypeError, match="got ndarray"):
        spgemm_composed(A, A.toarray())
    with pytest.raises(ValueError, match="dimension mismatch"):
        spgemm_composed(A, csr_array((3, 2)))
