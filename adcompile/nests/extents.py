"""The lengths of the axes of arrays, as the keys of `nests/keys`.

What an elementwise operation gives has the lengths of its operands: whoever lowers one sees to it,
by a guard in front of it, that they agree.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompile.analysis.lengths import asks_for_shape
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, For, Function, If, Var, While, Yield
from adcompile.ir.types import Array, ListT, Seq, Type
from adcompile.ir.walk import blocks_of, results_of
from adcompile.nests.counted import counted
from adcompile.nests.elementwise import FUNCTIONS, operation
from adcompile.nests.keys import Keys, common, vars_in
from adcompile.nests.views import View, is_view, view_of
from adcompile.optimise.rewrite import leaves
from adcompile.optimise.typing import INPLACE, hashable, type_of
from adcompile.runtime import arrays, memory
from adcompile.runtime.shadows import shadows

_LIKE: Mapping[Any, int] = {
    np.zeros_like: 0, np.ones_like: 0, np.empty_like: 0, np.full_like: 0, np.copy: 0, np.ndarray.copy: 0,
    np.ndarray.astype: 0, arrays.unbroadcast: 1, arrays.broadcast_like: 1, arrays.like: 1, arrays.copy: 0,
    memory.outline: 0, memory.snapshot: 0, memory.shadow: 0, memory.apart: 0, ops.identity: 0, ops.index_add: 0,
    ops.expect_length: 0, np.tril: 0, np.triu: 0,
}  # fmt: skip
"""Functions whose result has the shape of this argument."""

REDUCTIONS: frozenset[Any] = frozenset({np.sum, np.max, np.min, np.mean, np.prod, np.any, np.all})


@dataclass
class Scopes:
    """Where each value is defined, and what values that several paths give may be."""

    function: Function
    types: Mapping[Var, Type]
    defs: dict[Var, Call] = field(default_factory=dict[Var, Call])
    joins: dict[Var, tuple[Atom, ...]] = field(default_factory=dict[Var, tuple[Atom, ...]])
    home: dict[Var, tuple[Block, ...]] = field(default_factory=dict[Var, tuple[Block, ...]])
    order: dict[Var, int] = field(default_factory=dict[Var, int])
    counted: frozenset[Var] = frozenset()

    def __post_init__(self) -> None:
        self._define((*self.function.params, *self.function.captured), ())
        self._block(self.function.body, (self.function.body,))
        self.counted = counted(self.function.body, self.types)

    def _define(self, vars_: Sequence[Var], path: tuple[Block, ...]) -> None:
        for v in vars_:
            self.home[v] = path
            self.order[v] = len(self.order)

    def _block(self, block: Block, path: tuple[Block, ...]) -> None:
        self._define(block.params, path)
        for s in block.statements:
            for inner in blocks_of(s):
                self._block(inner, (*path, inner))
            self._define(results_of(s), path)
            match s:
                case Call():
                    self.defs[s.result] = s
                case If():
                    ends = [b.end for b in (s.then, s.orelse) if isinstance(b.end, Yield)]
                    self.joins.update((r, tuple(e.values[k] for e in ends)) for k, r in enumerate(s.results))
                case For() | While():
                    params = s.body.params[1:] if isinstance(s, For) else s.body.params
                    ends = [e for e in leaves(s.body) if isinstance(e, (Continue, Break))]
                    for k, (p, r) in enumerate(zip(params, s.results)):
                        self.joins[p] = self.joins[r] = (s.init[k], *(e.values[k] for e in ends))
                case _:
                    raise AssertionError("an Attempt in a specialised program")

    def visible(self, var: Var, at: Var) -> bool:
        """Whether `var` is known wherever `at` is."""
        path = self.home[var]
        return self.home[at][: len(path)] == path


_UNDECIDED = ("undecided",)
Shape = Any  # Keys, or ("list", Shape) for lists whose items have that shape


@dataclass
class Extents:
    """Answers are found from the definitions when somebody asks; loops are taken to keep shapes
    until one turns out not to."""

    scopes: Scopes
    functions: frozenset[Any] = FUNCTIONS
    known: dict[Var, Shape] = field(default_factory=dict[Var, Shape])

    def __post_init__(self) -> None:
        self.types, self.defs = self.scopes.types, self.scopes.defs

    def of(self, atom: Atom) -> Keys | None:
        """The lengths of the axes of an array; None where even the rank is unknown."""
        t = type_of(atom, self.types)
        if not isinstance(t, Array) or t.dims is None or not isinstance(atom, Var):
            return None
        found = self._shape(atom)
        return found if found is not None and len(found) == len(t.dims) else self.own(atom)

    def own(self, var: Var) -> Keys:
        t = self.types[var]
        assert isinstance(t, Array) and t.dims is not None
        return tuple(1 if d == "one" else ("dim", var, k) for k, d in enumerate(t.dims))

    def of_rank(self, var: Var, rank: int) -> bool:
        t = self.types.get(var)
        return isinstance(t, Array) and t.dims is not None and len(t.dims) == rank

    def _shape(self, var: Var) -> Shape:
        if var in self.known:
            return self.known[var]
        sources = self.scopes.joins.get(var)
        if sources is not None:
            return self._joined(var, sources)
        call = self.defs.get(var)
        found = None if call is None or not isinstance(call.fn, Const) else self._of_call(call)
        t = self.types.get(var)
        if found is None and isinstance(t, Array) and t.dims is not None:
            found = self.own(var)
        self.known[var] = found
        return found

    def _joined(self, var: Var, sources: tuple[Atom, ...]) -> Shape:
        first = self._item(sources[0])
        mark = len(self.known)
        self.known[var] = first
        for other in sources[1:]:
            found = self._item(other)
            first = self.known[var] = found if _undecided(first) else first
            if not _undecided(found) and found != first:
                first = None
                break
        if first is not None and all(self.scopes.visible(v, var) for v in vars_in(first)):
            return first
        for v in list(self.known)[mark:]:  # what was concluded from the assumption
            del self.known[v]
        t = self.types.get(var)
        self.known[var] = self.own(var) if isinstance(t, Array) and t.dims is not None else None
        return self.known[var]

    def _item(self, atom: Atom) -> Shape:
        return self._shape(atom) if isinstance(atom, Var) else None

    def _of_call(self, call: Call) -> Shape:
        assert isinstance(call.fn, Const)
        fn, args = call.fn.value, call.args
        if not hashable(fn):
            return None
        if isinstance(self.types.get(call.result), (Seq, ListT)):
            return self._of_list(call)
        at = _LIKE.get(fn, 0 if fn in INPLACE else None)
        if at is not None and at < len(args) and not asks_for_shape(args, call.kwargs):
            return self.of(args[at])
        if fn is operator.getitem and isinstance(args[0], Var):
            return self._item_of(call, args[0])
        if is_view(call):
            return self._view(call)
        if operation(call, self.types, self.functions) is not None:
            return self.joint([a for a in args if isinstance(type_of(a, self.types), Array)])
        if fn in REDUCTIONS:
            return self._reduced(call)
        if fn is np.stack:
            return self._stacked(call)
        return self._of_shape(call.result, args[0]) if fn in (np.zeros, np.empty, np.ones, np.full) and args else None

    def _of_list(self, call: Call) -> Shape:
        assert isinstance(call.fn, Const)
        if call.fn.value is ops.build_list and not call.args:
            return ("list", _UNDECIDED)
        if call.fn.value is ops.push:
            items, new = self._item(call.args[0]), self._item(call.args[1])
            if items is None or new is None:
                return None
            return ("list", new) if _undecided(items) or items[1] == new else None
        return None

    def _item_of(self, call: Call, owner: Var) -> Shape:
        t = self.types.get(owner)
        if isinstance(t, Array):
            return self._view(call)
        made = self.defs.get(owner)
        if isinstance(t, Seq):
            items = self._shape(owner)
            return items[1] if isinstance(items, tuple) and items[:1] == ("list",) and not _undecided(items) else None
        if made is not None and isinstance(made.fn, Const) and made.fn.value is shadows:
            index = call.args[1]
            return self.of(made.args[index.value]) if isinstance(index, Const) else None
        return None

    def _view(self, call: Call) -> Keys | None:
        view = self.view(call)
        return None if view is None else view.extents

    def view(self, call: Call) -> View | None:
        """What a call that gives a view of its first argument shows."""
        return view_of(call, self.types, self.scopes, self.of)

    def joint(self, operands: Sequence[Atom]) -> Keys | None:
        """The lengths of what is broadcast together, if axes that are longer than one agree."""
        found = [self.of(a) for a in operands]
        if not found or any(keys is None for keys in found):
            return None
        return common([keys for keys in found if keys is not None])

    def _reduced(self, call: Call) -> Keys | None:
        keys, plan = self.of(call.args[0]), reduced_axes(call, self.types)
        if keys is None or plan is None:
            return None
        axes, keep = plan
        return tuple(1 if k in axes else n for k, n in enumerate(keys) if keep or k not in axes)

    def _stacked(self, call: Call) -> Keys | None:
        found = stacked_parts(call, self.types, self.defs)
        keys = None if found is None else self.of(found[0][0])
        return None if found is None or keys is None else (*keys[: found[1]], len(found[0]), *keys[found[1] :])

    def _of_shape(self, array: Var, shape: Atom) -> Keys | None:
        made = self.defs.get(shape) if isinstance(shape, Var) else None
        if made is None or not isinstance(made.fn, Const):
            given = shape.value if isinstance(shape, Const) else None
            given = (given,) if type(given) is int else given
            return given if isinstance(given, tuple) and all(type(n) is int and n >= 0 for n in given) else None
        if made.fn.value is ops.build_tuple:
            own = self.own(array) if self.of_rank(array, len(made.args)) else ()
            return tuple(_number(a) or n for a, n in zip(made.args, own)) or None
        if made.fn.value is getattr and made.args[1:] == made.args[1:2] and isinstance(made.args[1], Const):
            return self.of(made.args[0]) if made.args[1].value == "shape" else None
        return None


def _undecided(shape: Shape) -> bool:
    return shape == ("list", _UNDECIDED) or shape == _UNDECIDED


def _number(atom: Atom) -> int | None:
    """A length that is written out; of 1 the type knows."""
    value = atom.value if isinstance(atom, Const) else None
    return value if type(value) is int and value > 1 else None


def reduced_axes(call: Call, types: Mapping[Var, Type]) -> tuple[tuple[int, ...], bool] | None:
    """The axes that a reduction takes away, and whether it leaves them with length one."""
    t = type_of(call.args[0], types)
    settings: dict[str, Atom] = {"axis": Const(None), "keepdims": Const(False), **dict(call.kwargs)}
    if len(call.args) == 2:
        settings["axis"] = call.args[1]
    if len(settings) != 2 or len(call.args) > 2 or not isinstance(t, Array) or t.dims is None:
        return None
    values = [a.value for a in settings.values() if isinstance(a, Const)]
    if len(values) != 2:
        return None
    axis, keep = values
    rank = len(t.dims)
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(type(k) is int and -rank <= k < rank for k in axes) or type(keep) is not bool:
        return None
    return tuple(k % rank for k in axes), keep


def stacked_parts(call: Call, types: Mapping[Var, Type], defs: Mapping[Var, Call]) -> tuple[list[Var], int] | None:
    """The arrays that a call puts side by side, and which axis of the result counts them."""
    made = defs.get(call.args[0]) if isinstance(call.args[0], Var) else None
    settings = {"axis": Const(0), **dict(call.kwargs)}
    if len(call.args) == 2:
        settings["axis"] = call.args[1]
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not ops.build_tuple or len(settings) != 1:
        return None
    parts, axis, result = made.args, settings["axis"], types.get(call.result)
    if not parts or not isinstance(result, Array) or not result.dims or not isinstance(axis, Const):
        return None
    rank = len(result.dims)
    arrays = [a for a in parts if isinstance(a, Var) and _rank(types.get(a)) == rank - 1]
    if len(arrays) != len(parts) or type(axis.value) is not int or not -rank <= axis.value < rank:
        return None
    return arrays, axis.value % rank


def _rank(t: Type | None) -> int | None:
    return len(t.dims) if isinstance(t, Array) and t.dims is not None else None
