"""Heat in a square plate: assemble, fix the boundary, solve, find modes."""

import numpy as np

from spark_csr import csr_array, linalg

# The mesh: a grid of nodes, with two triangles in each of its squares.
side = 80
h = 1 / (side - 1)
node = np.arange(side**2).reshape(side, side)
a, b = node[:-1, :-1].ravel(), node[:-1, 1:].ravel()
c, d = node[1:, :-1].ravel(), node[1:, 1:].ravel()
corners = np.concatenate([np.stack([a, b, d], 1), np.stack([d, c, a], 1)])
x = np.tile(h * np.arange(side), side)
y = np.repeat(h * np.arange(side), side)

# Every triangle adds a 3 x 3 matrix at the positions of its corners. The
# constructor sums what several triangles add to one position.
stiffness = np.array([[0.5, -0.5, 0], [-0.5, 1, -0.5], [0, -0.5, 0.5]])
mass = (np.ones((3, 3)) + np.eye(3)) * h**2 / 24
rows = np.repeat(corners, 3, axis=1).ravel()
columns = np.tile(corners, 3).ravel()


def assemble(element):
    values = np.tile(element.ravel(), len(corners))
    return csr_array((values, (rows, columns)))


K, M = assemble(stiffness), assemble(mass)
print(f"{K.shape[0]} nodes, {K.nnz} entries")

# The border has temperature 0, so the equations of the inner nodes remain.
inner = node[1:-1, 1:-1].ravel()
K, M_inner = K[inner][:, inner], M[inner][:, inner]
exact = np.sin(np.pi * x) * np.sin(np.pi * y)
source = M @ (2 * np.pi**2 * exact)

# Solve with a preconditioner; a function counts the iterations.
norms = []
u, info = linalg.cg(
    K,
    source[inner],
    rtol=1e-8,
    M=linalg.ic0(K),
    progress=lambda iteration, norm: norms.append(norm),
)
print("converged:", info == 0, "- fewer than 100 steps:", len(norms) < 100)
print("largest error:", abs(u - exact[inner]).max().round(4))

# The slowest modes: in theory 2, 5, 5 and 8 times the square of pi.
modes = linalg.eigsh(K, 4, M_inner, sigma=0, return_eigenvectors=False)
print("modes:", (np.sort(modes) / np.pi**2).round(2))
