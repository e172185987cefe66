"""Products of matrices with vectors and matrices, dense and sparse."""
