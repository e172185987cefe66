"""What it costs to ask whether a function means what it did, which every call that takes a function pays."""

import numba
import numpy as np

from benchmarks.common import Benchmark
from spark_csr import Monoid, Semiring
from spark_csr._engine.meaning import current

factor, table = 2, np.zeros(8)


@numba.njit
def _helper(v):
    return v * factor


def _mentions_all(v, i):
    return _helper(v) + abs(i) + table[3]


def _add(a, b):
    return a + b


class Current(Benchmark):
    """A function of several globals; one made anew; a semiring of functions, kept and made anew."""

    param_names = ("function", "backend")
    params = (["kept", "made anew", "semiring", "semiring made anew"], ["cpu"])

    def prepare(self, function):
        ring = Semiring(Monoid(_add, 0), _add)
        call = {
            "kept": lambda: current(_mentions_all),
            "made anew": lambda: current(lambda v, i: _helper(v) + i),
            "semiring": ring.freeze,
            "semiring made anew": lambda: Semiring(Monoid(_add, 0), _add).freeze(),
        }[function]
        return call, 0
