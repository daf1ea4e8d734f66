"""One check of a function's derivatives: values, tangents, cotangents, what is left in arguments, and memory.

`adcompile.testing` runs it, for functions and for rules.
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Callable
from dataclasses import field
from typing import Any, Union

import numpy as np

from adcompile import tangents
from adcompile.api import Derivative
from adcompile.boundary import conj
from adcompile.errors import SharedMemory
from adcompile.frontend.source import synthesise
from adcompile.frozen import frozen
from adcompile.numerical import directional, eps_of, inexact_leaves
from adcompile.products import jvp, vjp
from adcompile.runtime.detaching import replicas
from adcompile.runtime.shadows import share
from adcompile.runtime.structure import parts_of
from adcompile.tangents import dot, norm, randn_like, tangent_type

MODES = ("fwd", "rev")


class CheckFailure(AssertionError):
    """A derivative is not that of its function."""


class Check:
    """One run of checks: the name to blame, the random directions, the tolerances."""

    def __init__(
        self, name: str, rng: np.random.Generator, rtol: float | None, atol: float | None, exact: bool = True
    ) -> None:
        self.name, self.rng, self.rtol, self.atol = name, rng, rtol, atol
        self.exact = exact  # the value of a derivative may be computed in another order

    def fail(self, what: str, got: Any, expected: Any) -> CheckFailure:
        return CheckFailure(f"{self.name}: {what}\n  got      {got!r}\n  expected {expected!r}")

    def function(self, f: Callable[..., Any], args: tuple[Any, ...], order: int, modes: tuple[str, ...]) -> None:
        after = replicas(args)
        value = f(*after)
        if share_memory(args) and not all(map(identical, inexact_leaves(after), inexact_leaves(args))):
            raise SharedMemory(f"{self.name} writes into arguments that share memory", None, "check it with copies")
        ct = randn_like(value, self.rng)
        sample = Sample(f, args, after, value, tuple(randn_like(a, self.rng) for a in args))
        expected, _ = sample.slope()
        tangent = self.forward(sample) if "fwd" in modes else None
        pulled = self.reverse(sample, ct) if "rev" in modes else None
        if tangent is not None and pulled is not None:
            self.duality(ct, tangent, pulled, sample.along, args)
        if order > 1 and expected is not tangents.NoTangent:
            wrt = tuple(i for i, a in enumerate(args) if tangents.has_tangent(a))
            for mode in modes:
                inner = Check(f"{mode} derivative of {self.name}", self.rng, self.rtol, self.atol, exact=False)
                first = (
                    tangent_function(f, args, sample.along) if mode == "fwd" else gradient_function(f, args, wrt, ct)
                )
                inner.function(first, args, order - 1, modes)

    def forward(self, sample: Sample) -> Any:
        """Value, tangent and state of jvp; returns the tangent."""
        f, args, along = sample.f, sample.args, sample.along
        given = replicas(args)
        got, tangent = jvp(f, given, along)
        self.same_value("value of jvp", got, sample.value)
        self.same_state("after jvp", given, sample.after)
        self.same_sharing("jvp", (given, got), (sample.after, sample.value))
        self.same_type("tangent of the result", tangent, tangent_type(sample.value))
        self.own_memory("tangent of the result", tangent, (given, got, along))
        active = [i for i, v in enumerate(along) if not tangents.is_absent(v)]
        for i in active if len(active) > 1 else ():  # one at a time, to say which is wrong
            part, error = sample.slope(i)
            what = f"tangent for argument {i} along a random direction"
            self.close(what, jvp(f, replicas(args), sample.only(i))[1], part, error)
        self.close(f"tangent for argument{_list(active)} along a random direction", tangent, *sample.slope())
        return tangent

    def reverse(self, sample: Sample, ct: Any) -> tuple[Any, ...]:
        """Value, cotangents and state of vjp, argument by argument; returns the cotangents."""
        f, args, along = sample.f, sample.args, sample.along
        given = replicas(args)
        got, pullback = vjp(f, *given)
        self.same_value("value of vjp", got, sample.value)
        self.same_state("after vjp", given, sample.after)
        pulled: tuple[Any, ...] = pullback(ct)
        self.same_state("after the pullback, which puts back what was written", given, args)
        again, anew = pullback(ct), vjp(f, *replicas(args))[1](ct)
        self.same_state("after the pullback's second run", given, args)
        for i, (bar, arg) in enumerate(zip(pulled, args)):
            self.same_type(f"cotangent of argument {i}", bar, tangent_type(arg))
            for when, other in (("the pullback is called again", again), ("all is run again", anew)):
                if not tangents.allclose(bar, other[i], 0.0):
                    raise self.fail(f"cotangent of argument {i} when {when}", other[i], bar)
            self.own_memory(f"cotangent of argument {i}", bar, (given, got, ct, pulled[:i], again, anew))
        for i, (bar, arg) in enumerate(zip(pulled, args)):
            if not tangents.has_tangent(arg):
                continue
            part, error = sample.slope(i) if len(args) > 1 else sample.slope()
            left, right = dot(conj(bar), along[i]), dot(conj(ct), part)
            slack = (error + 1e-13) * norm(ct) * 10 + 1e-12 * norm(bar) * norm(along[i])
            if not self.near(left, right, slack, eps_of(arg, ct)):
                raise self.fail(f"gradient for argument {i} along a random direction", left, right)
        if pullback.mutated:
            self.state(sample, ct, pullback)
        return pulled

    def state(self, sample: Sample, ct: Any, pullback: Any) -> None:
        """Derivatives of what is left in the arguments that are written into."""
        f, args, along = sample.f, sample.args, sample.along
        names = list(inspect.signature(f).parameters)
        at = {name: names.index(name) if name in names else name for name in pullback.mutated}
        ct_after = {name: randn_like(sample.after[i], self.rng) for name, i in at.items()}
        _, tangent, moved = jvp(f, replicas(args), along, mutated=True)
        expected, error = directional(with_state(f, tuple(at.values())), args, along)
        self.close("tangents of what is left in the arguments", (tangent, *(moved[n] for n in at)), expected, error)
        pulled = pullback(ct, mutated=ct_after)
        both = (ct, *ct_after.values())
        self.duality(both, (tangent, *(moved[n] for n in at)), pulled, along, args)

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

    def same_state(self, when: str, got: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
        """The numbers in the arguments, in all that they hold."""
        for i, (a, b) in enumerate(zip(got, expected)):
            left, right = inexact_leaves(a), inexact_leaves(b)
            if len(left) != len(right) or not all(map(identical, left, right)):
                raise self.fail(f"argument {i} {when}", a, b)

    def same_sharing(self, what: str, got: Any, expected: Any) -> None:
        """Which of the arrays in arguments and result share memory."""
        if self.exact and sharing(got) != sharing(expected):
            raise self.fail(f"what shares memory after {what}, by number", sharing(got), sharing(expected))

    def own_memory(self, what: str, value: Any, others: Any) -> None:
        """Derivatives are the caller's: writable, and apart from all else."""
        for a in arrays_of(value):
            if not a.flags.writeable:
                raise self.fail(f"{what}: memory that is", "read-only", "writable")
            if any(i == 0 for i, _ in sharing((a, others))):
                raise self.fail(f"{what}: memory that is", "shared", "its own")

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


