"""Primitives as they are taught: algorithms of textbooks, one step at a time, printed and drawn.

`trace` returns the steps of a function of this module: `print` prints them, and notebooks draw them. A function that is called
itself returns its result. They are for small arrays on the host: `spark_csr.primitives` has the functions for work.

- `hillis_steele_scan`, `blelloch_scan`, `segmented_scan`: running sums
- `right_flood`: the tree of a right flood
- `compact`: elements that a mask selects
- `bitonic_sort`, `odd_even_merge_sort`, `brick_sort`, `radix_sort`: sorts
- `spmv`: the product of a CSR matrix with a vector
- `trace`, `Step`, `Trace`: the steps

Examples
--------
>>> from spark_csr.primitives import textbook
>>> print(textbook.trace(textbook.brick_sort, [3, 2, 1]))
begin                              3   2   1
compare even neighbours            2   3   1
compare odd neighbours             2   1   3
compare even neighbours            1   2   3
"""

from spark_csr.primitives.textbook.products import compact, spmv
from spark_csr.primitives.textbook.scans import blelloch_scan, hillis_steele_scan, right_flood, segmented_scan
from spark_csr.primitives.textbook.sorts import bitonic_sort, brick_sort, odd_even_merge_sort, radix_sort
from spark_csr.primitives.textbook.steps import Step, Trace, trace

__all__ = [
    "Step",
    "Trace",
    "bitonic_sort",
    "blelloch_scan",
    "brick_sort",
    "compact",
    "hillis_steele_scan",
    "odd_even_merge_sort",
    "radix_sort",
    "right_flood",
    "segmented_scan",
    "spmv",
    "trace",
]


def __dir__() -> list[str]:
    return __all__
