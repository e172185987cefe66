"""Parts of a matrix: rows, columns, places, entries by a rule; and values set in them."""
