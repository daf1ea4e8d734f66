"""The transforms: check the arguments, find the specialisation, hand back what the user expects.

Everything that differentiates is behind `pipeline.derive`; what crosses the border is the affair
of `boundary`, which function and which arguments are meant that of `targets`.
"""

from __future__ import annotations

import functools
import sys
import types as pytypes
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np

from adcompile import pipeline, tangents
from adcompile.autodiff import nested
from adcompile.backend.cache import BUILDING, Dispatcher, Entry
from adcompile.boundary import (
    ALONE,
    accept,
    apart,
    conj,
    getrefcount,
    own_tree,
    project,
    project_array,
    project_scalar,
    space_of,
)
from adcompile.ir.abstract import type_of
from adcompile.refusals import differentiated, refuse_self_reference
from adcompile.targets import Bound, Target, arity, bind, innermost, positions, resolve


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of a function; `argnums` are positions, None: whatever has a tangent."""

    transform: str  # "grad", "value_and_grad", "vjp", "jvp", or one that is a function of its own
    argnums: Any
    has_aux: bool = False

    def from_start(self, count: int) -> Plan:
        """The plan for a call with so many arguments by position: without positions from the end."""
        at = self.positions
        if not any(isinstance(i, int) and i < 0 for i in at):
            return self
        at = tuple(i + count if isinstance(i, int) and -count <= i < 0 else i for i in at)
        return Plan(self.transform, at if isinstance(self.argnums, tuple) else at[0], self.has_aux)

    @property
    def positions(self) -> tuple[Any, ...]:
        """What is asked for, always a tuple."""
        return self.argnums if isinstance(self.argnums, tuple) else (self.argnums,)

    @property
    def names(self) -> tuple[str, ...]:
        """The keyword-only parameters among what is asked for."""
        return tuple(i for i in self.positions if isinstance(i, str))


@dataclass(frozen=True, eq=False, slots=True)
class Made:
    """A specialisation: what the pipeline gave, and the positions it is the derivative for."""

    derived: Any
    wrt: tuple[int, ...]
    invoke: Callable[..., Any]


# -- specialisations ----------------------------------------------------------------------------

_tables: weakref.WeakKeyDictionary[pytypes.CodeType, dict[Hashable, Dispatcher]] = weakref.WeakKeyDictionary()


def _nest(fun: Any) -> tuple[Hashable, ...]:
    """The transforms around the innermost function."""
    out: list[Hashable] = []
    while isinstance(fun, Derivative):
        out.append(fun.plan)
        fun = fun.fun
    return tuple(out)


def _dispatcher(function: Any, plan: Plan, bound: Bound | None = None) -> Dispatcher:
    """The specialisations of a function (by its code: fresh closures share them) for a plan."""
    plain = innermost(function)
    filled, names = (bound.filled, bound.names) if bound else (frozenset[int](), ())
    key = (id(plain.__globals__), _nest(function), plan, filled, names)
    with BUILDING:
        table = _tables.setdefault(plain.__code__, {})
        if key not in table:
            build = functools.partial(_build, plan, names, plain.__globals__)
            table[key] = Dispatcher(build, f"{plain.__name__}()", ints=filled)
        return table[key]


def clear() -> None:
    """Forget every specialisation; the next call of a derivative compiles anew."""
    with BUILDING:
        for table in list(_tables.values()):
            for dispatcher in table.values():
                dispatcher.clear()
        _tables.clear()


_KINDS: dict[str, Literal["joint", "forward", "split"]] = {
    "grad": "joint",
    "value_and_grad": "joint",
    "jvp": "forward",
    "vjp": "split",
}
"""What the pipeline makes. Jacobians and the like are functions that it follows, `autodiff.nested` says how."""


def _build(
    plan: Plan, names: tuple[str, ...], _namespace: Any, fun: Any, args: tuple[Any, ...], ints: frozenset[int]
) -> tuple[Callable[..., Any], Any, Made]:
    """Derive for these arguments. `_namespace` is held so that its identity stays its own."""
    count = len(args) - len(names)
    refuse_self_reference(innermost(fun))
    wrt = differentiated(fun, plan.argnums, args, names)
    types = tuple(type_of(arg, ints=i in ints, objects=True) for i, arg in enumerate(args))
    kind = _KINDS.get(plan.transform)
    if kind is None:
        at = tuple(i if i < count else names[i - count] for i in wrt)
        whole = Derivative(fun, plan.transform, at if isinstance(plan.argnums, tuple) else at[0], plan.has_aux)
        request = pipeline.Request("primal")
        derived = pipeline.derive(whole, request, types[:count], tuple(zip(names, types[count:])))
        made = Made(derived, wrt, _invoker(derived))
        return _function_run(made, plan.has_aux), derived.guards, made
    bare = kind == "joint" and not isinstance(plan.argnums, tuple)
    request = pipeline.Request(kind, wrt, plan.transform == "value_and_grad", plan.has_aux, bare)
    derived = pipeline.derive(fun, request, types[:count], tuple(zip(names, types[count:])))
    made = Made(derived, wrt, _invoker(derived))
    run = _gradient_run(made, plan, args) if request.kind == "joint" else made.invoke
    return run, derived.guards, made


def _invoker(derived: Any) -> Callable[..., Any]:
    """`invoke(fun, args, tangents)`: the generated function, with the cells of this `fun`."""
    call, captured = derived.call, derived.captured

    def invoke(fun: Any, args: tuple[Any, ...], extra: tuple[Any, ...] = ()) -> Any:
        return call(*args, *captured(fun), *extra)

    return invoke


def _function_run(made: Made, has_aux: bool) -> Callable[..., Any]:
    """`run(fun, args)` for a transform whose result the generated function gives as it is."""
    invoke = made.invoke

    def run(fun: Any, args: tuple[Any, ...]) -> Any:
        raw = [invoke(fun, args)]
        if not has_aux:
            return apart(raw, 0, set())
        pair = list(raw.pop())
        return apart(pair, 0, set()), pair[1]

    return run


# -- gradients ----------------------------------------------------------------------------------


def _gradient_run(made: Made, plan: Plan, example: tuple[Any, ...]) -> Callable[..., Any]:
    """`run(fun, args)`: call the generated function and project what it gives."""
    single = not isinstance(plan.argnums, tuple)
    if single and plan.transform == "grad" and not plan.has_aux:
        quick = _quick_run(made, example[made.wrt[0]], captured_free=not made.derived.has_cells)
        if quick is not None:
            return quick
    value, aux, wrt, invoke = plan.transform == "value_and_grad", plan.has_aux, made.wrt, made.invoke

    def run(fun: Any, args: tuple[Any, ...]) -> Any:
        raw = invoke(fun, args)
        head: Any = None
        if value:
            head, raw = raw
        elif aux:
            raw, head = raw
        raw = (raw,) if single else raw
        seen: set[int] = set()
        raw = _conjugated(raw)
        grads = tuple([project(raw, k, space_of(args[i]), seen) for k, i in enumerate(wrt)])
        out = grads[0] if single else grads
        if value:
            return head, out
        return (out, head) if aux else out

    return run


def _quick_run(made: Made, example: Any, captured_free: bool) -> Callable[..., Any] | None:
    """One real scalar or array and nothing else asked for: the path with the least overhead."""
    cls: type = type(example)
    call, invoke, i = made.derived.call, made.invoke, made.wrt[0]
    if cls is np.ndarray:
        dtype = example.dtype
        if dtype.kind == "c":
            return None

        def run_array(fun: Any, args: tuple[Any, ...]) -> Any:
            g = call(*args) if captured_free else invoke(fun, args)
            # new memory that nobody else holds: what `own` would return, for less
            if g.__class__ is np.ndarray and g.base is None and getrefcount(g) < ALONE and g.shape == args[i].shape:
                if g.dtype is dtype:
                    return g
            raw = (g,)
            del g
            return project_array(raw, 0, args[i])

        return run_array
    if not tangents.is_number_space(cls) or isinstance(example, (complex, np.complexfloating)):
        return None

    def run(fun: Any, args: tuple[Any, ...]) -> Any:
        g = call(*args) if captured_free else invoke(fun, args)
        return g if g.__class__ is cls else project_scalar(g, cls)

    return run


def _conjugated(raw: tuple[Any, ...]) -> tuple[Any, ...]:
    """User gradients of complex values are the conjugates of cotangents."""
    return tuple([conj(raw[k]) if _any_complex(raw[k]) else raw[k] for k in range(len(raw))])


def _any_complex(t: Any) -> bool:
    return any(np.iscomplexobj(leaf) for leaf in tangents.leaves(t))


class Derivative:
    """The gradient of a function as a function; see `grad` and `value_and_grad`.

    Immutable; equal and hashable by function, transform, argnums and has_aux; picklable where
    its function is.
    """

    fun: Any
    plan: Plan
    target: Target
    _dispatcher: Dispatcher
    _numbers: dict[tuple[type, ...], Entry]
    _others: dict[tuple[type, ...], tuple[Callable[[tuple[Any, ...]], Hashable], dict[Hashable, Entry]]]
    _function: Any
    _arity: int
    __slots__ = (
        "__dict__", "__weakref__", "_arity", "_dispatcher", "_function", "_numbers", "_others", "fun", "plan", "target"
    )

    def __init__(self, fun: Callable[..., Any], transform: str, argnums: Any = 0, has_aux: bool = False) -> None:
        put = functools.partial(object.__setattr__, self)
        put("fun", fun)
        inner = resolve(fun)
        at = positions(argnums, inner)
        put("plan", Plan(transform, at, has_aux))
        whole = inner.function is fun
        function = self if whole else Derivative(inner.function, transform, at, has_aux)
        put("target", Target(function, inner.leading, inner.keywords))
        put("_function", inner.function)
        put("_arity", arity(inner))
        dispatcher = _dispatcher(inner.function, self.plan)
        put("_dispatcher", dispatcher)
        put("_numbers", dispatcher.numbers)
        put("_others", dispatcher.others)
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            if hasattr(fun, name):
                self.__dict__[name] = getattr(fun, name)
        self.__dict__["__wrapped__"] = fun

    @property
    def argnums(self) -> Any:
        return self.plan.argnums

    @property
    def transform(self) -> str:
        return self.plan.transform

    @property
    def has_aux(self) -> bool:
        return self.plan.has_aux

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != self._arity:
            return self._call_bound(args, kwargs)
        classes = tuple(map(type, args))
        entry = self._numbers.get(classes)
        if entry is None and classes in self._others:
            keyer, entries = self._others[classes]
            entry = entries.get(keyer(args))
        if entry is None or not entry.valid():
            entry = self._dispatcher.find(self._function, args)
        return entry.run(self._function, args)

    def _call_bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        entry, bound = self.specialise(args, kwargs)
        return entry.run(self._function, (*bound.args, *bound.values))

    def specialise(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Entry, Bound]:
        """The specialisation for these arguments, made if need be."""
        outer = self.target
        plan = self.plan.from_start(len(outer.leading) + len(args))
        bound = bind(Target(self._function, outer.leading, outer.keywords), args, kwargs, plan.names)
        dispatcher = _dispatcher(self._function, plan, bound)
        return dispatcher.find(self._function, (*bound.args, *bound.values)), bound

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else pytypes.MethodType(self, instance)

    def __adcompile_key__(self) -> Hashable:
        return self.plan

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a derivative is immutable; cannot set {name!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Derivative) and (self.fun, self.plan) == (other.fun, other.plan)

    def __hash__(self) -> int:
        return hash((self.fun, self.plan))

    def __repr__(self) -> str:
        name = getattr(self.fun, "__qualname__", repr(self.fun))
        more = "" if self.argnums == 0 else f", argnums={self.argnums!r}"
        return f"{self.transform}({name}{more}{', has_aux=True' if self.has_aux else ''})"

    def __reduce__(self) -> Any:
        # as a decorator, the derivative is what the function's name means
        name: str = self.__dict__.get("__qualname__", "")
        space: Any = vars(sys.modules.get(self.__module__, object))
        for part in name.split("."):
            space = space.get(part) if isinstance(space, dict) else getattr(space, part, None)
        if space is self:
            return name
        return _unpickle, (self.fun, self.transform, self.argnums, self.has_aux)


def _unpickle(fun: Any, transform: str, argnums: Any, has_aux: bool) -> Derivative:
    return Derivative(fun, transform, argnums, has_aux)


@overload
def grad(fun: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Derivative: ...
@overload
def grad(fun: None = None, argnums: Any = 0, has_aux: bool = False) -> Callable[[Callable[..., Any]], Derivative]: ...
def grad(fun: Callable[..., Any] | None = None, argnums: Any = 0, has_aux: bool = False) -> Any:
    """The gradient of a function with a real scalar result, as a function of the same arguments.

    `argnums` says with respect to what: a position, a parameter's name, or a tuple of these, for
    which the result is a tuple. A gradient has the type, shape and dtype of its argument;
    arguments may be numbers, arrays, and tuples, lists and dicts of these. With `has_aux` the
    function returns `(value, aux)` and the derivative `(gradient, aux)`. Without `fun`: a
    decorator. For complex arguments the gradient is ∂u/∂x − i·∂u/∂y.

    Raises NotDifferentiable (a TypeError) if the argument or the result has no derivative;
    errors of the function itself come through as they are.
    """
    return _transform("grad", fun, argnums, has_aux)


@overload
def value_and_grad(fun: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Derivative: ...
@overload
def value_and_grad(
    fun: None = None, argnums: Any = 0, has_aux: bool = False
) -> Callable[[Callable[..., Any]], Derivative]: ...
def value_and_grad(fun: Callable[..., Any] | None = None, argnums: Any = 0, has_aux: bool = False) -> Any:
    """Like `grad`, but the result is `(value, gradient)`, with `has_aux` `((value, aux), gradient)`."""
    return _transform("value_and_grad", fun, argnums, has_aux)


def _transform(transform: str, fun: Callable[..., Any] | None, argnums: Any, has_aux: bool) -> Any:
    if fun is None:
        return lambda fun: Derivative(fun, transform, argnums, has_aux)
    return Derivative(fun, transform, argnums, has_aux)


# -- products with the Jacobian -----------------------------------------------------------------


def _find(fun: Callable[..., Any], args: Any, plan: Plan) -> tuple[Target, Bound, Entry]:
    target = resolve(fun)
    bound = bind(target, tuple(args), {})
    dispatcher = _dispatcher(target.function, plan, bound)
    return target, bound, dispatcher.find(target.function, (*bound.args, *bound.values))


def jvp(
    fun: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], has_aux: bool = False
) -> tuple[Any, ...]:
    """`(value, tangent)`: the value of `fun(*primals)` and its derivative along `tangents`.

    Each tangent has the type, shape and dtype of its primal, or is None (for what has none, or for
    zero). The tangent of the result has the result's structure. With `has_aux`: `(value, tangent,
    aux)`. Raises NotDifferentiable (a TypeError) for tangents that do not fit.
    """
    return _jvp(fun, primals, tangents, has_aux)


def _jvp(fun: Callable[..., Any], primals: Any, given: Any, has_aux: bool) -> tuple[Any, ...]:
    for what, value in (("primals", primals), ("tangents", given)):
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"{what} must be a tuple with one entry per argument, not {value!r}: write (x,)")
    if len(primals) != len(given):
        raise TypeError(f"{len(primals)} primals and {len(given)} tangents")
    spaces = [space_of(p) for p in primals]
    checked = [accept(t, s, f"tangent {i}") for i, (t, s) in enumerate(zip(given, spaces))]
    active = [i for i, (t, c) in enumerate(zip(given, checked)) if not tangents.is_absent(t) and c is not None]
    if not active:
        active = [i for i, s in enumerate(spaces) if s is not tangents.NoTangent]
    lead = len(resolve(fun).leading)
    plan = Plan("jvp", tuple(i + lead for i in active) or None, has_aux)
    target, bound, entry = _find(fun, primals, plan)
    raw = list(entry.run(target.function, (*bound.args, *bound.values), tuple(checked[i] for i in active)))
    value, aux = raw[0] if has_aux else (raw[0], None)
    tangent = project(raw, 1, space_of(value))
    return (value, tangent, aux) if has_aux else (value, tangent)


class Pullback:
    """`pullback(cotangent)`: one cotangent per positional argument, None where it has none.

    The cotangent has the structure, shapes and dtypes of the function's result and is not
    modified. It may be called again.
    """

    __slots__ = ("_kept", "_made", "_range", "_result", "_spaces")

    def __init__(self, made: Made, kept: Any, result: Any, spaces: list[Any], first: int) -> None:
        self._made, self._kept, self._result, self._spaces, self._range = made, kept, result, spaces, first

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        seed = conj(accept(cotangent, self._result, "the cotangent"))
        raw = _conjugated(self._made.derived.pullback(self._kept, seed))
        seen: set[int] = set()
        by_position = {
            i: project(raw, k, self._spaces[i - self._range], seen)
            for k, i in enumerate(self._made.wrt)
            if 0 <= i - self._range < len(self._spaces)
        }
        return tuple([by_position.get(i + self._range) for i in range(len(self._spaces))])


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False, copy: bool = True) -> tuple[Any, ...]:
    """`(value, pullback)`: the value of `fun(*primals)` and the function that takes a cotangent
    of the value to the tuple of cotangents of the arguments. With `has_aux`: `(value, pullback,
    aux)`.

    What the pullback reads from memory that anybody else can reach is copied, so that writes
    after the call do not matter; `copy=False` saves the copies.
    """
    target, bound, entry = _find(fun, primals, Plan("vjp", None, has_aux))
    spaces = [space_of(p) for p in primals]  # before the function writes into them
    raw = list(entry.run(target.function, (*bound.args, *bound.values)))
    aux = raw.pop(1) if has_aux else None
    value = raw[0]
    kept = own_tree(raw, 1) if copy else raw[1]
    pullback = Pullback(entry.made, kept, space_of(value), spaces, len(target.leading))
    return (value, pullback, aux) if has_aux else (value, pullback)


def split_of(fun: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What the pipeline makes for `vjp(fun, *args)`."""
    return _find(fun, args, Plan("vjp", None))[2].made.derived


# -- derivatives inside derivatives -------------------------------------------------------------


def _describe(d: Derivative) -> tuple[Any, str, Any, bool]:
    lead = len(d.target.leading)
    at = tuple(i - lead if isinstance(i, int) and i >= 0 else i for i in d.plan.positions)
    return d.fun, d.plan.transform, at if isinstance(d.plan.argnums, tuple) else at[0], d.plan.has_aux


nested.register_derivative(Derivative, _describe)
for _public in (grad, value_and_grad):
    nested.register_transform(_public, _public.__name__)
nested.register_jvp(jvp)
nested.register_vjp(vjp)
