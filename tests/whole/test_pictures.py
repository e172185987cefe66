"""The pictures of the pages are those that docs/pictures.py draws, and every picture has words for those who cannot see it."""

import importlib
import json
import pathlib
import re
import runpy
import xml.etree.ElementTree as ET

import pytest

from spark_csr._array import SIMULATED

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATIC = ROOT / "docs" / "_static"
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.rst") if "generated" not in path.parts)
IMAGE = re.compile(r"^( *)\.\. image:: (\S+)\n((?:\1 +:.*\n)*)", re.MULTILINE)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    runpy.run_path(str(ROOT / "docs" / "pictures.py"))["write"](folder)
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.svg")}


@pytest.mark.skipif(SIMULATED, reason="the pictures are drawn from results of compiled kernels")
def test_the_files_are_what_the_program_draws(drawn):
    for path, content in drawn.items():
        assert (STATIC / path).read_bytes() == content, f"{path}: run `python docs/pictures.py`"
    others = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.svg") if path.relative_to(STATIC) not in drawn}
    assert others <= {"bench.svg"}, "pictures that nothing draws"


@pytest.mark.skipif(SIMULATED, reason="the pictures are drawn from results of compiled kernels")
def test_pictures_have_titles_and_text_that_can_be_read(drawn):
    for content in drawn.values():
        root = ET.fromstring(content)
        assert root.findtext("{*}title")
        assert all(float(text.get("font-size")) >= 12 for text in root.iter("{*}text"))


@pytest.mark.skipif(SIMULATED, reason="the pictures are drawn from results of compiled kernels")
def test_every_picture_is_shown(drawn):
    shown = {pathlib.Path(name).name for page in PAGES for _, name, _ in IMAGE.findall(page.read_text())}
    examples = "".join(path.read_text() for path in (ROOT / "examples").glob("*.py"))
    for path in drawn:
        assert path.name.replace(".dark", "") in shown or f"_static/{path.as_posix()}" in examples, path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_images_have_files_and_words(page):
    images = IMAGE.findall(page.read_text())
    assert images or page.parent.name != "guide", "a page of the guide has no picture"
    for _, name, options in images:
        file = ROOT / "docs" / name[1:] if name.startswith("/") else page.parent / name
        assert file.exists() or file.parent == ROOT / "docs" / "generated" / "benchmarks", name
        assert re.search(r":alt: \S", options), f"{name} has no alt text"


def test_tables_of_results_are_drawn(tmp_path, monkeypatch):
    """Each table of `results/` in JSON has a picture, with a dot for each ratio, and a line in the summary for each library."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    page = importlib.import_module("results_page")
    results = ROOT / "asv_benchmarks" / "results"
    page.write_page(results, tmp_path / "benchmarks.inc")
    text = (tmp_path / "benchmarks.inc").read_text()
    drawn = [path for path in (tmp_path / "benchmarks").glob("*.svg") if ".dark" not in path.name]
    assert drawn
    for path in drawn:
        latest = max(results.glob(f"{path.stem}-*-????-??-??.json"), key=lambda path: path.stem[-10:])
        rows = json.loads(latest.read_text())["rows"]
        libraries = {name for row in rows for name in row["ratios"]}
        dots = ET.fromstring(path.read_text()).findall("{*}circle")
        assert len(dots) == len(libraries) + sum(len(row["ratios"]) for row in rows)
        assert f".. image:: /generated/benchmarks/{path.name}" in text
        summary = text.partition("\n\nA @ x")[0]
        assert summary.count(f"   * - {page.FAMILIES[path.stem]}\n") == len(libraries)
