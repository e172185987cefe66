"""Two operands entry by entry: unions and intersections of patterns, and dense arrays beside a matrix."""
