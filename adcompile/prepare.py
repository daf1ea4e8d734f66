"""Derivatives that keep their arrays from one call to the next: `prepare`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import class_handlers
from adcompile.api import Derivative, grad, running
from adcompile.autodiff import nested
from adcompile.backend.buffers import Slot, buffered, shared
from adcompile.backend.cache import Entry
from adcompile.backend.derived import Derived
from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.backend.native.choice import chosen
from adcompile.backend.native.compiled import compiled
from adcompile.backend.native.regions import native_parts
from adcompile.boundary import gathered, own, project
from adcompile.errors import Place, Unsupported
from adcompile.ir.abstract import is_followed
from adcompile.ir.nodes import Atom
from adcompile.ir.stack import large_stack
from adcompile.refusals import spaces_at
from adcompile.runs import Made, Plan, conjugated, invoker, located
from adcompile.runtime import settings
from adcompile.runtime.objects import attributes
from adcompile.runtime.settings import Backend
from adcompile.runtime.shadows import groups_of
from adcompile.tangents import ArraySpace
from adcompile.targets import Target


class Prepared:
    """A derivative that owns the arrays it computes with; see `prepare`."""

    __slots__ = ("_entry", "_full", "_invoke", "_layout", "_lock", "_made", "_run", "_slots", "_spare", "derivative")

    def __init__(self, derivative: Derivative) -> None:
        self.derivative = derivative
        self._lock = threading.Lock()
        self._entry: Entry | None = None
        self._layout: Any = None
        self._full = False  # all arrays are there
        self._spare: list[Any] = []
        self._slots: tuple[Slot, ...] = ()

    def __call__(self, /, *args: Any, out: Any = None, copy: bool = True, **kwargs: Any) -> Any:
        if not self._lock.acquire(blocking=False):  # another thread, or this one further out, is in a call
            return self._placed(self.derivative(*args, **kwargs), out)
        try:
            return self._computed(args, kwargs, out, copy)
        finally:
            self._lock.release()

    @property
    def nbytes(self) -> int:
        """How many bytes the arrays have that are kept: none before the first call."""
        return sum({id(a): a.nbytes for a in self._spare if a is not None}.values())

    @property
    def source(self) -> str:
        """The Python source that runs."""
        return self._made.derived.source

    @property
    def fun(self) -> Any:
        return self.derivative.fun

    @property
    def target(self) -> Target:
        return self.derivative.target

    def __adcompile_key__(self) -> Hashable:
        return self.derivative.__adcompile_key__()

    def __repr__(self) -> str:
        return f"prepare({self.derivative!r})"

    # -- a call -----------------------------------------------------------------------------

    def _computed(self, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any, copy: bool) -> Any:
        entry, bound = self.derivative.specialise(args, kwargs)
        given = (*bound.args, *bound.values)
        self._prepare(entry, given)
        fun = self.derivative.target.function.fun
        read = _arrays((*given, *entry.made.derived.captured(fun)))
        layout = [(a.shape, a.strides) for a in read]  # decides those of the arrays that are kept
        if layout != self._layout or self._reached(read):
            self._layout, self._full = layout, False
            self._spare[:] = [None] * len(self._spare)
        plan = self.derivative.plan
        if out is None and copy or not _lends(plan):
            result = self._placed(self._run(fun, given), out)
        else:
            result = self._placed(self._lent(plan, fun, given), out)
        if not self._full:
            shared(self._slots, self._spare)
            self._full = True
        return result

    def prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Compile for such arguments."""
        entry, bound = self.derivative.specialise(args, kwargs)
        self._prepare(entry, (*bound.args, *bound.values))

    def _prepare(self, entry: Entry, args: tuple[Any, ...]) -> None:
        """Make what runs at such arguments, unless it is there."""
        if entry is self._entry:
            return
        made: Made = entry.made
        plan, derived = self.derivative.plan, made.derived.whole()
        holding = (0,) if plan.transform == "value_and_grad" else (1,) if plan.has_aux else ()
        kept, spare, slots = _sparing(derived, plan.backend, plan.transform != "grad", holding)
        self._made = replace(made, derived=kept, invoke=invoker(kept))
        self._spare, self._slots, self._layout = spare, slots, None
        fun = self.derivative.target.function.fun
        self._run: Callable[..., Any] = running(self._made, fun, plan, args)
        self._invoke = located(self._made.invoke, kept, fun)
        self._entry = entry

    def _reached(self, read: list[np.ndarray[Any, Any]]) -> bool:
        """Whether the function is given what has been lent before: then it must not be written over."""
        ours = {id(a) for a in self._spare if a is not None}
        return bool(ours) and any(id(owner) in ours for a in read for owner in _owners(a))

    def _lent(self, plan: Plan, fun: Any, args: tuple[Any, ...]) -> Any:
        """Gradients that may lie in the arrays that are kept."""
        spaces = spaces_at(fun, [args[i] for i in self._made.wrt])
        raw = self._invoke(fun, args)
        head = None
        if plan.transform == "value_and_grad":
            head, raw = raw
        raw = gathered(conjugated(raw if isinstance(plan.argnums, tuple) else (raw,)), spaces)
        ours = {id(a) for a in self._spare if a is not None}
        seen: set[int] = set()
        grads = tuple([_lent(raw, k, space, ours, seen) for k, space in enumerate(spaces)])
        result = grads if isinstance(plan.argnums, tuple) else grads[0]
        return (head, result) if plan.transform == "value_and_grad" else result

    def _placed(self, result: Any, out: Any) -> Any:
        """The result with its gradients in the arrays of the user."""
        if out is None:
            return result
        plan = self.derivative.plan
        if plan.transform == "value_and_grad":
            return result[0], _placed(result[1], out)
        if plan.has_aux:
            return _placed(result[0], out), result[1]
        return _placed(result, out)


