"""Sorting against NumPy's stable sort, bit by bit: dtypes, directions, NaN and zeros, parts of keys, what is refused."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import dtypes
import ptx_mode
from spark_csr import config
from spark_csr._array import DTYPES, SIMULATED, by_width
from spark_csr._cpu.digits import PLACES
from spark_csr._cpu.tuning import TUNING
from spark_csr.primitives import argsort, sort, sort_by_bits, sort_by_key

sort_keys = importlib.import_module("spark_csr.primitives.sort_keys")


def some(cases, simulated):
    """All cases, or the few that reach every kernel: a pass over 17 keys takes the simulator half a second."""
    return simulated if SIMULATED else cases


@pytest.fixture(autouse=True, params=some([8, 64], [8]), ids="serial {}".format)
def small_buckets(request, small_tiles, monkeypatch):
    """On the cores: more than eight keys are split among cores; or one core sorts up to 64, digit by digit."""
    monkeypatch.setattr(TUNING, "radix_serial", request.param)


ALGORITHMS = some(["auto", "radix"], ["auto"])
ORDERED = dtypes.each([dtype for dtype in DTYPES if dtype.kind != "c"], some(dtypes.KEYS, "?bHfq"))
SIZES = some([0, 1, 2, 3, 15, 16, 17, 49], [0, 1, 16, 49])
PATTERNS = {
    "all equal": lambda i: i * 0 + 7,
    "two values, highest bit": lambda i: (i % 2) << 31,
    "sorted": lambda i: i,
    "reversed": lambda i: 60 - i,
    "one apart": lambda i: np.where(i == 40, 1, 0),
    "most alike in their highest digits": lambda i: np.where(i < 3, i << 24, i * 37 % 50),
    "nested": lambda i: 1 << (i % 30),
}


def random(n, dtype, seed=0):
    """Few distinct values, so that there are ties; floats with both zeros, infinities and NaN of both signs and any bits."""
    rng = np.random.default_rng(seed)
    if dtype.kind != "f":
        return (
            rng.integers(0, 256, (n, dtype.itemsize), np.uint8).view(dtype).ravel()
            if dtype.kind != "b"
            else rng.random(n) < 0.5
        )
    x = rng.choice(np.array([0.0, -0.0, 1, -1, 0.5, np.inf, -np.inf, 3, np.nan, -np.nan], dtype), n)
    by_width(x)[np.isnan(x)] += rng.integers(0, 9, np.isnan(x).sum()).astype(by_width(x).dtype)
    return x


def few_digits(n, dtype):
    """Values that differ in few bits: the simulator takes three at a time."""
    values = {"?": [0, 1], "b": [-128, 0, 1, 2], "H": [0, 1, 3, 5], "q": [1 << 40, 0, 5 << 40], "f": [1.0, 0.5, 2, -0.0, 0, 4]}
    return np.random.default_rng(0).choice(np.array(values[dtype.char], dtype), n)


def stable_order(x, descending=False):
    """NumPy's stable order; descending, the order of what is largest first, NaN last."""
    if not descending:
        return np.argsort(x, kind="stable")
    ranks = np.unique(x[x == x], return_inverse=True)[1]
    keys = np.full(x.size, x.size)
    keys[x == x] = -ranks
    return np.argsort(keys, kind="stable")


def assert_same_bits(got, expected):
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(by_width(np.ascontiguousarray(got)), by_width(np.ascontiguousarray(expected)))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("descending", some([False, True], [True]))
@pytest.mark.parametrize("dtype", ORDERED)
def test_every_dtype(xp, to_numpy, dtype, descending, algorithm):
    x = some(random, few_digits)(35, dtype)
    order = stable_order(x, descending)
    device = xp.asarray(x)
    assert_same_bits(to_numpy(sort(device, algorithm=algorithm, descending=descending)), x[order])
    np.testing.assert_array_equal(to_numpy(argsort(device, algorithm=algorithm, descending=descending)), order)
    assert_same_bits(to_numpy(device), x)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("n", SIZES)
