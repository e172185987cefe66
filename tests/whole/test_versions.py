"""Which versions of other packages this one admits, and which are tested."""

import contextlib
import importlib.metadata
import pathlib
import re
import tomllib

from spark_csr._engine.numba import gpu

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _least(requirements):
    """Return the least version of every package, as many of its parts as are named."""
    found = (re.match(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)", requirement) for requirement in requirements)
    return {match[1]: match[2] for match in found}


def test_the_oldest_versions_are_those_that_are_tested():
    lines = [line for line in (ROOT / ".ci" / "oldest.txt").read_text().splitlines() if not line.startswith("#")]
    tested = dict(line.removesuffix(".*").split("==") for line in lines)
    admitted = _least(PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"])
    for name, version in admitted.items():
        assert tested[name] in (version, f"{version}.0"), name
    assert tested.keys() == admitted.keys() | {"numba-cuda"}


def test_numba_cuda_has_bounds_that_are_tested():
    """CI compiles kernels with the oldest that is admitted, beside the oldest Numba, and with the newest."""
    for extra in ("cuda12", "cuda13"):
        (bounds,) = (x for x in PROJECT["optional-dependencies"][extra] if x.startswith("numba-cuda"))
        least, most = re.fullmatch(r"numba-cuda\[cu1[23]\]>=([\d.]+),<([\d.]+)", bounds).groups()
        assert least == gpu.LEAST
        assert f"numba-cuda=={least}\n" in (ROOT / ".ci" / "oldest.txt").read_text()
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            installed = importlib.metadata.version("numba-cuda")
            assert gpu._numbers(least) <= gpu._numbers(installed) < gpu._numbers(most)


def test_numba_has_an_upper_bound_that_the_tests_have_reached():
    """Numba's inside changes from version to version: one that was never tested may give wrong answers."""
    (bounds,) = (requirement for requirement in PROJECT["dependencies"] if requirement.startswith("numba"))
    least, most = (tuple(map(int, bound.split("."))) for bound in re.fullmatch(r"numba>=([\d.]+),<([\d.]+)", bounds).groups())
    installed = tuple(map(int, importlib.metadata.version("numba").split(".")[:2]))
    assert least <= installed < most
