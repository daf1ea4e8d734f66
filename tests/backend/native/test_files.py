"""The files that kernels are written to."""

import os
import stat

import pytest

from adcompile.backend.native import files
from adcompile.backend.native.files import CacheWarning, cache_directory, kernel_directory, write


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_where_they_are(home, monkeypatch, tmp_path):
    assert cache_directory() == home
    monkeypatch.delenv("ADCOMPILE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_directory() == tmp_path / "x" / "adcompile"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_directory().parts[-2:] == (".cache", "adcompile")


def test_the_directory_is_the_user_s_own(home):
    path = write("x = 1\n", "k", "salt")
    assert path.read_text() == "x = 1\n" and path.parent == home / "native"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not [p for p in path.parent.iterdir() if p.suffix == ".tmp"]


def test_a_file_that_is_there_keeps_its_time(home):
    path = write("x = 1\n", "k", "salt")
    os.utime(path, (1, 1))
    assert write("x = 1\n", "k", "salt").stat().st_mtime == 1
    assert write("x = 1\n", "k", "other") != path
    path.write_text("something else")
    assert write("x = 1\n", "k", "salt").read_text() == "x = 1\n"


def test_a_directory_that_others_can_write_is_not_used(home):
    home.mkdir()
    (home / "native").mkdir()
    (home / "native").chmod(0o777)
    with pytest.warns(CacheWarning, match="written by others"):
        path = write("x = 1\n", "k", "salt")
    assert home not in path.parents and path.read_text() == "x = 1\n"


def test_an_error_leaves_nothing_behind(home, monkeypatch):
    def refused(*_):
        raise OSError("no")

    directory = kernel_directory(cache_directory())
    monkeypatch.setattr(files.os, "replace", refused)
    with pytest.raises(OSError, match="no"):
        write("y = 1\n", "k", "salt")
    assert not list(directory.iterdir())
