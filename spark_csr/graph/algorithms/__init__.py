"""Algorithms on the operators: each in a file of its own, the same on every device."""
