"""Which machine a table was measured on, and the file that a table is written to."""

import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys

import numba

import peers
from spark_csr import config
from spark_csr._cli import gpu


def record(device="cpu"):
    """What a table needs beside its rows to be read later."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "gpu": None if device == "cpu" else gpu.device_name(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": peers.versions(),
        "threads": {
            "ours": config.threads or numba.config.NUMBA_NUM_THREADS,
            "numba": _layer(),
            "openblas_timeout": _openblas_timeout(),
        },
        "date": f"{datetime.datetime.now():%Y-%m-%d %H:%M}",
        "commit": _commit(),
        "command": [pathlib.Path(word).name or word for word in sys.argv],  # paths are of no use elsewhere
    }


def write(path, device, figures):
    """Write a table whole, with the machine: a reader finds the old file or the new one."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(by_rows({"machine": record(device), **figures}))
    unfinished.replace(path)


def by_rows(table):
    """Return the JSON of a table in which each of its `rows`, a list or a dict, is a line."""
    rows, rest = table["rows"], json.dumps({name: value for name, value in table.items() if name != "rows"})
    if isinstance(rows, dict):
        lines, (left, right) = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()], "{}"
    else:
        lines, (left, right) = [json.dumps(row) for row in rows], "[]"
    return f'{rest[:-1]},\n"rows": {left}\n' + ",\n".join(lines) + f"\n{right}}}\n"


def _openblas_timeout():
    """After how many ticks, as a power of two, OpenBLAS's threads sleep: `python -m spark_csr run` sets 20."""
    return os.environ.get("OPENBLAS_THREAD_TIMEOUT", "default")


def _processor():
    """Its name, family and model, where the system tells them."""
    found = {"name": platform.processor() or platform.machine()}
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().partition("\n\n")[0].splitlines()
    except OSError:
        return found
    told = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    names = {"model name": "name", "cpu family": "family", "model": "model"}
    return found | {name: told[key] for key, name in names.items() if key in told}


def _layer():
    """Numba's threading layer, which is known once a function has used it."""
    try:
        return numba.threading_layer()
    except ValueError:
        return numba.config.THREADING_LAYER


def _commit():
    """The commit of the source tree, and whether files differ from it; None outside of a checkout."""
    try:
        command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(
            command, cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
