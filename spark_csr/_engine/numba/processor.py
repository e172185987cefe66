"""The processors that kernels are compiled for: a level that many processors share, so that compiled kernels can travel.

Source: the levels of the x86-64 psABI, https://gitlab.com/x86-psABIs/x86-64-ABI.
"""

import functools
import os
from typing import NamedTuple

from llvmlite import binding

VARIABLE = "SPARK_CSR_PROCESSOR"
NATIVE = "native"


class Target(NamedTuple):
    """What LLVM compiles for: a level or processor, and features beyond it, separated by commas."""

    processor: str
    features: str


_V2 = {"cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"}
_V3 = _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}
_V4 = _V3 | {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}

LEVELS = {
    "x86-64": (set(), Target("x86-64", "")),
    "x86-64-v2": (_V2, Target("x86-64-v2", "")),
    "x86-64-v3": (_V3, Target("x86-64-v3", "")),
    "x86-64-v4": (_V4, Target("x86-64-v4", "+avx512vl")),
    "armv8-a": ({"neon"}, Target("generic", "+neon")),
    "armv8.1-a": ({"neon", "lse"}, Target("generic", "+neon,+lse")),
}
"""For each level, the lowest first: the processor features that it requires, and the LLVM target for it."""


@functools.cache
def target():
    """Return the `Target` of kernels: the highest level of this processor, or what `SPARK_CSR_PROCESSOR` says."""
    chosen, possible = os.environ.get(VARIABLE), levels()
    if chosen == NATIVE or not (chosen or possible):
        return Target(binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    if chosen and chosen not in possible:
        raise ValueError(f"{VARIABLE} must be one of {', '.join([*possible, NATIVE])} on this processor, got {chosen!r}")
    return LEVELS[chosen or possible[-1]][1]


@functools.cache
def levels():
    """Return the names of the levels that this processor has, the lowest first; none where processors have no levels."""
    triple = binding.get_process_triple().partition("-")[0]
    family = {"x86_64": "x86-64", "amd64": "x86-64", "aarch64": "armv8", "arm64": "armv8"}.get(triple)
    if family is None:
        return []
    found = {name for name, present in binding.get_host_cpu_features().items() if present}
    return [name for name, (needed, _) in LEVELS.items() if name.startswith(family) and needed <= found]
