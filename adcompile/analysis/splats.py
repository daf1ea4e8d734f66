"""Calls with splats, `f(*items, **settings)`.

What has a known number of items is spread out. Of an array or list whose length is met at run time,
`f` takes as many items as it has parameters, which is tested when the code runs.
"""

from __future__ import annotations

import builtins
import inspect
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from adcompile.analysis.binding import Rest
from adcompile.analysis.builder import Builder
from adcompile.analysis.callables import Partial, unfold
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.choices import of_choice
from adcompile.analysis.heap import look, owner_of
from adcompile.analysis.infer import branch_on
from adcompile.analysis.iteration import checked, known_items
from adcompile.analysis.iterators import transposed
from adcompile.analysis.structure import EVERY, Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Signature
from adcompile.ir.types import UNKNOWN, Array, Choice, Closure, DictT, Known, Method, ObjectT, Ref, Seq, Type
from adcompile.rules.registry import lookup

MOST = 8  # so many different numbers of arguments are tried
HARMLESS: set[Any] = {
    ops.build_dict, ops.build_tuple, ops.kwargs_merge, ops.load_global, getattr, operator.getitem, operator.neg,
    operator.add, operator.sub, operator.mul, operator.truediv,
}  # fmt: skip
"""What keyword arguments may compute after the items have been read, and leave them as they are."""


@frozen(eq=False)
class Pack:
    """Stands, as a Const, for the positional arguments of a call, some of which are the items of
    something whose length is met at run time."""

    parts: tuple[Atom, ...]
    written: int  # statements of the block when they were given


