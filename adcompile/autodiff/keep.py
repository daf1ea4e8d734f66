"""What a loop keeps for its reverse, and how the reverse loop runs.

For each value of the forward body that the reverse body reads: it is at hand (the number of the
iteration, an element of a range), a little arithmetic gives it again, or it is kept, one list per
value, read back by the number of the iteration.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adcompile.analysis.builder import Builder, Context, is_structured
from adcompile.autodiff.again import from_numbers, is_cheap, steps
from adcompile.autodiff.cotangents import Cotangents
from adcompile.autodiff.handed import Back, handed_on
from adcompile.autodiff.outline import outlined
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    If,
    Statement,
    Unreachable,
    Var,
    While,
)
from adcompile.ir.types import INT, Array, Known, RangeT, Seq, SliceT, TupleT, Type, widen

if TYPE_CHECKING:
    from adcompile.autodiff.loops import LoopReversal


@dataclass
class Leaf:
    """A block of the body's tree of conditional exits, swept: its forward statements, the
    reverse code, and the values it must keep."""

    block: Block
    forward: list[Statement]
    cot: Cotangents
    children: tuple[Leaf, Leaf] | None = None
    skipped: bool = False  # an exit whose iteration is not counted


@dataclass
class Plan:
    """How the reverse loop runs and gets at the forward body's values."""

    forward: list[Statement]
    element: Var
    source: Any
    head: list[Statement]
    mapping: dict[Var, Atom]
    backs: list[Back]
    lists: tuple[Var, ...]  # one for each kept value

    def iterable(self, b: Builder) -> Atom:
        return self.source(b)


