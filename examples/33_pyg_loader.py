"""
Sampled neighbours in a loader of PyTorch Geometric
===================================================

Train two layers of PyTorch Geometric on batches of its `NodeLoader`, whose neighbours this package samples on all cores.

Neither pyg-lib nor torch-sparse is needed. A later layer computes nothing for vertices that only an earlier one needs
(`trim_to_layer`). Run it with ``python examples/33_pyg_loader.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/search.svg"

import torch
from torch_geometric.data import Data
from torch_geometric.loader import NodeLoader
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import trim_to_layer

from spark_csr.interop.pyg import NeighborSampler


def communities(n, m):
    """Return a graph with four classes of vertices, most of whose edges stay in their class, and noisy hints at the class."""
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(n) % 4
    source, step = torch.randint(n, (2, m), generator=generator)
    target = source + torch.where(torch.rand(m, generator=generator) < 0.9, step // 4 * 4, step)
    return Data(torch.eye(4)[y] + torch.randn(n, 4, generator=generator), torch.stack([source, target % n]), y=y)


def share_found(batch, layers):
    """Return the outputs for the vertices of a batch, and the share of these whose class is found."""
    x, edges = batch.x, batch.edge_index
    for at, layer in enumerate(layers):
        x, edges, _ = trim_to_layer(at, batch.num_sampled_nodes, batch.num_sampled_edges, x, edges)
        x = layer(x if at == 0 else x.relu(), edges)
    out = x[: batch.batch_size]
    return out, (out.argmax(1) == batch.y[: batch.batch_size]).double().mean()


def train(data, epochs):
    """Return the share of the vertices of the last epoch whose class was found before the network had learnt from them."""
    layers = torch.nn.ModuleList([SAGEConv(4, 32), SAGEConv(32, 4)])
    optimiser = torch.optim.Adam(layers.parameters(), lr=0.02)
    loader = NodeLoader(data, NeighborSampler(data, [10, 5], seed=0), batch_size=500, shuffle=True)
    for _ in range(epochs):
        shares = []
        for batch in loader:
            out, share = share_found(batch, layers)
            shares.append(share)
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(out, batch.y[: batch.batch_size]).backward()
            optimiser.step()
    return torch.stack(shares).mean().item()


# %%
# Run the program:

if __name__ == "__main__":
    torch.manual_seed(0)
    share = train(communities(8000, 200_000), epochs=3)
    print(f"the classes of more than nine in ten vertices are found: {share > 0.9}")
