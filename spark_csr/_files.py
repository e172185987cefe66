"""Files that are whole when they are there: written under another name beside, then renamed.

Design: whoever is stopped on the way leaves what was there before, and at most a file of another name, which `UNFINISHED`
matches. Nothing is flushed to the disk by force: this does not protect from a loss of power.
"""

import contextlib
import os
import re
import shutil
import uuid

UNFINISHED = re.compile(r"\..*\.[0-9a-f]{32}\.tmp", re.DOTALL)
"""Names of files whose writing was stopped."""


def name_unfinished(name):
    """Return a name that nobody else uses, under which `name` can be written until it is whole."""
    return f".{name[:40]}.{uuid.uuid4().hex}.tmp"


@contextlib.contextmanager
def replace_file(path, mode=None):
    """Open a file for bytes, which takes the name `path` at the end of the block; after an exception nothing has changed.

    `mode` is for the permissions of the file, before the mask of the process. By default it has those of the file that it
    replaces.
    """
    folder, name = os.path.split(path)
    unfinished = os.path.join(folder, name_unfinished(name))
    try:
        with open(unfinished, "xb", opener=lambda name, flags: os.open(name, flags, 0o666 if mode is None else mode)) as file:
            if mode is None:
                with contextlib.suppress(OSError):  # it replaces nothing
                    shutil.copymode(path, unfinished)
            yield file
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def open_to_write(target, suffix=""):
    """Return a context in which a user's file is written: a file object, or a path, to which `suffix` is appended if need be.

    A file that is there is replaced when the new one is whole. A pipe or a device is written to as it is.
    """
    if not isinstance(target, (str, os.PathLike)):
        return contextlib.nullcontext(target)
    path = os.fspath(target)
    path = os.path.realpath(path if path.endswith(suffix) else path + suffix)
    return replace_file(path) if os.path.isfile(path) or not os.path.exists(path) else open(path, "wb")
