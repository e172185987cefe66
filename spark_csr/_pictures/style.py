"""How the pictures of this package look: colours, sizes and lines, said once."""

import importlib

import numpy as np

OURS = "#2f6f9f"
OTHERS = ["#c8782c", "#6a8f4f", "#8b6a9e", "#7a7a7a"]
"""Colours of other libraries, in the order in which they are drawn."""

GREY = "#444444"
DPI = 150

RULES = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "font.size": 10,
    "axes.titlesize": 11,
    "legend.frameon": False,
}


def import_matplotlib(module):
    """Return a module of matplotlib; raise ImportError that says how to install it."""
    try:
        return importlib.import_module(f"matplotlib.{module}")
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from error


def make_figure(width, height):
    """Return a figure of a size in inches and its axes, in this style, outside of matplotlib's interactive state."""
    figures = import_matplotlib("figure")
    with importlib.import_module("matplotlib").rc_context(RULES):
        figure = figures.Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots()


def make_colormap():
    """Return shades of blue whose lightest is not white: what has a colour is seen."""
    colors = import_matplotlib("colors")
    blues = importlib.import_module("matplotlib").colormaps["Blues"]
    return colors.ListedColormap(blues(np.linspace(0.3, 1, 256)), name="spark_csr")