@handles(ops.arguments, look=EVERY)
def arguments(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    if all(known_items(b, a) is not None for a in args):
        return b.call(ops.tuple_concat, *args, name=name, place=place)
    return Const(Pack(tuple(args), len(b.statements)))


@handles(ops.apply, look=(1, 2))
def apply(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """A call with splats, once the splatted containers are known."""
    called = b.type(args[0])
    if isinstance(called, Choice):
        if isinstance(args[1], Const) and isinstance(args[1].value, Pack):
            check_unchanged(b, args[1].value, place)
            args = [args[0], Const(Pack(args[1].value.parts, 0)), args[2]]
        return of_choice(b, args[0], called, name, lambda c, fn: c.call(ops.apply, Const(fn), *args[1:], place=place))
    t = b.type(args[2])
    keys = t.keys if isinstance(t, DictT) else tuple(t.value) if isinstance(t, Known) else None
    pack = args[1].value if isinstance(args[1], Const) and isinstance(args[1].value, Pack) else None
    if pack is not None:
        check_unchanged(b, pack, place)
        made = None if keys is None else call_pack(b, args[0], pack, list(zip(keys, b.items(args[2]))), name, place)
        if made is not None:
            return made
        args = [args[0], b.call(ops.tuple_concat, *pack.parts, place=place), args[2]]
    positional = known_items(b, args[1])
    if positional is None or keys is None:
        return b.emit(ops.apply, args, UNKNOWN, (), name, place)
    return dispatch(b, args[0], positional, list(zip(keys, b.items(args[2]))), name, place)


def check_unchanged(b: Builder, pack: Pack, place: Place | None) -> None:
    """The items are read at the call; what the keyword arguments compute may not come between."""
    for s in b.statements[pack.written :]:
        if not (isinstance(s, Call) and isinstance(s.fn, Const) and is_harmless(s.fn.value)):
            raise Unsupported(
                "a call with * of a value of unknown length, and keyword arguments that are computed in it",
                place,
                "compute the keyword arguments before the call",
            )


def is_harmless(fn: Any) -> bool:
    return any(fn is f for f in HARMLESS)


@frozen
class Spread:
    """Arguments of which some in the middle are the items of a sequence of unknown length."""

    before: tuple[Atom, ...]
    items: Atom
    behind: tuple[Atom, ...]


def spread_of(b: Builder, parts: Sequence[Atom]) -> Spread | None:
    known = [known_items(b, p) for p in parts]
    unknown = [k for k, items in enumerate(known) if items is None]
    if len(unknown) != 1:
        return None
    t = b.type(look(b, parts[unknown[0]]))
    if not (isinstance(t, Seq) or isinstance(t, Array) and t.dims):
        return None
    before = [a for items in known[: unknown[0]] for a in items or ()]
    behind = [a for items in known[unknown[0] + 1 :] for a in items or ()]
    return Spread(tuple(before), parts[unknown[0]], tuple(behind))


# -- how many items a callee takes --------------------------------------------------------------


@frozen
class Arity:
    """How many positional arguments a call may have; `most` is None where there is no bound."""

    least: int
    most: int | None
    name: str


def arity_of(b: Builder, fn: Atom, keywords: Sequence[str]) -> Arity | None:
    """The numbers of positional arguments that a callee takes beside these keywords."""
    t = b.type(fn)
    if isinstance(t, Closure):
        return by_signature(t.function.signature, len(t.defaults), keywords, t.function.name)
    value, bound = callee(t)
    if isinstance(value, np.ufunc):
        return Arity(value.nin, value.nin, value.__name__)
    try:
        parameters = list(inspect.signature(value).parameters.values())[bound:]
    except (TypeError, ValueError):
        return None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    vararg = "args" if any(p.kind is p.VAR_POSITIONAL for p in parameters) else None
    signature = Signature(tuple(p.name for p in positional), vararg=vararg)
    defaults = sum(p.default is not p.empty for p in positional)
    return by_signature(signature, defaults, keywords, getattr(value, "__name__", "it"))


def callee(t: Type) -> tuple[Any, int]:
    """What is called, and how many of its parameters are bound already."""
    if isinstance(t, Method):
        return t.function, 1
    if isinstance(t, (Ref, ObjectT)):
        cls = t.cell.cls if isinstance(t, Ref) else t.cls
        return getattr(cls, "__call__", None), 1  # noqa: B004  the function is wanted
    return (t.value, 0) if isinstance(t, Known) else (None, 0)


def by_signature(signature: Signature, defaults: int, keywords: Sequence[str], name: str) -> Arity:
    positional = signature.positional
    required = positional[: len(positional) - defaults]
    least = max((k + 1 for k, p in enumerate(required) if p not in keywords), default=0)
    first = next((k for k, p in enumerate(positional) if p in keywords), len(positional))
    unbounded = signature.vararg is not None and first == len(positional)
    return Arity(least, None if unbounded else first, f"{name}()")


def call_pack(b: Builder, fn: Atom, pack: Pack, settings: Kwargs, name: str, place: Place | None) -> Atom | None:
    t = b.type(fn)
    if isinstance(t, Method) and isinstance(t.function, Partial):
        inner, first, keywords = unfold(b, t.function, owner_of(b, fn, place))
        packed = Pack((b.build_tuple(*first), *pack.parts), pack.written)
        return call_pack(b, inner, packed, list({**keywords, **dict(settings)}.items()), name, place)
    spread = spread_of(b, pack.parts)
    if spread is None:
        return None
    alone = not spread.before and not spread.behind
    if isinstance(t, Known) and t.value is zip:
        return transposed(b, spread.items, name, place) if alone and not settings else None
    if isinstance(t, Known) and any(t.value is f for f in (builtins.max, builtins.min)):
        return dispatch(b, fn, [spread.items], settings, name, place) if alone else None
    arity = arity_of(b, fn, [k for k, _ in settings])
    if arity is None:
        return None
    known = len(spread.before) + len(spread.behind)
    if arity.most is None:
        return call_with_rest(b, fn, t, spread, arity, settings, name, place)
    counts = [n - known for n in range(arity.most, arity.least - 1, -1) if n >= known]
    if not 0 < len(counts) <= MOST:
        return None

    def option(k: int) -> Any:
        def run(c: Builder) -> Atom:
            if k == len(counts) - 1:
                return take(c, counts[k], f"{arity.name}")
            enough = c.call(operator.eq, c.call(len, spread.items), counts[k])
            return branch_on(c, enough, lambda d: take(d, counts[k], ""), option(k + 1), name)

        return run

    def take(c: Builder, count: int, callee_name: str) -> Atom:
        items = spread.items if not callee_name else checked(c, spread.items, count, place, call=callee_name)
        taken = [c.call(operator.getitem, items, i) for i in range(count)]
        return dispatch(c, fn, [*spread.before, *taken, *spread.behind], settings, name, place)

    return option(0)(b)


def call_with_rest(
    b: Builder, fn: Atom, t: Type, spread: Spread, arity: Arity, settings: Kwargs, name: str, place: Place | None
) -> Atom | None:
    """A call of what takes any number of arguments: the named parameters get their items, *args the rest."""
    value, _ = callee(t)
    followed = isinstance(t, Closure) or inspect.isfunction(value) and lookup(value) is None
    named = named_count(b, fn)
    if not followed or spread.behind or named is None:
        return None
    first = max(0, named - len(spread.before))
    if first > 0 and named > arity.least:  # how many of the parameters with a default get an item is not known
        return None
    items = checked(b, spread.items, first, place, more=f"a call of {arity.name} with * of too few items")
    taken = [b.call(operator.getitem, items, i) for i in range(first)]
    rest = b.call(operator.getitem, items, b.call(slice, first, None)) if first else items
    before = list(spread.before)
    if len(before) > named:
        whole = b.call(ops.tuple_concat, b.build_tuple(*before[named:]), rest)
        before, rest = before[:named], whole
    return dispatch(b, fn, [*before, *taken, Const(Rest(rest))], settings, name, place)


def named_count(b: Builder, fn: Atom) -> int | None:
    t = b.type(fn)
    if isinstance(t, Closure):
        return len(t.function.signature.positional)
    value, bound = callee(t)
    if not inspect.isfunction(value):
        return None
    return value.__code__.co_argcount - bound
