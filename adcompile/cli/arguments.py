"""The abstract types of a function's arguments: from a signature, an example or annotations."""

from __future__ import annotations

import inspect
import typing
from types import FunctionType
from typing import Any

import numpy as np

from adcompile.cli.locate import Located, describe
from adcompile.errors import AdcompileError, NotDifferentiable, Unsupported, place_of
from adcompile.frozen import frozen
from adcompile.ir.abstract import type_of
from adcompile.ir.signature import SignatureError, parse, spell
from adcompile.ir.types import Known, Scalar, Seq, TupleT, Type


@frozen
class Call:
    """The types of a call: by position, then keyword-only ones by name; `given` is how many were
    asked for, the others are defaults."""

    types: tuple[Type, ...]
    kwtypes: tuple[tuple[str, Type], ...] = ()
    given: int = 0

    @property
    def text(self) -> str:
        """The signature of what was given."""
        return ", ".join(map(spell, (*self.types, *(t for _, t in self.kwtypes))[: self.given]))


def parameters(function: FunctionType) -> list[inspect.Parameter]:
    """The parameters of a function. Raises Unsupported for *args and **kwargs."""
    found = list(inspect.signature(function, follow_wrapped=False).parameters.values())
    for p in found:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            star = "*" if p.kind is p.VAR_POSITIONAL else "**"
            raise Unsupported(
                f"{function.__name__}() takes {star}{p.name}, which no signature can give",
                place_of(function),
                "write a function with named parameters that calls it",
            )
    return found


def call_types(located: Located, signature: str | None, example: str | None) -> Call:
    """The types to compile for. Raises an AdcompileError that says what to write."""
    if signature is not None:
        function = located.function
        try:
            return _complete(located, list(parse(signature)), f"the signature ({signature})")
        except SignatureError as error:
            raise SignatureError(error.message, error.place or place_of(function), error.remedy) from None
    if example is not None:
        values = evaluate(located, example, "--example")
        return _complete(located, [type_of(v, objects=True) for v in values], "the example")
    return _complete(located, _annotated(located), "its annotations")


def evaluate(located: Located, text: str, option: str) -> tuple[Any, ...]:
    """The values of `text`, comma-separated expressions in the namespace of the module and np."""
    names = {"np": np, **vars(located.module)}
    try:
        code = compile(f"({text.strip()},)" if text.strip() else "()", option, "eval")
        return eval(code, names)
    except AdcompileError:
        raise
    except (Exception, SystemExit) as error:  # whatever the user's expression raises
        remedy = 'give the arguments as Python expressions: "np.ones(3), 2.0"'
        raise NotDifferentiable(f"{option} {text!r}: {describe(error)}", place_of(located.function), remedy) from error


def _complete(located: Located, types: list[Type], what: str) -> Call:
    """Fill in the types of what it is bound to and of defaults. Raises NotDifferentiable for too few or too many."""
    function, bound = located.function, len(located.leading)
    wanted = parameters(function)
    types = [*(type_of(v, objects=True) for v in located.leading), *types]
    given = len(types)
    needed = [p.name for p in wanted[given:] if p.default is p.empty]
    if given > len(wanted) or needed:
        names, counts = ", ".join(p.name for p in wanted[bound:]), f"{given - bound} of {len(wanted) - bound}"
        raise NotDifferentiable(
            f"{function.__name__}() takes {names}: {what} gives {counts}",
            place_of(function),
            "give one type for each argument, separated by commas",
        )
    types = [*types, *(type_of(p.default, ints=True) for p in wanted[given:])]
    count = sum(p.kind is not p.KEYWORD_ONLY for p in wanted)
    keywords = tuple((p.name, t) for p, t in zip(wanted[count:], types[count:]))
    return Call(tuple(types[:count]), keywords, given)


def _annotated(located: Located) -> list[Type]:
    """The types that annotations name, up to the first parameter whose default says more."""
    function = located.function
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError, SyntaxError, AttributeError):
        hints = dict(function.__annotations__)
    out: list[Type] = []
    for p in parameters(function)[len(located.leading) :]:
        found = _of_annotation(function, p.name, hints.get(p.name))
        if found is None and p.default is p.empty:
            raise _unknown(function, p.name, hints.get(p.name))
        if found is None:
            break
        out.append(found)
    return out


def _of_annotation(function: FunctionType, name: str, hint: Any) -> Type | None:
    """The type that an annotation tells; None: it does not."""
    for extra in getattr(hint, "__metadata__", ()):  # Annotated[np.ndarray, "float64[:]"]
        if isinstance(extra, str):
            return _annotated_text(function, name, extra)
    if hint in (float, int, bool, complex) or isinstance(hint, type) and issubclass(hint, np.number):
        return Scalar(frozenset({hint}))
    if hint is type(None):
        return Known(None)
    items = [_of_annotation(function, name, item) for item in typing.get_args(hint) if item is not ...]
    origin = typing.get_origin(hint)
    if origin not in (tuple, list) or not items or None in items:
        return None
    known = [item for item in items if item is not None]
    return Seq(known[0], origin) if origin is list or ... in typing.get_args(hint) else TupleT(tuple(known))


def _unknown(function: FunctionType, name: str, hint: Any) -> NotDifferentiable:
    what = "has no annotation" if hint is None else f"is annotated {_name(hint)}, which tells no dtype and dimensions"
    return NotDifferentiable(
        f"the type of argument {name!r} of {function.__name__}() is not known: it {what}",
        place_of(function),
        'give --signature, such as "float64[:,:], float", or --example "np.ones((2, 3)), 1.0"',
    )


def _annotated_text(function: FunctionType, name: str, text: str) -> Type:
    """The type that the text of an annotation names. Raises SignatureError at the function."""
    try:
        found = parse(text)
    except SignatureError as error:
        raise SignatureError(
            f"the annotation of {name!r}: {error.message}", place_of(function), error.remedy
        ) from None
    if len(found) != 1:
        message = f"the annotation of {name!r} names {len(found)} types: {text!r}"
        raise SignatureError(message, place_of(function), "write one type for one argument, such as float64[:,:]")
    return found[0]


def _name(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) else str(hint)
