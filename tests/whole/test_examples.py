"""Every example runs, in a process of its own, and ends in the line it promises."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

from spark_csr._array import SIMULATED

ROOT = pathlib.Path(__file__).parents[2]
LAST_LINE = {
    "01_composed_spmv.py": "all three agree",
    "02_conjugate_gradient.py": "converged",
    "03_pagerank.py": "agrees with SciPy",
    "04_right_flood.py": "reduce and deduce agree",
    "06_ragged_traversal.py": "every element was found again",
    "05_compact.py": "decode(encode(x)) is x",
    "08_merge_and_networks.py": "all networks sort",
    "07_sorts.py": "all agree with NumPy",
    "09_cartesian_product.py": "agrees with itertools",
    "10_graph_laplacian.py": "nothing is lost",
    "11_prune_and_multiply.py": "the fewer are kept, the further outputs move",
    "12_galerkin_triple_product.py": "converged",
    "13_best_pairs.py": "agrees with plain Python",
    "14_graph_attention.py": "found the sides of most members from those of two",
    "15_ragged_pooling.py": "the telling tokens were found",
    "16_bfs_of_ones_own.py": "agrees with SciPy",
    "17_critical_path.py": "agrees with plain Python",
    "18_dask_cg.py": "converged",
    "19_dask_pagerank.py": "agrees with one process",
    "20_dask_from_files.py": "agrees with one process",
    "21_mpi_cg.py": "converged",
    "22_named_edges.py": "agrees with networkx",
    "23_finite_elements.py": "agrees with SciPy",
    "24_events_from_arrow.py": "19,909 events have a pair; the median of the best masses is 91.1 GeV",
    "25_sampled_neighbours.py": "the class of 99% of the last vertices is found",
    "26_triangle_clipping.py": "agrees with plain Python",
    "27_advance_and_filter.py": "agrees with SciPy",
    "28_terms_of_a_score.py": "agrees with NumPy",
    "29_masks_and_accumulators.py": "the farthest vertex lies 15 away; agrees with SciPy",
    "30_particles_in_cells.py": "115,623 pairs in 100 cells, and the nearest are 0.0007 apart",
    "31_implicit_steps.py": "no heat is lost",
    "32_least_squares.py": "QR finds the heights, and the normal equations do not",
    "33_pyg_loader.py": "the classes of more than nine in ten vertices are found: True",
    "34_sparse_tensor.py": "odd items are sold in summer: True",
    "35_gauss_seidel.py": "agrees with a direct solver",
    "36_cells_in_a_file.py": "agrees with the matrix in memory",
}
OF_TORCH = ("14_graph_attention.py", "15_ragged_pooling.py", "25_sampled_neighbours.py", "33_pyg_loader.py")
OF_PYG = ("33_pyg_loader.py",)
OF_DASK = ("18_dask_cg.py", "19_dask_pagerank.py", "20_dask_from_files.py")
OF_PANDAS = ("22_named_edges.py",)
OF_HDF5 = ("36_cells_in_a_file.py",)
OF_MPI = ("21_mpi_cg.py",)


def test_every_example_is_listed():
    assert sorted(LAST_LINE) == sorted(path.name for path in (ROOT / "examples").glob("*.py"))


def test_every_example_is_in_one_group_of_the_list():
    listed = re.findall(r"^   \.\./examples/(\S+)$", (ROOT / "examples" / "index.rst").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(LAST_LINE)


@pytest.mark.parametrize("name", LAST_LINE)
def test_the_page_of_an_example_has_a_picture_and_shows_the_program_first(name):
    text = (ROOT / "examples" / name).read_text()
    (picture,) = re.findall(r'^# sphinx_gallery_thumbnail_path = "(.*)"$', text, re.MULTILINE)
    assert (ROOT / "docs" / picture).exists()
    assert "\n# %%\n" in text, "of a program in one cell, sphinx-gallery shows the output first"


@pytest.mark.slow
@pytest.mark.skipif(SIMULATED, reason="the examples are sized for compiled kernels")
@pytest.mark.parametrize("name", LAST_LINE)
def test_example(name):
    if name in OF_TORCH and importlib.util.find_spec("torch") is None:
        pytest.skip("needs PyTorch: pip install torch")
    if name in OF_PYG and importlib.util.find_spec("torch_geometric") is None:
        pytest.skip("needs PyTorch Geometric: pip install torch_geometric")
    if name in OF_DASK and importlib.util.find_spec("distributed") is None:
        pytest.skip('needs Dask: pip install "dask[array,distributed]"')
    if name in OF_PANDAS:
        pytest.importorskip("pandas")
    if name in OF_HDF5:
        pytest.importorskip("h5py")
    if name in OF_MPI and importlib.util.find_spec("mpi4py") is None:
        pytest.skip("needs mpi4py and an MPI: pip install mpi4py mpich")
    # torch_geometric 2.8 calls what torch 2.15 deprecates.
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-W", "default" if name in OF_PYG else "error", ROOT / "examples" / name],
        env={**os.environ, "PYTHONPATH": search},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == LAST_LINE[name]
