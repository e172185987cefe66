"""Times of kernels for GPUs that are estimated from counts, and counts of CUB's kernels beside ours."""

import collections
import importlib
import pathlib
import sys

import numpy as np
import pytest

import ptx_mode

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "asv_benchmarks"


@pytest.fixture(scope="module")
def scripts():
    """The scripts by name; they import each other."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield {name: importlib.import_module(name) for name in ("gpu_counts", "gpu_model", "gpu_peers")}
    finally:
        sys.path.remove(str(FOLDER))


def counted(**some):
    return collections.Counter({"launches": 1, **some})


@pytest.mark.parametrize(
    "some, part, at_least",
    [
        ({"bytes_read": 2e9, "bytes_written": 1e9, "warp_instructions": 10}, "memory", 1e-3),
        ({"far_sectors": 1e8, "store_sectors": 1e8, "load_sectors": 1e8}, "second cache", 6.4e9 / 5.5e12),
        ({"load_sectors": 4e8, "far_sectors": 1}, "first cache", 1e8 / (132 * 1.755e9)),
        ({"warp_instructions": 132 * 4 * 1e6}, "issue", 1e6 / 1.755e9),
        ({"shared_wavefronts": 132 * 1e6, "warp_instructions": 132}, "banks", 1e6 / 1.755e9),
    ],
)
def test_what_decides(scripts, some, part, at_least):
    model = scripts["gpu_model"]
    gpu, kernels = model.GPUS[0], {"one": counted(**some)}
    assert model.slowest(kernels, gpu) == part
    taken = model.bounds(kernels["one"], gpu)[part]
    assert at_least <= taken <= 1.5 * at_least
    for factor in (1, 10):
        expected = factor * taken + 3 * model.HOST_READ + model.LAUNCH
        np.testing.assert_allclose(model.seconds(kernels, 3, factor, gpu), expected)


def test_memory_is_faster_on_the_second(scripts):
    model, kernels = scripts["gpu_model"], {"one": counted(bytes_read=1e9)}
    first, second = (model.seconds(kernels, 0, 1, gpu) for gpu in model.GPUS)
    assert first > second > 0.5 * first


def test_what_is_kept_of_peers_is_what_rows_name(scripts):
    model, peers = scripts["gpu_model"], scripts["gpu_peers"]
    kept = model.counted_peers()
    assert list(kept) == list(peers.rows())
    named = {row.peer for row in model.published().values()} - {""}
    assert named <= set(kept)
    for row in kept.values():
        taken = dict(model.estimate(row, 10 * row["items"]))["CUB, counted"]
        assert 1 < taken < 1e5


@pytest.mark.skipif(not ptx_mode.ON, reason="kernels are compiled and executed: SPARK_CSR_PTX=1")
def test_a_row_of_the_model(xp, scripts):
    model = scripts["gpu_model"]
    row = model.published()["A @ x, as circuit5M, 59.5M entries"]
    found = model.count(row.made)
    name, items, first, second, part, others = model.line("row", found, row.items, row.others)
    assert (name, items, part) == ("row", "5.95e+07", "memory")
    assert 190 < float(second) < float(first) < 400  # 12 bytes an entry at 4.3 TB/s take 166 us
    assert others.startswith("cuSPARSE: 381 us, ")
    assert len(model.kernel_lines(found, row.items)) == len(found[2]) > 1


COPY = """.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 used = 5;
.global .align 4 .u32 other;
\t// .globl\tadd_one
.visible .entry add_one(
\t.param .align 8 .b8 add_one_param_0[16]
)
{
\t.reg .b64 %rd<9>;
\t.reg .b32 %r<9>;
\tmov.b64 \t%rd1, add_one_param_0;
\tld.param.u64 \t%rd2, [%rd1];
\tld.param.u32 \t%r1, [%rd1+8];
\tld.global.u32 \t%r3, [used];
\tadd.u32 \t%r2, %r1, %r3;
\tst.global.u32 \t[%rd2], %r2;
\tret;

}
\t// .globl\tnothing
.visible .entry nothing(

)
{
\tret;

}
"""


@pytest.mark.skipif(not ptx_mode.ON, reason="kernels are executed: SPARK_CSR_PTX=1")
def test_kernels_of_nvcc(xp, scripts):
    """Each is a program of its own, and finds its parameters where nvcc takes their address."""
    import ptx

    program_of = scripts["gpu_peers"].programs_of(COPY)
    x = np.zeros(4, np.uint32)
    given = [x.ctypes.data.to_bytes(8, "little") + (7).to_bytes(8, "little")]
    ptx.launch(program_of("add_one"), 1, 1, given, [ptx.Buffer(x.ctypes.data, x.nbytes, 4, x.ctypes.data)])
    assert x.tolist() == [12, 0, 0, 0]
    assert "other" not in program_of("add_one").text
    ptx.launch(program_of("nothing"), 1, 1, [], [])
