"""Sums, counts, and greatest and least elements: of all entries, of every row, of every column."""
