"""Matrices whose rows have lengths of their own: those on which a kernel that is made for one length falls behind.

Design: a generator says the length of every row; columns are drawn near the diagonal, or anywhere. Real ones are read from a
folder of `scipy.sparse.save_npz` files.
"""

import pathlib

import numpy as np
import scipy.sparse as sp

from rows import sized
from spark_csr import csr_array


def of_lengths(lengths, columns, dtype, band=None, seed=0):
    """A matrix with so many entries in each row; within `band` columns of the diagonal, or anywhere."""
    rng = np.random.default_rng(seed)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.repeat(np.arange(lengths.size), lengths)
    if band is None:
        indices = rng.integers(0, columns, rows.size)
    else:
        indices = (rows * columns // lengths.size + rng.integers(-band, band + 1, rows.size)) % columns
    S = sp.csr_array((rng.random(rows.size).astype(dtype), indices, indptr), shape=(lengths.size, columns))
    S.sort_indices()
    return csr_array(S)


def _one_to_three(rng, n):
    return 1 + (rng.random(n) < 0.5) + (rng.random(n) < 0.35)


def _power_law(exponent):
    return lambda rng, n: np.minimum(rng.zipf(exponent, n), 3000)


LENGTHS = {
    "quadratic program": (280_000, 50, _one_to_three),
    "1 to 5 a row": (180_000, 50, lambda rng, n: rng.integers(1, 6, n)),
    "mesh, 2 to 6 a row": (62_000, 50, lambda rng, n: rng.integers(2, 7, n)),
    "citations": (35_000, None, lambda rng, n: rng.poisson(rng.gamma(1.2, 10, n))),
    "power law 1.7": (36_000, None, _power_law(1.7)),
    "power law 2.1": (100_000, None, _power_law(2.1)),
    "power law 2.5": (200_000, None, _power_law(2.5)),
    "three quarters empty": (500_000, 50, lambda rng, n: 2 * (rng.random(n) < 0.25)),
}


def generated(options):
    """(name, maker) pairs; a maker takes a dtype."""
    for name, (rows, band, lengths) in LENGTHS.items():
        n = sized(options, rows, least=200)
        yield name, lambda t, n=n, band=band, f=lengths: of_lengths(f(np.random.default_rng(0), n), n, t, band)
    blocks = sized(options, 20_000, least=200)
    yield (
        "blocks of 3, 27 a row",
        lambda t: of_lengths(np.repeat(9 * np.random.default_rng(0).integers(1, 6, blocks), 3), 3 * blocks, t, 300),
    )


def from_folder(folder):
    """The same of the matrices of real numbers among the .npz files of a folder."""
    for path in sorted(pathlib.Path(folder).glob("*.npz")) if folder else ():
        if sp.load_npz(path).dtype.kind != "c":
            yield path.stem, lambda t, path=path: csr_array(sp.csr_array(sp.load_npz(path)), dtype=t)
