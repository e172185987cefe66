"""The words that pictures are made of: rows of cells, boxes, arrows, text; and their colours on light and on dark pages."""

import html

import numpy as np

SEGMENTS = ("blue", "orange", "green", "pink", "yellow")

# What a color is called, and what it is on light and on dark pages.
COLORS = {
    "paper": ("#ffffff", "#1b2027"),
    "ink": ("#1d2733", "#e8edf2"),
    "quiet": ("#55626f", "#b3bec9"),
    "line": ("#7d8a97", "#8b98a6"),
    "red": ("#c0392b", "#ff7b6b"),
    "plain": ("#f3f5f7", "#2b333d"),
    "blue": ("#cfe3f7", "#24507a"),
    "orange": ("#fbdcba", "#7d4a1a"),
    "green": ("#d0ecce", "#2c6030"),
    "pink": ("#f6cfdc", "#7c3150"),
    "yellow": ("#faeeae", "#685c14"),
    "blue dot": ("#2f6f9f", "#7db8e8"),
    "orange dot": ("#c8782c", "#f0a45c"),
    "green dot": ("#5b8340", "#9fca80"),
    "violet dot": ("#8b6a9e", "#c7a6dc"),
}


class Picture:
    """A list of shapes. A size is in pixels of the whole width; the height follows from what is drawn."""

    def __init__(self, title, width=640):
        self.title, self.width, self.height, self.shapes = title, width, 0, []

    def add(self, bottom, shape):
        self.height = max(self.height, bottom + 16)
        self.shapes.append(shape)

    def text(self, x, y, text, anchor="middle", color="ink", size=15, weight="normal"):
        """Write text; y is the middle of the line."""
        look = f'text-anchor="{anchor}" fill="{{{color}}}" font-size="{size}" font-weight="{weight}"'
        self.add(y + 8, f'<text x="{x:g}" y="{y + 5:g}" {look}>{html.escape(str(text))}</text>')

    def note(self, x, y, text):
        self.text(x, y, text, "start", "quiet", 14)

    def rectangle(self, x, y, w, h, fill="plain", stroke="line"):
        place = f'x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"'
        self.add(y + h, f'<rect {place} rx="3" fill="{{{fill}}}" stroke="{{{stroke}}}"/>')

    def box(self, x, y, w, h, lines, fill="plain"):
        """Draw a box with lines of text in its middle."""
        self.rectangle(x, y, w, h, fill)
        for k, line in enumerate(lines):
            self.text(x + w / 2, y + h / 2 + 20 * (k - (len(lines) - 1) / 2), line, weight="bold" if k == 0 else "normal")

    def line(self, x1, y1, x2, y2, color="line", width=1.5, more=""):
        ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        self.add(max(y1, y2), f'<line {ends} stroke="{{{color}}}" stroke-width="{width}"{more}/>')

    def arrow(self, x1, y1, x2, y2):
        self.line(x1, y1, x2, y2, more=' marker-end="url(#head)"')

    def arrows(self, tops, y1, ends, y2):
        for x1, x2 in zip(tops, ends, strict=True):
            self.arrow(x1, y1, x2, y2)

    def circle(self, x, y, radius, fill, stroke):
        self.add(y + radius, f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{{{fill}}}" stroke="{{{stroke}}}"/>')

    def polygon(self, points, fill, more=""):
        corners = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.add(max(y for _, y in points), f'<polygon points="{corners}" fill="{fill}" stroke="{{line}}"{more}/>')

    def row_of_cells(self, y, label, values, fills="plain", x=150, w=40, cuts=(), counts=None, frames="line"):
        """Draw a cell for each value, none for None; returns the middle of each cell. A gap is left at each of the cuts.

        With counts, a cell is as long as so many cells of other rows.
        """
        if label:
            self.text(x - 12, y + 15, label, "end")
        fills, frames = ([given] * len(values) if isinstance(given, str) else given for given in (fills, frames))
        counts = [1] * len(values) if counts is None else counts
        middles, at = [], 0
        for value, fill, count, frame in zip(values, fills, counts, frames, strict=True):
            left, length = x + at * (w + 4) + 14 * sum(cut <= at for cut in cuts), count * (w + 4) - 4
            if value is not None and count:
                self.rectangle(left, y, length, 30, "plain" if value == "" else fill, frame)
                self.text(left + length / 2, y + 15, value)
            middles.append(left + length / 2)
            at += count
        return np.array(middles)

    def row_of_boxes(self, y, boxes, fill, w):
        """Draw boxes of lines from left to right, with arrows between them."""
        for k, lines in enumerate(boxes):
            x, h = 16 + k * (w + 16), 24 + 20 * len(lines)
            self.box(x, y, w, h, lines, fill)
            if k:
                self.arrow(x - 14, y + h / 2, x - 2, y + h / 2)

    def svg(self, dark=False, window=None):
        """Return the picture, or what can be seen of it in a window (x, y, width, height)."""
        colors = {name: pair[dark] for name, pair in COLORS.items()}
        x, y, w, h = window or (0, 0, self.width, self.height)
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w:g}" height="{h:g}" viewBox="{x:g} {y:g} {w:g} {h:g}"',
            ' font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" role="img">',
            f"<title>{html.escape(self.title)}</title>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
            '<path d="M0 0 8 4 0 8z" fill="{line}"/></marker></defs>',
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="8" fill="{{paper}}"/>',
        ]
        return "\n".join([*head, *self.shapes, "</svg>", ""]).format(**colors)


def colors_of(segments):
    return [SEGMENTS[segment % len(SEGMENTS)] for segment in segments]


def bounds_of(offsets, middles, w=40):
    """Return where segments begin in a row of cells: the left edge of the first cell of each, and the end of the row."""
    edges = np.append(middles - w / 2, middles[-1] + w / 2)
    return edges[offsets]
