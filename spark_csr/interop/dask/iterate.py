"""Iterations of a product: several of them in one graph, with one sum over all blocks in each.

Design: Dask takes milliseconds from a task to one that needs its result, so an iteration is a chain of three tasks: the
elements that a block sends to another, products, what they add to the sums. What a block has of all vectors of a method is one
state, made by one task. The task that sends elements does not wait for that state: it computes the elements itself, from the
inputs of the state. Every block decides for itself, from the sums of all blocks, what its new state is, and whether it is the
last; states stay as they are from then on. So results do not depend on how many iterations a graph has. An iteration takes
three tasks for each block and at most one for each message. If there are many blocks, one task more adds the sums: otherwise
every block would ask every other. Blocks that nobody keeps in memory are made inside of the tasks that multiply them: if they
had keys, all would be kept from one iteration to the next. Cost: elements that are sent are computed twice; the iterations of
the last graph that were not needed run, without effect.
"""

from __future__ import annotations

import functools
import operator
from functools import partial
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask.base import tokenize

from spark_csr import partition
from spark_csr._array import is_array, namespace_of, to_host_scalar
from spark_csr.interop.dask import tasks
from spark_csr.interop.dask.graphs import Tasks, compute, make_graph, make_layer, persist
from spark_csr.linalg import near_one

FEW = 8
"""Up to how many blocks each adds up what all blocks contribute to the sums. Not tuned."""

BEFORE = {"done": False, "iteration": 0, "value": np.inf}
"""What was decided before the first iteration."""

TILE = 8192
"""How many elements BLAS multiplies at a time: few enough that it does not use threads, which would change the bits."""


class State(NamedTuple):
    """What a block has of the vectors of a method, and the last decisions, one of each iteration."""

    vectors: tuple[Any, ...]
    decisions: tuple[dict[str, Any], ...] = ()


class Step:
    """What an iteration computes, in functions that run in workers and write into nothing.

    `operand(vectors)` is the vector that is multiplied; `measure(vectors, product)` the numbers to sum over all blocks;
    `decide(before, sums)` returns a dict with `done` and `value`, and what `advance(vectors, product, decision)` needs, which
    returns the next vectors. `operand` and `advance` compute an element of a vector from the same elements of others; what
    `advance` returns besides, numbers of whole vectors, is for `measure` and `decide`. With `transposed` the transpose is
    multiplied.
    """

    transposed = False

    def report(self, decision):
        """Return the number and the value of the iteration that a decision is about, or None.

        It is the one before, which made the vectors that are measured. The decision to end makes no other.
        """
        iteration = decision["iteration"] - (not decision["done"])
        return (iteration, float(decision["value"])) if iteration else None

    def __dask_tokenize__(self):
        return type(self).__name__, sorted(vars(self).items())


def dot(x, y):
    """Return the scalar product of what a block has of two vectors, on the host, in their dtype."""
    xp = namespace_of(x)
    if xp is not np or x.size <= TILE:
        found = xp.vdot(x, y)
        return found.dtype.type(to_host_scalar(found))
    return _add_in_order([np.vdot(x[k : k + TILE], y[k : k + TILE]) for k in range(0, x.size, TILE)])


def start(matrix, make, *vectors):
    """Return the states whose vectors `make` returns for the chunks of vectors, beside the blocks of a square matrix."""
    layer = "start-" + tokenize(matrix.name, make, *(x.name for x in vectors))
    made = {(layer, i): (_start, make, *((x.name, i) for x in vectors)) for i in range(matrix.numblocks[0])}
    (states,) = persist(make_layer(layer, made, vectors, matrix._homes))
    return states


def _start(make, *chunks):
    return State(make(*chunks))


def iterate(matrix, states, step, count, every, progress=None, after=None):
    """Return the states after at most `count` iterations, and the last decision.

    `progress(iteration, value)` is called for every iteration that the step reports, `after(states, decision)` whenever a graph
    has been computed.
    """
    if every < 1:
        raise ValueError(f"check_every must be 1 or more, got {every}")
    decision, done = BEFORE, 0
    while done < count and not decision["done"]:
        now = min(every, count - done)
        states, decisions = _compute(matrix, states, step, done, now)
        for decision in decisions:
            known = step.report(decision)
            if progress is not None and known is not None:
                progress(*known)
            if decision["done"]:
                break
        if after is not None:
            after(states, decision)
        done += now
    return states, decision


def _compute(matrix, states, step, first, count):
    """Compute `count` iterations where the blocks are; return the states and all decisions.

    Names of tasks tell `count`, as the decisions do: the same call with another number may run at the same time.
    """
    name = f"{tokenize(matrix.name, states.layer, step, count)}-{first}"
    made, keys, origins = {}, states.keys, [(key,) for key in states.keys]
    blocks, advance = matrix._read_once(), partial(_advance, step, count)
    make = _transposed_products if step.transposed else _products
    for t in range(first, first + count):
        make(matrix, blocks, step, name, t, keys, origins, made)
        measures = [("measure-" + name, t, i) for i in range(len(keys))]
        for i, key in enumerate(measures):
            made[key] = (tasks.pick, ("product-" + name, t, i), 1)
        if len(keys) > FEW:
            made["sum-" + name, t] = (_add_in_order, measures)
            measures = [("sum-" + name, t)]
        origins = [(key, ("product-" + name, t, i), measures) for i, key in enumerate(keys)]
        keys = [("state-" + name, t, i) for i in range(len(keys))]
        made.update({key: (advance, *origin) for key, origin in zip(keys, origins, strict=True)})
    told = ("decisions-" + name, 0)
    made[told] = (tasks.pick, keys[0], 1)
    positions = {f"{kind}-{name}": 2 for kind in ("product", "measure", "state", "local", "part", "whole")}
    positions |= {"pack-" + name: 3, told[0]: 1}
    layer = "iterate-" + name
    graph = make_graph(layer, made, [matrix, states, matrix.plan.lists], matrix._homes, positions)
    states, decisions = persist(Tasks(graph, layer, keys), Tasks(graph, layer, [told]))
    return states, compute(decisions)[0][0]


