"""Parts of a matrix: rows, columns, positions, entries by a rule; and values set in them."""
