"""
Pooling of ragged arrays
========================

Classify bags of tokens of differing length in PyTorch, by the greatest and the mean of their embeddings, without padding.

Run it with ``python examples/15_ragged_pooling.py``, which needs PyTorch.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/lists.svg"

import importlib.util

import numpy as np

from spark_csr import Ragged

TOKENS, TELLING, BAGS, STEPS = 300, 20, 2000, 60


def bags(rng):
    """Bags of up to 14 tokens, empty ones among them. A bag is positive if it holds one of the telling tokens."""
    lists = [rng.integers(0, TOKENS, length) for length in rng.integers(0, 15, BAGS)]
    return Ragged.from_lists(lists), np.array([(tokens < TELLING).any() for tokens in lists])


def main():
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    from spark_csr.interop.torch import segmented_reduce

    class Pooling(torch.nn.Module):
        """Embed every token, pool each bag, and apply a linear layer."""

        def __init__(self, width=8):
            super().__init__()
            self.embed = torch.nn.Embedding(TOKENS, width)
            self.out = torch.nn.Linear(2 * width, 1)

        def forward(self, tokens, offsets):
            x = self.embed(tokens)
            pooled = torch.cat([segmented_reduce(x, offsets, op) for op in ("max", "mean")], 1)
            is_empty = (offsets.diff() == 0)[:, None]  # it has neither a greatest element nor a mean
            return self.out(pooled.masked_fill(is_empty, 0)).squeeze(1)

    torch.manual_seed(0)
    R, positive = bags(np.random.default_rng(0))
    tokens, offsets, wanted = torch.from_numpy(R.values), torch.tensor(R.offsets[0]), torch.from_numpy(positive)
    padded = R.counts().max() * len(R)
    print(f"{len(R)} bags, {(R.counts() == 0).sum()} of them empty, {R.size} tokens; padded they would be {padded}")

    model = Pooling()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
    for step in range(STEPS + 1):
        found = model(tokens, offsets)
        loss = binary_cross_entropy_with_logits(found, wanted.float())
        if step % 20 == 0:
            right = ((found > 0) == wanted).float().mean().item()
            print(f"step {step:3}   loss {loss.item():.4f}   {right:.1%} right")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert right > 0.98

    # Bags that are given one by one have the same results.
    alone = [model(torch.from_numpy(R[i]), torch.tensor([0, len(R[i])])) for i in range(50)]
    torch.testing.assert_close(torch.cat(alone), model(tokens, offsets)[:50])
    print("the telling tokens were found")


# %%
# Run the program:

if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("this example needs PyTorch: pip install torch")
    else:
        main()
