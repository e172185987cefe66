"""A drawing of the table: a bar for the bandwidth of each product, and a line for that of a copy."""

import importlib
import os

from spark_csr._cli.errors import CommandError


def check(path):
    """Raise a `CommandError` before any work is done if a drawing cannot be written to `path`."""
    try:
        backends = importlib.import_module("matplotlib.backend_bases")
    except ImportError:
        raise CommandError("--plot needs matplotlib: pip install matplotlib") from None
    known = backends.FigureCanvasBase.get_supported_filetypes()
    ending = os.path.splitext(path)[1].lower().lstrip(".")
    if ending not in known:
        raise CommandError(f"--plot {path}: unknown image format: use .png, .pdf or .svg")
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise CommandError(f"--plot {path}: no such folder")


def draw(found, copy_bandwidth, path):
    """Draw bars of GB/s, with the speed-up written on each."""
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(8, 1.5 + 0.7 * len(found)), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh([r.matrix for r in found], [r.bandwidth / 1e9 for r in found], color="#4878a8", height=0.6)
    axes.bar_label(bars, [f"{r.speedup:.2f}x {r.reference}" for r in found], padding=4)
    axes.axvline(copy_bandwidth / 1e9, color="#444444", linestyle="--", label="copy of memory")
    axes.invert_yaxis()
    axes.margins(x=0.25)
    axes.set_xlabel("GB/s")
    axes.set_title(f"A @ x, {found[0].dtype}, on {found[0].device}")
    axes.legend(loc="lower right")
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise CommandError(f"--plot {path}: {error.strerror or error}") from None
