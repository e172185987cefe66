"""Run SciPy's own tests of its sparse arrays with our classes, and count which pass.

    python tests/scipy_suite.py [pytest options]

The classes of tests are `TestCSR`, `TestCSC` and `TestCOO` of `scipy.sparse.tests.test_base`. Ours stand for those that the
tests make: `csr_array`, `csc_array` and `coo_array`. Two things are told to the tests: our dtypes, since there is no longdouble
here, and that ours are arrays, not matrices, which they else learn by `isinstance`. Nothing of the tests themselves is changed.
The reasons of those that fail are in `DIFFERENCES`. The exit status is 0 if no other test fails. pytest does not collect this
file: it is also the module of tests that it runs.
"""

import collections
import os
import pathlib
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.tests import test_base

import spark_csr
from spark_csr._array import DTYPES

test_base.supported_dtypes = [dtype for dtype in test_base.supported_dtypes if np.dtype(dtype) in DTYPES]

DIFFERENCES = {}
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

    @classmethod
    def init_class(cls):
        """Make the matrices that the tests share."""
        super().init_class()
        cls.is_array_test = True


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
        self.outcomes, self.failed = collections.defaultdict(collections.Counter), []

    def pytest_runtest_logreport(self, report):
        """Note how a test ended."""
        if report.when != "call" and report.passed:
            return
        name, test = report.nodeid.split("::")[1:3]
        self.outcomes[name][report.outcome] += 1
        if report.failed:
            self.failed.append((name, test, getattr(report.longrepr, "reprcrash", None)))

    def pytest_terminal_summary(self, terminalreporter):
        """Print the counts, and why tests fail."""
        write = terminalreporter.write_line
        terminalreporter.section("SciPy's own tests with our classes")
        for name, test, crash in self.failed:
            said = (crash.message if crash else "").partition("\n")[0][:90]
            write(f"{name}.{test}: {reason(name, test) or 'UNEXPECTED: ' + said}")
        for name, found in self.outcomes.items():
            counted = found["passed"] + found["failed"]
            skipped = f", {found['skipped']} skipped by SciPy" if found["skipped"] else ""
            write(f"{name}: {found['passed']} of {counted} pass{skipped}")

    def pytest_sessionfinish(self, session):
        """Fail for failures without a reason only."""
        if session.exitstatus in (0, 1):
            session.exitstatus = int(any(reason(name, test) is None for name, test, _ in self.failed))


def reason(name, test):
    """Return why a test fails, or None if it should not."""
    test = test.partition("[")[0]
    return DIFFERENCES.get(f"{name}.{test}", DIFFERENCES.get(test))


def main(arguments):
    """Run pytest on this file, away from the configuration of this project; return its exit status."""
    options = ["-c", os.devnull, "--rootdir", str(pathlib.Path(__file__).parent), "-p", "no:cacheprovider", "-q", "--tb=no"]
    options += ["-o", "python_classes=TestCSR TestCSC TestCOO", "-W", "ignore::pytest.PytestUnknownMarkWarning"]
    return pytest.main([*options, *arguments, __file__], plugins=[Count()])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
