"""What has a rule, and which: one table keyed by callable, with a version.

Rule files register with the decorators of `adcompile.rules.kinds`; they are imported when the
first derivative is asked for (`load`), because importing adcompile must stay cheap.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Generator
from dataclasses import replace
from types import FrameType, FunctionType, ModuleType
from typing import Any

from adcompile.frozen import frozen
from adcompile.ir.types import Type
from adcompile.runtime import settings

Typing = Callable[[list[Type], dict[str, Type]], Type]
"""From the types of a call's arguments to the type of its result (Unknown is allowed)."""


@frozen(eq=False)
class Rule:
    """How a callable differentiates; the meaning of `body` depends on `kind` (see kinds.py).

    `wrt` are the positions of the differentiable parameters; None means every positional one.
    `typing` gives the type of the result; `total` says that a call cannot raise on arguments
    that type-check (so it may be dropped when unused); `view` that the result may share memory
    with the first argument.
    """

    kind: str  # as in kinds.py; or explicit, overlay, primitive, integral, trajectory
    body: Callable[..., Any] | None = None
    frule: Callable[..., Any] | None = None
    rrule: Callable[..., Any] | None = None
    wrt: tuple[int, ...] | None = None
    typing: Typing | None = None
    total: bool = False
    view: bool = False
    general: Callable[..., Any] | None = None  # the function in other primitives, where a setting is active
    by_value: bool = False  # constant: pure, and its result on stand-ins is its value (np.iterable, np.result_type)
    tangent: Callable[..., Any] | None = None  # linear: (x_dot, x, …), where the function reads how x lies in memory
    pure: bool = True  # False: it draws, prints or writes; never run at compile time, repeated or dropped
    context: str = ""  # "minimal": without it there is no derivative; "default": it is there for speed


_rules: dict[Any, Rule] = {}
remedies: dict[Any, str] = {}
"""What to write instead of functions that have no derivative."""
changes = 0
"""Another number after every registration that is not our own, and after late ones of ours."""
others: dict[Any, Rule | None] = {}
"""The rules that are not our own, in the order of their registration; None: where one has been taken away."""
_loaded = False
_HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep

REGISTERING = tuple(f"adcompile.rules.{name}" for name in ("registry", "kinds", "kinds_beside", "writing"))
"""Who registers for others."""
FILES = (
    "adcompile.rules.python",
    "adcompile.rules.standard",
    "adcompile.rules.mathematics",
    "adcompile.rules.runtime",
    "adcompile.rules.implicit",
    "adcompile.rules.integrals",
    "adcompile.rules.trajectories",
    "adcompile.rules.ahead",
    "adcompile.rules.numpy",
    "adcompile.rules.scipy",
)


def load() -> None:
    """Import the rule files, once."""
    global _loaded
    if not _loaded:
        _loaded = True
        with as_remembered():
            for name in FILES:
                importlib.import_module(name)


def _is_a_librarys(fn: Any) -> bool:
    """Whether a callable is from a library, by the names that it sees or the module of its class."""
    module = fn.__globals__.get("__name__") if isinstance(fn, FunctionType) else type(fn).__module__
    if not isinstance(module, str):  # on Python 3.10 the class of Cython's functions shows how it keeps theirs
        module = fn.__module__
    root = str(module).partition(".")[0]
    ours = root in ("numpy", "scipy", "uarray", "adcompile") or root.startswith("_cython")  # scipy.fft: uarray
    return ours or root in sys.stdlib_module_names


LIBRARIES = frozenset(
    "builtins math cmath operator functools itertools copy heapq bisect collections contextlib dataclasses logging "
    "random statistics warnings numpy scipy".split()
)
_remembered: dict[str, dict[str, Any]] = {}


def remember() -> None:
    """Note which functions, classes and modules libraries have under their names, where a derivative runs that another
    process has made: what the compiler knows is about these, not about what is put in their place until it is
    imported. It names none that belongs to a module whose name begins with an underscore."""
    if _loaded or _remembered:
        return
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in LIBRARIES and "._" not in name and type(module) is ModuleType:
            _remembered[name] = vars(module).copy()  # at once: most processes never ask


@contextlib.contextmanager
def as_remembered() -> Generator[None, None, None]:
    """With what libraries had under their names when the first derivative was loaded, if one was."""
    changed: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for name, before in _remembered.items():
        module = sys.modules.get(name)
        space = vars(module) if type(module) is ModuleType else {}
        others = {k: value for k, value in before.items() if k in space and space[k] is not value}
        now = {k: space[k] for k, value in others.items() if callable(value) or type(value) is ModuleType}
        changed.append((space, now))
        space.update({k: before[k] for k in now})
    try:
        yield
    finally:
        for space, now in changed:
            space.update(now)


def register(fn: Any, rule: Rule) -> None:
    """Give `fn` this rule, over any it had; but an frule or rrule adds to the rule there is, and
    then has the say in its mode."""
    ours = _is_ours(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
    if not ours:
        load()  # or ours would come later
    elif not _is_a_librarys(fn):
        return  # somebody has put it in the place of a library's function
    old = _rules.get(fn)
    if not rule.context:
        rule = replace(rule, context="minimal" if old is None else old.context)
    if rule.kind == "explicit" and old is not None and old.kind not in ("constant", "primitive", "overlay"):
        rule = replace(old, frule=rule.frule or old.frule, rrule=rule.rrule or old.rrule, context=rule.context)
    _rules[fn] = rule
    _changed(fn, rule)


def belongs(fn: Any, context: str) -> None:
    """Move the rule of a callable to a context."""
    if not _is_ours(sys._getframe(1)):  # pyright: ignore[reportPrivateUsage]
        load()
    elif fn not in _rules and not _is_a_librarys(fn):
        return
    _rules[fn] = replace(_rules[fn], context=context)
    _changed(fn, _rules[fn])


def _changed(fn: Any, rule: Rule | None) -> None:
    global changes
    if not _is_ours(sys._getframe(2)):  # pyright: ignore[reportPrivateUsage]
        changes += 1
        others[fn] = rule


def _is_ours(frame: FrameType) -> bool:
    """Whether who registers is one of our files."""
    while frame.f_back is not None and frame.f_globals.get("__name__") in REGISTERING:
        frame = frame.f_back
    return str(frame.f_globals.get("__file__")).startswith(_HERE)


def lookup(fn: Any) -> Rule | None:
    """The rule of a callable in the context that is set, or None; unhashable objects have none."""
    return lookup_in(fn, settings.current.context)


def lookup_in(fn: Any, context: str) -> Rule | None:
    """The rule of a callable in a context: "minimal" leaves out what is there for speed."""
    load()
    try:
        found = _rules.get(fn)
    except TypeError:
        return None
    if found is None and _register_imported():
        found = _rules.get(fn)
    return None if found is not None and found.context == "default" and context == "minimal" else found


def _register_imported() -> bool:
    """Whether there are rules for libraries that have been imported only since `load`."""
    global changes
    late = sys.modules.get("adcompile.rules.scipy")
    found = "scipy" in sys.modules and late is not None and bool(late.register_imported())
    changes += found
    return found


def unregister(fn: Any) -> None:
    load()
    _rules.pop(fn, None)
    _changed(fn, None)


def registered() -> dict[Any, Rule]:
    load()
    return dict(_rules)
