"""The interpreter on kernels that numba-cuda compiles: known answers, and faults that are planted for it to find."""

import collections
import importlib
import shutil
import struct

import numpy as np
import pytest

import ptx

if not ptx.available():
    pytest.skip("needs a C++ compiler and numba-cuda, and not the simulator", allow_module_level=True)

from ptx import allowed, build, mutations, naming, record, settings
from ptx import run as run_module
from spark_csr._engine.gpu.compile import ptx_of, type_of
from spark_csr._engine.gpu.target import cuda, device_function
from spark_csr._engine.numba.parameters import look_over

FULL = 0xFFFFFFFF


def _parameters(args):
    """What a launch passes, arrays as views."""
    found = []
    look_over(args, True, found, [])
    return found


def _packed(x):
    """The bytes of a parameter: Python's numbers have 64 bits."""
    return struct.pack("<Q", x.ctypes.data) if isinstance(x, np.ndarray) else np.asarray(x).tobytes()


SEEDS = range(5)


@pytest.fixture(autouse=True)
def own_record(monkeypatch):
    """What these tests plant is no finding of a test run."""
    monkeypatch.setattr(record, "counters", collections.defaultdict(collections.Counter))
    monkeypatch.setattr(record, "findings", {})
    monkeypatch.setattr(mutations, "mutants", {})


def compiled(function, args, threads):
    """Return the program of a kernel for arguments of these types."""
    types = tuple(type_of(x, True) for x in args)
    program = ptx.load(ptx.assemble(ptx_of(function, types, threads, (9, 0)), (9, 0)))
    program.name = f"{function.__module__}.{function.__name__}"
    return program


def launch(program, blocks, threads, args, **changes):
    """Launch on copies of the arrays, which are returned."""
    fresh = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    arrays = [x for x in fresh if isinstance(x, np.ndarray)]
    buffers = [ptx.Buffer(x.ctypes.data, x.nbytes, x.itemsize, x.ctypes.data, f"array {k}") for k, x in enumerate(arrays)]
    passed = list(map(_packed, _parameters(fresh)))
    with ptx.options(**changes):
        ptx.launch(program, blocks, threads, passed, buffers)
    return fresh


def run(function, blocks, threads, *args, **changes):
    """Compile and launch with several seeds; return the arrays of the last launch."""
    program = compiled(function, args, threads)
    return [launch(program, blocks, threads, args, **{"seed": seed, **changes}) for seed in SEEDS][-1]


def faults(function, blocks, threads, *args, **changes):
    """Return what is found with each of several seeds, as text."""
    program, texts = compiled(function, args, threads), []
    for seed in SEEDS:
        try:
            launch(program, blocks, threads, args, **{"seed": seed, **changes})
        except ptx.Finding as finding:
            texts.append(str(finding))
        else:
            texts.append("")
    return texts


# Shared memory and barriers


def _reverse(x, y):
    s = cuda.shared.array(128, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * 128 + t]
    cuda.syncthreads()
    y[cuda.blockIdx.x * 128 + t] = s[127 - t]


def _reverse_without_barrier(x, y):
    s = cuda.shared.array(128, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * 128 + t]
    y[cuda.blockIdx.x * 128 + t] = s[127 - t]


ROWS = np.arange(512.0), np.zeros(512)


def test_shared_memory():
    x, y = run(_reverse, 4, 128, *ROWS)
    np.testing.assert_array_equal(y.reshape(4, 128), x.reshape(4, 128)[:, ::-1])


def test_a_missing_barrier_is_found():
    for text in faults(_reverse_without_barrier, 4, 128, *ROWS):
        assert "racecheck: a read and a write of shared memory" in text or "initcheck" in text


