"""Transforms met inside a function that is being specialised.

`grad(f)` inside differentiated code is a value whose call runs f and its derivative in place; a
module-level `df = grad(f)` likewise. The public classes and functions register here, since this
stage may not import them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.callables import bound
from adcompile.analysis.calls import class_handlers, handles
from adcompile.analysis.heap import Memo, look, settle
from adcompile.autodiff.arguments import check_objects, meant
from adcompile.autodiff.held import Held, again, as_then, hold, unpack
from adcompile.autodiff.jacobians import jacobian
from adcompile.autodiff.optional import where_writable
from adcompile.autodiff.state import put_back
from adcompile.autodiff.transform import conjugated, gradient, pull_back, pushforward
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import Array, Known, ListT, Scalar, TupleT, Type, differentiable, is_inexact

Kwargs = list[tuple[str, Atom]]
GRADIENTS = ("grad", "value_and_grad")
JACOBIANS = ("jacfwd", "jacrev", "jacobian")


@frozen
class Template:
    """A transform waiting for its function, which comes as the first argument of the call."""

    transform: str
    argnums: Any
    has_aux: bool


def call_transform(
    b: Builder, fun: Atom, template: Template, args: Sequence[Atom], kwargs: Kwargs, place: Place | None
) -> Atom:
    """The result of calling grad(fun), jacfwd(fun) or any other derivative function."""
    memo: Memo = {}  # what is given twice is one
    args, kwargs = [settle(b, a, memo) for a in args], [(k, settle(b, a, memo)) for k, a in kwargs]
    b.context.received.update({v: Const(cell) for cell, v in memo.items() if isinstance(v, Var)})
    transform, argnums, has_aux = template.transform, template.argnums, template.has_aux
    kwargs, at = meant(b, fun, argnums, args, kwargs, place)
    single = argnums is not None and not isinstance(argnums, (tuple, list))
    outermost, b.context.outermost = b.context.outermost, False
    if transform in JACOBIANS:
        matrix, aux = jacobian(b, transform, fun, args, kwargs, at, single, has_aux, place, outermost)
        return matrix if aux is None else b.build_tuple(matrix, aux)
    if transform == "elementwise_grad":
        bars = pull_back(b, fun, args, None, kwargs, wrt=at)
        out = [conjugated(b, bars[i]) for i in at]
        return out[0] if single else b.build_tuple(*out)
    value, aux, grads = gradient(b, fun, args, kwargs, at, has_aux)
    grads = [conjugated(b, g) for g in grads]
    out = grads[0] if single else b.build_tuple(*grads)
    if transform == "value_and_grad":
        head = value if aux is None else b.build_tuple(value, aux)
        return b.build_tuple(head, out)
    return out if aux is None else b.build_tuple(out, aux)


def register_derivative(cls: type, describe: Callable[[Any, Place | None], tuple[Any, str, Any, bool]]) -> None:
    """Calls of instances of `cls` are derivatives: `describe(value, place)` gives fun, transform, argnums, aux."""

    def call(b: Builder, value: Any, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        fun, transform, argnums, has_aux = describe(value, place)
        return call_transform(b, Const(fun), Template(transform, argnums, has_aux), args, kwargs, place)

    class_handlers[cls] = call


def _call_template(
    b: Builder, value: Template, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str
) -> Atom:
    fun, *rest = args
    return call_transform(b, fun, value, rest, kwargs, place)


class_handlers[Template] = _call_template


# -- the transforms as calls --------------------------------------------------------------------


def register_transform(fn: Any, *transforms: str) -> None:
    """Calls of `fn(f, argnums=…, has_aux=…)` give a derivative function: that of `transforms`, the
    first innermost. Called without f, it gives what takes f: a decorator."""

    @handles(fn, look=())
    def make(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        given = settings(fn, ("fun", "argnums", "has_aux"), args, kwargs, place)
        argnums = literal(b, given.get("argnums", Const(0)), place)
        has_aux = literal(b, given.get("has_aux", Const(False)), place)
        fun = given.get("fun", Const(None))
        if b.type(fun) == Known(None):
            return Const(Decorator(transforms, argnums, has_aux))
        return derived(b, fun, transforms, argnums, has_aux)


@frozen
class Decorator:
    """`grad(argnums=1)`: a transform waiting for its function, to give a function."""

    transforms: tuple[str, ...]
    argnums: Any
    has_aux: bool


def _decorate(b: Builder, value: Decorator, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return derived(b, args[0], value.transforms, value.argnums, value.has_aux)


class_handlers[Decorator] = _decorate


def derived(b: Builder, fun: Atom, transforms: Sequence[str], argnums: Any, has_aux: bool) -> Atom:
    """A value that calls the transforms of `fun`."""
    for transform in transforms:
        fun = bound(b, Template(transform, argnums, has_aux), fun, "derivative")
    return fun


def settings(
    fn: Any, names: Sequence[str], args: Sequence[Atom], kwargs: Kwargs, place: Place | None
) -> dict[str, Atom]:
    """The arguments of a transform by name."""
    given = dict(zip(names, args))
    for name, value in kwargs:
        if name not in names or name in given:
            raise Unsupported(f"{fn.__name__}() does not take {name!r} here", place, f"it takes {', '.join(names)}")
        given[name] = value
    if len(args) > len(names):
        raise Unsupported(f"{fn.__name__}() with {len(args)} arguments", place, f"it takes {', '.join(names)}")
    return given


def literal(b: Builder, atom: Atom, place: Place | None) -> Any:
    """A setting's value: a constant, a number of a module (which is guarded), or a tuple of these."""
    atom = look(b, atom)
    if b.known(atom):
        return b.value(atom)
    if isinstance(atom, Var) and atom in b.context.origin and isinstance(b.context.example.get(atom), int):
        ref, path = b.context.origin[atom]
        b.context.guard_type(ref, path, Known(b.context.example[atom]))
        return b.context.example[atom]
    if isinstance(b.type(atom), (TupleT, ListT)):
        return tuple(literal(b, item, place) for item in b.items(atom))
    raise Unsupported("a transform with settings that are not constants", place, "write argnums as a literal")


