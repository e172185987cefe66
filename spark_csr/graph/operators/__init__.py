"""What one does with a frontier, the same on every device."""
