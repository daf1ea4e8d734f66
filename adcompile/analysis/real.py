"""Callables that exist for the specialiser alone, made real where code that is not followed gets them.

`functools.partial(f, 2.0)` in followed code is a Method value that nothing needs when the code runs: there it is the
tuple of what is bound. `set(map(p, xs))` runs as it is written, and needs the partial itself.
"""

from __future__ import annotations

import operator
import types as python_types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, is_structured, parts
from adcompile.analysis.callbacks import special_methods_write
from adcompile.analysis.executed import is_ours, methods_asked
from adcompile.analysis.heap import give, hand_over, is_opaque, note_renamed, reached, refuse, show
from adcompile.analysis.made import BORROWERS, is_reader
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    Array,
    Choice,
    Closure,
    Instance,
    IterT,
    Known,
    Maybe,
    Method,
    ObjectT,
    OwnMethod,
    Ref,
    Scalar,
    TupleT,
    Type,
    holds,
)

METHODS = (python_types.FunctionType, python_types.MethodDescriptorType)
REAL: dict[type, Callable[[Builder, Any, Atom, Place | None], Atom]] = {}
"""By the class of what a Method stands for: the callable itself, made of that and of what is bound to it."""
MADE: dict[type, Callable[[Any], type]] = {}
"""By the same, the class of the callable itself."""


ASKING = (operator.is_, operator.is_not, callable, isinstance, type, id, ops.identity)
"""What asks a value something, and neither calls nor keeps it."""


def class_made(function: Any) -> type | None:
    """The class of the callable that such a Method stands for."""
    made = MADE.get(type(function))
    return None if made is None else made(function)


def hand(
    b: Builder,
    fn: Any,
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    result: Type,
    place: Place | None,
) -> tuple[Sequence[Atom], Sequence[tuple[str, Atom]]]:
    """The operands of a call as values: without references to cells, with real callables where it is not followed."""
    if b.context.flat_of:
        args, kwargs = read_now(b, fn, args, kwargs, result, place)
    types = [b.type(a) for a in (*args, *(v for _, v in kwargs))]
    called = fn.value if isinstance(fn, Const) else None if isinstance(fn, Var) else fn
    plain = isinstance(result, (Scalar, Array, Known)) or result == Instance(str) or is_reader(called, BORROWERS)
    if any(holds(t, Ref, ObjectT) for t in types):
        args, kwargs = opened(b, fn, args, kwargs, place)
        change = show if plain else give  # the result may hold what it is given
        args, kwargs = [change(b, a) for a in args], [(k, change(b, v)) for k, v in kwargs]
    followed = is_structured(result) or isinstance(result, (IterT, Method)) or isinstance(fn, FunctionRef)
    if not followed and not isinstance(result, OwnMethod) and called not in ASKING and not is_read(called, args):
        check_handed([b.type(a) for a in (*args, *(v for _, v in kwargs))], plain, place or b.place)
    if followed or not any(holds(t, Method) for t in types):
        return args, kwargs
    return [real(b, a, place) for a in args], [(k, real(b, v, place)) for k, v in kwargs]


def is_read(fn: Any, args: Sequence[Atom]) -> bool:
    """Whether this takes out a part that is known; or is our own, which keeps and puts back."""
    reads = fn in (operator.getitem, getattr, object.__getattribute__)
    return is_ours(fn) or reads and isinstance(args[1], Const)


def check_handed(types: Sequence[Type], plain: bool, place: Place | None) -> None:
    """Before a call that is not followed: refuse a callable that holds an argument, without the argument, whose
    attributes it may read; an argument with such a callable too, where the result may be or hold it, and is not
    `plain`: nobody would know any longer what the callable is bound to."""
    if any(is_bare(t) or not plain and holds(t, OwnMethod) for t in types):
        raise unknown(place)


def is_bare(t: Type) -> bool:
    """Whether values are or hold an argument's own method, and not in the argument."""
    inner = (t.type,) if isinstance(t, Maybe) else () if isinstance(t, ObjectT) else parts(t)
    return isinstance(t, OwnMethod) or any(map(is_bare, inner))


def unknown(place: Place | None) -> Unsupported:
    return Unsupported(
        "a callable that holds an argument, or a list, dict, set or array in one, where nobody knows which",
        place,
        "call it by its name (net.act(x), items.append(x)), or hand it the object when it is called",
    )


def read_now(
    b: Builder, fn: Any, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]], result: Type, place: Place | None
) -> tuple[Sequence[Atom], Sequence[tuple[str, Atom]]]:
    """The operands with what each `a.flat` among them gives now, for a call that reads it at once."""
    given = [*args, *(v for _, v in kwargs)]
    if is_structured(result) or isinstance(result, (IterT, Method)) or not any(goes_through_flat(b, a) for a in given):
        return args, kwargs
    at_once = isinstance(result, (Scalar, Array)) and not isinstance(fn, FunctionRef)
    if not at_once or not all(a in b.context.flat_of or not goes_through_flat(b, a) for a in given):
        raise Unsupported("an a.flat that goes where it is not followed", place or b.place, "use a.ravel() or a there")
    return [as_now(b, a) for a in args], [(k, as_now(b, v)) for k, v in kwargs]


def as_now(b: Builder, atom: Atom) -> Atom:
    """What `a.flat` gives now: the copy that stands for it is of the array as it was then."""
    whole = b.context.flat_of.get(atom)
    return atom if whole is None else b.call(np.ndarray.flatten, whole)