def test_sizes_around_the_tile(xp, to_numpy, n, algorithm):
    x = np.random.default_rng(n).integers(some(-40, 0), some(40, 8), n).astype(np.int32)
    order = np.argsort(x, kind="stable")
    assert to_numpy(sort(xp.asarray(x), algorithm=algorithm)).tolist() == sorted(x.tolist())
    got = argsort(xp.asarray(x), algorithm=algorithm)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(to_numpy(got), order)
    keys, values = sort_by_key(xp.asarray(x), xp.arange(n, dtype=np.float64), algorithm=algorithm)
    assert_same_bits(to_numpy(keys), x[order])
    assert_same_bits(to_numpy(values), order.astype(np.float64))


@pytest.mark.parametrize("dtype", some(DTYPES, [np.dtype(code) for code in "edD"]), ids=str)
def test_values_of_every_dtype_follow_their_keys(xp, to_numpy, dtype):
    keys = np.random.default_rng(1).integers(0, 5, 21).astype(np.int16)
    values = np.resize([0, 1, 0, 2, 3], 21).astype(dtype)
    order = np.argsort(keys, kind="stable")
    got_keys, got = sort_by_key(xp.asarray(keys), xp.asarray(values))
    assert_same_bits(to_numpy(got_keys), keys[order])
    assert_same_bits(to_numpy(got), values[order])


@pytest.mark.parametrize("width", some([np.uint32, np.uint64], [np.uint64]))
@pytest.mark.parametrize("pattern", some(list(PATTERNS), list(PATTERNS)[:2]))
def test_patterns(xp, to_numpy, pattern, width):
    x = PATTERNS[pattern](np.arange(60)).astype(width)
    np.testing.assert_array_equal(to_numpy(sort(xp.asarray(x))), np.sort(x))
    np.testing.assert_array_equal(to_numpy(argsort(xp.asarray(x))), np.argsort(x, kind="stable"))


def test_one_bit_at_a_time(xp, to_numpy):
    """And any begin of the bits."""
    x = xp.asarray(np.array([0, 5, 2, 7], np.uint8))
    for bit, expected in enumerate(([0, 2, 5, 7], [0, 5, 2, 7], [0, 2, 5, 7])):
        for function in (sort, sort_by_bits):
            x_next = function(x, begin_bit=bit, end_bit=bit + 1)
            assert to_numpy(x_next).tolist() == expected
        x = x_next


@pytest.mark.parametrize("dtype", some(["uint8", "int16", "uint32", "float32"], ["float16"]))
@pytest.mark.parametrize("bits", some([(0, 0), (0, 3), (2, 5), (4, 8), (3, None)], [(2, 5), (13, None)]))
@pytest.mark.parametrize("descending", some([False, True], [False]))
def test_part_of_the_bits(xp, to_numpy, dtype, bits, descending):
    """Which bits are compared is the caller's choice, and equal parts keep their order."""
    begin, end = bits
    x = random(19, np.dtype(dtype))
    code = np.array([int(c) for c in sort_keys.encode(x, descending)])
    part = code >> begin & ((1 << ((8 * x.itemsize if end is None else end) - begin)) - 1)
    order = np.argsort(part, kind="stable")
    how = {"begin_bit": begin, "end_bit": end, "descending": descending}
    assert_same_bits(to_numpy(sort(xp.asarray(x), **how)), x[order])
    np.testing.assert_array_equal(to_numpy(argsort(xp.asarray(x), **how)), order)
    keys, values = sort_by_key(xp.asarray(x), xp.arange(19), **how)
    assert_same_bits(to_numpy(keys), x[order])
    np.testing.assert_array_equal(to_numpy(values), order)


def test_bits_are_counted_in_numbers_of_any_width(xp, to_numpy):
    x = xp.asarray(np.array([2**40 + 1, 5, 2**41, 3], np.uint64))
    assert to_numpy(argsort(x, begin_bit=np.int8(0), end_bit=np.int8(32))).tolist() == [2, 0, 3, 1]
    assert to_numpy(argsort(x, begin_bit=np.uint8(40), end_bit=np.int64(64))).tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("dtype", some(["uint8", "int16", "int64", "float32"], ["int16"]))
def test_bit_by_bit_is_the_same_sort(xp, to_numpy, dtype):
    x = np.concatenate([random(9, np.dtype(dtype)), np.arange(4).astype(dtype)])
    if dtype == "int16":
        x %= 8
    assert_same_bits(to_numpy(sort_by_bits(xp.asarray(x))), x[np.argsort(x, kind="stable")])


