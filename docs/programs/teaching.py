"""A lesson: scan, compaction and radix sort, by hand and by the package."""

import numba
import numpy as np

from spark_csr import config
from spark_csr.primitives import (
    compact,
    exclusive_scan,
    for_each,
    inclusive_scan,
    sort,
    sort_by_bits,
)


# 1. A scan in log2(n) steps. All elements work at once: none writes where
# another one reads, because each step has its own output.
@numba.njit
def add_from_left(i, distance, x, out):
    out[i] = x[i] + x[i - distance] if i >= distance else x[i]


x = np.array([3, 1, 4, 1, 5, 9, 2, 6])
distance, steps = 1, x.copy()
while distance < x.size:
    out = np.empty_like(steps)
    for_each(x.size, add_from_left, distance, steps, out)
    print(f"from {distance} to the left:", out)
    distance, steps = 2 * distance, out
print("same as the package:", (steps == inclusive_scan(x)).all())


# 2. Compaction is a scan and a scatter: the scan says where to write.
@numba.njit
def scatter(i, x, keep, place, out):
    if keep[i]:
        out[place[i]] = x[i]


keep = x % 2 == 1
place = exclusive_scan(keep.astype(np.int64))
odd = np.empty(place[-1] + keep[-1], x.dtype)
for_each(x.size, scatter, x, keep, place, odd)
print("places:", place, "odd:", odd)
print("same as the package:", (odd == compact(x, keep)).all())

# 3. A radix sort is one such partition for every bit; zeros go first.
keys = np.random.default_rng(0).integers(0, 1 << 12, 100_000)
print("sorted:", (sort_by_bits(keys) == np.sort(keys)).all())
print("same as the package:", (sort(keys) == sort_by_bits(keys)).all())

# 4. Floats: the order of additions is fixed, so bits are the same for any
# number of threads. They differ from those of another order.
y = np.random.default_rng(0).random(1_000_000)
with config(threads=1):
    one = inclusive_scan(y)
print("same bits on all cores:", (one == inclusive_scan(y)).all())
back = inclusive_scan(y[::-1])
print("same bits from right to left:", one[-1] == back[-1])
