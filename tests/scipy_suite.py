"""Run SciPy's own tests of its sparse arrays with our classes, and count which pass.

    python tests/scipy_suite.py [pytest options]

The classes of tests are `TestCSR`, `TestCSC` and `TestCOO` of `scipy.sparse.tests.test_base`. Nothing of the tests is changed,
but they are told what takes the place of SciPy's names in a program that uses this package: our classes, which are sparse
arrays too; `issparse`; `splu`, `expm` and `inv`; our dtypes, without longdouble; and where a matrix keeps its arrays, which the
tests else look for among its attributes. The reasons of those that fail are in `DIFFERENCES`. The exit status is 0 if no other
test fails, and each reason is one of a test that fails. pytest does not collect this file: it is also the module of tests that
it runs.
"""

import collections
import itertools
import os
import pathlib
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.tests import test_base

import spark_csr
from spark_csr import linalg
from spark_csr._array import DTYPES


def arrays_of(A):
    """Return the arrays of a matrix: ours are in a record."""
    return A._record.arrays if hasattr(A, "_record") else [x for x in vars(A).values() if isinstance(x, np.ndarray)]


def may_share_memory(A, B):
    """Return whether any array of one matrix may share memory with one of the other."""
    return any(np.may_share_memory(a, b) for a, b in itertools.product(arrays_of(A), arrays_of(B)))


test_base.supported_dtypes = [dtype for dtype in test_base.supported_dtypes if np.dtype(dtype) in DTYPES]
test_base.sparray = scipy.sparse.sparray, spark_csr.csr_array, spark_csr.csc_array, spark_csr.coo_array
test_base.issparse, test_base.sparse_may_share_memory = spark_csr.issparse, may_share_memory
test_base.splu, test_base.expm, test_base.inv = linalg.splu, linalg.expm, linalg.inv

AXES = "an axis out of range is NumPy's AxisError, a ValueError that names the axis"
NARROW = "index arrays are as wide as they need to be: SciPy keeps int64 that it is given"
SUMMED = "entries of one position are summed when a coo_array is made"
FLAT = "an array of indices of a matrix has at most two dimensions"

DIFFERENCES = {
    "test_repr": "a line that says where the matrix is; print(A) is SciPy's text",
    "test_inplace_dense": "x *= A writes into the array x; with a matrix of SciPy, x becomes a sparse array",
    "test_astype": "index arrays are read-only, since what is learnt about them is kept",
    "test_dtype_check": "float16 is stored",
    "test_pickle": "the test compares attributes, of which one is a record; pickled matrices are equal",
    "test_sum_invalid_params": AXES,
    "test_mean_invalid_param": AXES,
    "test_sum": "NumPy and we round a sum of complex64 differently in its last bit",
    "TestCSR.test_constructor_smallcol": NARROW,
    "TestCSR.test_has_canonical_format": "a flag of index arrays is found anew when others are set, so it cannot be wrong",
    "TestCOO.test_constructor4": "what is no shape is a ValueError here, a TypeError in SciPy",
    "TestCOO.test_fancy_indexing_ndarray": FLAT,
    "TestCOO.test_has_canonical_format": SUMMED,
}
"""Why a test fails, by its name, or by the names of the class and the test."""


class Ours:
    """What the tests make: our matrices."""

    csr_container = staticmethod(spark_csr.csr_array)
    csc_container = staticmethod(spark_csr.csc_array)
    coo_container = staticmethod(spark_csr.coo_array)

    @classmethod
    def spcreator(cls, *args, **kwargs):
        """Make a matrix, without the warning that the tests are not about."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", test_base.WMSG, scipy.sparse.SparseEfficiencyWarning)
            return cls.form(*args, **kwargs)


class TestCSR(Ours, test_base.TestCSR):
    form = staticmethod(spark_csr.csr_array)


class TestCSC(Ours, test_base.TestCSC):
    form = staticmethod(spark_csr.csc_array)


class TestCOO(Ours, test_base.TestCOO):
    form = staticmethod(spark_csr.coo_array)


for _tests in (TestCSR, TestCSC, TestCOO):
    _tests.init_class()


class Count:
    """The plugin that counts."""

    def __init__(self):
        self.outcomes, self.failed, self.ran = collections.defaultdict(collections.Counter), [], set()

    def pytest_runtest_logreport(self, report):
        """Note how a test ended."""
        if report.when != "call" and report.passed:
            return
        name, test = report.nodeid.split("::")[1:3]
        self.outcomes[name][report.outcome] += 1
        if report.outcome != "skipped":
            self.ran.add((name, test))
        if report.failed:
            self.failed.append((name, test, getattr(report.longrepr, "reprcrash", None)))

    def pytest_terminal_summary(self, terminalreporter):
        """Print the counts, and why tests fail."""
        write = terminalreporter.write_line
        terminalreporter.section("SciPy's own tests with our classes")
        for name, test, crash in self.failed:
            said = (crash.message if crash else "").partition("\n")[0][:90]
            write(f"{name}.{test}: {DIFFERENCES.get(key_of_reason(name, test), 'UNEXPECTED: ' + said)}")
        for key in self.stale():
            write(f"{key} passes: REMOVE its reason")
        for name, found in self.outcomes.items():
            counted = found["passed"] + found["failed"]
            skipped = f", {found['skipped']} skipped by SciPy" if found["skipped"] else ""
            write(f"{name}: {found['passed']} of {counted} pass{skipped}")

    def pytest_sessionfinish(self, session):
        """Fail for failures without a reason, and for reasons without a failure."""
        if session.exitstatus in (0, 1):
            unexpected = any(key_of_reason(name, test) is None for name, test, _ in self.failed)
            session.exitstatus = int(unexpected or bool(self.stale()))

    def stale(self):
        """Return the keys of reasons that no failure needs, though a test ran that has this name."""
        needed = {key_of_reason(name, test) for name, test, _ in self.failed}
        return sorted(set(filter(None, (key_of_reason(name, test) for name, test in self.ran))) - needed)


def key_of_reason(name, test):
    """Return the key of the reason why a test fails, or None if it should not."""
    test = test.partition("[")[0]
    return next((key for key in (f"{name}.{test}", test) if key in DIFFERENCES), None)


def main(arguments):
    """Run pytest on this file, away from the configuration of this project; return its exit status."""
    options = ["-c", os.devnull, "--rootdir", str(pathlib.Path(__file__).parent), "-p", "no:cacheprovider", "-q", "--tb=no"]
    options += ["-o", "python_classes=TestCSR TestCSC TestCOO", "-W", "ignore::pytest.PytestUnknownMarkWarning"]
    return pytest.main([*options, *arguments, __file__], plugins=[Count()])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
