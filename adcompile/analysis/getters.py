"""operator's itemgetter, attrgetter and methodcaller: calls of them are what they stand for."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.analysis.callables import bound
from adcompile.analysis.calls import class_handlers, dispatch, handlers, looks
from adcompile.analysis.real import MADE, REAL
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Instance

Meaning = Callable[[Builder, Atom, Sequence[Atom], Mapping[str, Atom], "Place | None", str], Atom]


@frozen
class Getter:
    """One that the code makes of what is known only when it runs: its arguments come as one tuple, first."""

    cls: Any
    keywords: tuple[str, ...]


def items(
    b: Builder, owner: Atom, keys: Sequence[Atom], kwargs: Mapping[str, Atom], place: Place | None, name: str
) -> Atom:
    """`itemgetter(*keys)(owner)`: one item, or the tuple of several."""
    found = [dispatch(b, Const(operator.getitem), [owner, key], [], name, place) for key in keys]
    return found[0] if len(found) == 1 else b.build_tuple(*found)


def attributes(
    b: Builder, owner: Atom, paths: Sequence[Atom], kwargs: Mapping[str, Atom], place: Place | None, name: str
) -> Atom:
    """`attrgetter(*paths)(owner)`: dots lead on to attributes of attributes."""
    found: list[Atom] = []
    for path in paths:
        value = owner
        for step in str(b.value(path)).split("."):
            value = dispatch(b, Const(getattr), [value, Const(step)], [], step, place)
        found.append(value)
    return found[0] if len(found) == 1 else b.build_tuple(*found)


def method(
    b: Builder, owner: Atom, given: Sequence[Atom], kwargs: Mapping[str, Atom], place: Place | None, name: str
) -> Atom:
    """`methodcaller(name, *args, **kwargs)(owner)`."""
    called = dispatch(b, Const(getattr), [owner, given[0]], [], name, place)
    return dispatch(b, called, list(given[1:]), list(kwargs.items()), name, place)


MEANINGS: dict[Any, Meaning] = {
    operator.itemgetter: items,
    operator.attrgetter: attributes,
    operator.methodcaller: method,
}


def _maker(cls: Any) -> Callable[..., Atom]:
    def make(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        if all(b.known(a) for a in (*args, *(v for _, v in kwargs))):
            return Const(cls(*map(b.value, args), **{k: b.value(v) for k, v in kwargs}))
        packed = b.build_tuple(*args, *(v for _, v in kwargs))
        return bound(b, Getter(cls, tuple(k for k, _ in kwargs)), packed, name or cls.__name__)

    return make


def call_getter(b: Builder, value: Getter, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    packed, owner = args
    given = b.items(packed)
    count = len(given) - len(value.keywords)
    return MEANINGS[value.cls](b, owner, given[:count], dict(zip(value.keywords, given[count:])), place, name)


def call_made(b: Builder, value: Any, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """One that is there already says itself how it was made."""
    cls, given = value.__reduce__()
    keywords: Mapping[str, Any] = {}
    if isinstance(cls, functools.partial):
        keywords, given = cls.keywords, (*cls.args, *given)
    named = {k: Const(v) for k, v in keywords.items()}
    return MEANINGS[type(value)](b, args[0], [Const(v) for v in given], named, place, name)


def real_getter(b: Builder, value: Getter, packed: Atom, place: Place | None) -> Atom:
    given = b.items(packed)
    first = len(given) - len(value.keywords)
    return b.emit(value.cls, given[:first], Instance(value.cls), list(zip(value.keywords, given[first:])), "", place)


class_handlers[Getter] = call_getter
REAL[Getter] = real_getter
MADE[Getter] = lambda getter: getter.cls
for _cls in MEANINGS:
    handlers[_cls], looks[_cls] = _maker(_cls), ()
    class_handlers[_cls] = call_made
