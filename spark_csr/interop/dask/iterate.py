"""Iterations of a product: several of them in one graph, with one sum over all blocks in each.

Design: what a block has of all vectors of a method is one state, made by one task, so an iteration takes three tasks for each
block, one that decides, and one for each message: products, what they add to the sums, new states. The sums of an iteration
decide at once what its new states are, and whether it is the last; states stay as they are from then on. So results do not
depend on how many iterations a graph has. Blocks that nobody keeps in memory are made inside of the tasks that multiply them:
if they had keys, all would be kept from one iteration to the next. Cost: the iterations of the last graph that were not needed
run, without effect.
"""

from __future__ import annotations

from functools import partial

import dask.array as da
import numpy as np
from dask.base import tokenize

from spark_csr import partition
from spark_csr._array import namespace_of, to_host_scalar
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import Tasks, compute, make_graph, make_layer, persist


class Step:
    """What an iteration computes, in functions that run in workers and write into nothing.

    `operand(state)` is the vector that is multiplied; `measure(state, product)` the numbers to sum over all blocks;
    `decide(before, sums)` returns a dict with `done` and `value`, and what `advance(state, product, decision)` needs. With
    `transposed` the transpose is multiplied.
    """

    transposed = False

    def __dask_tokenize__(self):
        return type(self).__name__, sorted(vars(self).items())


def dot(x, y):
    """Return the scalar product of what a block has of two vectors, on the host, in their dtype."""
    found = namespace_of(x).vdot(x, y)
    return found.dtype.type(to_host_scalar(found))


def start(matrix, make, *vectors):
    """Return the states that `make` returns for the chunks of vectors, beside the blocks of a square matrix."""
    layer = "start-" + tokenize(matrix.name, make, *(x.name for x in vectors))
    made = {(layer, i): (make, *((x.name, i) for x in vectors)) for i in range(matrix.numblocks[0])}
    (states,) = persist(make_layer(layer, made, vectors, matrix._homes))
    return states


def iterate(matrix, states, step, count, every, progress=None, after=None):
    """Return the states after at most `count` iterations, and the last decision.

    `progress(iteration, value)` is called for every iteration, `after(states, decision)` whenever a graph has been computed.
    """
    if every < 1:
        raise ValueError(f"check_every must be 1 or more, got {every}")
    decision, done = {"done": False, "iteration": 0, "value": np.inf}, 0
    while done < count and not decision["done"]:
        now = min(every, count - done)
        states, decisions = _compute(matrix, states, decision, step, done, now)
        for decision in decisions:
            if progress is not None:
                progress(decision["iteration"], float(decision["value"]))
            if decision["done"]:
                break
        if after is not None:
            after(states, decision)
        done += now
    return states, decision


def _compute(matrix, states, decision, step, first, count):
    """Compute `count` iterations where the blocks are; return the states and all decisions."""
    name = f"{tokenize(matrix.name, states.layer, step)}-{first}"
    made, keys, before = {}, states.keys, decision
    blocks = matrix._read_once()
    make = _transposed_products if step.transposed else _products
    for t in range(first, first + count):
        make(matrix, blocks, step, name, t, keys, made)
        measures = [("measure-" + name, t, i) for i in range(len(keys))]
        for i, key in enumerate(measures):
            made[key] = (tasks.pick, ("product-" + name, t, i), 1)
        made["decide-" + name, t] = (partial(_decide, step), before, measures)
        before = ("decide-" + name, t)
        new = [("state-" + name, t, i) for i in range(len(keys))]
        for i, key in enumerate(new):
            made[key] = (partial(_advance, step), keys[i], ("product-" + name, t, i), before)
        keys = new
    positions = {f"{kind}-{name}": 2 for kind in ("product", "measure", "state", "local", "part", "whole")}
    positions["pack-" + name] = 3
    layer = "iterate-" + name
    graph = make_graph(layer, made, [matrix, states, matrix.plan.lists], matrix._homes, positions)
    decisions = Tasks(graph, layer, [("decide-" + name, t) for t in range(first, first + count)])
    states, decisions = persist(Tasks(graph, layer, keys), decisions)
    return states, compute(decisions)[0]


