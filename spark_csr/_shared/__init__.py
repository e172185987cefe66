"""Device functions that kernels for the cores and kernels for GPUs share: searches, merges, order, atomics, float16."""
