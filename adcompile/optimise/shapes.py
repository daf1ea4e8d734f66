"""Which values have the same shape: a union-find over Vars, undone when a scope is left.

A dimension that is *not one* cannot be broadcast, so a statement that has run proves equal
shapes: after `c = a + b` with a, b: float64[many], all three have one shape.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Union

import numpy as np

from adcompile.analysis.lengths import asks_for_shape
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, For, Var
from adcompile.ir.types import Array, Scalar, Type
from adcompile.optimise.typing import const_key, definite, hashable, rank, type_of, widened
from adcompile.rules import registry
from adcompile.runtime import arrays, memory
from adcompile.runtime.detaching import replica

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
    memory.shadow: 0,
    memory.snapshot: 0,
    replica: 0,
    ops.index_add: 0,
}
"""Functions whose result has the shape of the argument at this position."""

REDUCTIONS: frozenset[Any] = frozenset({np.sum, np.mean, np.prod, np.max, np.min, np.any, np.all, np.std, np.var})

PRODUCTS: frozenset[Any] = frozenset({operator.matmul, np.matmul, np.dot})

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
    """Facts of the statements noted so far. `assume`: they all run, so that their operands are
    known to fit together; else that is known only of those noted as having run."""

    def __init__(self, types: Mapping[Var, Type], defs: Mapping[Var, Call], assume: bool = True) -> None:
        self.types, self.defs, self.assume = types, defs, assume
        self._parent: dict[Var, Var] = {}
        self._size: dict[Var, int] = {}
        self._first: dict[Var, Var] = {}  # by root: the value of this shape that was there first
        self._number: dict[Var, int] = {}  # in which order results came; parameters have none
        self._cuts: dict[Var, dict[Hashable, Var]] = {}  # by root: what indices give
        self._loops: dict[Var, Hashable] = {}  # by element: what the loop runs over
        self._products: dict[tuple[int, Atom | None], list[tuple[Var, Var]]] = {}  # by operand: the other, the product
        self._trail: list[tuple[Var, Var, Var] | tuple[Var, Hashable]] = []

    def mark(self) -> int:
        return len(self._trail)

    def undo(self, mark: int) -> None:
        while len(self._trail) > mark:
            match self._trail.pop():
                case (Var() as child, Var() as root, Var() as first):
                    del self._parent[child]
                    self._size[root] -= self._size.get(child, 1)
                    self._first[root] = first
                case (root, index):
                    del self._cuts[root][index]

    def _root(self, var: Var) -> Var:
        while var in self._parent:
            var = self._parent[var]
        return var

    def first(self, var: Var) -> Var:
        """The oldest value known to have this shape, parameters before all."""
        root = self._root(var)
        return self._first.get(root, root)

    def unite(self, a: Var, b: Var) -> None:
        a, b = self._root(a), self._root(b)
        if a is b:
            return
        if self._size.get(a, 1) < self._size.get(b, 1):
            a, b = b, a
        first = self._first.get(a, a)
        self._trail.append((b, a, first))
        self._parent[b] = a
        self._size[a] = self._size.get(a, 1) + self._size.get(b, 1)
        self._first[a] = min(first, self._first.get(b, b), key=lambda v: self._number.get(v, -1))
        for index, cut in list(self._cuts.get(b, {}).items()):
            self._cut(a, index, cut)

    def _cut(self, owner: Var, index: Hashable, result: Var) -> None:
        """Equal indices of equal shapes give equal shapes."""
        cuts = self._cuts.setdefault(self._root(owner), {})
        known = cuts.get(index)
        if known is None:
            cuts[index] = result
            self._trail.append((self._root(owner), index))
        elif isinstance(self.types.get(result), Array):
            self.unite(result, known)

    def reached(self, owner: Atom, index: Atom) -> bool:
        """Whether this index is known to exist in arrays of the owner's shape."""
        if not isinstance(owner, Var):
            return False
        cuts = self._cuts.get(self._root(owner), {})
        loop = self._loops.get(index) if isinstance(index, Var) else None
        if ("at", const_key(index)) in cuts or loop is not None and ("each", loop) in cuts:
            return True
        listed = indexed_array(index, self.defs)
        return isinstance(listed, Var) and self._root(listed) == self._root(owner)

    def enter_loop(self, s: For) -> None:
        """The element of a loop over `range(len(x))` is an index of x."""
        element = s.body.params[0]
        self._loops[element] = iteration(s.iterable, self.defs)
        made = self.defs.get(s.iterable) if isinstance(s.iterable, Var) else None
        if made is None or not isinstance(made.fn, Const) or made.fn.value is not range or len(made.args) != 1:
            return
        owner = length_of(made.args[0], self.defs)
        if isinstance(owner, Var):
            self._cut(owner, ("at", element), element)

    def note_loop(self, s: For, calls: Iterable[Call]) -> None:
        """Learn that a loop ran to its end, with these calls in each iteration."""
        element, loop = s.body.params[0], iteration(s.iterable, self.defs)
        for call in calls:
            fn = call.fn.value if isinstance(call.fn, Const) else None
            if (fn is operator.getitem or fn is ops.index_add) and call.args[1] is element:
                if isinstance(call.args[0], Var):
                    self._cut(call.args[0], ("each", loop), call.result)

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

    def note(self, call: Call, ran: bool = False) -> None:
        """Learn what the success of a call tells."""
        if not isinstance(call.fn, Const):
            return
        fn, args = call.fn.value, call.args
        if ran and (fn is operator.getitem or fn is ops.index_add) and isinstance(args[0], Var):
            self._cut(args[0], ("at", const_key(args[1])), call.result)
        if not isinstance(self.types.get(call.result), Array):
            return
        self._number.setdefault(call.result, len(self._number))
        if is_elementwise(fn):
            self._broadcast(call, ran or self.assume)
            return
        if fn is operator.getitem:
            self._slice(call)
            return
        if not hashable(fn):
            return
        if fn in REDUCTIONS:
            self._reduce(call)
            return
        if fn in PRODUCTS:
            self._product(call)
            return
        at = _LIKE.get(fn)
        if at is not None and at < len(args) and not call.kwargs and not asks_for_shape(args, ()):
            if fn is not np.cumsum or rank(type_of(args[0], self.types)) == 1:  # it flattens, and a number has an axis
                self._join(call.result, args[at])
            return
        at = _OF_SHAPE.get(fn)
        if at is not None and at < len(args):
            source = shape_source(args[at], self.defs)
            if source is not None:
                self._join(call.result, source)

    def _join(self, result: Var, source: Atom) -> None:
        if isinstance(source, Var) and isinstance(self.types.get(source), Array):
            self.unite(result, source)

    def _broadcast(self, call: Call, ran: bool) -> None:
        result_type = self.types[call.result]
        operands = [a for a in call.args if not isinstance(widened(type_of(a, self.types)), Scalar)]
        if any(not isinstance(a, Var) or not isinstance(self.types.get(a), Array) for a in operands):
            return
        full = [a for a in operands if isinstance(a, Var) and self._fills(a, result_type)]
        if len({self.key(a) for a in operands}) == 1 and isinstance(operands[0], Var):
            full = [operands[0]]
        if full:
            self.unite(call.result, full[0])
            if ran:
                for other in full[1:]:
                    self.unite(call.result, other)

    def _slice(self, call: Call) -> None:
        """`x[1:]` and `x[:-1]` have one shape: both are what is left when one is taken."""
        owner = call.args[0]
        parts = slice_parts(call.args[1], self.defs)
        if not isinstance(owner, Var) or parts is None or not isinstance(self.types.get(owner), Array):
            return
        if all(part == 0 for part in parts):
            self.unite(call.result, owner)
            return
        self._cut(owner, parts, call.result)

    def _product(self, call: Call) -> None:
        """With `c = a @ b` and `c_bar` of its shape, `c_bar @ b.T` has that of `a`, and `a.T @ c_bar` that of `b`."""
        if call.kwargs or len(call.args) != 2 or any(rank(type_of(a, self.types)) != 2 for a in call.args):
            return
        for k, (turned, other) in enumerate((call.args, call.args[::-1])):
            owner = transposed(turned, self.defs)
            for partner, product in self._products.get((k, owner), ()):
                if self.same(product, other):
                    self.unite(call.result, partner)
        a, b = call.args
        if isinstance(a, Var) and isinstance(b, Var):
            self._products.setdefault((0, a), []).append((b, call.result))
            self._products.setdefault((1, b), []).append((a, call.result))

    def _reduce(self, call: Call) -> None:
        """Equal shapes, reduced over equal axes, are equal."""
        owner = call.args[0]
        settings = dict(call.kwargs)
        axis = call.args[1] if len(call.args) > 1 else settings.pop("axis", Const(None))
        keepdims = settings.pop("keepdims", Const(False))
        plain = isinstance(axis, Const) and isinstance(keepdims, Const) and len(call.args) < 3
        if plain and not settings and isinstance(owner, Var):
            self._cut(owner, ("over", const_key(axis), const_key(keepdims)), call.result)

    def _fills(self, operand: Var, result: Type) -> bool:
        t = self.types[operand]
        return isinstance(t, Array) and isinstance(result, Array) and definite(t) and t.dims == result.dims


