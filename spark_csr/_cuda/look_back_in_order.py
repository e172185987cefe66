"""What the tiles before hand on, combined in an order that does not depend on when they tell it: for sums of floats.

Design: `WARP` tiles are a group, and `WARP` groups a larger one. The last tile of a group tells what the group hands on by
itself, and the last one of a larger group what that hands on with all before it. A tile combines what the tiles of its group
have told, then the groups of its larger group, then what is before these: always the same words in the same order, each of
which is told once. Progress: as in `scan`, a tile waits only for tiles of smaller tickets, and tells of its own and of
its group before it waits for other groups. Cost: three rounds of waiting where `look_back` has one or more.
"""

import numpy as np

from spark_csr._cuda.look_back import ALONE, DONE, combine_lanes, listen, tell
from spark_csr._cuda.warp import lane_of
from spark_csr._engine import helper
from spark_csr._engine.gpu import WARP, cuda, device_function
from spark_csr._engine.holes import IDENTITY, add, scalar


@device_function
def _word_of(tile):
    """Return the position of a tile's word: behind the last one of a group come those of the group, and of a larger group."""
    return tile + tile // WARP + tile // (WARP * WARP)


@helper
def tell_and_look_back_in_order(states, tile, total, broken, initial):
    """Tell what a tile hands on, `total`; return what the tile before it does. All lanes of one warp call."""
    lane = np.int64(lane_of(cuda.threadIdx.x))
    here, group = tile % WARP, tile // WARP
    among, larger = group % WARP, group // WARP
    word = _word_of(tile)
    if lane == 0:
        tell(states, word, DONE if broken else ALONE, total)

    flag, value = np.uint32(0), scalar(IDENTITY)
    if lane < here:
        flag, value = listen(states, word - 1 - lane)
    found, done = combine_lanes(flag, value)
    if lane == 0 and here == WARP - 1:
        tell(states, word + 1, DONE if broken or done != 0 else ALONE, total if broken else scalar(add(found, total)))

    if done == 0:
        flag, value = np.uint32(0), scalar(IDENTITY)
        if lane < among:
            flag, value = listen(states, _word_of((group - lane) * WARP - 1) + 1)
        value, done = combine_lanes(flag, value)
        found = scalar(add(value, found))
    if done == 0:
        value = scalar(initial)
        if larger != 0:
            _, value = listen(states, _word_of(larger * (WARP * WARP) - 1) + 2)
        found = scalar(add(value, found))
    if lane == 0 and here == WARP - 1 and among == WARP - 1:
        tell(states, word + 2, DONE, total if broken else scalar(add(found, total)))
    return found


def words_for(tiles):
    """Return how many words so many tiles have, and their groups."""
    return tiles + tiles // WARP + tiles // (WARP * WARP)
