"""Algorithms on graphs, each written with operators on graphs, products and primitives, for every device at once."""
