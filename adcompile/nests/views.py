"""Which element of an array a loop reads: views made plain.

A view shows elements of its base; here, for each axis of the base, where the loops over the axes of
the view stand in it:

    Axis(0, start, 2)       start + 2 · i, where i counts along the view's first axis
    Axis(None, start, 0)    at one place

A start is a linear form over keys, `(3, ((key, -1),))` for 3 - key.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Scalar, Type
from adcompile.nests.keys import Key, Keys, least, less, span
from adcompile.optimise.typing import type_of, widened

Linear = tuple[int, tuple[tuple[Key, int], ...]]
ZERO: Linear = (0, ())


@frozen
class Axis:
    """Where along one axis of the base."""

    loop: int | None
    start: Linear = ZERO
    step: int = 1


@frozen
class View:
    """`index` has an Axis for each axis of `base`, `extents` a key for each of its own."""

    base: Var
    index: tuple[Axis, ...]
    extents: Keys
    inside: tuple[tuple[Key, Linear], ...] = ()
    """Places that have to lie on an axis of that length, or the read raises."""


def plus(a: Linear, b: Linear, factor: int = 1) -> Linear:
    """`a + factor · b`."""
    terms = dict(a[1])
    for key, n in b[1]:
        terms[key] = terms.get(key, 0) + factor * n
    return a[0] + factor * b[0], tuple((key, n) for key, n in terms.items() if n)


def linear(key: Key) -> Linear:
    return (key, ()) if isinstance(key, int) else (0, ((key, 1),))


def whole(base: Var, extents: Keys) -> View:
    """An array as a view of itself."""
    return View(base, tuple(Axis(k) for k in range(len(extents))), extents)


def compose(outer: View, inner: View) -> View:
    """A view of a view, as one of the first one's base."""
    index = tuple(along(axis, inner) for axis in outer.index)
    return View(outer.base, index, inner.extents, (*outer.inside, *inner.inside))


def along(axis: Axis, window: View) -> Axis:
    """Where along an axis of a base, as the loops of a view of it count."""
    if axis.loop is None:
        return axis
    here = window.index[axis.loop]
    step = axis.step * here.step if here.loop is not None else 0
    return Axis(here.loop, plus(axis.start, here.start, axis.step), step)


