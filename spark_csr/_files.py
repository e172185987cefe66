"""Files that are whole when they are there: written under another name beside, then renamed.

Design: whoever is stopped on the way leaves what was there before, and at most a file of another name, which `UNFINISHED`
matches. Nothing is flushed to the disk by force: this does not protect from a loss of power.
"""

import contextlib
import os
import re
import stat
import sys
import uuid

UNFINISHED = re.compile(r"\..*\.[0-9a-f]{32}\.tmp", re.DOTALL)
"""Names of files whose writing was stopped."""


def name_unfinished(name):
    """Return a name that nobody else uses, under which `name` can be written until it is whole."""
    return f".{name[:40]}.{uuid.uuid4().hex}.tmp"


ACCESS_LIST = "system.posix_acl_access"


@contextlib.contextmanager
def open_new(path, mode=0o666, like=None):
    """Open a file for bytes that is not there yet.

    `mode` is for its permissions, before the mask of the process. If there is a file `like`, it has those of that file instead,
    its access control list among them, and at no time more; but none for the group if the group of that file cannot be given
    to it.
    """
    found = None
    if like is not None:
        with contextlib.suppress(OSError):
            found, mode = os.stat(like), 0o600
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        if found is not None:
            with contextlib.suppress(OSError):
                os.chmod(path, _permissions(found, path) if _copy_access_list(like, path) else found.st_mode & 0o700)
        yield file


def _permissions(found, path):
    """Return the permissions of a file for one that takes its place, after giving it the group of that file.

    If the new file has another group or owner, those of the old one count as others, and others get no right that these lack.
    """
    mode, now = stat.S_IMODE(found.st_mode), os.stat(path)
    owner, group = mode >> 6 & 7, mode >> 3 & 7
    if hasattr(os, "chown") and now.st_gid != found.st_gid:
        try:
            os.chown(path, -1, found.st_gid)
        except OSError:
            mode &= ~0o077 | group
    return mode & (~0o077 | owner << 3 | owner) if now.st_uid != found.st_uid else mode


def _copy_access_list(like, path):
    """Give a file the access control list of another, or none, as its folder may have given it one; return whether it has."""
    if not hasattr(os, "getxattr"):
        return True
    wanted = _access_list_of(like)
    if wanted is not None:
        with contextlib.suppress(OSError):
            os.setxattr(path, ACCESS_LIST, wanted)
    elif _access_list_of(path) is not None:
        with contextlib.suppress(OSError):
            os.removexattr(path, ACCESS_LIST)
    return _access_list_of(path) == wanted


def _access_list_of(path):
    """Return the access control list of a file as Linux keeps it, None if it has none."""
    with contextlib.suppress(OSError):
        return os.getxattr(path, ACCESS_LIST)


@contextlib.contextmanager
def replace_file(path, mode=None):
    """Open a file for bytes, which takes the name `path` at the end of the block; after an exception nothing has changed.

    `mode` is for the permissions of the file, before the mask of the process. By default it has those of the file that it
    replaces. If the handler of a signal raises within the block, as Ctrl-C does, that is what is raised here, although
    `zipfile` makes a ValueError of it.
    """
    handled = sys.exception()
    folder, name = os.path.split(path)
    unfinished = os.path.join(folder, name_unfinished(name))
    try:
        with open_new(unfinished, like=path) if mode is None else open_new(unfinished, mode) as file:
            yield file
        os.replace(unfinished, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        cause: BaseException | None = error
        while isinstance(cause, Exception) and cause is not handled:
            cause = cause.__context__
        if cause in (None, error, handled):
            raise
        raise cause from None


def open_plain(path, *mode, **options):
    """Open a file to read it; raise ValueError for a pipe or a device, whose reading may not end."""
    kind = os.stat(path).st_mode
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):  # of a folder, `open` says that it is one
        raise ValueError(f"{os.path.basename(path)} is a pipe or a device and should be a file")
    return open(path, *mode, **options)


def open_to_write(target, suffix=""):
    """Return a context in which a user's file is written: a file object, or a path, to which `suffix` is appended if need be.

    A file that is there is replaced when the new one is whole. A pipe or a device is written to as it is.
    """
    if not isinstance(target, (str, bytes, os.PathLike)):
        return contextlib.nullcontext(target)
    path = os.fsdecode(target)
    path = os.path.realpath(path if path.endswith(suffix) else path + suffix)
    return replace_file(path) if os.path.isfile(path) or not os.path.exists(path) else open(path, "wb")
