"""Files that are whole when they are there."""

import io
import os
import stat
import struct
import threading

import numpy as np
import pytest

from spark_csr import Ragged, _files, csr_array, save_npz
from spark_csr._files import UNFINISHED, name_unfinished, open_to_write, replace_file
from spark_csr.io import save_ragged


def names(folder):
    return sorted(os.listdir(folder))


def test_the_old_content_is_there_until_the_new_is_whole(tmp_path):
    path = tmp_path / "x"
    path.write_text("old")
    with replace_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
        (other,) = set(names(tmp_path)) - {"x"}
        assert UNFINISHED.fullmatch(other)
    assert path.read_text() == "new"
    with pytest.raises(TypeError), replace_file(path) as file:
        file.write("no bytes")
    assert path.read_text() == "new"
    assert names(tmp_path) == ["x"]


def test_what_cannot_be_renamed_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(_files.os, "replace", fail)
    with pytest.raises(OSError, match="Input/output"), replace_file(tmp_path / "x") as file:
        file.write(b"new")
    assert names(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="there are no modes of files")
def test_permissions_stay_those_of_the_file(tmp_path):
    path = tmp_path / "x"
    path.touch(0o600)
    for mode, wanted in ((None, 0o600), (0o644, 0o644)):
        with replace_file(path, mode):
            pass
        assert stat.S_IMODE(path.stat().st_mode) == wanted


@pytest.mark.skipif(os.name == "nt", reason="there are no modes of files")
def test_nobody_else_can_open_a_file_while_it_is_written(tmp_path, monkeypatch):
    """Whoever has opened it before its permissions are those of the old file can read what is written later."""
    path, modes, real = tmp_path / "x", [], os.open
    path.touch()

    def watched(*args):
        number = real(*args)
        modes.append(stat.S_IMODE(os.fstat(number).st_mode))
        return number

    monkeypatch.setattr(_files.os, "open", watched)
    for mode in (0o600, 0o400, 0o666):
        path.chmod(mode)
        with replace_file(path):
            assert stat.S_IMODE(next(tmp_path.glob(".x.*")).stat().st_mode) == mode
        assert modes.pop() & ~0o600 == 0
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "chown"), reason="files have no groups")
@pytest.mark.parametrize("refused", [False, True])
def test_the_group_of_a_file_is_kept_or_may_not_read_it(tmp_path, monkeypatch, refused):
    path, mine, stat_of, given = tmp_path / "x", os.getgid(), os.stat, []
    path.touch()
    path.chmod(0o640)

    def of_another_group(name, **options):
        found = stat_of(name, **options)
        return os.stat_result((*found[:5], mine + (name == path), *found[6:]))

    def chown(name, user, group):
        given.append((user, group))
        if refused:
            raise PermissionError

    monkeypatch.setattr(_files.os, "stat", of_another_group)
    monkeypatch.setattr(_files.os, "chown", chown)
    with replace_file(path):
        pass
    assert given == [(-1, mine + 1)]
    assert stat.S_IMODE(stat_of(path).st_mode) == (0o600 if refused else 0o640)


@pytest.mark.skipif(not hasattr(os, "chown"), reason="files have no groups")
@pytest.mark.parametrize(
    "before, owner, group, after",
    [
        (0o640, 0, 1, 0o600),
        (0o604, 0, 1, 0o600),
        (0o664, 0, 1, 0o604),
        (0o044, 1, 0, 0o000),
        (0o664, 1, 0, 0o664),
        (0o464, 1, 0, 0o444),
    ],
)
def test_who_was_owner_or_in_the_group_may_do_no_more_as_another(tmp_path, monkeypatch, before, owner, group, after):
    """`owner` and `group`: whether the file that is replaced has others, which cannot be kept."""
    path, stat_of = tmp_path / "x", os.stat
    path.touch()
    path.chmod(before)

    def of_another(name, **options):
        found = stat_of(name, **options)
        old = name == path
        return os.stat_result((*found[:4], found[4] + owner * old, found[5] + group * old, *found[6:]))

    def refuse(*args):
        raise PermissionError

    monkeypatch.setattr(_files.os, "stat", of_another)
    monkeypatch.setattr(_files.os, "chown", refuse)
    with replace_file(path):
        pass
    assert stat.S_IMODE(stat_of(path).st_mode) == after


