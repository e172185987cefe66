"""Benchmarks for airspeed velocity: one file per operation or primitive, as the source files are named.

Run from the folder above: `asv machine --yes` once, then `asv run --quick --python=same`. SPARK_CSR_BENCH=large in the
environment takes matrices of the size that papers use; the default ones take seconds each. With SPARK_CSR_BENCH=smoke every
benchmark runs for one choice of its parameters: that shows that it runs, and says nothing else.

The package that is measured is the one installed; without one, the source tree that this folder lies in.
"""

import importlib.util
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER))  # `peers` and `rows`: asv itself lets nothing but this package be found
if importlib.util.find_spec("spark_csr") is None:
    sys.path.insert(1, str(FOLDER.parent))
