"""What the numba backend keeps for the next process: the texts of kernels, and what they were compiled to.

Kernels are real files, of which Numba reads the source. What it makes of them is kept in our entries
(backend/disk), one for each function, signature, processor and set of versions: Numba's own cache has an index
that processes overwrite for each other, and runs what it finds without asking whether it is whole.
"""

from __future__ import annotations

import functools
import importlib
import pickle
import sys
from pathlib import Path
from typing import Any

from adcompile.backend import disk

KIND = "native"


def write(text: str, name: str, salt: str) -> Path:
    """The file with this text, whose name tells all that the kernel depends on. One that is there already
    stays."""
    directory = disk.folder(disk.cache_directory(), KIND)
    path = directory / f"{name}_{disk.digest(salt, text)[:20]}.py"
    data = text.encode()
    try:
        if path.read_bytes() == data:
            return path
    except OSError:
        pass
    disk.replace(path, data)
    return path


class Entries:
    """What Numba asks of the cache of one function, whose file is `path`."""

    def __init__(self, path: Path, versions: str) -> None:
        self.path, self.versions = path, versions

    def place(self, key: Any) -> Path:
        """The entry for a signature, a processor and a bytecode, as Numba names them."""
        return self.path.with_name(f"{self.path.stem}_{disk.digest(self.versions, repr(key))[:20]}.bin")

    def load(self, key: Any) -> Any:
        """What was saved under this key; None for nothing, and for what is not whole or not ours."""
        payload = disk.fetch(self.place(key))
        if payload is None:
            return None
        named, data = pickle.loads(payload)
        return data if named == repr(key) else None

    def save(self, key: Any, data: Any) -> None:
        dumps = importlib.import_module("numba.core.serialize").dumps
        disk.store(self.place(key), dumps((repr(key), data)))

    def flush(self) -> None:
        """Nothing is stale: an entry is named by all that it depends on."""


@functools.cache
def versions() -> str:
    """What compiled code depends on beside its source and the processor."""
    found = [sys.implementation.cache_tag or sys.version]
    for name in ("numba", "llvmlite", "numpy"):
        found.append(f"{name} {importlib.import_module(name).__version__}")
    return ", ".join(found)


def keep(function: Any, path: Path) -> Any:
    """A Numba function made with `cache=True`, which keeps what is compiled in our entries."""
    function._cache._cache_file = Entries(path, versions())
    return function
