"""Callables that make callables: super, functools.partial, methods of namedtuples, np.vectorize.

What they give is a Method value that nothing needs at run time: its definition holds the callable
and what is bound to it, and a call of it goes on from there.
"""

from __future__ import annotations

import functools
import operator
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from adcompile.analysis.attributes import class_attributes, class_of, named_attributes
from adcompile.analysis.binding import there
from adcompile.analysis.builder import Builder, Lifted
from adcompile.analysis.calls import call_python, class_handlers, dispatch, handles
from adcompile.analysis.guards import guard_said, homes_of
from adcompile.analysis.iteration import checked, known_items
from adcompile.analysis.memoised import note_made
from adcompile.analysis.owned import held_by_partial
from adcompile.analysis.real import MADE, REAL, real
from adcompile.analysis.said import is_bound
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Closure, Instance, Known, Method, Seq, TupleT
from adcompile.runtime.objects import stated
from adcompile.runtime.scans import dtype_of, vectorized, vectorized_object
from adcompile.tangents import is_namedtuple_class


def bound(b: Builder, function: Any, owner: Atom, name: str) -> Var:
    """A value that calls `function` with `owner` first. Code that hands it on, which nobody runs
    in the end, sees the owner."""
    var = b.emit(ops.identity, (owner,), Method(function, b.type(owner)), (), name)
    b.context.definition[var] = Call(var, Const(function), (owner,))
    return var


# -- functools.partial --------------------------------------------------------------------------


@frozen
class Partial:
    """A partial application whose function and arguments come as one tuple, first."""

    positional: int
    keywords: tuple[str, ...]


