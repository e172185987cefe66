"""How functions for operators are compiled: without counting who refers to their arrays.

Numba counts in functions that branch, two locked instructions for each array and call: four times the time of all else on two
cores of an EPYC of the Zen 4 generation, 2026-11. Cost: such a function cannot allocate, and `_nrt` is a private option. Goes
when Numba leaves out the counts of arguments that a function does not keep.
"""

from spark_csr._engine.numba.device import njit

LEAN = {"_nrt": False}
"""Options of Numba."""

lean = njit(error_model="numpy", **LEAN)


def counting_options_of(function):
    """Return the options with which another function counts as this one does."""
    return {"_nrt": function.targetoptions.get("_nrt", True)}
