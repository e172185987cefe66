"""
Pruning a layer
===============

Prune the weights of a layer: select the largest weights, and measure the time of the product and the change of the outputs.

Run it with ``python examples/11_prune_and_multiply.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/compaction.svg"

import time

import numpy as np

import spark_csr as sp

INPUTS, OUTPUTS, BATCH = 2048, 1024, 32


def weights(rng):
    """Return random weights that resemble those of a trained layer: most are small, and a few are large."""
    return (rng.standard_t(2.5, (OUTPUTS, INPUTS)) / 50).astype(np.float32)


def milliseconds(function):
    """The best of a few calls."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main():
    rng = np.random.default_rng(0)
    W = weights(rng)
    X = rng.random((INPUTS, BATCH), np.float32)
    dense = W @ X
    print(f"layer of {OUTPUTS} x {INPUTS} weights, batch of {BATCH}: dense product {milliseconds(lambda: W @ X):.2f} ms")

    full = sp.csr_array(W)
    errors = []
    for share in (0.5, 0.2, 0.1, 0.05):
        threshold = float(np.quantile(np.abs(W), 1 - share))
        A = sp.prune(full, threshold=threshold)
        kept = A.nnz / W.size
        assert abs(kept - share) < 1e-3
        np.testing.assert_array_equal(A.toarray(), np.where(np.abs(W) > threshold, W, 0))
        time_of = milliseconds(lambda A=A: A @ X)
        errors.append(np.linalg.norm(A @ X - dense) / np.linalg.norm(dense))
        print(f"  keep {kept:4.0%} of the weights   product {time_of:5.2f} ms   outputs move by {errors[-1]:.1%}")
    assert errors == sorted(errors)

    # Now select the same number of weights for every output: the largest of its row.
    k = INPUTS // 20
    B = sp.prune(full, topk=k)
    assert (np.diff(B.indptr) == k).all()
    error = np.linalg.norm(B @ X - dense) / np.linalg.norm(dense)
    print(f"  the {k} largest weights of every output      outputs move by {error:.1%}")
    print("the fewer are kept, the further outputs move")


# %%
# Run the program:

if __name__ == "__main__":
    main()
