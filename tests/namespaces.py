"""Which array libraries tests run on: decided once, for the fixture `xp` and for whoever asks.

Test files and `conftest.py` are imported under names of their own (`--import-mode=importlib`), helpers by their names, from the
folder `tests` (`pythonpath` in setup.cfg): what must exist once is in a helper.
"""

import importlib

import numpy as np
import pytest

import ptx_mode
from spark_csr._array import SIMULATED

if SIMULATED:
    importlib.import_module("simulator").prepare()


def _cupy():
    """Return CuPy where there is a GPU, and None elsewhere and under the simulator, which stands for the GPU."""
    if SIMULATED:
        return None
    if ptx_mode.ON:
        return ptx_mode.prepare()
    try:
        cupy = importlib.import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()
    except Exception:
        return None
    return cupy


CUPY = _cupy()
INTERPRETED = SIMULATED or ptx_mode.ON
"""Whether kernels are interpreted, which is slow."""

NAMESPACES = [pytest.param(np, id="cudasim" if SIMULATED else "cpu")]
if ptx_mode.ON:
    NAMESPACES = [pytest.param(CUPY, id="ptx")]
elif CUPY is not None:
    NAMESPACES.append(pytest.param(CUPY, id="cuda", marks=pytest.mark.gpu))
