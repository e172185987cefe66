"""
Graph attention
===============

Train a graph-attention layer in PyTorch on Zachary's karate club. It is made of a segmented softmax and a sparse product.

Run it with ``python examples/14_graph_attention.py``, which needs PyTorch.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/attention.svg"

import importlib.util

import numpy as np

from spark_csr import csr_array

# Who met whom outside of the club (Zachary 1977), and who stayed with the officer, member 33, when it split.
FRIENDS = {
    0: (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31), 1: (2, 3, 7, 13, 17, 19, 21, 30),
    2: (3, 7, 8, 9, 13, 27, 28, 32), 3: (7, 12, 13), 4: (6, 10), 5: (6, 10, 16), 6: (16,), 8: (30, 32, 33), 9: (33,),
    13: (33,), 14: (32, 33), 15: (32, 33), 18: (32, 33), 19: (33,), 20: (32, 33), 22: (32, 33), 23: (25, 27, 29, 32, 33),
    24: (25, 27, 31), 25: (31,), 26: (29, 33), 27: (33,), 28: (31, 33), 29: (32, 33), 30: (32, 33), 31: (32, 33), 32: (33,),
}  # fmt: skip
OFFICER = (9, 14, 15, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33)
MEMBERS, STEPS = 34, 20


def karate():
    """Return the adjacency matrix, with an entry on the diagonal for every member."""
    left, right = np.array([(i, j) for i, friends in FRIENDS.items() for j in friends]).T
    own = np.arange(MEMBERS)
    rows, columns = np.concatenate([left, right, own]), np.concatenate([right, left, own])
    return csr_array((np.ones(rows.size, np.float32), (rows, columns)), shape=(MEMBERS, MEMBERS))


def main():
    import torch
    from torch.nn.functional import cross_entropy, leaky_relu

    from spark_csr.interop.torch import repeat, segmented_softmax, spmm

    class Attention(torch.nn.Module):
        """Each vertex takes the mean of its neighbours' features, weighted by how much it attends to each (Velickovic 2018)."""

        def __init__(self, A, inputs, outputs):
            super().__init__()
            self.A, self.neighbours = A, torch.from_numpy(A.indices.astype(np.int64))
            self.offsets = torch.from_numpy(A.indptr.astype(np.int64))
            self.transform = torch.nn.Linear(inputs, outputs, bias=False)
            self.score = torch.nn.Linear(outputs, 2, bias=False)

        def weights(self, h):
            """One number for each entry of A; those of a row add up to 1."""
            of_vertex, of_neighbour = self.score(h).unbind(1)
            scores = repeat(of_vertex, self.offsets.diff()) + of_neighbour[self.neighbours]
            return segmented_softmax(leaky_relu(scores, 0.2), self.offsets)

        def forward(self, x):
            h = self.transform(x)
            return spmm(self.A, h, data=self.weights(h))

    torch.manual_seed(0)
    A = karate()
    layers = Attention(A, MEMBERS, 8), Attention(A, 8, 2)
    x, side = torch.eye(MEMBERS), torch.tensor([int(i in OFFICER) for i in range(MEMBERS)])

    # Check the first layer against a dense matrix of scores.
    h = layers[0].transform(x)
    of_vertex, of_neighbour = layers[0].score(h).unbind(1)
    scores = leaky_relu(of_vertex[:, None] + of_neighbour[None], 0.2)
    dense = torch.softmax(scores.masked_fill(torch.from_numpy(A.toarray() == 0), -torch.inf), 1) @ h
    torch.testing.assert_close(layers[0](x), dense)

    # Only the instructor, 0, and the officer, 33, say on which side they are.
    known = torch.tensor([0, 33])
    optimiser = torch.optim.Adam([p for layer in layers for p in layer.parameters()], lr=0.02)
    for step in range(STEPS + 1):
        found = layers[1](torch.tanh(layers[0](x)))
        loss = cross_entropy(found[known], side[known])
        if step % 5 == 0:
            right = (found.argmax(1) == side).sum().item()
            print(f"step {step:3}   loss {loss.item():.4f}   {right} of {MEMBERS} members on the right side")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert right >= 30
    print("found the sides of most members from those of two")


# %%
# Run the program:

if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("this example needs PyTorch: pip install torch")
    else:
        main()
