"""Write parts of pages from the only copy of what they list: differences from SciPy, networkx functions, tables of times."""

import importlib.util
import json
import re


def _load(source):
    spec = importlib.util.spec_from_file_location(f"{source.stem}_of_docs", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_differences(source, target):
    """Write what `source`, tests/differences.py, lists to `target`, as reStructuredText."""
    module = _load(source)
    missing = ", ".join(f"``{name}``" for name in sorted(module.MISSING))
    _write(
        target,
        [
            "Results of single calls:",
            "",
            *(f"- {_as_page(difference.reason)}" for difference in module.CALLS),
            f"- Methods of SciPy's classes that are not here: {missing}.",
            "",
            "Everything else:",
            "",
            *(f"- {_as_page(difference)}" for difference in module.ELSEWHERE),
        ],
    )


def write_networkx(source, target):
    """Write the functions that `source`, _spark_csr_networkx.py, lists to `target`, as a table."""
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 45 55", ""]
    lines += ["   * - function", "     - limits and differences"]
    for name, said in sorted(_load(source).FUNCTIONS.items()):
        lines += [f"   * - ``{name}``", f"     - {_as_page(said)}".rstrip()]
    _write(target, lines)


TABLES = {
    "spmv": "A @ x and A @ X",
    "vectors": "A @ x, with more rounds",
    "spgemm": "A @ B",
    "texts": "Most similar rows of texts",
    "matrix": "Operations on matrices",
    "primitives": "Primitives",
    "ragged": "Ragged arrays",
    "graph": "Graphs",
    "networks": "Networks, beside networkx and igraph",
    "gap": "Graphs, beside the GAP benchmark",
    "busy": "Beside other busy processes",
    "first-calls": "First calls",
}
"""Titles of the tables in asv_benchmarks/results, whose names begin with the family and end with the date."""


def write_tables(folder, target):
    """Include the latest table of each family in `folder`, asv_benchmarks/results, below the picture that README.md shows."""
    picture = target.parents[1] / "_static" / "bench.svg"
    lines = (
        [".. image:: /_static/bench.svg", "   :alt: Times of spark_csr beside those of SciPy", ""] if picture.exists() else []
    )
    for family, title in TABLES.items():
        latest = max(folder.glob(f"{family}-*-????-??-??.*"), key=lambda path: path.stem[-10:], default=None)
        if latest is not None:
            lines += [title, "^" * len(title), ""]
            lines += _measured(json.loads(latest.read_text())) if latest.suffix == ".json" else _as_it_is(latest)
    _write(target, lines)


def _as_it_is(path):
    return [f".. literalinclude:: /../asv_benchmarks/results/{path.name}", "   :language: text", ""]


def _measured(table):
    """A table that `table.py --json` wrote: times of ours, and those of other libraries divided by them."""
    machine, rows = table["machine"], table["rows"]
    processor, libraries = machine["processor"], list(dict.fromkeys(name for row in rows for name in row["ratios"]))
    kind = ", ".join(f"{key} {processor[key]}" for key in ("family", "model") if key in processor)
    versions = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    lines = [
        f"{processor['name']} ({kind}), {machine['cores']} cores, {machine['date']}, Python {machine['python']}, {versions}."
    ]
    lines += ["A ratio is the time of the other library divided by ours, the median.", ""]
    lines += [
        ".. list-table::",
        "   :header-rows: 1",
        "",
        "   * - row",
        "     - ours",
        *(f"     - {name}" for name in libraries),
    ]
    for row in rows:
        if "ours" in row["seconds"]:
            lines += [f"   * - {_as_page(row['name'])}", f"     - {_as_duration(row['seconds']['ours']['median'])}"]
            ratios = (row["ratios"].get(name) for name in libraries)
            lines += [f"     - {ratio['median']:.2f}x" if ratio else "     -" for ratio in ratios]
    return [*lines, ""]


def _as_duration(seconds):
    unit, factor = next(((unit, factor) for unit, factor in (("s", 1), ("ms", 1e3)) if seconds * factor >= 1), ("us", 1e6))
    return f"{seconds * factor:.3g} {unit}"


def _write(target, lines):
    text = "\n".join([*lines, ""])
    target.parent.mkdir(exist_ok=True)
    if not target.exists() or target.read_text() != text:  # a file that is as it was needs no new pages
        target.write_text(text)


def _as_page(said):
    """Text with the markup of docstrings as that of pages: literals in double backticks, stars that are no markup."""
    parts = re.split(r"(`[^`]*`)", said)
    return "".join(f"`{part}`" if part.startswith("`") else part.replace("*", r"\*") for part in parts)