def _sparing(
    derived: Derived, backend: Backend | None, exact: bool, holding: Sequence[int]
) -> tuple[Derived, list[Any], tuple[Slot, ...]]:
    """The derivative with a list in which it keeps what it computes with from one call to the next, and the items of
    that. `backend` and `exact` as it was made for; `holding`: `backend.buffers.buffered`."""
    chosen_backend = chosen(backend or settings.current.backend)
    assert derived.program is not None
    parts = native_parts(derived.program, chosen_backend, exact, settings.current.elementary)
    whole = parts.program.entry in parts.kernels  # which makes its arrays as it runs
    program, slots = (parts.program, ()) if whole else large_stack(buffered, parts.program, holding)
    spare: list[Any] = [None] * len(slots)
    emitted = emit(program)
    made = compiled(parts, load(emitted, emitted.name), emitted.names, chosen_backend, spare if whole else None)
    inner, native = made[0], made[2]

    def call(*args: Any) -> Any:
        return inner(*args, spare)

    kept = replace(derived, call=call if slots else inner, source=emitted.source, native=native)
    return kept, spare, slots


def _lends(plan: Plan) -> bool:
    return plan.transform in ("grad", "value_and_grad") and not plan.has_aux and not plan.closure


def _arrays(given: Iterable[Any]) -> list[np.ndarray[Any, Any]]:
    """The arrays in arguments: in containers, and in attributes of objects that are followed."""
    out: list[np.ndarray[Any, Any]] = []
    work, seen = list(given), set[int]()
    while work:
        value = work.pop()
        if isinstance(value, np.ndarray):
            out.append(value)
        elif id(value) not in seen:
            seen.add(id(value))  # which may hold itself
            if isinstance(value, (tuple, list)):
                work += value
            elif isinstance(value, dict) or is_followed(type(value)):
                work += (value if isinstance(value, dict) else attributes(value)).values()
    return out


def _owners(array: Any) -> Iterator[Any]:
    while array is not None:
        yield array
        array = getattr(array, "base", None)


