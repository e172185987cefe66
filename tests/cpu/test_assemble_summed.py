"""Coordinates whose places repeat: sums in the order given, whichever way the rows are put together."""

import numpy as np
import pytest

import dtypes
from spark_csr import config
from spark_csr._array import SIMULATED
from spark_csr._cpu.tuning import TUNING
from spark_csr._operations.form.convert import from_coo

WAYS = {  # `assemble_summed_serial` and `assemble_summed_reach`
    "at once": (10**9, -1),
    "at once, since rows are near": (16, 10**9),
    "by buckets": (16, -1),
}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Each way on the cores."""
    serial, reach = WAYS[request.param]
    numbers = {"summed_serial": serial, "summed_reach": reach, "summed_reach_of_two": reach}
    for name, value in {**numbers, "serial": 16, "bins": 8, "buckets": 4, "tiles": 3}.items():
        monkeypatch.setattr(TUNING, f"assemble_{name}", value)


def triangles(side):
    """The places that every triangle of a grid adds to, element by element."""
    corners = np.arange(side * side).reshape(side, side)
    a, b, c, d = corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]
    elements = np.stack([np.stack([a, b, c]), np.stack([b, c, d])]).reshape(2, 3, -1).transpose(2, 0, 1).reshape(-1, 3)
    return np.repeat(elements, 3, axis=1).ravel(), np.tile(elements, 3).ravel(), (side * side, side * side)


def random(n, rows, columns):
    rng = np.random.default_rng(n)
    return rng.integers(0, rows, n), rng.integers(0, columns, n), (rows, columns)


PLACES = {
    "triangles": triangles(9),
    "random": random(400, 50, 40),
    "few columns": random(300, 20, 2),
    "one long row": random(900, 1, 300),
    "one place": random(70, 1, 1),
    "long and empty rows": (np.repeat([3, 90], [200, 100]), random(300, 1, 77)[1], (100, 77)),
    "wide": (random(200, 6, 1)[0], random(200, 1, 9)[1] << 40, (6, 2**44)),
    "sorted, with repeats": (np.repeat(np.arange(40), 4), np.tile([1, 1, 5, 7], 40), (40, 9)),
}


def summed(rows, columns, data):
    """Places in order and their sums, from left to right, by plain Python."""
    found = {}
    for *place, value in zip(rows.tolist(), columns.tolist(), data, strict=True):
        found[tuple(place)] = found[tuple(place)] + value if tuple(place) in found else value
    return sorted(found), [found[place] for place in sorted(found)]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("threads", [1, None])
def test_sums_are_those_of_a_loop(xp, to_numpy, name, threads):
    rows, columns, shape = PLACES[name]
    data = np.random.default_rng(3).standard_normal(rows.size)
    before = rows.copy(), columns.copy(), data.copy()
    with config(threads=threads):
        csr = from_coo(*map(xp.asarray, (rows, columns, data)), shape)
    places, sums = summed(rows, columns, data)
    indptr, indices, values = map(to_numpy, csr.arrays)
    assert list(zip(np.repeat(np.arange(shape[0]), np.diff(indptr)).tolist(), indices.tolist(), strict=True)) == places
    in_order = xp is np and not SIMULATED  # tiles of a GPU add up in another order
    (np.testing.assert_array_equal if in_order else np.testing.assert_allclose)(values, sums)
    for old, new in zip(before, (rows, columns, data), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", ["long and empty rows", "random"])
@pytest.mark.parametrize("dtype", dtypes.each(usual="?qD"))
def test_sums_in_every_dtype(xp, to_numpy, dtype, name):
    """As NumPy adds two of them: integers wrap around, bools are or-ed."""
    rows, columns, shape = PLACES[name]
    data = np.random.default_rng(3).integers(-(2**63), 2**63 - 1, rows.size)
    data = (data if np.dtype(dtype).kind in "iu" else data % 100).astype(dtype)
    csr = from_coo(*map(xp.asarray, (rows, columns, data)), shape)
    expected = np.zeros(shape, np.float32 if dtype == np.float16 else dtype)
    np.add.at(expected, (rows, columns), data)
    assert csr.data.dtype == dtype
    dense = np.zeros(shape, dtype)
    dense[np.repeat(np.arange(shape[0]), np.diff(to_numpy(csr.indptr))), to_numpy(csr.indices)] = to_numpy(csr.data)
    np.testing.assert_array_equal(dense, expected.astype(dtype))


@pytest.mark.usefixtures("way")
def test_memory_of_summed_entries_is_given_back(cpu_only):
    rows, columns, shape = PLACES["one place"]
    csr = from_coo(rows, columns, np.ones(rows.size), shape)
    assert csr.data.tolist() == [rows.size]
    assert csr.data.flags.owndata
