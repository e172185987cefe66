"""Algorithms on graphs, each of a few operators."""
