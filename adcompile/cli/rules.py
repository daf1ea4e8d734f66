"""What has a rule: the table behind `adcompile rules`."""

from __future__ import annotations

import fnmatch
import sys
from typing import Any

from adcompile.backend.callables import known_path
from adcompile.frozen import frozen
from adcompile.rules.registry import registered
from adcompile.rules.scipy import import_all

KINDS = {
    "elementwise": "partial derivatives, element by element",
    "reduction": "sums and the like over axes",
    "linear": "linear in one argument",
    "bilinear": "linear in each of two arguments",
    "vjp": "a cotangent for each argument; forward mode is its transpose",
    "composite": "written in other functions",
    "integral": "by integrals of the derivatives of what it integrates",
    "trajectory": "by the equations of derivatives, solved in their turn",
    "implicit": "by the equation that the result solves",
    "explicit": "frule or rrule",
    "overlay": "another function stands in",
    "structure": "containers, built or taken apart",
    "constant": "piecewise constant, or without a derivative",
    "primitive": "never followed; has no derivative yet",
}


@frozen
class Covered:
    name: str
    kind: str


def covered(pattern: str = "") -> list[Covered]:
    """What has a rule, by kind and name; `pattern` is part of a name, or one with * and ?, or a kind."""
    registered()  # which loads the packages that rules stand in
    import_all()
    order = list(KINDS)
    found = {Covered(name_of(fn), rule.kind) for fn, rule in registered().items()}
    chosen = [c for c in found if _matches(c, pattern.lower())]
    return sorted(chosen, key=lambda c: (order.index(c.kind) if c.kind in order else len(order), c.name.lower()))


def _matches(c: Covered, pattern: str) -> bool:
    name = c.name.lower()
    if any(mark in pattern for mark in "*?["):
        return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name.rpartition(".")[2], pattern)
    return pattern in name or pattern == c.kind


def name_of(fn: Any) -> str:
    """How a program calls it: `numpy.linalg.solve`, `ndarray.sum`, `x + y` for operators."""
    path = known_path(fn)
    if path is not None:
        return path.replace("np.", "numpy.", 1) if path.startswith("np.") else path
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)
    module = getattr(fn, "__module__", None)
    special = sys.modules.get("scipy.special")
    if module is None and special is not None and getattr(special, name, None) is fn:  # ufuncs do not say
        return f"scipy.special.{name}"
    return name if module in (None, "builtins", "numpy") else f"{module}.{name}"
