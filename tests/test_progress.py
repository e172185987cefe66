"""What `progress=True` shows, and what else may be given."""

import importlib.util
import sys

import pytest

from spark_csr import _progress
from spark_csr._progress import check_progress, number_steps, watch


@pytest.fixture
def no_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)


@pytest.mark.parametrize("nothing", [None, False])
def test_nobody_asks(nothing, capsys):
    with watch(nothing, "cg") as report:
        assert report is None
    assert number_steps(report) is None
    assert capsys.readouterr().err == ""


def test_a_function_is_called_as_it_is():
    told = []
    with watch(lambda *x: told.append(x), "cg") as report:
        report(1, 0.5)
        tell = number_steps(report)
        tell(7)
        tell(8)
    assert told == [(1, 0.5), (1, 7), (2, 8)]


@pytest.mark.parametrize(
    "total, value, expected",
    [
        (None, 0.0001234, "cg: 1,200 iterations, 0.000123, "),
        (None, 4321, "cg: 1,200 iterations, 4,321, "),
        (None, None, "cg: 1,200 iterations, "),
        (5000, 5000, "cg: 1,200 of 5,000 iterations, "),
    ],
)
def test_lines_where_tqdm_is_missing(no_tqdm, capsys, total, value, expected):
    with watch(True, "cg", total=total) as report:
        report(3, value)
        report(1200, value)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(expected)
    assert line.endswith(" s")


def test_a_line_now_and_then(no_tqdm, capsys, monkeypatch):
    monkeypatch.setattr(_progress, "SECONDS", 0.0)
    with watch(True, "sort", "elements", 9) as report:
        report(4, 9)
    assert [line.partition(",")[0] for line in capsys.readouterr().err.splitlines()] == ["sort: 4 of 9 elements"] * 2


@pytest.mark.skipif(importlib.util.find_spec("tqdm") is None, reason="needs tqdm")
@pytest.mark.parametrize(
    "total, value, expected", [(None, 0.25, "cg: 7 iterations"), (None, 0.25, ", 0.25]"), (9, 9, "cg:  78%"), (9, 9, "| 7/9 [")]
)
def test_a_bar_of_tqdm(capsys, total, value, expected):
    with watch(True, "cg", total=total) as report:
        report(2, value)
        report(7, value)
    assert expected in capsys.readouterr().err


def test_the_line_is_shown_if_the_work_ends_early(no_tqdm, capsys):
    def work():
        with watch(True, "cg") as report:
            report(5, None)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert capsys.readouterr().err.startswith("cg: 5 iterations, ")


def test_what_is_no_function_is_refused():
    with pytest.raises(
        TypeError, match=r"progress must be True, or a function that is called as progress\(done, value\), got 5"
    ):
        check_progress(5)
    with pytest.raises(TypeError, match="got 'yes'"), watch("yes", "cg"):
        pass
