"""Compiled kernels in files: found whole, or not at all.

Design: a file is named after all that its content depends on, so there is no index, and two processes that write the same
file write the same. So files may be copied from one machine to another, and outlive an upgrade that does not change them. A
file begins with a checksum: a damaged file counts as absent, is compiled anew and written again. Files go into the first folder
that takes them: `SPARK_CSR_CACHE_DIR` or the user's cache folder, then a temporary folder of the user's own. Where none does,
kernels are compiled in every process, and one warning says so. Kernels that came with the package are read from its own folder.

Kernels are code. So a folder or a file that others own or can write to is not used, unless `SPARK_CSR_CACHE_SHARED=1` says that
whoever can write to the chosen folder is trusted. Files in these folders that are no kernels are neither counted nor removed,
nor are kernels removed that another user has put into a folder which is shared.

A kernel for a GPU depends on the versions of the compilers only as far as they differ in speed or in mistakes. So a file
`compilers.json` beside the folder `kernels` tells which compilers made those that were carried from elsewhere, and they are
used with other versions of the compilers, too.
"""

import contextlib
import errno
import functools
import hashlib
import os
import pathlib
import platform
import re
import stat
import sysconfig
import tempfile
import uuid
import warnings

import numpy as np

from spark_csr._engine.numba import versions
from spark_csr._files import UNFINISHED, replace_file

VARIABLE = "SPARK_CSR_CACHE_DIR"

SHARED = "SPARK_CSR_CACHE_SHARED"
"""The variable that allows a chosen folder which others own or can write to, if it is 1."""

VERSIONS = (
    *versions.VERSIONS,
    np.__version__.split(".")[:2],
    sysconfig.get_config_var("EXT_SUFFIX"),  # of Python, with its version, the system and whether it has no lock
    platform.machine(),
)
"""What compiles kernels, and for which system."""

SHIPPED = pathlib.Path(__file__).parent.parent / "_shipped" / "kernels"
"""The folder of kernels that came with the package."""

COMPILERS = "compilers.json"
"""The name of the file that tells which compilers made the kernels for GPUs in the folder beside it."""

_FAMILY = b"spark_csr kernel "
_MAGIC = _FAMILY + b"2\n"
_HEADER = len(_MAGIC) + hashlib.sha256().digest_size

used = set()
"""Names of the files that this process read or wrote."""

_warned = False


@functools.cache
def folders():
    """Return the folders that kernels go into, the preferred one first; they need not exist. Empty if there is none."""
    return tuple(folder / "kernels" for folder in (_preferred_folder(), _temporary_folder()) if folder is not None)


def _preferred_folder():
    """Return the folder that the user chose, or the one for caches; None without a home, or without platformdirs."""
    chosen = os.environ.get(VARIABLE)
    with contextlib.suppress(OSError, RuntimeError, ImportError):  # no current folder, no home, no platformdirs
        if chosen:
            return pathlib.Path(chosen).expanduser().absolute()
        import platformdirs  # only here: those who load kernels of a known folder need not wait for it

        folder = platformdirs.user_cache_path("spark_csr", appauthor=False)
        return folder if folder.is_absolute() else None
    return None


@functools.cache
def _temporary_folder():
    """Return a folder of this user's own among temporary files; None if there are none."""
    try:
        return pathlib.Path(tempfile.gettempdir(), f"spark_csr-{os.getuid()}" if hasattr(os, "getuid") else "spark_csr")
    except OSError:
        return None


def distrust(folder):
    """Return why others can have put kernels into a folder, or None, also if it is not there."""
    if _asks_nobody(folder):
        return None
    try:
        own = [pathlib.Path(os.path.realpath(path)) for path in (folder.parent, folder)]  # a circle of links is no error
        no_links = (folder.parent, folder) if folder.parent == _temporary_folder() else ()
        for path, found in _walk_to(folder):
            is_link = stat.S_ISLNK(found.st_mode)
            if not (is_link or stat.S_ISDIR(found.st_mode)) or (is_link and path in no_links):
                why = f"{path} is no folder"
            elif is_link:
                why = _distrust(path, found)
            elif path in own:
                why = _distrust(path, found, is_parent=path != own[1])
            else:
                why = _distrust_above(path, found)
            if why:
                return why
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{folder}: {error.strerror}"
    return None


def _walk_to(folder):
    """Yield every folder and every link that a path leads through, itself last, and what `lstat` finds of each."""
    folder = folder.absolute()
    at, names = pathlib.Path(folder.anchor), list(folder.parts[:0:-1])
    for _ in range(1000):
        if not names:
            return
        name = names.pop()
        if name == "..":
            at = at.parent
            continue
        path = at / name
        found = path.lstat()
        yield path, found
        if stat.S_ISLNK(found.st_mode):
            target = pathlib.Path(os.readlink(path))
            at = pathlib.Path(target.anchor) if target.anchor else at
            names += [part for part in reversed(target.parts) if part != target.anchor]
        else:
            at = path
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _distrust_above(path, found):
    """Return why others can have put another folder in the place of one below this one, or None."""
    if found.st_uid not in (os.getuid(), 0):
        return f"{path} belongs to another user"
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        return f"{path} can be written to by everybody"
    return None


def _asks_nobody(folder):
    """Return whether everybody is trusted who can write to a folder: the user said so, or files have no owners here."""
    return not hasattr(os, "getuid") or (os.environ.get(SHARED) == "1" and folder.parent != _temporary_folder())


