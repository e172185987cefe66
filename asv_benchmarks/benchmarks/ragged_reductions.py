"""Ragged arrays: reductions by axis, softmax, sorts and pairs."""

from benchmarks.common import LARGE, SMOKE, Compared
from rows.ragged import lists

LISTS = 1_000_000 if LARGE else 1000 if SMOKE else 100_000
EVENTS = 5000 if LARGE else 200
"""With 100 elements on average on both sides: 50 million pairs, the product of 2018's GPU prototypes."""


class Operations(
    Compared,
    operations=(
        *(f"ragged {name} inner" for name in ("sum", "max", "argmin", "mean")),
        *(f"ragged {name} outer" for name in ("sum", "argmin")),
        *(f"ragged {name}" for name in ("cumsum", "softmax", "sort", "topk")),
    ),
):
    def operands(self, operation):
        return (lists(LISTS, 10),)


class Pick(Compared, operations=("ragged pick",)):
    def operands(self):
        R = lists(LISTS, 10)
        return R, R.argmin(axis=-1)


class Where(Compared, operations=("ragged where",)):
    def operands(self):
        R = lists(LISTS, 10)
        return R, R > 1


class Cartesian(Compared, operations=("ragged cartesian",)):
    def operands(self):
        return tuple(lists(EVENTS, 100, seed) for seed in range(2))