def goes_through_flat(b: Builder, atom: Atom) -> bool:
    """Whether a value is an `a.flat`, or holds or goes through one."""
    if atom in b.context.flat_of:
        return True
    t, made = b.type(atom), b.context.definition.get(atom) if isinstance(atom, Var) else None
    inner = made.args if made is not None and (is_structured(t) or isinstance(t, IterT)) else ()
    return any(goes_through_flat(b, a) for a in inner)


def opened(
    b: Builder, fn: Any, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]], place: Place | None
) -> tuple[list[Atom], list[tuple[str, Atom]]]:
    """The operands of a call that runs methods of objects among them, unseen: where such a method may write, these
    are objects from now on of which only the class is known."""
    fn = fn.value if isinstance(fn, Const) else None if isinstance(fn, Var) else fn
    asked, names = methods_asked(fn, [as_cell(b, a) for a in args], kwargs)
    if not any(special_methods_write(cell.cls, names) for cell in reached(b, asked)):
        return list(args), list(kwargs)
    values = hand_over(b, [*(as_cell(b, a) for a in args), *(v for _, v in kwargs)], place)
    return values[: len(args)], [(k, v) for (k, _), v in zip(kwargs, values[len(args) :])]


def as_cell(b: Builder, atom: Atom) -> Atom:
    """The object of which an atom is what it holds now."""
    if isinstance(b.type(atom), ObjectT):
        return next((Const(cell) for cell, s in b.context.store.states.items() if s.content is atom), atom)
    return atom


def real(b: Builder, atom: Atom, place: Place | None) -> Atom:
    """The value with real callables in it."""
    t = b.type(atom)
    if not holds(t, Method):
        return atom
    if is_structured(t):
        return b.build(t, [real(b, item, place) for item in b.items(atom)], getattr(atom, "name", ""))
    made = b.context.definition.get(atom) if isinstance(atom, Var) else None
    if isinstance(t, Method) and made is not None:
        return _callable(b, t.function, made, place)
    if not isinstance(t, IterT) or made is None:
        return atom
    args = [real(b, a, place) for a in made.args]
    return b.emit(made.fn, args, IterT(t.kind, tuple(map(b.type, args))), made.kwargs, made.result.name, made.place)


def chosen(b: Builder, atom: Atom, name: str, place: Place | None) -> Atom:
    """The value for where it is chosen when the code runs: a real callable, if there is one for it."""
    if not holds(b.type(atom), Method):
        return atom
    try:
        return real(b, atom, place)
    except Unsupported:
        raise Unsupported(
            f"{f'{name!r} is' if name else 'a name is bound to'} what grad, vjp or the like makes of a function on "
            "one path, and something else on another",
            place or b.place,
            "call it where it is made: y = grad(f)(x) if deep else f(x)",
        ) from None


def given(b: Builder, atom: Atom, name: str, place: Place | None) -> Atom:
    """The value for where something else is chosen on another path, which then nothing follows writes into."""
    try:
        return give(b, atom)
    except Unsupported:
        if not isinstance(b.type(atom), Method):
            raise
        raise Unsupported(
            f"{f'{name!r} is' if name else 'a name is bound to'} a method on one path, and something else on another",
            place or b.place,
            "call it where it is chosen: y = a.quick(x) if simple else a.careful(x)",
        ) from None


def choice(types: Sequence[Type]) -> Choice | None:
    """The type of a function that depends on the path, if all it can be are known callables."""
    options: list[Known] = []
    for t in types:
        for known in t.options if isinstance(t, Choice) else (t,):
            if not isinstance(known, Known) or not callable(known.value):
                return None
            if known not in options:
                options.append(known)
    return Choice(tuple(options))


def one_method(types: Sequence[Type]) -> bool:
    """Whether these are all one method, of perhaps different objects."""
    first = types[0]
    if not isinstance(first, Method) or not isinstance(first.function, METHODS):
        return False
    function = first.function
    return all(isinstance(t, Method) and t.function is function for t in types)


def without_functions(b: Builder, atom: Atom) -> Atom:
    """The value with None for its functions, which are constants where they are handed out."""
    t = b.type(atom)
    if isinstance(t, (Closure, Method)):
        return Const(None)
    if not is_structured(t) or not holds(t, Closure, Method):
        return atom
    return b.build(t, [without_functions(b, item) for item in b.items(atom)], getattr(atom, "name", ""))


def _callable(b: Builder, function: Any, made: Call, place: Place | None) -> Atom:
    held = b.items(made.args[0]) if isinstance(b.type(made.args[0]), TupleT) else made.args[:1]
    for atom in held:
        note_renamed(b, atom)
    for cell in reached(b, held):
        if cell.cls in (list, dict) and not is_opaque(b.type(b.context.store.states[cell].content)):
            refuse(b, cell, "may be written into by a function that is called unseen", place)
    if isinstance(made.fn, Const) and made.fn.value is getattr:
        return made.result  # real as it is
    make = REAL.get(type(function))
    if make is not None:
        return make(b, function, made.args[0], place)
    if isinstance(function, (python_types.FunctionType, python_types.BuiltinFunctionType)):
        t = Instance(python_types.MethodType)
        return b.emit(python_types.MethodType, (Const(function), made.args[0]), t, place=place)
    raise Unsupported(
        "a function that another one makes, given to code that is not followed",
        place or b.place,
        "call it in a loop or a comprehension of your own",
    )
