"""The decorators that register rules. A rule is only the maths; its kind derives both modes.

    @elementwise(np.hypot, math.hypot)
    def hypot(y, a, b):
        return a / y, b / y

The body is quoted: parsed by our own frontend and inlined, so it may use only functions that
have rules themselves, and Python that the frontend takes. In every body `y` is the primal result
and the parameters are those of the primal, under the primal's names; those before `*` (or all,
if there is none) are differentiable unless `wrt` says otherwise, those after `*` are settings
(a caller may still pass them by position: they bind in order). What the body reads decides what
the reverse sweep keeps, so read `y` where it saves an `x`.

kind         signature                       returns
elementwise  (y, x1, x2, …)                  ∂y/∂x1, ∂y/∂x2, … (None: no derivative); broadcasting,
                                             conjugation and dtypes are the compiler's affair; of a real
                                             function of complex z: ∂y/∂Re z − i ∂y/∂Im z
reduction    (y, a, *, axis, keepdims, …)    ∂y/∂a, of a shape that broadcasts with a; y comes expanded
                                             so that it broadcasts against a
linear       (y_bar, y, a, *, …)             a_bar; forward mode is fn(a_dot, …)
bilinear     (y_bar, y, a, b, *, …)          a_bar, b_bar; forward is fn(a_dot, b) + fn(a, b_dot)
vjp          (y_bar, y, x1, x2, …)           x1_bar, x2_bar, …; forward mode is its transpose
composite    (x1, x2, …)                     the same function in other primitives
implicit     (y, x1, x2, …)                  what is zero at y: both modes by the implicit function theorem
frule        (x1, …, x1_dot, …)              y, y_dot (the tangent of an inert argument is 0.0)
rrule        (x1, …)                         y, pullback; pullback(y_bar) → x1_bar, …

A rule of any kind may have an frule or rrule beside its body: it then has the say in its mode.
A bare result stands for a tuple of one. A callable may be given by its dotted name, such as
"numpy.linalg.solve". `constant` functions have no derivative; `primitive` registers a function
that is never followed into although nothing is known of its derivative; `overlay` puts another
function in a function's place wherever that is differentiated.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, overload

from adcompile.errors import RuleError
from adcompile.ir.verify import checking
from adcompile.rules.registry import Rule, Typing, lookup, lookup_in, register
from adcompile.rules.writing import frule_of, outcome_of, positions, rrule_of, written_by_rule
from adcompile.runtime.settings import CONTEXTS, Context

Body = TypeVar("Body", bound=Callable[..., Any])


def resolve(fn: Any) -> Any:
    """A callable, or the callable that a dotted name such as "numpy.linalg.solve" means.

    Raises RuleError for names that lead nowhere and for what cannot be called.
    """
    if isinstance(fn, str):
        fn = _import(fn)
    if not callable(fn) and not inspect.isdatadescriptor(fn):
        raise RuleError(f"{fn!r} cannot have a rule", remedy="register a function, or its dotted name")
    return fn


def _import(name: str) -> Any:
    module, _, rest = name.partition(".")
    try:
        value: Any = importlib.import_module(module)
        for part in rest.split(".") if rest else ():
            module = f"{module}.{part}"
            value = getattr(value, part) if hasattr(value, part) else importlib.import_module(module)
    except (ImportError, ValueError) as error:
        raise RuleError(f"there is no {name}", remedy="write the full dotted name of an importable callable") from error
    return value


def _decorator(kind: str, leading: int) -> Callable[..., Any]:
    """`leading` parameters of the body come before those of the primal."""

    def make(
        *fns: Any,
        wrt: tuple[int, ...] | None = None,
        typing: Typing | None = None,
        total: bool = False,
        view: bool = False,
        pure: bool = True,
        context: Context | None = None,
        tangent: Callable[..., Any] | None = None,
    ) -> Callable[[Body], Body]:
        def decorate(body: Body) -> Body:
            rule = Rule(
                kind,
                body,
                wrt=wrt,
                typing=typing,
                total=total,
                view=view,
                tangent=tangent,
                pure=pure,
                context=named(context),
            )
            for fn in map(resolve, fns):
                check_arity(fn, body, leading)
                register(fn, rule)
            return body

        return decorate

    make.__name__ = kind
    return make


elementwise = _decorator("elementwise", 1)
reduction = _decorator("reduction", 1)
linear = _decorator("linear", 2)
bilinear = _decorator("bilinear", 2)
composite = _decorator("composite", 0)
implicit = _decorator("implicit", 1)
vjps = _decorator("vjp", 2)  # vjp for several callables that share a body


def vjp(fn: Any, body: Callable[..., Any] | None = None, **settings: Any) -> Any:
    """Register `body(y_bar, y, x1, x2, …)`, which returns the cotangents of the arguments.

        @vjp(pow)                                   vjp(np.exp, lambda g, y, x: g * y)
        def _(g, y, a, b): …                        vjp(pow, named_function)

    The cotangents have the shapes and dtypes of their arguments; None stands for an argument
    without one. `wrt`: the positions of the differentiable parameters. Raises RuleError where
    the body's parameters are not `y_bar`, `y` and those of the primal.
    """
    writes = settings.pop("writes", None)

    def decorate(body: Body) -> Body:
        target = resolve(fn)
        if writes is not None:
            check_arity(target, body, 2)
            target = outcome_of(target, writes, body, leading=2)
        return _decorator("vjp", 2)(target, **settings)(body)

    return decorate if body is None else decorate(body)


@overload
def frule(fn: Any, /, *, context: Context | None = None, writes: Any = None) -> Callable[[Body], Body]: ...
@overload
def frule(fn: Any, body: Body, /, *, context: Context | None = None, writes: Any = None) -> Body: ...
def frule(fn: Any, body: Any = None, /, *, context: Context | None = None, writes: Any = None) -> Any:
    """Register `body(x1, …, x1_dot, …)`, which returns the value and its tangent.

    Raises RuleError where the body does not take twice the primal's parameters.
    """

    def decorate(body: Body) -> Body:
        target = resolve(fn)
        _check_frule(target, body)
        rule = body
        if writes is not None:
            target, rule = outcome_of(target, writes, body, share=2), frule_of(body, positions(target, writes))
        register(target, Rule("explicit", frule=rule, context=named(context)))
        return body

    return decorate if body is None else decorate(body)


@overload
def rrule(fn: Any, /, *, context: Context | None = None, writes: Any = None) -> Callable[[Body], Body]: ...
@overload
def rrule(fn: Any, body: Body, /, *, context: Context | None = None, writes: Any = None) -> Body: ...
def rrule(fn: Any, body: Any = None, /, *, context: Context | None = None, writes: Any = None) -> Any:
    """Register `body(x1, …)`, which returns the value and a pullback: `pullback(y_bar)` returns
    the cotangents of the arguments.

    Raises RuleError where the body's parameters are not the primal's.
    """

    def decorate(body: Body) -> Body:
        target = resolve(fn)
        check_arity(target, body, 0)
        rule = body
        if writes is not None:
            target, rule = outcome_of(target, writes, body), rrule_of(body, positions(target, writes))
        register(target, Rule("explicit", rrule=rule, context=named(context)))
        return body

    return decorate if body is None else decorate(body)


def constant(
    *fns: Any, typing: Typing | None = None, total: bool = False, by_value: bool = False, pure: bool = True
) -> None:
    """Register functions whose result has no derivative. `pure=False`: they draw, print or write."""
    for fn in map(resolve, fns):
        register(fn, Rule("constant", typing=typing, total=total, by_value=by_value, pure=pure))


def with_settings(*fns: Any) -> Callable[[Body], Body]:
    """Give functions a composite for calls in which a setting carries derivatives: `initial=` of a sum, `min=`."""

    def decorate(body: Body) -> Body:
        for fn in fns:
            rule = lookup(resolve(fn))
            assert rule is not None and rule.kind in ("reduction", "elementwise")
            register(resolve(fn), replace(rule, general=body))
        return body

    return decorate


def non_differentiable(*fns: Any) -> Any:
    """Register functions whose result is piecewise constant or has no derivative; also a decorator.

    They must be pure: they may be run at compile time on arguments of the same types.
    """
    constant(*fns)
    return fns[0] if len(fns) == 1 else None


def primitive(fn: Any = None, *, context: Context | None = None) -> Any:
    """Never follow calls of `fn` into its source: its derivative is what frule, rrule or vjp say,
    and a call with active arguments is refused until they say something. Also a decorator.

    `context="default"`: the rule is there for speed, and `ad.config(context="minimal")` follows the
    source all the same. It holds for the rules of `fn` that are registered later, too, unless they
    say otherwise; every decorator here takes it. Without it: "minimal", a rule that is always used.
    """
    if fn is None:
        return partial(primitive, context=context)
    register(resolve(fn), Rule("primitive", context=named(context)))
    return fn


def named(context: str | None) -> str:
    """A context by its name, which is checked; "" leaves it to the rule there is."""
    if context is not None and context not in CONTEXTS:
        raise RuleError(f"there is no context {context!r}", remedy=f"contexts are {', '.join(CONTEXTS)}")
    return context or ""


def is_primitive(fn: Any, mode: str | None = None, context: Context = "default") -> bool:
    """Whether calls of `fn` are differentiated by a rule, rather than by following its source.

    `mode` is "forward", "reverse" or None for both: a rule written for one mode serves the other,
    so they agree. `context`: "default" asks of all rules, "minimal" of those that are used when
    `ad.config(context="minimal")` is set. `fn` may be a dotted name. Raises ValueError for other
    modes, and RuleError for other contexts and for what cannot have a rule.
    """
    if mode not in (None, "forward", "reverse"):
        raise ValueError(f'mode is "forward", "reverse" or None, not {mode!r}')
    rule = lookup_in(resolve(fn), named(context))
    return rule is not None and (rule.kind != "overlay" or written_by_rule(resolve(fn)))


def overlay(fn: Any, body: Callable[..., Any] | None = None) -> Any:
    """Differentiate `body` wherever `fn` is called: the same function, written so that we can
    follow it. Raises RuleError where the parameters differ."""

    def decorate(body: Body) -> Body:
        target = resolve(fn)
        check_arity(target, body, 0)
        register(target, Rule("overlay", body=body))
        return body

    return decorate if body is None else decorate(body)


def check_arity(fn: Any, body: Callable[..., Any], leading: int) -> None:
    """Raise RuleError unless the body takes `leading` parameters and then some of the primal's,
    all required ones among them. Callables without a signature are taken at the body's word, and so are
    our own rules, which the tests have compared: reading a thousand signatures is a fifth of the import."""
    if not checking() and str(getattr(body, "__module__", "")).startswith("adcompile.rules."):
        return
    primal, own = signature_of(fn), signature_of(body)
    if primal is None or own is None:
        return
    parameters = list(own.parameters.values())
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    taken = len([p for p in parameters if p.kind is not p.VAR_KEYWORD]) - leading
    least, most = _arity(primal)
    if not least <= taken <= most:
        raise _mismatch(fn, body, leading, primal)


def _check_frule(fn: Any, body: Callable[..., Any]) -> None:
    primal, own = signature_of(fn), signature_of(body)
    parameters = [] if own is None else list(own.parameters.values())
    if primal is None or own is None or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    least, most = _arity(primal)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) % 2 or not least <= len(positional) // 2 <= most:
        raise RuleError(
            f"the frule of {_name(fn)}{primal} takes {len(positional)} positional parameters",
            remedy="it takes the primal's arguments and then one tangent for each: (x1, …, x1_dot, …)",
        )


def _arity(signature: inspect.Signature) -> tuple[float, float]:
    parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    least = len([p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL])
    # **kwargs hide further settings, as in the methods of arrays
    variadic = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values())
    return least, float("inf") if variadic else len(parameters)


def _mismatch(fn: Any, body: Callable[..., Any], leading: int, primal: inspect.Signature) -> RuleError:
    before = ("", "y, ", "y_bar, y, ")[leading]
    return RuleError(
        f"the rule {_name(body)}{inspect.signature(body)} does not fit {_name(fn)}{primal}",
        remedy=f"its parameters are ({before}those of {_name(fn)})",
    )


def _name(fn: Any) -> str:
    return getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)


def signature_of(fn: Any) -> inspect.Signature | None:
    """The signature of a primal, or None where it has none that can be trusted (many builtins;
    NumPy's ufuncs, which say *args)."""
    if type(fn).__name__ == "ufunc":
        names = [inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_ONLY) for i in range(fn.nin)]
        if fn.signature is not None:  # a generalised ufunc, such as vecdot
            settings = ("axes", "axis", "keepdims")
            names += [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in settings]
        return inspect.Signature(names)
    try:
        return inspect.signature(fn)
    except (ValueError, TypeError):
        return None
