"""Drawings of tables: the bandwidth of each product beside that of a copy, and the speed of `A @ x` over sizes."""

import importlib
import os

from spark_csr._cli.errors import CommandError
from spark_csr._pictures import style


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
    figure, axes = style.make_figure(8, 1.5 + 0.7 * len(found))
    bars = axes.barh([r.matrix for r in found], [r.bandwidth / 1e9 for r in found], color=style.OURS, height=0.6)
    axes.bar_label(bars, [f"{r.speedup:.2f}x {r.reference}" for r in found], padding=4)
    axes.axvline(copy_bandwidth / 1e9, color=style.GREY, linestyle="--", label="copy of memory")
    axes.invert_yaxis()
    axes.margins(x=0.25)
    axes.set_xlabel("GB/s")
    axes.set_title(f"A @ x, {found[0].dtype}, on {found[0].device}")
    axes.legend(loc="lower right", frameon=False)
    save(figure, path)


def draw_sizes(found, copy_bandwidth, path):
    """Draw the time of `A @ x` over the number of entries as GFLOP/s, a line for each library; `found` has `Timing`s."""
    figure, axes = style.make_figure(8, 4.5)
    colors = [style.OURS, *style.OTHERS]
    libraries = list(dict.fromkeys(timing.library for timing in found))
    for library, color in zip(libraries, colors, strict=False):
        mine = [timing for timing in found if timing.library == library]
        speeds = [2 * timing.nnz / timing.seconds / 1e9 for timing in mine]
        axes.plot([timing.nnz for timing in mine], speeds, "o-", color=color, label=library, linewidth=1.8, markersize=4)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("stored entries")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"A @ x, {found[0].dtype}, {found[0].matrix}, on {found[0].device}")
    axes.legend(loc="best", frameon=False, title=f"a copy of memory runs at {copy_bandwidth / 1e9:.1f} GB/s")
    save(figure, path)


def save(figure, path):
    """Write a figure to a file; a `CommandError` if that fails."""
    try:
        figure.savefig(path, dpi=style.DPI)
    except OSError as error:
        raise CommandError(f"--plot {path}: {error.strerror or error}") from None
