"""Checks of derivatives against the function itself: finite differences, complex steps, duality.

`check_grads` tests what adcompile makes of a function; `check_rule` tests one registered rule,
with every subset of active arguments, in float32, and its body's types, shapes and arity. Both
look at the state of arguments, at who shares memory with whom, and at a second run. Both raise
CheckFailure, an AssertionError that names the function, the argument, what came and what was
expected.
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
from adcompile.checking import (
    MODES,
    Check,
    CheckFailure,
    arrays_of,
    gradient_function,
    identical,
    scalar_function,
    tangent_function,
)
from adcompile.errors import AdcompileError, Unsupported
from adcompile.frontend.source import synthesise
from adcompile.numerical import eps_of, inexact_leaves
from adcompile.products import jvp, vjp
from adcompile.rules.registry import Rule, lookup
from adcompile.rules.writing import differentiated, written_by_rule
from adcompile.runtime.detaching import replicas
from adcompile.runtime.shadows import share
from adcompile.tangents import dot, norm, randn_like, tangent_type

__all__ = [
    "CheckFailure",
    "check_grads",
    "check_rule",
    "gradient_function",
    "identical",
    "scalar_function",
    "tangent_function",
]


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
    agree to 1e-12. Arguments and results may be numbers, arrays and containers of them.

    Arguments that `f` writes into: they are left as `f` leaves them by jvp and by vjp until its
    pullback puts them back; what is left in them is differentiated too. The pullback gives the same
    again, in memory that is the caller's.
    Raises CheckFailure (an AssertionError), SharedMemory where `f` writes into arguments that share memory;
    other errors of adcompile come through.
    """
    unknown = [m for m in modes if m not in MODES]
    if unknown:
        raise ValueError(f"modes are 'fwd' and 'rev', not {unknown[0]!r}")
    check = Check(getattr(f, "__name__", repr(f)), np.random.default_rng(seed), rtol, atol)
    check.function(f, tuple(args), order, tuple(modes))


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

    The body alone: arity, shapes and dtypes of what it returns, that it does so twice, and changes
    nothing it is given. Then derivatives in both modes, as `check_grads` looks at them, with every
    subset of the arguments active (up to 16), second order, in float32, and, of a view, when it is
    written into. Raises CheckFailure.
    """
    settings = {**settings, **(options or {})}
    name = f"rule of {_name(fn)}"
    check = Check(name, np.random.default_rng(seed), None, None)
    rule = lookup(fn)
    if rule is None:
        raise CheckFailure(f"{name}: none is registered")
    _check_writes(check, fn, args, settings)
    body_of, rule = differentiated(fn, rule)
    for given in (args, _single(args)) if float32 else (args,):
        check_body(check, body_of, rule, given, settings)
    params = [f"x{i}" for i in range(len(args))]
    passed = [*params, *(f"{k}=set_{k}" for k in settings)]
    names = {"fn": fn, **{f"set_{k}": v for k, v in settings.items()}}
    call = f"fn({', '.join(passed)})" if callable(fn) else f"x0.{fn.__name__}"  # an attribute's descriptor
    f = synthesise(_identifier(fn), ", ".join(params), [f"return {call}"], names)
    try:
        check.function(f, args, order, MODES)
        _check_subsets(check, f, args)
        if float32:
            if not (getattr(fn, "__module__", "") or "").startswith("adcompile."):  # adjoints write into none of ours
                _check_view(check, f, args)
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


def _check_writes(check: Check, fn: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> None:
    """What the function writes into, its rule has to say."""
    if not callable(fn) or written_by_rule(fn):
        return
    given = replicas(args)
    fn(*given, **replicas(settings))
    for i, (after, before) in enumerate(zip(given, args)):
        if not all(map(identical, inexact_leaves(after), inexact_leaves(before))):
            raise check.fail(f"argument {i} after a call, of which the rule does not say writes={i}", after, before)


SUBSETS = 16
"""So many sets of active arguments are tried, if that is all there are."""


def _check_view(check: Check, f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """A result that is a view of an argument: a write into it is one into the argument."""
    given = replicas(args)
    y = f(*given)
    if not isinstance(y, np.ndarray) or not arrays_of(y) or not y.flags.writeable:
        return
    if not any(share(y, a) for a in arrays_of(given)):
        return
    copies = [
        f"c{i} = x{i} + 0.0" if isinstance(a, np.ndarray) and tangents.has_tangent(a) else f"c{i} = x{i}"
        for i, a in enumerate(args)
    ]
    params, names = (", ".join(f"{v}{i}" for i in range(len(args))) for v in "xc")
    probe = synthesise("probe", params, [*copies, f"y = f({names})", "y *= 3.0", f"return y, {names}"], {"f": f})
    try:
        Check(f"{check.name}, whose result is a view", check.rng, None, None).function(probe, args, 1, MODES)
    except Unsupported:  # right or refused
        return


def _check_subsets(check: Check, f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Every subset of the differentiable arguments active, the others inert; where they are too many,
    each argument active alone and inert alone: code for one depends on the others by what they share."""
    value = f(*replicas(args))
    ct = randn_like(value, check.rng)
    if tangents.is_absent(ct):
        return
    wrt = [i for i, a in enumerate(args) if tangents.has_tangent(a)]
    full = Derivative(scalar_function(f, args, ct), "grad", tuple(wrt))(*args) if wrt else ()
    whole = dict(zip(wrt, full))
    sizes = range(1, len(wrt)) if 2 ** len(wrt) <= SUBSETS else sorted({1, len(wrt) - 1})
    for size in sizes:
        for subset in itertools.combinations(wrt, size):
            for i, bar in zip(subset, gradient_function(f, args, subset, ct)(*args)):
                relative = max(1e-10, 8 * eps_of(args, ct))  # shared parts may be rounded in another order
                if not tangents.allclose(bar, whole[i], relative, 1e-12 * (1 + norm(whole[i]))):
                    raise check.fail(f"gradient for argument {i} with {subset} active", bar, whole[i])
            along = tuple(randn_like(a, check.rng) if i in subset else None for i, a in enumerate(args))
            got, tangent = jvp(f, replicas(args), along)
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


