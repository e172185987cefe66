"""Kernels on disk: found whole or compiled anew, wherever they may be kept."""

import os
import pathlib
import subprocess
import sys
import textwrap
import types
import warnings

import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr._cli import main
from spark_csr._engine import store
from spark_csr._files import name_unfinished

if SIMULATED:
    pytest.skip("kernels are not compiled", allow_module_level=True)

from spark_csr._engine.cache import cached_njit


def _scalar(x):
    return x + x


def _array(x, out):
    for i in range(x.size):
        out[i] = 3 * x[i]


def _of_a_helper(x):
    return helper(x) * 2  # noqa: F821


def own(function, **scope):
    """A copy of a function as one of this package's, compiled and kept. Numba finds its environment by the name of a module."""
    copy = types.FunctionType(function.__code__, {**function.__globals__, **scope}, function.__name__)
    copy.__module__ = copy.__globals__["__name__"] = "spark_csr"
    return cached_njit(copy)


def results():
    """What some kernels return, each by a dispatcher that has compiled nothing yet; and how many of them were found."""
    kernels = [own(_scalar), own(_scalar), own(_array), own(_of_a_helper, helper=own(_scalar))]
    out = np.zeros(3)
    found = [kernels[0](2), kernels[1](2.5), kernels[3](7), None]
    kernels[2](np.arange(3.0), out)
    found[3] = out.tolist()
    return found, sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels)


