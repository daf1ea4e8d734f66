"""Derivatives looked up when the code runs: by the function that is called and the types it meets.

Generated code comes here through `runtime.dynamic` where the function, or the types of what it is
given, are known only then. Specialisations are those of `jvp` and `vjp`, kept in the same tables.
"""

from __future__ import annotations

import inspect
import types as pytypes
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.api import dispatcher_of
from adcompile.backend.cache import Entry
from adcompile.boundary import container, gathered, own_tree, project, project_scalar
from adcompile.errors import RuleError, Unsupported, place_of
from adcompile.ir.abstract import reads_otherwise
from adcompile.runs import Plan
from adcompile.runtime.arrays import zeros_like
from adcompile.runtime.dynamic import Back, Forth
from adcompile.runtime.hidden import hides, holder
from adcompile.runtime.objects import attributes, blank, set_attribute
from adcompile.spaces import inner_cotangent_space, inner_space, without_cycles
from adcompile.tangents import ArraySpace, Cycle, NoTangent, Product, Record, has_tangent, is_absent
from adcompile.targets import Bound, Target, arity, bind, innermost, resolve, wrapper


class Known:
    """What has been looked up of one function: the dispatchers by what is asked, and how a call of
    so many arguments binds. It holds the function only where that is a wrapper of ours (`wrapped`)."""

    __slots__ = ("code", "count", "dispatchers", "wrapped")

    def __init__(self, function: Any, wrapped: Any = None) -> None:
        self.wrapped = wrapped
        self.code = code = function.__code__
        takes_all = code.co_flags & inspect.CO_VARARGS and not code.co_argcount and not code.co_kwonlyargcount
        self.count = -1 if takes_all else arity(Target(function)) if not function.__defaults__ else -2
        self.dispatchers: dict[tuple[str, tuple[int, ...]], Any] = {}

    def takes(self, count: int) -> bool:
        """Whether the arguments of such a call are bound already."""
        return self.count in (-1, count)


_plain: weakref.WeakKeyDictionary[Any, Known] = weakref.WeakKeyDictionary()
_wrapped: dict[Any, Known] = {}
LIMIT = 256
"""The most functions of `_wrapped` whose look-ups are remembered."""
BY_IDENTITY = (pytypes.BuiltinFunctionType, np.ufunc, Back, Forth)


def known(fn: Any) -> Known | None:
    """What has been looked up of a function that only equals itself; None: others are resolved each time."""
    if type(fn) is pytypes.FunctionType:
        found = _plain.get(fn)
        if found is None or found.code is not fn.__code__:
            found = _plain[fn] = Known(fn)
        return found
    if not isinstance(fn, BY_IDENTITY):
        return None
    found = _wrapped.get(fn)
    if found is None:
        if len(_wrapped) >= LIMIT:
            _wrapped.clear()
        function = wrapper(fn)
        found = _wrapped[fn] = Known(function, function)
    return found


def entry_of(fn: Any, transform: str, wrt: tuple[int, ...], args: Sequence[Any]) -> tuple[Entry, Any, tuple[Any, ...]]:
    """The specialisation, the function it is of, and the arguments as it takes them."""
    if fn is getattr and reads_otherwise(type(args[0])):
        what = f"{args[1]!r} of a {type(args[0]).__name__}, whose class computes its attributes by __getattribute__,"
        raise Unsupported(f"{what} in what carries derivatives", None, "pass its attributes, or name a property")
    found = known(fn)
    if found is not None and found.takes(len(args)):
        function, given = found.wrapped or fn, tuple(args)
        dispatcher = found.dispatchers.get((transform, wrt))
        if dispatcher is None:
            dispatcher = found.dispatchers[transform, wrt] = dispatcher_of(function, Plan(transform, wrt))
    else:
        target = resolve(fn) if found is None or found.wrapped is None else Target(found.wrapped)
        bound: Bound = bind(target, tuple(args), {})
        plan = Plan(transform, tuple(k + len(target.leading) for k in wrt))
        function, given = target.function, (*bound.args, *bound.values)
        dispatcher = dispatcher_of(function, plan, bound)
    entry = dispatcher.find(function, given)
    if entry.made.derived.writes:
        raise writes(function)
    return entry, function, given


def writes(function: Any) -> Unsupported:
    plain = innermost(function)
    return Unsupported(
        f"{plain.__name__}() writes into what it is given or reaches, which is known only when the code runs",
        place_of(plain),
        "call it by its name, choose with if and else, or let it return what it makes",
    )


def push(fn: Any, args: Sequence[Any], dots: Mapping[int, Any]) -> tuple[Any, Any]:
    """The value of `fn(*args)` and its tangent; None where there is none."""
    if fn is getattr and callable(value := getattr(*args)):
        return value, None  # a method, whose call is differentiated
    wrt = tuple(k for k, d in dots.items() if not is_absent(d) and inner_space(args[k]) is not NoTangent)
    if not wrt:
        value = constant(fn, args, dots)
        return value, zeros_like(value)
    check_seen([args[k] for k in wrt if fn is not getattr])
    entry, function, given = entry_of(fn, "jvp", wrt, args)
    raw = list(entry.run(function, given, tuple(tangent_in(dots[k], inner_space(args[k]), True) for k in wrt)))
    check_seen(raw[:1])
    space = inner_space(raw[0])
    return raw[0], filled(None if space is NoTangent else project(raw, 1, space), raw[0])


