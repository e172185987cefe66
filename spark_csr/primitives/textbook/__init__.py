"""Primitives as they are taught, for reading: they are made of other primitives or of plain steps, with equal results."""
