"""Molecules in PyTorch: a graph layer, then a pooling of ragged lists."""

import numpy as np
import torch

from spark_csr import Ragged, block_diag, csr_array
from spark_csr.interop.torch import segmented_reduce

# 600 molecules: chains of 4 to 12 atoms. Atoms are of four kinds.
# A molecule is "active" if an atom of kind 0 is bound to one of kind 1.
rng = np.random.default_rng(0)
sizes = rng.integers(4, 13, 600)
atoms = Ragged.from_lists([rng.integers(4, size=n) for n in sizes])
pairs = [
    ((one[:-1] + one[1:] == 1) & (one[:-1] * one[1:] == 0)).any()
    for one in atoms
]
active = torch.tensor(pairs, dtype=torch.float32)


def chain(size):
    i = np.arange(size - 1)
    ends = np.concatenate([i, i + 1]), np.concatenate([i + 1, i])
    return csr_array((np.ones(2 * size - 2, np.float32), ends))


# All molecules are one matrix of bonds, one array of atoms, and offsets.
bonds = block_diag([chain(size) for size in sizes], format="csr")
kinds = torch.from_numpy(atoms.values)
offsets = torch.tensor(atoms.offsets[0])
print(f"{kinds.numel()} atoms, {bonds.nnz // 2} bonds")


class Molecules(torch.nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = torch.nn.Embedding(4, width)
        self.mix = torch.nn.Linear(2 * width, width)
        self.out = torch.nn.Linear(width, 1)

    def forward(self, bonds, kinds, offsets):
        x = self.embed(kinds)
        x = torch.cat([x, bonds @ x], 1)  # what an atom is, and is bound to
        x = torch.relu(self.mix(x))
        # The greatest value of every feature among a molecule's atoms.
        return self.out(segmented_reduce(x, offsets, "max")).squeeze(1)


torch.manual_seed(0)
loss_of = torch.nn.BCEWithLogitsLoss()
model = Molecules()
optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
for _ in range(60):
    found = model(bonds, kinds, offsets)
    loss = loss_of(found, active)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
right = ((found > 0) == (active > 0)).float().mean().item()
print("more than 95 % right:", right > 0.95)
