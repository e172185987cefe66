"""Races in global memory that are harmless by value, by kernel, each with the reason. Any other race fails.

A name is the kernel's module and function, without the digest of what it is specialised for.
"""

import re

ALLOWED = {}


def reason_for(kernel, kind):
    """Return why a kind of race is allowed in a kernel, or None."""
    for name, (kinds, reason) in ALLOWED.items():
        if kind in kinds and re.fullmatch(rf"{re.escape(name)}(_[0-9a-f]+)?", kernel):
            return reason
    return None
