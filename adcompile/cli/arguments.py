"""The abstract types of a function's arguments: from a signature, an example or annotations."""

from __future__ import annotations

import inspect
import typing
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from adcompile.cli.locate import Located, describe
from adcompile.errors import AdcompileError, NotDifferentiable, Unsupported, place_of
from adcompile.ir.abstract import type_of
from adcompile.ir.signature import SignatureError, parse, spell
from adcompile.ir.types import Known, Scalar, Type


@dataclass(frozen=True, slots=True)
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
    function = located.function
    if signature is not None:
        try:
            return _complete(function, list(parse(signature)), f"the signature ({signature})")
        except SignatureError as error:
            raise SignatureError(error.message, error.place or place_of(function), error.remedy) from None
    if example is not None:
        values = evaluate(located, example, "--example")
        return _complete(function, [type_of(v) for v in values], "the example")
    return _complete(function, _annotated(function), "its annotations")


def evaluate(located: Located, text: str, option: str) -> tuple[Any, ...]:
    """The values of `text`, comma-separated expressions in the namespace of the module and np."""
    names = {"np": np, **vars(located.module)}
    try:
        code = compile(f"({text.strip()},)" if text.strip() else "()", option, "eval")
        return eval(code, names)
    except AdcompileError:
        raise
    except Exception as error:  # whatever the user's expression raises
        remedy = 'give the arguments as Python expressions: "np.ones(3), 2.0"'
        raise NotDifferentiable(f"{option} {text!r}: {describe(error)}", place_of(located.function), remedy) from error


def _complete(function: FunctionType, types: list[Type], what: str) -> Call:
    """Fill in the types of defaults. Raises NotDifferentiable for too few or too many."""
    wanted = parameters(function)
    given = len(types)
    needed = [p.name for p in wanted[given:] if p.default is p.empty]
    if given > len(wanted) or needed:
        raise NotDifferentiable(
            f"{function.__name__}() takes {', '.join(p.name for p in wanted)}: {what} gives {given} of {len(wanted)}",
            place_of(function),
            "give one type for each argument, separated by commas",
        )
    types = [*types, *(type_of(p.default, ints=True) for p in wanted[given:])]
    count = sum(p.kind is not p.KEYWORD_ONLY for p in wanted)
    keywords = tuple((p.name, t) for p, t in zip(wanted[count:], types[count:]))
    return Call(tuple(types[:count]), keywords, given)


def _annotated(function: FunctionType) -> list[Type]:
    """The types that annotations name, up to the first parameter with a default and none."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError, SyntaxError, AttributeError):
        hints = dict(function.__annotations__)
    out: list[Type] = []
    for p in parameters(function):
        if p.name not in hints and p.default is not p.empty:
            break
        out.append(_of_annotation(function, p.name, hints.get(p.name)))
    return out


def _of_annotation(function: FunctionType, name: str, hint: Any) -> Type:
    for extra in getattr(hint, "__metadata__", ()):  # Annotated[np.ndarray, "float64[:]"]
        if isinstance(extra, str):
            (found,) = parse(extra)
            return found
    if hint in (float, int, bool, complex) or isinstance(hint, type) and issubclass(hint, np.number):
        return Scalar(frozenset({hint}))
    if hint is type(None):
        return Known(None)
    what = "has no annotation" if hint is None else f"is annotated {_name(hint)}, which tells no dtype and dimensions"
    raise NotDifferentiable(
        f"the type of argument {name!r} of {function.__name__}() is not known: it {what}",
        place_of(function),
        'give --signature, such as "float64[:,:], float", or --example "np.ones((2, 3)), 1.0"',
    )


def _name(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) else str(hint)