EXPECTED = [4, 5.0, 28, [0, 3, 6]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own for kernels."""
    monkeypatch.setattr(store, "folders", lambda: (tmp_path / "kernels",))
    return tmp_path / "kernels"


def test_kernels_are_found_again(folder):
    assert results() == (EXPECTED, 0)
    names = sorted(folder.iterdir())
    assert len(names) == 4  # a helper is a kernel too, and was there
    assert results() == (EXPECTED, 4)
    assert sorted(folder.iterdir()) == names


def test_kernels_of_another_compiler_are_not_found(folder, monkeypatch):
    results()
    monkeypatch.setattr("spark_csr._engine.store.VERSIONS", ("another",))
    assert results() == (EXPECTED, 0)


DAMAGES = {
    "empty": lambda file: file.write_bytes(b""),
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "half": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "flipped in front": lambda file: _flip(file, 5),
    "flipped in the checksum": lambda file: _flip(file, 30),
    "flipped": lambda file: _flip(file, file.stat().st_size // 2),
    "flipped at the end": lambda file: _flip(file, -1),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"x"),
    "a link to nothing": lambda file: (file.unlink(), file.symlink_to("nowhere")),
    "another version's": lambda file: file.write_bytes(store._header(file.name, b"no pickle") + b"no pickle"),
    "another kernel's": lambda file: file.write_bytes(min(x for x in file.parent.iterdir() if x != file).read_bytes()),
}


def _flip(file, place):
    content = bytearray(file.read_bytes())
    content[place] ^= 0x10
    file.write_bytes(content)


USUAL = "empty", "half", "flipped in the checksum", "flipped", "another version's", "another kernel's"


@pytest.mark.parametrize("damage", [pytest.param(name, marks=() if name in USUAL else pytest.mark.slow) for name in DAMAGES])
def test_every_damaged_file_is_written_anew(folder, damage):
    results()
    kernels = {file: file.read_bytes() for file in folder.iterdir()}
    for file in kernels:
        DAMAGES[damage](file)
        assert results()[0] == EXPECTED
        assert file.is_file()
        content = file.read_bytes()
        assert content[: store._HEADER] == store._header(file.name, content[store._HEADER :])
        assert results() == (EXPECTED, 4)
    assert {file.name for file in folder.iterdir()} == {file.name for file in kernels}


def test_a_folder_that_takes_nothing_is_read(folder, monkeypatch):
    results()
    (removed, *_) = folder.iterdir()
    removed.unlink()
    monkeypatch.setattr(store, "_write", _full_disk)
    monkeypatch.setattr(store, "_warned", False)
    with pytest.warns(RuntimeWarning, match="No space left on device.*set SPARK_CSR_CACHE_DIR") as caught:
        twice = results()[0], results()[0]
    assert twice == (EXPECTED, EXPECTED)
    assert len(caught) == 1
    assert not removed.exists()


def _full_disk(*_):
    raise OSError(28, "No space left on device")


def test_an_unfinished_file_is_removed(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write("kernel", b"content")
    assert list(folder.iterdir()) == []


def test_two_writers_of_one_file(folder):
    store.write("kernel", b"content")
    store.write("kernel", b"content")
    assert store.read("kernel") == b"content"
    assert store.read("other") is None


NOWHERE = "/proc/nowhere"

PROGRAM = """
import sys, warnings
warnings.simplefilter("always")
import numpy as np
from spark_csr.primitives import inclusive_scan
print(inclusive_scan(np.arange(3.0)).tolist(), inclusive_scan(np.arange(3.0)).tolist())
from spark_csr._engine import store
print(len(store.files()))
from spark_csr._cli import main
sys.exit(main(["cache"]))
"""


def _run(*options, program=PROGRAM, **variables):
    unset = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME", store.VARIABLE)}
    variables = {name: str(value) for name, value in variables.items()}
    path = os.pathsep.join(sys.path)
    run = subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(program)],
        env=unset | {"PYTHONPATH": path} | variables,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    sums, kept, *folders = run.stdout.splitlines()
    assert sums == "[0.0, 1.0, 3.0] [0.0, 1.0, 3.0]"
    return int(kept), folders, run.stderr


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that not even root may write to")


def test_the_users_cache_folder_holds_kernels(tmp_path):
    kept, folders, warned = _run(HOME=tmp_path, TMPDIR=tmp_path)
    assert kept > 0
    assert folders[0].startswith(str(tmp_path))
    assert f"{kept} files of kernels" in folders[0]
    assert not warned
    chosen = tmp_path / "chosen"
    assert _run(HOME=NOWHERE, TMPDIR=tmp_path, SPARK_CSR_CACHE_DIR=chosen)[1][0].startswith(str(chosen))


@pytest.mark.slow
def test_the_same_kernels_serve_without_assertions(tmp_path):
    """Slow, as Python compiles all modules anew."""
    kept = _run(HOME=tmp_path, TMPDIR=tmp_path)[0]
    assert _run("-O", HOME=tmp_path, TMPDIR=tmp_path)[0] == kept


@needs_proc
def test_kernels_go_to_a_temporary_folder_where_there_is_no_home(tmp_path):
    kept, folders, warned = _run(HOME=NOWHERE, TMPDIR=tmp_path)
    assert kept > 0
    assert folders[-1].startswith(str(tmp_path))
    assert not warned


@needs_proc
def test_without_any_folder_it_compiles_and_warns_once():
    nowhere = f"import tempfile\ntempfile.tempdir = {NOWHERE!r}\n"
    kept, folders, warned = _run(HOME=NOWHERE, program=nowhere + PROGRAM)
    assert kept == 0
    assert warned.count("compiled kernels are not kept") == 1
    assert "set SPARK_CSR_CACHE_DIR to a folder" in warned
    assert folders[0] == f"{NOWHERE}/.cache/spark_csr/kernels: 0 files of kernels, 0.0 MB"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files on this system")
def test_a_temporary_folder_that_others_can_write_to_is_not_used(tmp_path, monkeypatch):
    own = tmp_path / "own"
    monkeypatch.setattr(store, "_temporary_folder", lambda: own)
    monkeypatch.setattr(store, "folders", lambda: (own / "version",))
    monkeypatch.setattr(store, "_warned", False)
    assert store.read("kernel") is None
    store.write("kernel", b"content")
    assert own.stat().st_mode & 0o777 == 0o700
    assert store.read("kernel") == b"content"
    assert len(store.files()) == 1
    own.chmod(0o777)
    assert store.read("kernel") is None
    assert store.files() == []
    with pytest.warns(RuntimeWarning, match="can be written to by others"):
        store.write("kernel", b"other")
    own.rename(tmp_path / "elsewhere")
    own.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").chmod(0o700)
    assert store.read("kernel") is None


def test_a_folder_relative_to_no_home_is_not_used(monkeypatch):
    monkeypatch.delenv(store.VARIABLE, raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: pathlib.Path("~/.cache/spark_csr"))
    assert store._preferred_folder() is None


@pytest.mark.parametrize("chosen", ["~nobody_of_this_name/kernels", None])
def test_a_home_that_cannot_be_found_is_no_error(monkeypatch, chosen):
    def nowhere(*_, **__):
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv(store.VARIABLE, raising=False)
    if chosen:
        monkeypatch.setenv(store.VARIABLE, chosen)
    monkeypatch.setattr("platformdirs.user_cache_path", nowhere)
    assert store._preferred_folder() is None
    monkeypatch.setitem(sys.modules, "platformdirs", None)  # is not installed
    assert store._preferred_folder() is None


def test_a_name_that_is_too_long_is_no_folder(monkeypatch):
    monkeypatch.setattr(store, "folders", lambda: (pathlib.Path("/" + "x" * 300),))
    assert store.files() == []
    assert store.clear() == 0


def test_the_command_shows_and_removes_kernels(folder, capsys):
    results()
    size = sum(file.stat().st_size for file in folder.iterdir())
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == f"{folder}: 4 files of kernels, {size / 1e6:.1f} MB, and new ones go here\n"
    assert main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out == "removed 4 files of kernels\n"
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == f"{folder}: 0 files of kernels, 0.0 MB, and new ones go here\n"


def test_the_command_says_that_there_is_no_folder(monkeypatch, capsys):
    monkeypatch.setattr(store, "folders", lambda: ())
    assert main(["cache"]) == 0
    assert "set SPARK_CSR_CACHE_DIR" in capsys.readouterr().out


def test_nothing_is_written_beside_the_source():
    """Whatever is left there after the package is removed can be imported still."""
    import spark_csr

    root = os.path.dirname(spark_csr.__file__)
    left = [name for _, _, names in os.walk(root) for name in names if name.endswith((".nbi", ".nbc", ".kernel"))]
    assert left == []


def test_every_kernel_of_the_package_can_be_kept():
    """A kernel that mentions what cannot be described would be compiled by every process."""
    from numba.core.dispatcher import Dispatcher

    from spark_csr._engine.meaning import settled_description

    kernels = {
        value
        for name, module in list(sys.modules.items())
        if name.startswith("spark_csr")
        for value in list(vars(module).values())
        if isinstance(value, Dispatcher)
    }
    assert len(kernels) > 120
    assert [kernel for kernel in kernels if not settled_description(kernel.py_func).lasting] == []


def test_no_warning_is_an_exception_without_need(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert results()[0] == EXPECTED


def test_kernels_that_came_with_the_package_are_found(folder, tmp_path, monkeypatch, capsys):
    store.write("kernel", b"content")
    shipped = tmp_path / "shipped"
    folder.rename(shipped)
    assert store.read("kernel") is None
    monkeypatch.setattr(store, "SHIPPED", shipped)
    assert store.read("kernel") == b"content"
    assert store.files() == []
    assert main(["cache"]) == 0
    assert f"{shipped}: 1 files of kernels, which came with the package\n" in capsys.readouterr().out
    assert main(["cache", "--clear"]) == 0
    assert store.read("kernel") == b"content"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files on this system")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_temporary_folder_is_not_read_once_others_can_write_to_it(tmp_path, monkeypatch, mode):
    own = tmp_path / "own"
    monkeypatch.setattr(store, "_temporary_folder", lambda: own)
    monkeypatch.setattr(store, "folders", lambda: (own / "kernels",))
    store.write("kernel", b"content")
    assert store.read("kernel") == b"content"
    own.chmod(mode)
    assert store.read("kernel") is None


needs_owners = pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files on this system")


def give_away(path, monkeypatch):
    """Let a path belong to another user: to user 12345, or, if that may not be done, let this be another user."""
    own = os.getuid()
    if own == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr(os, "getuid", lambda: own + 1)


LOOSE = {
    "the folder is another user's": lambda chosen, patch: give_away(chosen / "kernels", patch),
    "its parent is another user's": lambda chosen, patch: give_away(chosen, patch),
    "the file is another user's": lambda chosen, patch: give_away(chosen / "kernels" / "kernel", patch),
    "others can write to the folder": lambda chosen, patch: (chosen / "kernels").chmod(0o757),
    "a group can write to the folder": lambda chosen, patch: (chosen / "kernels").chmod(0o770),
    "others can write to its parent": lambda chosen, patch: chosen.chmod(0o777),
    "others can write to the file": lambda chosen, patch: (chosen / "kernels" / "kernel").chmod(0o666),
}


@needs_owners
@pytest.mark.parametrize("how", LOOSE)
def test_a_chosen_folder_of_others_is_used_only_if_that_is_said(tmp_path, monkeypatch, capsys, how):
    chosen = tmp_path / "chosen"
    monkeypatch.setattr(store, "folders", lambda: (chosen / "kernels",))
    monkeypatch.setattr(store, "_warned", False)
    monkeypatch.delenv(store.SHARED, raising=False)
    store.write("kernel", b"content")
    assert store.read("kernel") == b"content"
    LOOSE[how](chosen, monkeypatch)
    assert store.read("kernel") is None
    if "file" not in how:
        why = f"{chosen}.*(belongs to another user|can be written to by others)"
        with pytest.warns(
            RuntimeWarning, match=f"{why}: take the right to write .* by chmod go-w, or trust .*{store.SHARED}=1"
        ):
            store.write("other", b"content")
        assert store.files() == []
        assert store.clear() == 0
        assert main(["cache"]) == 0
        assert f"{chosen / 'kernels'}: not used, because {chosen}" in capsys.readouterr().out
    monkeypatch.setenv(store.SHARED, "1")
    assert store.read("kernel") == b"content"


@needs_owners
def test_a_warning_says_why_another_folder_takes_the_kernels(tmp_path, monkeypatch):
    """Once, where others can write to the first folder; not where nobody can, since kernels in it are read."""
    chosen, other = (tmp_path / name / "kernels" for name in ("chosen", "other"))
    chosen.parent.mkdir()
    monkeypatch.setattr(store, "folders", lambda: (chosen, other))
    monkeypatch.setattr(store, "_warned", False)
    monkeypatch.delenv(store.SHARED, raising=False)
    with monkeypatch.context() as patch:
        patch.setattr(store, "_make", lambda folder: _full_disk() if folder == chosen else folder.mkdir(parents=True))
        store.write("kernel", b"content")
    chosen.parent.chmod(0o777)
    with pytest.warns(RuntimeWarning, match=f"are kept in {other}, and others .* {chosen.parent} can be written to by others"):
        store.write("second", b"content")
    store.write("third", b"content")
    assert len(list(other.iterdir())) == 3


@needs_owners
def test_kernels_of_others_in_a_shared_folder_are_not_removed(folder, monkeypatch, capsys):
    for name in ("mine", "theirs"):
        store.write(name, b"content")
    unfinished = folder / name_unfinished("theirs")
    unfinished.touch()
    lstat, theirs = os.lstat, (folder / "theirs", unfinished)

    def owned(path, **options):
        found = os.stat_result(lstat(path, **options))
        return os.stat_result((*found[:4], os.getuid() + 1, *found[5:])) if path in theirs else found

    monkeypatch.setattr(pathlib.Path, "lstat", owned)
    monkeypatch.setenv(store.SHARED, "1")
    assert main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out == "removed 1 files of kernels; 1 files of others, or that cannot be removed, stay\n"
    assert sorted(folder.iterdir()) == sorted(theirs)
    monkeypatch.delenv(store.SHARED)
    assert store.clear() == 1  # the folder is this user's own


@needs_owners
def test_a_kernel_is_written_again_where_somebody_else_had_put_one(folder, monkeypatch):
    store.write("kernel", b"content")
    (folder / "kernel").chmod(0o666)
    assert store.read("kernel") is None
    store.write("kernel", b"content")
    assert store.read("kernel") == b"content"


@needs_owners
def test_nobody_else_can_write_to_what_is_made(tmp_path, monkeypatch):
    """Whatever the mask of the process lets others do."""
    monkeypatch.setattr(store, "folders", lambda: (tmp_path / "chosen" / "kernels",))
    mask = os.umask(0)
    try:
        store.write("kernel", b"content")
    finally:
        os.umask(mask)
    made = [tmp_path / "chosen", tmp_path / "chosen" / "kernels", tmp_path / "chosen" / "kernels" / "kernel"]
    assert [path.stat().st_mode & 0o777 for path in made] == [0o755, 0o755, 0o644]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files on this system")
@pytest.mark.parametrize("through_a_link", [False, True])
def test_a_folder_within_one_that_everybody_can_write_to_is_not_used(tmp_path, through_a_link):
    """They could put another folder in its place."""
    chosen = tmp_path / "open" / "mine"
    (chosen / "kernels").mkdir(parents=True, mode=0o700)
    if through_a_link:
        (tmp_path / "link").symlink_to(chosen)
    folder = (tmp_path / "link" if through_a_link else chosen) / "kernels"
    assert store.distrust(folder) is None
    (tmp_path / "open").chmod(0o777)
    assert store.distrust(folder) == f"{tmp_path / 'open'} can be written to by everybody"
    (tmp_path / "open").chmod(0o1777)
    assert store.distrust(folder) is None


@needs_owners
@pytest.mark.parametrize("target", ["safe", "../safe", "{}/safe", "other", "loop"])
def test_folders_that_hold_links_are_looked_at(tmp_path, target):
    """Whoever can write to one of them can let the link point elsewhere."""
    (tmp_path / "open").mkdir()
    (tmp_path / "safe" / "mine" / "kernels").mkdir(parents=True, mode=0o700)
    (tmp_path / "open" / "other").symlink_to("../safe")
    (tmp_path / "open" / "safe").symlink_to("other")
    link = tmp_path / "open" / "link"
    link.symlink_to(target.format(tmp_path).replace("loop", "link"))
    folder = link / "mine" / "kernels"
    if target == "loop":
        assert store.distrust(folder) is not None
        return
    assert store.distrust(folder) is None
    (tmp_path / "open").chmod(0o777)
    assert store.distrust(folder) == f"{tmp_path / 'open'} can be written to by everybody"


@needs_owners
def test_the_folder_of_a_folder_of_kernels_that_is_linked_to_is_looked_at(tmp_path):
    (tmp_path / "mine").mkdir(mode=0o700)
    (tmp_path / "open" / "kernels").mkdir(parents=True, mode=0o700)
    (tmp_path / "mine" / "kernels").symlink_to(tmp_path / "open" / "kernels")
    assert store.distrust(tmp_path / "mine" / "kernels") is None
    (tmp_path / "open").chmod(0o777)
    assert store.distrust(tmp_path / "mine" / "kernels") == f"{tmp_path / 'open'} can be written to by everybody"


@needs_owners
def test_a_folder_for_everybodys_temporary_files_may_hold_ones_own(tmp_path, monkeypatch):
    """What has the sticky bit: nobody can rename what is another's."""
    tmp_path.chmod(0o1777)
    monkeypatch.setattr(store, "folders", lambda: (tmp_path / "kernels",))
    store.write("kernel", b"content")
    assert store.read("kernel") == b"content"


def test_a_link_may_be_chosen(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to("other")
    monkeypatch.setattr(store, "folders", lambda: (tmp_path / "link" / "kernels",))
    store.write("kernel", b"content")
    assert store.read("kernel") == b"content"


def test_files_of_the_user_are_not_removed(folder, capsys):
    results()
    mine = folder / "mine.txt", folder / "notes", folder / "_scalar-0.kernel"
    mine[0].write_text("mine")
    mine[1].mkdir()
    mine[2].write_text("mine")
    unfinished = folder / f".kernel.{'0' * 32}.tmp"
    unfinished.touch()
    assert main(["cache"]) == 0
    assert f"{folder}: 4 files of kernels" in capsys.readouterr().out
    assert main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out == "removed 4 files of kernels\n"
    assert sorted(folder.iterdir()) == sorted(mine)


def test_a_folder_with_the_name_of_a_kernel_stays(folder, monkeypatch):
    monkeypatch.setattr(store, "_warned", False)
    (folder / "kernel").mkdir(parents=True)
    (folder / "kernel" / "mine.txt").touch()
    with pytest.warns(RuntimeWarning, match="compiled kernels are not kept"):
        store.write("kernel", b"content")
    assert [path.name for path in folder.iterdir()] == ["kernel"]
    assert (folder / "kernel" / "mine.txt").exists()
