"""The status codes that compiled functions return."""

import numba
import pytest

from spark_csr._array import SIMULATED
from spark_csr._engine.numba import njit
from spark_csr._engine.numba.codes import returned_codes

if SIMULATED:
    pytest.skip("nothing is compiled", allow_module_level=True)


def _risky(x):
    if x > 1:
        raise ValueError("too large")
    return x


@pytest.mark.parametrize("compiler", [njit, numba.njit], ids=["for kernels", "by Numba"])
def test_functions_that_raise_return_other_codes(compiler):
    found = []
    for function in (_risky, lambda x: x + 1):
        dispatcher = compiler(function)
        dispatcher.compile((numba.int64,))
        found.append(returned_codes(dispatcher, (numba.int64,)))
    assert found[0] - {"0"}
    assert found[1] == {"0"}
