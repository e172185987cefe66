"""Draw two pictures of a table `python table.py patched`, for the page "Use all cores without changing your code".

    python draw_patched.py results/patched-cpu-2026-11-27.txt ../docs/_static

One shows how many times as fast as SciPy each function is with the patch, for the largest matrices that it was timed on. The
other shows the programs.
"""

import pathlib
import re
import sys

from spark_csr._pictures import style

LINE = re.compile(r"(?P<what>.+?)(: (?P<matrix>random|grid), 1e(?P<digits>\d) entries)?  +[\d.]+ [mu]?s +(?P<speedup>[\d.]+)x")
LEAST = 1.3
"""Functions that gain less on both kinds of matrices are left to SciPy; what they differ from 1 is noise."""


def read(text):
    """Return the speed-ups of functions, by name and matrix, for most entries; and those of programs, by name."""
    functions, programs = {}, {}
    for found in filter(None, map(LINE.match, text.splitlines())):
        what, speedup = found["what"].strip(), float(found["speedup"])
        if found["matrix"] is None:
            programs[what] = speedup
        else:
            functions[what, found["matrix"]] = speedup  # lines with more entries come later
    return functions, programs


def draw(groups, title, path):
    """Draw bars of speed-ups beside each other for each name; `groups` has the bars of a color by their label."""
    names = list(dict.fromkeys(name for bars in groups.values() for name in bars))
    figure, axes = style.make_figure(8, 1.2 + 0.32 * len(names) * len(groups))
    height = 0.8 / len(groups)
    for number, (label, bars) in enumerate(groups.items()):
        places = [names.index(name) + (number - (len(groups) - 1) / 2) * height for name in bars]
        drawn = axes.barh(places, list(bars.values()), height, color=(style.OURS, *style.OTHERS)[number], label=label)
        axes.bar_label(drawn, [f"{value:.1f}x" for value in bars.values()], padding=3)
    axes.axvline(1, color=style.GREY, linestyle="--", label="SciPy")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel("times as fast as SciPy")
    axes.set_title(title)
    if len(groups) > 1:
        axes.legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=style.DPI)


def main(table, folder):
    functions, programs = read(pathlib.Path(table).read_text(encoding="utf-8"))
    gaining = {name for (name, _), speedup in functions.items() if speedup > LEAST}
    groups = {
        f"{matrix} matrix": {name: value for (name, kind), value in functions.items() if kind == matrix and name in gaining}
        for matrix in ("random", "grid")
    }
    draw(groups, "SciPy's own matrices with the patch, 1e6 or 1e7 entries", pathlib.Path(folder, "patched_functions.svg"))
    draw({"with the patch": programs}, "Programs that use SciPy", pathlib.Path(folder, "patched_programs.svg"))


if __name__ == "__main__":
    main(*sys.argv[1:])
