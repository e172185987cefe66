"""
Merging and sorting networks
============================

Merge by ranks, recognise bitonic sequences, and count the steps of sorting networks.

Run it with ``python examples/08_merge_and_networks.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/network.svg"

import itertools

import numpy as np

from spark_csr.primitives import is_bitonic, merge


def show_merge():
    """An element's address is its own index plus its rank in the other array."""
    a, b = np.array([1, 3, 12, 28]), np.array([2, 10, 15, 21])
    merged, of_a, of_b = merge(a, b, return_index=True)
    print(f"a {a} lands at {of_a}")
    print(f"b {b} lands at {of_b}")
    print(f"merged {merged}")
    assert np.array_equal(of_a, np.arange(4) + np.searchsorted(b, a, side="left"))
    # Here side is "right": with "left" for both arrays, equal elements would get the same address.
    assert np.array_equal(of_b, np.arange(4) + np.searchsorted(a, b, side="right"))


def show_bitonic():
    for digits in (12542, 75346, 13245):
        x = np.array([int(digit) for digit in str(digits)])
        print(f"{digits}: {'' if is_bitonic(x) else 'not '}bitonic, directions {np.sign(np.diff(x))}")


def odd_even(x):
    """Yield the comparisons of odd-even transposition: for each step a list of pairs, in which no index occurs twice."""
    for step in range(len(x)):
        yield [(i, i + 1) for i in range(step % 2, len(x) - 1, 2)]


def bitonic(x):
    """Yield those of the bitonic network, for any length: each merge pairs mirror images, then indices at halved distances."""
    run = 1
    while run < len(x):
        flips = [2 * run - 1, *(1 << k for k in reversed(range(run.bit_length() - 1)))]
        for flip in flips:
            yield [(i, i ^ flip) for i in range(len(x)) if i < i ^ flip < len(x)]
        run *= 2


def count(network, x):
    """Run a network; returns its steps and comparisons."""
    x, steps, comparisons = list(x), 0, 0
    for pairs in network(x):
        for i, j in pairs:
            x[i], x[j] = min(x[i], x[j]), max(x[i], x[j])
        steps, comparisons = steps + 1, comparisons + len(pairs)
    assert x == sorted(x)
    return steps, comparisons


def show_networks():
    print(f"{'n':>5} {'odd-even steps':>15} {'comparisons':>12} {'bitonic steps':>14} {'comparisons':>12} {'merge rounds':>13}")
    for n in (5, 8, 100, 128, 1000):
        x = np.r_[n, 1:n]  # the greatest element is first, and has to move by n - 1 positions
        k = (n - 1).bit_length()
        slow, quick = count(odd_even, x), count(bitonic, x)
        print(f"{n:>5} {slow[0]:>15} {slow[1]:>12} {quick[0]:>14} {quick[1]:>12} {k:>13}")
        assert slow == (n, n * (n - 1) // 2)
        # The sort consists of log2(n) bitonic merges, and merge number i takes i steps.
        assert quick[0] == k * (k + 1) // 2
    for x in itertools.product([0, 1], repeat=7):  # what sorts all zeros and ones sorts everything: the 0-1 principle
        count(bitonic, x)


def main():
    show_merge()
    show_bitonic()
    show_networks()
    print("all networks sort")


# %%
# Run the program:

if __name__ == "__main__":
    main()
