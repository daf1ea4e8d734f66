"""Lists that a forward function keeps for its pullback, where both are kernels: the arrays that hold their items.

Between the two they are tuples of arrays in what is kept. Where the forward function has run on NumPy instead, what
is kept has lists, and the pullback runs there too; where the pullback is left, lists are made of the arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterator, Mapping, MutableMapping
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.backend.native.base import LENGTH_BITS
from adcompile.backend.native.flow import Flow
from adcompile.backend.native.lists import Store
from adcompile.backend.native.nested import lie_in_order
from adcompile.backend.native.placed import MAKING, writes
from adcompile.backend.native.slots import Layout, Shadows, Slot, Slots, Steps
from adcompile.backend.native.values import ArrayOf, Number, TupleOf, native_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, Return, Statement, Unreachable, Var, While
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.types import Kept, RangeT, Scalar, Seq, TupleT, Type
from adcompile.ir.walk import Rewriter, all_blocks, blocks_of, end_atoms, statements_of
from adcompile.nests.lower import Lengths
from adcompile.optimise.direct import called
from adcompile.optimise.kept import is_read_elsewhere, tuple_of
from adcompile.runtime import memory
from adcompile.runtime.shadows import shadows


def handed(program: Program, types: Mapping[Var, Type]) -> list[tuple[FunctionRef, FunctionRef]]:
    """The pairs of forward function and pullback between which lists are handed over, and nobody else reads them."""
    out: list[tuple[FunctionRef, FunctionRef]] = []
    for ref, pullback in program.functions.items():
        forward = program.functions.get(ref.forward) if ref.forward is not None else None
        if forward is None or ref.forward is None or is_read_elsewhere(program, pullback):
            continue
        kept = tuple_of(forward)
        if kept is not None and any(isinstance(types.get(a), HANDED) for a in kept.args if isinstance(a, Var)):
            out.append((ref.forward, ref))
    return out


def kept_of(forward: Function) -> tuple[Any, ...]:
    """What a forward function keeps, slot by slot."""
    kept = tuple_of(forward) if isinstance(forward.body.end, Return) else None
    return () if kept is None else kept.args


def slots_of(pullback: Function, slots: Container[int]) -> dict[Var, int]:
    """What a pullback takes out of these slots of what it is given."""
    whole = {pullback.params[0]}
    out: dict[Var, int] = {}
    for s in pullback.body.statements:
        if not isinstance(s, Call) or not s.args or s.args[0] not in whole:
            continue
        if called(s) is ops.unpack:
            whole.add(s.result)
        elif called(s) is operator.getitem and isinstance(s.args[1], Const) and s.args[1].value in slots:
            out[s.result] = s.args[1].value
    return out


def handed_over(program: Program) -> Iterator[tuple[Var, Type]]:
    """What pullbacks get of their forward functions, by what they take it apart into in their first line."""
    for ref, function in program.functions.items():
        first = next(iter(function.body.statements), None)
        if ref.forward is None or not isinstance(first, Call) or first.args[:1] != function.params[:1]:
            continue
        if called(first) is ops.unpack:
            yield function.params[0], program.types[first.result]
        elif called(first) is operator.getitem:  # of the only slot
            yield function.params[0], TupleT((program.types[first.result],))


def handed_lengths(forward: Function, pullback: Function, lengths: Mapping[Var, Lengths]) -> dict[Var, Lengths]:
    """How long short axes are of what a pullback takes out of what it is given: as long as they were."""
    kept = kept_of(forward)
    found = slots_of(pullback, range(len(kept)))
    return {var: lengths[kept[k]] for var, k in found.items() if kept[k] in lengths}


HANDED = (Seq, RangeT, Kept)


class Handing(Flow):
    """Prints what forward functions hand over, and pullbacks take."""

    printed: Function
    """What is being printed."""
    hands: bool
    """Whether lists in the result are handed over."""
    slots: Slots
    """What is given by the first parameter."""
    asked: Mapping[Var, int]
    """The lists and ranges that are taken out of it."""
    sharing: frozenset[Var]
    """The tuples of shadows that are handed over."""
    handed: dict[Var, Slot]
    initial: frozenset[Var]
    """Arrays that are written into only until they are filled (`filled`)."""

    def may_change(self, array: Var) -> bool:
        """What is handed over is copied when it is kept, and must be right when the pullback reads it."""
        if not self.hands:
            return super().may_change(array)
        changing = {self.root(v) for v in self.changing if v not in self.initial}
        outside = {self.root(v) for v in self.outside}
        return self.root(array) in changing or self.root(array) in outside and bool(changing & outside)

    def whole_type(self, t: Type) -> TupleOf | None:
        """The type of what a pullback is given, arrays in place of lists."""
        items = t.items if isinstance(t, TupleT) else ()
        found = [self.slots[k].type if k in self.slots else native_of(item) for k, item in enumerate(items)]
        return TupleOf(tuple(n for n in found if n is not None)) if found and None not in found else None

    def hand(self, value: Atom) -> list[str] | None:
        """The machine values that stand for a list or a range in the result, if it is one."""
        if not self.hands or not isinstance(value, Var):
            return None
        if self.lists.is_list(value):
            self.handed[value], texts = self.layout(value)
            return texts
        bounds = self.range_of(value)
        step = None if bounds is None else self.known(bounds[2])
        if bounds is None or bounds[3] or type(step) is not int:
            return None
        self.handed[value] = Steps(step)
        return [self.cast(bounds[0], "i8"), self.cast(bounds[1], "i8")]

    def layout(self, items: Var) -> tuple[Layout, list[str]]:
        """How a list is held, and the arrays that hold it."""
        root = self.lists.find(items)
        store = self.stores.get(root)
        if store is None or not store.codes or store.views or store.given:
            self.refuse(f"{items.name}, a list that a kernel cannot hand over")
        texts = [f"{column}[{self.start(items)}:{store.top}]" for column in store.columns]
        return self._layout(root, store, texts)

    def _layout(self, root: Var, store: Store, texts: list[str]) -> tuple[Layout, list[str]]:
        inner: Layout | None = None
        if isinstance(store.native, ArrayOf):
            texts = [*texts, f"{store.data}[:{store.data}_top]"]
        elif store.native is None and not store.step:
            within = self.lists.find(self.lists.item_of(root))
            alike = [r for r in self.stores if r is not within and self.lists.find(self.lists.item_of(r)) is within]
            held = self.stores.get(within)
            whole = lie_in_order(self.printed, self.lists, within)
            if held is None or not held.codes or held.views or held.given or alike != [root] or not whole:
                self.refuse("lists of lists that a kernel cannot hand over")
            inner, more = self._layout(within, held, [f"{column}[:{held.top}]" for column in held.columns])
            texts = [*texts, *more]
        return Layout(store.codes, store.native, store.step, inner), texts

    def take(self, call: Call) -> bool:
        """A list that is taken out of what the pullback is given: its store is there."""
        layout = self.slots.get(self.asked.get(call.result, -1))
        if layout is None or isinstance(layout, Shadows):
            return False
        whole = self.fresh(call.result.name)
        self.line(f"{whole} = {self.atom(call.args[0])}[{self.asked[call.result]}]")
        if isinstance(layout, Steps):
            ends = Var("start", call.place), Var("stop", call.place)
            for k, end in enumerate(ends):
                self.define(end, Number("i8"), f"{whole}[{k}]", LENGTH_BITS)
            self.made[call.result] = replace(call, fn=Const(range), args=(*ends, Const(layout.step)))
            return True
        if not self.lists.is_list(call.result):
            self.refuse(f"{call.result.name}, a list that is used in other ways than those of what loops keep")
        self.native[call.result], self.names[call.result] = layout.type, whole
        self.shares(call.result, call.args[0])  # type: ignore[arg-type]
        self.starts[call.result] = "0"
        self._store_given(self.lists.find(call.result), call.result, layout, whole, 0)
        return True

    def _store_given(self, root: Var, sample: Var, layout: Layout, whole: str, first: int) -> None:
        store = self._store_of(root, sample.name)
        if store.given:
            self.refuse(f"{sample.name}, one of several lists for which there is one name")
        store.given, store.codes, store.native, store.step = True, layout.codes, layout.native, layout.step
        store.columns = []
        self._name_columns(store)
        for k, column in enumerate(store.columns):
            self.line(f"{column} = {whole}[{first + k}]")
        first += len(layout.codes)
        if isinstance(layout.native, ArrayOf):
            store.sample = sample
            self.line(f"{store.data} = {whole}[{first}]")
        if layout.inner is not None:
            self._store_given(self.lists.find(self.lists.item_of(root)), sample, layout.inner, whole, first)


def filled(function: Function, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The arrays that are written into only in the block that makes them, before anybody else has them."""
    out: set[Var] = set()
    for block in all_blocks(function.body):
        for k, s in enumerate(block.statements):
            if not isinstance(s, Call) or called(s) not in MAKING:
                continue
            var, rest = s.result, block.statements[k + 1 :]
            others = (j for j, t in enumerate(rest) if not all(_fills(u, var, types) for u in _within(t)))
            if writes(Block((), rest[: next(others, len(rest))], block.end), var) == writes(function.body, var):
                out.add(var)
    return frozenset(out)


