"""What was found, as a page: how the items of each stage ended, and the rows that were timed last."""

import collections
import json
import re

import table
from gpu import counters

SANITIZERS = "memcheck", "racecheck", "initcheck"
PLAIN = ("stage", "item", "outcome", "seconds", "why", "row", "launched")
"""What is told of items elsewhere on the page."""

SAID = re.compile(r"^========= +((?:ERROR SUMMARY|Invalid|Error|Race|Uninit|at ).*)", re.M)
"""What compute-sanitizer says of an error."""


def text(lines, folder):
    """Return the page."""
    parts = [
        part(stage, [x for x in lines if x["stage"] == stage], folder) for stage in dict.fromkeys(x["stage"] for x in lines)
    ]
    rows = [x["row"] for x in lines if x.get("row", {}).get("seconds")]
    copy = next((x["copy_bandwidth"] for x in lines if "copy_bandwidth" in x), None)
    if copy:
        parts.append(f"a copy runs at {copy / 1e9:.0f} GB/s (read and written together)")
    parts += [table.text(rows), table.summary(rows)] if rows else []
    return "\n\n".join(parts) + "\n"


def part(stage, lines, folder):
    """Return how the items of a stage ended; those that failed, by what they said."""
    outcomes = collections.Counter(x["outcome"] for x in lines if "outcome" in x)
    told = [f"{stage}: {', '.join(f'{count} {name}' for name, count in outcomes.items()) or 'nothing'}"]
    told[0] += "".join(f", in {x['took']:.0f} s" for x in lines if "took" in x)
    told += [f"  left out {x['left_out']}: {x['of']}" for x in lines if "left_out" in x]
    told += [f"  the device was lost to the process behind {x['lost_behind']}" for x in lines if "lost_behind" in x]
    told += failures(lines)
    if stage in ("environment", "smoke", "timed"):
        facts = {x["item"]: {key: value for key, value in x.items() if key not in PLAIN} for x in lines if "item" in x}
        told += [f"  {name}: {json.dumps(found)}" for name, found in facts.items() if found]
    left = {(library, why) for x in lines for library, why in x.get("row", {}).get("left_out", {}).items()}
    told += [f"  {library} is left out of rows: {why[:150]}" for library, why in sorted(left)]
    if stage == "counters" and (folder / counters.LOG).exists():
        told.append(counters.text(folder / counters.LOG, lines))
    if stage in SANITIZERS:
        logs = "\n".join(path.read_text(errors="replace") for path in (folder / "logs").glob(f"{stage}-*.log"))
        told += [f"  {count} times {said}" for said, count in collections.Counter(SAID.findall(logs)).most_common(20)]
    return "\n".join(told)


def failures(lines):
    """Return two lines for each thing that was said of items which failed, the most frequent first: it, and their names."""
    failed = collections.defaultdict(list)
    for x in lines:
        if x.get("outcome", "passed") not in ("passed", "skipped"):
            said = [y for y in x["why"].splitlines() if y.startswith("E ")] or x["why"].splitlines() or [""]
            said = re.sub(r"0x[0-9a-f]+|\d+", "#", said[0].removeprefix("E").strip())
            failed[f"{x['outcome']}: {said}"[:160]].append(x["item"])
    found = sorted(failed.items(), key=lambda said_and_names: -len(said_and_names[1]))[:40]
    return [f"  {len(names)} {said}\n      {'; '.join(names[:3])}{' ...' if len(names) > 3 else ''}" for said, names in found]
