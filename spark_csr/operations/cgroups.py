"""How much memory is left in a container: Linux's control groups, of which a process has one, each inside of another.

Design: files of the cache that were not used of late count as free, as they do for `docker stats` and Kubernetes: the kernel
takes them back before it refuses memory. Both versions of control groups are read; what cannot be read sets no limit.
"""

import contextlib
import os

ROOT = "/"
"""Where `proc` and `sys` are: tests have them elsewhere."""

NO_LIMIT = 2**62
"""What has no limit has more than that: version 1 names a number near 2**63."""

VERSION_1 = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
VERSION_2 = "memory.max", "memory.current", "inactive_file"
"""The files with the limit and with what is used, and the line of `memory.stat` with the cache that can be taken back."""


def left():
    """Bytes that the group of this process, and each group around it, may still take: the least of them."""
    return min((_left(folder, *names) for folder, names in _folders()), default=NO_LIMIT)


def _folders():
    """The folder of the process's group and of each around it, with the names of the files in there.

    In a container the path is often that on the host, of which the container sees the last folder only, as the outermost: the
    folders that are not there have no files to be read.
    """
    for line in _text(os.path.join(ROOT, "proc/self/cgroup")).splitlines():
        _, _, entry = line.partition(":")
        controllers, _, path = entry.partition(":")
        if not controllers:
            top, names = "sys/fs/cgroup", VERSION_2
        elif "memory" in controllers.split(","):
            top, names = "sys/fs/cgroup/memory", VERSION_1
        else:
            continue
        parts = [part for part in path.split("/") if part]
        if ".." in parts:  # outside of what the container sees
            parts = []
        for depth in range(len(parts), -1, -1):
            yield os.path.join(ROOT, top, *parts[:depth]), names


def _left(folder, limit_file, used_file, cache_line):
    """What one group may still take."""
    limit = _number(_text(os.path.join(folder, limit_file)))
    if limit is None or limit >= NO_LIMIT:
        return NO_LIMIT
    used = _number(_text(os.path.join(folder, used_file))) or 0
    lines = (line.split() for line in _text(os.path.join(folder, "memory.stat")).splitlines())
    cache = next((_number(words[1]) for words in lines if len(words) == 2 and words[0] == cache_line), None) or 0
    return max(limit - max(used - cache, 0), 0)


def _text(path):
    """What a file says; nothing where there is no such file, or it may not be read."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
    return ""


def _number(text):
    """A number of bytes; None for `max`, which is no limit, and for what is none."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() else None