def _check_single(check: Check, f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """In float32: types, and values within its rounding of those in float64."""
    single = _single(args)
    value = f(*replicas(single))
    ct = randn_like(value, check.rng)
    if tangents.is_absent(ct) or not any(tangents.has_tangent(a) for a in args):
        return
    got, pullback = vjp(f, *single)
    check.same_value("value of vjp in float32", got, value)
    pulled = pullback(ct)
    wide = f(*replicas(args))
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


def check_body(check: Check, fn: Any, rule: Rule, args: tuple[Any, ...], settings: dict[str, Any]) -> None:
    """Run what the rule's author wrote on sample values, and look at what comes back.

    Only where the body can be called as it stands, and types only where all arguments share one
    dtype: elsewhere the compiler converts.
    """
    y = fn(*replicas(args), **settings) if callable(fn) else fn.__get__(args[0])
    ct = randn_like(y, check.rng)
    if tangents.is_absent(ct) or any(np.iscomplexobj(leaf) for leaf in (*tangents.leaves(ct), *inexact_leaves(args))):
        return
    wrt = rule.wrt if rule.wrt is not None else tuple(range(len(args)))
    if rule.kind == "elementwise":
        _check_partials(check, rule.body, _called(check, rule.body, (y, *args), settings), y, args, wrt)
    elif rule.kind in ("linear", "bilinear", "vjp"):
        entries = _called(check, rule.body, (ct, y, *args), settings)
        _check_cotangents(check, rule.kind, rule.body, entries, y, args, wrt)
    elif rule.kind == "explicit":
        _check_explicit(check, rule, y, ct, args, settings, wrt)


_NOT_CALLED = object()


def _called(check: Check, body: Any, given: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What the body returns; _NOT_CALLED if its parameters do not take these arguments, or if it
    says of one of them that there is no derivative (which the compiler drops where none is asked for)."""
    try:
        inspect.signature(body).bind(*given, **settings)
    except TypeError:  # settings that the compiler fills in
        return _NOT_CALLED
    before = replicas(given)
    with np.errstate(all="ignore"):
        try:
            made = body(*given, **settings)
        except NotImplementedError:  # runtime.no_derivative
            return _NOT_CALLED
    check.same_state("of the rule's body, which changes it", given, before)
    return made


def _entries(check: Check, result: Any, wrt: tuple[int, ...], what: str, body: Any) -> list[tuple[int, Any]]:
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


def _check_dtype(check: Check, what: str, value: Any, wanted: np.dtype[Any] | None) -> None:
    have = _dtype(value)
    if wanted is not None and have is not None and have.kind in "fc" and have != wanted:
        raise check.fail(f"dtype of the {what}", have, wanted)


def _check_partials(check: Check, body: Any, result: Any, y: Any, args: tuple[Any, ...], wrt: tuple[int, ...]) -> None:
    if result is _NOT_CALLED:
        return
    for i, partial in _entries(check, result, wrt, "elementwise", body):
        if partial is None:
            continue
        if np.broadcast_shapes(np.shape(partial), np.shape(y)) != np.shape(y):
            raise check.fail(f"shape of the partial derivative for argument {i}", np.shape(partial), np.shape(y))
        _check_dtype(check, f"partial derivative for argument {i}", partial, _common_dtype(y, args))


def _check_cotangents(
    check: Check, kind: str, body: Any, result: Any, y: Any, args: tuple[Any, ...], wrt: tuple[int, ...]
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
    check: Check, rule: Rule, y: Any, ct: Any, args: tuple[Any, ...], settings: dict[str, Any], wrt: tuple[int, ...]
) -> None:
    before = replicas(args)
    if rule.rrule is not None:
        made = _called(check, rule.rrule, args, settings)
        if made is not _NOT_CALLED:
            if not isinstance(made, tuple) or len(made) != 2 or not callable(made[1]):
                raise check.fail("result of the rrule", made, "(value, pullback)")
            check.same_value("value of the rrule", made[0], y)
            first, second = made[1](ct), made[1](ct)
            if not all(map(identical, inexact_leaves(first), inexact_leaves(second))):
                raise check.fail("result of the rrule's pullback when it is called again", second, first)
            check.same_state("after the rrule's pullback", args, before)
            _check_cotangents(check, "rrule", rule.rrule, first, y, args, wrt)
    if rule.frule is not None:
        dots = tuple(0.0 if tangents.is_absent(t) else t for t in (randn_like(args[i], check.rng) for i in wrt))
        made = _called(check, rule.frule, (*args, *dots), settings)
        if made is not _NOT_CALLED:
            if not isinstance(made, tuple) or len(made) != 2:
                raise check.fail("result of the frule", made, "(value, tangent)")
            check.same_value("value of the frule", made[0], y)
            if tangents.is_leaf(y) and np.shape(made[1]) != np.shape(y):
                raise check.fail("shape of the tangent of the frule", np.shape(made[1]), np.shape(y))
            if tangents.is_leaf(y):
                _check_dtype(check, "tangent of the frule", made[1], _common_dtype(y, args))
