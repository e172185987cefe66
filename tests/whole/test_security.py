"""What SECURITY.md promises: every sentence has tests."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]

TESTS = {
    "A matrix file of a stranger": [
        "whole/test_fuzz_files.py::test_files_of_strangers",
        "whole/test_fuzz_files.py::test_kept_cases",
        "io/test_block_files.py::test_arrays_of_a_stranger_are_refused_whatever_the_sums_say",
        "whole/test_security.py::test_arrays_of_files_are_checked_though_the_callers_are_not",
    ],
    "Reading a matrix file runs nothing": [
        "io/test_block_files.py::test_groups_of_another_version_of_zarr_are_not_read",
        "whole/test_security.py::test_pickled_objects_are_not_read",
    ],
    "No name of a file that stands in a matrix file": [
        "interop/dask/test_checkpoints.py::test_no_file_that_is_named_is_read_or_removed",
        "io/test_block_files.py::test_a_wrong_description_is_one_clear_error",
        "io/test_hdf5.py::test_no_other_file_is_read",
    ],
    "A file or a matrix that is replaced": ["whole/test_writers.py::test_the_old_or_the_new_is_whole"],
    "If several processes save matrices": ["whole/test_writers.py::test_of_two_writers_at_once_one_matrix_is_whole"],
    "A file that replaces another": [
        "test_files.py::test_nobody_else_can_open_a_file_while_it_is_written",
        "test_files.py::test_the_group_of_a_file_is_kept_or_may_not_read_it",
    ],
    "Only files that the package has written": [
        "io/test_blocks.py::test_groups_of_the_user_with_names_and_arrays_of_blocks_stay",
        "interop/dask/test_checkpoints.py::test_a_description_of_something_else_is_not_replaced",
        "engine/test_cache.py::test_kernels_of_others_in_a_shared_folder_are_not_removed",
        "io/test_blocks.py::test_folders_of_the_user_stay",
        "io/test_blocks.py::test_what_has_the_name_of_a_block_is_not_replaced",
        "engine/test_cache.py::test_files_of_the_user_are_not_removed",
        "interop/dask/test_checkpoints.py::test_files_of_the_user_stay",
    ],
    "Kernels are code that is run": ["engine/test_cache.py::test_a_chosen_folder_of_others_is_used_only_if_that_is_said"],
    "`SPARK_CSR_CACHE_SHARED=1` is the only way": [
        "engine/test_cache.py::test_a_chosen_folder_of_others_is_used_only_if_that_is_said",
        "engine/test_cache.py::test_a_temporary_folder_is_not_read_once_others_can_write_to_it",
    ],
    "What the cache keeps besides kernels": ["engine/test_answers.py::test_reading_an_answer_runs_nothing"],
    "The package opens no network connection": ["whole/test_security.py::test_nothing_is_connected"],
}
"""The first words of each promise, and the tests of it."""


def test_every_promise_has_tests():
    text = (ROOT / "SECURITY.md").read_text()
    promised = text.partition("## What is promised\n")[2].partition("\n##")[0]
    items = [" ".join(item.split()) for item in promised.split("\n- ")[1:]]
    assert [item[: len(words)] for item, words in zip(items, TESTS, strict=True)] == list(TESTS)
    for name in (name for names in TESTS.values() for name in names):
        file, _, test = name.partition("::")
        assert f"\ndef {test}(" in (ROOT / "tests" / file).read_text(), name


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_pickled_objects_are_not_read(tmp_path):
    import numpy as np

    from spark_csr import load_npz
    from spark_csr.io import load_ragged, open_blocks, save_blocks

    bad = np.array([Touch(tmp_path / "ran")], dtype=object)
    arrays = dict.fromkeys(("data", "indices", "indptr", "row", "col", "shape"), bad)
    for form in ("csr", "coo"):
        np.savez(tmp_path / "a.npz", format=np.array(form), **arrays)
        with pytest.raises(ValueError, match=r"a\.npz: .*allow_pickle=False"):
            load_npz(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", spark_csr_ragged=bad)
    with pytest.raises(ValueError, match=r"b\.npz: .*allow_pickle=False"):
        load_ragged(tmp_path / "b.npz")
    save_blocks(tmp_path / "blocks", np_matrix())
    np.save(tmp_path / "blocks" / "block-000000" / "data.npy", bad, allow_pickle=True)
    with pytest.raises(ValueError, match="data.npy has shape"):
        open_blocks(tmp_path / "blocks")[0]
    assert not (tmp_path / "ran").exists()


def np_matrix():
    from spark_csr import csr_array

    return csr_array([[1.0, 2.0]])


def test_arrays_of_files_are_checked_though_the_callers_are_not(tmp_path):
    import numpy as np

    from spark_csr import config, load_npz
    from spark_csr.io import load_ragged

    wrong = {"data": np.ones(2), "indices": np.array([0, 2**30], np.int32), "indptr": np.array([0, 2], np.int32)}
    np.savez(tmp_path / "a.npz", format=np.array("csr"), shape=np.array([1, 2]), **wrong)
    layout = np.array('{"values": 0, "offsets": [1]}')
    np.savez(tmp_path / "b.npz", spark_csr_ragged=layout, array_0=np.ones(2), array_1=np.array([0, 2**40]))
    for read, name in ((load_npz, "a.npz"), (load_ragged, "b.npz")):
        with config(validate=False), pytest.raises(ValueError, match=rf"{name}: "):
            read(tmp_path / name)


OFFLINE = """
import sys
connected = []
sys.addaudithook(lambda event, args: connected.append(event) if event.startswith("socket.") else None)
import numpy as np
import spark_csr
from spark_csr import graph, io, linalg, primitives
A = spark_csr.gallery.poisson((8, 8))
A @ np.ones(64), A @ A, graph.pagerank(graph.Graph(abs(A))), linalg.cg(A, np.ones(64))
print(connected)
"""


def test_nothing_is_connected():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", OFFLINE], env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr
