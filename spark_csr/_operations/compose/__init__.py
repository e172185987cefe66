"""Matrices put together from others and from arrays: diagonals, stacks, Kronecker products, other shapes."""
