"""
Training on sampled neighbours
==============================

Train GraphSAGE in PyTorch on batches of vertices with sampled neighbours: ``python examples/25_sampled_neighbours.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/search.svg"

import torch

from spark_csr.graph import sample_neighbors
from spark_csr.interop.torch import from_edge_index


def sample(G, vertices, step):
    """Return the vertices around some, theirs first, and the function that takes the means over the neighbours drawn."""
    found = sample_neighbors(G, vertices, [10, 5], seed=step)
    count = torch.from_numpy(found.graph.degrees()).clamp(min=1)[:, None]
    return torch.from_numpy(found.vertices), lambda x: found.graph.matrix @ x / count


def train(G, x, y, sample):
    """Return the share of the last batch whose class is found; `G` is what `sample` draws from."""
    one, two = torch.nn.Linear(2 * x.shape[1], 32), torch.nn.Linear(64, 4)
    optimiser = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=0.02)
    for step, vertices in enumerate(torch.cat([torch.randperm(len(y)) for _ in range(3)]).split(500)):
        around, mean = sample(G, vertices, step)
        h = torch.relu(one(torch.cat([x[around], mean(x[around])], 1)))
        found = two(torch.cat([h, mean(h)], 1))[: len(vertices)]
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(found, y[vertices]).backward()
        optimiser.step()
    return (found.argmax(1) == y[vertices]).double().mean().item()


# %%
# Run the program:

if __name__ == "__main__":
    y = torch.arange(8000) % 4
    source, step = torch.randint(8000, (2, 200_000), generator=torch.manual_seed(0))
    target = (source + torch.where(torch.rand(200_000) < 0.9, step // 4 * 4, step)) % 8000
    share = train(from_edge_index(torch.stack([source, target])), torch.eye(4)[y] + torch.randn(8000, 4), y, sample)
    print(f"the class of {share:.0%} of the last vertices is found")
