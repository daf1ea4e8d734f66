"""Rules of functions that write into their arguments: they are differentiated as functions that do not.

    @rrule(fn, writes="a")
    def _(a, v): …

stands for two functions. `outcome` runs `fn` on copies of what it writes into, and returns its result
with what is left in these: that has the rule. What is differentiated in the place of `fn` calls it, and
stores what was left. So whatever holds for writes in place holds for these too.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile.errors import RuleError, SourceError
from adcompile.frontend.source import source_of, synthesise
from adcompile.rules.registry import Rule, lookup, register
from adcompile.runtime.state import unshared

_outcomes: dict[Any, tuple[tuple[int, ...], Any]] = {}


def outcome_of(fn: Any, writes: Any, body: Any, leading: int = 0, share: int = 1) -> Any:
    """The function without effects that stands for `fn`; its rules are those of `fn`. `body` has the
    parameters of `fn` behind `leading` ones, and as a `share` of the rest. Raises RuleError where
    `writes` names no parameters of `fn`, or others than a rule before."""
    at = positions(fn, writes)
    if fn not in _outcomes:
        _outcomes[fn] = at, _outcome(fn, at)
    known, outcome = _outcomes[fn]
    if known != at:
        raise RuleError(
            f"{_name(fn)} has a rule in which it writes into other arguments", remedy="name the same in both: writes="
        )
    if lookup(fn) is None or not written_by_rule(fn):
        register(fn, Rule("overlay", body=_overlay(outcome, at, places_of(body, leading, share))))
    return outcome


def written_by_rule(fn: Any) -> bool:
    """Whether `fn` has a rule that says what it writes into."""
    rule = lookup(fn)
    return rule is not None and stores_outcome(rule)


def stores_outcome(rule: Rule) -> bool:
    """Whether a rule is the overlay that stores what a function leaves in its arguments."""
    return rule.kind == "overlay" and getattr(rule.body, "outcome", None) is not None


def differentiated(fn: Any, rule: Rule) -> tuple[Any, Rule]:
    """The function and the rule that calls of `fn`, which has this rule, are differentiated by."""
    outcome = getattr(rule.body, "outcome", None) if rule.kind == "overlay" else None
    found = None if outcome is None else lookup(outcome)
    return (fn, rule) if found is None else (outcome, found)


def positions(fn: Any, writes: Any) -> tuple[int, ...]:
    """The positions of the parameters that `writes` names."""
    try:
        names = [p.name for p in inspect.signature(fn).parameters.values() if p.kind in (0, 1)]
    except (ValueError, TypeError):
        names = []
    asked: Sequence[Any] = writes if isinstance(writes, (tuple, list)) else (writes,)
    out: list[int] = []
    for w in asked:
        if isinstance(w, str) and w in names:
            out.append(names.index(w))
        elif isinstance(w, int) and not isinstance(w, bool) and w >= 0 and (not names or w < len(names)):
            out.append(w)
        else:
            raise RuleError(
                f"writes={w!r} names no parameter of {_name(fn)}",
                remedy="give names or positions of parameters that can be passed by position",
            )
    return tuple(sorted(set(out)))


def _outcome(fn: Any, at: tuple[int, ...]) -> Callable[..., Any]:
    def outcome(*args: Any, **settings: Any) -> tuple[Any, ...]:
        own = list(args)
        for k in at:
            own[k] = args[k].copy()
        y = fn(*own, **settings)
        for k in at:
            unshared(_RETURNED, own[k], y)
        return (y, *[own[k] for k in at])

    outcome.__name__ = outcome.__qualname__ = f"{_name(fn)}_outcome"
    outcome.__module__ = getattr(fn, "__module__", None) or outcome.__module__
    return outcome


_RETURNED = "a function whose rule has writes= returns memory that it writes into"
_PASSED = "a function whose rule has writes= gets memory twice that it writes into"
_CHECK = {"unshared": unshared, "returned": _RETURNED}


def by_place(rule: Rule, args: list[Any], kwargs: list[tuple[str, Any]]) -> tuple[list[Any], list[tuple[str, Any]]]:
    """The arguments of a call, those by name in their places where the rule has them by position."""
    names: tuple[str, ...] = getattr(rule.body, "places", ())
    named = dict(kwargs)
    while len(args) < len(names) and names[len(args)] in named:
        args = [*args, named.pop(names[len(args)])]
    return args, list(named.items())


def places_of(body: Any, leading: int, share: int) -> tuple[str, ...]:
    """The parameters of a rule's function that its body has by position."""
    try:
        names = [p.name for p in inspect.signature(body).parameters.values() if p.kind in (0, 1)][leading:]
    except (ValueError, TypeError):
        return ()
    return tuple(names[: len(names) // share])


def _overlay(outcome: Any, at: tuple[int, ...], places: tuple[str, ...]) -> Callable[..., Any]:
    left = [f"left_{k}" for k in at]
    body = [
        *(f"unshared(passed, args[{k}], *args[:{k}], *args[{k + 1}:])" for k in at),
        f"y, {', '.join(left)} = outcome(*args, **settings)",
        *(f"args[{k}][...] = {name}" for k, name in zip(at, left)),
        "return y",
    ]
    names = {"outcome": outcome, "unshared": unshared, "passed": _PASSED}
    stored = synthesise("stored", "*args, **settings", body, names)
    stored.outcome, stored.places = outcome, places  # type: ignore[attr-defined]
    return stored


# -- rules that run the function themselves -----------------------------------------------------


def frule_of(body: Callable[..., Any], at: tuple[int, ...]) -> Callable[..., Any]:
    """The frule of an outcome: `body` writes into arguments and into their tangents."""
    if not is_readable(body):
        return functools.partial(_run_frule, body, at)
    left, dots = (", ".join(f"{name}[{k}]" for k in at) for name in ("own", "own_dot"))
    lines = [
        "n = len(both) // 2",
        "own, own_dot = list(both[:n]), list(both[n:])",
        *(f"own[{k}] = both[{k}].copy()" for k in at),
        *(f"own_dot[{k}] = np.zeros_like(both[{k}]) + both[n + {k}]" for k in at),
        "y, y_dot = body(*own, *own_dot, **settings)",
        *(f"unshared(returned, own[{k}], y)" for k in at),
        f"return (y, {left}), (y_dot, {dots})",
    ]
    return synthesise("frule", "*both, **settings", lines, {"body": body, "np": np, **_CHECK})


def rrule_of(body: Callable[..., Any], at: tuple[int, ...]) -> Callable[..., Any]:
    """The rrule of an outcome: `body` writes into its arguments, and its pullback takes the cotangents
    of what is left in them behind that of the result."""
    if not is_readable(body):
        return functools.partial(_run_rrule, body, at)
    lines = [
        "own = list(args)",
        *(f"own[{k}] = args[{k}].copy()" for k in at),
        "y, pullback = body(*own, **settings)",
        *(f"unshared(returned, own[{k}], y)" for k in at),
        f"return (y, {', '.join(f'own[{k}]' for k in at)}), lambda bars: pullback(*bars)",
    ]
    return synthesise("rrule", "*args, **settings", lines, {"body": body, **_CHECK})


def is_readable(body: Any) -> bool:
    """Whether a body has source, so that it may be inlined."""
    try:
        source_of(body)
    except SourceError:
        return False
    return True


def _run_frule(body: Any, at: tuple[int, ...], *both: Any, **settings: Any) -> Any:
    n = len(both) // 2
    own, own_dot = list(both[:n]), list(both[n:])
    for k in at:
        own[k], own_dot[k] = both[k].copy(), np.zeros_like(both[k]) + both[n + k]
    y, y_dot = body(*own, *own_dot, **settings)
    return (y, *[own[k] for k in at]), (y_dot, *[own_dot[k] for k in at])


def _run_rrule(body: Any, at: tuple[int, ...], *args: Any, **settings: Any) -> Any:
    own = [a.copy() if k in at else a for k, a in enumerate(args)]
    y, pullback = body(*own, **settings)
    return (y, *[own[k] for k in at]), lambda bars: pullback(*bars)


def _name(fn: Any) -> str:
    return getattr(fn, "__name__", None) or repr(fn)
