"""Launches: arguments and buffers are checked, the interpreter runs, and what it counted and found is recorded."""

import ctypes
from typing import NamedTuple

import numpy as np

from . import mutations, record
from .build import BUFFER, FINDING, MOST_BLOCKS, MOST_THREADS, Launch, library, names, pointer
from .found import Finding, described
from .settings import current

MOST_FINDINGS = 1024


class Buffer(NamedTuple):
    """Memory that a kernel may touch: where, how much, the size of an element (of a part of a complex one), and of what."""

    address: int
    nbytes: int
    itemsize: int
    allocation: int
    label: str = ""


_launches = {"test": "", "number": 0}
"""The test that runs, and how many launches it made: each has a seed of its own, whatever ran before the test."""


def next_seed():
    """Return the seed of the next launch."""
    test = record.current_test()
    if test != _launches["test"]:
        _launches.update(test=test, number=0)
    _launches["number"] += 1
    return current["seed"] + _launches["number"]


def launch(program, blocks, threads, arguments, buffers):
    """Run a kernel; raise `Finding` for what it must not do, and record what it counted."""
    _check(program, blocks, threads, arguments)
    chosen = {**current, "seed": next_seed()}
    before = mutations.contents(buffers) if chosen["mutate"] else None
    counters, found = execute(program, blocks, threads, arguments, buffers, chosen)
    record.note(program.name, counters, found)
    failing = [f for f in found if f.fails]
    if failing:
        raise Finding(f"{program.name}: " + "\n".join(f.text for f in failing))
    if chosen["mutate"]:
        mutations.try_all(program, blocks, threads, arguments, buffers, chosen, before, counters)


def execute(program, blocks, threads, arguments, buffers, chosen):
    """Return the counters of a launch and what was found."""
    _, addresses, constants = program.memory
    own = [Buffer(at, len(data), 1, at, name) for at, (data, name) in zip(addresses, program.variables, strict=True)]
    everything = [*buffers, *own]
    ranges = _ranges(everything)
    parameters = _parameters(program, arguments)
    options = np.array([chosen[name] for name in names("options")], np.int64)
    counters, findings = np.zeros(len(names("counters")), np.int64), np.empty(MOST_FINDINGS, FINDING)
    arrays = {"code": program.code, "constants": constants, "tables": program.tables, "shared": program.shared_array}
    arrays |= {"buffers": ranges, "parameters": parameters, "options": options, "counters": counters, "findings": findings}
    numbers = {"code_count": len(program.code), "constant_count": len(constants), "buffer_count": len(ranges)}
    numbers |= {name: getattr(program, name) for name in ("shared_size", "local_size", "registers")}
    numbers |= {"shared_count": len(program.shared), "blocks": blocks, "threads": threads, "most_findings": MOST_FINDINGS}
    given = Launch(**{name: pointer(array) for name, array in arrays.items()}, **numbers)
    n = library().ptx_launch(ctypes.byref(given))
    found = [described(program, f, everything) for f in findings[:n]]
    return dict(zip(names("counters"), counters.tolist(), strict=True)), found


def _check(program, blocks, threads, arguments):
    """Refuse what a driver would refuse, or would take for something else."""
    limit = program.threads or MOST_THREADS
    if not 1 <= threads <= limit:
        raise Finding(f"{program.name} is launched with {threads} threads a block, but compiled for at most {limit}")
    if not 1 <= blocks < MOST_BLOCKS:
        raise Finding(f"{program.name} is launched with {blocks} blocks: what is executed has 1 to {MOST_BLOCKS - 1}")
    if len(arguments) != len(program.parameters):
        raise Finding(f"{program.name} has {len(program.parameters)} parameters and is passed {len(arguments)} arguments")
    for k, (argument, (_, size)) in enumerate(zip(arguments, program.parameters, strict=True)):
        if len(argument) != size:
            raise Finding(f"parameter {k} of {program.name} has {size} bytes and is passed {len(argument)}")


def _parameters(program, arguments):
    end = max((offset + size for offset, size in program.parameters), default=0)
    blob = np.zeros(end + 16, np.uint8)
    for argument, (offset, size) in zip(arguments, program.parameters, strict=True):
        blob[offset : offset + size] = np.frombuffer(argument, np.uint8)
    return blob


def _ranges(buffers):
    """Return the memory of all buffers in ascending order; those that overlap are one, with the smaller element."""
    merged = []
    for b in sorted(b for b in buffers if b.nbytes):
        granule = min(b.itemsize & -b.itemsize, 8) or 1
        if merged and b.address < merged[-1][0] + merged[-1][1]:
            start, size, other, allocation = merged[-1]
            merged[-1] = start, max(size, b.address + b.nbytes - start), min(granule, other), allocation
        else:
            merged.append((b.address, b.nbytes, granule, b.allocation))
    return np.array(merged, BUFFER)
