"""The lines of `compare_matrix.py`, family by family: (name, ours, theirs, how many times faster is wanted)."""

from matrix_rows.arithmetic import arithmetic
from matrix_rows.construction import construction
from matrix_rows.conversions import conversions
from matrix_rows.indexing import indexing
from matrix_rows.reductions import reductions

FAMILIES = (conversions, arithmetic, reductions, indexing, construction)

__all__ = ["FAMILIES"]