@pytest.mark.parametrize("dtype", some(["float16", "float32", "float64"], ["float32"]))
@pytest.mark.parametrize("descending", [False, True])
def test_codes_compare_like_the_keys(dtype, descending):
    x = np.array([-np.inf, -2, -1e-7, 0.0, 1e-7, 2, np.inf, np.nan], dtype)
    codes = sort_keys.encode(x, descending)
    assert (np.diff((codes[:-1] if not descending else codes[-2::-1]).astype(object)) > 0).all()
    assert codes[-1] == np.iinfo(codes.dtype).max
    assert sort_keys.encode(np.array([-0.0], dtype), descending)[0] == codes[3]
    ordered = np.sort(codes)
    expected = x if not descending else x[[6, 5, 4, 3, 2, 1, 0, 7]]
    np.testing.assert_array_equal(sort_keys.decode(ordered, x, descending), expected)


def test_special_floats(xp, to_numpy):
    """Both zeros are equal, NaN comes last whatever its sign, and all keep their bits and their order."""
    x = np.array([3, -0.0, np.nan, 0, -5, -np.nan, np.inf, -np.inf, -0.0], np.float16)
    by_width(x)[2] += 1
    assert_same_bits(to_numpy(sort(xp.asarray(x))), x[[7, 4, 1, 3, 8, 0, 6, 2, 5]])
    assert_same_bits(to_numpy(sort(xp.asarray(x), descending=True)), x[[6, 0, 1, 3, 8, 4, 7, 2, 5]])
    assert to_numpy(argsort(xp.asarray(x), descending=True)).tolist() == [6, 0, 1, 3, 8, 4, 7, 2, 5]


@pytest.mark.skipif(SIMULATED, reason="no kernel of its own")
def test_strided_views_and_operands_unchanged(xp, to_numpy):
    x = np.random.default_rng(3).integers(0, 99, 40)
    device = xp.asarray(x)
    for view in (slice(None, None, 3), slice(None, None, -1)):
        np.testing.assert_array_equal(to_numpy(sort(device[view])), np.sort(x[view]))
        keys, values = sort_by_key(device[view], device[view])
        np.testing.assert_array_equal(to_numpy(keys), to_numpy(values))
    np.testing.assert_array_equal(to_numpy(device), x)


@pytest.mark.parametrize(
    "function", [sort, argsort, lambda x, **how: sort_by_key(x, x, **how)], ids=["sort", "argsort", "by_key"]
)
def test_refuses(function):
    x = np.zeros(3, np.int16)
    for error, message, argument, how in (
        (TypeError, "must be a NumPy or CuPy array|NumPy", {1, 2}, {}),
        (TypeError, "complex numbers have no order", np.ones(2, complex), {}),
        (TypeError, "dtype object", np.array([None]), {}),
        (ValueError, "one-dimensional", np.ones((2, 2)), {}),
        (ValueError, "unknown algorithm 'quick': use one of auto, radix, merge", x, {"algorithm": "quick"}),
        (ValueError, "begin_bit and end_bit need algorithm='radix', got 'merge'", x, {"algorithm": "merge", "begin_bit": 1}),
        (ValueError, "begin_bit and end_bit need algorithm='radix'", x, {"algorithm": "odd_even", "end_bit": 8}),
        (ValueError, "0 <= begin_bit <= end_bit <= 16, got 0 and 17", x, {"end_bit": 17}),
        (ValueError, "0 <= begin_bit <= end_bit <= 16, got -1 and 16", x, {"begin_bit": -1}),
        (ValueError, "0 <= begin_bit <= end_bit <= 16, got 4 and 3", x, {"begin_bit": 4, "end_bit": 3}),
        (TypeError, "integer", x, {"begin_bit": 0.5}),
        (TypeError, "integer", x, {"end_bit": 8.0}),
    ):
        with pytest.raises(error, match=message):
            function(argument, **how)


def test_refuses_values_of_another_length():
    with pytest.raises(ValueError, match="keys and values must have the same length, got 3 and 2"):
        sort_by_key(np.zeros(3), np.zeros(2))