def _products(matrix, blocks, step, name, t, states, made):
    """Add the tasks of a product, of what each block has in its state."""
    operand = partial(_operand, step)
    for i, outline in enumerate(matrix.plan.outlines):
        parts = []
        for j in outline.sources:
            wanted = matrix.plan.wanted.get((i, j))
            if wanted is not None:
                key = ("pack-" + name, t, i, j)
                made[key] = (partial(_pack, step), states[j], wanted)
            elif i == j:
                key = (operand, states[j])
            else:
                key = ("whole-" + name, t, j)
                made[key] = (operand, states[j])
            parts.append(key)
        made["product-" + name, t, i] = (partial(_multiply, step), blocks[i], states[i], parts)


def _transposed_products(matrix, blocks, step, name, t, states, made):
    """Add the tasks of a transposed product, of what each block has in its state."""
    count = len(states)
    coming = [([], []) for _ in range(count)]
    for i, outline in enumerate(matrix.plan.outlines):
        local = ("local-" + name, t, i)
        made[local] = (partial(_contribute, step), blocks[i], states[i])
        for k, j in enumerate(outline.sources):
            key = (tasks.pick, local, k)
            if i != j:
                made["part-" + name, t, i, j] = key
                key = ("part-" + name, t, i, j)
            coming[j][0].append(key)
            coming[j][1].append(matrix.plan.wanted.get((i, j)))
    for j, (parts, wanted) in enumerate(coming):
        call = partial(_add, step, matrix.chunks[1][j], matrix.dtype)
        made["product-" + name, t, j] = (call, states[j], parts, wanted)


def _operand(step, state):
    return step.operand(state)


def _pack(step, state, wanted):
    return step.operand(state)[wanted]


@tasks.with_threads_of_worker
def _multiply(step, block, state, parts):
    """Return the product, and what it adds to the sums."""
    product = partition.multiply(tasks.made(block), parts or [step.operand(state)[:0]])
    return product, step.measure(state, product)


@tasks.with_threads_of_worker
def _contribute(step, block, state):
    return partition.multiply_transposed(tasks.made(block), step.operand(state))


def _add(step, size, dtype, state, parts, wanted):
    x = step.operand(state)
    like = namespace_of(x).zeros(0, np.result_type(dtype, x.dtype))
    product = partition.add_parts(size, parts, wanted, like)
    return product, step.measure(state, product)


def _decide(step, before, measures):
    """Return what the sums decide; sums are made in the order of the blocks."""
    if before["done"]:
        return before
    total = measures[0]
    for measure in measures[1:]:
        total = total + measure
    decision = step.decide(before, total)
    return {**decision, "iteration": before["iteration"] + (not decision["done"])}


def _advance(step, state, product, decision):
    return state if decision["done"] else step.advance(state, product[0], decision)


def vector_of(matrix, states, position, dtype):
    """Return the vector that states have at a position, as an array of Dask, computed where they are."""
    layer = f"vector-{tokenize(states.layer, states.keys, position)}"
    made = {(layer, i): (tasks.pick, key, position) for i, key in enumerate(states.keys)}
    (vector,) = persist(make_layer(layer, made, [states], matrix._homes))
    return da.Array(vector.graph, layer, matrix.chunks[:1], dtype=dtype)


def check_square(matrix):
    """Return the matrix with its vectors cut as its rows are; raise an exception if it is not square, or no `csr_blocks`."""
    if not hasattr(matrix, "_is_square"):
        raise TypeError(
            f"the matrix must be a csr_blocks, got {type(matrix).__name__}: "
            "use spark_csr.interop.dask.from_dask(array) or from_csr(matrix, blocks)"
        )
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix must be square, got shape {matrix.shape}")
    if not matrix._is_square():
        raise ValueError(
            f"vectors must be cut as the rows of the matrix are, got {matrix.chunks}: leave columns= out when you make it"
        )
    return matrix


def check_vector(name, x, matrix):
    """Return a vector as an array of Dask in the chunks of the rows."""
    x = x if isinstance(x, da.Array) else np.asarray(x)
    if x.shape != matrix.shape[:1]:
        raise ValueError(f"{name} must have shape {matrix.shape[:1]}, got {x.shape}")
    return x.rechunk((matrix.chunks[0],)) if isinstance(x, da.Array) else da.from_array(x, chunks=(matrix.chunks[0],))
