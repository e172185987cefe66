"""Payments in a CSV file: who is central, in which group, by which path."""

import pathlib
import tempfile

import numpy as np
import pandas

from spark_csr.graph import Graph, bfs, louvain_communities, pagerank, path

# A table of 60,000 payments between 3,000 accounts of 30 towns.
rng = np.random.default_rng(0)
names = np.array([f"town-{i % 30:02}-{i // 30:02}" for i in range(3000)])
payer = rng.integers(3000, size=60_000)
near = rng.integers(100, size=60_000) * 30 + payer % 30  # of the same town
far = rng.integers(3000, size=60_000)
payee = np.where(rng.random(60_000) < 0.9, near, far)
payee[rng.random(60_000) < 0.02] = 7  # many pay this account
amount = rng.gamma(2, 50, 60_000).round(2)
table = pandas.DataFrame(
    {"payer": names[payer], "payee": names[payee], "amount": amount}
)

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "payments.csv")
    table.to_csv(file, index=False)
    columns = "payer", "payee", "amount"
    G = Graph.read(file, columns=columns, combine="sum")
print(G)

# Algorithms return arrays; `named` makes a table of them.
both = G.symmetrize(combine="sum")
result = G.named(
    {
        "rank": pagerank(G),
        "payers": G.degrees("in"),
        "received": G.degrees("in", weighted=True).round(),
        "group": louvain_communities(both),
    }
)
print(result.nlargest(3, "rank").round(4))

# Do the groups match the towns?
town = result.index.str[:7]
print("groups:", result["group"].nunique())
print("groups of a town:", result.groupby(town)["group"].nunique().max())

# The shortest chain of payments between two accounts, by name.
distance, before = bfs(G, "town-03-50")
chain = G.names_of(path(before, "town-21-08", G))
print(len(chain) - 1, "payments:", *chain)