def _lent(raw: Sequence[Any], k: int, space: Any, ours: set[int], seen: set[int]) -> Any:
    g = raw[k]
    if isinstance(space, ArraySpace) and type(g) is np.ndarray and (g.dtype, g.shape) == (space.dtype, space.shape):
        if id(g) in ours and id(g) not in seen:
            seen.add(id(g))
            return g
    del g
    return project(raw, k, space, seen)


def _placed(result: Any, out: Any) -> Any:
    """`out`, with the gradients copied into its arrays. Raises TypeError for arrays that do not fit, ValueError for
    those that are read-only or share memory."""
    pairs = _pairs(result, out, "out")
    arrays = [a for _, a in pairs]
    if not all(a.flags.writeable for a in arrays):
        raise ValueError("an array in out is read-only")
    if len(groups_of(arrays)) < len(arrays):
        raise ValueError("arrays in out share memory: the gradients would be written over each other")
    for g, array in pairs:
        np.copyto(array, g)
    if isinstance(out, (tuple, list)):
        return tuple([_own(g) if o is None else o for g, o in zip(result, out)])
    return out


def _own(g: Any) -> Any:
    raw = [g]
    del g
    return own(raw, 0) if type(raw[0]) is np.ndarray else raw[0]


def _pairs(result: Any, out: Any, what: str) -> list[tuple[Any, np.ndarray[Any, Any]]]:
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{what} must be a tuple with {len(result)} entries, an array or None for each gradient")
        pairs = [_pairs(g, o, f"{what}[{i}]") for i, (g, o) in enumerate(zip(result, out)) if o is not None]
        return [pair for found in pairs for pair in found]
    if type(result) is not np.ndarray:
        raise TypeError(f"{what}: this gradient is no array, but a {type(result).__name__}: pass None")
    if type(out) is not np.ndarray or (out.shape, out.dtype) != (result.shape, result.dtype):
        raise TypeError(f"{what} must be a {result.dtype} array of shape {result.shape}")
    return [(result, out)]


def prepare(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Prepared:
    """A derivative at arguments like these, which keeps the arrays it computes with from one call to the next.

    `fun` is a derivative (`ad.grad(f)`); of a plain function its gradient is meant. It is compiled, not run. What
    comes back is called as the derivative is, with the same result, bit for bit: results are new arrays, unless
    something else is asked for.

        g = ad.prepare(ad.grad(f), x, y)
        g(x, y)                 a new array, as from ad.grad(f)(x, y)
        g(x, y, copy=False)     an array that the next call may write over
        g(x, y, out=buffer)     the gradient is written into `buffer`, which is returned in its place: an array
                                of its shape and dtype; for a tuple of gradients a tuple of arrays or None

    Arguments of other shapes or types are right too; arrays are then made anew. `g.nbytes` tells what is kept. While
    a call runs, another one (in a thread, or from inside) makes arrays of its own. A parameter that is called `out`
    or `copy` is passed by position.

    What has been lent may be an argument of the next call, alone or in lists, dicts and objects. It must not be what
    the function reads elsewhere: an array of a module, say, that you have put there.

    `copy=False` holds for `grad` and `value_and_grad`; auxiliary values and what other derivatives give is copied
    in any case. Raises TypeError and ValueError for arrays in `out` that do not fit, are read-only or share memory.
    """
    prepared = Prepared(fun if isinstance(fun, Derivative) else grad(fun))
    prepared.prepare(args, kwargs)
    return prepared


def _followed(
    b: Builder, value: Any, args: list[Atom], kwargs: nested.Kwargs, place: Place | None, name: str
) -> Atom:
    """A call in code that is differentiated itself: the derivative, whose arrays are the code's own."""
    if any(k == "out" for k, _ in kwargs):
        raise Unsupported("out= of a prepared derivative inside a function", place, "assign its result instead")
    kwargs = [(k, v) for k, v in kwargs if k != "copy"]
    return class_handlers[Derivative](b, value.derivative, args, kwargs, place, name)


class_handlers[Prepared] = _followed
