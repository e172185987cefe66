"""Kernels whose blocks wait for others: right in every schedule, and wrong in one if a wait, flag or ticket is taken away.

The interpreter of compiled kernels decides which block goes on, and when its stores arrive. A change is made in the source of
a function, and the kernels are compiled anew. Two changes would go unnoticed, as results stay right and only take longer: a
tile that tells nothing before it has looked back, and a tile of a scan that never tells what it found.
"""

import ast
import importlib
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import ptx_mode
import spark_csr
from spark_csr.primitives import argsort, inclusive_scan, segmented_scan

at_one_time = pytest.mark.skipif(not ptx_mode.ON, reason="blocks run at one time where compiled kernels do: SPARK_CSR_PTX=1")

SCHEDULES = {
    "in turns": {},
    "overtaken": {"quantum": 3000, "resident": 16},
    "interrupted": {"quantum": 3, "resident": 16},
    "many at a time": {"quantum": 3, "resident": 64},
    "stores arrive late": {"weak": 1, "drain": 20, "resident": 16},
    "blocks start in any order": {"shuffle": 1},
}
ENDLESS = 4_000_000
"""Instructions: several times what any of these launches needs."""

RNG = np.random.default_rng(0)
VALUES = RNG.integers(-(2**62), 2**62, 240_000)
SMALL = (VALUES >> 45).astype(np.int32) + np.arange(VALUES.size, dtype=np.int32)
OFFSETS = np.r_[0, np.sort(RNG.integers(0, VALUES.size, 60)), VALUES.size]
FLOATS = RNG.standard_normal(VALUES.size)
KEYS = RNG.integers(0, 1 << 16, 90_000, np.uint32)


def sums_of_segments(x):
    """The running sums within segments."""
    sums = np.cumsum(x)
    return sums - np.repeat(np.r_[0, sums][OFFSETS[:-1]], np.diff(OFFSETS))


CALLS = {
    "scan": (lambda xp: inclusive_scan(xp.asarray(VALUES)), np.cumsum(VALUES)),
    "scan of floats": (lambda xp: inclusive_scan(xp.asarray(FLOATS)), np.cumsum(FLOATS)),
    "scan of complex numbers": (lambda xp: inclusive_scan(xp.asarray(FLOATS * 1j + 1)), np.cumsum(FLOATS * 1j + 1)),
    "scan of floats of 32 bits": (lambda xp: inclusive_scan(xp.asarray(FLOATS.astype(np.float32))), np.cumsum(FLOATS)),
    "segments of floats": (lambda xp: segmented_scan(xp.asarray(FLOATS), xp.asarray(OFFSETS)), sums_of_segments(FLOATS)),
    "scan of 32 bits": (lambda xp: inclusive_scan(xp.asarray(SMALL), "max"), np.maximum.accumulate(SMALL)),
    "segments": (lambda xp: segmented_scan(xp.asarray(VALUES), xp.asarray(OFFSETS)), sums_of_segments(VALUES)),
    "sort": (lambda xp: argsort(xp.asarray(KEYS), algorithm="radix"), np.argsort(KEYS, kind="stable")),
}


def attempts(xp, to_numpy, call, schedule, seeds):
    """Yield, for each seed, what is wrong with the call in a schedule: nothing if it is right.

    Floats are to be near, with the bits that they have where one block runs after the other.
    """
    ptx, (compute, expected) = importlib.import_module("ptx"), CALLS[call]
    if expected.dtype.kind in "fc":
        with ptx.options(random=0):
            found = to_numpy(compute(xp))
        if not np.allclose(found, expected, rtol=1e-4, atol=1e-2):
            yield "another result"
        expected = found
    for seed in range(1, 1000 * seeds, 1000):
        try:
            with ptx.options(seed=seed, steps=ENDLESS, **SCHEDULES[schedule]):
                found = to_numpy(compute(xp))
        except ptx.Finding as finding:
            yield str(finding)
        else:
            yield "" if np.array_equal(found, expected) else "another result"


@at_one_time
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("call", CALLS)
def test_right_in_every_schedule(xp, to_numpy, call, schedule):
    assert list(attempts(xp, to_numpy, call, schedule, 4)) == [""] * 4


