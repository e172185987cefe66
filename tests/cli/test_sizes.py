"""`python -m spark_csr bench` without files: products over sizes."""

import json

import pytest

from spark_csr._array import SIMULATED
from spark_csr._cli import bench, main, sizes

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="runs on the cores"),
    pytest.mark.usefixtures("short_measurements"),
]


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(sizes, "SIDES", (3, 5))
    monkeypatch.setattr(sizes, "MKL_PAUSE", 0)


def test_a_table_and_a_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "out.png"
    assert main(["bench", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    out = capsys.readouterr().out
    for word in ("spark_csr", "SciPy", "135", "725", " ok", f"drawn in {path}"):
        assert word in out


def test_json(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["bench", "--json", "--dtype", "float32", "--plot", str(tmp_path / "out.svg")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {timing["library"] for timing in found} >= {"spark_csr", "SciPy"}
    assert all(timing["agrees"] and timing["dtype"] == "float32" for timing in found)


def test_without_mkl(monkeypatch):
    monkeypatch.setattr(sizes, "find_mkl", lambda: None)
    assert [timing.library for timing in sizes.measure_size(3, "cpu", "float64", 1, 1e-4)] == ["spark_csr", "SciPy"]


def test_without_arguments(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert main(["bench"]) == 0
    assert (tmp_path / "spark_csr_bench.png").read_bytes().startswith(b"\x89PNG")
    assert main(["bench"]) == 2  # nothing is written over that nobody named
    assert "spark_csr_bench.png is here already: give --plot PICTURE" in capsys.readouterr().err


def test_without_matplotlib(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None)
    assert main(["bench"]) == 0
    assert "spark_csr" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
