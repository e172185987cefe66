"""Results as text: aligned columns, and numbers with units."""


def align(rows):
    """Return rows of strings as aligned lines: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def format_duration(seconds):
    """Return a time in seconds as text: three digits and a suitable unit."""
    units = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    unit = next((unit for unit, size in units.items() if seconds >= size), "ns")
    return f"{seconds / units[unit]:#.3g}".rstrip(".") + f" {unit}"


def format_results(found):
    """Return the table of a list of `Result`."""
    reference = found[0].reference
    header = ["matrix", "rows", "columns", "nnz", "dtype", "time", "GB/s", "of copy", f"vs {reference}", "check"]
    body = [
        [
            r.matrix,
            f"{r.rows:,}",
            f"{r.columns:,}",
            f"{r.nnz:,}",
            r.dtype,
            format_duration(r.seconds),
            f"{r.bandwidth / 1e9:.1f}",
            f"{r.share_of_copy:.0%}",
            f"{r.speedup:.2f}x",
            "ok" if r.agrees else "WRONG",
        ]
        for r in found
    ]
    return align([header, *body])
