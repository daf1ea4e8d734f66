"""What a module ahead of time assumes of other modules, as text that it can compare at run time.

Guards compare objects by identity, which means nothing in another process. Here each of them becomes a way from a
module on and a text about what it leads to (`runtime.ahead.told`); what has no way, or no text, is refused.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from adcompile.errors import Place, Unsupported, place_of
from adcompile.ir.abstract import is_by_identity
from adcompile.ir.nodes import OwnerSpace
from adcompile.ir.program import ABSENT, Guard, Program
from adcompile.ir.refs import GlobalRef
from adcompile.ir.signature import SignatureError, spell
from adcompile.ir.types import DictT, Instance, Known, ListT, Scalar, Seq, TupleT, Type, Unknown
from adcompile.runtime.ahead import PLAIN, defined, fits, shape, told
from adcompile.runtime.objects import SPECIAL

Fact = tuple[str, str, str]
Way = tuple[str, str]
Home = Callable[[Any], "Way | None"]


def facts(programs: Iterable[Program], functions: Iterable[Any], home: Home) -> list[Fact]:
    """(module, path, text) of the data and values that the programs were made with, and of the
    functions they follow. `home` tells where an object can be imported from."""
    guarded = _Facts(home)
    for program in programs:
        for guard in program.guards:
            guarded.of_guard(guard)
    followed = _Facts(home, guarded.ways)
    for function in functions:
        if isinstance(function, FunctionType) and not _is_installed(function):
            followed.of_function(function)
    return list({**followed.out, **guarded.out})


class _Facts:
    """Collects them; `ways` has the way to each object that a guard leads to, and the object."""

    def __init__(self, home: Home, ways: dict[int, tuple[Way, Any]] | None = None) -> None:
        self.ways = {} if ways is None else ways
        self.out: dict[Fact, None] = {}
        self._home = home
        self._same: dict[int, tuple[Way, Any]] = {}

    def of_guard(self, guard: Guard) -> None:
        """What one guard says."""
        if guard.type == ABSENT and not guard.path:
            self._note(self._module(guard.ref), f"lacks {guard.ref.name}")
            return
        way, value = self._start(guard.ref)
        path, last = guard.path, guard.path[-1] if guard.path else None
        own = guard.type == ABSENT
        way, value = _along(way, value, path[:-1] if own else path, guard.ref.place)
        if isinstance(last, tuple) and last[0] == "none":
            self._note(way, f"defines {defined(value)}")
            others = ", ".join(sorted(last[1] - SPECIAL))
            if others:
                self._note(way, f"lacks {others}")
        elif own:
            name = last[1] if isinstance(last, tuple) else last
            self._note(way, f"{'holds' if guard.value else 'lacks'} {name}")
        elif guard.other is not None:
            module, path = _along(*self._start(guard.other[0]), guard.other[1], guard.ref.place)[0]
            self._note(way, f"is not {module}:{path}")
        elif isinstance(last, tuple) and last[0] == "call":
            self._note(way, told(guard.value))
        elif guard.type is not None:
            self._say(way, guard.type, value)
        elif is_by_identity(value) or type(value) in (*PLAIN, tuple) or hasattr(type(value), "__get__"):
            self._say(way, Known(value), value)
        else:
            self._say_same(way, value)

    def of_function(self, function: FunctionType) -> None:
        """That a function is the one that was followed, with the defaults it had."""
        way = self._way(function, place_of(function))
        self._note(way, told(function))
        defaults = {"__defaults__": function.__defaults__, "__kwdefaults__": function.__kwdefaults__}
        for name, held in defaults.items():
            where = _further(way, f".{name}")
            if held:
                self._note(where, shape(held))
            for key, item in held.items() if isinstance(held, dict) else enumerate(held or ()):
                if type(item) in PLAIN:  # others are read live, where they are read
                    self._note(_further(where, f"[{key!r}]"), told(item))

    def _start(self, ref: GlobalRef) -> tuple[Way, Any]:
        """The way to what a reference means, and that."""
        namespace, name = ref.namespace, ref.name
        if isinstance(namespace, OwnerSpace):
            return self._way(namespace["owner"], ref.place), namespace["owner"]
        module = self._module(ref)
        if name in namespace:
            return (module[0], name), namespace[name]
        self._note(module, f"lacks {name}")
        return ("builtins", name), vars(sys.modules["builtins"])[name]

    def _module(self, ref: GlobalRef) -> Way:
        """The way to the module whose name a reference is."""
        name = ref.namespace.get("__name__")
        found = sys.modules.get(name) if isinstance(name, str) else None
        if found is None or vars(found) is not ref.namespace:
            raise _untold(f"{ref.name}, a name of code that is no module", ref.place)
        return found.__name__, ""

    def _way(self, value: Any, place: Place | None) -> Way:
        if isinstance(value, ModuleType):
            return value.__name__, ""
        way = self._home(value) or self.ways.get(id(value), (None,))[0]
        if way is None:
            name = getattr(value, "__qualname__", type(value).__name__)
            raise _untold(f"{name}, to which no name of a module leads", place)
        return way

    def _say(self, way: Way, t: Type, value: Any) -> None:
        """That what lies there is of a type."""
        self._reach(way, value)
        text = _spelled(t)
        if isinstance(t, Unknown):
            return
        if isinstance(t, Known):
            self._note(way, told(value))
        elif text and fits(value, text):
            self._note(way, text)
        elif isinstance(t, (TupleT, ListT, DictT, Seq)) and isinstance(value, (tuple, list, dict)):
            self._note(way, shape(value))
            keyed = value.items() if isinstance(value, dict) else enumerate(value)
            of_items = t.values if isinstance(t, DictT) else [t.item] * len(value) if isinstance(t, Seq) else t.items
            for (key, item), of_item in zip(keyed, of_items):
                self._say(_along(way, value, [("item", key)], None)[0], of_item, item)
        elif isinstance(t, Scalar):
            self._note(way, "one of " + ", ".join(sorted(kind.__name__ for kind in t.kinds)))
        elif type(t) is Instance:
            self._note(way, f"object of {told(t.cls)}")
            for name in t.own:
                self._note(way, f"holds {name}")
        else:
            self._note(way, told(value))

    def _say_same(self, way: Way, value: Any) -> None:
        """That an object is this very one: of its class, and none or one of the others of which that is said."""
        self._reach(way, value)
        self._note(way, f"object of {told(type(value))}")
        known = self._same.setdefault(id(value), (way, value))
        if known[0] != way:
            self._note(way, "is {}:{}".format(*known[0]))
            return
        for (module, path), other in self._same.values():
            if other is not value and type(other) is type(value):
                self._note(way, f"is not {module}:{path}")

    def _reach(self, way: Way, value: Any) -> None:
        """Note that a way leads to an object, and to what is called in its place."""
        if type(value) in PLAIN or id(value) in self.ways:
            return
        self.ways[id(value)] = way, value
        for step, part in _parts(value):
            self._reach(_further(way, step), part)

    def _note(self, way: Way, text: str) -> None:
        self.out[(*way, text)] = None


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What runs when an object is called, or is asked for an attribute."""
    if isinstance(value, FunctionType):
        yield from ((f".__closure__[{i}]", cell) for i, cell in enumerate(value.__closure__ or ()))
    elif isinstance(value, property):
        yield from ((f".{name}", getattr(value, name)) for name in ("fget", "fset", "fdel"))
    elif isinstance(value, (staticmethod, classmethod, MethodType)):
        yield ".__func__", value.__func__
    elif isinstance(value, functools.partial):
        yield ".func", value.func
    elif not isinstance(value, (type, ModuleType, CellType)):
        if is_by_identity(value) and hasattr(value, "__wrapped__"):
            yield ".__wrapped__", value.__wrapped__
        yield ".__class__", type(value)


