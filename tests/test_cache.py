"""Two processes that compile one kernel for two types at once: neither finds the other's code under its own."""

import os

import pytest
from numba.core import caching

from spark_csr._array import SIMULATED

if SIMULATED:
    pytest.skip("kernels are not compiled", allow_module_level=True)

from spark_csr._cpu.cache import NamedByTypes, njit


@njit(cache=True)
def doubled(x):
    return x + x


def two_processes(folder, kind):
    """Two views of one kernel's files, as two processes have them."""
    return [kind(str(folder), "kernel-1.py311", "stamp of the source") for _ in range(2)]


def interleaved(first, second):
    """Both read the index before either has written; the first to write the index is the last to write its code."""
    index_seen, write_code = first._load_index, first._save_data

    def save_late(name, data):
        first._save_data = write_code
        second._load_index = dict
        second.save("for int64", "code for int64")
        del second._load_index
        write_code(name, data)

    first._load_index, first._save_data = dict, save_late
    first.save("for float64", "code for float64")
    first._load_index = index_seen


@pytest.mark.parametrize("key", ["for float64", "for int64"])
def test_no_process_finds_code_for_other_types(tmp_path, key):
    interleaved(*two_processes(tmp_path, NamedByTypes))
    reader, _ = two_processes(tmp_path, NamedByTypes)
    assert reader.load(key) in (None, f"code {key}")


def test_code_of_another_source_is_not_found(tmp_path):
    NamedByTypes(str(tmp_path), "kernel-1.py311", "old stamp").save("for int64", "old code")
    changed = NamedByTypes(str(tmp_path), "kernel-1.py311", "new stamp")
    assert changed.load("for int64") is None
    changed.save("for int64", "new code")
    assert changed.load("for int64") == "new code"


def test_what_is_guarded_against(tmp_path):
    """Should this fail, Numba's own files have become safe, and `_cpu.cache` can go."""
    interleaved(*two_processes(tmp_path, caching.IndexDataCacheFile))
    reader, _ = two_processes(tmp_path, caching.IndexDataCacheFile)
    assert reader.load("for int64") == "code for float64"


def test_kernels_are_kept_under_names_of_their_types():
    assert doubled(2) == 4
    cache = doubled._cache._cache_file
    assert isinstance(cache, NamedByTypes)
    (name,) = cache._load_index().values()
    assert os.path.exists(os.path.join(cache._cache_path, name))
