"""Checks of derivatives against the function itself: finite differences, complex steps, duality.

`check_grads` tests what adcompile makes of a function; `check_rule` tests one registered rule,
with every subset of active arguments, in float32, and its body's types, shapes and arity. Both
raise CheckFailure, an AssertionError that names the function, the argument, what came and what
was expected.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.api import Derivative
from adcompile.boundary import conj
from adcompile.errors import AdcompileError
from adcompile.numerical import directional, eps_of, inexact_leaves
from adcompile.products import jvp, vjp
from adcompile.rules.registry import Rule, lookup
from adcompile.runtime.shadows import detached
from adcompile.tangents import dot, norm, randn_like, tangent_type
from adcompile.targets import synthesise

MODES = ("fwd", "rev")


class CheckFailure(AssertionError):
    """A derivative is not that of its function."""


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] = MODES,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> None:
    """Check the derivatives of `f` at `args` up to `order` in forward ("fwd") and reverse ("rev")
    mode, along random directions.

    The tolerance is that of the finite differences unless given; forward and reverse mode must
    agree to 1e-12. Arguments and results may be numbers, arrays and containers of them; arguments
    that `f` writes into are as before afterwards.
    Raises CheckFailure (an AssertionError); errors of adcompile itself come through.
    """
    unknown = [m for m in modes if m not in MODES]
    if unknown:
        raise ValueError(f"modes are 'fwd' and 'rev', not {unknown[0]!r}")
    check = _Check(getattr(f, "__name__", repr(f)), np.random.default_rng(seed), rtol, atol)
    check.function(f, tuple(args), order, tuple(modes))


class _Check:
    """One run of checks: the name to blame, the random directions, the tolerances."""

    def __init__(
        self, name: str, rng: np.random.Generator, rtol: float | None, atol: float | None, exact: bool = True
    ) -> None:
        self.name, self.rng, self.rtol, self.atol = name, rng, rtol, atol
        self.exact = exact  # the value of a derivative may be computed in another order

    def fail(self, what: str, got: Any, expected: Any) -> CheckFailure:
        return CheckFailure(f"{self.name}: {what}\n  got      {got!r}\n  expected {expected!r}")

    def function(self, f: Callable[..., Any], args: tuple[Any, ...], order: int, modes: tuple[str, ...]) -> None:
        value = f(*detached(args))
        ct = randn_like(value, self.rng)
        along = tuple(randn_like(a, self.rng) for a in args)
        expected, error = directional(on_copies(f), args, along)
        tangent = self.forward(f, args, along, value, expected, error) if "fwd" in modes else None
        pulled = self.reverse(f, args, along, value, ct, expected, error) if "rev" in modes else None
        if tangent is not None and pulled is not None:
            self.duality(ct, tangent, pulled, along, args)
        if order > 1 and expected is not tangents.NoTangent:
            wrt = tuple(i for i, a in enumerate(args) if tangents.has_tangent(a))
            for mode in modes:
                inner = _Check(f"{mode} derivative of {self.name}", self.rng, self.rtol, self.atol, exact=False)
                first = tangent_function(f, args, along) if mode == "fwd" else gradient_function(f, args, wrt, ct)
                inner.function(first, args, order - 1, modes)

    def forward(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        along: tuple[Any, ...],
        value: Any,
        expected: Any,
        error: float,
    ) -> Any:
        """Value and tangent of jvp; returns the tangent."""
        got, tangent = jvp(f, detached(args), along)
        self.same_value("value of jvp", got, value)
        self.same_type("tangent of the result", tangent, tangent_type(value))
        active = [i for i, v in enumerate(along) if not tangents.is_absent(v)]
        for i in active if len(active) > 1 else ():  # one at a time, to say which is wrong
            alone = tuple(v if k == i else tangents.NoTangent for k, v in enumerate(along))
            part, part_error = directional(on_copies(f), args, alone)
            what = f"tangent for argument {i} along a random direction"
            self.close(what, jvp(f, detached(args), alone)[1], part, part_error)
        self.close(f"tangent for argument{_list(active)} along a random direction", tangent, expected, error)
        return tangent

    def reverse(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        along: tuple[Any, ...],
        value: Any,
        ct: Any,
        expected: Any,
        error: float,
    ) -> tuple[Any, ...]:
        """Value and cotangents of vjp, argument by argument; returns the cotangents."""
        got, pullback = vjp(f, *args)
        self.same_value("value of vjp", got, value)
        pulled: tuple[Any, ...] = pullback(ct)
        again = pullback(ct)
        for i, (bar, arg) in enumerate(zip(pulled, args)):
            self.same_type(f"cotangent of argument {i}", bar, tangent_type(arg))
            if not tangents.allclose(bar, again[i], 0.0):
                raise self.fail(f"cotangent of argument {i} when the pullback is called again", again[i], bar)
        for i, (bar, arg) in enumerate(zip(pulled, args)):
            alone = tuple(v if k == i else tangents.NoTangent for k, v in enumerate(along))
            if len(args) > 1 and tangents.has_tangent(arg):
                part, part_error = directional(on_copies(f), args, alone)
            else:
                part, part_error = expected, error
            left, right = dot(conj(bar), along[i]), dot(conj(ct), part)
            slack = (part_error + 1e-13) * norm(ct) * 10 + 1e-12 * norm(bar) * norm(along[i])
            if tangents.has_tangent(arg) and not self.near(left, right, slack, eps_of(arg, ct)):
                raise self.fail(f"gradient for argument {i} along a random direction", left, right)
        return pulled

    def duality(self, ct: Any, tangent: Any, pulled: tuple[Any, ...], along: tuple[Any, ...], args: Any) -> None:
        left = dot(conj(ct), tangent)
        right = sum(dot(conj(bar), v) for bar, v in zip(pulled, along))
        size = norm(ct) * norm(tangent) + sum(norm(bar) * norm(v) for bar, v in zip(pulled, along))
        size = max(size, 1e-2 * norm(ct))  # where all is zero but for rounding
        if not abs(left - right) <= max(1e-12, 50 * eps_of(args, ct)) * size and not _both_nan(
            left, right
        ):
            raise self.fail("forward and reverse mode disagree: ⟨ct, J v⟩ against ⟨Jᵀ ct, v⟩", right, left)

    def same_value(self, what: str, got: Any, expected: Any) -> None:
        if not identical(got, expected) and (self.exact or not _same_but_for_rounding(got, expected)):
            raise self.fail(f"{what} is not what the function returns", got, expected)

    def same_type(self, what: str, got: Any, space: Any) -> None:
        have = tangent_type(got)
        if have != space:
            raise self.fail(f"type of the {what}", have, space)

    def close(self, what: str, got: Any, expected: Any, error: float) -> None:
        if tangents.is_absent(expected):
            return
        for g, e in zip(tangents.leaves(got), tangents.leaves(expected)):
            scale_of = float(np.max(np.abs(e), initial=0.0))
            limit = (self.atol if self.atol is not None else 10 * error + 1e-13) + self._relative(g) * scale_of
            if not np.all((np.abs(g - e) <= limit) | (np.isnan(g) & np.isnan(e))):
                raise self.fail(what, g, e)

    def near(self, got: float, expected: float, slack: float, eps: float) -> bool:
        if self.atol is not None:
            slack = self.atol
        relative = self.rtol if self.rtol is not None else max(1e-8, 1e3 * eps)
        return abs(got - expected) <= slack + relative * abs(expected) or _both_nan(got, expected)

    def _relative(self, leaf: Any) -> float:
        return self.rtol if self.rtol is not None else max(1e-8, 1e3 * eps_of(leaf))


def _list(positions: list[int]) -> str:
    return ("s " if len(positions) > 1 else " ") + ", ".join(map(str, positions))


def _both_nan(a: float, b: float) -> bool:
    return bool(np.isnan(a) and np.isnan(b))


def _same_but_for_rounding(a: Any, b: Any) -> bool:
    if not tangents.has_tangent(b) or tangent_type(a) != tangent_type(b):
        return False
    pairs = zip(inexact_leaves(a), inexact_leaves(b))
    return all(
        np.allclose(x, y, rtol=100 * eps_of(x), atol=100 * eps_of(x) * (1 + norm(y)), equal_nan=True) for x, y in pairs
    )


def identical(a: Any, b: Any) -> bool:
    """Whether two values have the same types, structure and bits (nan equals nan)."""
    if type(a) is not type(b):
        return False
    if tangents.is_container(a):
        same = len(a) == len(b) and (type(a) is not dict or list(a) == list(b))
        return same and all(map(identical, tangents.children(a), tangents.children(b)))
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    return a is b or bool(a == b) or bool(a != a and b != b)


# -- functions made of functions ----------------------------------------------------------------


def on_copies(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` on copies of its arguments, into which it may write."""
    return lambda *args: f(*detached(args))


