"""Triangles of a matrix: which rows can be solved at the same time, substitution, and incomplete factors."""
