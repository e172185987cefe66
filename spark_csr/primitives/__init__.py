"""Data-parallel primitives on NumPy and CuPy arrays: scans, floods, selection, sorting and segments.

Lists, and columns of pandas, are taken as NumPy arrays.

Segments are given by n + 1 `offsets`: segment `i` is `offsets[i]:offsets[i + 1]`, and it may be empty. Missing elements are
given by a mask or by offsets, never by a special value.

Where an argument has the shape `(n, ...)`, its elements may be vectors: the rows of an array along its first axis, of any
shape. The result is then that of calls on every column `x[:, j]`, stacked, up to the rounding of sums of floats. What moves
elements writes their positions, and copies each row once. Scans are one pass over the rows on the cores, and one scan of all
columns on a GPU, with two copies. `segmented_reduce` is a product with a matrix that has a row for every segment, and a one for
every row of `x`, with one host read more on a GPU; positions, and operators of your own, take a copy by column. Masks, keys,
counts and offsets have one axis.

Scans and reductions:

- `inclusive_scan`, `exclusive_scan`: running sums, or the running combination by any `Monoid`
- `segmented_scan`: a scan that restarts at each segment
- `segmented_reduce`: the combination of each segment

Floods, or forward and backward fill:

- `right_flood`, `left_flood`: each element takes the last valid element before it, or the first after it
- `right_flood_vjp`: the gradient of a flood
- `flood_by_reduce_deduce`: the positions that a right flood copies from, by a tree, to be read

Selection:

- `compact`: the elements that a mask selects
- `partition`: the elements that a mask selects, then the others
- `map_where`: a function of the elements that a mask selects

Sorting and merging:

- `sort`, `argsort`, `sort_by_key`: sorts with a choice of algorithms, stable by default
- `segmented_sort`, `segmented_argsort`, `segmented_topk`: each segment on its own
- `merge`: two sorted arrays as one
- `is_bitonic`: test whether an array changes direction at most once
- `sort_by_bits`: radix sort one bit at a time, to be read

Tuples:

- `cartesian_product`: all tuples of one element from each factor, for every segment
- `combinations`, `permutations`: all choices of n elements, and all orders, for every segment

Segments and runs:

- `offsets_from_counts`, `counts_from_offsets`: offsets from lengths, and back
- `offsets_from_segment_ids`, `segment_ids`: offsets from the segment of every item, and back
- `head_flags_from_offsets`: flags at the first item of every segment
- `local_index`: the rank of every item in its segment
- `load_balance_search`: the segment of items and their rank in it
- `allocate`: where each of n writers writes
- `repeat`, `run_length_encode`: decode and encode runs of equal elements

Your own functions:

- `for_each`: run a function for every index, in parallel
- `transform_segments`: a function of every item, its segment and its rank there
- `transform_compact`: a function of the items that another function accepts

Examples
--------
>>> import numpy as np
>>> from spark_csr.primitives import inclusive_scan, segmented_reduce
>>> x = np.array([1, 2, 3, 4, 5])
>>> inclusive_scan(x)
array([ 1,  3,  6, 10, 15])
>>> segmented_reduce(x, np.array([0, 2, 2, 5]), "max")  # an empty segment gives the least integer
array([                   2, -9223372036854775808,                    5])
>>> segmented_reduce(np.array([[1, 10], [2, 20], [3, 30]]), np.array([0, 2, 3]))  # elements that are vectors
array([[ 3, 30],
       [ 3, 30]])
"""

from spark_csr._current_device import functions_on_their_device
from spark_csr.primitives._lists import take_lists
from spark_csr.primitives.cartesian import cartesian_product
from spark_csr.primitives.choose import combinations, permutations
from spark_csr.primitives.compact import compact, partition
from spark_csr.primitives.counts import allocate, counts_from_offsets, offsets_from_counts
from spark_csr.primitives.flood import left_flood, right_flood, right_flood_vjp
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.map_where import map_where
from spark_csr.primitives.merge import is_bitonic, merge
from spark_csr.primitives.offsets import head_flags_from_offsets, offsets_from_segment_ids
from spark_csr.primitives.repeat import repeat, run_length_encode
from spark_csr.primitives.scan import exclusive_scan, inclusive_scan
from spark_csr.primitives.search import load_balance_search, local_index, segment_ids
from spark_csr.primitives.segmented import segmented_reduce, segmented_scan
from spark_csr.primitives.segmented_sort import segmented_argsort, segmented_sort
from spark_csr.primitives.segmented_topk import segmented_topk
from spark_csr.primitives.sort import argsort, sort, sort_by_key
from spark_csr.primitives.textbook.reduce_deduce import flood_by_reduce_deduce
from spark_csr.primitives.textbook.sort_by_bits import sort_by_bits
from spark_csr.primitives.transform import transform_compact, transform_segments

__all__ = [
    "allocate",
    "argsort",
    "cartesian_product",
    "combinations",
    "compact",
    "counts_from_offsets",
    "exclusive_scan",
    "flood_by_reduce_deduce",
    "for_each",
    "head_flags_from_offsets",
    "inclusive_scan",
    "is_bitonic",
    "left_flood",
    "load_balance_search",
    "local_index",
    "map_where",
    "merge",
    "offsets_from_counts",
    "offsets_from_segment_ids",
    "partition",
    "permutations",
    "repeat",
    "right_flood",
    "right_flood_vjp",
    "run_length_encode",
    "segment_ids",
    "segmented_argsort",
    "segmented_reduce",
    "segmented_scan",
    "segmented_sort",
    "segmented_topk",
    "sort",
    "sort_by_bits",
    "sort_by_key",
    "transform_compact",
    "transform_segments",
]

for _name in __all__:
    if _name != "for_each":  # it writes into what it is given
        globals()[_name] = take_lists(globals()[_name])
functions_on_their_device(globals(), __all__)


def __dir__() -> list[str]:
    return __all__