def scalar_function(f: Callable[..., Any], args: tuple[Any, ...], ct: Any) -> Callable[..., Any]:
    """The real function `⟨ct, f(x0, x1, …)⟩` with source of its own."""
    terms: list[str] = []
    names: dict[str, Any] = {"np": np, "f": f}
    _terms("y", ct, terms, names)
    params = ", ".join(f"x{i}" for i in range(len(args)))
    return synthesise("scalar", params, [f"y = f({params})", f"return {' + '.join(terms) or '0.0'}"], names)


def _terms(path: str, ct: Any, terms: list[str], names: dict[str, Any]) -> None:
    if tangents.is_absent(ct):
        return
    if tangents.is_container(ct):
        for k in list(ct) if type(ct) is dict else range(len(ct)):
            _terms(f"{path}[{k!r}]", ct[k], terms, names)
        return
    name = f"w{len(terms)}"
    names[name] = np.conj(ct) if np.iscomplexobj(ct) else ct
    product = f"{name} * {path}" if np.shape(ct) == () else f"np.sum({name} * {path})"
    terms.append(f"np.real({product})")  # results that are real by chance count as complex


def gradient_function(f: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...], ct: Any) -> Derivative:
    """The gradient of `⟨ct, f⟩` with respect to some arguments."""
    return Derivative(scalar_function(f, args, ct), "grad", wrt)


