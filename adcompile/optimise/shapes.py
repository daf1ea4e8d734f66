"""Which values have the same shape: a union-find over Vars, undone when a scope is left.

A dimension that is *not one* cannot be broadcast, so a statement that has run proves equal
shapes: after `c = a + b` with a, b: float64[many], all three have one shape.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Scalar, Type
from adcompile.optimise.typing import definite, hashable, type_of, widened
from adcompile.rules import registry
from adcompile.runtime import arrays

ELEMENTWISE: frozenset[Any] = frozenset(
    {
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow),
        *(operator.neg, operator.pos, operator.invert, operator.and_, operator.or_, operator.xor),
        *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, abs),
        *(np.where, np.clip, np.real, np.imag, np.nan_to_num),
    }
)

_LIKE: dict[Any, int] = {
    np.zeros_like: 0,
    np.ones_like: 0,
    np.empty_like: 0,
    np.full_like: 0,
    np.copy: 0,
    np.cumsum: 0,
    arrays.unbroadcast: 1,
    arrays.broadcast_like: 1,
    arrays.like: 1,
    arrays.contract: 1,
    arrays.scatter: 0,
    arrays.zeros_like: 0,
    ops.index_add: 0,
}
"""Functions whose result has the shape of the argument at this position."""

_OF_SHAPE: dict[Any, int] = {np.zeros: 0, np.ones: 0, np.empty: 0, np.full: 0, np.broadcast_to: 1}
"""Functions whose result has the shape given at this position."""


def is_elementwise(fn: Any) -> bool:
    """Whether the results' shape is the operands' broadcast shape."""
    try:
        if fn in ELEMENTWISE:
            return True
    except TypeError:  # unhashable objects are no operations of ours
        return False
    if isinstance(fn, np.ufunc):
        return fn.signature is None and fn.nout == 1
    rule = registry.lookup(fn)
    return rule is not None and rule.kind == "elementwise"


class Shapes:
    """Facts of the statements noted so far. `assume` says whose success may be relied on to
    prove operands equal: dce must not take an adjoint's word, since it may drop the adjoint."""

    def __init__(self, types: Mapping[Var, Type], defs: Mapping[Var, Call], assume: bool = True) -> None:
        self.types, self.defs, self.assume = types, defs, assume
        self._parent: dict[Var, Var] = {}
        self._size: dict[Var, int] = {}
        self._trail: list[tuple[Var, Var]] = []

    def mark(self) -> int:
        return len(self._trail)

    def undo(self, mark: int) -> None:
        while len(self._trail) > mark:
            child, root = self._trail.pop()
            del self._parent[child]
            self._size[root] -= self._size.get(child, 1)

    def _root(self, var: Var) -> Var:
        while var in self._parent:
            var = self._parent[var]
        return var

    def unite(self, a: Var, b: Var) -> None:
        a, b = self._root(a), self._root(b)
        if a is b:
            return
        if self._size.get(a, 1) < self._size.get(b, 1):
            a, b = b, a
        self._parent[b] = a
        self._size[a] = self._size.get(a, 1) + self._size.get(b, 1)
        self._trail.append((b, a))

    def key(self, atom: Atom) -> Hashable:
        """Equal keys, equal shapes; None if nothing is known."""
        t = widened(type_of(atom, self.types))
        if isinstance(t, Scalar):
            return ()
        if not isinstance(t, Array):
            return None
        if t.dims is not None and all(d == "one" for d in t.dims):
            return t.dims
        return self._root(atom) if isinstance(atom, Var) else None

    def same(self, a: Atom, b: Atom) -> bool:
        key = self.key(a)
        return key is not None and key == self.key(b)

    def compatible(self, operands: tuple[Atom, ...]) -> bool:
        """Whether broadcasting these together cannot fail."""
        seen: set[Hashable] = set()
        for atom in operands:
            key = self.key(atom)
            if key is None:
                return False
            if not (isinstance(key, tuple) and all(d == "one" for d in key)):
                seen.add(key)
        return len(seen) <= 1

    def note(self, call: Call) -> None:
        """Learn what the success of a call tells."""
        if not isinstance(call.fn, Const) or not isinstance(self.types.get(call.result), Array):
            return
        fn, args = call.fn.value, call.args
        if is_elementwise(fn):
            self._broadcast(call)
            return
        at = _LIKE.get(fn) if isinstance(fn, type(np.sum)) or callable(fn) and hashable(fn) else None
        if at is not None and at < len(args) and not call.kwargs:
            self._join(call.result, args[at])
            return
        at = _OF_SHAPE.get(fn) if hashable(fn) else None
        if at is not None and at < len(args):
            source = shape_source(args[at], self.defs)
            if source is not None:
                self._join(call.result, source)

    def _join(self, result: Var, source: Atom) -> None:
        if isinstance(source, Var) and isinstance(self.types.get(source), Array):
            self.unite(result, source)

    def _broadcast(self, call: Call) -> None:
        result_type = self.types[call.result]
        operands = [a for a in call.args if not isinstance(widened(type_of(a, self.types)), Scalar)]
        if any(not isinstance(a, Var) or not isinstance(self.types.get(a), Array) for a in operands):
            return
        full = [a for a in operands if isinstance(a, Var) and self._fills(a, result_type)]
        if len({self.key(a) for a in operands}) == 1 and isinstance(operands[0], Var):
            full = [operands[0]]
        if full:
            self.unite(call.result, full[0])
            if self.assume or call.role == "primal":
                for other in full[1:]:
                    self.unite(call.result, other)

    def _fills(self, operand: Var, result: Type) -> bool:
        t = self.types[operand]
        return isinstance(t, Array) and isinstance(result, Array) and definite(t) and t.dims == result.dims


def shape_source(atom: Atom, defs: Mapping[Var, Call]) -> Atom | None:
    """The array whose shape an atom is: `x.shape`, `np.shape(x)`."""
    call = defs.get(atom) if isinstance(atom, Var) else None
    if call is None or not isinstance(call.fn, Const):
        return None
    if call.fn.value is np.shape:
        return call.args[0]
    if call.fn.value is getattr and isinstance(call.args[1], Const) and call.args[1].value == "shape":
        return call.args[0]
    return None
