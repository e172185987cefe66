"""`dissect`: nested dissection, an order of elimination in which separators come behind the parts that they separate.

Design: multilevel. Neighbours are matched and joined until few vertices are left; these are bisected from several sources, and
each larger graph begins with the separator of the smaller one, improved by moves of single vertices. The levels of a graph are
one graph, in which the vertices of a smaller one are numbered on. Parts of one round are the tiles of a job; small ones are
ordered by degree. Nothing is random, so the order is the same on every run. Source: Karypis & Kumar, *A fast and high quality
multilevel scheme for partitioning irregular graphs*, SIAM J. Sci. Comput. 20, 1998; the moves are those of Hendrickson &
Rothberg, *Improving the run time and quality of nested dissection ordering*, SIAM J. Sci. Comput. 20, 1998.
"""

import numpy as np

from spark_csr._cpu.amd import order_by_degree
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit

FEW = 80
"""Vertices of a graph that is bisected at once. Not tuned."""

SOURCES = 6
"""Sources from which it is tried. Not tuned."""

PASSES = 6
"""Passes of moves at each level at most. Not tuned."""

PATIENCE = 200
"""Moves of a pass at most that bring nothing. Not tuned."""

UNEVEN = 0.6
"""The largest share of the weight that one part may have. Not tuned."""

SEPARATOR = 2


@njit(error_model="numpy")
def _stride(count):
    """Return a number without a common factor with `count`, for a walk through all vertices in a mixed order."""
    step = max(np.int64(count * 0.381966), 1)
    while True:
        a, b = step, count
        while b:
            a, b = b, a % b
        if a == 1:
            return step
        step += 1


@njit(error_model="numpy")
def _extract(start, stop, indptr, indices, order, places, begin, ends):
    """Copy the graph of the vertices `order[start:stop]`, numbered from 0 on."""
    count = 0
    for v in range(start, stop):
        begin[v - start] = count
        for p in range(indptr[order[v]], indptr[order[v] + 1]):
            place = places[indices[p]]
            if start <= place < stop:
                ends[count] = place - start
                count += 1
    begin[stop - start] = count


