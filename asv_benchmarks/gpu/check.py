"""Rows of the tables at a small size: is what ours gives on the GPU what SciPy, NumPy or the cores give?"""

import functools
import re

import peers
import table
from peers.results import alike

FAMILIES = {
    "spmv": "^(Poisson .*3,|R-MAT|uniform x 16|banded x 81|one dense row|uniform 1000.2)",
    "matrix": "^(COO to CSR, 10 a row|tocsc, 16|prune|(sum|max) rows, 16M|A . B, 16M)",
    "spgemm": "^(uniform .* x 10$|R-MAT|Poisson)",
    "primitives": "",
    "graph": "^(R-MAT|grid)",
}
"""The families, and the rows that are taken."""

REFERENCES = "scipy", "numpy", "ours"


def items(options):
    """A check for each row."""
    for family, only in FAMILIES.items():
        taken, module = table.settings([family, "--smoke", "--device", "cuda"])
        for row in module.rows(taken):
            if re.search(only, row.name):
                yield f"{family}: {row.name}", functools.partial(check, row)


def check(row):
    """Compare the results of one row."""
    operands = row.operands()
    found = peers.prepared(row.operation, "cuda", *operands)()
    reference = next(x for x in REFERENCES if x in peers.OPERATIONS[row.operation] and x not in row.without)
    expected = peers.prepared(row.operation, reference, *operands)()
    assert alike(row.operation, found, reference, expected), f"ours differs from {reference}"
