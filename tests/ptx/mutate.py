"""Which barriers, fences and guards of the kernels would be missed? Run by hand, with tests that launch kernels:

    python tests/ptx/mutate.py [--runs N] [--what barriers,fences,guards] [--] tests/primitives/test_scan.py ...

The tests run in one process as pytest is told to run them. After each launch every mutant of the kernel (see `mutations.py`)
that was not noticed yet runs on the same memory, up to N times and again in each launch that is twice as large. At the end:
how many were noticed, and those that were not.
What is not noticed is either not needed, or not tested.
"""

import argparse
import os
import pathlib
import sys

import pytest

WHAT = {"barriers": 1, "fences": 2, "guards": 4}


def main():
    """Run pytest with mutants and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="how often a mutant runs until it counts as not noticed")
    parser.add_argument("--what", default="barriers,fences", help="some of barriers,fences,guards")
    parser.add_argument("tests", nargs=argparse.REMAINDER, help="what pytest is given")
    chosen = parser.parse_args()
    mutations = sum(WHAT[name] for name in chosen.what.split(","))
    before = os.environ.get("SPARK_CSR_PTX_OPTIONS")
    os.environ["SPARK_CSR_PTX"] = "1"
    added = f"mutate={chosen.runs},mutations={mutations}"
    os.environ["SPARK_CSR_PTX_OPTIONS"] = f"{before},{added}" if before else added
    sys.path[:0] = [str(folder) for folder in pathlib.Path(__file__).resolve().parents[2:0:-1]]
    status = pytest.main(["-n", "0", "-p", "no:cacheprovider", *(text for text in chosen.tests if text != "--")])
    from ptx import mutations

    print(*mutations.report(), sep="\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
