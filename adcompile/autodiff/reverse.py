"""Reverse mode: one pass from the last statement to the first.

`Sweep.statements` walks a block backwards. For each statement it gives the forward statements
(the primal's own, which keep what is needed) and emits the adjoint statements into a builder.
Branches are replayed on the same test; what an adjoint reads of a branch's values the branch
yields. Loops are in autodiff/loops.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.activity import Activity, passes_derivative
from adcompile.analysis.alias import values_in
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.views import ABOUT_MEMORY, fn_of
from adcompile.autodiff.adjoint import add_pulled, inline_rule, kind_of
from adcompile.autodiff.again import copied, from_numbers, steps
from adcompile.autodiff.checkpointed import CheckpointedReversal, is_checkpointed, plain
from adcompile.autodiff.cotangents import Cotangents, zero
from adcompile.autodiff.dynamic import reverse_dynamic
from adcompile.autodiff.inside import Numbering
from adcompile.autodiff.live import live_statements
from adcompile.autodiff.loops import LoopReversal
from adcompile.autodiff.maskable import joined_cotangent
from adcompile.autodiff.mirror import memory_base, refuse_memory, sharing_of
from adcompile.autodiff.piecewise import in_parts
from adcompile.autodiff.plain import checked
from adcompile.autodiff.refusal import refuse
from adcompile.autodiff.regions import is_region, reverse_region
from adcompile.autodiff.state import copying
from adcompile.autodiff.writes import Write, as_write, reverse_write
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    End,
    For,
    If,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import BOOL, Closure, DictT, Known, ListT, SliceT, TupleT, differentiable
from adcompile.ir.walk import free_vars, is_border
from adcompile.rules.registry import lookup

REMEMBERING: dict[str, Callable[..., list[Statement]]] = {}
"""Kinds of rules that read what is there where the call stands, and add to the forward sweep (autodiff/implicit)."""


class Sweep:
    """The reverse of one function body."""

    def __init__(self, builder: Builder, activity: Activity, derived: Any) -> None:
        self.context = builder.context
        self.facts = activity
        self.derived = derived  # split forms of functions called by reference
        self.active_vars = set(activity.active)
        self.mirrored = activity.mirrored
        self.why: dict[Var, str] = {}
        self.depth = 0
        self.numbering = Numbering()
        self.entered: dict[Var, Var] = {}  # of each `with` whose adjoint has begun

    def inside(self, block: Block) -> Container[object]:
        """The values defined in a block of the primal, at any depth."""
        return self.numbering.inside(block)

    def active(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom in self.active_vars

    def varies(self, atom: Atom) -> bool:
        return atom in self.facts.varied

    # -- blocks -----------------------------------------------------------------------------

    def statements(self, statements: Sequence[Statement], cot: Cotangents) -> list[Statement]:
        """Emit the adjoints of `statements` into `cot.builder`; the forward statements."""
        forward: list[list[Statement]] = []
        for s in reversed(statements):
            cot.builder.place = s.place
            forward.append(self.statement(s, cot))
        return [s for chunk in reversed(forward) for s in chunk]

    def statement(self, s: Statement, cot: Cotangents) -> list[Statement]:
        if isinstance(s, Call):
            before, after = checked(self.context, s, self.varies)
            return [*before, *self.call(s, cot), *after]
        if isinstance(s, If):
            return reverse_region(self, s, cot) if is_region(self.context, s) else self.branch(s, cot)
        assert isinstance(s, (For, While))
        if isinstance(s, For) and is_checkpointed(self.context, s):
            return CheckpointedReversal(self, s, cot).run()
        return LoopReversal(self, plain(self.context, s), cot).run()

    def by_reference(self, atom: Atom) -> bool:
        """Whether a value's cotangent is collected in a shadow."""
        return isinstance(atom, Var) and atom in self.mirrored

    def call(self, s: Call, cot: Cotangents) -> list[Statement]:
        if is_border(s):
            self.managed(s, cot.builder)
            return [s]
        self.check_shadows(s, cot)
        write = self.write(s, cot)
        if write is not None:
            return reverse_write(self, s, write, cot)
        if self.derived.is_linked(s, self.mirrored):
            return self.linked(s, cot)
        if not self.active(s.result) or self.is_view(s) or self.is_idle(s):
            return [s]
        y_bar = self.apart_from_shadows(s, cot) if self.shows_parts(s) else self.result_cotangent(s.result, cot)
        if y_bar is None:
            return [s]
        after: list[Statement] = []
        y_bar = self.unless_view(s, y_bar, cot, after)
        return [*self.on_copies(s, y_bar, cot), *after]

    def managed(self, s: Call, b: Builder) -> None:
        """The adjoint of what stands in a `with` stands in such a one: it begins where that ends."""
        if fn_of(s) is ops.enter:
            b.emit(ops.leave, (self.entered.pop(s.result),), Known(None))
        else:
            entered = self.context.definition[s.args[0]]  # type: ignore[index]
            self.entered[entered.result] = b.emit(
                ops.enter, entered.args, self.context.types[entered.result], entered.kwargs
            )

    def shows_parts(self, s: Call) -> bool:
        """Whether a call gives several arrays that are views of memory by reference."""
        if s.result not in self.context.stand_ins:  # its values are others' too
            return False
        found = any(v in self.mirrored for v in values_in(Builder(self.context), s.result))
        return found and sharing_of(s, self.context.types) != "fresh"

    def apart_from_shadows(self, s: Call, cot: Cotangents) -> Atom | None:
        """The cotangent of those values in a result that are not by reference."""
        values = [v for v in values_in(cot.builder, s.result) if isinstance(v, Var) and v not in self.mirrored]
        received = any(cot.get(v) is not None for v in values)
        return self.gathered(s.result, cot, self.mirrored) if received else None

    def linked(self, s: Call, cot: Cotangents) -> list[Statement]:
        """A function called by reference that works on the shadows of what it is given."""
        values = values_in(cot.builder, s.result)
        apart = {values[k] for k in self.derived.form(self, s).result}
        return self.derived.reverse_call(self, s, self.gathered(s.result, cot, apart), cot)

    def on_copies(self, s: Call, y_bar: Atom, cot: Cotangents) -> list[Statement]:
        """The adjoint of a call, which reads copies of what is written in place later."""
        if not self.context.volatile or self.derived.writes(s):
            return self.call_adjoint(s, y_bar, cot)
        before, call = self.snapshots(s, s, cot)
        if not any(v in self.context.volatile for v in self.parts(s.result)):
            return [*before, *self.given_back(s, call, self.call_adjoint(call, y_bar, cot))]
        copy = self.snapshot(s.result, cot)
        made = copy[-1].result
        call = replace(call, result=made)
        forward = self.call_adjoint(call, y_bar, cot)
        if forward == [call]:
            return [*before, s, *copy]
        return [*before, *forward, *copying(self.context, made, s.result, s.role)]  # another one is for the sweep

    def parts(self, var: Var) -> list[Atom]:
        """A value, or those in it where they have been looked at."""
        return [var] if var not in self.context.stand_ins else [var, *values_in(Builder(self.context), var)]

    def given_back(self, s: Call, call: Call, forward: list[Statement]) -> list[Statement]:
        """The statement as written, where its adjoint left it alone."""
        return [s] if forward == [call] else forward

    def call_adjoint(self, s: Call, y_bar: Atom, cot: Cotangents) -> list[Statement]:
        if isinstance(s.fn, Const) and isinstance(s.fn.value, FunctionRef):
            return self.derived.reverse_call(self, s, y_bar, cot)
        looked_up = reverse_dynamic(self, s, y_bar, cot)
        if looked_up is not None:
            return looked_up
        rule = lookup(s.fn.value) if isinstance(s.fn, Const) else None
        if rule is not None and rule.kind == "explicit" and kind_of(rule, s) == "rrule":
            return self.explicit(s, rule, y_bar, cot)
        if rule is not None and rule.kind in REMEMBERING:
            return REMEMBERING[rule.kind](self, s, rule, y_bar, cot)
        self.adjoint_of(s, y_bar, cot)
        return [s]

    def adjoint_of(self, s: Call, y_bar: Atom, cot: Cotangents) -> None:
        if not isinstance(s.fn, Const):
            raise refuse(s)
        self.context.boundary.adjoint(cot.builder, s, y_bar, cot, self.active)

    # -- memory that is written in place -----------------------------------------------------

    def write(self, s: Call, cot: Cotangents) -> Write | None:
        """The write that a call is, if it goes into mirrored memory."""
        if not cot.shadow:
            return None
        found = as_write(cot.builder, s)
        if found is None or not isinstance(found.target, Var) or found.target not in cot.shadow:
            return None
        return found

    def check_shadows(self, s: Call, cot: Cotangents) -> None:
        """Raise Unsupported for what reads or makes memory by reference in a way we cannot mirror."""
        for a in (s.result, *s.args, *(v for _, v in s.kwargs)):
            if isinstance(a, Var) and a in self.mirrored and a not in cot.shadow:
                raise refuse_memory(s.place, self.context.definition.get(a, s))

    def is_idle(self, s: Call) -> bool:
        """Whether memory that is mirrored is only made here, of nothing that carries derivatives."""
        if s.result not in self.mirrored:
            return False
        inputs = (s.fn, *s.args, *(v for _, v in s.kwargs))
        return not passes_derivative(s) or not any(map(self.carries, inputs))

    def carries(self, atom: Atom) -> bool:
        if isinstance(atom, Var) and is_structured(self.context.types[atom]):
            return any(map(self.carries, Builder(self.context).context_items(atom)))
        return self.active(atom)

    def unless_view(self, s: Call, y_bar: Atom, cot: Cotangents, after: list[Statement]) -> Atom:
        """The cotangent of what may be a view or a copy: zeros where it is a view. Which of the two it
        is, is found out `after` the call: what a pullback keeps may be copies."""
        if s.result not in self.mirrored or sharing_of(s, self.context.types) != "maybe":
            return y_bar
        base = memory_base(s, self.context.types)
        if not isinstance(base, Var) or base not in cot.shadow:
            return y_bar
        shared = Var("shared", s.place)
        self.context.types[shared] = BOOL
        asked = Call(shared, Const(rt.shares), (s.result, base), (), s.place, "adjoint")
        after.append(asked)
        self.context.definition[shared] = asked
        g = cot.builder.emit(rt.unless_shared, (y_bar, shared), self.context.types[s.result])
        self.context.shape[g] = self.context.shape.get(s.result, s.result)
        return g

    def is_view(self, s: Call) -> bool:
        """Whether a call's result shows memory of an argument, whose shadow has its cotangent."""
        if s.result not in self.mirrored:
            return False
        kind = sharing_of(s, self.context.types)
        return kind in ("view", "out")

    def snapshots(self, s: Call, call: Call, cot: Cotangents) -> tuple[list[Statement], Call]:
        """`call`, which stands for `s`, on copies of what is written in place later."""
        copies: dict[Var, list[Call]] = {}
        parts = call.args if fn_of(call) is operator.getitem and len(call.args) == 2 else ()
        if parts and is_structured(cot.builder.type(parts[0])) or fn_of(call) in ABOUT_MEMORY:
            return [], call
        forward = Builder(self.context, "adjoint", place=s.place)

        def copied(a: Atom) -> Atom:
            if not isinstance(a, Var):
                return a
            if any(v in self.context.volatile for v in self.parts(a)):
                if a not in copies:
                    copies[a] = self.snapshot(a, cot)
                return copies[a][-1].result
            t, made = self.context.types[a], self.context.definition.get(a)
            holds = isinstance(t, (TupleT, ListT, DictT, Closure))
            if holds or made is not None and fn_of(made) is slice:  # arrays, an index
                items = made.args if made is not None and fn_of(made) is slice else forward.context_items(a)
                new = [copied(item) for item in items]
                if any(x is not y for x, y in zip(items, new)):
                    built = forward.emit(slice, new, t) if isinstance(t, SliceT) else forward.build(t, new)
                    self.active_vars |= {built} if self.active(a) else set()  # type: ignore[arg-type]
                    return built
            return a

        kwargs = tuple((k, copied(a)) for k, a in call.kwargs)
        made = replace(call, args=tuple(map(copied, call.args)), kwargs=kwargs)
        return [c for copy in copies.values() for c in copy] + forward.statements, made if copies else call

    def snapshot(self, var: Var, cot: Cotangents) -> list[Call]:
        """A copy of an array, or a container of arrays, as it is where the copy stands; its cotangent is theirs."""
        made = Var(var.name, var.place)
        self.context.types[made] = self.context.types[var]
        self.context.shape[made] = self.context.shape.get(var, var)
        copy = copying(self.context, var, made, "adjoint")
        self.context.definition[made] = copy[-1]
        if var in cot.shadow:
            cot.shadow[made] = cot.shadow[var]
        else:
            cot.copies[made] = var
        if self.active(var):
            self.active_vars.add(made)
        return copy

    def explicit(self, s: Call, rule: Any, y_bar: Atom, cot: Cotangents) -> list[Statement]:
        """An rrule: its body runs forward in place of the call, its pullback in reverse."""
        forward = Builder(self.context, s.role, place=s.place)
        y, pull = forward.items(inline_rule(forward, rule.rrule, s.args, s.kwargs, 2))[:2]
        forward.statements.append(Call(s.result, Const(ops.identity), (y,), (), s.place, s.role))
        table = self.context.boundary.pulled(s, y_bar, cot)
        add_pulled(cot.builder, rule, s, pull, y_bar, table, self.active)
        return forward.statements

    def result_cotangent(self, var: Var, cot: Cotangents) -> Atom | None:
        """The cotangent of a call's result; for a container, a display of its parts'."""
        if var not in self.context.stand_ins:
            return cot.get(var)
        if not self.received(var, cot):
            return None
        return self.gathered(var, cot)

    def received(self, var: Var, cot: Cotangents) -> bool:
        """Whether any part of a container, at any depth, has a cotangent."""
        parts = self.context.stand_ins.get(var)
        return cot.get(var) is not None if parts is None else any(self.received(p, cot) for p in parts)

    def gathered(self, var: Var, cot: Cotangents, left_out: Container[Atom] = ()) -> Atom:
        """The cotangent of a value or of a part of one; zeros for parts that received none, None
        for those that are left out."""
        b, t = cot.builder, self.context.types[var]
        parts = self.context.stand_ins.get(var)
        if parts is not None:
            return b.build(t, [self.gathered(p, cot, left_out) for p in parts])
        if var in left_out or not differentiable(t):
            return Const(None)
        if is_structured(t):
            parts = b.context_items(var)
            return b.build(t, [self.gathered(p, cot, left_out) if isinstance(p, Var) else Const(0.0) for p in parts])
        g = cot.get(var)
        return g if g is not None else zero(b, b.real(var))

    # -- branches ---------------------------------------------------------------------------

    def branch(self, s: If, cot: Cotangents) -> list[Statement]:
        """A value-yielding If: replay its test, sweep each branch, join the cotangents."""
        bars = {r: self.result_cotangent(r, cot) for r in s.results if self.active(r) and not self.by_reference(r)}
        sides = []
        for block in (s.then, s.orelse):
            child = cot.child(cot.builder.child(), self.inside(block))
            child.builder.place = s.place
            if isinstance(block.end, Yield):
                for r, v in zip(s.results, block.end.values):
                    if bars.get(r) is not None and self.active(v):
                        child.add(v, bars[r])
            forward = self.statements(block.statements, child)
            sides.append((block, child, forward))
        return self.join_branches(s, sides, cot)

    def join_branches(self, s: If, sides: list[Any], cot: Cotangents, tail: bool = False) -> list[Statement]:
        """Build the reverse If and the forward If that yields what the reverse reads."""
        b = cot.builder
        touched = list(dict.fromkeys(v for _, c, _ in sides for v in c.local if not c.defines(v)))
        results: list[Var] = []
        columns: list[list[Atom]] = [[], []]
        for v in touched:
            values = [c.local[v] if v in c.local else cot.get(v) for _, c, _ in sides]
            owned = all(x is None or x in cot.owned for x in values)
            made = [
                x if x is not None else self.absent_cotangent(c.builder, v, s.test, k)
                for k, (x, (_, c, _)) in enumerate(zip(values, sides))
            ]
            types = [c.builder.type(x) for x, (_, c, _) in zip(made, sides)]
            result = joined_cotangent(b, v, made, types)
            for column, x in zip(columns, made):
                column.append(x)
            results.append(result)
            cot.set(v, result)
            if owned:
                cot.owned.add(result)
        for _, c, _ in sides:
            cot.updated_in_place |= {v for v in c.updated_in_place if v not in c.defined}
        free = self.context.free
        reverses = [live_statements(c.builder.statements, column, free) for (_, c, _), column in zip(sides, columns)]
        blocks = [Block((), tuple(r), Yield(tuple(column))) for r, column in zip(reverses, columns)]
        blocks = [self.computed_again(forward, block) for (_, _, forward), block in zip(sides, blocks)]
        pieces = [in_parts(self.context, forward, block) for (_, _, forward), block in zip(sides, blocks)]
        sides = [(block, c, forward) for (block, c, _), (forward, _) in zip(sides, pieces)]
        blocks = [block for _, block in pieces]
        extra = self.kept_results(s.test, sides, blocks)
        blocks = [self.context.renamed(block, dict(extra)) for block in blocks]
        if results or any(block.statements for block in blocks):
            b.append(If(tuple(results), s.test, blocks[0], blocks[1], s.place, "adjoint"))
        return [self.forward_if(s, [(block, forward) for block, _, forward in sides], extra)]

    def computed_again(self, forward: Sequence[Statement], block: Block) -> Block:
        """A reverse branch that does the branch's cheap arithmetic once more instead of reading it: what it takes of
        the other values that the branch reads is there, whether they are kept or computed again too."""
        inside = defined_in(forward)
        wanted = dict.fromkeys(v for v in free_vars(block, self.context.free) if v in inside)
        redo: set[Var] = set()

        def at_hand(a: Var) -> bool:
            return a in wanted or a in redo

        for v in wanted:
            calls = steps(self.context, v, inside, at_hand)
            redo |= {c.result for c in calls or from_numbers(self.context, v, inside) or []}
        mapping: dict[Var, Atom] = {}
        head = copied(self.context, [s for s in forward if isinstance(s, Call) and s.result in redo], mapping)
        return self.context.renamed(Block((), (*head, *block.statements), block.end), mapping) if head else block

    def absent_cotangent(self, b: Builder, var: Var, test: Atom, side: int) -> Atom:
        """The cotangent of what one side of a branch does not read. On that side a value kept
        from the other side of an earlier branch on the same test is unbound, and nobody asks."""
        bound = self.context.bound_if.get(var)
        unbound = bound is not None and bound[0] is test and bound[1] != side
        return Const(0.0) if unbound else zero(b, var)

    def kept_results(self, test: Atom, sides: list[Any], blocks: list[Block]) -> list[tuple[Var, Var]]:
        """Values of the branches that the reverse reads: (value, the result that carries it)."""
        kept: list[tuple[Var, Var]] = []
        for side, ((_, _, forward), block) in enumerate(zip(sides, blocks)):
            inside = defined_in(forward)
            for v in free_vars(block, self.context.free):
                if v in inside:
                    result = Var(v.name, v.place)
                    self.context.types[result] = self.context.types[v]
                    self.context.shape[result] = self.context.shape.get(v, v)
                    self.context.extras.add(result)
                    self.context.shadows |= {result} if v in self.context.shadows else set()
                    self.context.bound_if[result] = (test, side)
                    kept.append((v, result))
        return kept

    def forward_if(self, s: If, forwards: list[Any], extra: list[tuple[Var, Var]]) -> If:
        blocks = []
        for block, forward in forwards:
            inside = defined_in(forward)
            end: End = block.end
            if isinstance(end, Yield):
                absent = Const(None) if self.depth else Const(ops.UNDEFINED)
                end = Yield((*end.values, *(v if v in inside else absent for v, _ in extra)))
            blocks.append(Block((), tuple(forward), end))
        return If((*s.results, *(r for _, r in extra)), s.test, blocks[0], blocks[1], s.place, s.role)


def defined_in(statements: Sequence[Statement]) -> set[Var]:
    """The values that a sequence of statements defines at its own level."""
    out: set[Var] = set()
    for s in statements:
        if isinstance(s, Call):
            out.add(s.result)
        else:
            out.update(s.results)
    return out
