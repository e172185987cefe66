"""`amd`: an order of elimination in which each vertex in turn has about the fewest neighbours.

Design: eliminated vertices become elements, which are sets of neighbours, so that no more memory is needed than for the graph.
Variables, vertices that are left, are eliminated as one if they cannot be told apart. One core. Source: Amestoy, Davis & Duff,
*An approximate minimum degree ordering algorithm*, SIAM J. Matrix Anal. Appl. 17, 1996.
"""

import numpy as np

from spark_csr._engine import compile_kernel, njit

VARIABLE, ELEMENT, GONE = 0, 1, 2


@njit
def _unlink(i, degree, head, ahead, behind):
    """Take a variable out of the list of those of its degree."""
    if behind[i] >= 0:
        ahead[behind[i]] = ahead[i]
    else:
        head[degree[i]] = ahead[i]
    if ahead[i] >= 0:
        behind[ahead[i]] = behind[i]


@njit
def _are_alike(i, j, lists, begin, size, elements, mark, stamp):
    """Return whether two variables have the same elements and neighbours; those of `i` are marked, but for the first."""
    if size[i] != size[j] or elements[i] != elements[j]:
        return False
    p, stop = begin[j] + 1, begin[j] + size[j]
    while p < stop and mark[lists[p]] == stamp:
        p += 1
    return p >= stop


@njit
def _make_element(pivot, free, lists, begin, size, elements, kind, weight, links):
    """Append the neighbours of a pivot to `lists`, with weights below 0; return where they end, and their weight."""
    total, stop = 0, free
    for k in range(elements[pivot] + 1):
        source = lists[begin[pivot] + k] if k < elements[pivot] else pivot
        if source != pivot and kind[source] != ELEMENT:
            continue
        skipped = elements[pivot] if source == pivot else 0
        for p in range(begin[source] + skipped, begin[source] + size[source]):
            i = lists[p]
            if weight[i] > 0:
                total += weight[i]
                weight[i] = -weight[i]
                lists[stop] = i
                stop += 1
                _unlink(i, *links)
        kind[source] = GONE
    kind[pivot], begin[pivot], size[pivot] = ELEMENT, free, stop - free
    return stop, total


@njit(error_model="numpy")
def order_by_degree(indptr, indices, order):
    """Write the order of elimination of a graph without loops, whose edges are there in both directions."""
    n = order.size
    room = indices.size + indices.size // 5 + 2 * n + 1
    lists, other = np.empty(room, np.int32), np.empty(room, np.int32)
    for p in range(indices.size):
        lists[p] = indices[p]
    begin, size, degree = indptr[:n].copy(), np.empty(n, np.int64), np.empty(n, np.int64)
    elements, kind, weight = np.zeros(n, np.int64), np.zeros(n, np.uint8), np.ones(n, np.int64)
    head, ahead, behind = np.full(n + 1, -1, np.int32), np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    outside, mark, key = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    bucket, beside, into = np.full(n, -1, np.int32), np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    rank, links = np.zeros(n, np.int64), (degree, head, ahead, behind)
    for k in range(n):
        i = n - 1 - k
        size[i] = degree[i] = indptr[i + 1] - indptr[i]
        _link(i, *links)
    free, done, least, stamp, flag, pivots = indices.size, 0, 0, 0, 1, 0
    while done < n:
        while head[least] < 0:
            least += 1
        pivot = head[least]
        _unlink(pivot, *links)
        if free + least + 1 > room:
            free = 0
            for i in range(n):
                if kind[i] != GONE:
                    for p in range(size[i]):
                        other[free + p] = lists[begin[i] + p]
                    begin[i] = free
                    free += size[i]
            lists, other = other, lists
        done += weight[pivot]
        weight[pivot] = -weight[pivot]
        start = free
        free, total = _make_element(pivot, start, lists, begin, size, elements, kind, weight, links)
        rank[pivot] = pivots
        pivots += 1
        # How much of every element lies outside of the new one.
        for q in range(start, free):
            i = lists[q]
            for p in range(begin[i], begin[i] + elements[i]):
                e = lists[p]
                if kind[e] == ELEMENT:
                    if outside[e] < flag:
                        outside[e] = degree[e] + flag
                    outside[e] += weight[i]
        # Degrees, and the lists without what is in the new element.
        for q in range(start, free):
            i = lists[q]
            first, place, bound, hashed = begin[i], begin[i], 0, np.int64(pivot)
            for p in range(first, first + elements[i]):
                e = lists[p]
                if kind[e] == ELEMENT and outside[e] > flag:
                    bound += outside[e] - flag
                    lists[place] = e
                    hashed += e
                    place += 1
                elif kind[e] == ELEMENT:
                    kind[e] = GONE
            kept = place
            for p in range(first + elements[i], first + size[i]):
                j = lists[p]
                if weight[j] > 0:
                    bound += weight[j]
                    lists[place] = j
                    hashed += j
                    place += 1
            if place == first:
                total += weight[i]
                done -= weight[i]
                weight[i], kind[i], into[i] = 0, GONE, pivot
                continue
            lists[place], lists[kept] = lists[kept], lists[first]
            lists[first] = pivot
            elements[i], size[i], degree[i] = kept - first + 1, place - first + 1, min(degree[i], bound)
            key[i] = hashed % n
            beside[i] = bucket[key[i]]
            bucket[key[i]] = i
        flag += 2 * n + 1
        # Variables with the same lists become one.
        for q in range(start, free):
            if weight[lists[q]] == 0:
                continue
            i = bucket[key[lists[q]]]
            bucket[key[lists[q]]] = -1
            while i >= 0:
                stamp += 1
                for p in range(begin[i] + 1, begin[i] + size[i]):
                    mark[lists[p]] = stamp
                last, j = i, beside[i]
                while j >= 0:
                    after = beside[j]
                    if _are_alike(i, j, lists, begin, size, elements, mark, stamp):
                        weight[i] += weight[j]
                        weight[j], kind[j], into[j] = 0, GONE, i
                        beside[last] = after
                    else:
                        last = j
                    j = after
                i = beside[i]
        place = start
        for q in range(start, free):
            i = lists[q]
            if weight[i] < 0:
                weight[i] = -weight[i]
                degree[i] = min(degree[i] + total - weight[i], n - done - weight[i])
                least = min(least, degree[i])
                _link(i, *links)
                lists[place] = i
                place += 1
        free, size[pivot], degree[pivot] = place, place - start, total
        if place == start:
            kind[pivot] = GONE
    places = np.zeros(pivots + 1, np.int64)
    for i in range(n):
        root = i
        while into[root] >= 0:
            root = into[root]
        rank[i] = rank[root]
        places[rank[i] + 1] += 1
    for k in range(pivots):
        places[k + 1] += places[k]
    for i in range(n):
        order[places[rank[i]]] = i
        places[rank[i]] += 1


@njit
def _link(i, degree, head, ahead, behind):
    """Put a variable at the head of the list of those of its degree."""
    ahead[i], behind[i] = head[degree[i]], -1
    if head[degree[i]] >= 0:
        behind[head[degree[i]]] = i
    head[degree[i]] = i


@compile_kernel(error_model="numpy")
def _order(indptr, indices, order):
    order_by_degree(indptr, indices, order)


def amd(indptr, indices, order):
    """Write the order of elimination of a graph without loops, whose edges are there in both directions."""
    _order(indptr, indices, order)