def access_list(*entries):
    """Return a list in the form of Linux: tags 1 owner, 2 a user, 4 group, 16 mask, 32 others."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system has no attributes of files")
@pytest.mark.parametrize("refused", [False, True])
def test_the_access_control_list_of_a_file_is_kept(tmp_path, monkeypatch, refused):
    nobody, path = 2**32 - 1, tmp_path / "x"
    path.touch(0o644)
    wanted = access_list((1, 6, nobody), (2, 0, 5001), (4, 4, nobody), (16, 4, nobody), (32, 4, nobody))
    try:
        os.setxattr(path, _files.ACCESS_LIST, wanted)
    except OSError:
        pytest.skip("this file system has no access control lists")
    if refused:
        monkeypatch.setattr(_files.os, "setxattr", lambda *args: (_ for _ in ()).throw(PermissionError()))
    with replace_file(path):
        pass
    if refused:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    else:
        assert os.getxattr(path, _files.ACCESS_LIST) == wanted


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system has no attributes of files")
def test_a_folder_gives_a_file_no_access_control_list(tmp_path):
    nobody, path = 2**32 - 1, tmp_path / "x"
    path.touch()
    path.chmod(0o640)
    default = access_list((1, 7, nobody), (2, 7, 5001), (4, 5, nobody), (16, 7, nobody), (32, 0, nobody))
    try:
        os.setxattr(tmp_path, "system.posix_acl_default", default)
    except OSError:
        pytest.skip("this file system has no access control lists")
    with replace_file(path):
        pass
    assert _files.ACCESS_LIST not in os.listxattr(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["x", "x" * 250, "ä" * 120, "x\ny"])
def test_every_name_that_a_file_may_have(tmp_path, name):
    assert UNFINISHED.fullmatch(name_unfinished(name))
    with replace_file(tmp_path / name) as file:
        file.write(b"new")
    assert names(tmp_path) == [name]


def test_what_a_user_names_is_written(tmp_path):
    (tmp_path / "link.npz").symlink_to("other.npz")
    (tmp_path / "other.npz").write_text("old")
    for target, path in (("link", "other.npz"), ("new", "new.npz"), ("x.npz", "x.npz")):
        with open_to_write(os.fsencode(tmp_path / target) if target == "new" else tmp_path / target, ".npz") as file:
            file.write(b"new")
        assert (tmp_path / path).read_text() == "new"
    assert (tmp_path / "link.npz").is_symlink()
    assert names(tmp_path) == ["link.npz", "new.npz", "other.npz", "x.npz"]
    given = io.BytesIO()
    with open_to_write(given) as file:
        assert file is given


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_written_to_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with open_to_write(tmp_path / "pipe") as file:
        file.write(b"new")
    reader.join(10)
    assert found == [b"new"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_ctrl_c_stays_ctrl_c(tmp_path, monkeypatch):
    """`zipfile` cannot close a file whose writing was interrupted, and raises ValueError."""

    def interrupt(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", interrupt)
    for save, x in ((save_npz, csr_array(np.eye(3))), (save_ragged, Ragged.from_lists([[1]]))):
        with pytest.raises(KeyboardInterrupt):
            save(tmp_path / "x.npz", x)
    assert not list(tmp_path.iterdir())


def test_errors_after_ctrl_c_are_what_they_are(tmp_path):
    with pytest.raises(ValueError, match="disk"):  # noqa: PT012
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            with replace_file(tmp_path / "x"):
                raise ValueError("disk") from None
