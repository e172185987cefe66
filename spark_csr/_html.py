"""Small tables and pictures in HTML, as notebooks show objects: text only, nothing is imported."""

import html
import math

LEVELS = 4
"""Shades of a picture."""

SIDE = 140
"""The longer side of a picture, in pixels; the shorter side has at least `SIDE // 4`."""


def table(title, rows, picture=""):
    """Return a table with a title, a row for each pair of a name and a value, and a picture beside it."""
    left = 'style="text-align:left"'
    cells = "".join(
        f"<tr><th {left}>{html.escape(name)}</th><td {left}>{html.escape(str(value))}</td></tr>" for name, value in rows
    )
    heading = f'<tr><th colspan="2" {left}>{html.escape(title)}</th></tr>'
    text = f'<table style="border-collapse:collapse">{heading}{cells}</table>'
    if not picture:
        return f"<div>{text}</div>"
    beside = f'<td style="padding-left:1em;vertical-align:middle">{picture}</td>'
    return f"<table><tr><td>{text}</td>{beside}</tr></table>"


def pattern(counts, shape):
    """Return a picture as inline SVG of a grid of counts, given as rows of integers: the more, the darker; 0 is left blank.

    `shape` is that of the matrix, for the proportions of the picture.
    """
    down, across = len(counts), len(counts[0])
    most = max(map(max, counts))
    high, wide = _sides(shape)
    paths = [[] for _ in range(LEVELS)]
    for y, row in enumerate(counts):
        for x, length, shade in _runs(row, most):
            paths[shade - 1].append(f"M{x} {y}h{length}v1h-{length}z")
    drawn = "".join(
        f'<path fill-opacity="{shade / LEVELS:g}" d="{"".join(path)}"/>' for shade, path in enumerate(paths, 1) if path
    )
    return (
        f'<svg width="{wide}" height="{high}" viewBox="0 0 {across} {down}" preserveAspectRatio="none" role="img" '
        f'style="border:1px solid currentColor" fill="currentColor" shape-rendering="crispEdges">'
        f"<title>pattern of entries</title>{drawn}</svg>"
    )


def _sides(shape):
    """Return the height and the width of a picture in pixels."""
    rows, columns = max(shape[0], 1), max(shape[1], 1)
    least = SIDE // 4
    return max(least, min(SIDE, SIDE * rows // columns)), max(least, min(SIDE, SIDE * columns // rows))


def _runs(row, most):
    """Yield the start, the length and the shade of each run of cells of one shade that is not blank."""
    shades = [math.ceil(LEVELS * math.sqrt(count / most)) if count else 0 for count in row]
    start = 0
    for x in range(1, len(shades) + 1):
        if x == len(shades) or shades[x] != shades[start]:
            if shades[start]:
                yield start, x - start, shades[start]
            start = x


def bytes_as_text(size):
    """Return a number of bytes with a suitable unit."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
