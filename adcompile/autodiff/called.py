"""Rules that are called, because their bodies have no source that could be inlined.

Builtins, functions of C, partial objects, callable objects and functions made of text alone. The
call stands in the derivative where the body would. It is differentiated again only if the body
has a rule itself.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Sequence
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, is_structured, rank
from adcompile.autodiff.cotangents import tangent_structure
from adcompile.errors import SourceError
from adcompile.frontend.lower import lower_function
from adcompile.ir.nodes import Atom, Const, Signature
from adcompile.ir.types import UNKNOWN, TupleT, Unknown
from adcompile.rules.registry import lookup


def is_readable(body: Any) -> bool:
    """Whether a rule's body can be inlined."""
    try:
        lower_function(body)
    except SourceError:
        return False
    return True


def is_called(body: Any) -> bool:
    """Whether a body can neither be inlined nor be differentiated by a rule of its own."""
    return not is_readable(body) and lookup(body) is None


def signature_of(body: Any) -> tuple[Signature, tuple[Any, ...]]:
    """The parameters of a body, and the defaults of the last positional ones; a callable that does
    not say takes whatever comes."""
    if is_readable(body):
        return lower_function(body).signature, body.__defaults__ or ()
    try:
        parameters = list(inspect.signature(body).parameters.values())
    except (ValueError, TypeError):
        return Signature(vararg="args"), ()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (
        Signature(
            tuple(p.name for p in positional),
            0,
            next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None),
            tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY),
            next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None),
        ),
        tuple(p.default for p in positional if p.default is not p.empty),
    )


def call_body(b: Builder, body: Any, args: Sequence[Atom], settings: Sequence[tuple[str, Atom]], count: int) -> Atom:
    """The results of a body that cannot be read, as a tuple of `count`."""
    if lookup(body) is None:
        return b.emit(rt.called, (Const(body), Const(count), *args), TupleT((UNKNOWN,) * count), settings)
    made = b.dispatch(Const(body), args, settings)
    if is_structured(b.type(made)) and len(b.items(made)) == count:
        return made
    items = [made] if count == 1 else [b.call(operator.getitem, made, k) for k in range(count)]
    return b.build_tuple(*items)


def call_pullback(b: Builder, pull: Atom, y_bar: Atom, count: int) -> Atom:
    """The cotangents of a pullback that a body gave."""
    return b.emit(rt.called, (pull, Const(count), y_bar), TupleT((UNKNOWN,) * count))


def partials_called(b: Builder, made: Atom, y: Atom) -> Atom:
    """The partial derivatives that a call gave; of a number, numbers."""
    if rank(b.type(y)) == 0:
        return b.build_tuple(*(fitted(b, p, y) for p in b.items(made)))
    return b.build_tuple(*(b.emit(rt.partial, (p,), UNKNOWN) for p in b.items(made)))


def fitted(b: Builder, g: Atom, like: Atom) -> Atom:
    """A tangent or cotangent that a call gave, in the class and dtype of what it belongs to."""
    t = b.type(like)
    return b.emit(rt.fitted, (g, like), tangent_structure(t)) if not isinstance(t, Unknown) else g