def _exchange(x, y):
    s = cuda.shared.array(32, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncwarp()
    y[t] = s[31 - t]


def _exchange_without_barrier(x, y):
    s = cuda.shared.array(32, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    y[t] = s[31 - t]


def test_lanes_of_a_warp_need_a_barrier_too():
    x, y = run(_exchange, 1, 32, *ROWS)
    np.testing.assert_array_equal(y[:32], x[31::-1])
    assert all(
        "racecheck: a read and a write of shared memory" in text for text in faults(_exchange_without_barrier, 1, 32, *ROWS)
    )


def _two_writers(x, y):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t // 2] = x[t]
    cuda.syncthreads()
    y[t] = s[t // 2]


def test_two_writes_to_shared_memory():
    assert all("racecheck: two writes to shared memory" in text for text in faults(_two_writers, 1, 128, *ROWS))


def _beyond_shared(x, y):
    s = cuda.shared.array(100, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    y[t] = s[t]


def _unwritten(x, y):
    s = cuda.shared.array(128, np.float64)
    t = cuda.threadIdx.x
    if t != 77:
        s[t] = x[t]
    cuda.syncthreads()
    y[t] = s[t]


def _beyond_global(x, y):
    t = cuda.blockIdx.x * 128 + cuda.threadIdx.x
    y[t] = x[t + 1]


@pytest.mark.parametrize(
    "kernel, blocks, text",
    [
        (_beyond_shared, 1, "memcheck: access outside of shared memory"),
        (_unwritten, 1, "initcheck: read of shared memory that nothing wrote"),
        (_beyond_global, 4, "memcheck: access outside of the kernel's arrays"),
    ],
)
def test_memory_faults(kernel, blocks, text):
    assert all(text in found for found in faults(kernel, blocks, 128, *ROWS))


def test_misaligned_arrays():
    held = np.zeros(130 * 8 + 4, np.uint8)
    x = held[4 : 4 + 128 * 8].view(np.float64)
    program = compiled(_reverse, ROWS, 128)
    buffer = ptx.Buffer(x.ctypes.data, x.nbytes, 8, held.ctypes.data)
    passed = [struct.pack("<Q", x.ctypes.data) if isinstance(v, np.ndarray) else _packed(v) for v in _parameters((x, x))]
    with pytest.raises(ptx.Finding, match="memcheck: address that is no multiple of the size"):
        ptx.launch(program, 1, 128, passed, [buffer])


def _divergent(x, y):
    t = cuda.threadIdx.x
    if x[t] > 3:
        cuda.syncthreads()
        y[t] = 1
    else:
        y[t] = 2
        cuda.syncthreads()
        y[t] += 2


def _early_end(x, y):
    t = cuda.threadIdx.x
    if x[t] > 70:
        return
    cuda.syncthreads()
    y[t] = 1


def _shuffle_of_some(x, y):
    t = cuda.threadIdx.x
    if t < 20:
        y[t] = cuda.shfl_sync(FULL, x[t], (t + 1) % 32)


def _shuffle_beyond_its_mask(x, y):
    t = cuda.threadIdx.x
    if t < 16:
        y[t] = cuda.shfl_sync(0xFFFF, x[t], (t + 1) % 32)
    else:
        y[t] = cuda.shfl_sync(0xFFFF0000, x[t], (t + 1) % 32)


@pytest.mark.parametrize(
    "kernel, threads, text",
    [
        (_divergent, 64, "synccheck: one barrier reached at two places"),
        (_early_end, 128, "synccheck: barrier after some threads have ended"),
        (_shuffle_of_some, 32, "synccheck: mask"),
        (_shuffle_beyond_its_mask, 32, "synccheck: shuffle from a lane"),
    ],
)
def test_barriers_and_masks(kernel, threads, text):
    assert all(text in found for found in faults(kernel, 1, threads, *ROWS))


def _each_waits_for_the_other(x, y):
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncwarp(FULL)
    else:
        cuda.syncthreads()
    y[t] = x[t]


def test_deadlock():
    assert all("synccheck: all threads wait" in text for text in faults(_each_waits_for_the_other, 1, 32, *ROWS))


# Global memory


def _two_global_writers(x, y):
    y[cuda.threadIdx.x % 7] = x[cuda.blockIdx.x * 64 + cuda.threadIdx.x]


def _same_value(x, y):
    y[cuda.threadIdx.x % 7] = 5


def _read_beside_write(x, y):
    t = cuda.blockIdx.x * 64 + cuda.threadIdx.x
    x[t] = x[(t + 64) % 256] + 1


def test_two_writes_to_global_memory():
    assert all("racecheck: two writes to global memory" in text for text in faults(_two_global_writers, 4, 64, *ROWS))


@pytest.mark.parametrize("weak", [0, 1])
def test_one_value_may_be_written_twice(weak):
    assert run(_same_value, 4, 64, *ROWS, weak=weak, quantum=3, drain=1)[1][:8].tolist() == [5.0] * 7 + [0.0]
    assert {one.kind for one, _, _ in record.findings.values()} == {"global_same_write"}


def test_a_read_beside_a_write_fails_unless_it_is_allowed(monkeypatch):
    assert any("racecheck: a read and a write of global memory" in text for text in faults(_read_beside_write, 4, 64, *ROWS))
    name = f"{__name__}._read_beside_write"
    monkeypatch.setitem(allowed.ALLOWED, name, ({"global_read_write"}, "it is a test"))
    run(_read_beside_write, 4, 64, *ROWS)
    assert f"allowed: {name}" in ptx.report()


def _spin(x, flag):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass


def test_a_launch_that_does_not_end():
    texts = faults(_spin, 1, 32, np.zeros(1), np.zeros(1, np.int64), steps=100_000)
    assert all("more instructions than the step limit" in text for text in texts)


@device_function
def _look_back(x, sums, flags, before, fence):
    """Each block adds up its items, waits for the total of the one before it, and tells its own."""
    s = cuda.shared.array(1, np.int64)
    t, b = cuda.threadIdx.x, cuda.blockIdx.x
    if t == 0:
        s[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(s, 0, x[b * 64 + t])
    cuda.syncthreads()
    if t == 0:
        total = 0
        if b > 0:
            while cuda.atomic.add(flags, b - 1, 0) == 0:
                pass
            if fence:
                cuda.threadfence()
            total = sums[b - 1]
        sums[b] = total + s[0]
        if fence:
            cuda.threadfence()
        cuda.atomic.max(flags, b, 1)
        before[b] = total


def _look_back_with_fence(x, sums, flags, before):
    _look_back(x, sums, flags, before, True)


def _look_back_without_fence(x, sums, flags, before):
    _look_back(x, sums, flags, before, False)


ITEMS = np.arange(20 * 64)
CHAIN = ITEMS, np.full(20, -(10**6)), np.zeros(20, np.int64), np.zeros(20, np.int64)
BEFORE = np.r_[0, np.cumsum(ITEMS.reshape(20, 64).sum(1))[:-1]]


@pytest.mark.parametrize("weak", [0, 1])
def test_blocks_that_wait_for_one_another(weak):
    np.testing.assert_array_equal(run(_look_back_with_fence, 20, 64, *CHAIN, weak=weak)[3], BEFORE)


def test_blocks_that_start_in_any_order():
    """Four of them at a time wait for ever for those that have not started."""
    texts = faults(_look_back_with_fence, 20, 64, *CHAIN, shuffle=1, steps=100_000)
    assert all("more instructions than the step limit" in text for text in texts)
    np.testing.assert_array_equal(run(_look_back_with_fence, 20, 64, *CHAIN, shuffle=1, resident=20)[3], BEFORE)


def test_a_missing_fence_is_found():
    assert any(
        "racecheck: a read and a write of global memory" in text for text in faults(_look_back_without_fence, 20, 64, *CHAIN)
    )


def test_a_missing_fence_gives_wrong_results():
    program = compiled(_look_back_without_fence, CHAIN, 64)
    results = [launch(program, 20, 64, CHAIN, seed=seed, weak=1, race=0, drain=20)[3] for seed in range(20)]
    assert not all((result == BEFORE).all() for result in results)


# Known answers


def _arithmetic(a, b, out, f):
    t = cuda.blockIdx.x * 64 + cuda.threadIdx.x
    x, y = a[t], b[t]
    k = t * 22
    out[k], out[k + 1], out[k + 2] = x + y, x - y, x * y
    out[k + 3] = x // y if y != 0 else 0
    out[k + 4] = x % y if y != 0 else 0
    out[k + 5], out[k + 6], out[k + 7] = x & y, x | y, x ^ y
    out[k + 8], out[k + 9] = x << (y & 63), x >> (y & 63)
    out[k + 10], out[k + 11] = min(x, y), max(x, y)
    out[k + 12] = np.int64(np.int32(x)) * np.int64(np.int32(y))
    out[k + 13], out[k + 14] = cuda.popc(np.uint64(x)), cuda.clz(np.int64(x))
    out[k + 15], out[k + 16] = np.int64(np.int8(x)), np.int64(np.uint16(x))
    out[k + 17] = np.int64(np.int16(x)) - np.int64(np.uint8(y))
    out[k + 18] = abs(x)
    out[k + 19] = np.int64(x < y) + 2 * np.int64(np.uint64(x) < np.uint64(y))
    out[k + 20] = np.int64(np.float64(x) * 0.5)
    out[k + 21] = np.int64(np.float32(x) / np.float32(3))
    f[t * 3] = np.float64(x) / np.float64(y) if y != 0 else 0.0
    f[t * 3 + 1] = np.float64(np.float32(x))
    f[t * 3 + 2] = np.float64(np.uint64(y))


def test_arithmetic():
    rng = np.random.default_rng(5)
    n = 64 * 40
    a, b = (rng.integers(-(2**62), 2**62, n) >> rng.integers(0, 63, n) for _ in range(2))
    a[:8] = [0, 1, -1, 2**62, -(2**62), 2**31, -(2**31), 255]
    _, _, out, f = run(_arithmetic, 40, 64, a, b, np.zeros(n * 22, np.int64), np.zeros(n * 3))
    divisor, unsigned = np.where(b == 0, 1, b), a.astype(np.uint64)
    bits = [format(int(v), "064b") for v in unsigned]
    with np.errstate(all="ignore"):
        wanted = [a + b, a - b, a * b, np.where(b == 0, 0, a // divisor), np.where(b == 0, 0, a % divisor), a & b, a | b, a ^ b]
        wanted += [a << (b & 63), a >> (b & 63), np.minimum(a, b), np.maximum(a, b)]
        wanted += [a.astype(np.int32).astype(np.int64) * b.astype(np.int32)]
        wanted += [[v.count("1") for v in bits], [64 - len(v.lstrip("0")) for v in bits]]
        wanted += [a.astype(np.int8), a.astype(np.uint16), a.astype(np.int16).astype(np.int64) - b.astype(np.uint8), abs(a)]
        wanted += [(a < b) + 2 * (unsigned < b.astype(np.uint64)), (a * 0.5).astype(np.int64)]
        wanted += [(a.astype(np.float32) / np.float32(3)).astype(np.int64)]
        floats = [np.where(b == 0, 0, a / divisor), a.astype(np.float32), b.astype(np.uint64).astype(float)]
    np.testing.assert_array_equal(out.reshape(n, 22).T, wanted)
    np.testing.assert_array_equal(f.reshape(n, 3).T, floats)


def _warp_words(x, out):
    t = cuda.threadIdx.x
    k = t * 8
    out[k] = cuda.ballot_sync(FULL, x[t] > 5)
    out[k + 1] = cuda.shfl_up_sync(FULL, x[t], 3)
    out[k + 2] = cuda.shfl_down_sync(FULL, x[t], 5)
    out[k + 3] = cuda.shfl_xor_sync(FULL, x[t], 9)
    out[k + 4] = cuda.match_any_sync(FULL, x[t] % 4)
    out[k + 5] = cuda.any_sync(FULL, x[t] > 9) * 2 + cuda.all_sync(FULL, x[t] > 0)
    if x[t] % 2 == 0:
        cuda.syncwarp()
        out[k + 6] = t
    else:
        cuda.syncwarp()
        out[k + 6] = -t
    out[k + 7] = cuda.shfl_sync(FULL, x[t] * 2**40, t + 1)


def test_words_of_a_warp():
    values = np.random.default_rng(5).integers(0, 12, 64)
    _, out = run(_warp_words, 1, 64, values, np.zeros(512, np.int64))
    lane = np.arange(32)
    for warp, (v, got) in enumerate(zip(values.reshape(2, 32), out.reshape(2, 32, 8), strict=True)):
        mask = lambda chosen: int((chosen * (1 << lane)).sum())  # noqa: E731
        expected = [
            np.full(32, mask(v > 5)),
            np.where(lane >= 3, v[lane - 3], v),
            np.where(lane < 27, v[(lane + 5) % 32], v),
            v[lane ^ 9],
            [mask(v % 4 == one) for one in v % 4],
            np.full(32, 2 * (v > 9).any() + (v > 0).all()),
            np.where(v % 2 == 0, lane + 32 * warp, -lane - 32 * warp),
            v[(lane + 1) % 32] * 2**40,
        ]
        got[:, [0, 4]] &= FULL
        np.testing.assert_array_equal(got.T, expected)


def _atomics(x, i, f, m):
    t = cuda.blockIdx.x * 64 + cuda.threadIdx.x
    cuda.atomic.add(i, x[t] % 5, x[t])
    cuda.atomic.min(m, 0, x[t])
    cuda.atomic.max(m, 1, x[t])
    cuda.atomic.add(f, 0, 0.5)
    cuda.atomic.min(f, 1, np.float64(x[t]))
    cuda.atomic.max(f, 2, np.float64(x[t]))
    cuda.atomic.cas(m, 2, 0, x[t])
    cuda.atomic.exch(m, 3, x[t])
    cuda.atomic.and_(m, 4, x[t])
    cuda.atomic.or_(m, 5, x[t])
    cuda.atomic.xor(m, 6, x[t])


def test_atomics():
    x = np.random.default_rng(5).integers(1, 10**6, 640)
    start = np.array([0, np.inf, -np.inf]), np.array([10**9, -1, 0, 0, -1, 0, 0])
    _, i, f, m = run(_atomics, 10, 64, x, np.zeros(5, np.int64), *start)
    np.testing.assert_array_equal(i, np.bincount(x % 5, x, 5))
    np.testing.assert_array_equal(f, [320, x.min(), x.max()])
    np.testing.assert_array_equal(m[:2], [x.min(), x.max()])
    np.testing.assert_array_equal(m[4:], [np.bitwise_and.reduce(x), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x)])
    assert m[2] in x
    assert m[3] in x


# Counters


def _strided(x, y, step):
    t = cuda.threadIdx.x
    y[t] = x[t * step]


@pytest.mark.parametrize("step, sectors", [(1, 8), (2, 16), (4, 32), (0, 1)])
def test_sectors(step, sectors):
    run(_strided, 1, 32, np.zeros(4096), np.zeros(64), step, seed=1)
    counted, times = ptx.total(), len(SEEDS)
    assert counted["load_requests"] == times
    assert counted["load_sectors"] == times * sectors
    assert counted["store_sectors"] == times * 8
    assert counted["launches"] == times
    assert f"5 | {counted['warp_instructions']} | 32.00 | {sectors}.00 | 8.00 |" in ptx.table()


def _three_times(x, y, between):
    """Loads the same element twice, and once more after so many others."""
    t = cuda.threadIdx.x
    total = x[t]
    cuda.syncthreads()
    total += x[t]
    for k in range(between):
        total += x[t + 32 * (k + 1)]
    cuda.syncthreads()
    y[t] = total + x[t]


@pytest.mark.parametrize("between, far", [(0, 8), (20, 8 * 21), (400, 8 * 402)])
def test_far_sectors(between, far):
    """A block has a cache of 512 sectors, but loads of another block find nothing there."""
    run(_three_times, 1, 32, np.zeros(32 * 401), np.zeros(32), between, seed=1)
    counted, times = ptx.total(), len(SEEDS)
    assert counted["load_sectors"] == times * 8 * (3 + between)
    assert counted["far_sectors"] == times * far
    run(_three_times, 5, 32, np.zeros(32 * 401), np.zeros(32), between, seed=1, race=0)
    assert ptx.total()["far_sectors"] == times * far * 6


def _banked(y):
    s = cuda.shared.array(1024, np.int32)
    t = cuda.threadIdx.x
    s[t * 2] = t
    cuda.syncwarp()
    y[t] = s[t * 2]


def test_banks():
    program = compiled(_banked, (np.zeros(32, np.int32),), 32)
    launch(program, 1, 32, (np.zeros(32, np.int32),))
    assert (ptx.total()["shared_requests"], ptx.total()["shared_wavefronts"]) == (2, 4)


def test_one_seed_is_one_schedule(monkeypatch):
    x = np.random.default_rng(5).integers(1, 10**6, 640)
    program = compiled(_two_global_writers, ROWS, 64)
    winners = []
    for seed in (3, 3, 4, 5, 6, 7):
        record.findings.clear()
        with ptx.options(race=0):
            monkeypatch.setitem(run_module._launches, "number", 0)
            winners.append(launch(program, 4, 64, (x[:512].astype(float), ROWS[1]), seed=seed)[1].tolist())
    assert winners[0] == winners[1]
    assert len(set(map(tuple, winners))) > 1


# Launches, options, mutants, and where there is no compiler


def test_arguments_are_checked():
    program = compiled(_strided, (np.zeros(1), np.zeros(1), 1), 64)
    sizes = [size for _, size in program.parameters]
    assert sizes == [8] * 15
    good = [bytes(8)] * 15
    with pytest.raises(ptx.Finding, match=r"_strided has 15 parameters and is passed 14 arguments"):
        ptx.launch(program, 1, 32, good[:-1], [])
    with pytest.raises(ptx.Finding, match=r"parameter 14 of .*_strided has 8 bytes and is passed 4"):
        ptx.launch(program, 1, 32, [*good[:-1], bytes(4)], [])
    with pytest.raises(ptx.Finding, match="128 threads a block, but compiled for at most 64"):
        ptx.launch(program, 1, 128, good, [])
    assert program.threads == 64


def test_programs_of_another_version_are_parsed_anew(monkeypatch):
    code = ptx.assemble(ptx_of(_reverse, tuple(type_of(x, True) for x in ROWS), 128, (9, 0)))
    monkeypatch.setattr(ptx, "source_digest", lambda: "another")
    program = ptx.load(code)
    x, y = launch(program, 4, 128, ROWS)
    np.testing.assert_array_equal(y.reshape(4, 128), x.reshape(4, 128)[:, ::-1])


def test_options(monkeypatch):
    before = dict(settings.current)
    with ptx.options(weak=1, seed=9):
        assert settings.current == {**before, "weak": 1, "seed": 9}
    assert settings.current == before
    with pytest.raises(TypeError, match="unknown options: speed"), ptx.options(speed=1):
        pass
    monkeypatch.setenv(settings.VARIABLE, "seed=4,weak=1")
    assert settings._from_environment() == {**settings.DEFAULTS, "seed": 4, "weak": 1}
    monkeypatch.setenv(settings.VARIABLE, "sed=4")
    with pytest.raises(ValueError, match="sed"):
        settings._from_environment()


def test_a_barrier_that_is_taken_away_is_noticed():
    program = compiled(_reverse, ROWS, 128)
    x, y = launch(program, 4, 128, ROWS, mutate=2)
    np.testing.assert_array_equal(y.reshape(4, 128), x.reshape(4, 128)[:, ::-1])
    (mutant,) = (m for m in mutations.mutants.values() if m.change == "barrier removed")
    assert "racecheck" in mutant.noticed or "initcheck" in mutant.noticed
    assert "barrier removed: 1 of 1 noticed" in ptx.report()


def _guarded(x, y):
    t = cuda.blockIdx.x * 64 + cuda.threadIdx.x
    if t < x.size:
        y[t] = x[t]


def test_a_guard_that_is_taken_away_is_noticed():
    program = compiled(_guarded, ROWS, 64)
    x, y = launch(program, 9, 64, ROWS, mutate=1)
    np.testing.assert_array_equal(x, y)
    assert mutations.mutants
    assert all(m.noticed for m in mutations.mutants.values())


def test_records_of_processes_are_put_together():
    run(_same_value, 4, 64, *ROWS)
    launches, ((one, count, test),) = ptx.total()["launches"], list(record.findings.values())
    ptx.merge(ptx.collected())
    assert ptx.total()["launches"] == 2 * launches
    assert list(record.findings.values()) == [[one, 2 * count, test]]


def test_names_of_kernels():
    claim, foreach = (importlib.import_module(f"spark_csr._cuda.{name}") for name in ("claim", "foreach"))
    union = importlib.import_module("spark_csr.graph.union")
    assert ptx.name_of(claim.KERNELS[np.dtype(np.int32)].function) == "spark_csr._cuda.claim._claim_places"
    named = ptx.name_of(foreach._kernel(union._rise).function)
    assert named == "spark_csr._cuda.foreach._visit(spark_csr.graph.union._rise)"
    assert naming.names_in(named) == ["spark_csr._cuda.foreach._visit", "spark_csr.graph.union._rise"]


def test_without_a_compiler(monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert not ptx.available()
    with pytest.raises(RuntimeError, match="a C\\+\\+ compiler is needed"):
        build._command()