class Change(NamedTuple):
    """What a function is to do wrong, as texts of its source to replace, and the call and schedule that notice it."""

    call: str
    schedule: str
    function: str
    texts: tuple


PART = "states, tile * PARTS + k"
LOAD = f"load_volatile({PART})"
STORE = f"store_volatile({PART}, "
OTHER = " or np.uint32(words[k] >> HALF) != flag"
EARLY = "    early = load_volatile(states, tile * PARTS)\n    waits = True\n"
PLACE = "states, tile * BINS + cuda.threadIdx.x"
COUNTER = "tickets, np.int64(0)"
ADD = f"fetch_add({COUNTER}, np.uint64(1))"
WORD = "position_type(load_volatile(states, at))"
TOLD = "if flag == done or flag == ALONE"

CHANGES = {
    "a scan that does not wait": Change("scan", "in turns", "look_back.listen", (("while waits:", "for _ in range(1):"),)),
    "a scan that waits for one half": Change("scan", "stores arrive late", "look_back.listen", ((OTHER, ""),)),
    "a scan that waits for any two halves": Change(
        "scan", "stores arrive late", "look_back.listen", ((OTHER, " or words[k] >> HALF == 0"),)
    ),
    "a scan that reads values before flags": Change(
        "scan",
        "in turns",
        "look_back.listen",
        (("    waits = True\n", EARLY), ("    return flag", "    words[0] = early\n    return flag")),
    ),
    "a scan that tells flags before values": Change(
        "scan",
        "interrupted",
        "look_back.tell",
        (("    for k", f"    for k in range(PARTS):\n        {STORE}head)\n    for k"),),
    ),
    "a scan that tells of all tiles too soon": Change(
        "scan", "in turns", "look_back.tell_and_look_back", (("DONE if broken else ALONE", "DONE"),)
    ),
    "a scan that adds tiles twice": Change(
        "scan", "in turns", "look_back.combine_lanes", (("value = scalar(IDENTITY)  #", "value = value  #"),)
    ),
    "a scan that looks back once": Change(
        "scan", "many at a time", "look_back.tell_and_look_back", (("while votes == 0:", "for _ in range(1):"),)
    ),
    "a scan with plain loads": Change("scan", "in turns", "look_back.listen", ((LOAD, f"{PART.replace(', ', '[', 1)}]"),)),
    "a scan with plain stores": Change("scan", "in turns", "look_back.tell", ((STORE, f"{PART.replace(', ', '[', 1)}] = ("),)),
    "a scan without tickets": Change(
        "scan",
        "blocks start in any order",
        "scan._scan_next_tile",
        ((f"np.int64({ADD})", "np.int64(cuda.blockIdx.x)"),),
    ),
    "a scan with tickets for several blocks": Change(
        "scan",
        "interrupted",
        "scan._scan_next_tile",
        (
            (
                f"np.int64({ADD})",
                f"np.int64(load_volatile({COUNTER}))\n        store_volatile({COUNTER}, np.uint64(ticket[0] + 1))",
            ),
        ),
    ),
    "a scan of floats whose groups tell of themselves and more": Change(
        "scan of floats",
        "in turns",
        "look_back_in_order.tell_and_look_back_in_order",
        (("word + 1, DONE if broken or done != 0 else ALONE", "word + 1, DONE"),),
    ),
    "a scan of floats whose groups tell of their last tile": Change(
        "scan of floats",
        "in turns",
        "look_back_in_order.tell_and_look_back_in_order",
        (("ALONE, total if broken else scalar(add(found, total))", "ALONE, total"),),
    ),
    "a scan of floats that asks groups for tiles": Change(
        "scan of floats",
        "in turns",
        "look_back_in_order.tell_and_look_back_in_order",
        (("* WARP - 1) + 1)", "* WARP - 1))"),),
    ),
    "a sort that does not wait": Change("sort", "stores arrive late", "radix_rank.look_back_for_digit", ((TOLD, "if True"),)),
    "a sort that heeds words of the pass before": Change(
        "sort", "stores arrive late", "radix_rank.look_back_for_digit", ((TOLD, "if flag != 0"),)
    ),
    "a sort with the same flags in every pass": Change(
        "sort", "stores arrive late", "radix_scatter._move_tile", (("np.uint32(number) & 1", "np.uint32(0)"),)
    ),
    "a sort that reads values before flags": Change(
        "sort",
        "stores arrive late",
        "radix_rank.look_back_for_digit",
        (("        word = ", f"        early = {WORD}\n        word = "), ("(word & ", "(early & ")),
    ),
    "a sort that tells flags before values": Change(
        "sort",
        "interrupted",
        "radix_rank.tell_count",
        (
            (
                "    store",
                f"    store_volatile({PLACE}, position_type(position_type(flag) << position_type(VALUE_BITS)))\n    store",
            ),
        ),
    ),
    "a sort that tells of all tiles too soon": Change(
        "sort", "in turns", "radix_scatter._move_tile", (("np.uint32(ALONE), position_type", "done, position_type"),)
    ),
    "a sort that does not tell of all tiles": Change(
        "sort",
        "stores arrive late",
        "radix_scatter._move_tile",
        (("done, position_type(base + position_type(total))", "np.uint32(ALONE), position_type(total)"),),
    ),
    "a sort with plain loads": Change(
        "sort", "in turns", "radix_rank.look_back_for_digit", ((WORD, "position_type(states[at])"),)
    ),
    "a sort with plain stores": Change(
        "sort",
        "in turns",
        "radix_rank.tell_count",
        ((f"store_volatile({PLACE}, word)", f"{PLACE.replace(', ', '[', 1)}] = word"),),
    ),
    "a sort without tickets": Change(
        "sort",
        "blocks start in any order",
        "radix_scatter._move_tile",
        (("np.uint32(fetch_add(tickets, number, position_type(1)))", "np.uint32(cuda.blockIdx.x)"),),
    ),
    "a sort with one ticket counter": Change(
        "sort",
        "in turns",
        "radix_scatter._move_tile",
        (("fetch_add(tickets, number", "fetch_add(tickets, np.int64(0)"),),
    ),
}


