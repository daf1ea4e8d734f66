"""Who shares memory: which values reach the outside, and which are written into.

Two fresh arrays may become one only if no one can tell: neither is written into, and not both
reach the caller (results share no memory with each other or with arguments).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompile.analysis.spectra import is_by_chance
from adcompile.analysis.views import MAYBE, copies, may_view, named
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    Raise,
    Return,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import UNKNOWN, Array, IterT, Seq, Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms
from adcompile.optimise.callables import LINEAR
from adcompile.optimise.effects import Effects, has_buffer
from adcompile.optimise.shapes import is_elementwise
from adcompile.optimise.typing import INPLACE, hashable, is_immutable, type_of
from adcompile.runtime import arrays, memory
from adcompile.runtime.checkpoints import run_back
from adcompile.runtime.detaching import replica
from adcompile.runtime.shadows import shadows

_FRESH: frozenset[Any] = frozenset(
    {
        *(np.zeros_like, np.ones_like, np.full_like, np.zeros, np.ones, np.full, np.copy, np.sum, np.mean, np.prod),
        *(np.cumsum, np.cumprod, np.outer, np.where, np.concatenate, np.stack, np.eye, np.linspace, np.arange, np.tile),
        *(operator.matmul, np.dot, np.einsum, np.max, np.min, np.linalg.solve, np.linalg.inv, arrays.scatter),
        *(memory.shadow, memory.snapshot, replica, np.ndarray.copy, np.ndarray.flatten),
        *named(np.ndarray, "sum mean prod max min cumsum cumprod dot"),
    }
)
STORING = (operator.setitem, memory.add_at)
INTO_FIRST = (*STORING, arrays.accumulate)
"""These write into their first argument, which the last gives back."""
_NEW = (np.empty, np.empty_like, shadows)
"""What shares no memory with what is given, either."""
_BUILDING = (ops.build_list, ops.build_tuple, ops.build_dict, slice)
_SHAPED = (arrays.unbroadcast, arrays.broadcast_like, arrays.expand, arrays.contract)
"""Of their second argument these read the shape."""
_VIEWS: frozenset[Any] = frozenset({np.real, np.imag})  # elementwise, but a view of what is real


OBSERVING = (operator.is_, operator.is_not, id, np.shares_memory, np.may_share_memory)
"""These tell two objects of the same value apart."""
_OBSERVING = frozenset(map(id, OBSERVING))  # not all that is called can be hashed


def is_fresh(call: Call, types: Mapping[Var, Type]) -> bool:
    """Whether the result is an array that shares memory with nothing, and may be written."""
    if not isinstance(call.fn, Const) or not isinstance(types.get(call.result), Array):
        return False
    fn = call.fn.value
    if isinstance(fn, FunctionRef) or not hashable(fn) or fn in _VIEWS or has_buffer(call):
        return False
    if fn in INPLACE and not is_immutable(type_of(call.args[0], types)):
        return False
    if fn in MAYBE and may_view(call, types):
        return False  # np.einsum of one operand, np.real_if_close of what is real
    if fn is np.array or fn is np.ndarray.astype:
        return copies(call)
    return fn in _FRESH or is_elementwise(fn)


def sometimes_real(function: Function, types: Mapping[Var, Type]) -> bool:
    """Whether arrays of complex type may hold real numbers here, as the eigenvalues of a real
    matrix do by chance: then complex numbers cannot be written over them. A pullback does not know
    what made the values that it is given."""
    if any(isinstance(t := types.get(p, UNKNOWN), Seq) and t.item == UNKNOWN for p in function.params):
        return True
    calls = (s for block in all_blocks(function.body) for s in block.statements if isinstance(s, Call))
    return any(isinstance(s.fn, Const) and is_by_chance(s.fn.value) for s in calls)


@dataclass
class Sharing:
    """`escapes`: values whose memory the caller may see. `written`: values through whose memory,
    or through something derived from which, someone writes. Passes that merge values keep both
    up to date."""

    types: Mapping[Var, Type]
    escapes: set[Var] = field(default_factory=set[Var])
    written: set[Var] = field(default_factory=set[Var])
    uses: dict[Var, int] = field(default_factory=dict[Var, int])
    fresh: set[Var] = field(default_factory=set[Var])
    changing: set[Var] = field(default_factory=set[Var])  # what may hold something else later
    told_apart: set[Var] = field(default_factory=set[Var])

    def may_merge(self, dropped: Var, kept: Atom) -> bool:
        """Whether the uses of `dropped` may read `kept`, which has the same value."""
        if dropped in self.told_apart:
            return False
        if is_immutable(type_of(dropped, self.types)) or isinstance(kept, Const):
            return True
        if dropped in self.written or kept in self.written:
            return False
        if dropped in self.fresh and kept in self.changing:
            return False  # what was computed stays as it was; what it equals now need not
        return dropped not in self.escapes or kept in self.fresh and kept not in self.escapes

    def merge(self, dropped: Var, kept: Atom) -> None:
        if isinstance(kept, Var):
            self.uses[kept] = self.uses.get(kept, 0) + self.uses.get(dropped, 0)
            if dropped in self.escapes:
                self.escapes.add(kept)
            if dropped in self.written:
                self.written.add(kept)


def sharing(block: Block, effects: Effects, live_out: Iterable[Atom] = ()) -> Sharing:
    """Analyse a function's body (or a block whose `live_out` the caller sees)."""
    return _Analysis(effects).run(block, live_out)


