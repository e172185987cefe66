"""Options of launches: from the environment variable SPARK_CSR_PTX_OPTIONS, or for a while by `options(...)`."""

import contextlib
import os

VARIABLE = "SPARK_CSR_PTX_OPTIONS"
DEFAULTS = {
    "seed": 1,  # of the schedule; each launch of a test adds one
    "random": 1,  # 0: blocks one after another, warps and lanes in order
    "resident": 4,  # blocks that run at a time
    "shuffle": 0,  # 1: blocks start in any order, not in that of their numbers
    "quantum": 40,  # mean number of instructions before another warp goes on
    "stray": 200,  # of 4096 choices, how many run another part of a diverged warp than the one that is furthest behind
    "weak": 0,  # 1: a block's stores arrive late, in any order, until a fence
    "drain": 300,  # of 1024 turns, after how many some of the delayed stores arrive
    "race": 1,  # 0: races are not looked for
    "steps": 1 << 28,  # warp instructions after which a launch counts as endless
    "lanes": 1,  # 0: memory accesses of lanes are carried out in order
    "mutate": 0,  # how often each kernel is run again with one instruction changed: see mutate.py
    "mutations": 7,  # which: 1 barriers, 2 fences, 4 guards
}


def _from_environment():
    chosen = dict(DEFAULTS)
    for pair in filter(None, os.environ.get(VARIABLE, "").split(",")):
        name, _, value = pair.partition("=")
        if name not in DEFAULTS:
            raise ValueError(f"{VARIABLE} names {name!r}, which is none of {', '.join(DEFAULTS)}")
        chosen[name] = int(value)
    return chosen


current = _from_environment()
"""The options of the next launch."""


@contextlib.contextmanager
def options(**changes):
    """Change options for a while."""
    unknown = set(changes) - set(DEFAULTS)
    if unknown:
        raise TypeError(f"unknown options: {', '.join(sorted(unknown))}")
    before = dict(current)
    current.update(changes)
    try:
        yield
    finally:
        current.clear()
        current.update(before)
