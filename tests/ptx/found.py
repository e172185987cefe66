"""What is found in a launch, in words: which kinds fail, and which of them are allowed."""

from typing import NamedTuple

from .allowed import reason_for
from .build import MOST_THREADS, names

KINDS = {
    "global_bounds": ("memcheck", "access outside of the kernel's arrays"),
    "misaligned": ("memcheck", "address that is no multiple of the size"),
    "shared_bounds": ("memcheck", "access outside of shared memory"),
    "local_bounds": ("memcheck", "access outside of local memory"),
    "shared_unwritten": ("initcheck", "read of shared memory that nothing wrote"),
    "shared_write_write": ("racecheck", "two writes to shared memory"),
    "shared_read_write": ("racecheck", "a read and a write of shared memory"),
    "shared_same_value": ("racecheck", "a write to shared memory of the value that is there"),
    "shared_atomic_read": ("racecheck", "a plain read of shared memory beside an atomic write"),
    "shared_atomic_write": ("racecheck", "a plain write to shared memory beside an atomic access"),
    "global_write_write": ("racecheck", "two writes to global memory"),
    "global_read_write": ("racecheck", "a read and a write of global memory"),
    "global_same_write": ("racecheck", "two writes of one value to global memory"),
    "global_same_read": ("racecheck", "a read of global memory and a write of the value that is there"),
    "global_atomic_read": ("racecheck", "a plain read of global memory beside an atomic write"),
    "global_atomic_write": ("racecheck", "a plain write to global memory beside an atomic access"),
    "scope": ("racecheck", "atomic accesses of two blocks, one ordered within its block only"),
    "barrier_places": ("synccheck", "one barrier reached at two places"),
    "barrier_exited": ("synccheck", "barrier after some threads have ended"),
    "mask": ("synccheck", "mask that names lanes which do not come, or leaves out one that does"),
    "shuffle_source": ("synccheck", "shuffle from a lane that does not take part"),
    "deadlock": ("synccheck", "all threads wait"),
    "endless": ("synccheck", "more instructions than the step limit"),
    "trapped": ("memcheck", "trap instruction"),
    "unsupported": ("interpreter", "operation that is not supported"),
    "partial_warp_barrier": ("interpreter", "barrier of a part of a warp, which is not seen to order memory"),
    "narrow_access": ("interpreter", "access narrower than an element, so races may be seen where there are none"),
}
HARMLESS = {"global_same_write", "partial_warp_barrier", "narrow_access"}
"""Kinds that never fail: several threads may write one value to one place, and the others are about the interpreter."""

ALLOWABLE = {"global_read_write", "global_same_read", "global_atomic_read", "global_atomic_write"}
"""Kinds that fail unless `allowed.py` says why they are harmless in a kernel."""


class Finding(RuntimeError):
    """A kernel did what it must not, or was launched as it must not be."""


class Found(NamedTuple):
    """One finding of a launch."""

    kernel: str
    kind: str
    text: str
    count: int
    places: tuple
    fails: bool


def described(program, record, buffers):
    """Return the `Found` of a record that the interpreter wrote."""
    kind = names("findings")[int(record["kind"])]
    check, words = KINDS[kind]
    first = _access(program, record, 1)
    both = check == "racecheck"
    text = f"{check}: {words}: {first} and {_access(program, record, 2)}" if both else f"{check}: {words}: {first}"
    text += _where(program, kind, int(record["address"]), buffers) + _values(kind, record)
    fails = kind not in HARMLESS and not (kind in ALLOWABLE and reason_for(program.name, kind))
    places = int(record["pc1"]), int(record["pc2"])
    return Found(program.name, kind, text, int(record["count"]), places, fails)


def _access(program, record, number):
    line, text = program.line_of(int(record[f"pc{number}"]))
    block, thread = divmod(int(record[f"thread{number}"]), MOST_THREADS)
    return f"[line {line}: {text}] by thread {thread} of block {block}"


def _where(program, kind, address, buffers):
    if kind.startswith("shared"):
        inside = next((v for v in program.shared if v.start <= address < v.start + v.size), None)
        before = [v for v in program.shared if v.start <= address]
        v = inside or (before[-1] if before else None)
        return f" at byte {address - v.start} of {v.name}, of {v.size} bytes" if v else f" at address {address}"
    if kind.startswith("global") or kind in ("scope", "misaligned"):
        distance = lambda b: max(b.address - address, address - b.address - b.nbytes + 1, 0)  # noqa: E731
        near = min((b for b in buffers if b.nbytes), key=distance, default=None)
        if near is not None:
            return f" at byte {address - near.address} of {near.label or 'an array'}, of {near.nbytes} bytes"
    return ""


def _values(kind, record):
    one, two = int(record["value1"]), int(record["value2"])
    if kind == "mask":
        return f": lanes {one:#010x} for the mask {two:#010x}"
    if kind in ("global_bounds", "shared_bounds", "misaligned"):
        return f", {one} bytes"
    return f", after {one} threads have ended" if kind in ("deadlock", "barrier_exited") else ""
