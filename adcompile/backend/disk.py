"""The cache directory on disk: whose it is, what lies in it, and how much.

Every entry is one file that is written at once or not at all, so that processes need no locks: two that
make the same entry write the same, and who reads sees one or the other. An entry begins with the digest of
what follows; what was cut short, or is not ours, is no entry, and is made anew.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from adcompile.frozen import frozen

PRIVATE = 0o700
MAGIC = b"adcompile 1\n"
SUFFIXES = (".py", ".bin")
STALE = 3600.0  # seconds after which a file that was never finished is given up
MEGABYTE = 1_000_000
DEFAULT_SIZE = 500  # megabytes
FULL = 0.8  # of the size is left when entries are dropped
OFTEN = 32  # writes between two looks at the size


class CacheWarning(UserWarning):
    """The cache directory cannot be used."""


def cache_directory() -> Path:
    """`$ADCOMPILE_CACHE`, or `adcompile` in the user's directory for caches."""
    named = os.environ.get("ADCOMPILE_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "adcompile"


def size_limit() -> int:
    """How many bytes the cache may have: `$ADCOMPILE_CACHE_SIZE` is in megabytes. Raises ValueError for what is no
    number of megabytes."""
    named = os.environ.get("ADCOMPILE_CACHE_SIZE")
    try:
        size = float(named) if named else float(DEFAULT_SIZE)
    except ValueError:
        size = -1.0
    if not size >= 0.0:
        raise ValueError(f"ADCOMPILE_CACHE_SIZE is {named!r}, not a number of megabytes")
    return int(size * MEGABYTE)


@functools.cache
def folder(root: Path, kind: str) -> Path:
    """The directory for entries of a kind below `root`. What others could write into is not used: what lies there
    is run. Then, and where nothing can be written, a directory is made that lives as long as the process."""
    try:
        return _private(root, kind)
    except OSError as error:
        warnings.warn(f"nothing is kept for the next process: {error}", CacheWarning, stacklevel=2)
        return _temporary()


@functools.cache
def folder_or_none(root: Path, kind: str) -> Path | None:
    """The directory for entries that nobody must have, without a word where it cannot be used: None then."""
    try:
        size_limit()
        return _private(root, kind)
    except (OSError, ValueError):
        return None


def _private(root: Path, kind: str) -> Path:
    own = root / kind
    root.parent.mkdir(parents=True, exist_ok=True)
    for directory in (root, own):
        directory.mkdir(mode=PRIVATE, exist_ok=True)
        refuse_foreign(directory)
    if not os.access(own, os.W_OK | os.X_OK):
        raise PermissionError(f"{own} cannot be written")
    return own


def refuse_foreign(path: Path, fd: int | None = None) -> None:
    """Raise PermissionError for a file or directory that another user has, or that others can write."""
    about = path.stat() if fd is None else os.fstat(fd)
    if hasattr(os, "getuid") and about.st_uid != os.getuid():
        raise PermissionError(f"{path} belongs to another user")
    if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{path} can be written by others")


@functools.cache
def _temporary() -> Path:
    directory = tempfile.TemporaryDirectory(prefix="adcompile-")
    _alive.append(directory)
    return Path(directory.name)


_alive: list[tempfile.TemporaryDirectory[str]] = []


def digest(*parts: str | bytes) -> str:
    """A name for what these say, in their order."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()[:40]


# -- entries ------------------------------------------------------------------------------------


def replace(path: Path, data: bytes) -> None:
    """Write a file at once or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def store(path: Path, payload: bytes) -> None:
    """Keep an entry. What is in the way of that (a full disk, say) is in nobody else's."""
    head = MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n"
    try:
        replace(path, head + payload)
    except OSError as error:
        warnings.warn(f"nothing is kept for the next process: {error}", CacheWarning, stacklevel=2)
        return
    bound(path.parent.parent)


def fetch(path: Path) -> bytes | None:
    """An entry as it was stored, or None. One that is not whole is removed."""
    try:
        with path.open("rb") as file:
            refuse_foreign(path, file.fileno())
            data = file.read()
    except OSError:
        return None
    start = len(MAGIC) + 65
    payload = data[start:]
    if data[:start] != MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n":
        with suppress(OSError):
            path.unlink()
        return None
    with suppress(OSError):
        os.utime(path)  # it was used: others go first
    return payload


# -- how much -----------------------------------------------------------------------------------


@frozen
class File:
    """A file of the cache: an entry, or one that was never finished."""

    path: Path
    size: int
    used: float
    unfinished: bool


def files(root: Path) -> Iterator[File]:
    """The files that are ours below a cache directory."""
    for kind in sorted(p for p in root.iterdir() if p.is_dir() and not p.is_symlink()) if root.is_dir() else ():
        with suppress(OSError):
            for entry in os.scandir(kind):
                unfinished = entry.name.startswith(".") and entry.name.endswith(".tmp")
                if not unfinished and not entry.name.endswith(SUFFIXES):
                    continue
                with suppress(OSError):  # another process may have removed it
                    about = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(about.st_mode):
                        yield File(Path(entry.path), about.st_size, about.st_mtime, unfinished)


_writes = os.getpid() % OFTEN  # so that of many processes that write little some look


def bound(root: Path) -> None:
    """Now and then, drop what has not been used for longest, until the cache is below its size."""
    global _writes
    _writes += 1
    if _writes % OFTEN == 1:
        with suppress(ValueError):  # of a size that has been set since the first entry was made
            trim(root, size_limit())


def trim(root: Path, limit: int) -> None:
    """Drop entries, the one that was used last at last, if all have more than `limit` bytes; and what was never
    finished and nobody is writing any more."""
    found = sorted(files(root), key=lambda f: f.used)
    now = time.time()
    for f in found:
        if f.unfinished and now - f.used > STALE:
            _remove(f)
    entries = [f for f in found if not f.unfinished]
    total = sum(f.size for f in entries)
    for f in entries if total > limit else ():
        if total <= FULL * limit:
            break
        _remove(f)
        total -= f.size


def clear(root: Path) -> tuple[int, int]:
    """Remove all files that are ours below a cache directory, and no others: how many they were, and how many
    bytes. Raises PermissionError for a directory that others have or can write."""
    if root.is_dir():
        refuse_foreign(root)
    removed = [f for f in files(root) if _remove(f)]
    return len(removed), sum(f.size for f in removed)


def described(root: Path) -> str:
    """A cache directory in words: where, what for, how full, and why it is not used if it is not."""
    lines = [str(root)]
    try:
        if root.is_dir():
            refuse_foreign(root)
    except OSError as error:
        lines.append(f"not used: {error}")
    by_kind: dict[str, list[int]] = {}
    for f in files(root):
        by_kind.setdefault("unfinished" if f.unfinished else f.path.parent.name, []).append(f.size)
    for kind, sizes in sorted(by_kind.items()):
        lines.append(f"{kind}: {len(sizes)} files, {sum(sizes) / MEGABYTE:.1f} MB")
    total = sum(map(sum, by_kind.values()))
    lines.append(f"{total / MEGABYTE:.1f} of {size_limit() / MEGABYTE:.0f} MB")
    return "\n".join(lines)


def _remove(f: File) -> bool:
    try:
        f.path.unlink()
    except OSError:
        return False
    return True
