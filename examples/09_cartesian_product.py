"""
Pairs of segments
=================

Pair every element of one list with every element of another, segment by segment, and find the best partner of each.

Run it with ``python examples/09_cartesian_product.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/pairs.svg"

import itertools

import numpy as np

from spark_csr.primitives import cartesian_product, combinations, segment_ids, segmented_reduce


def show(name, array):
    print(f"{name:<46}{array}")


def main():
    letters, digits = np.array(["a", "b", "c"]), np.array([1, 2])
    _, first, second = cartesian_product(np.array([0, 3]), np.array([0, 2]))
    show("[a, b, c] x [1, 2]: positions in the first", first)
    show("positions in the second", second)
    print([f"{x}{y}" for x, y in zip(letters[first], digits[second], strict=True)], "\n")
    assert first.tolist() == [0, 0, 1, 1, 2, 2]
    assert second.tolist() == [0, 1, 0, 1, 0, 1]

    # Three events; an event has a few tracks and a few hits, and pairs never cross events.
    tracks, track_offsets = np.array([0.1, 0.9, 0.5, 0.2, 0.4, 0.8]), np.array([0, 2, 3, 6])
    hits, hit_offsets = np.array([0.3, 0.6, 0.8, 0.1]), np.array([0, 3, 3, 4])
    offsets, track, hit = cartesian_product(track_offsets, hit_offsets)
    show("tracks of the events", np.split(tracks, track_offsets[1:-1]))
    show("hits of the events", np.split(hits, hit_offsets[1:-1]))
    show("pairs of event i: offsets[i] to offsets[i+1]", offsets)
    show("event of each pair, where it is needed", segment_ids(offsets))
    show("track of each pair", track)
    show("hit of each pair", hit)
    expected = [
        pair
        for event in range(3)
        for pair in itertools.product(
            range(track_offsets[event], track_offsets[event + 1]), range(hit_offsets[event], hit_offsets[event + 1])
        )
    ]
    assert list(zip(track, hit, strict=True)) == expected

    # The pairs of a track lie side by side, so the nearest hit of each is a minimum over segments.
    pairs_of_track = np.searchsorted(track, np.arange(tracks.size + 1))
    distance = np.abs(tracks[track] - hits[hit])
    _, nearest = segmented_reduce(distance, pairs_of_track, "min", return_index=True)
    for i, pair in enumerate(nearest):
        found = f"the hit at {hits[hit[pair]]}" if pair >= 0 else "no hit in its event"
        print(f"    track at {tracks[i]}: {found}")
    assert [-1 if pair < 0 else int(hit[pair]) for pair in nearest] == [0, 2, -1, 3, 3, 3]

    _, one, other = combinations(track_offsets)
    show("pairs of tracks of one event", [f"{i}-{j}" for i, j in zip(one, other, strict=True)])
    print("agrees with itertools")


# %%
# Run the program:

if __name__ == "__main__":
    main()
