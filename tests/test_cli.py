"""The command line: its tables, its checks, its exit statuses."""

import io
import itertools
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from spark_csr import csr_array, mmwrite, save_npz
from spark_csr._array import SIMULATED
from spark_csr._cli import demo, gpu, main, measure, plot, progress, table
from spark_csr._cli.product import Result, agrees, bytes_moved, measured, operand
from spark_csr.gallery import uniform

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Short measurements: what is timed here is never looked at."""
    monkeypatch.setattr(measure, "PAUSE", 0)
    for name in ("read_bandwidth", "copy_bandwidth"):
        original = getattr(measure, name)
        monkeypatch.setattr(measure, name, lambda megabytes=1, original=original: original(1))


def test_info_says_what_runs(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for word in (
        "spark_csr:",
        "python:",
        "numpy:",
        "scipy:",
        "numba:",
        "threads:",
        "read bandwidth:",
        "copy bandwidth:",
    ):
        assert word in out


def test_demo_prints_a_checked_table(capsys):
    assert main(["demo", "--size", "small", "--dtype", "float32"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""  # no progress bar where standard error is no terminal
    for word in ("Poisson 12^3", "R-MAT", "uniform", "nnz", "GB/s", "of copy", "vs SciPy", "float32"):
        assert word in captured.out
    assert captured.out.count(" ok") == 3


def test_demo_exits_with_1_if_a_product_is_wrong(capsys, monkeypatch):
    monkeypatch.setattr("spark_csr._cli.product.agrees", lambda *_: False)
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


@pytest.mark.parametrize("path, said", [("out.xyz", "unknown kind of picture"), ("no/such/folder/out.png", "no such folder")])
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


@pytest.mark.parametrize("dtype", "?qe")
def test_bench_takes_what_a_file_holds(capsys, tmp_path, dtype):
    save_npz(tmp_path / "a.npz", uniform(20, 30, 3, dtype=dtype))
    assert main(["bench", str(tmp_path / "a.npz")]) == 0
    assert " ok" in capsys.readouterr().out


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 4)])
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
    assert "c.npz: has dtype complex128, which --dtype float64 cannot hold" in refused(
        capsys, "bench", "--dtype", "float64", str(tmp_path / "c.npz")
    )


def test_as_a_module():
    done = subprocess.run([sys.executable, "-m", "spark_csr", "bench", "gone.mtx"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "spark_csr bench: error: gone.mtx: no such file\n"


def test_bytes_moved_is_the_formula():
    A = csr_array(([1.0, 2, 3], [0, 1, 0], [0, 2, 3]), shape=(2, 5))
    assert bytes_moved(A) == 3 * (8 + 4) + 2 * (4 + 8) + 5 * 8
    assert bytes_moved(A, columns=4) == 3 * (8 + 4) + 2 * (4 + 4 * 8) + 5 * 4 * 8


def test_agrees_allows_rounding_and_nothing_else():
    A = uniform(50, 50, 10)
    S, x = A.to_scipy(), operand(A)
    expected = S @ x
    assert agrees(expected.copy(), expected, S, x)
    assert agrees(expected * (1 + 1e-15), expected, S, x)
    assert not agrees(expected * (1 + 1e-10), expected, S, x)
    assert not agrees(expected[:-1], expected, S, x)
    assert not agrees(expected.astype(np.float32), expected, S, x)
    wrong = expected.copy()
    wrong[7] = np.nan
    assert not agrees(wrong, expected, S, x)
    assert agrees(wrong, wrong.copy(), S, x)
    assert not agrees(expected, wrong, S, x)


def test_agrees_is_exact_for_integers():
    A = uniform(10, 10, 3, dtype=np.int64)
    S, x = A.to_scipy(), operand(A)
    assert agrees(S @ x, S @ x, S, x)
    assert not agrees(S @ x + 1, S @ x, S, x)


def test_measured_ticks_once_for_the_check_and_once_a_round():
    ticks = []
    result = measured("a", uniform(30, 30, 3), "cpu", 1e9, lambda: ticks.append(1), rounds=3)
    assert len(ticks) == 4
    assert result.agrees
    assert result.bandwidth == pytest.approx(result.share_of_copy * 1e9)


def test_time_rounds_and_speedup():
    seconds = measure.time_rounds([lambda: None, lambda: sum(range(1000))], rounds=3, block=1e-4)
    assert seconds.shape == (3, 2)
    assert (seconds > 0).all()
    assert measure.speedup(np.array([[1.0, 2], [2, 6], [1, 4]]), of=0, over=1) == 3


def test_rounds_go_on_until_ratios_are_clear():
    waits = itertools.cycle((0.0, 0.0, 0.002))

    def uneven():
        time.sleep(next(waits))

    seconds = measure.time_rounds([lambda: time.sleep(0.001), uneven], rounds=3, block=1e-6, pause=0, most=9)
    assert seconds.shape == (9, 2)
    assert measure.time_rounds([lambda: None], rounds=3, block=1e-4, most=9).shape == (3, 1)
    steady = np.array([[1.0, 2.0], [2.0, 4.0], [1.0, 2.1]])
    assert measure._are_clear(steady)
    assert not measure._are_clear(np.vstack([steady, [[1.0, 3.0], [1.0, 3.0]]]))


@pytest.mark.parametrize(
    "seconds, text", [(2.5, "2.50 s"), (0.0123, "12.3 ms"), (0.123, "123 ms"), (4.2e-6, "4.20 us"), (5e-9, "5.00 ns")]
)
def test_duration(seconds, text):
    assert table.duration(seconds) == text


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal():
    stream = Terminal()
    with progress.Progress(2, stream) as bar:
        bar.say("working")
        bar.tick()
        bar.tick()
    assert " 50 % working" in stream.getvalue()
    assert "100 % working" in stream.getvalue()
    assert stream.getvalue().endswith("\r\033[K")


def test_plot_names_a_file_that_cannot_be_written(tmp_path):
    pytest.importorskip("matplotlib")
    found = [Result("a", 1, 1, 1, "float64", "cpu", 1.0, 1e9, 0.5, "SciPy", 2.0, True)]
    os.mkdir(tmp_path / "taken.png")
    with pytest.raises(Exception, match="taken.png"):
        plot.draw(found, 1e9, str(tmp_path / "taken.png"))


class FakeCuda:
    """As much of CuPy as the timing of a GPU calls, on the clock of the processor."""

    def __init__(self):
        self.launched = 0
        self.cuda = self
        self.Device = lambda *_: self

    def RawKernel(self, source, name):
        assert f"void {name}(" in source

        def launch(grid, block, arguments):
            self.launched += 1

        return launch

    class Event:
        def record(self):
            self.at = time.perf_counter()

        def synchronize(self):
            pass

    def get_elapsed_time(self, begin, end):
        return (end.at - begin.at) * 1e3

    def synchronize(self):
        pass


def test_gpu_timing_counts_calls(monkeypatch):
    fake = FakeCuda()
    monkeypatch.setattr(gpu, "cupy_module", lambda: fake)
    gpu._busy.cache_clear()
    calls = []
    seconds = gpu.kernel_time(lambda: calls.append(time.sleep(1e-4)), calls=5)
    assert seconds >= 1e-4
    assert fake.launched == 1
    assert len(calls) == 5 + 5  # to see how long queueing takes, timed
    assert gpu.calls_that_fit(lambda: time.sleep(0.02), seconds=0.1) in (2, 3, 4)
    assert gpu.calls_that_fit(lambda: time.sleep(0.02), seconds=0.001) == 1
    assert gpu.call_time(lambda: time.sleep(1e-4), calls=5) >= 1e-4
    assert gpu.time_rounds([lambda: None, lambda: None], rounds=3).shape == (3, 2)
    gpu._busy.cache_clear()
