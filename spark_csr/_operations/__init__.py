"""Operations on records of matrices, written once for every device, of primitives, kernels and bodies for `for_each`."""
