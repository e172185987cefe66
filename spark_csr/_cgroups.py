"""What a container leaves to a process: memory and cores, by Linux's control groups, each of which is inside of another.

Design: files of the cache that were not used of late count as free, as they do for `docker stats` and Kubernetes: the kernel
takes them back before it refuses memory. Both versions of control groups are read; what cannot be read sets no limit.
"""

import contextlib
import os

ROOT = "/"
"""Where `proc` and `sys` are: tests have them elsewhere."""

NO_LIMIT = 2**62
"""What has no limit has more than that: version 1 names a number near 2**63."""

MEMORY_1 = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
MEMORY_2 = "memory.max", "memory.current", "inactive_file"
"""The files with the limit and with what is used, and the line of `memory.stat` with the cache that can be taken back."""


def free_bytes():
    """Return how many bytes the group of this process, and each group around it, may still take: the least of them."""
    groups = ((folder, MEMORY_1 if version == 1 else MEMORY_2) for folder, version in _folders("memory"))
    return min((_free_bytes(folder, *names) for folder, names in groups), default=NO_LIMIT)


def cores():
    """Return how many cores the group of this process, and each group around it, may use: the least of them, rounded up."""
    return min((_cores(folder, version) for folder, version in _folders("cpu")), default=NO_LIMIT)


def _folders(controller):
    """Yield the folder of the process's group and of each around it, and the version of control groups that it belongs to.

    In a container the path is often that on the host, of which the container sees the last folder only, as the outermost: the
    folders that are not there have no files to be read.
    """
    for line in _text(os.path.join(ROOT, "proc/self/cgroup")).splitlines():
        _, _, entry = line.partition(":")
        controllers, _, path = entry.partition(":")
        if not controllers:
            top, version = "sys/fs/cgroup", 2
        elif controller in controllers.split(","):
            top, version = f"sys/fs/cgroup/{controller}", 1
        else:
            continue
        parts = [part for part in path.split("/") if part]
        if ".." in parts:  # outside of what the container sees
            parts = []
        for depth in range(len(parts), -1, -1):
            yield os.path.join(ROOT, top, *parts[:depth]), version


def _cores(folder, version):
    """Return how many cores one group may use: its share of time in each period."""
    if version == 1:
        words = [_text(os.path.join(folder, f"cpu.cfs_{name}_us")) for name in ("quota", "period")]
    else:
        words = _text(os.path.join(folder, "cpu.max")).split()
    quota, period = map(_number, words) if len(words) == 2 else (None, None)
    return max(-(-quota // period), 1) if quota and period else NO_LIMIT


def _free_bytes(folder, limit_file, used_file, cache_line):
    """Return how many bytes one group may still take."""
    limit = _number(_text(os.path.join(folder, limit_file)))
    if limit is None or limit >= NO_LIMIT:
        return NO_LIMIT
    used = _number(_text(os.path.join(folder, used_file))) or 0
    lines = (line.split() for line in _text(os.path.join(folder, "memory.stat")).splitlines())
    cache = next((_number(words[1]) for words in lines if len(words) == 2 and words[0] == cache_line), None) or 0
    return max(limit - max(used - cache, 0), 0)


def _text(path):
    """Return the text of a file; an empty text if there is no such file, or it may not be read."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
    return ""


def _number(text):
    """Return a number of bytes; None for `max`, which is no limit, and for what is no number."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() else None
