"""Transforms met inside a function that is being specialised.

`grad(f)` inside differentiated code is a value whose call runs f and its derivative in place; a
module-level `df = grad(f)` likewise. The public classes and functions register here, since this
stage may not import them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.callables import bound
from adcompile.analysis.calls import class_handlers, handles
from adcompile.autodiff.transform import gradient, pull_back, pushforward
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Scalar, TupleT, Unknown, differentiable, is_complex

Kwargs = list[tuple[str, Atom]]


@dataclass(frozen=True)
class Template:
    """A transform waiting for its function, which comes as the first argument of the call."""

    transform: str
    argnums: Any
    has_aux: bool


def call_gradient(
    b: Builder, fun: Atom, transform: str, argnums: Any, has_aux: bool, args: Sequence[Atom], kwargs: Kwargs
) -> Atom:
    """The result of calling grad(fun) or value_and_grad(fun)."""
    if argnums is None:
        numbers = tuple(i for i, a in enumerate(args) if differentiable(b.type(a)))
    else:
        numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    value, aux, grads = gradient(b, fun, list(args), kwargs, numbers, has_aux)
    grads = [conjugated(b, g) for g in grads]
    out = b.build_tuple(*grads) if argnums is None or isinstance(argnums, tuple) else grads[0]
    if transform == "value_and_grad":
        head = value if aux is None else b.build_tuple(value, aux)
        return b.build_tuple(head, out)
    return out if aux is None else b.build_tuple(out, aux)


def conjugated(b: Builder, g: Atom) -> Atom:
    """A cotangent as users see it: the conjugate, where it is complex."""
    t = b.type(g)
    if is_structured(t):
        return b.build(t, [conjugated(b, item) for item in b.items(g)])
    if not is_complex(t) or isinstance(t, Unknown):
        return g
    return b.call(complex.conjugate if t == Scalar(frozenset({complex})) else np.conjugate, g)


def register_derivative(cls: type, describe: Callable[[Any], tuple[Any, str, Any, bool]]) -> None:
    """Calls of instances of `cls` are derivatives: `describe` gives fun, transform, argnums, aux."""

    def call(b: Builder, value: Any, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        fun, transform, argnums, has_aux = describe(value)
        return call_gradient(b, Const(fun), transform, argnums, has_aux, args, kwargs)

    class_handlers[cls] = call


def _call_template(
    b: Builder, value: Template, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str
) -> Atom:
    fun, *rest = args
    return call_gradient(b, fun, value.transform, value.argnums, value.has_aux, rest, kwargs)


class_handlers[Template] = _call_template


def register_transform(fn: Any, transform: str) -> None:
    """Calls of `fn(f, argnums=…, has_aux=…)` give a derivative function."""

    @handles(fn)
    def make(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        settings = dict(kwargs)
        names = ("fun", "argnums", "has_aux")
        settings.update(zip(names[1:], args[1:]))
        fun = args[0] if args else settings.get("fun")
        argnums = literal(b, settings.get("argnums", Const(0)), place)
        has_aux = literal(b, settings.get("has_aux", Const(False)), place)
        if fun is None:
            raise Unsupported(f"{transform} without a function", place, f"write {transform}(f)")
        return bound(b, Template(transform, argnums, has_aux), fun, "derivative")


def literal(b: Builder, atom: Atom, place: Place | None) -> Any:
    """A setting's value: a constant, or a tuple of constants."""
    if b.known(atom):
        return b.value(atom)
    if isinstance(b.type(atom), TupleT):
        return tuple(literal(b, item, place) for item in b.items(atom))
    raise Unsupported("a transform with settings that are not constants", place, "write argnums as a literal")


@dataclass(frozen=True)
class Pullback:
    """The pullback of `vjp(f, *primals)`, called with the tuple (f, *primals) first: it runs f
    again and reverses it."""


def call_pullback(
    b: Builder, value: Pullback, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str
) -> Atom:
    packed, seed = args
    fun, *primals = b.items(packed)
    grads = pull_back(b, fun, primals, conjugated(b, seed))
    return b.build_tuple(*(conjugated(b, g) for g in grads))


class_handlers[Pullback] = call_pullback


def register_vjp(fn: Any) -> None:
    """`vjp(f, *primals)` inside a function."""

    @handles(fn)
    def call(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        if kwargs:
            raise Unsupported("vjp with settings inside a function", place, "call vjp(f, *primals)")
        fun, *primals = args
        value = b.dispatch(fun, primals, [])
        return b.build_tuple(value, bound(b, Pullback(), b.build_tuple(*args), "pullback"))


def register_jvp(fn: Any) -> None:
    """`jvp(f, primals, tangents)` inside a function."""

    @handles(fn)
    def call(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        settings = dict(kwargs)
        fun, primals, tangents = args[0], *(
            args[k] if len(args) > k else settings[n] for k, n in ((1, "primals"), (2, "tangents"))
        )
        values, dots = b.items(primals), b.items(tangents)
        pairs = [(i, d) for i, d in enumerate(dots) if not (b.known(d) and b.value(d) is None)]
        value, dot = pushforward(b, fun, values, [], pairs)
        return b.build_tuple(value, dot)
