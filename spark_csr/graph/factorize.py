"""Number the names of two columns: each name gets one number, and equal names get the same.

Design: integers are sorted by the radix sort, with the positions that they come from, and every new run gets the next number.
Strings of Arrow's are encoded by its hash table. Anything else goes through a dict. Strings and integers end in ascending order
each way, so that a graph does not depend on which library held its columns, or on which are installed.
"""

import collections
import concurrent.futures
import importlib
import re

import numpy as np

from spark_csr._array import index_dtype, is_array, is_device_array, namespace_of, to_host_scalar
from spark_csr._config import config
from spark_csr._foreign import wait_for
from spark_csr.graph import columns
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.compact import compact
from spark_csr.primitives.scan import inclusive_scan
from spark_csr.primitives.sort import gather, sort_by_key

INTEGER = re.compile("0|-?[1-9][0-9]{0,19}")
"""How integers are written; text of another form, such as 007, stays text."""


def factorize(source, target):
    """Return the number of every name in the columns `source` and `target`, and the names, an array on the host."""
    if not len(source):
        empty = np.empty(0, np.int32) if not is_array(source) else source.astype(np.int32)
        return empty, empty, np.empty(0, object)
    if is_array(source) and is_array(target):
        numbers, names = _number_integers(source, target)
    else:
        numbers, names = _number_others(source, target)
    return numbers[: len(source)], numbers[len(source) :], names


def _number_integers(source, target):
    dtype = np.result_type(source.dtype, target.dtype)
    if dtype.kind == "f":  # one of them has integers above 2**63 - 1
        argument, signed = ("source", source) if source.dtype.kind == "i" else ("target", target)
        at = find_first_true(signed < 0)
        if at is not None:
            raise ValueError(
                f"{argument}[{at}] is {to_host_scalar(signed[at])}, and the other column has integers above 2**63 - 1, which "
                f"have no common dtype: use names of one dtype"
            )
        dtype = np.dtype(np.uint64)
    xp = namespace_of(source, target)
    keys = xp.concatenate([source.astype(dtype, copy=False), target.astype(dtype, copy=False)])
    index = index_dtype(keys.size)
    ordered, order = sort_by_key(keys, xp.arange(keys.size, dtype=index))
    opens = xp.ones(keys.size, bool)
    opens[1:] = ordered[1:] != ordered[:-1]
    numbers = xp.empty(keys.size, index)
    numbers[order] = inclusive_scan(opens.astype(index)) - index.type(1)
    names = compact(ordered, opens)
    return numbers, names.get() if is_device_array(names) else names


def _number_others(source, target):
    integers = [is_array(source), is_array(target)]
    if any(integers) and columns.strings_of(target if integers[0] else source):
        kinds = ["integers" if x else "strings" for x in integers]
        raise TypeError(f"source holds {kinds[0]} and target {kinds[1]}, and 1 is not '1': convert one of the columns")
    if not any(integers) and not any(isinstance(x, list) for x in (source, target)):
        return wait_for(_number_by_arrow, source, target)
    return _number_by_dict(columns.as_list(source), columns.as_list(target))


def _number_by_arrow(source, target):
    arrow, compute = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.compute")

    def encode(*chunks):
        return arrow.concat_arrays(chunks).dictionary_encode()

    with concurrent.futures.ThreadPoolExecutor(max_workers=min(config.threads or 2, 2)) as pool:
        encoded = [x.result() for x in [pool.submit(encode, *x.chunks) for x in (source, target)]]
    both = encode(*(x.dictionary for x in encoded))
    order = compute.sort_indices(both.dictionary)
    rank = _renumber(both.indices.to_numpy(), order.to_numpy())
    ranks = rank[: len(encoded[0].dictionary)], rank[len(encoded[0].dictionary) :]
    numbers = np.concatenate([gather(rank, x.indices.to_numpy()) for rank, x in zip(ranks, encoded, strict=True)])
    return numbers, both.dictionary.take(order).to_numpy(zero_copy_only=False)


def _number_by_dict(source, target):
    places = collections.defaultdict()
    places.default_factory = places.__len__  # a name that is new gets the next number: one look-up for each
    index = index_dtype(len(source) + len(target))
    try:
        numbers = np.concatenate([np.fromiter(map(places.__getitem__, x), index, len(x)) for x in (source, target)])
    except TypeError:
        columns.refuse_unhashable("source", source)
        columns.refuse_unhashable("target", target)
        raise
    names = list(places)
    if all(issubclass(kind, str) for kind in set(map(type, names))):
        order = np.array(sorted(range(len(names)), key=names.__getitem__), index)
        numbers, names = _renumber(numbers, order), [names[k] for k in order.tolist()]
    return numbers, columns.as_objects(names)


def _renumber(numbers, order):
    """Return the numbers of names that are put into another order, given as the positions that sort them."""
    rank = np.empty(order.size, index_dtype(order.size))
    rank[order] = np.arange(order.size, dtype=rank.dtype)
    return gather(rank, numbers)


def read_integers(source, target, names):
    """Return the same numbers and names, with text as integers if all names are written so and fit int64 or uint64."""
    if not names.size or not all(isinstance(name, str) and INTEGER.fullmatch(name) for name in names.tolist()):
        return source, target, names
    values = list(map(int, names.tolist()))
    limits = np.iinfo(np.int64 if max(values) < 2**63 else np.uint64)
    if not (limits.min <= min(values) and max(values) <= limits.max):
        return source, target, names
    integers = np.array(values, limits.dtype)
    order = np.argsort(integers, kind="stable")
    return _renumber(source, order), _renumber(target, order), integers[order]


def number_by_names(source, target, found, names):
    """Return the numbers of the columns where all names are given, in their order; raise ValueError if one is not there."""
    places = {name: number for number, name in enumerate(names.tolist())}
    listed = found.tolist()
    rank = np.array([places.get(name, -1) for name in listed], index_dtype(names.size))
    if (rank < 0).any():
        unknown = namespace_of(source).asarray(rank < 0)
        for column, numbers in (("source", source), ("target", target)):
            at = find_first_true(unknown[numbers])
            if at is not None:
                name = listed[int(numbers[at])]
                raise ValueError(f"names must have the names of all edges, but not {name!r}, which is {column}[{at}]")
    rank = namespace_of(source).asarray(rank)
    return gather(rank, source), gather(rank, target)