def is_view(call: Call) -> bool:
    """Whether a call of this callable on an array may be a view that is followed here."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn is getattr:
        return isinstance(call.args[1], Const) and call.args[1].value == "T"
    return fn in (operator.getitem, np.transpose, np.ndarray.T, np.expand_dims, np.flip) and not call.kwargs


class Names(Protocol):
    """What is known of values: the calls that gave them, and which are integers that count from 0 on."""

    defs: dict[Var, Call]
    counted: frozenset[Var]


Lengths = Callable[[Atom], "Keys | None"]


def view_of(call: Call, types: Mapping[Var, Type], names: Names, lengths: Lengths) -> View | None:
    """The view that a call gives of its first argument; None if it gives none that is followed."""
    base = call.args[0]
    keys = lengths(base)
    if keys is None or not isinstance(base, Var) or not is_view(call) or not isinstance(call.fn, Const):
        return None
    rank = len(keys)
    if call.fn.value is operator.getitem:
        return basic_index(base, keys, call.args[1], types, names)
    if call.fn.value is np.expand_dims:
        at = call.args[1].value if isinstance(call.args[1], Const) else None
        return _with_axis(base, keys, at % (rank + 1)) if type(at) is int else None
    if call.fn.value is np.flip:
        return _flipped(base, keys, call.args[1] if len(call.args) == 2 else Const(None))
    order = tuple(range(rank))[::-1]
    if call.fn.value is np.transpose and len(call.args) == 2:
        given = call.args[1].value if isinstance(call.args[1], Const) else None
        if not isinstance(given, tuple) or sorted(k % rank for k in given) != sorted(order):
            return None
        order = tuple(k % rank for k in given)
    return View(base, tuple(Axis(order.index(k)) for k in range(rank)), tuple(keys[k] for k in order))


def _flipped(base: Var, keys: Keys, axis: Atom) -> View | None:
    given: Any = axis.value if isinstance(axis, Const) else axis
    at: tuple[Any, ...] = tuple(range(len(keys))) if given is None else given if isinstance(given, tuple) else (given,)
    if not all(type(k) is int and -len(keys) <= k < len(keys) for k in at):
        return None
    back = {k % len(keys) for k in at}
    index = tuple(Axis(k, plus(linear(n), (-1, ())), -1) if k in back else Axis(k) for k, n in enumerate(keys))
    return View(base, index, keys)


def _with_axis(base: Var, keys: Keys, at: int) -> View:
    index = tuple(Axis(k + (k >= at)) for k in range(len(keys)))
    return View(base, index, (*keys[:at], 1, *keys[at:]))


def basic_index(base: Var, keys: Keys, index: Atom, types: Mapping[Var, Type], names: Names) -> View | None:
    """`base[index]` for numbers, slices with a step that is known, None and `...`."""
    parts = _parts(index, names.defs)
    rest = None if parts is None else _without_ellipsis(parts, len(keys))
    if rest is None:
        return None
    axes: list[Axis] = []
    extents: list[Key] = []
    inside: list[tuple[Key, Linear]] = []
    for part in rest:
        if isinstance(part, Const) and part.value is None:
            extents.append(1)
            continue
        key = keys[len(axes)]
        cut = _cut(key, part, types, names)
        if cut is not None:
            start, step, extent = cut
            axes.append(Axis(len(extents), start, step))
            extents.append(extent)
            continue
        place = _place(key, part, types, names)
        if place is None:
            return None
        inside.append((key, place))
        axes.append(Axis(None, place, 0))
    return View(base, tuple(axes), tuple(extents), tuple(inside))


def _parts(index: Atom, defs: Mapping[Var, Call]) -> list[Atom] | None:
    if isinstance(index, Const):
        return [Const(v) for v in index.value] if isinstance(index.value, tuple) else [index]
    made = defs.get(index)
    if made is not None and isinstance(made.fn, Const) and made.fn.value is ops.build_tuple:
        return list(made.args)
    return [index]


def _without_ellipsis(parts: list[Atom], rank: int) -> list[Atom] | None:
    """As many parts as there are axes, new ones apart."""
    at = [k for k, p in enumerate(parts) if isinstance(p, Const) and p.value is Ellipsis]
    given = sum(not (isinstance(p, Const) and p.value is None) for p in parts) - len(at)
    if given > rank or len(at) > 1:
        return None
    where = at[0] if at else len(parts)
    everything: list[Atom] = [Const(slice(None))] * (rank - given)
    return [*parts[:where], *everything, *parts[where + len(at) :]]


def _cut(key: Key, part: Atom, types: Mapping[Var, Type], names: Names) -> tuple[Linear, int, Key] | None:
    """Start, step and extent of a slice of an axis; None if it is no slice that is followed."""
    bounds = _bounds(part, types, names)
    if bounds is None:
        return None
    start, stop, step = bounds
    step = 1 if step is None else step
    if type(step) is not int or step == 0:
        return None
    if step < 0:
        if start is not None or stop is not None:
            return None
        return plus(linear(key), (-1, ())), step, span(0, key, -step)
    first = 0 if start is None else start if isinstance(start, int) and start >= 0 else _bound(key, start, names)
    if isinstance(key, int):
        first = min(first, key) if isinstance(first, int) else first
    if step == 1 and isinstance(first, int) and (stop is None or type(stop) is int and stop < 0):
        return (first, ()), 1, less(key, first - (stop or 0))
    if step == 1 and type(start) is int and start < 0 and stop is None:
        return linear(first), 1, least(key, -start)
    return linear(first), step, span(first, key if stop is None else _bound(key, stop, names), step)


def _bound(key: Key, bound: Any, names: Names) -> Key:
    """Where a bound lies on an axis of this length."""
    if type(bound) is int:
        return least(key, bound) if bound >= 0 else less(key, -bound)
    return least(key, bound) if bound in names.counted else ("clip", key, bound)


def _bounds(part: Atom, types: Mapping[Var, Type], names: Names) -> tuple[Any, Any, Any] | None:
    """The bounds of a slice: numbers, None, or the Vars that bring them; of other classes Python says what they are."""
    if isinstance(part, Const):
        s = part.value
        plain = isinstance(s, slice) and all(map(_plain, (s.start, s.stop, s.step)))
        return (s.start, s.stop, s.step) if plain else None
    made = names.defs.get(part)
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not slice:
        return None
    values = [a.value if isinstance(a, Const) else a for a in made.args]
    if not all(v in names.counted or _is_whole(v, types) if isinstance(v, Var) else _plain(v) for v in values):
        return None
    return (None, values[0], None) if len(values) == 1 else (values[0], values[1], values[2] if values[2:] else None)


def _is_whole(bound: Var, types: Mapping[Var, Type]) -> bool:
    t = widened(type_of(bound, types))
    return isinstance(t, Scalar) and all(issubclass(k, (int, np.integer)) for k in t.kinds)


def _plain(bound: Any) -> bool:
    return bound is None or type(bound) is int


def _place(key: Key, part: Atom, types: Mapping[Var, Type], names: Names) -> Linear | None:
    """Where a number points on an axis."""
    if isinstance(part, Const):
        if type(part.value) is not int:
            return None
        return (part.value, ()) if part.value >= 0 else plus(linear(key), (part.value, ()))
    if part in names.counted:
        return linear(part)
    t = widened(type_of(part, types))
    if not isinstance(t, Scalar) or t.kinds & {bool} or not _is_whole(part, types):
        return None
    return linear(("place", key, part))


def moved(axis: Axis, by: int) -> Axis:
    """The axis in loops of which `by` stand in front of those it was made for."""
    return axis if axis.loop is None else replace(axis, loop=axis.loop + by)


def is_array(atom: Atom, types: Mapping[Var, Type]) -> bool:
    t = type_of(atom, types)
    return isinstance(t, Array)
