"""What Numba said of a function: for one question, and on disk for the next process."""

import os
import pickle
import subprocess
import sys

import numba
import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr._engine import store
from spark_csr._engine.answers import TYPES, answer
from spark_csr._ops import checks
from spark_csr._ops.checks import check_compiles
from spark_csr.primitives import _functions

QUESTION = """
import sys
from numba import types
from spark_csr._engine.meaning import can_raise
from spark_csr.primitives import _functions
sys.path.insert(0, {folder!r})
import functions
for name in ("ratio", "risky"):
    function = _functions.compile_function(getattr(functions, name), ("a", "b"))
    asked = "numba.np.arraymath" in sys.modules
    kind = _functions.infer_type(function, (types.int64, types.int64), "take two")
    print(name, kind, can_raise(function), "asked" if not asked and "numba.np.arraymath" in sys.modules else "")
"""


@numba.njit
def always(a, b):
    return True


@pytest.mark.skipif(SIMULATED, reason="nothing is compiled")
def test_answers_to_one_question_are_for_that_question(monkeypatch, tmp_path):
    """The type of a constant is that of its values: an operator may also be a test."""
    monkeypatch.setattr(store, "folders", lambda: (tmp_path,))
    kinds = numba.int16, numba.int16
    check_compiles(always, np.dtype(np.int16))
    assert answer(checks._infer_return_type, always, kinds) == numba.boolean
    for _ in range(2):  # from Numba, then from the disk
        assert answer(_functions._infer_return_type, always, kinds) == numba.boolean
    assert len(list(tmp_path.iterdir())) == 2


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.skipif(SIMULATED, reason="nothing is compiled")
def test_reading_an_answer_runs_nothing(monkeypatch, tmp_path):
    """A file that holds something else is as good as absent, and written anew."""
    monkeypatch.setattr(store, "folders", lambda: (tmp_path / "kernels",))
    kinds = numba.int16, numba.int16
    assert answer(_functions._infer_return_type, always, kinds) == numba.boolean
    (file,) = (tmp_path / "kernels").iterdir()
    right = file.read_bytes()
    for content in (
        pickle.dumps(Touch(tmp_path / "ran")),
        b"",
        b"[]",
        b"5",
        b'["type", true]',
        b'[["bool"], true]',
        b"\xff",
        b"{}",
    ):
        store.write(file.name, content)
        assert answer(_functions._infer_return_type, always, kinds) == numba.boolean
        assert file.read_bytes() == right
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(SIMULATED, reason="nothing is compiled")
@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_read_as_it_was_written(monkeypatch, tmp_path, name):
    monkeypatch.setattr(store, "folders", lambda: (tmp_path,))
    asked = []

    def question(dispatcher, kinds):
        asked.append(kinds)
        return TYPES[name]

    for _ in range(2):
        assert answer(question, always, ()) == TYPES[name]
    assert len(asked) == 1


@pytest.mark.skipif(SIMULATED, reason="nothing is compiled")
def test_answers_are_kept(tmp_path):
    """What a function returns, and whether it can raise, is known in the next process; of a changed function it is not."""
    source = tmp_path / "functions.py"
    # Python's own files of bytecode do not tell apart two sources of one size in one second.
    environment = os.environ | {"SPARK_CSR_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def answers(ratio):
        source.write_text(f"def ratio(a, b):\n    return {ratio}\n\ndef risky(a, b):\n    return [1, 2][a] + b\n")
        command = [sys.executable, "-c", QUESTION.format(folder=str(tmp_path))]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return [line.split() for line in done.stdout.splitlines()]

    first = answers("a / b")
    assert [line[:3] for line in first] == [["ratio", "float64", "False"], ["risky", "int64", "True"]]
    assert first[0][3:] == ["asked"]
    assert answers("a / b") == [line[:3] for line in first]
    assert answers("a * b")[0] == ["ratio", "int64", "False", "asked"]