def _is_installed(function: FunctionType) -> bool:
    """Installed packages and our own rules change with their versions."""
    parts = function.__code__.co_filename.replace("\\", "/").split("/")
    root = (function.__module__ or "").split(".")[0]
    return "site-packages" in parts or root == "adcompile" or root in sys.stdlib_module_names


def _spelled(t: Type) -> str:
    try:
        return spell(t)
    except SignatureError:
        return ""


def _further(way: Way, step: str) -> Way:
    module, path = way
    return module, f"{path}{step}" if path else step.removeprefix(".")


def _along(way: Way, value: Any, path: Sequence[Any], place: Place | None) -> tuple[Way, Any]:
    """The way that goes on by the steps of a guard, and what it leads to now."""
    for step in path:
        if not isinstance(step, tuple):
            way, value = _further(way, f".{step}"), getattr(value, step)
        elif step[0] == "call":
            given = [_literal(v, place) for v in step[1]]
            given += [f"{name}={_literal(v, place)}" for name, v in step[2].items()]
            return _further(way, f"({', '.join(given)})"), None
        else:
            way, value = _further(way, f"[{_literal(step[1], place)}]"), value[step[1]]
    return way, value


def _literal(value: Any, place: Place | None) -> str:
    """A key or an argument as text."""
    try:
        if type(value) is str or value == ast.literal_eval(repr(value)):
            return repr(value)
    except (ValueError, SyntaxError):
        pass
    raise _untold(f"what is found with an object of {type(value).__name__}", place)


def _untold(what: str, place: Place | None) -> Unsupported:
    return Unsupported(
        f"the derivative relies on {what}, which another process cannot compare",
        place,
        "pass it as an argument, or define it at the top of a module",
    )


__all__ = ["facts"]
