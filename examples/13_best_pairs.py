"""The pair of particles that fits best, event by event: products of ragged arrays, a mass of every pair, argmin in each event.

The problem that vectorised products were invented for (awkward-array, 2018): every collision has its own number of electrons
and of muons; of all pairs of one collision, which has the mass nearest to that of a Z boson?

python examples/13_best_pairs.py [events] [mean number of particles]
"""

import math
import sys
import time

import numba
import numpy as np

from spark_csr import Ragged
from spark_csr.primitives import cartesian_product, for_each, offsets_from_counts

Z_MASS = 91.1876  # GeV


def particles(rng, events, mean):
    """Momenta (GeV), pseudorapidities and angles of some particles in every event; all three have the same lists."""
    offsets = offsets_from_counts(rng.poisson(mean, events))
    n = int(offsets[-1])
    return [Ragged(x, offsets) for x in (rng.exponential(40, n), rng.normal(0, 1.5, n), rng.uniform(-np.pi, np.pi, n))]


@numba.njit
def mass_of_pair(k, i, j, momentum, rapidity, angle, momentum2, rapidity2, angle2, mass):
    """The invariant mass of two fast particles: of pair k, the i[k]-th of the first kind and the j[k]-th of the second."""
    a, b = i[k], j[k]
    opening = math.cosh(rapidity[a] - rapidity2[b]) - math.cos(angle[a] - angle2[b])
    mass[k] = math.sqrt(2 * momentum[a] * momentum2[b] * opening)


def best_pairs(electrons, muons):
    """For every event the distance of its best pair from the Z, and which pair of the event that is; -1 where there is none."""
    offsets, i, j = cartesian_product(electrons[0].offsets[0], muons[0].offsets[0])
    mass = np.empty(i.size)
    for_each(i.size, mass_of_pair, i, j, *(x.values for x in electrons), *(x.values for x in muons), mass)
    distance = abs(Ragged(mass, offsets) - Z_MASS)
    return distance.min(axis=-1), distance.argmin(axis=-1)


def in_plain_python(electrons, muons):
    """The same, pair by pair."""
    found = []
    for event in zip(*(x.to_lists() for x in (*electrons, *muons)), strict=True):
        ours, theirs = list(zip(*event[:3], strict=True)), list(zip(*event[3:], strict=True))
        pairs = [(p, q) for p in ours for q in theirs]
        masses = [math.sqrt(2 * p[0] * q[0] * (math.cosh(p[1] - q[1]) - math.cos(p[2] - q[2]))) for p, q in pairs]
        distances = [abs(mass - Z_MASS) for mass in masses]
        found.append(distances.index(min(distances)) if distances else -1)
    return found


def in_awkward(electrons, muons):
    """The same with awkward-array, as its users write it; None where it is not installed."""
    try:
        import awkward

        from spark_csr.interop.awkward import to_awkward
    except ImportError:
        return None
    fields = "momentum", "rapidity", "angle"
    kinds = [awkward.zip(dict(zip(fields, map(to_awkward, kind), strict=True))) for kind in (electrons, muons)]

    def call():
        p, q = awkward.unzip(awkward.cartesian(kinds))
        opening = np.cosh(p.rapidity - q.rapidity) - np.cos(p.angle - q.angle)
        distance = abs(np.sqrt(2 * p.momentum * q.momentum * opening) - Z_MASS)
        return awkward.min(distance, axis=1), awkward.argmin(distance, axis=1)

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
    print(f"median distance from the Z: {np.median(distance[best >= 0]):.2f} GeV; events without pairs: {np.sum(best < 0)}")
    awkwards = in_awkward(electrons, muons)
    if awkwards:
        assert np.array_equal(np.asarray(awkwards()[1].to_numpy(allow_missing=True)).astype(int)[best >= 0], best[best >= 0])
        print(f"awkward-array takes {seconds(awkwards) / seconds(lambda: best_pairs(electrons, muons)):.1f} times as long")
    print("agrees with plain Python")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