def tangent_function(f: Callable[..., Any], args: tuple[Any, ...], along: tuple[Any, ...]) -> Callable[..., Any]:
    """The derivative of `f` along a fixed tangent, as a function with source of its own."""
    params = ", ".join(f"x{i}" for i in range(len(args)))
    given = [None if tangents.is_absent(v) else v for v in along]
    names: dict[str, Any] = {"jvp": jvp, "f": f, **{f"v{i}": v for i, v in enumerate(given)}}
    moved = ", ".join("None" if v is None else f"v{i}" for i, v in enumerate(given))
    return synthesise("tangent", params, [f"return jvp(f, ({params},), ({moved},))[1]"], names)


# -- rules --------------------------------------------------------------------------------------


def check_rule(
    fn: Any,
    *args: Any,
    order: int = 2,
    float32: bool = True,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    **settings: Any,
) -> None:
    """Check the rule of `fn` at a sample call `fn(*args, **settings)` against `fn` itself.

    `options` are further settings, for those with a name that this function uses itself, such as
    `options={"order": "F"}`.

    The body alone: arity, shapes and dtypes of what it returns. Then derivatives in both modes,
    with each argument active alone and inert alone, second order, and in float32. Raises CheckFailure.
    """
    settings = {**settings, **(options or {})}
    name = f"rule of {_name(fn)}"
    check = _Check(name, np.random.default_rng(seed), None, None)
    rule = lookup(fn)
    if rule is None:
        raise CheckFailure(f"{name}: none is registered")
    for given in (args, _single(args)) if float32 else (args,):
        check_body(check, fn, rule, given, settings)
    params = [f"x{i}" for i in range(len(args))]
    passed = [*params, *(f"{k}=set_{k}" for k in settings)]
    names = {"fn": fn, **{f"set_{k}": v for k, v in settings.items()}}
    call = f"fn({', '.join(passed)})" if callable(fn) else f"x0.{fn.__name__}"  # an attribute's descriptor
    f = synthesise(_identifier(fn), ", ".join(params), [f"return {call}"], names)
    try:
        check.function(f, args, order, MODES)
        _check_subsets(check, f, args)
        if float32:
            _check_single(check, f, args)
    except CheckFailure:
        raise
    except AdcompileError as error:
        raise CheckFailure(f"{name}: {error}") from error


def _name(fn: Any) -> str:
    return getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)


def _identifier(fn: Any) -> str:
    name = f"{getattr(fn, '__name__', 'fn')}_sample"
    return name if name.isidentifier() else "sample"


