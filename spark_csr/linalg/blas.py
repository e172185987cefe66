"""While a solver of SciPy's runs, BLAS keeps to one core.

Design: threads of BLAS spin for a while after each dot product, ours after each product with a matrix; on the same cores each
waits for the other to be put off. A product followed by a dot product took twenty times as long as both alone, a solver eight
times as long as with BLAS on one core (EPYC, two cores, 2026-11). Cost: what solvers do beside products is one core's work.
"""

import functools

from threadpoolctl import ThreadpoolController


@functools.cache
def _find_libraries():
    """Return the libraries of this process, looked up once: SciPy is imported by now."""
    return ThreadpoolController()


def on_one_core():
    """A context in which BLAS does not use threads."""
    return _find_libraries().limit(limits=1, user_api="blas")