@frozen
class Sample:
    """A function at arguments: what it returns and leaves in them, a direction, and slopes along it."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    after: tuple[Any, ...]
    value: Any
    along: tuple[Any, ...]
    found: dict[int | None, tuple[Any, float]] = field(default_factory=dict[Union[int, None], tuple[Any, float]])

    def only(self, i: int) -> tuple[Any, ...]:
        return tuple(v if k == i else tangents.NoTangent for k, v in enumerate(self.along))

    def slope(self, i: int | None = None) -> tuple[Any, float]:
        """The derivative along the direction (of argument `i` alone) by differences, and its error."""
        if i not in self.found:
            along = self.along if i is None else self.only(i)
            self.found[i] = directional(on_copies(self.f), self.args, along)
        return self.found[i]


def arrays_of(value: Any) -> list[np.ndarray]:
    """The arrays of inexact numbers in a value."""
    if type(value) in (tuple, list):
        return [a for item in value for a in arrays_of(item)]
    return [a for a in inexact_leaves(value) if isinstance(a, np.ndarray)]


def sharing(value: Any) -> list[tuple[int, int]]:
    """The pairs among the arrays in a value that share memory."""
    found = list(enumerate(arrays_of(value)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # NumPy's, when results of broadcast_arrays are looked at
        return [(i, k) for i, a in found for k, b in found[i + 1 :] if share(a, b)]


def share_memory(args: tuple[Any, ...]) -> bool:
    """Whether an argument holds memory that another one holds."""
    memory = [arrays_of(a) for a in args]
    return any(share(x, y) for one, other in itertools.combinations(memory, 2) for x in one for y in other)


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
    if parts_of(a) is not None and a is not b:  # an object
        ours, theirs = tangents.leaves(a), tangents.leaves(b)
        return len(ours) == len(theirs) and all(map(identical, ours, theirs))
    return a is b or bool(a == b) or bool(a != a and b != b)


# -- functions made of functions ----------------------------------------------------------------


def on_copies(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` on copies of its arguments, into which it may write."""
    return lambda *args: f(*replicas(args))


def with_state(f: Callable[..., Any], written: tuple[int, ...]) -> Callable[..., Any]:
    """What `f` returns, and what it leaves in the arguments at these positions."""

    def transition(*args: Any) -> Any:
        given = replicas(args)
        value = f(*given)
        return (value, *(given[i] for i in written))

    return transition


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
    if not tangents.is_leaf(ct):  # an object
        for name, part in (parts_of(ct) or {}).items():
            _terms(f"{path}.{name}", part, terms, names)
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
