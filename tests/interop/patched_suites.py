"""Run test suites of other packages with SciPy as it is and with the patch, and compare which tests pass.

    python tests/interop/patched_suites.py [package or module ...] [-- pytest options]

By default: SciPy's tests of sparse matrices, of their graphs and of their solvers. Everything counts as large enough for the
patch. The exit status is 0 if every test has the same outcome both times.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

SUITES = ("scipy.sparse", "scipy.sparse.csgraph", "scipy.sparse.linalg")

REPORT = """
import atexit, contextlib, os, pathlib
from spark_csr.interop.scipy import report
from spark_csr.interop.scipy._switch import SUBSTITUTES

with contextlib.suppress(ImportError):  # SciPy's tests look up there, by function, which array libraries a function takes
    from scipy._lib._array_api import xp_capabilities_table as table

    table |= {each.function: table[each.original] for each in SUBSTITUTES.values() if each.original in table}

@atexit.register
def write():
    with open(os.environ["PATCH_REPORT"], "a") as file:
        file.writelines(f"{name} {calls} {sum(left.values())}\\n" for name, (calls, left) in report().items())
"""
"""A plugin of pytest that adds up what was computed by whom, in each process."""


def run(suites, options, folder, patched):
    """Return the outcome of every test."""
    report, environment = folder / f"outcomes-{patched}.xml", dict(os.environ, SPARK_CSR_PATCH_FROM="0")
    environment["PATCH_REPORT"] = str(folder / "report")
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", ".", "-q", "-p", "no:cacheprovider", "-n", "2"]
    if patched:
        (folder / "patch_report.py").write_text(REPORT)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
        command[1:3] = ["-m", "spark_csr", "run", "-m", "pytest", "-p", "patch_report"]
    files = [] if all(pathlib.Path(suite).exists() for suite in suites) else ["--pyargs"]
    subprocess.run([*command, f"--junitxml={report}", *options, *files, *suites], cwd=folder, env=environment, check=False)
    cases = ET.parse(report).iter("testcase")
    return {name_of(case): case[0].tag if len(case) else "passed" for case in cases}


def name_of(case):
    """Return the name of a test without addresses of objects, which differ."""
    return re.sub(r"0x[0-9a-f]+", "0x", f"{case.get('file') or ''}{case.get('classname')}::{case.get('name')}")


def main(arguments):
    at = arguments.index("--") if "--" in arguments else len(arguments)
    suites, options = arguments[:at] or SUITES, arguments[at + 1 :]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        before, after = (run(suites, options, folder, patched) for patched in (False, True))
        calls = collections.Counter()
        for line in (folder / "report").read_text().splitlines():
            name, here, left = line.split()
            calls[name, "computed here"] += int(here)
            calls[name, "left to SciPy"] += int(left)
    for (name, what), count in sorted(calls.items()):
        print(f"{name:26} {what} {count:10d}")
    different = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    for name in different:
        print(f"{name}: {before.get(name)} before, {after.get(name)} with the patch")
    for when, outcomes in (("before", before), ("patched", after)):
        print(f"{when}: {dict(collections.Counter(outcomes.values()))}")
    return 1 if different or not before else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
