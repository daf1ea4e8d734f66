"""Rules of what modules written ahead of time call, so that their derivatives differentiate again."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import BOOL
from adcompile.rules.kinds import overlay
from adcompile.rules.registry import Rule, register
from adcompile.rules.typing import always
from adcompile.runtime import ahead

for _checks in (ahead.Assumed.check, ahead.Origin.mismatch):
    register(_checks, Rule("constant", pure=False))
register(ahead.is_array, Rule("constant", typing=always(BOOL)))


@overlay(ahead.owned)
def owned(out: Any, x: Any, seen: Any) -> Any:
    return rt.copy(out)


@overlay(ahead._conjugate)  # pyright: ignore[reportPrivateUsage]
def conjugate(g: Any) -> Any:
    return np.conj(g)
