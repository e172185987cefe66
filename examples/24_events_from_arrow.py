"""
The best pair of every event, from Arrow
========================================

Take particles from Arrow's lists of records, and find in every event the pair with the mass nearest to that of a Z boson.

Run it with ``python examples/24_events_from_arrow.py``. It needs pyarrow and awkward.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/lists.svg"

import awkward as ak
import numpy as np

from spark_csr.interop.arrow import from_arrow


def mass_of_pair(e, e2, x, x2, y, y2, z, z2):
    return max(2 * (e * e2 - x * x2 - y * y2 - z * z2), 0) ** 0.5


def best_masses(electrons, muons):
    """Return the mass of the best pair of every event: a list of one, or of none."""
    p, q = from_arrow(electrons), from_arrow(muons)
    e, *others = (member for name in "exyz" for member in p[name].cartesian(q[name]))
    mass = e.map(mass_of_pair, *others)
    return mass[abs(mass - 91.1876).argmin(axis=-1, keepdims=True)]


def particles(rng, events):
    """Return an Arrow array: in every event a list of records of energy and momentum, in GeV."""
    counts = rng.poisson(6, events)
    x, y, z = rng.normal(0, 40, (3, counts.sum()))
    records = ak.zip({"e": np.sqrt(x**2 + y**2 + z**2), "x": x, "y": y, "z": z})
    return ak.to_arrow(ak.unflatten(records, counts), extensionarray=False)


# %%
# Run the program:

if __name__ == "__main__":
    rng = np.random.default_rng(1)
    best = best_masses(particles(rng, 20_000), particles(rng, 20_000))
    print(best[:4])
    print(f"{best.size:,} events have a pair; the median of the best masses is {np.median(best.values):.1f} GeV")
