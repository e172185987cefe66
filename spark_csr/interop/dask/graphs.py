"""Graphs of tasks: collections of blocks and of lists, and where their tasks should run."""

from __future__ import annotations

import contextlib
import itertools
import socket
import sys
from typing import Any

import cloudpickle
import dask
import dask.array as da
import numpy as np
from dask._task_spec import Alias, Task
from dask.base import DaskMethodsMixin
from dask.highlevelgraph import HighLevelGraph

from spark_csr import _version

LONGEST = 2**16
"""The most bytes of a task that is written down in every iteration. Not tuned."""


class Tasks(DaskMethodsMixin):
    """Results of tasks that have keys in one layer of a graph."""

    __slots__ = ("graph", "keys", "layer")

    def __init__(self, graph, layer, keys):
        if not isinstance(graph, HighLevelGraph):
            graph = HighLevelGraph.from_collections(layer, graph, dependencies=[])
        self.graph, self.layer, self.keys = graph, layer, list(keys)

    def __dask_graph__(self) -> Any:
        return self.graph

    def __dask_keys__(self) -> list[Any]:
        return self.keys

    def __dask_layers__(self) -> tuple[str]:
        return (self.layer,)

    def __dask_tokenize__(self) -> Any:
        return self.layer, self.keys

    def __dask_postcompute__(self) -> Any:
        return list, ()

    def __dask_postpersist__(self) -> Any:
        return Tasks, (self.layer, self.keys)

    __dask_scheduler__ = staticmethod(da.Array.__dask_scheduler__)
    __dask_optimize__ = staticmethod(da.Array.__dask_optimize__)


class Call:
    """A function of a task, which a worker with another version of this package refuses: its results may have other bits."""

    __slots__ = ("function", "version")

    def __init__(self, function, version=_version.__version__):
        self.function, self.version = function, version

    def __call__(self, *args: Any) -> Any:
        if self.version != _version.__version__:
            raise RuntimeError(
                f"this worker ({socket.gethostname()}) has spark_csr {_version.__version__}, and the task comes from "
                f"{self.version}: install one version everywhere, as with: pip install spark-csr=={self.version}"
            )
        return self.function(*args)

    def __reduce__(self) -> Any:
        return Call, (self.function, self.version)


class Homes:
    """The worker on which a task should run: that of the block, or of the chunk, whose number its key has at `position`."""

    def __init__(self, workers, positions):
        self.workers, self.positions = workers, positions

    def __call__(self, key):
        position = self.positions.get(key[0]) if isinstance(key, tuple) else None
        if position is None or key[position] >= len(self.workers):
            return sorted(set(self.workers))
        return [self.workers[key[position]]]


def make_graph(layer, tasks, dependencies, homes=None, positions=None):
    """Return a graph with one more layer, whose tasks should run where `homes` says; elsewhere if a worker is gone."""
    tasks = {key: _check_version(task) for key, task in tasks.items()}
    if homes is None:
        return HighLevelGraph.from_collections(layer, tasks, dependencies=dependencies)
    with dask.annotate(workers=Homes(homes, positions or {layer: 1}), allow_other_workers=True):
        return HighLevelGraph.from_collections(layer, tasks, dependencies=dependencies)


def _check_version(task):
    """Return a task that raises an exception on a worker with another version of this package."""
    if not isinstance(task, tuple) or isinstance(task[0], Call):
        return task
    return Call(task[0]), *task[1:]


def make_layer(layer, tasks, dependencies=(), homes=None, positions=None):
    """Return the results of the tasks, which are all tasks of the layer."""
    return Tasks(make_graph(layer, tasks, dependencies, homes, positions), layer, tasks)


def persist(*collections):
    """Compute collections in place, with the tasks where they should run: optimized graphs lose that (dask/dask#7036)."""
    return dask.persist(*_without_others(collections), optimize_graph=False)