def _within(statement: Statement) -> list[Statement]:
    return list(statements_of(Block((), (statement,), Unreachable())))


def _fills(s: Statement, var: Var, types: Mapping[Var, Type]) -> bool:
    """Whether a statement does no more with an array than to write into it, or to read elements or its lengths."""
    ends = [end_atoms(b.end) for b in blocks_of(s)]
    if not isinstance(s, Call):
        carried = s.init if isinstance(s, (For, While)) else ()
        return var not in (*carried, *(a for end in ends for a in end))
    if var not in s.args:
        return True
    if called(s) is operator.getitem and not isinstance(types.get(s.result), Scalar):
        return False  # a view
    return s.args[0] is var and called(s) in (operator.getitem, operator.setitem, getattr, len, np.ndarray.shape)


def held_together(
    forward: Function, pullback: Function, types: MutableMapping[Var, Type]
) -> tuple[Function, Function, dict[int, Slot], frozenset[Var]]:
    """Both functions with a tuple in place of what holds shadows, if nothing else is held by reference; the slots, and
    the tuple in the forward function."""
    kept = kept_of(forward)
    for s in forward.body.statements:
        if not isinstance(s, Call) or called(s) is not memory.hold or s.result not in kept:
            continue
        given, count, *values = s.args
        natives = [native_of(types[v]) if isinstance(v, Var) else None for v in values]
        alone = all(isinstance(a, Const) and a.value == n for a, n in ((given, 0), (count, len(values))))
        if not alone or not all(isinstance(n, ArrayOf) for n in natives):
            break
        slot = Shadows(TupleOf(tuple(n for n in natives if n is not None)))
        types[s.result] = TupleT(tuple(types[v] for v in values if isinstance(v, Var)))
        together = replace(s, fn=Const(ops.build_tuple), args=tuple(values))
        number = kept.index(s.result)
        holders = frozenset(slots_of(pullback, {number: slot}))
        types.update((v, types[s.result]) for v in holders)
        body = _Together(holders, types).block(pullback.body)
        first = replace(forward.body, statements=tuple(together if t is s else t for t in forward.body.statements))
        return replace(forward, body=first), replace(pullback, body=body), {number: slot}, frozenset({s.result})
    return forward, pullback, {}, frozenset()


class _Together(Rewriter):
    """The shadows of a tuple of arrays where what holds shadows was asked for new ones."""

    def __init__(self, holders: frozenset[Var], types: MutableMapping[Var, Type]) -> None:
        self.holders, self.types = holders, types

    def call(self, call: Call) -> tuple[Statement, ...]:
        if called(call) is not memory.released or call.args[0] not in self.holders:
            return (call,)
        found = self.types[call.result]
        assert isinstance(found, TupleT)
        items = [Var("shadow", call.place) for _ in found.items]
        self.types.update(zip(items, found.items))
        holder = call.args[0]
        read = replace(call, fn=Const(operator.getitem))
        reads = [replace(read, result=v, args=(holder, Const(k))) for k, v in enumerate(items)]
        return (*reads, replace(call, fn=Const(shadows), args=tuple(items)))
