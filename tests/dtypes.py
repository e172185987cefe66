"""The element types that tests run in: by default one of every kind of arithmetic, for each type compiles every kernel anew.

The others are marked `exhaustive`: `python -m pytest -m ""` runs them all.
"""

import numpy as np
import pytest

from spark_csr._array import DTYPES

USUAL = "?iedD"
"""Bool, integers, float16, which is computed in float32, real and complex."""

KEYS = "?bQef"
"""Of what can be sorted, whose kernels know widths only: one of every width, signed, unsigned and floating."""


def each(dtypes=DTYPES, usual=USUAL):
    """Parameters of a test."""
    dtypes = [np.dtype(dtype) for dtype in dtypes]
    rare = [pytest.mark.exhaustive]
    return [pytest.param(dtype, marks=() if dtype.char in usual else rare, id=str(dtype)) for dtype in dtypes]