@pytest.mark.parametrize("algorithm", ["merge", "bitonic", "odd_even"])
def test_other_algorithms_are_called_by_name(monkeypatch, algorithm):
    module = importlib.import_module("spark_csr.primitives.sort")
    calls = []

    class Backend:
        def __getattr__(self, name):
            return lambda keys, payload: calls.append((name, keys.dtype, payload.dtype))

    monkeypatch.setattr(module, "backend_of", lambda *arrays: Backend())
    argsort(np.ones(3, np.float32), algorithm=algorithm)
    assert calls == [(f"{algorithm}_sort", np.uint32, np.uint32)]


def test_same_order_for_any_number_of_threads(cpu_only, monkeypatch):
    monkeypatch.setattr(TUNING, "radix_serial", 1000)
    x = np.random.default_rng(0).integers(0, 300, 20_000)
    with config(threads=1):
        expected = argsort(x)
    np.testing.assert_array_equal(argsort(x), expected)
    np.testing.assert_array_equal(expected, np.argsort(x, kind="stable"))


@pytest.mark.parametrize("skewed", [False, True])
def test_many_shares(cpu_only, monkeypatch, skewed):
    """On the cores: every share has buckets, and where many keys begin alike their bucket is fetched in several blocks."""
    monkeypatch.setattr(TUNING, "radix_serial", 1000)
    rng = np.random.default_rng(0)
    x = rng.integers(0, 1 << 32, 20_000, np.uint32)
    if skewed:
        x[rng.random(x.size) < 0.7] &= 255
    np.testing.assert_array_equal(sort(x), np.sort(x))
    np.testing.assert_array_equal(argsort(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("blocks", [1, 3, 100])
def test_each_block_of_a_gpu_counts_digits_of_some_tiles(xp, to_numpy, monkeypatch, blocks):
    if xp is np and not SIMULATED:
        pytest.skip("cores do not count by tiles")
    monkeypatch.setattr(importlib.import_module("spark_csr._cuda.tuning").TUNING, "radix_blocks", blocks)
    x = np.random.default_rng(0).integers(0, 1 << (9 if SIMULATED else 16), 100 if SIMULATED else 30_000, np.uint32)
    np.testing.assert_array_equal(to_numpy(argsort(xp.asarray(x))), np.argsort(x, kind="stable"))


@pytest.mark.skipif(not ptx_mode.ON, reason="blocks run at one time where compiled kernels do: SPARK_CSR_PTX=1")
@pytest.mark.parametrize("seed", range(4))
def test_blocks_of_a_gpu_that_overtake_others(xp, to_numpy, seed):
    """They wait, and take no word of the pass before for one of this pass."""
    x = np.random.default_rng(0).integers(0, 1 << 16, 60_000, np.uint32)
    with importlib.import_module("ptx").options(quantum=3000, resident=16, seed=1000 * seed):
        found = argsort(xp.asarray(x))
    np.testing.assert_array_equal(to_numpy(found), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_counts_of_a_gpu_in_words_of_64_bits(xp, to_numpy, monkeypatch, dtype):
    """As for a billion keys: several tiles, an even and an odd number of passes."""
    if xp is np and not SIMULATED:
        pytest.skip("cores do not count by tiles")
    monkeypatch.setattr(importlib.import_module("spark_csr._cuda.radix"), "FEW", 0)
    for bits in (5, 9, 14):
        x = np.random.default_rng(0).integers(0, 1 << bits, 100 if SIMULATED else 30_000, dtype)
        np.testing.assert_array_equal(to_numpy(argsort(xp.asarray(x))), np.argsort(x, kind="stable"))


@pytest.mark.skipif(SIMULATED, reason="every example takes seconds")
@given(arrays(np.float32, st.integers(0, 24), elements=st.floats(width=32, allow_nan=True)), st.booleans())
def test_stable_order_of_floats(x, descending):
    order = stable_order(x, descending)
    np.testing.assert_array_equal(argsort(x, descending=descending), order)
    assert_same_bits(sort(x, descending=descending), x[order])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16"])
@pytest.mark.parametrize("descending", [False, True])
def test_more_keys_than_values(cpu_only, dtype, descending):
    """On the cores such keys are counted, not moved."""
    x = random(70_000, np.dtype(dtype))
    assert_same_bits(sort(x, descending=descending), x[stable_order(x, descending)])


@pytest.mark.parametrize("algorithm", ["merge", "bitonic", "odd_even"])
def test_the_other_algorithms_give_the_same(xp, to_numpy, algorithm):
    x = np.array([3, -0.0, np.nan, 0.0, -7, np.inf, 3, 1, -np.inf, 2.5, 0.0])
    got = to_numpy(sort(xp.asarray(x), algorithm=algorithm))
    np.testing.assert_array_equal(got, np.sort(x))
    order = to_numpy(argsort(xp.asarray(x), algorithm=algorithm, descending=True))
    np.testing.assert_array_equal(x[order], np.append(np.sort(x)[:-1][::-1], np.nan))
    if algorithm != "bitonic":
        np.testing.assert_array_equal(order, to_numpy(argsort(xp.asarray(x), descending=True)))


@pytest.mark.parametrize("dtype", ORDERED)
@pytest.mark.parametrize("n", [0, 1, 2, 100, 2047, 2048])
@pytest.mark.parametrize("vectorised", [False, True])
def test_few_keys_are_sorted_by_numpy(cpu_only, monkeypatch, dtype, n, vectorised):
    """With the same bits as many keys are."""
    dtype = np.dtype(dtype)
    x, values = random(n, dtype, seed=n), np.arange(n, dtype=np.int16)
    module = importlib.import_module("spark_csr.primitives.sort")
    by_kernels = sort(x), argsort(x), *sort_by_key(x, values)
    monkeypatch.setattr(module, "FEW", 2048)
    monkeypatch.setattr(module, "SOME", 2**19)
    monkeypatch.setattr(module, "_is_vectorised", lambda dtype: vectorised)
    monkeypatch.setattr(module, "_sort", None)
    for found, expected in zip((sort(x), argsort(x), *sort_by_key(x, values)), by_kernels, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.view(np.uint8), expected.view(np.uint8))


def test_whether_numpy_sorts_with_vector_instructions_is_measured(monkeypatch):
    module = importlib.import_module("spark_csr.primitives.sort")
    for seconds, expected in (({"stable": 9, "quicksort": 4}, True), ({"stable": 9, "quicksort": 5}, False)):
        monkeypatch.setattr(module.timeit, "repeat", lambda call, seconds=seconds, **how: [seconds[call.keywords["kind"]], 99])
        assert module._is_vectorised.__wrapped__(np.dtype(np.int32)) is expected
    assert not module._is_vectorised.__wrapped__(np.dtype(np.int16))


HIGH_DIGITS = {
    "spread": lambda i, rng: rng.integers(0, 1 << 62, i.size),
    "few highest digits": lambda i, rng: rng.integers(0, 3, i.size) << 60 | rng.integers(0, 1 << 20, i.size),
    "alike but for the lowest digit": lambda i, rng: (i * 7919 % 509) << 40 | rng.integers(0, 200, i.size),
    "many alike that no sample sees": lambda i, rng: np.where(np.isin(i, (PLACES * i.size).astype(int)), i << 48, i.size - i),
    "alike": lambda i, rng: i * 0 + (5 << 50),
    "sorted": lambda i, rng: i << 20,
}


@pytest.mark.parametrize("keys", list(HIGH_DIGITS))
@pytest.mark.parametrize("n", [255, 256, 6400])
def test_highest_digits_and_insertion(cpu_only, monkeypatch, keys, n):
    """On one core: by as many digits as a sample asks for; if that was too few, by all."""
    monkeypatch.setattr(TUNING, "radix_serial", n)
    x = HIGH_DIGITS[keys](np.arange(n), np.random.default_rng(0)).astype(np.int64)
    for kind in (x, x.astype(np.uint64) >> np.uint64(30), np.sin(x.astype(float))):
        order = np.argsort(kind, kind="stable")
        np.testing.assert_array_equal(argsort(kind), order)
        np.testing.assert_array_equal(sort(kind), kind[order])
        for found, expected in zip(sort_by_key(kind, x), (kind[order], x[order]), strict=True):
            np.testing.assert_array_equal(found, expected)
