"""Derivative rules, and the decorators with which users register their own.

    from adcompile.rules import elementwise, linear, frule, rrule, vjp
    from adcompile.rules import non_differentiable, primitive, overlay, is_primitive

`adcompile.rules.kinds` says what each expects. Names are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adcompile.rules.kinds import (
        elementwise,
        frule,
        is_primitive,
        linear,
        non_differentiable,
        overlay,
        primitive,
        rrule,
        vjp,
    )

__all__ = [
    "elementwise",
    "frule",
    "is_primitive",
    "linear",
    "non_differentiable",
    "overlay",
    "primitive",
    "rrule",
    "vjp",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("adcompile.rules.kinds"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
