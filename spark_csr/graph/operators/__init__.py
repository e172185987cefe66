"""Operators on frontiers, the same on every device."""