def _products(matrix, blocks, step, name, t, states, origins, made):
    """Add the tasks of a product, of what each block has in its state; others make what they need of it of its origin."""
    take, pack, multiply = partial(_operand, step), partial(_pack, step), partial(_multiply, step)
    for i, outline in enumerate(matrix.plan.outlines):
        parts = []
        for j in outline.sources:
            wanted = matrix.plan.wanted.get((i, j))
            if wanted is None and i == j:
                parts.append((take, states[j]))
            else:
                key = ("whole-" + name, t, j) if wanted is None else ("pack-" + name, t, i, j)
                made[key] = (pack, wanted, *origins[j])
                parts.append(key)
        made["product-" + name, t, i] = (multiply, blocks[i], states[i], parts)


def _transposed_products(matrix, blocks, step, name, t, states, origins, made):
    """Add the tasks of a transposed product, of what each block has in its state."""
    coming = [([], []) for _ in states]
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
    return step.operand(state.vectors)


def _pack(step, wanted, state, product=None, measures=None):
    """Return what another block takes of the operand; make it anew if the product of the iteration before is given."""
    state = State(tuple(_take(x, wanted) for x in state.vectors), state.decisions)
    if product is not None:
        state = _advance(step, 1, state, (_take(product[0], wanted),), measures)
    return step.operand(state.vectors)


def _take(x, wanted):
    """Return the wanted elements of a vector; None stands for all of them, and what is no vector is returned as it is."""
    return x if wanted is None or not getattr(x, "ndim", 0) else x[wanted]


@tasks.with_threads_of_worker
def _multiply(step, block, state, parts):
    """Return the product, and what it adds to the sums."""
    product = partition.multiply(tasks.made(block), parts or [step.operand(state.vectors)[:0]])
    return product, step.measure(state.vectors, product)


@tasks.with_threads_of_worker
def _contribute(step, block, state):
    return partition.multiply_transposed(tasks.made(block), step.operand(state.vectors))


def _add(step, size, dtype, state, parts, wanted):
    x = step.operand(state.vectors)
    like = namespace_of(x).zeros(0, np.result_type(dtype, x.dtype))
    product = partition.add_parts(size, parts, wanted, like)
    return product, step.measure(state.vectors, product)


def _add_in_order(measures):
    """Return the sum of what blocks, or tiles, contribute."""
    return functools.reduce(operator.add, measures)


def _decide(step, before, measures):
    """Return what the sums decide."""
    if before["done"]:
        return before
    decision = step.decide(before, _add_in_order(measures))
    return {**decision, "iteration": before["iteration"] + (not decision["done"])}


def _advance(step, count, state, product, measures):
    """Return the next state, with the last `count` decisions."""
    decision = _decide(step, state.decisions[-1] if state.decisions else BEFORE, measures)
    vectors = state.vectors if decision["done"] else step.advance(state.vectors, product[0], decision)
    return State(vectors, (*state.decisions, decision)[-count:])


def vector_of(matrix, states, position, dtype):
    """Return the vector that states have at a position, as an array of Dask, computed where they are."""
    layer = f"vector-{tokenize(states.layer, states.keys, position)}"
    made = {(layer, i): (partial(_vector, position), key) for i, key in enumerate(states.keys)}
    (vector,) = persist(make_layer(layer, made, [states], matrix._homes))
    return da.Array(vector.graph, layer, matrix.chunks[:1], dtype=dtype)


def _vector(position, state):
    return state.vectors[position]


def map_chunks(function, x):
    """Return `function` of every chunk of a vector. Dask's operators with a number lose the chunks of a single element."""
    return x.map_blocks(function, dtype=x.dtype)


def find_largest(x):
    """Return the largest magnitude of an element of a vector of Dask; 0 if there is none."""
    return float(x.map_blocks(_find_largest, chunks=((1,) * x.numblocks[0],), dtype=np.float64).max())


def _find_largest(x):
    return np.array([near_one.find_largest(x)])


def scale(x, factor):
    """Return a vector of Dask multiplied by a power of two."""
    return x if factor == 1 else map_chunks(partial(near_one.scale, factor=factor), x)


def norm(x):
    """Return the Euclidean length of a vector of Dask; Dask's own function squares by an operator with a number."""
    return float(np.sqrt((abs(x) * abs(x)).sum()))


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
    """Return a vector as an array of Dask in the chunks of the rows; it may be on a GPU."""
    x = x if isinstance(x, da.Array) or is_array(x) else np.asarray(x)
    if x.shape != matrix.shape[:1]:
        raise ValueError(f"{name} must have shape {matrix.shape[:1]}, got {x.shape}")
    return x.rechunk((matrix.chunks[0],)) if isinstance(x, da.Array) else da.from_array(x, chunks=(matrix.chunks[0],))
