"""Read the counts of cells in files of 10x Genomics."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, NamedTuple

from spark_csr.io._errors import name_errors
from spark_csr.io._hdf5 import find, layout_of, open_file, read_strings, read_whole

if TYPE_CHECKING:
    import os

    from spark_csr._matrix.csr import csr_array
    from spark_csr._types import Array

FEATURES = {name: name for name in ("id", "name", "feature_type", "genome")}
"""The datasets of what is known of features in the group `features`, by the names of these."""

GENES = {"id": "genes", "name": "gene_names"}
"""Those beside the matrix in files of Cell Ranger 1 and 2."""


class TenX(NamedTuple):
    """What `read_10x_h5` returns: counts, the barcodes of cells, and what is known of features."""

    X: csr_array
    barcodes: Array
    features: dict[str, Array]


def read_10x_h5(file: str | os.PathLike[str] | IO[bytes], genome: str | None = None) -> TenX:
    """Read a matrix of counts that 10x Genomics' Cell Ranger wrote, with its barcodes and features.

    Parameters, result and exceptions that are not listed are those of `read_h5ad`.

    Parameters
    ----------
    genome : str, optional
        The genome to read from a file of Cell Ranger 1 or 2, which has a matrix for each; it may be left out if there is one.
        Later files have one matrix of all genomes: select columns by `features["genome"]`.

    Returns
    -------
    X : (m, n) csr_array
        The counts, with the m barcodes (cells) in rows and the n features (genes) in columns, as scanpy has them. In the file
        the matrix is that of features and barcodes by columns, which are the same arrays.
    barcodes : (m,) NumPy array of str (objects)
        The barcodes.
    features : dict from str to (n,) NumPy arrays of str (objects)
        What the file has of "id", "name", "feature_type" and "genome" of the features.

    Notes
    -----
    To read rows of a matrix that is larger than memory, use `open_hdf5(file, "matrix")`. *Cost*: the arrays are read, and the
    indices are checked in one pass.

    Examples
    --------
    >>> from spark_csr.io import read_10x_h5
    >>> X, barcodes, features = read_10x_h5("filtered_feature_bc_matrix.h5")  # doctest: +SKIP
    >>> genes = X[:, features["feature_type"] == "Gene Expression"]  # doctest: +SKIP
    """
    with name_errors(file, "a matrix of 10x Genomics (.h5)"), open_file(file) as opened:
        name = "matrix" if "matrix" in opened else _only_genome(opened, genome)
        group = find(opened, name)
        layout = layout_of(group)
        if layout.format != "csr" or "barcodes" not in group:
            raise ValueError(f"{name} is no matrix of features and barcodes")
        known, place = (FEATURES, find(group, "features")) if "features" in group else (GENES, group)
        cells, count = layout.shape
        features = {key: read_strings(place, name, count, f"{key} of features") for key, name in known.items() if name in place}
        barcodes = read_strings(group, "barcodes", cells)
        return TenX(read_whole(layout), barcodes, features)


def _only_genome(file, genome):
    """Return the group of a genome in a file of Cell Ranger 1 or 2."""
    names = list(file)
    if genome is None and len(names) == 1:
        return names[0]
    if genome not in names:
        raise ValueError(f"it has no group 'matrix' and no genome {genome!r}: choose one of {', '.join(names)[:200]}")
    return genome
