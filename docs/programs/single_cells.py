"""From counts of genes to groups of cells and the markers of the groups."""

import numpy as np

from spark_csr import csr_array, linalg
from spark_csr.graph import Graph, leiden_communities

# Counts of 1,200 genes in 2,000 cells of five kinds. Each kind expresses 40
# genes more than the others do. The depth differs from cell to cell.
rng = np.random.default_rng(0)
kind = rng.integers(5, size=2000)
level = np.tile(rng.gamma(0.3, 0.5, 1200), (5, 1))
for k in range(5):
    level[k, 40 * k : 40 * (k + 1)] += 1.5
depth = rng.uniform(0.5, 1.5, (2000, 1))
counts = csr_array(rng.poisson(level[kind] * depth).astype(np.float32))
print("cells and genes:", counts.shape, "entries:", counts.nnz)

# Leave out cells with few genes and genes in few cells.
counts = counts[counts.count_nonzero(axis=1) > 50]
counts = counts[:, counts.count_nonzero(axis=0) > 20]

# Every cell gets the same total; logarithms make large counts comparable.
X = linalg.scale_rows(counts, 10_000 / counts.sum(axis=1)).log1p()

# The 300 genes that vary most, and the first components of the cells.
mean, variance = X.mean_var(axis=0)
genes = np.sort(np.argsort(-variance, kind="stable")[:300])
U, s, Vt = linalg.svds(X[:, genes], k=6)
components = csr_array(U * s)

# The graph of the 15 nearest neighbours, and its communities.
near = linalg.knn_graph(
    components, 15, metric="euclidean", mode="connectivity"
)
G = Graph(near).symmetrize(combine="max")
group = leiden_communities(G, resolution=0.3)
print(G)
print("cells of each group:", np.bincount(group))

# Groups against kinds, as a product of indicator matrices.
cells = np.arange(len(kind))
member = csr_array((np.ones(len(group)), (group, cells)))
print((member @ np.eye(5)[kind]).astype(int))

# Markers: the genes whose mean in a group exceeds the mean of all most.
means = linalg.normalize(member, "l1") @ X
markers = (means.toarray() - mean).argsort(axis=1)[:, -3:]
print("markers of group 0:", markers[0])