def _distrust(path, found, is_parent=False):
    """Return why others can have written what `lstat`, `stat` or `fstat` found, or None."""
    if found.st_uid not in (os.getuid(), 0):
        return f"{path} belongs to another user"
    guarded = stat.S_ISLNK(found.st_mode) or (is_parent and found.st_mode & stat.S_ISVTX)  # only owners rename what is there
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not guarded:
        return f"{path} can be written to by others"
    return None


def _trusted_folders():
    return [folder for folder in folders() if distrust(folder) is None]


def file_name(function, parts, suffix, compilers=None):
    """Return the name of the file for what is made of a function, which `parts` and the compilers decide: `VERSIONS`, or those
    given.
    """
    digest = hashlib.sha256(repr((parts, compilers or VERSIONS)).encode()).hexdigest()[:32]
    return f"{re.sub(r'[^A-Za-z0-9]+', '_', function.__name__)[:40].strip('_')}-{digest}.{suffix}"


def read(name):
    """Return the content of a file, or None if it is absent, unreadable, damaged or of somebody else."""
    for folder in (*_trusted_folders(), SHIPPED):
        with contextlib.suppress(OSError), open(folder / name, "rb") as file:
            trusted = folder is SHIPPED or _asks_nobody(folder) or not _distrust(file.name, os.fstat(file.fileno()))
            if not trusted:
                continue
            content = file.read()
            if content[:_HEADER] == _header(name, content[_HEADER:]):
                used.add(name)
                return content[_HEADER:]
    return None


def foreign_compilers():
    """Return the texts that tell which compilers made the kernels for GPUs that were carried from elsewhere."""
    found = []
    for folder in (*_trusted_folders(), SHIPPED):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            found.append((folder.parent / COMPILERS).read_text())
    return found


def carry(chosen, name, content, compilers):
    """Put a kernel for a GPU into a folder that `SPARK_CSR_CACHE_DIR` may name on other machines."""
    folder = pathlib.Path(chosen)
    (folder / "kernels").mkdir(parents=True, exist_ok=True)
    _write(folder / "kernels", name, _header(name, content) + content)
    _write(folder, COMPILERS, compilers.encode())


def write(name, content):
    """Keep a content under a name, if any folder takes it. Warn once if none does, or if others can write to the first."""
    refused = []
    used.add(name)
    for folder in folders():
        try:
            _make(folder)
            _write(folder, name, _header(name, content) + content)
        except OSError as error:
            refused.append(f"{folder}: {error.strerror or error}")
            continue
        if refused and distrust(folders()[0]):
            _warn(f"compiled kernels are kept in {folder}, and others are not read ({refused[0]})")
        return
    why = "; ".join(refused) or "there is neither a home nor a temporary folder"
    _warn(
        f"compiled kernels are not kept, so every process compiles them again ({why}): set {VARIABLE} to a folder that can be "
        f"written to"
    )


def copy_to(chosen, names):
    """Copy files of these names into a folder that `SPARK_CSR_CACHE_DIR` may name. Raises OSError if it takes no files."""
    folder = pathlib.Path(chosen) / "kernels"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        content = read(name)
        if content is not None:
            _write(folder, name, _header(name, content) + content)


def writable():
    """Return the folder that a new file goes into; None if no folder takes it."""
    for folder in folders():
        try:
            _make(folder)
            probe = f"probe-{uuid.uuid4().hex}"
            _write(folder, probe, _header(probe, b""))
            (folder / probe).unlink()
            return folder
        except OSError:
            continue
    return None


def _header(name, content):
    """Return what a file begins with. The checksum covers its name: a file under another name is another kernel."""
    return _MAGIC + hashlib.sha256(name.encode() + b"\0" + content).digest()


def _make(folder):
    """Make a folder that nobody else may write to. Raises PermissionError if others own it or can write to it."""
    folder.parent.mkdir(mode=0o700 if folder.parent == _temporary_folder() else 0o755, parents=True, exist_ok=True)
    folder.mkdir(mode=0o755, exist_ok=True)
    if why := distrust(folder):
        raise PermissionError(f"{why}: take the right to write from others by chmod go-w, or trust them by {SHARED}=1")


def _write(folder, name, content):
    """Write whole or not at all: another process may read at any time."""
    with replace_file(folder / name, 0o644) as file:
        file.write(content)


def _warn(message):
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def files():
    """Return the files of kernels, in all folders that they go into."""
    return [file for folder in _trusted_folders() for file in _files_in(folder)]


def shipped_files():
    """Return the files of kernels that came with the package."""
    return _files_in(SHIPPED)


def _files_in(folder):
    with contextlib.suppress(OSError):
        return [file for file in sorted(folder.iterdir()) if _is_ours(file)]
    return []


def _is_ours(file):
    """Return whether a path is a file that this package wrote."""
    with contextlib.suppress(OSError):
        if file.is_file() and not file.is_symlink():
            with open(file, "rb") as content:
                return content.read(len(_FAMILY)) == _FAMILY
    return False


def clear():
    """Remove the files of kernels, and folders that are empty then; return how many files there were.

    Other files stay, and so do kernels of other users in a folder that is shared with them.
    """
    count = 0
    for folder in _trusted_folders():
        with contextlib.suppress(OSError):
            for file in sorted(folder.iterdir()):
                if hasattr(os, "getuid") and _asks_nobody(folder) and file.lstat().st_uid != os.getuid():
                    continue
                ours = _is_ours(file)
                if ours or UNFINISHED.fullmatch(file.name):
                    with contextlib.suppress(OSError):  # another process removed it
                        file.unlink()
                        count += ours
            folder.rmdir()
    return count
