"""What one does with matrices, against SciPy, in one process, on the processor; a line each, with what is wanted.

    python compare_matrix.py [--rounds 5] [--quick] [--only TEXT]

How things are timed is told in `compare.py`. What is done in place is timed on fresh copies, and without these.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "asv_benchmarks")]

from matrix_rows import FAMILIES  # noqa: E402
from side_by_side import parser, print_table  # noqa: E402


def main(arguments=None):
    """Print the table."""
    options = parser(__doc__, smaller="ten times smaller matrices").parse_args(arguments)
    rows = (row for family in FAMILIES for row in family(10 if options.quick else 1))
    print_table(["operation", "ours", "SciPy's"], rows, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
