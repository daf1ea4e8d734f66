"""Extrema that shift or scale what they are taken of, and that the result does not depend on.

`x - np.max(x)` keeps exponentials in range. In a softmax, a logsumexp, a log-softmax the shift
cancels, and its derivative with it: following it would compute a zero. So an extremum `m` is taken
for a variable of its own, and what is computed of it is followed as `base + k m` or as
`base · exp(k m)`. If all that anybody else reads has `k = 0`, no derivative passes through `m`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analysis.activity import OF_SHAPES, passes_derivative
from adcompile.analysis.builder import rank
from adcompile.analysis.views import fn_of
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var
from adcompile.ir.types import Known, Type
from adcompile.ir.walk import all_blocks, atoms_of, blocks_of, end_atoms

EXTREMA = {np.max, np.min, np.ndarray.max, np.ndarray.min}
SUMS = {np.sum, np.ndarray.sum, np.mean, np.ndarray.mean}
ADD, SUB = {operator.add, np.add}, {operator.sub, np.subtract}
MUL, DIV = {operator.mul, np.multiply}, {operator.truediv, np.divide}
NEG, EXP, LOG = {operator.neg, np.negative}, {np.exp, math.exp}, {np.log, math.log}


@frozen
class Weight:
    """How a value depends on the extremum: `base + times · m`, or as `product` `base · exp(times · m)`.

    `dropped`: the axes that the extremum was taken over are gone from the value, so that it is not
    aligned any more with what still has them.
    """

    times: float
    product: bool = False
    dropped: bool = False


class Lost(Exception):
    """Something that the extremum has a part in, and of which nothing is known."""


def without_influence(
    block: Block, types: Mapping[Var, Type], definition: Mapping[Var, Call]
) -> frozenset[Var]:
    """The extrema computed in a block, at any depth, that its results do not depend on.

    `definition` has the statement of every value that a Call computes.
    """
    found: set[Var] = set()
    for inner in all_blocks(block):
        for i, s in enumerate(inner.statements):
            if isinstance(s, Call) and fn_of(s) in EXTREMA and cancels(s, inner, i, types, definition):
                found.add(s.result)
    return frozenset(found)


def cancels(
    call: Call, block: Block, at: int, types: Mapping[Var, Type], definition: Mapping[Var, Call]
) -> bool:
    try:
        walk = Walk(call, types, definition)
        for s in block.statements[at + 1 :]:
            walk.statement(s)
        walk.check(end_atoms(block.end))
    except Lost:
        return False
    return walk.shifts


# -- axes ---------------------------------------------------------------------------------------


@frozen
class Reduced:
    """`axes` counted from the end; None: all of them."""

    axes: frozenset[int] | None
    keepdims: bool


def reduced(call: Call, types: Mapping[Var, Type]) -> Reduced:
    """Over which axes a reduction goes. Raises Lost if it has other settings."""
    if len(call.args) != 1 or not isinstance(call.args[0], Var):
        raise Lost
    settings = {name: setting_of(a, types) for name, a in call.kwargs}
    axis, keepdims = settings.pop("axis", None), settings.pop("keepdims", False)
    if settings or not isinstance(keepdims, (bool, np.bool_)):
        raise Lost
    if axis is None:
        return Reduced(None, bool(keepdims))
    axes = axis if isinstance(axis, tuple) else (axis,)
    axis_count = rank(types[call.args[0]])
    if not all(type(a) is int for a in axes) or axis_count is None and any(a >= 0 for a in axes):
        raise Lost
    if axis_count == len(axes):
        return Reduced(None, bool(keepdims))
    return Reduced(frozenset(a - axis_count if a >= 0 and axis_count is not None else a for a in axes), bool(keepdims))


def setting_of(atom: Atom, types: Mapping[Var, Type]) -> Any:
    if isinstance(atom, Const):
        return atom.value
    t = types[atom]
    if isinstance(t, Known):
        return t.value
    raise Lost


def inserted(call: Call, types: Mapping[Var, Type], definition: Mapping[Var, Call]) -> int:
    """Where `x[:, None]` or `np.expand_dims(x, 1)` puts an axis, counted from the end of the result."""
    axis_count = rank(types[call.args[0]]) if isinstance(call.args[0], Var) else None
    if axis_count is None or len(call.args) != 2 or call.kwargs:
        raise Lost
    if fn_of(call) is np.expand_dims:
        axis = setting_of(call.args[1], types)
        if type(axis) is not int:
            raise Lost
        return axis - (axis_count + 1) if axis >= 0 else axis
    index = call.args[1]
    made = definition.get(index) if isinstance(index, Var) else None
    if made is None or fn_of(made) is not ops.build_tuple or len(made.args) != axis_count + 1:
        raise Lost
    new = [i for i, a in enumerate(made.args) if isinstance(a, Const) and a.value is None]
    others = [a for i, a in enumerate(made.args) if i not in new]
    if len(new) != 1 or not all(is_whole(a, definition) for a in others):
        raise Lost
    return new[0] - len(made.args)


def is_whole(atom: Atom, definition: Mapping[Var, Call]) -> bool:
    """Whether an index is `:`."""
    if isinstance(atom, Const):
        return isinstance(atom.value, slice) and atom.value == slice(None)
    made = definition.get(atom)
    if made is None or fn_of(made) is not slice:
        return False
    return all(isinstance(a, Const) and a.value is None for a in made.args)


# -- following ----------------------------------------------------------------------------------


class Walk:
    """The statements after an extremum, and what they make of it."""

    def __init__(self, call: Call, types: Mapping[Var, Type], definition: Mapping[Var, Call]) -> None:
        self.types, self.definition = types, definition
        taken = reduced(call, types)
        count = rank(types[call.args[0]]) if isinstance(call.args[0], Var) else None
        self.axes = taken.axes
        # what lies behind the axes stays aligned without them: of leading axes none need be kept
        leading = count is not None and taken.axes == frozenset(range(-count, -count + len(taken.axes or ())))
        self.aligned = taken.axes is None or leading
        self.weights: dict[Var, Weight] = {call.result: Weight(1.0, dropped=not (taken.keepdims or self.aligned))}
        self.shifts = False  # whether anything was computed of it

    def check(self, atoms: Iterable[Atom]) -> None:
        if any(a in self.weights for a in atoms):
            raise Lost

    def statement(self, s: Statement) -> None:
        if not isinstance(s, Call):
            self.check(read_inside(s))
            return
        if not any(a in self.weights for a in atoms_of(s)):
            return
        if fn_of(s) is getattr or not passes_derivative(s):
            self.asked(s)
            return
        weight = self.weight(s)
        self.shifts = True
        if weight.times != 0.0:
            self.weights[s.result] = weight

    def asked(self, s: Call) -> None:
        """A method, a shape: what has no derivative. Parts that have one are lost."""
        name = str(setting_of(s.args[1], self.types)) if fn_of(s) is getattr else "shape"
        if name not in OF_SHAPES and not callable(getattr(np.ndarray, name, None)):
            raise Lost

    def weight(self, s: Call) -> Weight:
        """That of a call's result. Raises Lost."""
        fn = fn_of(s)
        if fn in SUMS or fn in EXTREMA:
            return self.reduction(s)
        if fn in (operator.getitem, np.expand_dims):
            given = self.of(s.args[0])
            if given is None or not given.dropped or self.axes != frozenset({inserted(s, self.types, self.definition)}):
                raise Lost
            return replace(given, dropped=False)
        operands = [self.of(a) for a in s.args]
        if s.kwargs or len({w.dropped for w in operands if w is not None}) > 1:
            raise Lost
        if len(operands) == 1 and operands[0] is not None:
            return unary(fn, operands[0])
        if len(operands) == 2:
            return binary(fn, operands[0], operands[1], s.args)
        raise Lost

    def of(self, atom: Atom) -> Weight | None:
        return self.weights.get(atom) if isinstance(atom, Var) else None

    def reduction(self, s: Call) -> Weight:
        given, over = self.of(s.args[0]), reduced(s, self.types)
        if given is None or not given.product and fn_of(s) not in EXTREMA:
            raise Lost
        if self.axes is None:
            return given
        if given.dropped or over.axes is None or not over.axes <= self.axes:
            raise Lost
        if over.keepdims or self.aligned and over.axes == self.axes:
            return given
        if over.axes != self.axes:
            raise Lost
        return replace(given, dropped=True)


