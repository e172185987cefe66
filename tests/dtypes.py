"""The element types that tests run in: by default one of every kind of arithmetic, for each type compiles every kernel anew.

The others are marked `exhaustive`: `python -m pytest -m ""` runs them all.
"""

import numpy as np
import pytest

from spark_csr._array import DTYPES

USUAL = "?eD"
"""Bool, float16, which is computed in float32, and complex. Other tests compute with integers and float64."""

KEYS = "?Qe"
"""Of what can be sorted, whose kernels know widths only. Other tests sort int64 and float32."""


RARE = pytest.mark.exhaustive
"""Marks a value of a parameter for which kernels are compiled once more, and whose behaviour other tests see too."""


def each(dtypes=DTYPES, usual=USUAL):
    """Parameters of a test."""
    dtypes = [np.dtype(dtype) for dtype in dtypes]
    return [pytest.param(dtype, marks=() if dtype.char in usual else RARE, id=str(dtype)) for dtype in dtypes]


def some(values, usual):
    """Parameters of a test, of which those that are not usual are rare."""
    return [pytest.param(value, marks=() if value in usual else RARE, id=str(value)) for value in values]