def _check_subsets(check: _Check, f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Each differentiable argument active alone, and inert alone: code for an argument depends on
    the others by what they share, and the subsets between are too many where arguments are."""
    value = f(*args)
    ct = randn_like(value, check.rng)
    if tangents.is_absent(ct):
        return
    wrt = [i for i, a in enumerate(args) if tangents.has_tangent(a)]
    full = Derivative(scalar_function(f, args, ct), "grad", tuple(wrt))(*args) if wrt else ()
    whole = dict(zip(wrt, full))
    for size in sorted({1, len(wrt) - 1} - {0, len(wrt)}):
        for subset in itertools.combinations(wrt, size):
            for i, bar in zip(subset, gradient_function(f, args, subset, ct)(*args)):
                if not tangents.allclose(bar, whole[i], 1e-10, 1e-12 * (1 + norm(whole[i]))):
                    raise check.fail(f"gradient for argument {i} with {subset} active", bar, whole[i])
            along = tuple(randn_like(a, check.rng) if i in subset else None for i, a in enumerate(args))
            got, tangent = jvp(f, args, along)
            check.same_value("value of jvp", got, value)
            left = dot(ct, tangent)
            right = sum(dot(conj(whole[i]), along[i]) for i in subset)
            if not check.near(left, right, 1e-10 * norm(ct) * (1 + norm(tangent)), eps_of(args)):
                raise check.fail(f"tangent with {subset} active", left, right)


def _single(value: Any) -> Any:
    """The same in float32 and complex64; Python numbers stay, being weak."""
    if tangents.is_container(value):
        return tangents.rebuild(value, [_single(item) for item in tangents.children(value)])
    if isinstance(value, (np.ndarray, np.inexact)) and value.dtype.kind in "fc":
        made = np.asarray(value).astype(np.float32 if value.dtype.kind == "f" else np.complex64)
        return made if isinstance(value, np.ndarray) else made[()]
    return value


def _check_single(check: _Check, f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """In float32: types, and values within its rounding of those in float64."""
    single = _single(args)
    value = f(*single)
    ct = randn_like(value, check.rng)
    if tangents.is_absent(ct) or not any(tangents.has_tangent(a) for a in args):
        return
    got, pullback = vjp(f, *single)
    check.same_value("value of vjp in float32", got, value)
    pulled = pullback(ct)
    wide = f(*args)
    reference = vjp(f, *args)[1](_widened(ct, wide))
    for i, (bar, arg, ref) in enumerate(zip(pulled, single, reference)):
        check.same_type(f"cotangent of argument {i} in float32", bar, tangent_type(arg))
        for g, r in zip(tangents.leaves(bar), tangents.leaves(ref)):
            size = float(np.max(np.abs(r), initial=0.0))
            if not np.all((np.abs(g - r) <= 3e-3 * size + 1e-5) | ~np.isfinite(r) | ~np.isfinite(g)):
                raise check.fail(f"cotangent of argument {i} in float32", g, r)
    along = tuple(randn_like(a, check.rng) for a in single)
    got, tangent = jvp(f, single, along)
    check.same_value("value of jvp in float32", got, value)
    check.same_type("tangent of the result in float32", tangent, tangent_type(value))


def _widened(ct: Any, like: Any) -> Any:
    """A cotangent in the precision of `like`."""
    if tangents.is_absent(ct):
        return ct
    if tangents.is_container(ct):
        return tangents.rebuild(ct, list(map(_widened, tangents.children(ct), tangents.children(like))))
    return np.asarray(ct, like.dtype) if isinstance(like, np.ndarray) else type(like)(ct)


# -- the body of a rule -------------------------------------------------------------------------


def check_body(check: _Check, fn: Any, rule: Rule, args: tuple[Any, ...], settings: dict[str, Any]) -> None:
    """Run what the rule's author wrote on sample values, and look at what comes back.

    Only where the body can be called as it stands, and types only where all arguments share one
    dtype: elsewhere the compiler converts.
    """
    y = fn(*args, **settings) if callable(fn) else fn.__get__(args[0])
    ct = randn_like(y, check.rng)
    if tangents.is_absent(ct) or any(np.iscomplexobj(leaf) for leaf in (*tangents.leaves(ct), *inexact_leaves(args))):
        return
    wrt = rule.wrt if rule.wrt is not None else tuple(range(len(args)))
    if rule.kind == "elementwise":
        _check_partials(check, rule.body, _called(rule.body, (y, *args), settings), y, args, wrt)
    elif rule.kind in ("linear", "bilinear", "vjp"):
        entries = _called(rule.body, (ct, y, *args), settings)
        _check_cotangents(check, rule.kind, rule.body, entries, y, args, wrt)
    elif rule.kind == "explicit":
        _check_explicit(check, rule, y, ct, args, settings, wrt)


_NOT_CALLED = object()


def _called(body: Any, given: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What the body returns; _NOT_CALLED if its parameters do not take these arguments, or if it
    says of one of them that there is no derivative (which the compiler drops where none is asked for)."""
    try:
        inspect.signature(body).bind(*given, **settings)
    except TypeError:  # settings that the compiler fills in
        return _NOT_CALLED
    with np.errstate(all="ignore"):
        try:
            return body(*given, **settings)
        except NotImplementedError:  # runtime.no_derivative
            return _NOT_CALLED


def _entries(check: _Check, result: Any, wrt: tuple[int, ...], what: str, body: Any) -> list[tuple[int, Any]]:
    """What is returned for the differentiable arguments, by position: one entry for each of
    them, or one for each parameter of the primal from the first on. Raises where neither fits."""
    bare = type(result) is not tuple or (what == "linear" and len(wrt) == 1)
    entries: tuple[Any, ...] = (result,) if bare else result
    if len(entries) == len(wrt):
        return list(zip(wrt, entries))
    leading = {"elementwise": 1, "rrule": 0}.get(what, 2)
    kinds = [p.kind for p in inspect.signature(body).parameters.values()]
    if max(wrt, default=-1) < len(entries) <= sum(k in (0, 1) for k in kinds) - leading:
        return list(enumerate(entries))
    name = "partial derivatives" if what == "elementwise" else "cotangents"
    raise check.fail(f"number of {name} returned", len(entries), len(wrt))


def _dtype(value: Any) -> np.dtype[Any] | None:
    """The dtype that decides promotion; Python numbers are weak."""
    return value.dtype if isinstance(value, (np.ndarray, np.generic)) else None


def _common_dtype(y: Any, args: tuple[Any, ...]) -> np.dtype[Any] | None:
    found = {_dtype(leaf) for leaf in (*inexact_leaves(args), *inexact_leaves(y))}
    return next(iter(found)) if len(found) == 1 else None


def _check_dtype(check: _Check, what: str, value: Any, wanted: np.dtype[Any] | None) -> None:
    have = _dtype(value)
    if wanted is not None and have is not None and have.kind in "fc" and have != wanted:
        raise check.fail(f"dtype of the {what}", have, wanted)


def _check_partials(check: _Check, body: Any, result: Any, y: Any, args: tuple[Any, ...], wrt: tuple[int, ...]) -> None:
    if result is _NOT_CALLED:
        return
    for i, partial in _entries(check, result, wrt, "elementwise", body):
        if partial is None:
            continue
        if np.broadcast_shapes(np.shape(partial), np.shape(y)) != np.shape(y):
            raise check.fail(f"shape of the partial derivative for argument {i}", np.shape(partial), np.shape(y))
        _check_dtype(check, f"partial derivative for argument {i}", partial, _common_dtype(y, args))


def _check_cotangents(
    check: _Check, kind: str, body: Any, result: Any, y: Any, args: tuple[Any, ...], wrt: tuple[int, ...]
) -> None:
    if result is _NOT_CALLED:
        return
    for i, bar in _entries(check, result, wrt, kind, body):
        if bar is None or i >= len(args) or not tangents.is_leaf(args[i]):
            continue
        if np.shape(bar) != np.shape(args[i]):
            raise check.fail(f"shape of the cotangent of argument {i}", np.shape(bar), np.shape(args[i]))
        _check_dtype(check, f"cotangent of argument {i}", bar, _common_dtype(y, args))


def _check_explicit(
    check: _Check, rule: Rule, y: Any, ct: Any, args: tuple[Any, ...], settings: dict[str, Any], wrt: tuple[int, ...]
) -> None:
    if rule.rrule is not None:
        made = _called(rule.rrule, args, settings)
        if made is not _NOT_CALLED:
            if not isinstance(made, tuple) or len(made) != 2 or not callable(made[1]):
                raise check.fail("result of the rrule", made, "(value, pullback)")
            check.same_value("value of the rrule", made[0], y)
            _check_cotangents(check, "rrule", rule.rrule, made[1](ct), y, args, wrt)
    if rule.frule is not None:
        dots = tuple(0.0 if tangents.is_absent(t) else t for t in (randn_like(args[i], check.rng) for i in wrt))
        made = _called(rule.frule, (*args, *dots), settings)
        if made is not _NOT_CALLED:
            if not isinstance(made, tuple) or len(made) != 2:
                raise check.fail("result of the frule", made, "(value, tangent)")
            check.same_value("value of the frule", made[0], y)
            if tangents.is_leaf(y) and np.shape(made[1]) != np.shape(y):
                raise check.fail("shape of the tangent of the frule", np.shape(made[1]), np.shape(y))
            if tangents.is_leaf(y):
                _check_dtype(check, "tangent of the frule", made[1], _common_dtype(y, args))
