"""Write the page of benchmarks from asv_benchmarks/results: a summary, and for each family a picture and its rows."""

import json
import math
import statistics

from drawing import Picture
from lists import as_page, write

FAMILIES = {
    "spmv": "A @ x and A @ X",
    "spgemm": "A @ B",
    "everyday": "Everyday calls",
    "matrix": "Operations on matrices",
    "patched": "SciPy's own matrices, patched",
    "texts": "Most similar rows of texts",
    "primitives": "Primitives",
    "segments": "Segments of every length",
    "ragged": "Ragged arrays",
    "graph": "Graphs",
    "networks": "Networks, beside networkx and igraph",
    "backend": "networkx's functions, by the backend",
    "gap": "Graphs, beside the GAP benchmark",
    "busy": "Beside other busy processes",
    "first-calls": "First calls",
}
"""Titles of the tables in asv_benchmarks/results, whose names begin with the family and end with the date."""

COLORS = ("blue dot", "orange dot", "green dot", "violet dot", "red", "quiet", "ink")
MOST_LINES = 60
"""Tables of more rows have one line for all rows that differ in their size only, which names say last."""


def write_page(folder, target):
    """Write the latest tables in `folder` to `target`, and their pictures beside it."""
    summary, sections = [], []
    for family, title in FAMILIES.items():
        latest = max(folder.glob(f"{family}-*-????-??-??.*"), key=lambda path: path.stem[-10:], default=None)
        if latest is None:
            continue
        sections += [title, "^" * len(title), ""]
        if latest.suffix != ".json":
            sections += [*_hidden([f".. literalinclude:: /../asv_benchmarks/results/{latest.name}", "   :language: text"])]
            continue
        table = json.loads(latest.read_text())
        libraries = _libraries(table)
        for library in libraries:
            ratios = [row["ratios"][library]["median"] for row in table["rows"] if library in row["ratios"]]
            mean = statistics.geometric_mean(ratios)
            summary.append([title, library, len(ratios), f"{mean:.2g}x", f"{min(ratios):.2g}x", _processor(table)])
        picture = draw(table, title, libraries)
        for name, dark in ((f"{family}.svg", False), (f"{family}.dark.svg", True)):
            write(target.parent / "benchmarks" / name, [picture.svg(dark)])
        sections += [
            _measured(table),
            "",
            f".. image:: /generated/benchmarks/{family}.svg",
            f"   :alt: {title}: ratios of times",
            "",
        ]
        sections += _hidden(_rows(table, libraries))
    head = ["table", "beside", "rows", "geometric mean", "least", "processor"]
    write(target, [*_table([head, *summary]), "", *sections])


def draw(table, title, libraries):
    """Draw a line for each row of a table, with a dot for each library: how many times as long it takes."""
    rows = table["rows"]
    names = {row["name"]: row["name"] if len(rows) <= MOST_LINES else _without_size(row["name"]) for row in rows}
    lines = list(dict.fromkeys(names[row["name"]] for row in rows if row["ratios"]))
    ratios = [ratio["median"] for row in rows for ratio in row["ratios"].values()]
    left, right, top = 330, 700, 58
    low, high = math.log10(min(0.8, *ratios) / 1.05), math.log10(max(2.0, *ratios) * 1.05)

    def across(ratio):
        return left + (right - left) * (math.log10(ratio) - low) / (high - low)

    pic = Picture(title, 720)
    bottom = top + 20 * len(lines)
    pic.rectangle(across(1), top - 8, right - across(1), bottom - top + 8, "plain", "plain")
    for k, library in enumerate(libraries):
        x, y = 24 + 96 * k, 16
        pic.circle(x, y, 5, COLORS[k % len(COLORS)], "paper")
        pic.text(x + 10, y, library, "start", size=13)
    for tick in _ticks(low, high):
        pic.line(across(tick), top - 8, across(tick), bottom, "ink" if tick == 1 else "line", 1.5 if tick == 1 else 0.5)
        pic.text(across(tick), top - 18, f"{tick:g}x", color="quiet", size=12)
    for k, line in enumerate(lines):
        pic.text(left - 10, top + 20 * k + 6, line if len(line) < 46 else line[:44] + "…", "end", size=12)
        pic.line(left, top + 20 * k + 6, right, top + 20 * k + 6, "line", 0.3)
    for row in rows:
        for library, ratio in row["ratios"].items():
            y = top + 20 * lines.index(names[row["name"]]) + 6
            pic.circle(round(across(ratio["median"]), 1), y, 4.5, COLORS[libraries.index(library) % len(COLORS)], "paper")
    pic.text((left + right) / 2, bottom + 12, "time of the other library, divided by ours", color="quiet", size=12)
    return pic


def _ticks(low, high):
    """Return what stands at the axis: 1, powers of ten, and if these are few, 2 and 5 of each."""
    steps = (1,) if high - low > 2.5 else (1, 2, 5)
    ticks = [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    return [tick for tick in ticks if 10**low <= tick <= 10**high]


def _without_size(name):
    """Return what a name says before its last comma or colon."""
    cut = max(name.rfind(", "), name.rfind(": "))
    return name[:cut] if cut > 0 else name


def _libraries(table):
    return list(dict.fromkeys(library for row in table["rows"] for library in row["ratios"]))


def _processor(table):
    processor = table["machine"]["processor"]
    kind = " ".join(processor[key] for key in ("family", "model") if key in processor)
    return f"{processor['name']} {kind}, {table['machine']['date'][:10]}"


def _measured(table):
    machine, processor = table["machine"], table["machine"]["processor"]
    kind = ", ".join(f"{key} {processor[key]}" for key in ("family", "model") if key in processor)
    versions = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    return (
        f"{processor['name']} ({kind}), {machine['cores']} cores, {machine['date']}, Python {machine['python']}, {versions}. A "
        f"copy runs at {table['copy_bandwidth'] / 1e9:.0f} GB/s."
    )


def _rows(table, libraries):
    body = [["row", "ours", *libraries]]
    for row in table["rows"]:
        if "ours" in row["seconds"]:
            ratios = (row["ratios"].get(name) for name in libraries)
            cells = [f"{ratio['median']:.2f}x" if ratio else "" for ratio in ratios]
            body.append([as_page(row["name"]), _as_duration(row["seconds"]["ours"]["median"]), *cells])
    return _table(body)


def _table(rows):
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'*' if k == 0 else ' '} - {cell}".rstrip() for k, cell in enumerate(row)]
    return lines


def _hidden(lines):
    return [".. dropdown:: All rows", "", *(f"   {line}".rstrip() for line in lines), ""]


def _as_duration(seconds):
    unit, factor = next(((unit, factor) for unit, factor in (("s", 1), ("ms", 1e3)) if seconds * factor >= 1), ("us", 1e6))
    return f"{seconds * factor:.3g} {unit}"
