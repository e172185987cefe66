"""`python -m spark_csr demo` and `bench`: their tables, their checks, their exit statuses, and what both refuse."""

import json
import subprocess
import sys

import pytest

import dtypes
import spark_csr
from spark_csr import csr_array, mmwrite, save_npz
from spark_csr._array import SIMULATED
from spark_csr._cli import demo, main
from spark_csr.gallery import uniform

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="runs on the cores"),
    pytest.mark.usefixtures("short_measurements"),
]


def test_demo_prints_a_checked_table(capsys):
    assert main(["demo", "--size", "small", "--dtype", "float32"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""  # no progress bar where standard error is no terminal
    for word in ("Poisson 12^3", "R-MAT", "uniform", "nnz", "GB/s", "of copy", "vs SciPy", "float32"):
        assert word in captured.out
    assert captured.out.count(" ok") == 3


def test_demo_exits_with_1_if_a_product_is_wrong(capsys, monkeypatch):
    monkeypatch.setattr("spark_csr._cli.time_product.agree", lambda *_: False)
    assert main(["demo", "--size", "small"]) == 1
    assert capsys.readouterr().out.count("WRONG") == 3


@pytest.mark.parametrize("size", demo.SIZES)
def test_every_size_has_the_same_matrices(size):
    names = [name.split()[0] for name, _ in demo.matrices(demo.SIZES[size], "float64")]
    assert names == ["Poisson", "R-MAT", "uniform,"]


def test_demo_plots(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "out.png"
    assert main(["demo", "--size", "small", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert f"drawn in {path}" in capsys.readouterr().out


def refused(capsys, *arguments):
    """Exit status 2 and one line on standard error, which is returned."""
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    return captured.err


@pytest.mark.parametrize("path, said", [("out.xyz", "unknown image format"), ("no/such/folder/out.png", "no such folder")])
def test_a_plot_that_cannot_be_written_is_refused_at_once(capsys, path, said):
    pytest.importorskip("matplotlib")
    assert said in refused(capsys, "demo", "--plot", path)


def test_plot_without_matplotlib(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.backend_bases", None)
    assert "needs matplotlib: pip install matplotlib" in refused(capsys, "demo", "--plot", "out.png")


@pytest.mark.parametrize("command", [["demo"], ["bench", "a.npz"]])
@pytest.mark.parametrize("device, said", [("tpu", "must be 'cpu', 'cuda'"), ("cuda:99", "--device cuda:99")])
def test_a_device_that_is_not_there_is_refused(capsys, command, device, said):
    assert said in refused(capsys, *command, "--device", device)


def test_unknown_options_are_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["demo", "--dtype", "float8"])
    with pytest.raises(SystemExit, match="2"):
        main([])
    capsys.readouterr()


@pytest.fixture
def files(tmp_path):
    """The same matrix in two forms."""
    A = uniform(40, 30, 3)
    save_npz(tmp_path / "a.npz", A)
    mmwrite(tmp_path / "a.mtx", A)
    return [str(tmp_path / "a.npz"), str(tmp_path / "a.mtx")]


def test_bench_prints_a_line_for_each_file(capsys, files):
    assert main(["bench", *files]) == 0
    out = capsys.readouterr().out
    assert "a.npz" in out
    assert "a.mtx" in out
    assert out.count(" ok") == 2


def test_bench_json(capsys, files):
    assert main(["bench", "--json", "--dtype", "float32", files[0]]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["matrix"] == "a.npz"
    assert (found["rows"], found["columns"], found["nnz"]) == (40, 30, 120)
    assert found["dtype"] == "float32"
    assert found["agrees"] is True
    assert found["reference"] == "SciPy"
    assert found["seconds"] > 0


@pytest.mark.parametrize("dtype", dtypes.some("?qe", "e"))
def test_bench_takes_what_a_file_holds(capsys, tmp_path, dtype):
    save_npz(tmp_path / "a.npz", uniform(20, 30, 3, dtype=dtype))
    assert main(["bench", str(tmp_path / "a.npz")]) == 0
    assert " ok" in capsys.readouterr().out


@pytest.mark.parametrize("shape", dtypes.some([(0, 0), (0, 3), (3, 0), (3, 4)], [(0, 3), (3, 4)]))
def test_bench_takes_a_matrix_without_entries(capsys, tmp_path, shape):
    save_npz(tmp_path / "a.npz", csr_array(shape))
    assert main(["bench", str(tmp_path / "a.npz")]) == 0
    capsys.readouterr()


def test_bench_refuses_bad_files_by_name(capsys, tmp_path, files):
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 5\n")
    (tmp_path / "a.txt").write_text("hello")
    for name in ("gone.npz", "cut.npz", "bad.mtx", "a.txt"):
        assert name in refused(capsys, "bench", files[0], str(tmp_path / name))


def test_bench_refuses_a_dtype_that_loses_the_imaginary_part(capsys, tmp_path):
    save_npz(tmp_path / "c.npz", uniform(5, 5, 2, dtype=complex))
    assert "c.npz: the dtype complex128 cannot be converted to --dtype float64 without loss" in refused(
        capsys, "bench", "--dtype", "float64", str(tmp_path / "c.npz")
    )


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert (stopped.value.code, capsys.readouterr().out) == (0, f"spark_csr {spark_csr.__version__}\n")


def test_as_a_module():
    done = subprocess.run([sys.executable, "-m", "spark_csr", "bench", "gone.mtx"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "spark_csr bench: error: gone.mtx: no such file\n"
