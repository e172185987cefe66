"""Everything that a description depends on and that may change, and the question whether it has changed."""

from typing import NamedTuple

from spark_csr._engine.meaning.names import MISSING


class Reads(NamedTuple):
    """What a description depends on and may change: `(dict, name, value)`, `(cell, value)`, functions, arrays, collections.

    `members` has, by the identity of a module, the names of those members that were described.
    """

    names: list
    cells: list
    functions: list
    arrays: list
    mutable: list
    members: dict


def snapshot(x):
    """Return what is in a mutable collection now."""
    return [part for item in x.items() for part in item] if isinstance(x, dict) else list(x)


def form_of(array):
    """Return what the bytes of an array mean."""
    return array.dtype, getattr(array, "shape", ()), getattr(array, "strides", ())


def content_of(cell):
    """Return what is in a variable around a function."""
    try:
        return cell.cell_contents
    except ValueError:  # it is not bound yet
        return MISSING


def is_unchanged(reads):
    """Return whether all that a description depends on is as it was."""
    for holder, name, value in reads.names:
        if holder.get(name, MISSING) is not value:
            return False
    for cell, value in reads.cells:
        if content_of(cell) is not value:
            return False
    for function, code, defaults, named in reads.functions:
        if function.__code__ is not code or function.__defaults__ is not defaults or (function.__kwdefaults__ or {}) != named:
            return False
    for array, form, content in reads.arrays:
        if form_of(array) != form or array.tobytes() != content:
            return False
    for holder, content in reads.mutable:
        now = snapshot(holder)
        if len(now) != len(content) or any(a is not b for a, b in zip(now, content, strict=True)):
            return False
    return True