def compute(*collections):
    """Return the results of collections, with the tasks where they should run."""
    return dask.compute(*_without_others(collections), optimize_graph=False)


@contextlib.contextmanager
def name_lost_blocks(lengths):
    """Let the exception for a task that workers do not survive name the block, its rows, and what to do."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        yield
        return
    try:
        yield
    except distributed.KilledWorker as error:
        key = error.task
        if not (isinstance(key, tuple) and len(key) > 1 and isinstance(key[1], int) and key[1] < len(lengths)):
            raise
        start = sum(lengths[: key[1]])
        raise MemoryError(
            f"block {key[1]}, of rows {start}:{start + lengths[key[1]]}, was given up: {error.allowed_failures + 1} workers "
            "were lost while they made it, as they are if their memory is too small: make more blocks, or give workers more"
        ) from error


def _without_others(collections):
    """Return the same results without tasks that none of them needs: older versions of Dask run all tasks of a graph."""
    keys = {key for tasks in collections for key in tasks.keys}
    return [Tasks(tasks.graph.cull(keys), tasks.layer, tasks.keys) for tasks in collections]


class Recipe:
    """A task that makes a block, to be run inside of another task, so that the block is gone when that has ended."""

    def __init__(self, task):
        self.task = task

    def __call__(self):
        return self.task()


def fuse(tasks, homes=None):
    """Return the same results, each made by one task, if none needs the result of another; else as they are.

    Nothing that a chain of tasks reads is then moved on the way. And Dask's optimization, which fuses chains too, finds none: a
    key would otherwise mean one task in an optimized graph and another one in others (dask/dask#9888).
    """
    chains = _chains(dict(da.Array.__dask_optimize__(tasks.graph, tasks.keys)), tasks.keys)
    if len(chains) < len(tasks.keys):
        return tasks if homes is None else _pin(tasks, homes)
    return make_layer(tasks.layer, {key: (Recipe(node),) for key, node in chains.items()}, (), homes)


def _pin(tasks, homes):
    """Return the same results on workers of their own."""
    made = dict(tasks.graph.cull(set(tasks.keys)))
    return Tasks(make_graph(tasks.layer, made, (), homes, {tasks.keys[0][0]: 1}), tasks.layer, tasks.keys)


def _chains(graph, keys):
    """Return the tasks, by the keys of their results, that need no other result; fused tasks have other names."""
    found = {}
    for key in keys:
        node = graph[key]
        while isinstance(node, Alias) and node.target in graph:
            node = graph[node.target]
        if isinstance(node, Task) and not node.dependencies:
            found[key] = node
    return found


def recipes(tasks):
    """Return a recipe for each task that needs no other result and is short to write down; for others their keys."""
    chains = _chains(dict(da.Array.__dask_optimize__(tasks.graph, tasks.keys)), tasks.keys)
    short = {key: node for key, node in chains.items() if len(cloudpickle.dumps(node)) <= LONGEST}
    return [Recipe(short[key]) if key in short else key for key in tasks.keys]


def choose_homes(count):
    """Return a worker for each of `count` blocks, neighbours beside each other; None without a cluster, or with one worker.

    Dask never runs a task again that names a worker, if that is lost while there is no other (distributed 2026.8).
    """
    client = current_client()
    if client is None:
        return None
    workers = sorted(client.nthreads())
    return [workers[i * len(workers) // count] for i in range(count)] if len(workers) > 1 else None


def current_client():
    """Return the client of the cluster that computes, or None."""
    scheduler = dask.base.get_scheduler()
    client = getattr(scheduler, "__self__", None)
    return client if hasattr(client, "nthreads") else None


def check_chunks(chunks: Any) -> None:
    """Raise ValueError for chunks whose lengths are not known."""
    if any(np.isnan(length) for length in itertools.chain(*chunks)):
        raise ValueError("the lengths of the chunks are not known: call x.compute_chunk_sizes() first")
