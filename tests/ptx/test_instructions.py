"""Single PTX instructions with known answers. No kernel is compiled."""

import math
import struct

import numpy as np
import pytest

import ptx

if not ptx.available():
    pytest.skip("needs a C++ compiler and numba-cuda", allow_module_level=True)

NAN32, NAN16 = 0x7FFFFFFF, 0x7FFF
REGISTERS = {"b16": "%rs", "b32": "%r", "b64": "%rd"}
HEAD = """
.version 8.0
.target sm_90
.address_size 64
"""
DECLARED = ".reg .pred %p<9>; .reg .b16 %rs<99>; .reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<9>; .reg .f64 %fd<9>;"


OWN_WORD = """ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;
"""
"""%rd3: the address of the word that is the thread's own."""


def program(body, before="", parameters=".param .u64 p0"):
    """Return the program of a kernel with this body."""
    return ptx.load(ptx.assemble(f"{HEAD}{before}.visible .entry k({parameters})\n{{\n{DECLARED}\n{body}\nret;\n}}\n"))


def run(kernel, memory, threads=1, more=(), blocks=1):
    """Launch a kernel on an array of 64-bit words, in which granules are of four bytes."""
    address = memory.ctypes.data
    ptx.launch(
        kernel, blocks, threads, [struct.pack("<Q", address), *more], [ptx.Buffer(address, memory.nbytes, 4, address, "memory")]
    )
    return memory


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def f16(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


def evaluate(instruction, to, kind, values):
    """Return what an instruction with the operands d, a, b, c, e gives; the kind of each source, or of all."""
    kinds = kind.split() if " " in kind else [kind] * len(values)
    lines, names = ["ld.param.u64 %rd90, [p0];"], {}
    for k, (part, name) in enumerate(zip(kinds, "abce", strict=False)):
        if k < len(values):
            names[name] = f"{REGISTERS[part]}{k}"
            lines.append(f"ld.global.{part} {names[name]}, [%rd90+{8 * k + 8}];")
    lines.append(instruction.format(d=f"{REGISTERS[to]}50", **names))
    lines.append(f"st.global.{to} [%rd90], {REGISTERS[to]}50;")
    memory = np.array([0, *values], np.uint64)
    return int(run(program("\n".join(lines)), memory)[0])


ONE_ULP = 2.0**-23
INTEGERS = [
    ("add.s32 {d}, {a}, {b};", "b32", "b32", (0xFFFFFFFF, 3), 2),
    ("sub.s16 {d}, {a}, {b};", "b16", "b16", (1, 2), 0xFFFF),
    ("mul.wide.s32 {d}, {a}, {b};", "b64", "b32", (0xFFFFFFFF, 2), (1 << 64) - 2),
    ("mul.hi.u32 {d}, {a}, {b};", "b32", "b32", (0xFFFFFFFF, 3), 2),
    ("mul.hi.s64 {d}, {a}, {b};", "b64", "b64", ((1 << 64) - 1, 5), (1 << 64) - 1),
    ("mul.hi.u64 {d}, {a}, {b};", "b64", "b64", ((1 << 64) - 1, 5), 4),
    ("mad.hi.u32 {d}, {a}, {b}, 5;", "b32", "b32", (0xFFFFFFFF, 1000), 1004),
    ("mad.wide.u32 {d}, {a}, {b}, {c};", "b64", "b32 b32 b64", (0xFFFFFFFF, 2, 1 << 40), 2 * 0xFFFFFFFF + (1 << 40)),
    ("div.s32 {d}, {a}, {b};", "b32", "b32", (0xFFFFFFF9, 2), 0xFFFFFFFD),
    ("rem.s32 {d}, {a}, {b};", "b32", "b32", (0xFFFFFFF9, 2), 0xFFFFFFFF),
    ("div.u64 {d}, {a}, {b};", "b64", "b64", ((1 << 64) - 1, 10), ((1 << 64) - 1) // 10),
    ("min.s32 {d}, {a}, {b};", "b32", "b32", (0xFFFFFFFF, 3), 0xFFFFFFFF),
    ("min.u32 {d}, {a}, {b};", "b32", "b32", (0xFFFFFFFF, 3), 3),
    ("abs.s64 {d}, {a};", "b64", "b64", ((1 << 64) - 9,), 9),
    ("neg.s32 {d}, {a};", "b32", "b32", (1,), 0xFFFFFFFF),
    ("sad.s32 {d}, -5, {a}, 1;", "b32", "b32", (7,), 13),
    ("shl.b32 {d}, {a}, {b};", "b32", "b32", (1, 32), 0),
    ("shr.s32 {d}, {a}, {b};", "b32", "b32", (0x80000000, 99), 0xFFFFFFFF),
    ("shr.u64 {d}, {a}, {b};", "b64", "b64 b32", (1 << 63, 60), 8),
    ("shf.l.wrap.b32 {d}, {a}, {b}, 36;", "b32", "b32", (0xF0000000, 1), 31),
    ("shf.r.clamp.b32 {d}, {a}, {b}, 40;", "b32", "b32", (7, 9), 9),
    ("not.b16 {d}, {a};", "b16", "b16", (1,), 0xFFFE),
    ("cnot.b32 {d}, {a};", "b32", "b32", (0,), 1),
    ("popc.b64 {d}, {a};", "b32", "b64", ((1 << 64) - 1,), 64),
    ("clz.b64 {d}, {a};", "b32", "b64", (1,), 63),
    ("clz.b32 {d}, {a};", "b32", "b32", (0,), 32),
    ("brev.b32 {d}, {a};", "b32", "b32", (6,), 0x60000000),
    ("bfind.u32 {d}, {a};", "b32", "b32", (1000,), 9),
    ("bfind.shiftamt.u32 {d}, {a};", "b32", "b32", (1000,), 22),
    ("bfind.shiftamt.u32 {d}, {a};", "b32", "b32", (0,), 0xFFFFFFFF),
    ("bfind.s32 {d}, {a};", "b32", "b32", (0xFFFFFFFF,), 0xFFFFFFFF),
    ("bfe.u32 {d}, {a}, 8, 8;", "b32", "b32", (0xDEADBEEF,), 0xBE),
    ("bfe.s32 {d}, {a}, 4, 8;", "b32", "b32", (0xDEADBEEF,), 0xFFFFFFEE),
    ("bfe.s64 {d}, {a}, 60, 8;", "b64", "b64", (1 << 63,), (1 << 64) - 8),
    ("bfi.b32 {d}, {a}, {b}, 8, 8;", "b32", "b32", (0x12, 0xFFFFFFFF), 0xFFFF12FF),
    ("bmsk.clamp.b32 {d}, {a}, {b};", "b32", "b32", (4, 8), 0xFF0),
    ("bmsk.clamp.b32 {d}, {a}, {b};", "b32", "b32", (0, 40), 0xFFFFFFFF),
    ("bmsk.clamp.b32 {d}, {a}, {b};", "b32", "b32", (33, 8), 0),
    ("prmt.b32 {d}, {a}, {b}, 0x7140;", "b32", "b32", (0x44332211, 0x88776655), 0x88225511),
    ("prmt.b32 {d}, {a}, {b}, 0x000F;", "b32", "b32", (0, 0x80000000), 0xFF),
    ("lop3.b32 {d}, {a}, {b}, {c}, 0xCA;", "b32", "b32", (0xF0, 0xAA, 0x55), 0xA5),
    ("setp.lt.s32 %p1, {a}, {b}; selp.b32 {d}, 1, 2, %p1;", "b32", "b32", (0xFFFFFFFF, 0), 1),
    ("setp.lo.u32 %p1, {a}, {b}; selp.b32 {d}, 1, 2, %p1;", "b32", "b32", (0xFFFFFFFF, 0), 2),
    ("setp.eq.s32 %p1, {a}, {a}; setp.lt.and.s32 %p2|%p3, {a}, {b}, !%p1; selp.b32 {d}, 1, 2, %p3;", "b32", "b32", (5, 3), 2),
    ("mov.b64 {{%r60, %r61}}, {a}; mov.b64 {d}, {{%r61, %r60}};", "b64", "b64", (0x1122334455667788,), 0x5566778811223344),
    ("add.cc.u32 %r60, {a}, {b}; addc.u32 {d}, 0, 0;", "b32", "b32", (0xFFFFFFFF, 1), 1),
    ("sub.cc.u32 %r60, {a}, {b}; subc.u32 {d}, 0, 0;", "b32", "b32", (0, 1), 0xFFFFFFFF),
    ("cvt.s64.s8 {d}, {a};", "b64", "b32", (0x180,), (1 << 64) - 128),
    ("cvt.u16.u32 {d}, {a};", "b16", "b32", (0x12345,), 0x2345),
]
FLOATS = [
    *((f"add.{mode}.f32 {{d}}, {{a}}, {{b}};", "b32", "b32", (f32(1), f32(2.0**-30)), f32(1 + (mode == "rp") * ONE_ULP))
      for mode in ("rn", "rz", "rm", "rp")),
    *((f"add.{mode}.f32 {{d}}, {{a}}, {{b}};", "b32", "b32", (f32(-1), f32(-(2.0**-30))), f32(-1 - (mode == "rm") * ONE_ULP))
      for mode in ("rn", "rz", "rm", "rp")),
    ("fma.rn.f32 {d}, {a}, {a}, {b};", "b32", "b32", (f32(1 + ONE_ULP), f32(-1 - 2 * ONE_ULP)), f32(2.0**-46)),
    ("mul.rn.f64 {d}, {a}, {b};", "b64", "b64", (f64(0.1), f64(3)), f64(0.1 * 3)),
    ("div.rn.f64 {d}, {a}, {b};", "b64", "b64", (f64(1), f64(3)), f64(1 / 3)),
    ("sqrt.rn.f64 {d}, {a};", "b64", "b64", (f64(2),), f64(math.sqrt(2))),
    ("rcp.approx.ftz.f64 {d}, {a};", "b64", "b64", (f64(8),), f64(0.125)),
    ("ex2.approx.ftz.f32 {d}, {a};", "b32", "b32", (f32(5),), f32(32)),
    ("ex2.approx.ftz.f32 {d}, {a};", "b32", "b32", (f32(-140),), 0),
    ("ex2.approx.f32 {d}, {a};", "b32", "b32", (f32(-140),), f32(2.0**-140)),
    ("min.f32 {d}, {a}, {b};", "b32", "b32", (NAN32, f32(3)), f32(3)),
    ("min.f64 {d}, {a}, {b};", "b64", "b64", (f64(0.0), f64(-0.0)), f64(-0.0)),
    ("max.f32 {d}, {a}, {b};", "b32", "b32", (f32(-0.0), f32(0)), f32(0)),
    ("setp.lt.f32 %p1, {a}, {b}; selp.b32 {d}, 1, 2, %p1;", "b32", "b32", (NAN32, f32(3)), 2),
    ("setp.ltu.f32 %p1, {a}, {b}; selp.b32 {d}, 1, 2, %p1;", "b32", "b32", (NAN32, f32(3)), 1),
    ("setp.nan.f32 %p1, {a}, {b}; selp.b32 {d}, 1, 2, %p1;", "b32", "b32", (f32(1), f32(3)), 2),
    ("testp.subnormal.f32 %p1, {a}; selp.b32 {d}, 1, 2, %p1;", "b32", "b32", (1,), 1),
    ("copysign.f64 {d}, {a}, {b};", "b64", "b64", (f64(-1), f64(3)), f64(-3)),
    ("neg.f32 {d}, {a};", "b32", "b32", (0,), f32(-0.0)),
    ("cvt.rn.f32.s32 {d}, {a};", "b32", "b32", (0xFFFFFFFF,), f32(-1)),
    ("cvt.rn.f64.u64 {d}, {a};", "b64", "b64", ((1 << 64) - 1,), f64(2.0**64)),
    ("cvt.rzi.s32.f32 {d}, {a};", "b32", "b32", (f32(-2.7),), 0xFFFFFFFE),
    ("cvt.rzi.u32.f32 {d}, {a};", "b32", "b32", (f32(-2.0),), 0),
    ("cvt.rzi.s32.f64 {d}, {a};", "b32", "b64", (f64(1e30),), 0x7FFFFFFF),
    ("cvt.rzi.s64.f64 {d}, {a};", "b64", "b64", (f64(math.nan),), 1 << 63),
    ("cvt.rni.s32.f32 {d}, {a};", "b32", "b32", (f32(2.5),), 2),
    ("cvt.rmi.f64.f64 {d}, {a};", "b64", "b64", (f64(-2.5),), f64(-3)),
    ("cvt.sat.f32.f32 {d}, {a};", "b32", "b32", (f32(7),), f32(1)),
    ("cvt.rn.f32.f64 {d}, {a};", "b32", "b64", (f64(0.1),), f32(0.1)),
    ("cvt.rz.f32.f64 {d}, {a};", "b32", "b64", (f64(0.1),), f32(0.1) - 1),
    ("cvt.f32.f16 {d}, {a};", "b32", "b16", (1,), f32(2.0**-24)),
    ("cvt.rn.f16.f32 {d}, {a};", "b16", "b32", (f32(65520),), f16(math.inf)),
    ("cvt.rn.f16.f32 {d}, {a};", "b16", "b32", (NAN32,), NAN16),
    ("add.f16 {d}, {a}, {b};", "b16", "b16", (f16(2048), f16(1)), f16(2048)),
    ("mul.f16 {d}, {a}, {b};", "b16", "b16", (f16(1.5), f16(-3)), f16(-4.5)),
    ("fma.rn.f16 {d}, {a}, {b}, {c};", "b16", "b16", (f16(2048), f16(1), f16(1)), f16(2048)),
]  # fmt: skip


@pytest.mark.parametrize("instruction, to, kind, values, expected", INTEGERS + FLOATS)
def test_known_answers(instruction, to, kind, values, expected):
    assert evaluate(instruction, to, kind, values) == expected


def test_float16_is_rounded_as_numpy_does():
    values = np.random.default_rng(1).standard_normal(1024) * 2.0 ** np.random.default_rng(2).integers(-26, 14, 1024)
    body = (
        OWN_WORD
        + """ld.global.b64 %rd4, [%rd3]; cvt.rn.f16.f64 %rs1, %rd4; cvt.f64.f16 %rd5, %rs1; st.global.b64 [%rd3], %rd5;"""
    )
    got = run(program(body), values.copy(), threads=1024)
    np.testing.assert_array_equal(got, values.astype(np.float16).astype(float))


def test_special_registers():
    body = """ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
        mad.lo.s32 %r4, %r2, %r3, %r1;
        mul.wide.u32 %rd2, %r4, 8; add.s64 %rd3, %rd1, %rd2; mov.u32 %r5, %laneid; mov.u32 %r6, %nctaid.x;
        mov.u32 %r7, %lanemask_lt;
        popc.b32 %r7, %r7; mov.u32 %r8, %warpid; shl.b32 %r6, %r6, 8; or.b32 %r5, %r5, %r6; shl.b32 %r7, %r7, 16;
        or.b32 %r5, %r5, %r7;
        shl.b32 %r8, %r8, 24; or.b32 %r5, %r5, %r8; st.global.u32 [%rd3], %r5;"""
    got = run(program(body), np.zeros(3 * 70, np.uint64), threads=70, blocks=3)
    lane, warp = np.arange(70) % 32, np.arange(70) // 32
    np.testing.assert_array_equal(got.reshape(3, 70), np.tile(lane | 3 << 8 | lane << 16 | warp << 24, (3, 1)))


def test_names_declared_in_braces_are_others():
    body = """ld.param.u64 %rd1, [p0]; mov.u32 %r1, 5;
        { .reg .b32 tmp; mov.u32 tmp, 1; { .reg .b32 tmp; mov.u32 tmp, 2; add.u32 %r1, %r1, tmp; } add.u32 %r1, %r1, tmp; }
        st.global.u32 [%rd1], %r1;"""
    assert run(program(body), np.zeros(1, np.uint64))[0] == 8


def test_labels_in_braces_may_appear_twice():
    once = "{ .reg .pred p; setp.lt.u32 p, %r1, 9; @p bra done; add.u32 %r1, %r1, 100; done: add.u32 %r1, %r1, 5; }"
    body = f"ld.param.u64 %rd1, [p0]; mov.u32 %r1, 1; {once} {once} st.global.u32 [%rd1], %r1;"
    assert run(program(body), np.zeros(1, np.uint64))[0] == 11


def test_jumps_through_a_table():
    body = (
        OWN_WORD
        + """rem.u32 %r2, %r1, 3;
        $table: .branchtargets $a, $b, $c;
        brx.idx %r2, $table;
        $a: mov.u32 %r3, 10; bra $end;
        $b: mov.u32 %r3, 20; bra $end;
        $c: mov.u32 %r3, 30;
        $end: st.global.u32 [%rd3], %r3;"""
    )
    got = run(program(body), np.zeros(64, np.uint64), threads=64)
    np.testing.assert_array_equal(got, np.array([10, 20, 30])[np.arange(64) % 3])


FUNCTION = """
.func (.param .b32 result) twice_and_one(.param .b32 x) {
 .reg .b32 %r<9>; .reg .pred %p<3>;
 ld.param.u32 %r1, [x];
 setp.gt.u32 %p1, %r1, 5;
 @%p1 bra $big;
 add.u32 %r1, %r1, %r1;
 st.param.b32 [result], %r1;
 ret;
 $big: add.u32 %r1, %r1, 1;
 st.param.b32 [result], %r1;
 ret;
}
"""


def test_calls():
    one = "{{ .param .b32 p; st.param.b32 [p], {0}; .param .b32 q; call.uni (q), twice_and_one, (p); ld.param.b32 {0}, [q]; }}"
    body = OWN_WORD + f"""{one.format("%r1")} {one.format("%r1")} st.global.u32 [%rd3], %r1;"""
    got = run(program(body, before=FUNCTION), np.zeros(10, np.uint64), threads=10)
    once = lambda v: np.where(v > 5, v + 1, 2 * v)  # noqa: E731
    np.testing.assert_array_equal(got, once(once(np.arange(10))))


def test_recursion_is_refused():
    call = "{ .param .b32 p; .param .b32 q; call.uni (q), twice_and_one, (p); }"
    program(call, before=FUNCTION)
    with pytest.raises(ptx.UnknownPtx, match="a call of"):
        program(call, before=FUNCTION.replace("ret;\n}", "call.uni (result), twice_and_one, (x);\nret;\n}"))


def test_variables_of_the_module():
    before = ".global .align 8 .b64 table[3] = {11, 22, 33};\n.const .align 4 .b32 four[2] = {4, 44};\n"
    body = """ld.param.u64 %rd1, [p0]; mov.u64 %rd2, table; ld.global.u64 %rd3, [%rd2+8]; ld.const.u32 %r1, [four+4];
        cvt.u64.u32 %rd4, %r1;
        add.s64 %rd3, %rd3, %rd4; st.global.u64 [%rd1], %rd3;"""
    assert run(program(body, before=before), np.zeros(1, np.uint64))[0] == 66


def test_vectors_and_local_memory():
    body = """.local .align 16 .b8 here[32]; ld.param.u64 %rd1, [p0];
        ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; mov.u64 %rd2, here; st.local.v2.u32 [%rd2+8], {%r3, %r1};
        cvta.local.u64 %rd3, %rd2;
        ld.u64 %rd4, [%rd3+8]; st.global.u64 [%rd1+16], %rd4;"""
    memory = np.zeros(6, np.uint64)
    memory = memory[memory.ctypes.data % 16 // 8 :][:4]
    memory[:2] = 1 | 2 << 32, 3 | 4 << 32
    assert run(program(body), memory)[2] == 3 | 1 << 32


@pytest.mark.parametrize(
    "operation, start, value, expected",
    [
        ("add.u32", 5, 7, 5 + 32 * 7),
        ("add.noftz.f16", f16(1), f16(0.5), f16(17)),
        ("inc.u32", 0, 4, 32 % 5),
        ("dec.u32", 3, 3, 3),
        ("max.s64", 0, (1 << 64) - 1, 0),
        ("max.u64", 0, (1 << 64) - 1, (1 << 64) - 1),
        ("xor.b32", 1, 3, 1),
        ("exch.b64", 1, 9, 9),
    ],
)
def test_atomics(operation, start, value, expected):
    kind = {"16": "b16", "32": "b32", "64": "b64"}[operation[-2:]]
    register = REGISTERS[kind]
    body = f"""ld.param.u64 %rd90, [p0]; ld.global.{kind} {register}1, [%rd90+8]; bar.sync 0;
        atom.global.{operation} {register}2, [%rd90], {register}1;"""
    assert run(program(body), np.array([start, value], np.uint64), threads=32)[0] == expected


def test_atomic_compare_and_swap_gives_what_was_there():
    body = (
        OWN_WORD
        + """add.u32 %r2, %r1, 100;
        atom.global.cas.b32 %r3, [%rd1], 0, %r2; st.global.u32 [%rd3+8], %r3;"""
    )
    memory = run(program(body), np.zeros(33, np.uint64), threads=32)
    first = int(memory[0])
    assert 100 <= first < 132
    np.testing.assert_array_equal(memory[1:], np.where(np.arange(32) == first - 100, 0, first))


def test_reduction_over_a_block_and_a_warp():
    body = (
        OWN_WORD
        + """setp.lt.u32 %p1, %r1, 40; bar.red.popc.u32 %r2, 0, %p1; redux.sync.add.s32 %r3, %r1, 0xFFFFFFFF;
        shl.b32 %r2, %r2, 16; or.b32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2;"""
    )
    got = run(program(body), np.zeros(64, np.uint64), threads=64)
    np.testing.assert_array_equal(got, 40 << 16 | np.repeat(np.arange(64).reshape(2, 32).sum(1), 32))


def test_lanes_with_different_masks_shuffle_apart():
    body = (
        OWN_WORD
        + """setp.lt.u32 %p1, %r1, 16; selp.b32 %r2, 0xFFFF, 0xFFFF0000, %p1; xor.b32 %r3, %r1, 3;
        shfl.sync.idx.b32 %r4, %r1, %r3, 31, %r2; st.global.u32 [%rd3], %r4;"""
    )
    got = run(program(body), np.zeros(32, np.uint64), threads=32)
    np.testing.assert_array_equal(got, np.arange(32) ^ 3)


@pytest.mark.parametrize(
    "text", ["wgmma.fence.sync;", "add.sat.s32 %r1, %r2, %r3;", "frobnicate %r1;", "mov.u32 %r1, nothing;"]
)
def test_unknown_instructions_are_refused(text):
    with pytest.raises(ptx.UnknownPtx, match=r"line \d+"):
        program(text)
