"""The reverse of calls of `checkpoint(f)`: the arguments are kept, and the call runs again.

Such a call is a branch on `runs_again(policy)`, which is always taken. On the way forward its body is a
function of the program, so that nothing of it can be taken for what is computed on the way back. There its
statements stand before their adjoints, on the arguments as they were.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, Context
from adcompile.analysis.mutation import writes_into
from adcompile.autodiff.checkpointed import Copy, is_shadow, shows_written, written_in
from adcompile.autodiff.cotangents import Cotangents
from adcompile.autodiff.live import live_statements
from adcompile.autodiff.plain import guarded
from adcompile.autodiff.repeatable import check_repeatable, hoisted
from adcompile.errors import Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Function, If, Return, Signature, Statement, Var, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import UNKNOWN, Array, Known, Scalar, TupleT
from adcompile.ir.walk import free_vars, results_of, statements_of
from adcompile.runtime.marks import runs_again, saved_names

if TYPE_CHECKING:
    from adcompile.autodiff.reverse import Sweep


def mark_of(context: Context, s: If) -> Call | None:
    made = context.definition.get(s.test) if isinstance(s.test, Var) else None
    return made if made is not None and isinstance(made.fn, Const) and made.fn.value is runs_again else None


def is_region(context: Context, s: If) -> bool:
    """Whether a branch is a call that runs again."""
    return context.rerun is not None and mark_of(context, s) is not None and isinstance(s.then.end, Yield)


def reverse_region(sweep: Sweep, s: If, cot: Cotangents) -> list[Statement]:
    """The statements in the place of the call; its statements and their adjoints go to the table's builder."""
    context = sweep.context
    sweep.inside(s.then)  # its values get their numbers
    before, block = hoisted(context, s.then)
    sweep.numbering.rebuilt(block)
    assert isinstance(block.end, Yield)
    given = [(r, v) for r, v in zip(s.results, block.end.values) if sweep.active(r) and not sweep.by_reference(r)]
    bars = [(v, cot.get(r)) for r, v in given]
    moves = any(v in sweep.mirrored for v in (*free_vars(block), *s.results))
    if not moves and all(g is None for _, g in bars):
        return [guarded(context, s)]
    check_repeatable(sweep, block)
    outer = cot.builder
    cot.builder = outer.child()
    for v, g in bars:
        if g is not None and sweep.active(v):
            cot.add(v, g)
    again = sweep.statements(block.statements, cot)
    adjoint, cot.builder = cot.builder, outer
    outer.local |= adjoint.local
    region = Region(sweep, s, block, tuple(again))
    forward = region.forward()
    apart = sweep.depth > 0 or cot.parent is not None
    outer.statements.extend(region.backward(adjoint.statements, [*cot.local.values()], apart))
    for v, g in cot.local.items():  # a cotangent may be something that was recorded
        if isinstance(g, Var) and g in region.found:
            cot.local[v] = region.found[g]
            cot.owned |= {cot.local[v]} if g in cot.owned else set()
    return [*before, *forward]


