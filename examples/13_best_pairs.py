"""
The best pair of every event
============================

Find the best pair of particles of every event: list all pairs, compute the mass of each, and take the argmin of every event.

Every event, a collision, has its own number of electrons and of muons. Which pair of an electron and a muon has the mass
nearest to that of a Z boson? The Cartesian products of awkward-array answer such questions too (Pivarski and Jayd-1234, 2018).

Run it with ``python examples/13_best_pairs.py [events] [mean number of particles]``.
"""

import math
import sys
import time
from typing import Any

import numba
import numpy as np

from spark_csr import Ragged
from spark_csr.primitives import cartesian_product, for_each, offsets_from_counts

Z_MASS = 91.1876  # GeV


def particles(rng, events, mean):
    """Return the energy, px, py and pz (GeV) of some particles in every event: four ragged arrays with the same offsets."""
    offsets = offsets_from_counts(rng.poisson(mean, events))
    n = int(offsets[-1])
    across, rapidity, angle = rng.exponential(40, n), rng.normal(0, 1.5, n), rng.uniform(-np.pi, np.pi, n)
    momenta = across * np.cosh(rapidity), across * np.cos(angle), across * np.sin(angle), across * np.sinh(rapidity)
    return [Ragged(x, offsets) for x in momenta]


@numba.njit
def distance_of_pair(k, i, j, e, x, y, z, e2, x2, y2, z2, distance):
    """Write how far the mass of pair k, made of particle i[k] of the first kind and j[k] of the second, is from the Z mass."""
    a, b = i[k], j[k]
    square = 2 * (e[a] * e2[b] - x[a] * x2[b] - y[a] * y2[b] - z[a] * z2[b])
    distance[k] = abs(math.sqrt(max(square, 0.0)) - Z_MASS)


def best_pairs(electrons, muons):
    """Return the distance from the Z of every pair, and which pair of its event is the nearest; -1 if there is none."""
    offsets, i, j = cartesian_product(electrons[0].offsets[0], muons[0].offsets[0])
    values = np.empty(i.size)
    for_each(i.size, distance_of_pair, i, j, *(x.values for x in electrons), *(x.values for x in muons), values)
    distance = Ragged(values, offsets)
    return distance, distance.argmin(axis=-1)


def in_plain_python(electrons, muons):
    """The same, pair by pair."""
    found = []
    for event in zip(*(x.to_lists() for x in (*electrons, *muons)), strict=True):
        ours, theirs = list(zip(*event[:4], strict=True)), list(zip(*event[4:], strict=True))
        squares = [2 * (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]) for p in ours for q in theirs]
        distances = [abs(math.sqrt(max(square, 0)) - Z_MASS) for square in squares]
        found.append(distances.index(min(distances)) if distances else -1)
    return found


def in_awkward(electrons, muons):
    """The same with awkward-array, as its users write it; None where it is not installed."""
    try:
        import awkward

        from spark_csr.interop.awkward import to_awkward
    except ImportError:
        return None
    kinds = [awkward.zip(dict(zip("exyz", map(to_awkward, kind), strict=True))) for kind in (electrons, muons)]

    def call():
        pairs: Any = awkward.cartesian({"p": kinds[0], "q": kinds[1]})
        p, q = pairs.p, pairs.q
        square = 2 * (p.e * q.e - p.x * q.x - p.y * q.y - p.z * q.z)
        distance = abs(np.sqrt(np.maximum(square, 0)) - Z_MASS)
        return distance, awkward.argmin(distance, axis=1)

    return call


def seconds(call):
    """The best of three, after one that compiles."""
    call()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main(events=2000, mean=12):
    rng = np.random.default_rng(2018)
    electrons, muons = particles(rng, events, mean), particles(rng, events, mean)
    pairs = int((electrons[0].counts().astype(np.int64) * muons[0].counts()).sum())
    print(f"{events:,} events with {pairs:,} pairs")
    distance, best = best_pairs(electrons, muons)
    few = [[x[:200] for x in kind] for kind in (electrons, muons)]
    assert best[:200].tolist() == in_plain_python(*few)
    nearest = distance.min(axis=-1)[best >= 0]
    print(f"median distance from the Z: {np.median(nearest):.2f} GeV; events without pairs: {np.sum(best < 0)}")
    awkwards = in_awkward(electrons, muons)
    if awkwards:
        assert [-1 if x is None else x for x in awkwards()[1].to_list()] == best.tolist()
        print(f"awkward-array takes {seconds(awkwards) / seconds(lambda: best_pairs(electrons, muons)):.1f} times as long")
    print("agrees with plain Python")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
