"""Records of matrices: how they are made, checked, converted, transposed and put into canonical form."""
