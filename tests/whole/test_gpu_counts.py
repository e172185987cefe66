"""Instructions, sectors, passes over banks, launches and host reads of the main kernels for GPUs: none rises by more than 3 %.

They are counted on compiled kernels, on fixed inputs (`asv_benchmarks/gpu_counts.py`), and held against what is kept in
`asv_benchmarks/results/gpu-counts.json`.
"""

import importlib.util
import pathlib

import pytest

import ptx_mode

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "asv_benchmarks" / "gpu_counts.py"
_spec = importlib.util.spec_from_file_location("gpu_counts", SCRIPT)
gpu_counts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(gpu_counts)

CASES, KEPT = gpu_counts.cases(), gpu_counts.kept()


@pytest.mark.skipif(not ptx_mode.ON, reason="compiled kernels are counted: SPARK_CSR_PTX=1")
@pytest.mark.parametrize("name", CASES)
def test_nothing_costs_more_than_it_did(xp, name):
    risen = gpu_counts.risen(gpu_counts.count(CASES[name]), KEPT[name])
    assert not risen, (
        f"{name}: {'; '.join(risen)}. If it is worth that, run asv_benchmarks/gpu_counts.py --write; the counts are kept for "
        f"other compilers than these if {gpu_counts.versions()} has changed"
    )


def test_the_rows_that_are_kept_are_those_that_are_counted():
    assert list(KEPT) == list(CASES)
    for row in KEPT.values():
        assert all(gpu_counts.total(row, counter) >= 0 for counter in gpu_counts.GUARDED)


@pytest.mark.parametrize("counter", gpu_counts.GUARDED)
def test_a_count_that_rises_is_named(counter):
    before = {"items": 10, "launches": 100, "host_reads": 100, "kernels": {"k": dict.fromkeys(gpu_counts.COUNTERS, 100)}}
    now = {**before, "kernels": {"k": dict(before["kernels"]["k"])}}
    holder = now if counter in now else now["kernels"]["k"]
    holder[counter] = 103
    assert gpu_counts.risen(now, before) == []
    holder[counter] = 104
    assert gpu_counts.risen(now, before) == [f"{counter}: 104, was 100"]
