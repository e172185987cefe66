"""What all launches of a process counted and found, by kernel, for the end of a test run."""

import collections
import os
import pickle

from . import mutations

counters = collections.defaultdict(collections.Counter)
"""Counters by kernel, and how many launches there were."""

findings = {}
"""By kernel, kind, instructions and whether it failed: the `Found`, how often, and the test that was running first."""


def current_test():
    """Return the test that runs, or nothing."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]


def note(kernel, counted, found):
    """Add what a launch counted and found."""
    counters[kernel].update(counted)
    counters[kernel]["launches"] += 1
    test = current_test()
    for one in found:
        findings.setdefault((one.kernel, one.kind, one.places, one.fails), [one, 0, test])[1] += one.count


def total():
    """Return the counters of all kernels together."""
    return sum(counters.values(), collections.Counter())


def table():
    """Return a table of kernels: what a launch costs, how many lanes work, and how memory is touched."""
    columns = "launches, warp instructions, lanes, sectors/load, sectors/store, moved/once, banks, barriers, atomics, kernel"
    lines = [columns.replace(", ", " | ")]
    for name, c in sorted(counters.items()):
        ratio = lambda a, b: f"{a / b:.2f}" if b else "-"  # noqa: E731
        moved = 32 * (c["load_sectors"] + c["store_sectors"] + c["atomic_sectors"])
        values = [c["launches"], c["warp_instructions"], ratio(c["thread_instructions"], c["warp_instructions"])]
        values += [ratio(c["load_sectors"], c["load_requests"]), ratio(c["store_sectors"], c["store_requests"])]
        values += [ratio(moved, c["bytes_read"] + c["bytes_written"]), ratio(c["shared_wavefronts"], c["shared_ideal"])]
        values += [c["barriers"], c["atomic_lanes"] + c["shared_atomic_lanes"]]
        lines.append(" | ".join([*map(str, values), name]))
    return "\n".join(lines)


def collected():
    """Return what was recorded as bytes, for `merge` in another process."""
    return pickle.dumps(({name: dict(c) for name, c in counters.items()}, findings, mutations.mutants))


def merge(other):
    """Add what another process has collected."""
    other_counters, other_findings, mutants = pickle.loads(other)
    for name, counted in other_counters.items():
        counters[name].update(counted)
    for key, (one, count, test) in other_findings.items():
        findings.setdefault(key, [one, 0, test])[1] += count
    mutations.merge(mutants)


def report():
    """Return what was counted in all, and every kind of finding of each kernel with an example."""
    lines = [", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in total().items() if value)]
    kinds = collections.defaultdict(list)
    for one, count, test in findings.values():
        kinds[not one.fails, one.kernel, one.kind].append((one, count, test))
    for (harmless, kernel, _), places in sorted(kinds.items()):
        one, _, test = places[0]
        count = sum(n for _, n, _ in places)
        word = "allowed" if harmless else "FAILED"
        lines.append(f"{word}: {kernel}: {count} times at {len(places)} places, as {one.text} ({test})")
    return "\n".join(lines + mutations.report())
