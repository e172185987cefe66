"""Kernels with one instruction changed: would the checks, or the result, show that it is needed?

A barrier or a fence is taken away; a conditional branch is never or always taken; an instruction under a predicate is always
carried out. After a launch each mutant runs on the memory as it was before, and the memory is put back.
"""

import ctypes
from dataclasses import dataclass

import numpy as np

from .build import operation_numbers

BARRIERS, FENCES, GUARDS = 1, 2, 4
LARGEST = 300
"""Launches of more blocks are not repeated: kernels are launched with fewer elsewhere."""


@dataclass
class Mutant:
    """One change of one kernel: how often it ran, the warp instructions of the largest launch, and what showed it first."""

    kernel: str
    change: str
    text: str
    runs: int = 0
    largest: int = 0
    noticed: str = ""


mutants = {}
"""By the program's text and the kernel's name, number of the instruction, and change."""


def changes(program, wanted=BARRIERS | FENCES | GUARDS):
    """Yield, for each mutant, the instruction's number, the change in words, and the fields to change."""
    op = operation_numbers()
    removed = {"op": op["nop"], "predicate": -1, "d": -1, "s": -1000000}
    for pc, i in enumerate(program.code):
        if wanted & BARRIERS and i["op"] in (op["bar_sync"], op["bar_warp"]):
            yield pc, "barrier removed", removed
        elif wanted & FENCES and i["op"] == op["fence"]:
            yield pc, "fence removed", removed
        elif wanted & GUARDS and i["predicate"] >= 0:
            if i["op"] == op["bra"]:
                yield pc, "branch never taken", removed
                yield pc, "branch always taken", {"predicate": -1}
            else:
                yield pc, "guard removed", {"predicate": -1}


def contents(buffers):
    """Return a copy of the memory of all buffers."""
    return [ctypes.string_at(b.address, b.nbytes) for b in buffers]


def _restore(buffers, content):
    for buffer, data in zip(buffers, content, strict=True):
        ctypes.memmove(buffer.address, data, len(data))


def try_all(program, blocks, threads, arguments, buffers, options, before, counters):
    """Run every mutant that was not noticed yet and ran too seldom, or only in launches of less than half the size."""
    if blocks > LARGEST:
        return
    size = counters["warp_instructions"]
    after = contents(buffers)
    chosen = {**options, "steps": 20 * size + 20_000}
    launch = blocks, threads, arguments, buffers, chosen
    only = after if _is_stable(program, launch, before, after) else None
    for pc, change, fields in changes(program, options["mutations"]):
        key = program.identity, program.name, pc, change
        mutant = mutants.setdefault(key, Mutant(program.name, change, "{}: {}".format(*program.line_of(pc))))
        if mutant.noticed or (mutant.runs >= options["mutate"] and size <= 2 * mutant.largest):
            continue
        _restore(buffers, before)
        mutant.runs, mutant.largest = mutant.runs + 1, max(mutant.largest, size)
        mutant.noticed = _notice(program, pc, fields, launch, only)
    _restore(buffers, after)


def _is_stable(program, launch, before, after):
    """Return whether another schedule gives the same result, bit by bit."""
    from .run import execute

    *start, buffers, options = launch
    _restore(buffers, before)
    execute(program, *start, buffers, {**options, "seed": options["seed"] + 1_000_000})
    return contents(buffers) == after


def _notice(program, pc, fields, launch, only):
    """Return what shows that a mutant is wrong, or nothing. `only`: the result, if every schedule gives the same."""
    from .run import execute

    kept = program.code[pc].copy()
    try:
        for name, value in fields.items():
            program.code[name][pc] = value
        _, found = execute(program, *launch)
    finally:
        program.code[pc] = kept
    failing = [f.text for f in found if f.fails]
    if failing:
        return failing[0]
    return "another result" if only is not None and contents(launch[3]) != only else ""


def merge(others):
    """Add the mutants of another process."""
    for key, other in others.items():
        mine = mutants.setdefault(key, other)
        if mine is not other:
            mine.runs, mine.largest = mine.runs + other.runs, max(mine.largest, other.largest)
            mine.noticed = mine.noticed or other.noticed


def report():
    """Return lines: how many mutants were noticed, by change, and those that were not."""
    if not mutants:
        return []
    lines = []
    for change in sorted({m.change for m in mutants.values()}):
        some = [m for m in mutants.values() if m.change == change]
        noticed = np.array([bool(m.noticed) for m in some])
        lines.append(f"{change}: {noticed.sum()} of {len(some)} noticed")
        rest = sorted((m.kernel.partition("(")[0], m.text, m.runs) for m in some if not m.noticed)
        lines += [f"    not noticed in {runs} runs: {kernel}, {text}" for kernel, text, runs in rest]
    return lines
