"""
The best pair of every event
============================

Find the best pair of particles of every event: list all pairs, compute the mass of each, and take the argmin of every event.

Every event, a collision, has its own number of electrons and of muons. Which pair of an electron and a muon has the mass
nearest to that of a Z boson? The Cartesian products of awkward-array answer such questions too (Pivarski and contributors,
2018).

Run it with ``python examples/13_best_pairs.py [events] [mean number of particles]``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/pairs.svg"

import math
import sys
import time
from typing import Any

import numpy as np

from spark_csr import Ragged

Z_MASS = 91.1876  # GeV


def particles(rng, events, mean):
    """Return records of some particles in every event: four-momenta (energy, px, py, pz; GeV) that share their offsets."""
    counts = rng.poisson(mean, events)
    n = counts.sum()
    across, rapidity, angle = rng.exponential(40, n), rng.normal(0, 1.5, n), rng.uniform(-np.pi, np.pi, n)
    energy = Ragged.from_counts(across * np.cosh(rapidity), counts)
    momenta = {"x": across * np.cos(angle), "y": across * np.sin(angle), "z": across * np.sinh(rapidity)}
    return {"e": energy, **{name: Ragged(values, *energy.offsets) for name, values in momenta.items()}}


def distance_of_pair(e, e2, x, x2, y, y2, z, z2):
    """Return how far the mass of a pair is from the Z mass."""
    square = 2 * (e * e2 - x * x2 - y * y2 - z * z2)
    return abs(math.sqrt(max(square, 0.0)) - Z_MASS)


def best_pairs(electrons, muons):
    """Return the distance from the Z of every pair, and which pair of its event is the nearest: a list of one, or of none."""
    e, e2 = electrons["e"].cartesian(muons["e"])
    others = [member for name in "xyz" for member in electrons[name].cartesian(muons[name])]
    distance = e.map(distance_of_pair, e2, *others)
    return distance, distance.argmin(axis=-1, keepdims=True)


def in_plain_python(electrons, muons):
    """The same, pair by pair."""
    found = []
    for event in zip(*(x.to_lists() for kind in (electrons, muons) for x in kind.values()), strict=True):
        ours, theirs = list(zip(*event[:4], strict=True)), list(zip(*event[4:], strict=True))
        squares = [2 * (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]) for p in ours for q in theirs]
        distances = [abs(math.sqrt(max(square, 0)) - Z_MASS) for square in squares]
        found.append([distances.index(min(distances))] if distances else [])
    return found


def in_awkward(electrons, muons):
    """The same with awkward-array, as its users write it; None where it is not installed."""
    try:
        import awkward

        from spark_csr.interop.awkward import to_awkward
    except ImportError:
        return None
    kinds = [to_awkward(kind) for kind in (electrons, muons)]

    def call():
        pairs: Any = awkward.cartesian({"p": kinds[0], "q": kinds[1]})
        p, q = pairs.p, pairs.q
        square = 2 * (p.e * q.e - p.x * q.x - p.y * q.y - p.z * q.z)
        distance = abs(np.sqrt(np.maximum(square, 0)) - Z_MASS)
        return distance, awkward.argmin(distance, axis=1, keepdims=True)

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
    pairs = int((electrons["e"].counts().astype(np.int64) * muons["e"].counts()).sum())
    print(f"{events:,} events with {pairs:,} pairs")
    distance, best = best_pairs(electrons, muons)
    few = [{name: x[:200] for name, x in kind.items()} for kind in (electrons, muons)]
    assert best[:200].to_lists() == in_plain_python(*few)
    nearest = distance[best]  # of every event that has pairs
    print(f"median distance from the Z: {np.median(nearest.flatten()):.2f} GeV; events without pairs: {events - nearest.size}")
    awkwards = in_awkward(electrons, muons)
    if awkwards:
        assert [[x for x in item if x is not None] for item in awkwards()[1].to_list()] == best.to_lists()
        print(f"awkward-array takes {seconds(awkwards) / seconds(lambda: best_pairs(electrons, muons)):.1f} times as long")
    print("agrees with plain Python")


# %%
# Run the program:

if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