def classes(block: Block, effects: Effects, new: Iterable[object] = ()) -> dict[Var, Var]:
    """One value for all those that may have memory in common, in a function's body; all that comes from outside
    may. Shadows are no memory of what they mirror, and what functions in `new` give is none of what they are given."""
    analysis = _Analysis(effects)
    analysis.run(block, ())
    calls = [s for inner in all_blocks(block) for s in inner.statements if isinstance(s, Call)]
    made = {s.result for s in calls if isinstance(s.fn, Const) and any(s.fn.value is fn for fn in (*_NEW, *new))}
    parent: dict[Var, Var] = {}

    def find(v: Var) -> Var:
        while parent.get(v, v) is not v:
            v = parent[v]
        return v

    for target, sources in analysis.sources.items():
        for source in () if target in made else sources:
            parent[find(target)] = find(source)
    built = {s.result for s in calls if isinstance(s.fn, Const) and any(s.fn.value is fn for fn in _BUILDING)}
    outside = [v for v in analysis.outside() if v not in made and v not in built]
    for v in outside:
        parent[find(v)] = find(outside[0])
    return {v: find(v) for v in (*analysis.sources, *analysis.fresh, *analysis.uses)}


@dataclass
class _Analysis:
    effects: Effects
    sources: dict[Var, list[Var]] = field(default_factory=dict[Var, list[Var]])
    escaping: list[Var] = field(default_factory=list[Var])
    writing: list[Var] = field(default_factory=list[Var])
    uses: dict[Var, int] = field(default_factory=dict[Var, int])
    fresh: set[Var] = field(default_factory=set[Var])
    told_apart: set[Var] = field(default_factory=set[Var])
    recorded: set[Atom] = field(default_factory=set[Atom])  # what gives the steps of a checkpointed loop, backwards

    def run(self, block: Block, live_out: Iterable[Atom]) -> Sharing:
        self._block(block, (), (), ())
        self._roots(self.escaping, live_out)
        self._roots(self.escaping, end_atoms(block.end))
        escapes, written = self._reach(self.escaping), self._reach(self.writing)
        return Sharing(self.effects.types, escapes, written, self.uses, self.fresh, self._changing(), self.told_apart)

    def _changing(self) -> set[Var]:
        """What is connected, by handing memory on, with what someone writes into. Memory from
        outside may be one: if some of it is written, all of it is."""
        if not self.writing:
            return set()
        beside: dict[Var, list[Var]] = {}
        for target, sources in self.sources.items():
            for source in sources:
                beside.setdefault(target, []).append(source)
                beside.setdefault(source, []).append(target)
        seen = self._connected(beside, self.writing)
        outside = self.outside()
        return seen | self._connected(beside, outside) if not seen.isdisjoint(outside) else seen

    def outside(self) -> list[Var]:
        """What comes from elsewhere."""
        made = {*self.sources, *self.fresh}
        found = (*self.sources, *(v for sources in self.sources.values() for v in sources), *self.uses)
        return [v for v in dict.fromkeys(found) if v not in made and self._mutable(v)]

    def _connected(self, beside: Mapping[Var, list[Var]], roots: Iterable[Var]) -> set[Var]:
        seen: set[Var] = set()
        work = list(roots)
        while work:
            var = work.pop()
            if var not in seen:
                seen.add(var)
                work.extend(beside.get(var, ()))
        return seen

    def _reach(self, roots: list[Var]) -> set[Var]:
        seen: set[Var] = set()
        work = list(roots)
        while work:
            var = work.pop()
            if var not in seen:
                seen.add(var)
                work.extend(self.sources.get(var, ()))
        return seen

    def _use(self, atoms: Iterable[Atom]) -> None:
        for a in atoms:
            if isinstance(a, Var):
                self.uses[a] = self.uses.get(a, 0) + 1

    def _mutable(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and not is_immutable(type_of(atom, self.effects.types))

    def _roots(self, roots: list[Var], atoms: Iterable[Atom]) -> None:
        roots.extend(a for a in atoms if isinstance(a, Var) and self._mutable(a))

    def _flow(self, targets: Iterable[Var], atoms: Iterable[Atom]) -> None:
        for target, a in zip(targets, atoms):
            if isinstance(a, Var) and self._mutable(a):
                self.sources.setdefault(target, []).append(a)

    def _block(self, block: Block, yields: tuple[Var, ...], goes_on: tuple[Var, ...], leaves: tuple[Var, ...]) -> None:
        """`yields`, `goes_on`, `leaves`: where the values of Yield, Continue and Break go."""
        for s in block.statements:
            self._statement(s, goes_on, leaves)
        match block.end:
            case Yield(values):
                self._use(values)
                self._flow(yields, values)
            case Continue(values):
                self._use(values)
                self._flow(goes_on, values)
                self._flow(leaves, values)  # a loop that runs out yields these
            case Break(values):
                self._use(values)
                self._flow(leaves, values)
            case Return(value):
                self._use((value,))
                self._roots(self.escaping, (value,))
            case Raise(exception, cause):
                thrown = [a for a in (exception, cause) if a is not None]
                self._use(thrown)
                self._roots(self.escaping, thrown)
            case Unreachable():
                pass

    def _statement(self, s: Statement, goes_on: tuple[Var, ...], leaves: tuple[Var, ...]) -> None:
        match s:
            case Call():
                self._call(s)
            case If():
                self._use((s.test,))
                self._block(s.then, s.results, goes_on, leaves)
                self._block(s.orelse, s.results, goes_on, leaves)
            case For():
                element, *carried = s.body.params
                self._use((s.iterable, *s.init))
                if s.iterable in self.recorded:
                    self.fresh.add(element)  # while a step is gone through, nobody else has what it recorded
                else:
                    self._flow((element,), (s.iterable,))
                if isinstance(type_of(s.iterable, self.effects.types), IterT):
                    self._roots(self.writing, (s.iterable,))  # iterating uses it up
                self._loop(s, tuple(carried))
            case While():
                self._use(s.init)
                self._loop(s, s.body.params)
            case _:
                raise AssertionError("an Attempt in a specialised program")

    def _loop(self, s: For | While, carried: tuple[Var, ...]) -> None:
        self._flow(carried, s.init)
        self._flow(s.results, s.init)
        self._block(s.body, (), carried, s.results)

    def _call(self, call: Call) -> None:
        operands = atoms_of(call)
        self._use(operands)
        if isinstance(call.fn, Const) and id(call.fn.value) in _OBSERVING:
            if not any(isinstance(a, Const) for a in call.args):
                self.told_apart.update(a for a in call.args if isinstance(a, Var))
                self._roots(self.escaping, call.args)
        shared = [a for a in operands if isinstance(a, Var) and self._mutable(a)]
        if not shared:
            if is_fresh(call, self.effects.types):
                self.fresh.add(call.result)
            return
        fn = call.fn.value if isinstance(call.fn, Const) else None
        if fn is run_back:
            self.recorded.add(call.result)
        if fn in INTO_FIRST and isinstance(type_of(call.args[0], self.effects.types), Array):
            self._roots(self.writing, call.args[:1])  # which keeps nothing of what it is given
            if fn is arrays.accumulate:
                self._flow((call.result,), call.args)
            return
        if not self.effects.pure(call) and not (fn in INPLACE if fn is not None and hashable(fn) else False):
            self.escaping.extend(shared)
            self.writing.extend(shared)
        if fn is not None and hashable(fn) and (fn in LINEAR or fn in INPLACE):
            self._roots(self.writing, call.args[:1])
            shared = [a for a in (call.args if fn in (ops.push, ops.put_item) else call.args[:1]) if isinstance(a, Var)]
        elif is_fresh(call, self.effects.types):
            self.fresh.add(call.result)
            return
        elif any(fn is f for f in _SHAPED):
            shared = [a for a in shared if a is call.args[0]]  # of the other it reads the shape
        if not is_immutable(type_of(call.result, self.effects.types)):
            self.sources.setdefault(call.result, []).extend(shared)
