"""The largest elements of every row of a product: ties, NaN, thresholds, penalties, in the fused kernel and in pieces."""

import numpy as np
import pytest

import battery
import dtypes
from spark_csr import config, csr_array
from spark_csr._array import DTYPES, SIMULATED, goes_to_gpu
from spark_csr._operations.product import topk
from spark_csr._operations.product.topk import topk_of_product

pytestmark = pytest.mark.usefixtures("small_tiles")

PIECE = (1 << 21) // (500 if SIMULATED else 16)
"""Bytes of a product such that a budget of 2 MiB is enough for a few."""

REAL = [dtype for dtype in DTYPES if np.dtype(dtype).kind != "c"]


def choose(row, columns, k):
    """The best columns of a dense row, by plain Python: the largest first, NaN last, of equal ones the lower column first."""
    values = row.tolist()
    return sorted(columns, key=lambda j: (values[j] != values[j], -values[j], j))[:k]


def chosen(dense, k, threshold=None):
    out = np.zeros_like(dense)
    for row, found in zip(dense, out, strict=True):
        best = choose(row, [j for j in range(row.size) if row[j] and (threshold is None or row[j].item() > threshold)], k)
        found[best] = row[best]
    return out


def operands(xp, name, dtype=np.float64):
    """A matrix of the battery and its transpose, times a matrix whose rows are short and long."""
    A = battery.build(xp, name, dtype)
    rng = np.random.default_rng(5)
    shape = A.shape[1], 30 if goes_to_gpu(A.data) else 150  # three groups of the accumulator
    B = rng.integers(-3, 4, shape) * (rng.random(shape) < rng.random((A.shape[1], 1)) ** 3)
    return A._csr, csr_array(xp.asarray(B.astype(dtype)))._csr


@pytest.fixture(params=["fused", "in pieces"])
def way(request, xp, monkeypatch):
    if request.param == "in pieces":
        monkeypatch.setattr(topk, "WIDE", -1)
        monkeypatch.setattr(topk, "BYTES", PIECE)
    elif goes_to_gpu(xp.zeros(0)):
        pytest.skip("on a GPU products are made in pieces")


EVERY_WAY = (0, None), (1, None), (3, None), (3, 0), (9, -4), (1000, None), (1000, 2.5), (2, np.inf)
"""Numbers of elements, and thresholds."""


@pytest.mark.parametrize("name", battery.BATTERY)
def test_of_every_pattern(xp, to_numpy, name, way):
    a, b = operands(xp, name)
    with np.errstate(invalid="ignore"):
        dense = np.asarray(to_numpy((csr_array._of(a) @ csr_array._of(b)).toarray()))
    with config(spgemm_memory=1 << 21):
        for k, threshold in EVERY_WAY[2::4] if goes_to_gpu(a.data) else EVERY_WAY:
            found = csr_array._of(topk_of_product(a, b, k, threshold))
            np.testing.assert_array_equal(to_numpy(found.toarray()), chosen(dense, k, threshold))
            assert found.nnz <= k * a.shape[0]
            assert found.has_canonical_format


@pytest.mark.parametrize("dtype", dtypes.each(REAL))
def test_of_every_dtype(xp, to_numpy, dtype, way):
    a, b = operands(xp, "power law", dtype)
    product = csr_array._of(a) @ csr_array._of(b)
    dense = to_numpy(product.toarray())
    for threshold in (0.5, -1e30) if goes_to_gpu(a.data) else (None, 0.5, 1, -1, 1e30, -1e30):
        found = csr_array._of(topk_of_product(a, b, 4, threshold))
        assert found.dtype == product.dtype
        np.testing.assert_array_equal(to_numpy(found.toarray()), chosen(dense, 4, threshold))


@pytest.mark.parametrize("threads", [1, 2])
def test_same_bits_as_the_product(cpu_only, threads):
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((300, 40)) * (rng.random((300, 40)) < 0.3)
    A = csr_array(dense)
    with config(threads=threads):
        found = topk_of_product(A._csr, A.T.tocsr()._csr, 10)
    np.testing.assert_array_equal(csr_array._of(found).toarray(), chosen((A @ A.T).toarray(), 10))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_sums_are_compared_in_the_dtype_of_the_result(xp, to_numpy, dtype):
    """Sums of float16 are computed in float32, and long ones of float32 in float64: rounded they are equal."""
    terms, excess = (2, 4e-4) if dtype == "float16" else (8200, 2.0**-11)
    b = np.ones((terms, 2), dtype)
    b[1:-1] = dtype == "float32"
    b[-1] = (excess / 4, excess) if dtype == "float16" else (1, 1 + excess)
    a, b = (csr_array(xp.asarray(x))._csr for x in (np.ones((1, terms), dtype), b))
    equal = to_numpy((csr_array._of(a) @ csr_array._of(b)).toarray())[0]
    assert equal[0] == equal[1]
    assert to_numpy(topk_of_product(a, b, 1).indices).tolist() == [0]
    assert topk_of_product(a, b, 2, float(equal[0])).indices.size == 0


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("name", ["duplicates", "0xN", "all rows empty", "power law"])
def test_penalties(xp, to_numpy, name, apart, monkeypatch):
    A = battery.build(xp, name)
    dense = to_numpy((A @ A.T).toarray())
    penalties = np.arange(A.shape[0]) % 3 / 2
    scores = dense - penalties
    with config(spgemm_memory=1 << 21):
        monkeypatch.setattr(topk, "BYTES", PIECE)
        for k in (3,) if goes_to_gpu(A.data) and A.shape[0] else (0, 1, 3, max(A.shape[0] - 1, 0)):
            found = topk_of_product(A._csr, A.T.tocsr()._csr, k, penalties=xp.asarray(penalties), apart=apart)
            indices, data = (to_numpy(x).reshape(A.shape[0], k) for x in (found.indices, found.data))
            for i, row in enumerate(scores):
                best = sorted(choose(row, [j for j in range(row.size) if not (apart and i == j)], k))
                assert indices[i].tolist() == best
                np.testing.assert_array_equal(data[i], row[best])


def test_columns_without_end():
    """No accumulator is as wide as that."""
    A, B = csr_array([[1, 2]]), csr_array(([1, 5, 3], ([0, 1, 1], [7, 2**40, 9])), shape=(2, 2**41))
    found = topk_of_product(A._csr, B._csr, 1)
    assert (found.indices.tolist(), found.data.tolist()) == ([2**40], [10])