def read_inside(s: Statement) -> Iterator[Atom]:
    """All that a statement with blocks reads, at any depth."""
    yield from atoms_of(s)
    for block in blocks_of(s):
        for inner in all_blocks(block):
            yield from (a for t in inner.statements for a in atoms_of(t))
            yield from end_atoms(inner.end)


def unary(fn: Any, w: Weight) -> Weight:
    if fn in NEG and not w.product:
        return replace(w, times=-w.times)
    if fn in NEG:
        return w
    if fn in EXP and not w.product or fn in LOG and w.product:
        return replace(w, product=not w.product)
    raise Lost


def binary(fn: Any, a: Weight | None, b: Weight | None, args: tuple[Atom, ...]) -> Weight:
    sign = 1.0 if fn in ADD or fn in MUL else -1.0
    some = a or b
    assert some is not None
    products = {w.product for w in (a, b) if w is not None}
    if len(products) > 1:
        raise Lost
    left, right = a.times if a else 0.0, b.times if b else 0.0
    if fn in ADD or fn in SUB:
        if not some.product:
            return replace(some, times=left + sign * right)
        if a is not None and a == b:  # a common factor
            return a
    elif fn in MUL or fn in DIV:
        if some.product:
            return replace(some, times=left + sign * right)
        number = args[1] if a else args[0]
        if isinstance(number, Const) and isinstance(number.value, (int, float)) and (fn in MUL or b is None):
            factor = float(number.value) if fn in MUL else 1.0 / number.value if number.value else math.nan
            return replace(some, times=some.times * factor)
    raise Lost
