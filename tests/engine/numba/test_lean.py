"""Functions that count no references: what the private option leaves out."""

import numba
import pytest
from numba.core.options import DefaultOptions

from hooks import code_of
from spark_csr._array import SIMULATED
from spark_csr._engine.numba import njit
from spark_csr._engine.numba.lean import LEAN, counting_options_of, lean

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)

KINDS = numba.float64[::1], numba.int64


def _pick(x, i):
    total = 0.0
    for k in range(i):
        rest = x[k:]
        total += rest[0]
    return total


def test_the_option_is_there():
    assert set(LEAN) <= set(vars(DefaultOptions))


def test_it_leaves_the_counts_out():
    assert "NRT_" in code_of(njit(_pick), KINDS)
    assert "NRT_" not in code_of(lean(_pick), KINDS)


def test_another_function_counts_as_one_does():
    assert counting_options_of(lean(_pick)) == LEAN
    assert counting_options_of(njit(_pick)) == {"_nrt": True}
    assert counting_options_of(numba.njit(_pick)) == {"_nrt": True}
