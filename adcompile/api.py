"""Gradients: check the arguments, find the specialisation, hand back what the user expects.

Everything that differentiates is behind `pipeline.derive`; what crosses the border is the affair
of `boundary`, which function and which arguments are meant that of `targets`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import sys
import types as pytypes
import weakref
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, Literal, overload

from adcompile.backend import archive
from adcompile.backend.cache import BUILDING, Dispatcher, Entry
from adcompile.backend.derived import Derived, Request, with_compiler
from adcompile.backend.guards import MISSED, Conditions, conditions
from adcompile.errors import AdcompileError, Place, Unsupported
from adcompile.ir.abstract import type_of
from adcompile.refusals import differentiated, refuse_self_reference
from adcompile.rules import registry
from adcompile.runs import Made, Plan, function_run, gradient_run, invoker, located
from adcompile.runtime.settings import Backend, known_backend
from adcompile.targets import Bound, Target, arity, bind, innermost, positions, resolve

# -- specialisations ----------------------------------------------------------------------------

_tables: weakref.WeakKeyDictionary[pytypes.CodeType, dict[Hashable, Dispatcher]] = weakref.WeakKeyDictionary()


def _nest(fun: Any) -> tuple[Hashable, ...]:
    """The transforms around the innermost function."""
    out: list[Hashable] = []
    while isinstance(fun, Derivative):
        out.append(fun.plan)
        fun = fun.fun
    return tuple(out)


def dispatcher_of(function: Any, plan: Plan, bound: Bound | None = None) -> Dispatcher:
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


_KINDS: dict[str, Literal["joint", "forward", "batch", "split"]] = {
    "grad": "joint",
    "value_and_grad": "joint",
    "jvp": "forward",
    "jvp_batched": "batch",
    "vjp": "split",
}
"""What the pipeline makes. Jacobians and the like are functions that it follows, `autodiff.nested` says how."""


def _build(
    plan: Plan, names: tuple[str, ...], _namespace: Any, fun: Any, args: tuple[Any, ...], ints: frozenset[int]
) -> tuple[Callable[..., Any], Conditions, Made]:
    """Derive for these arguments. `_namespace` is held so that its identity stays its own."""
    count = len(args) - len(names)
    refuse_self_reference(innermost(fun))
    wrt = differentiated(fun, plan.argnums, args, names)
    types = tuple(type_of(arg, ints=i in ints, objects=True) for i, arg in enumerate(args))
    kind = _KINDS.get(plan.transform)
    if kind is None:
        at = tuple(i if i < count else names[i - count] for i in wrt)
        whole = Derivative(fun, plan.transform, at if isinstance(plan.argnums, tuple) else at[0], plan.has_aux)
        request = Request("primal", backend=plan.backend)
        derived, _ = _derive(whole, request, types[:count], tuple(zip(names, types[count:])))
        made = Made(derived, wrt, invoker(derived))
        return running(made, fun, plan, args), conditions(derived.guards, derived.followed), made
    bare = kind == "joint" and not isinstance(plan.argnums, tuple) and not plan.closure
    mutated = kind == "split" or plan.mutated
    request = Request(
        kind,
        wrt,
        plan.transform == "value_and_grad",
        plan.has_aux,
        bare,
        plan.restore,
        mutated,
        plan.closure,
        plan.backend,
        plan.budget,
    )
    derived, unfollowed = _derive(fun, request, types[:count], tuple(zip(names, types[count:])))
    made = Made(derived, wrt, invoker(derived), unfollowed)
    return running(made, fun, plan, args), conditions(derived.guards, derived.followed), made


def running(made: Made, fun: Any, plan: Plan, args: tuple[Any, ...]) -> Callable[..., Any]:
    """What calls of a specialisation run."""
    kind = _KINDS.get(plan.transform)
    if kind is None:
        run = function_run(made, plan.has_aux)
    else:
        run = gradient_run(made, plan, args) if kind == "joint" else made.invoke
    return located(run, made.derived, fun)


def _derive(fun: Any, request: Request, types: Any, kwtypes: Any) -> tuple[Derived, AdcompileError | None]:
    """What the pipeline makes, or has made in another process."""
    make = functools.partial(_derived, fun, request, types, kwtypes)
    return archive.kept(fun, request, (types, kwtypes), make)


def _derived(fun: Any, request: Request, types: Any, kwtypes: Any) -> tuple[Derived, AdcompileError | None]:
    """What the pipeline makes. What a function writes into its arguments may be beyond us where its
    value is not: then the pullback takes the cotangent of the value alone, and the error says why."""
    with registry.as_remembered():
        pipeline = importlib.import_module("adcompile.pipeline")
    try:
        return pipeline.derive(fun, request, types, kwtypes), None
    except AdcompileError as error:
        if request.kind != "split":
            raise
        unfollowed = error.with_traceback(None)
    return pipeline.derive(fun, replace(request, mutated=False), types, kwtypes), unfollowed


class Derivative:
    """The gradient of a function as a function; see `grad` and `value_and_grad`.

    Immutable; equal and hashable by function, transform and settings; picklable where its
    function is.
    """

    fun: Any
    plan: Plan
    target: Target
    _dispatcher: Dispatcher
    _function: Any
    _arity: int
    _given: tuple[Any, ...]  # what it was made of, as it was passed
    _plain: pytypes.FunctionType
    _code: pytypes.CodeType
    __slots__ = (
        "__dict__", "__weakref__", "_arity", "_code", "_dispatcher", "_function", "_given", "_plain",
        "fun", "plan", "target",
    )  # fmt: skip

    def __init__(
        self, fun: Callable[..., Any], transform: str, argnums: Any = 0, has_aux: bool = False, **settings: Any
    ) -> None:
        put = functools.partial(object.__setattr__, self)
        put("fun", fun)
        inner = resolve(fun)
        at = positions(argnums, inner)
        put("plan", Plan(transform, at, has_aux, **settings))
        whole = inner.function is fun
        function = self if whole else Derivative(inner.function, transform, at, has_aux, **settings)
        put("target", Target(function, inner.leading, inner.keywords))
        put("_function", inner.function)
        put("_given", (fun, transform, argnums, has_aux))
        put("_plain", innermost(inner.function))
        put("_code", self._plain.__code__)
        put("_arity", arity(inner))
        put("_dispatcher", dispatcher_of(inner.function, self.plan))
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

    def _of_object(self) -> Any:
        """The `__call__` that the class of a callable object has now; None: `fun` is none."""
        method = inspect.getattr_static(type(self.fun), "__call__", None) if self.target.leading else None
        return method if isinstance(method, pytypes.FunctionType) and not isinstance(self.fun, Derivative) else None

    def _renew(self) -> None:
        """The function has got other code, as tools that reload modules in place give it, or the
        class of a callable object another `__call__`."""
        Derivative.__init__(self, *self._given, **self._settings())

    def _settings(self) -> dict[str, Any]:
        plan = self.plan
        return {"restore": plan.restore, "closure": plan.closure, "backend": plan.backend, "budget": plan.budget}

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if self._plain.__code__ is not self._code:
            self._renew()
        if kwargs or len(args) != self._arity:
            return self._call_bound(args, kwargs)
        out = self._dispatcher.direct(self._function, args)
        return self._dispatcher.find(self._function, args).run(self._function, args) if out is MISSED else out

    def _call_bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        entry, bound = self.specialise(args, kwargs)
        return entry.run(self._function, (*bound.args, *bound.values))

    def specialise(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Entry, Bound]:
        """The specialisation for these arguments, made if need be."""
        if self._plain.__code__ is not self._code or self._of_object() not in (None, self._plain):
            self._renew()
        outer = self.target
        plan = self.plan.from_start(len(outer.leading) + len(args))
        bound = bind(Target(self._function, outer.leading, outer.keywords), args, kwargs, plan.names)
        dispatcher = dispatcher_of(self._function, plan, bound)
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
        more += ", has_aux=True" if self.has_aux else ""
        more += "" if self.plan.restore else ", restore=False"
        more += ", wrt_closure=True" if self.plan.closure else ""
        more += f", backend={self.plan.backend!r}" if self.plan.backend else ""
        more += f", memory_budget={self.plan.budget}" if self.plan.budget is not None else ""
        return f"{self.transform}({name}{more})"

    def __reduce__(self) -> Any:
        # as a decorator, the derivative is what the function's name means
        name: str = self.__dict__.get("__qualname__", "")
        space: Any = vars(sys.modules.get(self.__module__, object))
        for part in name.split("."):
            space = space.get(part) if isinstance(space, dict) else getattr(space, part, None)
        if space is self:
            return name
        return _unpickle, (*self._given, self._settings())


def _unpickle(fun: Any, transform: str, argnums: Any, has_aux: bool, settings: dict[str, Any]) -> Derivative:
    return Derivative(fun, transform, argnums, has_aux, **settings)


@overload
def grad(
    fun: Callable[..., Any],
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    restore: bool = True,
    wrt_closure: bool = False,
    backend: Backend | None = None,
    memory_budget: int | None = None,
) -> Derivative: ...
@overload
def grad(
    fun: None = None,
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    restore: bool = True,
    wrt_closure: bool = False,
    backend: Backend | None = None,
    memory_budget: int | None = None,
) -> Callable[[Callable[..., Any]], Derivative]: ...
def grad(
    fun: Callable[..., Any] | None = None,
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    restore: bool = True,
    wrt_closure: bool = False,
    backend: Backend | None = None,
    memory_budget: int | None = None,
) -> Any:
    """The gradient of a function with a real scalar result, as a function of the same arguments.

    `argnums` says with respect to what: a position, a parameter's name, or a tuple of these, for
    which the result is a tuple. A gradient has the type, shape and dtype of its argument;
    arguments may be numbers, arrays, objects, and tuples, lists and dicts of these. With `has_aux`
    the function returns `(value, aux)` and the derivative `(gradient, aux)`. Without `fun`: a
    decorator. For complex arguments the gradient is ∂u/∂x − i·∂u/∂y.

    What the function writes into is put back, unless `restore` is false. With `wrt_closure` the
    gradient is `(captured, gradient)`: first a dict with the gradients by the values that the
    function itself has captured from an enclosing one, by name. `backend` says what runs it: "numpy",
    "numba" or "auto"; None: what `ad.config` has set.

    With `memory_budget` loops keep at most so many bytes for their way back, and run steps again where
    that is too little; the gradient is the same, up to the rounding of single operations. Raises
    Unsupported for loops that cannot run again, and, when called, for a budget without room for one step.

    Raises NotDifferentiable (a TypeError) if the argument or the result has no derivative;
    errors of the function itself come through as they are.
    """
    return transform("grad", fun, argnums, has_aux, backend, memory_budget, restore=restore, closure=wrt_closure)


@overload
def value_and_grad(
    fun: Callable[..., Any],
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    restore: bool = True,
    wrt_closure: bool = False,
    backend: Backend | None = None,
    memory_budget: int | None = None,
) -> Derivative: ...
@overload
def value_and_grad(
    fun: None = None,
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    restore: bool = True,
    wrt_closure: bool = False,
    backend: Backend | None = None,
    memory_budget: int | None = None,
) -> Callable[[Callable[..., Any]], Derivative]: ...
def value_and_grad(
    fun: Callable[..., Any] | None = None,
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    restore: bool = True,
    wrt_closure: bool = False,
    backend: Backend | None = None,
    memory_budget: int | None = None,
) -> Any:
    """Like `grad`, but the result is `(value, gradient)`, with `has_aux` `((value, aux), gradient)`."""
    settings = {"restore": restore, "closure": wrt_closure}
    return transform("value_and_grad", fun, argnums, has_aux, backend, memory_budget, **settings)


def transform(
    name: str,
    fun: Callable[..., Any] | None,
    argnums: Any,
    has_aux: bool = False,
    backend: Backend | None = None,
    budget: int | None = None,
    **settings: bool,
) -> Any:
    """A transform of a function; without one, the decorator."""
    if backend is not None:
        known_backend(backend)
    if budget is not None and operator.index(budget) < 1:
        raise ValueError(f"memory_budget must be a number of bytes, not {budget}")
    if fun is None:
        return lambda fun: Derivative(fun, name, argnums, has_aux, backend=backend, budget=budget, **settings)
    return Derivative(fun, name, argnums, has_aux, backend=backend, budget=budget, **settings)


def find(fun: Callable[..., Any], args: Any, plan: Plan) -> tuple[Target, Bound, Entry]:
    """The specialisation that a product with the Jacobian of `fun` at `args` runs."""
    target = resolve(fun)
    bound = bind(target, tuple(args), {})
    dispatcher = dispatcher_of(target.function, plan, bound)
    return target, bound, dispatcher.find(target.function, (*bound.args, *bound.values))


# -- derivatives inside derivatives -------------------------------------------------------------


def _describe(d: Derivative, place: Place | None) -> tuple[Any, str, Any, bool]:
    if not d.plan.restore or d.plan.closure or d.plan.budget is not None:
        limited = "memory_budget" if d.plan.budget is not None else "restore=False"
        setting = "wrt_closure=True" if d.plan.closure else limited
        raise Unsupported(
            f"a derivative with {setting} inside a function", place, "pass what it is about as an argument"
        )
    lead = len(d.target.leading)
    at = tuple(i - lead if isinstance(i, int) and i >= 0 else i for i in d.plan.positions)
    return d.fun, d.plan.transform, at if isinstance(d.plan.argnums, tuple) else at[0], d.plan.has_aux


def _inside(nested: Any) -> None:
    nested.register_derivative(Derivative, _describe)
    for public in (grad, value_and_grad):
        nested.register_transform(public, public.__name__)


with_compiler(_inside)