# -- products with the Jacobian -----------------------------------------------------------------


@frozen
class Pullback:
    """The pullback of `vjp(f, *primals)`, called with what it holds first: it runs f again and
    reverses it. `restore`: what f has written into is put back."""

    held: Held
    has_aux: bool = False
    restore: bool = True


def call_pullback(
    b: Builder, value: Pullback, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str
) -> Atom:
    if len(args) != 2 or kwargs:
        raise Unsupported(
            "a pullback inside a function takes one cotangent, of the structure of the result",
            place,
            "write pullback(y); let the function return what it writes, and add to buffers yourself",
        )
    seed, held = settle(b, args[1]), unpack(b, args[0], value.held)
    with as_then(b, value.held, held.contents, value.restore):
        bar = conjugated(b, seed)
        grads = pull_back(b, held.fun, held.primals, bar, has_aux=value.has_aux, instead=held.instead)
    role, b.role = b.role, "adjoint"
    for array, copy in zip(held.arrays, held.copies) if value.restore else ():
        where_writable(b, array, partial(put_back, copy=copy))
    b.role = role
    return b.build_tuple(*(conjugated(b, g) for g in grads))


class_handlers[Pullback] = call_pullback


def register_vjp(fn: Any) -> None:
    """`vjp(f, *primals)` inside a function."""

    @handles(fn, look=())
    def call(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        given = settings(fn, ("has_aux", "copy", "restore"), (), kwargs, place)
        has_aux = bool(literal(b, given.get("has_aux", Const(False)), place))
        restore = bool(literal(b, given.get("restore", Const(True)), place))
        fun, *primals = args
        result, packed, held = hold(b, fun, primals, place, restore)
        check_objects(b, [*primals, result], place)
        pullback = bound(b, Pullback(held, has_aux, restore), packed, "pullback")
        if not has_aux:
            return b.build_tuple(result, pullback)
        value, aux = b.items(result)[:2]
        return b.build_tuple(value, pullback, aux)


def register_jvp(fn: Any) -> None:
    """`jvp(f, primals, tangents, has_aux=…)` inside a function."""

    @handles(fn, look=())
    def call(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        given = settings(fn, ("fun", "primals", "tangents", "has_aux"), args, kwargs, place)
        has_aux = bool(literal(b, given.get("has_aux", Const(False)), place))
        values, pairs = along(b, fn, given, place)
        result, dot = pushforward(b, given["fun"], values, [], pairs, has_aux)
        check_objects(b, [*(values[i] for i, _ in pairs), result], place)
        if not has_aux:
            return b.build_tuple(result, dot)
        value, aux = b.items(result)[:2]
        return b.build_tuple(value, dot, aux)


def register_batched(fn: Any) -> None:
    """`jvp_batched(…)` inside a function, where nothing differentiates code for batches."""

    @handles(fn, look=())
    def call(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        raise Unsupported(f"{fn.__name__}() inside a derivative", place, "call jvp there, for each tangent")


def register_hvp(fn: Any) -> None:
    """`hvp(f, primals, tangents, argnums=…)` inside a function."""

    @handles(fn, look=())
    def call(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        given = settings(fn, ("fun", "primals", "tangents", "argnums"), args, kwargs, place)
        values, pairs = along(b, fn, given, place)
        argnums = literal(b, given.get("argnums", Const(0)), place)
        gradient_of = derived(b, given["fun"], ("grad",), argnums, False)
        return pushforward(b, gradient_of, values, [], pairs)[1]


def along(
    b: Builder, fn: Any, given: dict[str, Atom], place: Place | None
) -> tuple[list[Atom], list[tuple[int, Atom]]]:
    """The primals of a product with the Jacobian as they are, and the tangents of those that have one."""
    items: list[list[Atom]] = []
    for what in ("primals", "tangents"):
        value = given.get(what)
        value = None if value is None else look(b, value)
        if value is None or not isinstance(b.type(value), (TupleT, ListT)):
            raise Unsupported(f"{what} of {fn.__name__}() that are not a tuple", place, "write (x,)")
        items.append(b.items(value))
    values, dots = items[0], [settle(b, d) for d in items[1]]
    if len(values) != len(dots):
        raise Unsupported(f"{len(values)} primals and {len(dots)} tangents in {fn.__name__}()", place, "give one each")
    return values, given_tangents(b, [settle(b, v) for v in values], dots)


def given_tangents(b: Builder, values: Sequence[Atom], dots: Sequence[Atom]) -> list[tuple[int, Atom]]:
    pairs = [(i, d) for i, d in enumerate(dots) if not (b.known(d) and b.value(d) is None)]
    return [(i, as_tangent(b, values[i], d)) for i, d in pairs if differentiable(b.type(values[i]))]


def as_tangent(b: Builder, value: Atom, dot: Atom) -> Atom:
    """A tangent (or cotangent) in the class of its value: a 1 that was given for 1.0."""
    t, d = b.type(value), b.type(dot)
    if is_structured(t) and is_structured(d):
        return b.build(d, [as_tangent(b, v, x) for v, x in zip(b.items(value), b.items(dot))])
    if d == Known(None) or not differentiable(t) or not isinstance(t, (Scalar, Known, Array)) or _is_tangent(d):
        return dot
    return b.emit(rt.like, (dot, value), t) if not isinstance(t, Known) else b.call(type(t.value), dot)


def _is_tangent(t: Type) -> bool:
    if isinstance(t, Known):
        return is_inexact(type(t.value))
    if isinstance(t, Scalar):
        return all(is_inexact(k) for k in t.kinds)
    return not isinstance(t, Array) or t.dtype.kind in "fc"


def followed_back(
    b: Builder, value: rt.Back, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str
) -> Atom:
    """The pullback of a call that was looked up when the code ran, followed in its turn."""
    y_bar, *primals = args
    active = [k for k in value.wrt if differentiable(b.type(primals[k]))]
    bars = pull_back(b, Const(value.fn), primals, settle(b, y_bar), wrt=active)
    return b.build_tuple(*(_or_zero(b, bars[k], primals[k]) for k in value.wrt))


def followed_forth(
    b: Builder, value: rt.Forth, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str
) -> Atom:
    count = len(args) - len(value.wrt)
    dots = [(k, settle(b, d)) for k, d in zip(value.wrt, args[count:])]
    result, dot = pushforward(b, Const(value.fn), args[:count], [], dots)
    return b.build_tuple(result, _or_zero(b, dot, result))


def _or_zero(b: Builder, tangent: Atom, value: Atom) -> Atom:
    """What running code gets where a value has no tangent: that of a whole number is 0."""
    return b.call(rt.zeros_like, value) if b.type(tangent) == Known(None) else tangent


class_handlers[rt.Back] = followed_back
class_handlers[rt.Forth] = followed_forth


@frozen
class Push:
    """The linear function of `linearize(f, *primals)`, called with what it holds first."""

    held: Held


def call_push(b: Builder, value: Push, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    packed, *dots = args
    held, dots = unpack(b, packed, value.held), [settle(b, d) for d in dots]
    if len(dots) != len(held.primals) or kwargs:
        raise Unsupported(f"{len(held.primals)} primals and {len(dots)} tangents", place, "give one each")
    role, b.role = b.role, "tangent"
    held = again(b, value.held, held)
    b.role = role
    with as_then(b, value.held, held.contents, False):
        primals = [settle(b, p) for p in held.primals]
        dots = given_tangents(b, primals, dots)
        return pushforward(b, held.fun, primals, [], dots, restore=True, instead=held.instead)[1]


class_handlers[Push] = call_push


def register_linearize(fn: Any) -> None:
    """`linearize(f, *primals)` inside a function."""

    @handles(fn, look=())
    def call(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        settings(fn, (), (), kwargs, place)
        fun, *primals = args
        result, packed, held = hold(b, fun, primals, place, False)
        check_objects(b, [*primals, result], place)
        return b.build_tuple(result, bound(b, Push(held), packed, "push"))
