"""Rules of our own that write both modes: a vjp body and an frule beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from adcompile.rules.registry import Rule, Typing, register

Body = TypeVar("Body", bound=Callable[..., Any])


def beside(
    *fns: Any,
    frule: Callable[..., Any] | None = None,
    wrt: tuple[int, ...] | None = None,
    kind: str = "vjp",
    typing: Typing | None = None,
    total: bool = False,
    view: bool = False,
) -> Callable[[Body], Body]:
    """Register `(y_bar, y, x1, …)` for reverse mode and `frule` for forward mode, where the
    transpose of the one is not what a careful person would write for the other."""

    def decorate(body: Body) -> Body:
        for fn in fns:
            register(fn, Rule(kind, body=body, frule=frule, wrt=wrt, typing=typing, total=total, view=view))
        return body

    return decorate
