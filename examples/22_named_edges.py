"""
A table of edges with names
===========================

Read a table of edges from a CSV file, rank the vertices, find communities, and print a table by name.

The characters of *Les Misérables* are the vertices, and the weight of an edge is how often two of them appear together.

Run it with ``python examples/22_named_edges.py``. It needs pandas and networkx.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/graph.svg"

import pathlib
import tempfile

import networkx as nx

from spark_csr.graph import Graph, bfs, louvain_communities, pagerank


def main():
    characters = nx.les_miserables_graph()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "together.csv")
        lines = [f"{u},{v},{weight}" for u, v, weight in characters.edges(data="weight")]
        path.write_text("\n".join(["one,other,times", *lines]), encoding="utf-8")
        G = Graph.read(path, columns=("one", "other", "times"), directed=False)
    print(G)
    table = G.named({"rank": pagerank(G), "met": G.degrees(), "community": louvain_communities(G)})
    print(table.nlargest(5, "rank"))
    steps = G.named(bfs(G, "Javert")[0])
    print("furthest from Javert:", ", ".join(steps[steps == steps.max()].index))
    expected = nx.pagerank(characters, backend="networkx")
    assert all(abs(table["rank"][name] - rank) < 1e-4 for name, rank in expected.items())
    print("agrees with networkx")


# %%
# Run the program:

if __name__ == "__main__":
    main()
