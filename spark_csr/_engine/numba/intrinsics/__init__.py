"""Functions that kernels call and that are written in LLVM's terms: what Numba's Python cannot say, or says at a greater cost.

`@intrinsic` is documented by Numba; how an intrinsic emits code (`context.make_array`, `cgutils`, llvmlite's `IRBuilder`) is
not. They can go one by one, as soon as Numba compiles the same from Python.
"""
