"""Arrays padded in loops, and differences along a vector, in what kernels know: fresh arrays, written part by part.

    y = np.pad(x, 1)            →  y = np.zeros(n + 2); y[1 : 1 + n] = x
    y = np.pad(x, 1, "edge")    →  y = x[rt.padded_index(np.shape(x), ((1, 1),), "edge")]
    y = np.gradient(x, h)       →  y = np.empty_like(x); y[1:-1] = (x[2:] - x[:-2]) / (2.0 * h); …

and the way back of these (`rules/numpy/select`). Of vectors and matrices, along one axis after the other.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile import runtime as rt
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import INT, NONE, UNKNOWN, Array, Scalar, SliceT, TupleT
from adcompile.optimise.typing import type_of

if TYPE_CHECKING:
    from adcompile.backend.native.spelled import Spelling

FLOAT = np.dtype(np.float64)
NUMBER = Scalar(frozenset({np.float64}))
MODES = ("constant", "edge", "wrap")


@frozen
class Axis:
    """An axis of so many elements, between borders of `before` and `after` ones."""

    length: Atom
    before: int
    after: int


def padded(s: Spelling, call: Call) -> bool:
    """`np.pad` of a border that is known."""
    given = dict(zip(("array", "pad_width", "mode"), call.args)) | dict(call.kwargs)
    mode = given.pop("mode", Const("constant"))
    if s.lies_open or set(given) != {"array", "pad_width"} or not isinstance(mode, Const) or mode.value not in MODES:
        return False
    x, t = given["array"], s.array(given["array"])
    widths = _widths(s, given["pad_width"], len(t.dims or ()) if t is not None else 0)
    result = s.types[call.result]
    if t is None or widths is None or t.dtype != FLOAT or not isinstance(result, Array) or result.dtype != FLOAT:
        return False
    work = _Work(s, call)
    shape = work.new(np.shape, x, t=TupleT((INT,) * len(widths)))
    if mode.value != "constant":
        return s.last(call, operator.getitem, x, work.new(rt.padded_index, shape, Const(widths), mode, t=UNKNOWN))
    axes = work.axes(shape, widths)
    sizes = [work.plus(a.length, a.before + a.after) for a in axes]
    s.last(call, np.zeros, work.new(ops.build_tuple, *sizes, t=TupleT((INT,) * len(sizes))))
    inner = [work.cut(a.before, work.plus(a.length, a.before)) for a in axes]
    s.new(call, operator.setitem, (call.result, work.index(inner), x), NONE)
    return True


def repeating(s: Spelling, call: Call) -> bool:
    """`rt.padded_index` of a border that is known: its widths as a tuple for each axis."""
    t = type_of(call.args[0], s.types)
    widths = _widths(s, call.args[1], len(t.items) if isinstance(t, TupleT) else 0)
    if widths is None or len(call.args) != 3 or call.kwargs:
        return False
    return s.last(call, rt.padded_index, call.args[0], Const(widths), call.args[2])


def inside(s: Spelling, call: Call) -> bool:
    """`y_bar[rt.interior(shape, width)]`."""
    x, index = call.args
    made, t = s.index_of(index, rt.interior), s.array(x)
    widths = None if made is None or t is None else _widths(s, made.args[1], len(t.dims or ()))
    if made is None or widths is None or len(made.args) != 2 or made.kwargs:
        return False
    work = _Work(s, call)
    axes = work.axes(made.args[0], widths)
    inner = [work.cut(a.before, work.plus(a.length, a.before)) for a in axes]
    return s.last(call, operator.getitem, x, work.index(inner))


def slopes(s: Spelling, call: Call) -> bool:
    """`np.gradient` of a vector with even steps."""
    if call.kwargs or not 0 < len(call.args) < 3:
        return False
    f, step = (*call.args, Const(1.0))[:2]
    t, number = s.vector(f), type_of(step, s.types)
    if t is None or t.dtype != FLOAT or s.types[call.result] != t:
        return False
    if not isinstance(number, Scalar) and not (isinstance(step, Const) and type(step.value) in (int, float)):
        return False
    work, y = _Work(s, call), call.result
    s.new(call, rt.check_slopes, (f,), NONE)
    s.last(call, np.empty_like, f)

    def quotient(a: Atom, b: Atom, by: Atom, kind: Any) -> Atom:
        return s.new(call, operator.truediv, (s.new(call, operator.sub, (a, b), kind), by), kind)

    twice = s.new(call, operator.mul, (Const(2.0), step), NUMBER)
    ahead, behind = (work.part(f, Const(cut)) for cut in (slice(2, None), slice(None, -2)))
    middle = quotient(ahead, behind, twice, Array(FLOAT, ("any",)))
    s.new(call, operator.setitem, (y, Const(slice(1, -1)), middle), NONE)
    for at, a, b in ((0, 1, 0), (-1, -1, -2)):
        one, other = (s.new(call, operator.getitem, (f, Const(k)), NUMBER) for k in (a, b))
        s.new(call, operator.setitem, (y, Const(at), quotient(one, other, step, NUMBER)), NONE)
    return True


def _widths(s: Spelling, width: Atom, rank: int) -> tuple[tuple[int, int], ...] | None:
    """The borders along each axis, if they are known."""
    try:
        value = np.asarray(s.known(width))
        pairs = np.broadcast_to(value, (rank, 2)).tolist() if value.dtype.kind == "i" and rank in (1, 2) else None
    except ValueError:  # of lists of several lengths; or NumPy raises it where the call runs
        return None
    return None if pairs is None or np.min(pairs) < 0 else tuple((a, b) for a, b in pairs)


@frozen
class _Work:
    """Writes the statements of one call."""

    s: Spelling
    like: Call

    def new(self, fn: Any, *args: Atom, t: Any) -> Var:
        return self.s.new(self.like, fn, args, t)

    def axes(self, shape: Atom, widths: tuple[tuple[int, int], ...]) -> list[Axis]:
        lengths = [self.new(operator.getitem, shape, Const(k), t=INT) for k in range(len(widths))]
        return [Axis(n, *pair) for n, pair in zip(lengths, widths)]

    def plus(self, n: Atom, more: int) -> Atom:
        return self.new(operator.add, n, Const(more), t=INT) if more else n

    def cut(self, start: Atom | int | None, stop: Atom | int | None) -> Atom:
        if not isinstance(start, Var) and not isinstance(stop, Var):
            return Const(slice(start, stop, None))
        bounds = [b if isinstance(b, Var | Const) else Const(b) for b in (start, stop)]
        return self.new(slice, *bounds, Const(None), t=SliceT((UNKNOWN, UNKNOWN, UNKNOWN)))

    def index(self, parts: list[Atom]) -> Atom:
        return parts[0] if len(parts) == 1 else self.new(ops.build_tuple, *parts, t=TupleT((UNKNOWN,) * len(parts)))

    def part(self, x: Atom, cut: Atom) -> Var:
        return self.new(operator.getitem, x, cut, t=Array(FLOAT, ("any",)))