class Keeper:
    """Decides for each value the reverse body reads: at hand, computed again, or kept."""

    def __init__(self, loop: LoopReversal, tree: Leaf, outlines: set[Var]) -> None:
        self.loop, self.tree, self.outlines = loop, tree, outlines
        self.context = loop.context
        self.s = loop.s
        self.inside = defined_here(tree)
        self.element = self.s.body.params[0] if isinstance(self.s, For) else None
        self.depth = loop.sweep.depth
        self.always = defined_always(tree) - self.context.extras

    def plan(self, wanted: list[Var]) -> Plan:
        needed = [v for v in wanted if v in self.inside]
        kept: list[Var] = []
        redo: dict[Var, Call | None] = {}
        again = self.bounds_of([v for v in needed if not self.recomputable(v, redo)], redo)
        s = self.s
        ends = [(leaf.block, leaf.skipped) for leaf in leaves(self.tree)]
        lasting = [v for v in again if v in self.always and v not in self.outlines and v not in self.context.shadows]
        handed = handed_on(ends, self.loop.params, s.results, lasting, self.context.types)
        kept = self.without_arithmetic(again, redo, handed)
        unit = isinstance(s, For) and is_unit(self.context.types, s.iterable)
        ranged = isinstance(s, For) and is_range(self.context.types, s.iterable)
        reads_element = self.element is not None and (
            self.element in needed or any(self.element in ins for ins in self.sources(needed, redo))
        )
        if self.element is not None and reads_element and not ranged and self.element not in kept:
            kept = [*kept, self.element]
        counted = self.loop.exits or isinstance(s, While) or not ranged
        inner = None if counted else self.descending()
        by_number = bool(kept) and not unit and inner is None
        count = Var("trips", s.place) if counted else None
        forward, lists = self.forward(kept, count)
        number = Var(self.element.name if unit and self.element and self.element.name != "_" else "k", s.place)
        self.context.types[number] = INT
        head: list[Statement] = []
        mapping: dict[Var, Atom] = {}
        if self.element is not None and reads_element and self.element not in kept:
            if unit or not by_number:
                mapping[self.element] = number
            else:
                mapping[self.element] = self.element_at(head, number)
        back = {v: self.typed(self.fresh(v), self.context.types[s.results[k]]) for v, k in handed.items()}
        mapping.update(back)
        position = number if inner is None else self.compute(head, operator.sub, Const(-1), number)
        for v in kept:
            mapping[v] = self.read(head, lists[v], position, v)
        for v in needed:
            if v in redo and v not in mapping:
                self.recompute(head, v, redo, mapping)
        source = self.source(count, unit, ranged, by_number) if inner is None else (lambda _: inner)
        begun = {v: mapping[self.loop.params[k]] for v, k in handed.items()}
        backs = [Back(back[v], s.results[k], begun[v]) for v, k in handed.items()]
        return Plan(forward, number, source, head, mapping, backs, tuple(lists.values()))

    def descending(self) -> Atom | None:
        """The range that the loop runs over backwards, if it is `for i in reversed(range(n))`:
        the reverse loop runs over it forwards, and the j-th last kept value is that of i = j."""
        iterable = self.s.iterable if isinstance(self.s, For) else None
        inner = self.reversed_range(iterable)
        return inner if inner is not None and is_unit(self.context.types, inner) else None

    def reversed_range(self, iterable: Atom | None) -> Atom | None:
        made = self.context.definition.get(iterable) if isinstance(iterable, Var) else None
        if made is None or not isinstance(made.fn, Const) or made.fn.value is not reversed:
            return None
        return made.args[0]

    def element_at(self, head: list[Statement], number: Var) -> Var:
        """The element of a range by the number of the iteration."""
        assert isinstance(self.s, For) and self.element is not None
        inner = self.reversed_range(self.s.iterable)
        if inner is None:
            return self.read(head, self.s.iterable, number, self.element)
        return self.read(head, inner, self.compute(head, operator.sub, Const(-1), number), self.element)

    def compute(self, head: list[Statement], fn: Any, *args: Atom) -> Var:
        result = Var("t", self.s.place)
        self.context.types[result] = INT
        call = Call(result, Const(fn), args, (), self.s.place, "adjoint")
        self.context.definition[result] = call
        head.append(call)
        return result

    def without_arithmetic(
        self, again: list[Var], redo: dict[Var, Call | None], handed: Mapping[Var, int]
    ) -> list[Var]:
        """Those of `again` that are not handed on, and that a little arithmetic on the others does not
        give; these go to `redo`."""
        wanted = set(again)

        def at_hand(a: Var) -> bool:
            # what was kept in a branch is None in iterations that did not take it
            return (a in wanted and a in self.always) or a in redo or self.recomputable(a, redo)

        kept: list[Var] = []
        for v in again:
            if v in handed:
                continue
            calls = None if v is self.element or v not in self.always else steps(self.context, v, self.inside, at_hand)
            if calls is None:
                kept.append(v)
            else:
                redo.update((c.result, c) for c in calls)
        return kept

    def bounds_of(self, again: list[Var], redo: dict[Var, Call | None]) -> list[Var]:
        """The same values, but of indices and ranges the numbers that make them: these are kept in their place."""
        out: dict[Var, None] = {}
        for v in again:
            calls = from_numbers(self.context, v, self.inside) if v in self.always else None
            if calls is None:
                out[v] = None
                continue
            redo.update((c.result, c) for c in calls)
            given = dict.fromkeys(a for c in calls for a in c.args if isinstance(a, Var) and a not in redo)
            out.update((a, None) for a in given if not self.recomputable(a, redo))
        return list(out)

    def sources(self, needed: list[Var], redo: dict[Var, Call | None]) -> list[set[Atom]]:
        """For each recomputed value, the atoms its computation reads, transitively."""
        out: list[set[Atom]] = []
        for v in needed:
            seen: set[Atom] = set()
            todo: list[Atom] = [v]
            while todo:
                a = todo.pop()
                call = redo.get(a) if isinstance(a, Var) else None
                if call is None:
                    continue
                for arg in (*call.args, *(x for _, x in call.kwargs)):
                    if arg not in seen:
                        seen.add(arg)
                        todo.append(arg)
            out.append(seen)
        return out

    def recomputable(self, v: Atom, redo: dict[Var, Call | None]) -> bool:
        """Whether `v` can be had again cheaply from what is still there in the reverse loop."""
        if isinstance(v, Const) or v not in self.inside or v is self.element:
            return v is not self.element or is_range(self.context.types, getattr(self.s, "iterable", Const(None)))
        if v in redo:
            return True
        call = self.context.definition.get(v)
        if call is None or not is_cheap(self.context, call):
            return False
        if v not in self.always and may_raise(self.context, call):
            return False  # the reverse body computes it whatever path the iteration took
        if all(self.recomputable(a, redo) for a in (*call.args, *(x for _, x in call.kwargs))):
            redo[v] = call
            return True
        return False

    def recompute(self, head: list[Statement], v: Var, redo: dict[Var, Call | None], mapping: dict[Var, Atom]) -> Atom:
        call = redo[v]
        assert call is not None

        def again(a: Atom) -> Atom:
            if isinstance(a, Var) and a not in mapping and a in redo:
                self.recompute(head, a, redo, mapping)
            return mapping.get(a, a) if isinstance(a, Var) else a

        result = self.fresh(v)
        args, kwargs = tuple(map(again, call.args)), tuple((k, again(x)) for k, x in call.kwargs)
        copy = Call(result, call.fn, args, kwargs, call.place, "again")
        self.context.definition[result] = copy
        head.append(copy)
        mapping[v] = result
        return result

    def fresh(self, v: Var) -> Var:
        result = Var(v.name, v.place)
        self.context.types[result] = self.context.types[v]
        self.context.shape[result] = self.context.shape.get(v, v)
        return result

    def read(self, head: list[Statement], source: Atom, number: Atom, v: Var) -> Var:
        result = self.fresh(v)
        call = Call(result, Const(operator.getitem), (source, number), (), self.s.place, "adjoint")
        self.context.definition[result] = call
        head.append(call)
        return result

    # -- the forward loop -------------------------------------------------------------------

    def forward(self, kept: list[Var], count: Var | None) -> tuple[list[Statement], dict[Var, Var]]:
        """The forward loop, counting and keeping; and the list of each kept value."""
        s = self.s
        before: list[Statement] = []
        extra_init: list[Atom] = []
        extra_params: list[Var] = []
        extra_results: list[Var] = []
        lists: dict[Var, Var] = {}
        for v in kept:
            self.loop.sweep.why.setdefault(v, "read by the reverse loop")
            t = Seq(widen(self.context.types[v]), list)
            start = self.typed(Var(f"{v.name}_kept", v.place), t)
            call = Call(start, Const(ops.build_list), (), (), s.place, "adjoint")
            self.context.definition[start] = call
            before.append(call)
            param, result = self.typed(Var(start.name, v.place), t), self.typed(Var(start.name, v.place), t)
            extra_init.append(start)
            extra_params.append(param)
            extra_results.append(result)
            lists[v] = result
            if v in self.context.shadows:
                self.context.shadows.add(result)
        if count is not None:
            self.typed(count, INT)
            extra_init.append(Const(0))
            extra_params.append(self.typed(Var("trips", s.place), INT))
            extra_results.append(count)
        params = dict(zip((*kept, *([None] if count is not None else [])), extra_params))
        body = self.body(self.tree, params, {})
        body = Block((*s.body.params, *extra_params), body.statements, body.end)
        made = replace(s, results=(*s.results, *extra_results), init=(*s.init, *extra_init), body=body)
        return [*before, made], lists

    def typed(self, var: Var, t: Type) -> Var:
        self.context.types[var] = t
        return var

    def body(
        self, leaf: Leaf, params: dict[Any, Var], current: dict[Any, Atom], pending: frozenset[Var] = frozenset()
    ) -> Block:
        """Rebuild the tree: push kept values where they are defined, count once no exit is skipped any more."""
        block = leaf.block
        if leaf.skipped:
            return self.ended(block, list(block.statements), params, current, counted=False)
        statements, renamed = self.context.bound_everywhere(self.context, leaf.forward, [v for v in params if v])
        here = pending | {r for st in statements for r in results_of(st)}
        if leaf is self.tree:
            here |= set(self.s.body.params)
        if leaf.children is not None and any(child.skipped for child in leaf.children):
            # an iteration that is not counted keeps nothing: keep after the exit
            return self.tail(leaf, statements, params, current, frozenset(here))
        current = dict(current)
        if None in params and None not in current:
            current[None] = self.counted(statements, params[None])
        for v, param in params.items():
            if v is not None and v in here:
                pushed = self.typed(Var(param.name, v.place), self.context.types[param])
                value: Var = renamed.get(v, v)
                if v in self.outlines:
                    outline = outlined(v, value, self.context.types, self.context.definition)
                    statements.append(outline)
                    value = outline.result
                call = Call(pushed, Const(ops.push), (param, value), (), v.place, "adjoint")
                self.context.definition[pushed] = call
                statements.append(call)
                current[v] = pushed
        if leaf.children is None:
            return self.ended(block, statements, params, current, counted=True)
        return self.tail(leaf, statements, params, current, frozenset())

    def tail(
        self,
        leaf: Leaf,
        statements: list[Statement],
        params: dict[Any, Var],
        current: dict[Any, Atom],
        pending: frozenset[Var],
    ) -> Block:
        tail = leaf.block.statements[-1]
        assert isinstance(tail, If) and leaf.children is not None
        then, orelse = (self.body(child, params, current, pending) for child in leaf.children)
        return Block((), (*statements, replace(tail, then=then, orelse=orelse)), Unreachable())

    def ended(
        self, block: Block, statements: list[Statement], params: dict[Any, Var], current: dict[Any, Atom], counted: bool
    ) -> Block:
        """A leaf: its values, then each list (dense: None where the value was not reached), and the count."""
        end = block.end
        if not isinstance(end, (Continue, Break)):
            return Block((), tuple(statements), end)
        values = list(end.values)
        for v, param in params.items():
            if v in current or not counted:
                values.append(current.get(v, param))
            else:
                pushed = self.typed(Var(param.name), self.context.types[param])
                call = Call(pushed, Const(ops.push), (param, Const(None)), (), self.s.place, "adjoint")
                self.context.definition[pushed] = call
                statements.append(call)
                values.append(pushed)
        return Block((), tuple(statements), type(end)(tuple(values)))

    def counted(self, statements: list[Statement], param: Var) -> Var:
        more = self.typed(Var("trips", self.s.place), INT)
        call = Call(more, Const(operator.add), (param, Const(1)), (), self.s.place, "adjoint")
        self.context.definition[more] = call
        statements.insert(0, call)
        return more

    # -- the reverse loop's iterable --------------------------------------------------------

    def source(self, count: Var | None, unit: bool, ranged: bool, by_number: bool) -> Any:
        s = self.s

        def make(b: Builder) -> Atom:
            role, b.role = b.role, "adjoint"
            again = self.reversed_range(s.iterable) if isinstance(s, For) else None
            if count is None and isinstance(s, For) and not by_number and again is not None:
                out = again
            elif count is None and isinstance(s, For) and (unit or not by_number):
                out = b.emit(reversed, (s.iterable,), reversed_type())
            elif count is None and isinstance(s, For):
                inner = self.reversed_range(s.iterable)
                steps = b.emit(range, (b.emit(len, (s.iterable if inner is None else inner,), INT),), RangeT(True))
                out = b.emit(reversed, (steps,), reversed_type())
            elif isinstance(s, For) and ranged and not unit and not by_number and not self.reversed_range(s.iterable):
                ran = b.emit(operator.getitem, (s.iterable, b.call(slice, None, count, None)), RangeT(False))
                out = b.emit(reversed, (ran,), reversed_type())
            else:
                assert count is not None
                steps = b.emit(range, (count,), RangeT(True))
                out = b.emit(reversed, (steps,), reversed_type())
            b.role = role
            return out

        return make