@njit(error_model="numpy")
def _coarsen(low, high, begin, ends, weights, sizes, joined, slot):
    """Append the graph in which neighbours of a level are matched; return where it ends, or `high` if that joins too few."""
    count, total = high - low, 0
    step = _stride(count)
    for v in range(low, high):
        joined[v] = -1
        total += sizes[v]
    heaviest, matches = max(2 * total // FEW, 1), 0
    for k in range(count):
        v = low + k * step % count
        if joined[v] >= 0:
            continue
        best, most = v, -1
        for p in range(begin[v], begin[v + 1]):
            u = ends[p]
            if joined[u] < 0 and weights[p] > most and sizes[u] + sizes[v] <= heaviest:
                best, most = u, weights[p]
        joined[v], joined[best] = best, v
        matches += best != v
    if matches * 10 < count or begin[high] + begin[high] - begin[low] > ends.size:
        return high
    top, place = high, begin[high]
    for v in range(low, high):
        if joined[v] >= v:
            slot[top], sizes[top] = -1, 0
            top += 1
    top = high
    for v in range(low, high):  # the first of two is numbered, and the other one finds its number there
        other = joined[v]
        joined[v] = top if other >= v else joined[other]
        if other >= v:
            slot[v] = other
            top += 1
        else:
            slot[v] = -1
    top = high
    for v in range(low, high):
        if slot[v] < 0:
            continue
        first = place
        for turn in range(1 + (slot[v] != v)):
            u = slot[v] if turn else v
            sizes[top] += sizes[u]
            for p in range(begin[u], begin[u + 1]):
                target = joined[ends[p]]
                if target == top:
                    continue
                if slot[target] < first:
                    slot[target] = place
                    ends[place], weights[place] = target, 0
                    place += 1
                weights[slot[target]] += weights[p]
        top += 1
        begin[top] = place
    return top


@njit(error_model="numpy")
def _count_loss(v, begin, ends, sizes, side, loss):
    """Note what a vertex of the separator would pull into it from each side by moving to the other one."""
    loss[0, v] = loss[1, v] = 0
    for p in range(begin[v], begin[v + 1]):
        u = ends[p]
        if side[u] != SEPARATOR:
            loss[1 - side[u], v] += sizes[u]


@njit(error_model="numpy")
def _weigh(low, high, sizes, side, weight):
    weight[0] = weight[1] = weight[2] = 0
    for v in range(low, high):
        weight[side[v]] += sizes[v]


@njit(error_model="numpy")
def _rate(weight, limit):
    """Return how bad a bisection is: by the separator, then by how uneven the parts are."""
    larger = max(weight[0], weight[1])
    return float(weight[2]) + abs(weight[0] - weight[1]) / (2.0 * limit) + (4.0 * (larger - limit) if larger > limit else 0.0)


@njit(error_model="numpy")
def _move(v, way, begin, ends, sizes, side, weight, loss, listed, spot, count, log, old, logged):
    """Move a vertex of the separator to a side, and into the separator what it touches of the other one."""
    listed[spot[v]], spot[listed[count - 1]] = listed[count - 1], spot[v]
    count -= 1
    side[v], log[logged], old[logged] = way, v, SEPARATOR
    weight[SEPARATOR] -= sizes[v]
    weight[way] += sizes[v]
    logged += 1
    for p in range(begin[v], begin[v + 1]):
        u = ends[p]
        if side[u] == SEPARATOR:
            loss[1 - way, u] += sizes[v]
        elif side[u] != way:
            side[u], log[logged], old[logged] = SEPARATOR, u, 1 - way
            logged += 1
            weight[1 - way] -= sizes[u]
            weight[SEPARATOR] += sizes[u]
            listed[count], spot[u] = u, count
            count += 1
            _count_loss(u, begin, ends, sizes, side, loss)
            for q in range(begin[u], begin[u + 1]):
                if side[ends[q]] == SEPARATOR and ends[q] != u:
                    loss[way, ends[q]] -= sizes[u]
    return count, logged


@njit(error_model="numpy")
def _refine(low, high, begin, ends, sizes, side, weight, limit, room):
    """Make the separator of a level smaller: of each pass of moves, keep those up to the best separator."""
    loss, listed, spot, moved, log, old = room
    for _turn in range(PASSES):
        count, logged, kept = 0, 0, 0
        for v in range(low, high):
            moved[v] = False
            if side[v] == SEPARATOR:
                listed[count], spot[v] = v, count
                count += 1
                _count_loss(v, begin, ends, sizes, side, loss)
        best, idle, patience = _rate(weight, limit), 0, min(2 * count + 20, PATIENCE)
        while idle < patience and logged + high - low < log.size:
            chosen, way, gain = np.int32(-1), 0, np.int64(-(1 << 60))
            for k in range(count):
                v = listed[k]
                if moved[v]:
                    continue
                for s in range(2):
                    won = sizes[v] - loss[s, v]
                    if (won > gain or (won == gain and weight[s] < weight[way])) and weight[s] + sizes[v] <= limit:
                        chosen, way, gain = v, s, won
            if chosen < 0:
                break
            moved[chosen] = True
            count, logged = _move(chosen, way, begin, ends, sizes, side, weight, loss, listed, spot, count, log, old, logged)
            rate, idle = _rate(weight, limit), idle + 1
            if rate < best:
                best, kept, idle = rate, logged, 0
        while logged > kept:
            logged -= 1
            v = log[logged]
            weight[side[v]] -= sizes[v]
            weight[old[logged]] += sizes[v]
            side[v] = old[logged]
        if kept == 0:
            return


@njit(error_model="numpy")
def _grow(low, high, source, begin, ends, sizes, side, half, queue):
    """Put half of the weight on side 0, from a source on, and its neighbours into the separator; return the last vertex."""
    for v in range(low, high):
        side[v] = 1
    step, asked = _stride(high - low), 0
    grown, head, stop = 0, 0, 1
    queue[0], side[source] = source, SEPARATOR
    while grown < half:
        if head == stop:  # the next component
            while side[low + (source - low + asked * step) % (high - low)] != 1:
                asked += 1
            queue[stop] = low + (source - low + asked * step) % (high - low)
            side[queue[stop]] = SEPARATOR
            stop += 1
        v = queue[head]
        head += 1
        side[v] = 0
        grown += sizes[v]
        for p in range(begin[v], begin[v + 1]):
            if side[ends[p]] == 1:
                side[ends[p]] = SEPARATOR
                queue[stop] = ends[p]
                stop += 1
    return queue[stop - 1]


@njit(error_model="numpy")
def _bisect(count, begin, ends, side):
    """Write the side of each of the first `count` vertices: 0, 1 or SEPARATOR."""
    vertices, entries = begin.size - 1, ends.size
    weights, sizes = np.empty(entries, np.int32), np.empty(vertices, np.int64)
    for v in range(count):
        sizes[v] = 1
    for p in range(begin[count]):
        weights[p] = 1
    joined, slot = np.empty(vertices, np.int32), np.empty(vertices, np.int64)
    levels = np.empty(200, np.int64)
    levels[0], levels[1], depth = 0, count, 1
    while levels[depth] - levels[depth - 1] > FEW and depth < 198:
        low, high = levels[depth - 1], levels[depth]
        if high + (high - low) > vertices:
            break
        top = _coarsen(low, high, begin, ends, weights, sizes, joined, slot)
        if top == high:
            break
        depth += 1
        levels[depth] = top
    low, high, weight = levels[depth - 1], levels[depth], np.zeros(3, np.int64)
    loss, listed, spot = np.empty((2, vertices), np.int64), np.empty(vertices, np.int32), np.empty(vertices, np.int32)
    moved, log, old = np.empty(vertices, np.bool_), np.empty(4 * count + 8, np.int32), np.empty(4 * count + 8, np.int8)
    room = loss, listed, spot, moved, log, old
    limit, chosen, best = max(UNEVEN * count, count // 2 + 1.0), np.empty(high - low, np.int8), np.inf
    source = low
    for turn in range(SOURCES):
        last = _grow(low, high, source, begin, ends, sizes, side, count // 2, listed)
        _weigh(low, high, sizes, side, weight)
        _refine(low, high, begin, ends, sizes, side, weight, limit, room)
        rate = _rate(weight, limit)
        if rate < best:
            best = rate
            for v in range(low, high):
                chosen[v - low] = side[v]
        source = last if turn == 0 else low + (source - low + _stride(high - low)) % (high - low)
    for v in range(low, high):
        side[v] = chosen[v - low]
    _weigh(low, high, sizes, side, weight)
    while depth > 1:
        depth -= 1
        for v in range(levels[depth - 1], levels[depth]):
            side[v] = side[joined[v]]
        _refine(levels[depth - 1], levels[depth], begin, ends, sizes, side, weight, limit, room)


@njit(error_model="numpy")
def _dissect_part(tile, parts, cuts, leaf, indptr, indices, order, places):
    """Order the vertices of a part: those of two parts, noted in `cuts`, and of their separator; or all, if they are few."""
    start, stop = parts[tile, 0], parts[tile, 1]
    count, entries = stop - start, 0
    for v in range(start, stop):
        entries += indptr[order[v] + 1] - indptr[order[v]]
    small = count <= leaf
    cuts[tile, 0] = cuts[tile, 1] = start
    if count <= 1:
        return
    begin = np.empty(count + 1 if small else 4 * count + 1, np.int64)
    ends = np.empty(entries if small else 4 * entries, np.int32)
    _extract(start, stop, indptr, indices, order, places, begin, ends)
    found = np.empty(count, np.int32)
    if small:
        order_by_degree(begin[: count + 1], ends[: begin[count]], found)
    else:
        side, place = np.empty(begin.size, np.int8), 0
        _bisect(count, begin, ends, side)
        for s in range(3):
            for v in range(count):
                if side[v] == s:
                    found[place] = v
                    place += 1
            if s < 2:
                cuts[tile, s] = start + place
    for k in range(count):
        found[k] = order[start + found[k]]
    for k in range(count):
        order[start + k] = found[k]
        places[found[k]] = start + k


@compile_kernel(error_model="numpy")
def _dissect(cores, leaf, indptr, indices, order, places):
    """Dissect all vertices, in rounds, until all parts are small."""
    parts = np.empty((1, 2), np.int64)
    parts[0, 0], parts[0, 1] = 0, order.size
    while parts.shape[0] > 0:
        cuts = np.empty(parts.shape, np.int64)
        for_tiles(cores, parts.shape[0], _dissect_part, (parts, cuts, leaf, indptr, indices, order, places))
        following, count = np.empty((2 * parts.shape[0], 2), np.int64), 0
        for part in range(parts.shape[0]):
            start = parts[part, 0]
            for s in range(2):
                if cuts[part, s] > start + 1:
                    following[count, 0], following[count, 1] = start, cuts[part, s]
                    count += 1
                start = cuts[part, s]
        parts = following[:count]


def dissect(indptr, indices, order):
    """Write the order of elimination of a graph without loops, whose edges are there in both directions."""
    places = np.arange(order.size, dtype=np.int32)
    order[:] = places
    _dissect(cores_for(_dissect), TUNING.dissect_leaf, indptr, indices, order, places)