@dataclass
class Region:
    """A call that runs again: `block` is what it does, `again` the same as its adjoints want it."""

    sweep: Sweep
    s: If
    block: Block
    again: tuple[Statement, ...]

    def __post_init__(self) -> None:
        self.context = self.sweep.context
        assert isinstance(self.block.end, Yield)
        self.values = self.block.end.values
        outside = free_vars(Block((), (*self.block.statements, *self.again), self.block.end))
        self.outside = tuple(outside)
        self.written = written_in(self.context, outside, self.s.place)
        self.copies: dict[Var, Var] = {}
        self.kept: Var | None = None  # copies that every run copies
        self.saved = {v: self.fresh(v) for v in self.named()}
        self.found: dict[Var, Atom] = {**self.saved}  # what adjoints read instead

    def named(self) -> list[Var]:
        """The values that the policy keeps."""
        mark = mark_of(self.context, self.s)
        policy = mark.args[0] if mark is not None else None
        assert isinstance(policy, Const)
        names = saved_names(policy.value) or ()
        found = [st.result for st in self.again if isinstance(st, Call) and st.result.name in names]
        missing = [n for n in names if all(v.name != n for v in found)]
        if missing:
            raise Unsupported(
                f"no value of this call is named {missing[0]}, which is to be kept",
                self.s.place,
                "save_only takes names that the function itself binds, outside of loops and branches",
            )
        for v in found:
            held = isinstance(self.context.types[v], (Array, Scalar)) and not shows_written(self.context, v)
            if not held and not isinstance(self.context.types[v], Known):
                what = f"{v.name} is to be kept, and is written in place or no array"
                raise Unsupported(what, v.place, "keep a copy by another name")
        return [v for v in found if not isinstance(self.context.types[v], Known)]

    def fresh(self, v: Var) -> Var:
        made = Var(v.name, v.place)
        self.context.types[made] = self.context.types[v]
        self.context.shape[made] = self.context.shape.get(v, v)
        return made

    # -- forward ----------------------------------------------------------------------------

    def forward(self) -> list[Statement]:
        """Copies of what is written, and the call."""
        s, context = self.s, self.context
        b = Builder(context, "adjoint", place=s.place)
        if self.written and context.rerun == "again":  # they are written into by each run
            self.kept = b.emit(rt.kept_replicas, (b.build(TupleT(()), self.written),), UNKNOWN, (), "before")
        elif self.written:
            self.copies = self.copied(b)
        b.role = s.role
        ref = FunctionRef(self.name())
        copy = Copy(context, {})
        params = [copy.define(v) for v in self.outside]
        kept = list(self.saved)
        body = copy.block(Block((), self.block.statements, Yield((*self.values, *kept))))
        assert isinstance(body.end, Yield)
        inner = Builder(context, s.role, statements=list(body.statements), place=s.place)
        single = len(body.end.values) == 1
        out = body.end.values[0] if single else inner.build(TupleT(()), body.end.values)
        function = Function(ref.name, tuple(params), (), inner.block((), Return(out)), Signature(), s.place)
        context.functions[ref] = function
        results = (*s.results, *self.saved.values())
        if single:
            define(b, results[0], ref, *self.outside)
            return b.statements
        t = TupleT(tuple(context.types[r] for r in results))
        called = b.emit(Const(ref), self.outside, t, (), "out", s.place)
        items = b.emit(ops.unpack, (called, Const(len(results))), t)
        for k, r in enumerate(results):
            define(b, r, operator.getitem, items, Const(k))
        return b.statements

    def name(self) -> str:
        mark = mark_of(self.context, self.s)
        assert mark is not None and isinstance(mark.args[1], Const)
        return mark.args[1].value

    def copied(self, b: Builder) -> dict[Var, Var]:
        """Copies of what is written that overlap as the arrays do."""
        copies = {v: self.fresh(v) for v in self.written}
        if len(copies) == 1 and self.kept is None:
            define(b, copies[self.written[0]], rt.replica, *self.written)
            return copies
        types = TupleT(tuple(self.context.types[v] for v in copies))
        arrays = b.build(TupleT(()), self.written) if self.kept is None else self.kept
        together = b.emit(rt.replicas if self.kept is None else rt.replicas_of, (arrays,), types, (), "before")
        items = b.emit(ops.unpack, (together, Const(len(copies))), types) if len(copies) > 1 else together
        for k, v in enumerate(copies.values()):
            define(b, v, operator.getitem, items, Const(k))
        return copies

    # -- backward ---------------------------------------------------------------------------

    def backward(self, adjoint: Sequence[Statement], keep: Sequence[Atom], apart: bool) -> list[Statement]:
        """The call's statements on copies of what it began with, then the adjoints. `apart`: where a plain
        call would keep what its adjoints read, they see no more of the statements than that."""
        context = self.context
        b = Builder(context, "adjoint", place=self.s.place)
        given: dict[Var, Atom] = {**self.saved, **(self.copies if self.kept is None else self.copied(b))}
        rest = live_statements([*self.handed(), *adjoint], keep)
        wanted = free_vars(Block((), tuple(rest), Yield(tuple(keep))))
        again = [st for st in self.again if not isinstance(st, Call) or st.result not in self.saved]
        again = live_statements(again, wanted, computing=not self.writes())
        if apart:
            inside = {r for st in again for r in results_of(st)}
            self.found.update(self.recorded(b, again, [v for v in wanted if v in inside], given))
        else:
            b.statements.extend(context.renamed(Block((), tuple(again), Yield()), given).statements)
        block = context.renamed(Block((), tuple(rest), Yield()), self.found)
        return [*b.statements, *block.statements]

    def recorded(
        self, b: Builder, again: Sequence[Statement], kept: Sequence[Var], given: Mapping[Var, Atom]
    ) -> Mapping[Var, Atom]:
        """A call of a function that runs the statements; what it gives for each of `kept`."""
        context = self.context
        again, bound = context.bound_everywhere(context, again, kept)
        whole = Block((), tuple(again), Yield(tuple(bound.get(v, v) for v in kept)))
        outside = list(free_vars(whole))
        params: dict[Var, Atom] = {v: self.fresh(v) for v in outside}
        body = context.renamed(whole, params)
        inner = Builder(context, "primal", statements=list(body.statements), place=self.s.place)
        assert isinstance(body.end, Yield)
        out = inner.build(TupleT(()), body.end.values)
        ref = FunctionRef(f"recorded_{self.name()}")
        names = tuple(v for v in params.values() if isinstance(v, Var))
        context.functions[ref] = Function(ref.name, names, (), inner.block((), Return(out)), Signature(), self.s.place)
        t = TupleT(tuple(context.types[v] for v in kept))
        made: Atom = b.emit(Const(ref), [given.get(v, v) for v in outside], t, (), "recorded")
        if len(kept) > 1:
            made = b.emit(ops.unpack, (made, Const(len(kept))), t)
        found = {v: self.fresh(v) for v in kept}
        for k, v in enumerate(found.values()):
            define(b, v, operator.getitem, made, Const(k))
        return found

    def writes(self) -> bool:
        """Whether the call writes into arrays, its own or others."""
        types, definition = self.context.types, self.context.definition
        inner = statements_of(Block((), self.again, Yield()))
        return any(isinstance(st, Call) and writes_into(st, types, definition) for st in inner)

    def handed(self) -> list[Statement]:
        """What the shadows of the results hold goes over into those of the same results, computed again."""
        b = Builder(self.context, "adjoint", place=self.s.place)
        inside = {r for st in self.again for r in results_of(st)}
        for r, v in zip(self.s.results, self.values):
            if is_shadow(self.context, r) and v in inside:
                b.emit(rt.hand_over, (v, r), Known(None))
        return b.statements


def define(b: Builder, var: Var, fn: object, *args: Atom) -> None:
    """Emit a call whose result is a value that others know already."""
    call = Call(var, Const(fn), args, (), b.place, b.role)
    b.context.definition[var] = call
    b.append(call)