def changed_source(change):
    """Return the source of a function with its texts replaced.

    The file is read, since a module of kernels for GPUs cannot be imported without their compiler.
    """
    module, name = change.function.split(".")
    text = (Path(spark_csr.__file__).parent / "_cuda" / f"{module}.py").read_text()
    [node] = [x for x in ast.parse(text).body if getattr(x, "name", "") == name]
    first = min(x.lineno for x in (node, *node.decorator_list))
    source = "\n".join(text.splitlines()[first - 1 : node.end_lineno]) + "\n"
    for old, new in change.texts:
        assert old in source, f"{name} has no {old!r} any more: change this test with it"
        source = source.replace(old, new)
    return source


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_to_be_taken_away_is_there(change):
    compile(changed_source(change), change.function, "exec")


@pytest.fixture
def make_kernels_anew():
    """A function that forgets the kernels that were made; they are forgotten at the end, too."""

    def forget():
        for module in ("scan", "radix_scatter"):
            importlib.import_module(f"spark_csr._cuda.{module}")._kernel.cache_clear()

    yield forget
    forget()


@at_one_time
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_taken_away_is_noticed(xp, to_numpy, monkeypatch, make_kernels_anew, change):
    module, name = change.function.split(".")
    module, words = (importlib.import_module(f"spark_csr.{x}") for x in (f"_cuda.{module}", "_engine.gpu.target"))
    original = getattr(module, name)
    scope = {"load_volatile": words.load_volatile, "store_volatile": words.store_volatile} | module.__dict__
    exec(compile(changed_source(change), f"{name}, changed", "exec"), scope)
    for user in [x for key, x in sys.modules.items() if key.startswith("spark_csr._cuda.")]:
        for known in [known for known, value in vars(user).items() if value is original]:
            monkeypatch.setattr(user, known, scope[name])
    make_kernels_anew()
    assert any(attempts(xp, to_numpy, change.call, change.schedule, 12))
