"""Run networkx's own tests with our backend, and count which of its calls our functions answered.

    python tests/interop/networkx_suite.py [--implemented] [pytest options] [files]

networkx converts every graph of its tests and offers every call to the backend; it answers itself what the backend does not
take. `--implemented` runs only the files of tests that call a function of the backend: a minute in place of ten. The
exit status is that of pytest, or 1 where our functions answered nothing. pytest does not collect this file. It is also the
plugin (`-p networkx_suite`) that counts, in the workers of pytest-xdist too.
"""

import collections
import functools
import os
import pathlib
import re
import sys

import pytest

BACKEND = "spark_csr"
OFFERED, ANSWERED = collections.Counter(), collections.Counter()
"""Calls by the name of the function: those that networkx offered to the backend, and those that the backend answered."""


def answering(name, function):
    """The function of the backend, counted where it returns or raises what the caller of networkx sees."""

    @functools.wraps(function)
    def call(*args, **options):
        try:
            found = function(*args, **options)
        except NotImplementedError:
            raise
        except Exception:
            ANSWERED[name] += 1
            raise
        ANSWERED[name] += 1
        return found

    return call


def offering(convert_and_call):
    """networkx's method that offers a call to a backend during tests, counted."""

    @functools.wraps(convert_and_call)
    def call(self, backend_name, *args, **options):
        OFFERED[self.name] += 1
        return convert_and_call(self, backend_name, *args, **options)

    return call


def functions():
    """The names of networkx's functions that the backend has, without its import."""
    import _spark_csr_networkx

    return sorted(_spark_csr_networkx.FUNCTIONS)


def pytest_configure(config):
    import networkx as nx

    if BACKEND not in nx.utils.backends.backends:
        raise pytest.UsageError(f"networkx finds no backend {BACKEND!r}: install the package, pip install -e .")
    backend, dispatchable = nx.utils.backends.backends[BACKEND].load(), nx.utils.backends._dispatchable
    for name in functions():
        setattr(backend, name, answering(name, getattr(backend, name)))
    dispatchable._convert_and_call_for_tests = offering(dispatchable._convert_and_call_for_tests)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[BACKEND] = dict(OFFERED), dict(ANSWERED)
    elif not ANSWERED and session.exitstatus == 0:
        session.exitstatus = 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    for total, counts in zip((OFFERED, ANSWERED), getattr(node, "workeroutput", {}).get(BACKEND, ()), strict=False):
        total.update(counts)


def pytest_terminal_summary(terminalreporter):
    import spark_csr

    names, write = functions(), terminalreporter.write_line
    terminalreporter.section(f"calls that reached {pathlib.Path(spark_csr.__file__).parent}")
    write(f"{'function':40} {'answered':>9} {'by networkx':>12}")
    for name in names:
        write(f"{name:40} {ANSWERED[name]:9,} {OFFERED[name] - ANSWERED[name]:12,}")
    write(f"{'in all':40} {ANSWERED.total():9,} {sum(OFFERED[name] for name in names) - ANSWERED.total():12,}")
    others = OFFERED.total() - sum(OFFERED[name] for name in names)
    write(f"functions that the backend does not have: {others:,} calls, all answered by networkx")


def files_that_call(folder, names):
    """The files of tests in a folder that call one of these functions."""
    called = re.compile(rf"(\bnx\.)?\b({'|'.join(names)})(?(1)\b|\()")  # some name a function and call it later
    return [str(file) for file in sorted(folder.rglob("test_*.py")) if called.search(file.read_text(encoding="utf-8"))]


def main(arguments):
    """Run pytest on networkx, away from the configuration of this project; its exit status."""
    sys.path[:0] = [str(pathlib.Path(__file__).parents[2]), str(pathlib.Path(__file__).parent)]
    os.environ |= {"NETWORKX_TEST_BACKEND": BACKEND, "NETWORKX_FALLBACK_TO_NX": "True"}
    import networkx as nx

    folder = pathlib.Path(nx.__file__).parent
    given = [argument for argument in arguments if argument != "--implemented"]
    if len(given) < len(arguments):
        chosen = files_that_call(folder, functions())
    elif any(pathlib.Path(argument.partition("::")[0]).exists() for argument in given):
        chosen = []
    else:
        chosen = ["--pyargs", "networkx"]
    options = ["-c", os.devnull, "--rootdir", str(folder), "--confcutdir", str(folder), "-p", "no:cacheprovider"]
    return pytest.main([*options, "-p", "networkx_suite", "-q", "-rfE", *given, *chosen])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
