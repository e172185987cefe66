"""How much memory and how many cores there are: in a container, of which there are many kinds, and on the machine."""

import types

import numpy as np
import psutil
import pytest

from spark_csr import _cgroups
from spark_csr._operations.form import memory

V1, V2 = ["memory.limit_in_bytes", "memory.usage_in_bytes"], ["memory.max", "memory.current"]


@pytest.fixture
def container(tmp_path, monkeypatch):
    """A function that writes files of a container, given by path, which the module then reads instead of the machine's."""
    monkeypatch.setattr(_cgroups, "ROOT", str(tmp_path))

    def write(files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(text if isinstance(text, bytes) else str(text).encode())

    return write


def group(folder, limit, used=None, inactive=None, names=V2):
    """The files of one group; those of None are not there."""
    line = "inactive_file" if names is V2 else "total_inactive_file"
    stat = None if inactive is None else f"anon 7\ninactive_anon 5\n{line} {inactive}\nactive_file 9\n"
    files = {names[0]: limit, names[1]: used, "memory.stat": stat}
    return {f"sys/fs/cgroup/{folder}/{name}": f"{text}\n" for name, text in files.items() if text is not None}


CONTAINERS = {  # name: (/proc/self/cgroup, groups, bytes that are left)
    "own group": ("0::/a/b\n", [group("a/b", 1000, 300, 100), group("a", 5000, 300, 0)], 800),
    "not the root's": ("0::/a\n", [group("a", 1000, 300), group(".", 10**6, 10**5)], 700),
    "namespace": ("0::/\n", [group(".", 1000, 900, 50)], 150),
    "the group around it is fuller": ("0::/a/b\n", [group("a/b", 1000, 300, 0), group("a", 1200, 1100, 10)], 110),
    "limit at a parent only": ("0::/a/b/c\n", [group("a/b/c", "max", 30, 0), group("a", 500, 60, 20)], 460),
    "max everywhere": ("0::/a/b\n", [group("a/b", "max", 30, 0), group("a", "max", 60, 20)], _cgroups.NO_LIMIT),
    "used up": ("0::/a\n", [group("a", 1000, 1000, 0)], 0),
    "limit lowered below what is used": ("0::/a\n", [group("a", 1000, 1500, 100)], 0),
    "more cache than is used": ("0::/a\n", [group("a", 1000, 300, 400)], 1000),
    "usage is missing": ("0::/a\n", [group("a", 1000)], 1000),
    "stat is missing": ("0::/a\n", [group("a", 1000, 300)], 700),
    "stat without cache": ("0::/a\n", [group("a", 1000, 300), {"sys/fs/cgroup/a/memory.stat": "anon 7\n\nx\n"}], 700),
    "all is missing": ("0::/a\n", [], _cgroups.NO_LIMIT),
    "garbage for a limit": ("0::/a\n", [group("a", "-1e3 kB", 300), group(".", 2000, 1)], 1999),
    "garbage beside a limit": ("0::/a\n", [group("a", 1000, "many", "a lot")], 1000),
    "bytes for a limit": ("0::/a\n", [{"sys/fs/cgroup/a/memory.max": b"\xff\x00\xc3"}], _cgroups.NO_LIMIT),
    "empty files": ("0::/a\n", [group("a", "", "", "")], _cgroups.NO_LIMIT),
    "garbage for the group": (b"\xff\xfe\n::\n0\n\n4:memory\n0::/a\n", [group("a", 1000, 300)], 700),
    "empty list of groups": ("", [group(".", 1000, 300)], _cgroups.NO_LIMIT),
    "no list of groups": (None, [group(".", 1000, 300)], _cgroups.NO_LIMIT),
    "a path as the host sees it": ("0::/docker/77\n", [group(".", 1000, 300)], 700),
    "outside of the namespace": ("0::/../../a\n", [group(".", 1000, 300), {"sys/a/memory.max": "5"}], 700),
    "version 1": (
        "9:name=systemd:/x\n4:cpu,memory:/a/b\n3:cpuset:/c\n0::/\n",
        [group("memory/a/b", 1000, 300, 100, V1), group("memory", 2**63 - 4096, 10**6, 0, V1), group("memory/c", 5, 5, 5, V1)],
        800,
    ),
    "version 1, a path as the host sees it": ("4:memory:/docker/77\n", [group("memory", 1000, 300, 50, V1)], 750),
    "version 1 without limits": ("4:memory:/a\n", [group("memory/a", 2**63 - 4096, 300, 0, V1)], _cgroups.NO_LIMIT),
    "both versions": ("4:memory:/a\n0::/b\n", [group("memory/a", 1000, 1, 0, V1), group("b", 900, 1)], 899),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_what_is_left(container, name):
    listed, groups, expected = CONTAINERS[name]
    for files in ({"proc/self/cgroup": listed} if listed is not None else {}, *groups):
        container(files)
    assert _cgroups.free_bytes() == expected


QUOTAS = {  # name: (/proc/self/cgroup, files, cores)
    "two cores": ("0::/a\n", {"a/cpu.max": "200000 100000"}, 2),
    "a part of a core": ("0::/a\n", {"a/cpu.max": "25000 100000"}, 1),
    "two and a half": ("0::/a\n", {"a/cpu.max": "250000 100000"}, 3),
    "the group around it has less": ("0::/a/b\n", {"a/b/cpu.max": "800000 100000", "a/cpu.max": "400000 100000"}, 4),
    "no quota": ("0::/a\n", {"a/cpu.max": "max 100000"}, _cgroups.NO_LIMIT),
    "garbage": ("0::/a\n", {"a/cpu.max": "some more words"}, _cgroups.NO_LIMIT),
    "a period of nothing": ("0::/a\n", {"a/cpu.max": "100 0"}, _cgroups.NO_LIMIT),
    "nothing": (None, {}, _cgroups.NO_LIMIT),
    "version 1": ("4:cpu,cpuacct:/a\n", {"cpu/a/cpu.cfs_quota_us": "300000", "cpu/a/cpu.cfs_period_us": "100000"}, 3),
    "version 1 without": (
        "4:cpu:/a\n",
        {"cpu/a/cpu.cfs_quota_us": "-1", "cpu/a/cpu.cfs_period_us": "100000"},
        _cgroups.NO_LIMIT,
    ),
}


@pytest.mark.parametrize("name", QUOTAS)
def test_cores(container, name):
    listed, files, expected = QUOTAS[name]
    container({"proc/self/cgroup": listed} if listed is not None else {})
    container({f"sys/fs/cgroup/{path}": f"{text}\n" for path, text in files.items()})
    assert _cgroups.cores() == expected


@pytest.mark.usefixtures("cpu_only")
@pytest.mark.parametrize("limit, expected", [(10**6, 700_000), ("max", 5_000_000), (10**9, 5_000_000)])
def test_available_is_the_less_of_the_machine_and_the_container(container, monkeypatch, limit, expected):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: types.SimpleNamespace(available=5_000_000, total=10**9))
    container({"proc/self/cgroup": "0::/a\n", **group("a", limit, 400_000, 100_000)})
    assert memory.available_memory(np.zeros(1)) == expected


@pytest.mark.usefixtures("cpu_only")
def test_available_here():
    """Of this machine, in whatever container."""
    assert 0 <= memory.available_memory(np.zeros(1)) <= psutil.virtual_memory().total
