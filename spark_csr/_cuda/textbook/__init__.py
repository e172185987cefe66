"""Kernels of algorithms as they are taught, which no other kernel needs for speed: sorting networks."""
