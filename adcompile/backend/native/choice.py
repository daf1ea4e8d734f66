"""What runs a derivative. Kernels and all that makes them are imported where they are asked
for: an eighth of the import of the compiler.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from adcompile.backend.emit import emit
from adcompile.backend.load import Emitted, load
from adcompile.backend.native.notes import NOTHING, Compiled
from adcompile.frozen import frozen
from adcompile.ir.program import Program
from adcompile.runtime.settings import Backend, Elementary


@functools.cache
def available() -> bool:
    """Whether Numba is installed."""
    return importlib.util.find_spec("numba") is not None


def chosen(backend: Backend) -> Backend:
    """The backend that runs: "auto" is NumPy alone where Numba is missing. Raises MissingBackend if Numba
    was asked for and is missing."""
    if backend != "numpy" and not available():
        if backend == "numba":
            raise ImportError("backend='numba' needs Numba, which is not installed: pip install adcompile[numba]")
        return "numpy"
    return backend


@frozen
class Loaded:
    """A program that runs: its entry, the names of its module, its text, and what of it is native; its kernels by the
    names of the functions that they stand for."""

    call: Callable[..., Any]
    namespace: dict[str, Any]
    emitted: Emitted
    native: Compiled = NOTHING
    kernels: tuple[tuple[str, Any], ...] = ()


def loaded(program: Program, backend: Backend, exact: bool, elementary: Elementary) -> Loaded:
    """Print a program and load it, with kernels where there can be. `exact`: what the entry returns must have the
    classes that it has on NumPy."""
    if backend != "numpy":
        return importlib.import_module("adcompile.backend.native.compiled").loaded(program, backend, exact, elementary)
    emitted = emit(program)
    entry = load(emitted, emitted.name)
    return Loaded(entry, entry.__globals__, emitted)
