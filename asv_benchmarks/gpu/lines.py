"""A plugin of pytest, for the stage `tests` of `gpu_run.py`: tests are items, and those that have a result are left out."""

import time

from gpu import watch

_seen, _began = set(), {}


def pytest_collection_modifyitems(config, items):
    """Leave out what a process before this one has run."""
    known = watch.done()
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in known])
    items[:] = [item for item in items if item.nodeid not in known]


def pytest_collectreport(report):
    """Say which file could not be imported."""
    if report.failed:
        watch.report(item=report.nodeid, outcome="failed", why=f"not collected: {str(report.longrepr)[-1500:]}")


def pytest_runtest_logstart(nodeid, location):
    """Say what is run, before it is."""
    _began[nodeid] = time.monotonic()
    watch.report(begin=nodeid)


def pytest_runtest_logreport(report):
    """Say how a test ended: with its call, or before or after it with what went wrong there."""
    if report.when == "call" or not report.passed:
        why = "" if report.passed else str(report.longrepr)[-1800:]
        seconds = round(time.monotonic() - _began[report.nodeid], 3)
        watch.report(item=report.nodeid, outcome=report.outcome, seconds=seconds, why=why)


def pytest_warning_recorded(warning_message, when, nodeid, location):
    """Say each warning once."""
    text = f"{warning_message.category.__name__}: {str(warning_message.message)[:160]}"
    if text not in _seen:
        _seen.add(text)
        watch.report(warning=text, of=nodeid)
