"""What the programs of the GAP benchmark write and choose: serialized graphs, and sources."""

import numpy as np

SEED = 27491095


def read_graph(path):
    """Offsets, targets, weights (None in a `.sg`) of a graph that GAP serialized, and whether it is directed."""
    content = path.read_bytes()
    directed = content[0] != 0
    edges, n = (int(x) for x in np.frombuffer(content, np.int64, 2, 1))
    offsets = np.frombuffer(content, np.int64, n + 1, 17)
    pairs = 2 if path.suffix == ".wsg" else 1
    entries = np.frombuffer(content, np.int32, edges * pairs, 17 + 8 * (n + 1)).reshape(edges, pairs)
    return offsets, entries[:, 0].copy(), entries[:, 1].copy() if pairs == 2 else None, directed


def random_words(seed):
    """The generator std::mt19937_64."""
    word, mask = (1 << 64) - 1, 1 << 31
    state = [seed]
    for k in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + k) & word)
    while True:
        for k in range(312):
            x = (state[k] & ~(mask - 1) & word) | (state[(k + 1) % 312] & (mask - 1))
            state[k] = state[(k + 156) % 312] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        for x in state:
            x ^= x >> 29 & 0x5555555555555555
            x ^= x << 17 & 0x71D67FFFEDA60000
            x ^= x << 37 & 0xFFF7EEE000000000
            yield (x ^ x >> 43) & word


def picked(offsets, count):
    """Return the first sources that GAP's SourcePicker chooses: vertices with edges."""
    n, words, found = offsets.size - 1, random_words(SEED), []
    cutoff = ((1 << 64) - 1 - ((1 << 64) - 1) % n) & 0xFFFFFFFF if ((1 << 64) - 1) % n != n - 1 else 0
    while len(found) < count:
        number = next(words) & 0xFFFFFFFF
        if (not cutoff or number < cutoff) and offsets[number % n] < offsets[number % n + 1]:
            found.append(number % n)
    return found
