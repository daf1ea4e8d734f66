"""Where kernels are written: real files, which Numba needs for its cache, in a directory of the user's own."""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import tempfile
import warnings
from pathlib import Path

PRIVATE = 0o700


class CacheWarning(UserWarning):
    """The cache directory cannot be used."""


def cache_directory() -> Path:
    """`$ADCOMPILE_CACHE`, or `adcompile` in the user's directory for caches."""
    named = os.environ.get("ADCOMPILE_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "adcompile"


@functools.cache
def kernel_directory(root: Path) -> Path:
    """The directory for kernels below `root`. What others could write into is not used: what lies there
    is run. Then, and where nothing can be written, a directory is made that lives as long as the process."""
    try:
        own = root / "native"
        own.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        for directory in (root, own):
            about = directory.stat()
            if about.st_uid != os.getuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise PermissionError(f"{directory} can be written by others")
        if not os.access(own, os.W_OK):
            raise PermissionError(f"{own} cannot be written")
        return own
    except OSError as error:
        warnings.warn(f"kernels are not kept for the next process: {error}", CacheWarning, stacklevel=2)
        return _temporary()


@functools.cache
def _temporary() -> Path:
    directory = tempfile.TemporaryDirectory(prefix="adcompile-")
    _alive.append(directory)
    return Path(directory.name)


_alive: list[tempfile.TemporaryDirectory[str]] = []


def write(text: str, name: str, salt: str) -> Path:
    """The file with this text, whose name tells all that the kernel depends on. It is written at once or
    not at all; one that is there already keeps its time, by which Numba knows its own files."""
    key = hashlib.sha256(f"{salt}\0{text}".encode()).hexdigest()[:20]
    path = kernel_directory(cache_directory()) / f"{name}_{key}.py"
    try:
        if path.read_text(encoding="utf-8") == text:
            return path
    except (OSError, UnicodeDecodeError):
        pass
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path
