"""Write parts of pages from the only copy of what they list: differences from SciPy, networkx functions."""

import importlib.util
import re


def _load(source):
    spec = importlib.util.spec_from_file_location(f"{source.stem}_of_docs", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_differences(source, target):
    """Write what `source`, tests/differences.py, lists to `target`, as reStructuredText."""
    module = _load(source)
    write(
        target,
        [
            "Results of single calls:",
            "",
            *(f"- {as_page(difference.reason)}" for difference in module.CALLS),
            "",
            "Everything else:",
            "",
            *(f"- {as_page(difference)}" for difference in module.ELSEWHERE),
        ],
    )


def write_networkx(source, target):
    """Write the functions that `source`, _spark_csr_networkx.py, lists to `target`, as a table."""
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 45 55", ""]
    lines += ["   * - function", "     - limits and differences"]
    for name, said in sorted(_load(source).FUNCTIONS.items()):
        lines += [f"   * - ``{name}``", f"     - {as_page(said)}".rstrip()]
    write(target, lines)


def write(target, lines):
    """Write lines to a file."""
    text = "\n".join([*lines, ""])
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text() != text:  # a file that is as it was needs no new pages
        target.write_text(text)


def as_page(said):
    """Text with the markup of docstrings as that of pages: literals in double backticks, stars that are no markup."""
    parts = re.split(r"(`[^`]*`)", said)
    return "".join(f"`{part}`" if part.startswith("`") else part.replace("*", r"\*") for part in parts)
