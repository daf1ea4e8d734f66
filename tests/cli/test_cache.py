"""`adcompile cache`: where it is, what it holds, and nothing of it."""

from click.testing import CliRunner

from adcompile.backend import disk
from adcompile.cli import main


def run(*args):
    return CliRunner().invoke(main, ["cache", *args])


def test_cache(tmp_path, monkeypatch):
    home = tmp_path / "cache"
    monkeypatch.setenv("ADCOMPILE_CACHE", str(home))
    assert run("path").output == f"{home}\n"
    disk.store(disk.folder(home, "native") / "a.bin", bytes(1_500_000))
    assert run("info").output.splitlines() == [str(home), "native: 1 files, 1.5 MB", f"1.5 of {disk.DEFAULT_SIZE} MB"]
    assert run("clear").output == "1 files removed, 1.5 MB\n"
    assert run("clear").output == "0 files removed, 0.0 MB\n"
    home.chmod(0o777)
    assert "not used" in run("info").output
    refused = run("clear")
    assert refused.exit_code == 2 and "can be written by others" in refused.output
