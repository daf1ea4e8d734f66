"""Rules that are called: those whose bodies have no source that could be inlined.

A body is mathematics: it changes nothing, and what it returns is for the taking. Cotangents are
those of generated code (u_x + i·u_y for complex values); None stands for zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile.errors import RuleError
from adcompile.runtime.arrays import like, zeros_like

Body = Callable[..., Any]


def name_of(body: Any) -> str:
    return getattr(body, "__qualname__", None) or getattr(body, "__name__", None) or repr(body)


def called(body: Body, count: int, *args: Any, **settings: Any) -> tuple[Any, ...]:
    """What a rule returns for these arguments, as a tuple of `count`; a bare result stands for a
    tuple of one. Raises RuleError for another number."""
    made = body(*args, **settings)
    if count == 1 and type(made) is not tuple:
        made = (made,)
    if not isinstance(made, (tuple, list)) or len(made) != count:
        given = f"{len(made)} results" if isinstance(made, (tuple, list)) else f"a {type(made).__name__}"
        raise RuleError(
            f"the rule {name_of(body)} returned {given} where {count} are needed",
            remedy="it returns one for each argument, in their order; None for an argument without a derivative",
        )
    return tuple(made)


def partial(p: Any) -> Any:
    """A partial derivative; None stands for zero."""
    return 0.0 if p is None else p


def fitted(g: Any, x: Any) -> Any:
    """A tangent or cotangent of `x` that a rule gave, in its class and dtype.

    Raises RuleError where it has another shape.
    """
    if g is None:
        return zeros_like(x)
    if isinstance(x, (tuple, list)) and isinstance(g, (tuple, list)) and len(g) == len(x):
        items = [fitted(a, b) for a, b in zip(g, x)]
        return items if isinstance(x, list) else tuple(items)
    if np.shape(g) != np.shape(x):
        raise RuleError(f"a rule gave a tangent of shape {np.shape(g)} for a value of shape {np.shape(x)}")
    return like(g, x)


# -- the other mode of a rule that cannot be read -----------------------------------------------


def units(x: Any) -> list[tuple[Any, tuple[int, ...], complex]]:
    """The unit tangents of a number or array, with the element that is one (or i), and that one."""
    if not isinstance(x, (np.ndarray, np.inexact, float, complex)):
        raise RuleError(
            f"a rule without source, in the mode it was not written for, at a value of class {type(x).__name__}",
            remedy="register a rule for this mode too: frule for forward, rrule or vjp for reverse",
        )
    out: list[tuple[Any, tuple[int, ...], complex]] = []
    for place in np.ndindex(np.shape(x)):
        for one in (1.0, 1j) if np.iscomplexobj(x) else (1.0,):
            unit = np.zeros(np.shape(x), np.asarray(x).dtype)
            unit[place] = one
            out.append((unit if isinstance(x, np.ndarray) else like(unit, x), place, one))
    return out


def inner(a: Any, b: Any) -> float:
    """The real inner product of two tangents of one space; None is zero."""
    if a is None or b is None:
        return 0.0
    if isinstance(a, (tuple, list)):
        return sum(inner(p, q) for p, q in zip(a, b))
    return float(np.real(np.vdot(a, b)))


def assembled(x: Any, parts: Sequence[tuple[tuple[int, ...], complex, float]]) -> Any:
    """The tangent of `x` with these components along its units."""
    out = np.zeros(np.shape(x), np.asarray(x).dtype)
    for place, one, component in parts:
        out[place] += one * component
    return out if isinstance(x, np.ndarray) else like(out, x)


def pushed(body: Body, y: Any, dots: Sequence[Any], *args: Any, **settings: Any) -> Any:
    """The tangent of `y` by a vjp body that cannot be read: one call for every element of `y`.

    `dots` are the tangents of the arguments that it gives cotangents for, None for zero.
    """
    parts = [
        (place, one, sum(map(inner, called(body, len(dots), unit, y, *args, **settings), dots)))
        for unit, place, one in units(y)
    ]
    return assembled(y, parts)


def pushed_along(pull: Body, y: Any, dots: Sequence[Any]) -> Any:
    """`pushed` by the pullback that an rrule gave."""
    parts = [(place, one, sum(map(inner, called(pull, len(dots), unit), dots))) for unit, place, one in units(y)]
    return assembled(y, parts)


def pulled(body: Body, y_bar: Any, wrt: Sequence[int], *args: Any, **settings: Any) -> tuple[Any, ...]:
    """The cotangents of the arguments `wrt` by an frule that cannot be read: one call for every
    element of these."""
    out: list[Any] = []
    for k in wrt:
        parts: list[tuple[tuple[int, ...], complex, float]] = []
        for unit, place, one in units(args[k]):
            dots = [unit if i == k else 0.0 for i in range(len(args))]
            parts.append((place, one, inner(y_bar, called(body, 2, *args, *dots, **settings)[1])))
        out.append(assembled(args[k], parts))
    return tuple(out)