@handles(functools.partial, look=())
def make_partial(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    packed = b.build_tuple(*args, *(v for _, v in kwargs))
    return bound(b, Partial(len(args) - 1, tuple(k for k, _ in kwargs)), packed, name or "partial")


def call_partial(b: Builder, value: Partial, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    packed, *rest = args
    fn, positional, keywords = unfold(b, value, packed)
    return dispatch(b, fn, [*positional, *rest], list({**keywords, **dict(kwargs)}.items()), name, place)


def unfold(b: Builder, value: Partial, packed: Atom) -> tuple[Atom, list[Atom], dict[str, Atom]]:
    """The function of a partial application, and what is bound to it."""
    fn, *given = b.items(packed)
    return fn, given[: value.positional], dict(zip(value.keywords, given[value.positional :]))


def real_partial(b: Builder, value: Partial, packed: Atom, place: Place | None) -> Atom:
    fn, positional, keywords = unfold(b, value, packed)
    args, kwargs = [real(b, a, place) for a in (fn, *positional)], [(k, real(b, v, place)) for k, v in keywords.items()]
    return b.emit(functools.partial, args, Instance(functools.partial), kwargs, "", place)


def call_live_partial(
    b: Builder, value: functools.partial[Any], args: Args, kwargs: Kwargs, place: Place | None, name: str
) -> Atom:
    """A partial application that exists when the derivative is made."""
    held, named = held_by_partial(b, value, {}, place)
    merged = [*((k, v) for k, v in named if k not in dict(kwargs)), *kwargs]
    return dispatch(b, Const(value.func), [*held, *args], merged, name, place)


class_handlers[Partial] = call_partial
class_handlers[functools.partial] = call_live_partial
REAL[Partial] = real_partial
MADE[Partial] = lambda _: functools.partial


# -- functools.lru_cache ------------------------------------------------------------------------


@handles(functools.lru_cache, functools.cache)
def make_cached(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """A cache around a function that the code itself makes changes nothing but time, where nobody writes into what
    the function reads around it, or what it has given: see analysis/memoised."""
    if len(args) == 1 and isinstance(b.type(args[0]), Closure):
        return with_cache(b, args[0])
    settings = [*args, *(v for _, v in kwargs)]
    if all(b.known(a) and not callable(b.value(a)) for a in settings):
        return Const(Lifted(lambda c, function: with_cache(c, function)))
    return None


def with_cache(b: Builder, function: Atom) -> Atom:
    if isinstance(t := b.type(function), Closure):
        note_made(b, function, t)
    return function


# -- super --------------------------------------------------------------------------------------


@frozen
class Super:
    """`super(cls, self)`: attributes come from the classes behind `cls`."""

    cls: type


@handles(super, look=())
def make_super(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    if len(args) != 2 or not b.known(args[0]):
        raise Unsupported("super() of a class that is not known", place, "write super() in the method itself")
    return bound(b, Super(b.value(args[0])), args[1], "super")


def super_attribute(b: Builder, value: Super, owner: Atom, attribute: str, place: Place | None) -> Atom:
    """The attribute of the next class in the method resolution order, bound to the object."""
    t = b.type(owner)
    held = t.value if isinstance(t, Known) else None
    cls = held if isinstance(held, type) else class_of(t)  # in a class method, or __new__
    order = homes_of(b, cls or value.cls)
    behind = order[order.index(value.cls) + 1 :] if value.cls in order else value.cls.__mro__[1:]
    found = next((vars(c)[attribute] for c in behind if attribute in vars(c)), None)
    guard_said(b, behind, attribute, Known(found))
    if isinstance(found, property) and isinstance(found.fget, FunctionType):
        return dispatch(b, Const(found.fget), [owner], [], attribute, place)
    if isinstance(found, staticmethod) or attribute == "__new__":
        return Const(getattr(found, "__func__", found))
    if isinstance(found, classmethod):
        return bound(b, found.__func__, Const(cls or value.cls), attribute)
    if isinstance(getter := stated(type(found), "__get__"), FunctionType):
        descriptor = there(b, found, "", place)
        return dispatch(b, Const(getter), [descriptor, owner, Const(cls or value.cls)], [], attribute, place)
    if callable(found) and not is_bound(found):
        home = next(c for c in behind if attribute in vars(c))
        return dispatch(b, Const(getattr), [Const(home), Const(attribute)], [], attribute, place)
    if found is None or not callable(found):
        raise Unsupported(f"super().{attribute}", place, "name the class: Base.method(self, …)")
    return bound(b, found, owner, attribute)


# -- namedtuples --------------------------------------------------------------------------------


class Replace:
    """`p._replace(x=…)` of a namedtuple."""


REPLACE = Replace()


def replace(b: Builder, value: Replace, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    t = b.type(args[0])
    assert isinstance(t, TupleT)
    fields: tuple[str, ...] = t.cls._fields  # type: ignore[attr-defined]
    items = dict(zip(fields, b.items(args[0])))
    items.update(kwargs)
    return b.build(t, [items[f] for f in fields], name, place)


class_handlers[Replace] = replace
MADE[Replace] = lambda _: MethodType


@handles(tuple.__new__, look=(1,))
def new_tuple(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """A namedtuple of the items of an iterable, as `_make` makes it."""
    cls: Any = b.value(args[0]) if args and b.known(args[0]) else None
    if len(args) != 2 or not isinstance(cls, type) or not is_namedtuple_class(cls):
        return None
    fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    items = known_items(b, args[1])
    if items is None and isinstance(b.type(args[1]), (Array, Seq)):
        whole = checked(b, args[1], len(fields), place, call=f"{cls.__name__}._make()")
        items = [b.call(operator.getitem, whole, i) for i in range(len(fields))]
    return None if items is None or len(items) != len(fields) else b.build(TupleT((), cls), items, name, place)


class_attributes[Super] = super_attribute
MADE[Super] = lambda _: super


def named_replace(b: Builder, t: TupleT, owner: Atom, attribute: str) -> Atom | None:
    return bound(b, REPLACE, owner, attribute) if attribute == "_replace" else None


named_attributes.append(named_replace)


# -- np.vectorize -------------------------------------------------------------------------------


@frozen
class Vectorized:
    """Calls a function, which comes first, for each element of arrays. `dtypes`: those of the results."""

    dtypes: Any = None


SETTINGS = ("otypes", "doc", "excluded", "cache", "signature")


@handles(np.vectorize)
def make_vectorized(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    given = dict(zip(SETTINGS, args[1:])) | dict(kwargs)
    values = {k: setting(b, a) for k, a in given.items()}
    if not args or any(v is None for v in values.values()) or not set(values) <= set(SETTINGS):
        raise Unsupported("np.vectorize with settings that are not known", place, WRITTEN_OUT)
    made = np.vectorize(len, **{k: v[0] for k, v in values.items() if v is not None})
    return bound(b, Vectorized(dtypes_of(made, place)), args[0], name or "vectorized")


WRITTEN_OUT = "write a comprehension: np.array([f(t) for t in x])"


def setting(b: Builder, atom: Atom) -> tuple[Any] | None:
    """The value of a setting, in a tuple, if it is known; that of a list of known items is."""
    if b.known(atom):
        return (b.value(atom),)
    items = known_items(b, atom)
    return None if items is None or not all(map(b.known, items)) else ([b.value(i) for i in items],)


def dtypes_of(made: Any, place: Place | None) -> Any:
    """The dtypes that an np.vectorize was told, several in a tuple; None where it finds them."""
    if made.signature is not None or made.excluded:
        raise Unsupported("np.vectorize with a signature, or arguments that are excluded", place, WRITTEN_OUT)
    dtypes = tuple(map(np.dtype, made.otypes or ()))
    return dtypes[0] if len(dtypes) == 1 else dtypes or None


def call_vectorized(b: Builder, value: Vectorized, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    function, *rest = args
    dtypes = b.build_tuple(*map(Const, value.dtypes)) if isinstance(value.dtypes, tuple) else Const(value.dtypes)
    return call_at(b, vectorized, [function, dtypes, *rest], list(kwargs), place)


def call_at(b: Builder, body: Any, args: list[Atom], kwargs: list[tuple[str, Atom]], place: Place | None) -> Atom:
    try:
        return call_python(b, body, args, kwargs)
    except Unsupported as error:  # the body's own: what it is given comes with its place
        raise error.at(place) from None


@handles(dtype_of)
def same_dtype(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    dtype = b.call(np.result_type, args[0])
    if not b.known(dtype):
        remedy = "return floats on all paths, or give otypes=[float]"
        raise Unsupported("np.vectorize of a function whose results are of several types", None, remedy)
    return dtype


@handles(np.vectorize.__call__, look=())
def call_object(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """The call of one that a module or an object holds."""
    there = b.value(args[0]) if b.known(args[0]) else b.context.example.get(args[0])  # type: ignore[arg-type]
    if there is None:
        raise Unsupported("an np.vectorize that is met when the code runs", place, WRITTEN_OUT)
    dtypes_of(there, place)
    return call_at(b, vectorized_object, list(args), list(kwargs), place)


class_handlers[Vectorized] = call_vectorized
MADE[Vectorized] = lambda _: np.vectorize
