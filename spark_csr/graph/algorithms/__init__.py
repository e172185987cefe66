"""Algorithms on graphs, written with graph operators, matrix products and primitives, for all devices."""
