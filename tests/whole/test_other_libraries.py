"""The programs of `docs/other_libraries.rst` are run, section by section, where the library is installed."""

import doctest
import importlib
import io
import pathlib
import re

import pytest

import spark_csr
from spark_csr import csr_array
from spark_csr._array import SIMULATED

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="the same calls as elsewhere"),
    pytest.mark.filterwarnings("default"),  # of other libraries
    pytest.mark.usefixtures("cpu_only"),
]

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "other_libraries.rst").read_text()
TITLES = list(re.finditer(r"^(.+)\n[-=]+$", PAGE, re.MULTILINE))
ENDS = [*(title.start() for title in TITLES[1:]), len(PAGE)]
SECTIONS = [
    (title[1], PAGE[title.end() : end]) for title, end in zip(TITLES, ENDS, strict=True) if ">>>" in PAGE[title.end() : end]
]


@pytest.mark.parametrize("title,section", SECTIONS, ids=[title for title, _ in SECTIONS])
def test_programs_of_the_page(title, section):
    for name in re.findall(r"^>>> (?:import|from) (\w+)", section, re.MULTILINE):
        pytest.importorskip(name)
    program = doctest.DocTestParser().get_doctest(section, {}, title, "other_libraries.rst", 0)
    said = []
    doctest.DocTestRunner().run(program, out=said.append)
    assert not said, "".join(said)


def test_every_library_has_a_program():
    assert {"NumPy", "scikit-learn", "pandas", "AnnData", "PyAMG", "joblib", "PyTorch", "JAX"} <= {
        title for title, _ in SECTIONS
    }


def test_pydata_sparse_arrays_are_written():
    sparse = pytest.importorskip("sparse")
    A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    for write, read in ((spark_csr.mmwrite, spark_csr.mmread), (spark_csr.save_npz, spark_csr.load_npz)):
        file = io.BytesIO()
        write(file, sparse.COO.from_scipy_sparse(A.to_scipy()))
        file.seek(0)
        assert (read(file) != A).nnz == 0


def test_pandas_tables_of_edges():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {
            "from": ["Rome", "Oslo", "Rome", "Rome"],
            "to": ["Bern", "Bern", "Oslo", "Bern"],
            "trains": [2.0, 1.0, 4.0, 3.0],
        }
    )
    rows, starts = pandas.factorize(table["from"], sort=True)
    columns, ends = pandas.factorize(table["to"], sort=True)
    A = csr_array((table["trains"], (rows, columns)), shape=(len(starts), len(ends)))
    pivot = table.pivot_table(index="from", columns="to", values="trains", aggfunc="sum", fill_value=0)
    assert A.toarray().tolist() == pivot.to_numpy().tolist() == [[1, 0], [5, 4]]
    entries = A.tocoo()
    back = pandas.DataFrame({"from": starts[entries.row], "to": ends[entries.col], "trains": entries.data})
    assert back.equals(table.groupby(["from", "to"], as_index=False).sum())


def test_matplotlib_spies():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = importlib.import_module("matplotlib.figure").Figure().subplots()
    (line,) = [axes.spy(csr_array([[1.0, 0, 2], [0, 3, 0]]))]
    assert line.get_xdata().tolist() == [0, 2, 1]
