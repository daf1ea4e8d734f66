"""What is said of the parts of a derivative: which are native, and why the others are not."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import adcompile
from adcompile.errors import Place
from adcompile.frozen import frozen


class NativeWarning(UserWarning):
    """Something that was asked to be native is not: where, and why."""


@frozen
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


@frozen
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


def notice(what: str) -> None:
    """Warn, on behalf of who has called us."""
    frame, depth = sys._getframe(1), 2  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_OWN, "<adcompile")):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(what, NativeWarning, stacklevel=depth)


_OWN = str(Path(adcompile.__file__).parent)
