"""Races in global memory that are harmless by value, each with the reason. Any other race fails.

A race is allowed in every kernel of whose name the function is a part: as the kernel, or as one that the kernel was specialised
for (see `naming.py`).
"""

from .naming import names_in

READS_BESIDE_ATOMICS = {"global_atomic_read"}
READS_BESIDE_WRITES = {"global_read_write", "global_same_read"}

ALLOWED = {}


def reason_for(kernel, kind):
    """Return why a kind of race is allowed in a kernel, or None."""
    for name in names_in(kernel):
        kinds, reason = ALLOWED.get(name, ((), None))
        if kind in kinds:
            return reason
    return None