class _Agreeing(Shapes):
    """As if all shapes fitted together."""

    def compatible(self, operands: tuple[Atom, ...]) -> bool:
        return True

    def reached(self, owner: Atom, index: Atom) -> bool:
        return True


AGREEING = _Agreeing({}, {})


def transposed(atom: Atom, defs: Mapping[Var, Call]) -> Atom | None:
    """What an atom is the transpose of."""
    call = defs.get(atom) if isinstance(atom, Var) else None
    if call is None or not isinstance(call.fn, Const) or call.kwargs:
        return None
    if call.fn.value is getattr:
        name = call.args[1]
        return call.args[0] if isinstance(name, Const) and name.value == "T" and len(call.args) == 2 else None
    turns = call.fn.value is np.ndarray.T or call.fn.value is np.transpose
    return call.args[0] if turns and len(call.args) == 1 else None


def shape_source(atom: Atom, defs: Mapping[Var, Call]) -> Atom | None:
    """The array whose shape an atom is: `x.shape`, `np.shape(x)`."""
    call = defs.get(atom) if isinstance(atom, Var) else None
    if call is None or not isinstance(call.fn, Const):
        return None
    if call.fn.value is np.shape or call.fn.value is np.ndarray.shape:
        return call.args[0]
    if call.fn.value is getattr and isinstance(call.args[1], Const) and call.args[1].value == "shape":
        return call.args[0]
    return None


