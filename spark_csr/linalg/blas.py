"""A context in which BLAS uses one core, for the solvers of SciPy.

Design: the threads of BLAS spin for a while after each dot product, and ours after each product with a matrix; on the same
cores each must wait until the operating system suspends the other. A product followed by a dot product took twenty times as
long as both alone, and a solver eight times as long as with BLAS on one core (EPYC, two cores, 2026-11). Cost: the work of a
solver besides products is done by one core.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


@functools.cache
def _find_libraries():
    """Return the BLAS libraries of this process. They are looked up once, when SciPy is imported already."""
    return ThreadpoolController()


def on_one_core() -> AbstractContextManager[Any]:
    """Return a context in which BLAS does not use threads."""
    return _find_libraries().limit(limits=1, user_api="blas")
