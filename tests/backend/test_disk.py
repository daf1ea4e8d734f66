"""The cache directory: the user's own, whole entries only, and no more than it may hold."""

import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from adcompile.backend import disk
from adcompile.backend.disk import CacheWarning


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entry(home, name="e"):
    return disk.folder(home, "native") / f"{name}.bin"


def test_where_it_is(home, monkeypatch, tmp_path):
    assert disk.cache_directory() == home
    monkeypatch.delenv("ADCOMPILE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert disk.cache_directory() == tmp_path / "x" / "adcompile"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert disk.cache_directory().parts[-2:] == (".cache", "adcompile")


def test_it_is_the_user_s_own(home):
    path = entry(home)
    disk.store(path, b"data")
    assert disk.fetch(path) == b"data"
    for directory in (home, path.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("which", ["cache", "cache/native"])
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_directory_that_others_can_write_is_not_used(home, which, mode):
    (home / "native").mkdir(parents=True)
    (home.parent / which).chmod(mode)
    with pytest.warns(CacheWarning, match="can be written by others"):
        found = disk.folder(home, "native")
    assert home not in found.parents and stat.S_IMODE(found.stat().st_mode) == 0o700


def test_a_directory_of_another_user_is_not_used(home, monkeypatch):
    (home / "native").mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(disk.os, "getuid", lambda: os.stat(home).st_uid + 1)
    with pytest.warns(CacheWarning, match="belongs to another user"):
        assert home not in disk.folder(home, "native").parents
    with pytest.raises(PermissionError):
        disk.clear(home)


@pytest.mark.parametrize("spoilt", ["cut", "empty", "head", "changed", "longer", "foreign"])
def test_what_is_not_whole_is_no_entry(home, spoilt):
    path = entry(home)
    disk.store(path, b"0123456789" * 10)
    data = path.read_bytes()
    changed = {
        "cut": data[:-1],
        "empty": b"",
        "head": data[:20],
        "changed": data[:-1] + b"x",
        "longer": data + b"x",
        "foreign": b"something else entirely",
    }
    path.write_bytes(changed[spoilt])
    assert disk.fetch(path) is None and not path.exists()
    disk.store(path, b"again")
    assert disk.fetch(path) == b"again"


def test_an_entry_that_others_can_write_is_not_read(home):
    path = entry(home)
    disk.store(path, b"data")
    path.chmod(0o666)
    assert disk.fetch(path) is None


def test_an_error_leaves_nothing_behind(home, monkeypatch):
    path = entry(home)

    def refused(*_):
        raise OSError("no space")

    monkeypatch.setattr(disk.os, "replace", refused)
    with pytest.warns(CacheWarning, match="no space"):
        disk.store(path, b"data")
    assert not list(path.parent.iterdir())


def test_it_stays_below_its_size(home, monkeypatch):
    folder = entry(home).parent
    for k in range(20):
        disk.store(folder / f"{k}.bin", bytes(1000))
        os.utime(folder / f"{k}.bin", (k, k))
    assert disk.fetch(folder / "0.bin") is not None  # it is used now
    (folder / "notes.txt").write_text("mine")
    disk.trim(home, 10_000)
    left = {p.stem for p in folder.glob("*.bin")}
    assert left == {"0", *(str(k) for k in range(14, 20))} and (folder / "notes.txt").exists()
    monkeypatch.setenv("ADCOMPILE_CACHE_SIZE", "0")
    monkeypatch.setattr(disk, "_writes", disk.OFTEN)
    disk.store(folder / "last.bin", bytes(1000))
    assert not list(folder.glob("*.bin"))
    monkeypatch.setenv("ADCOMPILE_CACHE_SIZE", "much")
    with pytest.raises(ValueError, match="not a number of megabytes"):
        disk.size_limit()


def test_what_was_never_finished_goes_in_time(home):
    folder = entry(home).parent
    old, new = folder / ".a.tmp", folder / ".b.tmp"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    disk.trim(home, 10_000)
    assert new.exists() and not old.exists()


def test_clearing_leaves_what_is_not_ours(home):
    folder = entry(home).parent
    disk.store(folder / "a.bin", b"1")
    (folder / "mine.txt").write_text("mine")
    (home / "file.bin").write_text("mine")
    assert disk.clear(home)[0] == 1
    assert sorted(p.name for p in home.rglob("*")) == ["file.bin", "mine.txt", "native"]
    assert disk.clear(home.parent / "nowhere") == (0, 0)


def test_described(home):
    assert disk.described(home).splitlines() == [str(home), f"0.0 of {disk.DEFAULT_SIZE} MB"]
    disk.store(entry(home), bytes(2_000_000))
    assert "native: 1 files, 2.0 MB" in disk.described(home)
    home.chmod(0o777)
    assert "not used" in disk.described(home)


WRITER = """
    import sys
    from pathlib import Path
    from adcompile.backend import disk

    folder = disk.folder(Path(sys.argv[1]), "native")
    print("ready", flush=True)
    k = 0
    while True:
        k += 1
        payload = bytes([k % 251]) * 300_000
        disk.store(folder / f"{k % 3}.bin", payload)
        found = disk.fetch(folder / f"{(k + 1) % 3}.bin")
        assert found is None or len(set(found)) == 1 and len(found) == 300_000
"""


def writers(home, count):
    code = textwrap.dedent(WRITER)
    made = [
        subprocess.Popen([sys.executable, "-c", code, str(home)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(count)
    ]
    for process in made:
        assert process.stdout.readline() == b"ready\n"
    return made


def test_killed_in_the_middle_of_a_write(home):
    for _ in range(4):
        (process,) = writers(home, 1)
        time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()
        for path in Path(home, "native").glob("*.bin"):
            found = disk.fetch(path)
            assert found is not None and len(set(found)) == 1 and len(found) == 300_000


def test_sixteen_processes_at_once(home):
    made = writers(home, 16)
    time.sleep(1.0)
    for process in made:
        assert process.poll() is None, process.stderr.read().decode()
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    for path in Path(home, "native").glob("*.bin"):
        assert len(disk.fetch(path)) == 300_000