_Part = Union[int, tuple[Any, ...]]


def iteration(iterable: Atom, defs: Mapping[Var, Call]) -> Hashable:
    """Equal for loops over the same elements, in whatever order."""
    call = defs.get(iterable) if isinstance(iterable, Var) else None
    if call is None or not isinstance(call.fn, Const) or call.kwargs:
        return const_key(iterable)
    if call.fn.value is reversed:
        return iteration(call.args[0], defs)
    if call.fn.value is range:
        return ("range", *map(const_key, call.args))
    return const_key(iterable)


def length_of(stop: Atom, defs: Mapping[Var, Call]) -> Atom | None:
    """The array whose length an atom is: `len(x)`, `x.shape[0]`."""
    call = defs.get(stop) if isinstance(stop, Var) else None
    if call is None or not isinstance(call.fn, Const):
        return None
    if call.fn.value is len:
        return call.args[0]
    if call.fn.value is operator.getitem and isinstance(call.args[1], Const) and call.args[1].value == 0:
        return shape_source(call.args[0], defs)
    return None


def indexed_array(index: Atom, defs: Mapping[Var, Call]) -> Atom | None:
    """The array of all of whose indices an atom is one: an item of `list(np.ndindex(x.shape))`."""
    for fn in (operator.getitem, list, np.ndindex):
        call = defs.get(index) if isinstance(index, Var) else None
        if call is None or not isinstance(call.fn, Const) or call.fn.value is not fn or call.kwargs:
            return None
        index = call.args[0]
    return shape_source(index, defs)


def slice_parts(index: Atom, defs: Mapping[Var, Call]) -> tuple[_Part, ...] | None:
    """What slices leave of each axis: how many elements are taken away, whatever there are, or
    else the slice itself. None if the index is not made of slices with literal bounds."""
    call = defs.get(index) if isinstance(index, Var) else None
    if call is not None and isinstance(call.fn, Const) and call.fn.value is ops.build_tuple:
        parts = [slice_parts(a, defs) for a in call.args]
        return tuple(p[0] for p in parts if p) if all(p is not None and len(p) == 1 for p in parts) else None
    if isinstance(index, Const) and isinstance(index.value, tuple):
        parts = [slice_parts(Const(item), defs) for item in index.value]
        return tuple(p[0] for p in parts if p) if all(p is not None and len(p) == 1 for p in parts) else None
    bounds = _bounds(index, call)
    if bounds is None or not all(b is None or type(b) is int for b in bounds):
        return None
    start, stop, step = bounds
    if step in (None, 1) and (start is None or start >= 0) and (stop is None or stop < 0):
        return ((start or 0) - (stop or 0),)
    return (bounds,)


def _bounds(index: Atom, call: Call | None) -> tuple[Any, ...] | None:
    if isinstance(index, Const):
        value = index.value
        return (value.start, value.stop, value.step) if isinstance(value, slice) else None
    if call is None or not isinstance(call.fn, Const) or call.fn.value is not slice:
        return None
    values = [a.value for a in call.args if isinstance(a, Const)]
    if len(values) != len(call.args) or not 1 <= len(values) <= 3:
        return None
    return (None, values[0], None) if len(values) == 1 else (*values, None)[:3]
