"""Primitives as they are taught: readable, built of other primitives or of plain steps; the fast ones give the same results."""