def reversed_type() -> Type:
    return RangeT(False)


def is_range(types: Any, atom: Atom) -> bool:
    if isinstance(atom, Const):
        return isinstance(atom.value, range)
    return isinstance(types[atom], RangeT)


def is_unit(types: Any, atom: Atom) -> bool:
    if isinstance(atom, Const):
        return isinstance(atom.value, range) and atom.value.start == 0 and atom.value.step == 1
    t = types[atom]
    return isinstance(t, RangeT) and t.unit


def results_of(s: Statement) -> tuple[Var, ...]:
    return (s.result,) if isinstance(s, Call) else s.results


def leaves(tree: Leaf) -> list[Leaf]:
    """The tree of exits, flat."""
    out = [tree]
    for leaf in out:
        out.extend(leaf.children or ())
    return out


def defined_here(tree: Leaf) -> set[Var]:
    """What the forward body defines at the levels of the tree of exits."""
    out: set[Var] = set(tree.block.params)
    for leaf in leaves(tree):
        statements = leaf.forward if not leaf.skipped else leaf.block.statements
        out.update(r for st in statements for r in results_of(st))
    return out


def may_raise(context: Context, call: Call) -> bool:
    """Whether a cheap call can fail on values it was not computed from: an index out of range, a
    division by zero."""
    assert isinstance(call.fn, Const)
    if call.fn.value is operator.getitem:
        owner = context.types[call.args[0]] if isinstance(call.args[0], Var) else None
        if isinstance(owner, Array) and owner.dims is not None:
            return not takes_slices(call.args[1], len(owner.dims), context.types)
        return owner is None or not is_structured(owner)
    return call.fn.value in (operator.mod, operator.floordiv)


def takes_slices(index: Atom, rank: int, types: Mapping[Var, Type]) -> bool:
    """Whether an index is of slices alone, which are never out of range."""
    t = types[index] if isinstance(index, Var) else Known(index.value)
    parts = t.items if isinstance(t, TupleT) else (t,)
    steps = [p.parts[2] for p in parts if isinstance(p, SliceT)]
    return len(steps) == len(parts) <= rank and all(isinstance(k, Known) and k.value != 0 for k in steps)


def always(tree: Leaf) -> list[Statement]:
    """What every counted iteration runs: the body up to its first test that is replayed."""
    out: list[Statement] = []
    leaf: Leaf | None = tree
    while leaf is not None:
        out += leaf.forward
        running = [child for child in leaf.children or () if not child.skipped]
        leaf = running[0] if len(running) == 1 and len(leaf.children or ()) == 2 else None
    return out


def defined_always(tree: Leaf) -> set[Var]:
    """What every counted iteration defines."""
    return {*tree.block.params, *(r for st in always(tree) for r in results_of(st))}
