"""
Clipping triangles
==================

Cut triangles along a line or a plane, when each triangle leaves 0, 1 or 2 triangles: count, scan the counts, then write.

Every triangle is handled at the same time as all others, so each must know where to write before anything is written. The
number of its corners on the kept side says how many triangles remain of it: none of 0 corners, one of 1 or 3 corners, and two
of 2 corners, where a quadrangle remains. The exclusive scan of these counts is the place of the first triangle that remains of
each.

Run it with ``python examples/26_triangle_clipping.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/clipping.svg"

import numpy as np
from numba import njit

from spark_csr.primitives import allocate, for_each, repeat

REMAINING = np.array([0, 1, 2, 1])  # how many triangles remain of one with 0, 1, 2 and 3 corners on the kept side


def clip(triangles, normal, level):
    """Keep the points p with `p @ normal >= level`; returns the triangles that remain, and how many remain of each."""
    distance = triangles @ normal - level
    counts = REMAINING[(distance >= 0).sum(axis=1)]
    addresses, total = allocate(counts)
    out = np.empty((total, *triangles.shape[1:]))
    for_each(len(triangles), write_remaining, triangles, distance, addresses, out)
    return out, counts


@njit
def write_remaining(i, triangles, distance, addresses, out):
    """Go round triangle i: its kept corners, and the points where its sides are cut, are the corners of what remains."""
    found = 0
    for k in range(3):
        following = (k + 1) % 3
        here, there = distance[i, k], distance[i, following]
        if here >= 0:
            write_corner(out, addresses[i], found, triangles[i, k], triangles[i, following], 0.0)
            found += 1
        if (here >= 0) != (there >= 0):
            write_corner(out, addresses[i], found, triangles[i, k], triangles[i, following], here / (here - there))
            found += 1


@njit
def write_corner(out, address, found, start, end, share):
    """Write a point between `start` and `end` as corner number `found`; a fourth corner makes a second triangle."""
    for axis in range(start.size):
        value = start[axis] + share * (end[axis] - start[axis])
        if found < 3:
            out[address, found, axis] = value
        else:
            out[address + 1, 0, axis] = out[address, 0, axis]
            out[address + 1, 1, axis] = out[address, 2, axis]
            out[address + 1, 2, axis] = value


def clip_one_by_one(triangles, normal, level):
    """Do the same in plain Python: one triangle after the other is appended to a list."""
    out = []
    for triangle in triangles:
        polygon = []
        for start, end in zip(triangle, np.roll(triangle, -1, axis=0), strict=True):
            here, there = start @ normal - level, end @ normal - level
            if here >= 0:
                polygon.append(start)
            if (here >= 0) != (there >= 0):
                polygon.append(start + here / (here - there) * (end - start))
        out += [[polygon[0], *polygon[k : k + 2]] for k in range(1, len(polygon) - 1)]
    return np.array(out)


def area(triangles):
    sides = triangles[:, 1:] - triangles[:, :1]
    return np.sqrt(np.linalg.det(sides @ sides.transpose(0, 2, 1)).clip(min=0)).sum() / 2


def show(name, array):
    print(f"{name:<40}{array}")


def main():
    triangles = np.array(
        [
            [[0.0, 1.0], [2.0, 1.0], [1.0, 3.0]],
            [[3.0, -3.0], [5.0, -3.0], [4.0, -1.0]],
            [[6.0, 1.0], [8.0, 1.0], [7.0, -1.0]],
            [[9.0, -1.0], [11.0, -1.0], [10.0, 1.0]],
        ]
    )
    above = np.array([0.0, 1.0])
    kept, counts = clip(triangles, above, 0.0)
    show("corners of 4 triangles above the line", (triangles[..., 1] >= 0).sum(axis=1))
    show("triangles that remain of each", counts)
    show("where each writes, and how many in all", allocate(counts))
    show("the triangle that each comes from", repeat(np.arange(4), counts))
    show("the two that remain of triangle 2", kept[1:3].tolist())
    assert np.array_equal(kept, clip_one_by_one(triangles, above, 0.0))

    # Triangles in space, and a plane. What lies on its two sides has the area of the whole.
    rng = np.random.default_rng(0)
    triangles = rng.random((100_000, 1, 3)) + rng.normal(0, 0.1, (100_000, 3, 3))
    normal, level = np.array([1.0, 2.0, 2.0]) / 3, 0.8
    kept, counts = clip(triangles, normal, level)
    other, _ = clip(triangles, -normal, -level)
    show("100,000 triangles in space leave", f"{len(kept):,} on one side, {len(other):,} on the other")
    show("of which 0, 1 and 2 triangles remain", np.bincount(counts))
    assert np.isclose(area(kept) + area(other), area(triangles))
    some = triangles[:1000]
    assert np.allclose(clip(some, normal, level)[0], clip_one_by_one(some, normal, level))
    print("agrees with plain Python")


# %%
# Run the program:

if __name__ == "__main__":
    main()
