"""What runs a derivative, and what is said of it. Kernels and all that makes them are imported where they are asked
for: an eighth of the import of the compiler.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import adcompile
from adcompile.backend.emit import Emitted, emit
from adcompile.backend.load import load
from adcompile.errors import Place
from adcompile.ir.program import Program
from adcompile.runtime.settings import Backend, Elementary


class NativeWarning(UserWarning):
    """Something that was asked to be native is not: where, and why."""


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


@dataclass(frozen=True, slots=True)
class Note:
    """A function or loop that stays on NumPy, and why."""

    what: str
    place: Place | None
    why: str
    at: Place | None

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        at = f" ({self.at})" if self.at else ""
        return f"{self.what}{where} runs on NumPy: {self.why}{at}"


@dataclass(frozen=True)
class Compiled:
    """What of a derivative is native: the texts of its kernels, by name, and what is not, and why."""

    kernels: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()
    explicit: bool = False  # it was asked for by name

    def tell(self, fun: Any) -> None:
        """Warn of what was asked to be native and is not."""
        if not self.explicit:
            return
        name = getattr(fun, "__name__", "the function")
        if not self.kernels and not self.notes:
            notice(f"nothing of the derivative of {name}() is compiled: it has neither loops nor arithmetic of numbers")
        for note in self.notes:
            notice(str(note))


NOTHING = Compiled()


@dataclass(frozen=True)
class Loaded:
    """A program that runs: its entry, the names of its module, its text, and what of it is native."""

    call: Callable[..., Any]
    namespace: dict[str, Any]
    emitted: Emitted
    native: Compiled = NOTHING


def loaded(program: Program, backend: Backend, exact: bool, elementary: Elementary) -> Loaded:
    """Print a program and load it, with kernels where there can be. `exact`: what the entry returns must have the
    classes that it has on NumPy."""
    if backend != "numpy":
        return importlib.import_module("adcompile.backend.native.compiled").loaded(program, backend, exact, elementary)
    emitted = emit(program)
    entry = load(emitted, emitted.name)
    return Loaded(entry, entry.__globals__, emitted)


def notice(what: str) -> None:
    """Warn, on behalf of who has called us."""
    frame, depth = sys._getframe(1), 2  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(what, NativeWarning, stacklevel=depth - 1)


_OWN = str(Path(adcompile.__file__).parent)