def pull(fn: Any, args: Sequence[Any], wrt: tuple[int, ...]) -> tuple[Any, Callable[[Any], Sequence[Any]]]:
    """The value of `fn(*args)`, and the function from its cotangent to those of the arguments `wrt`."""
    at = tuple(k for k in wrt if inner_space(args[k]) is not NoTangent)
    spaces = [inner_space(args[k]) for k in at]
    nothing = [zeros_like(args[k]) for k in wrt if k not in at]
    if not at:
        return constant(fn, args, wrt), lambda y_bar: nothing
    check_seen([args[k] for k in at if fn is not getattr])
    entry, function, given = entry_of(fn, "vjp", at, args)
    raw = list(entry.run(function, given))
    value, kept = raw[0], own_tree(raw, 1)
    del raw
    if not (fn is getattr and callable(value)):
        check_seen([value])
    space, pullback = inner_cotangent_space(value, entry.made.derived.result), entry.made.derived.pullback
    absent, trees = [k not in at for k in wrt], list(map(without_cycles, spaces))

    def run(y_bar: Any) -> Sequence[Any]:
        seed = None if space is NoTangent else tangent_in(gathered([y_bar], [space])[0], space)
        bars = gathered(list(pullback(kept, seed)), spaces)
        seen: set[int] = set()
        found = iter([project(bars, k, s, seen) for k, s in enumerate(trees)])
        rest = iter(nothing)
        return [next(rest) if a else next(found) for a in absent]

    if space is NoTangent:
        return value, lambda y_bar: [zeros_like_space(s) for s in trees]
    return value, run


def constant(fn: Any, args: Sequence[Any], wrt: Iterable[int]) -> Any:
    """The value of a call of what has no tangent. What is hidden there must not come out again, as it does of the
    methods of an array of objects."""
    value = fn(*args)
    given = [args[k] for k in wrt if hides(args[k])]
    if given and not (fn is getattr and callable(value)) and (has_tangent(value) or hides(value) or is_text(value)):
        raise hidden(given[0])
    return value


def is_text(value: Any) -> bool:
    return isinstance(value, (str, bytes)) or isinstance(value, np.ndarray) and value.dtype.kind in "SU"


def check_seen(values: Iterable[Any]) -> None:
    """Raises Unsupported where a value holds numbers that a tangent of it does not reach."""
    for value in values:
        if hides(value):
            raise hidden(value)


def hidden(value: Any) -> Unsupported:
    found = holder(value)
    what = "an array of objects" if isinstance(found, np.ndarray) and found.dtype.hasobject else type(found).__name__
    return Unsupported(
        f"{what} in what carries derivatives, whose numbers are not followed",
        None,
        "make an array of floats or a list of them before",
    )


def filled(tangent: Any, value: Any) -> Any:
    """A tangent with zeros for the whole numbers in `value`, with which running code goes on computing."""
    if is_absent(tangent) and not tangents.is_container(value):
        return zeros_like(value)
    if not tangents.is_container(value):
        return tangent
    keys = list(value) if type(value) is dict else range(len(value))
    return tangents.rebuild(value, [filled(None if is_absent(tangent) else tangent[k], value[k]) for k in keys])


def zeros_like_space(space: Any) -> Any:
    """The zero of a space of tangents."""
    return tangent_in(None, space)


def held(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of what could be written into later."""
    return tangents.rebuild(args, [own_tree(args, k) for k in range(len(args))])


def tangent_in(g: Any, space: Any, forward: bool = False, around: tuple[Any, ...] = ()) -> Any:
    """A tangent (`forward`) or cotangent of this space, in memory of its own, `around` it what it is a part of;
    None and the number 0 are zero.

    Raises RuleError where it does not fit.
    """
    if space is NoTangent:
        return None
    if isinstance(space, ArraySpace):
        return _array_in(g, space)
    if isinstance(space, Cycle):
        return around[-space.levels] if forward else None
    if isinstance(space, Record):
        have, made = {} if is_number(g) else attributes(g), blank(space.of)
        for k, s in zip(space.keys, space.items):
            set_attribute(made, k, tangent_in(have.get(k), s, forward, (*around, made)))
        return made
    if isinstance(space, Product):
        keys = range(len(space.items)) if space.keys is None else space.keys
        none = is_number(g)
        pairs = [(None if none else g[k], s) for k, s in zip(keys, space.items)]
        return container(space, [tangent_in(item, s, forward, (*around, None)) for item, s in pairs])
    return project_scalar(g, space)


def is_number(g: Any) -> bool:
    """Whether `g` stands for the zero of a structure."""
    return is_absent(g) or isinstance(g, (int, float))


def _array_in(g: Any, space: ArraySpace) -> Any:
    if is_absent(g):
        return np.zeros(space.shape, space.dtype)
    if np.iscomplexobj(g) and space.dtype.kind != "c":
        g = np.real(g)
    if np.shape(g) not in (space.shape, ()):
        raise RuleError(f"a tangent of shape {np.shape(g)} met a value of shape {space.shape}")
    return np.array(np.broadcast_to(g, space.shape), space.dtype)
