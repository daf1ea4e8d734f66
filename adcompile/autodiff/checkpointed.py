"""The reverse of loops over `checkpointed_range`: a few states are kept, and steps run again.

The body becomes two functions of the program: one makes a step, the other also records what the
adjoint of the step reads. `rt.run_checkpointed` stands in the place of the loop, and the reverse
loop goes through what `rt.run_back` records, step by step. Its body is that of any other reverse
loop (autodiff/loops), so that the gradient is the same, bit for bit. docs/checkpoint.md says why.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, Context, is_structured
from adcompile.analysis.iteration import checkpoints_of
from adcompile.analysis.leaves import is_undefined
from adcompile.analysis.mutation import has_memory
from adcompile.analysis.unrolled import as_branch, telling
from adcompile.autodiff.cotangents import Cotangents
from adcompile.autodiff.keep import Keeper, Plan
from adcompile.autodiff.loops import LoopReversal, is_limited
from adcompile.autodiff.outline import outlined, read_for_shape
from adcompile.autodiff.repeatable import check_repeatable, hoisted
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    Return,
    Signature,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import BOOL, UNKNOWN, Array, Instance, IterT, RangeT, Seq, TupleT
from adcompile.ir.walk import Copier, free_vars
from adcompile.runtime import settings

if TYPE_CHECKING:
    from adcompile.autodiff.reverse import Sweep

SHADOWS = Seq(UNKNOWN, tuple)
RECORDED = IterT("recorded", ())


def is_checkpointed(context: Context, s: For) -> bool:
    """Whether a loop is to be run again from snapshots. In debug mode none is: its checks know each array by
    its memory, and steps run again do so on copies."""
    run_again = context.rerun is not None and not settings.current.debug
    return run_again and checkpoints_of(context, s.iterable) is not None or is_budgeted(context, s)


def is_budgeted(context: Context, s: For | While) -> bool:
    """Whether a loop runs again because there is a limit to what loops may keep."""
    return is_limited(context) and isinstance(s, For) and isinstance(Builder(context).type(s.iterable), RangeT)


def share(budget: int | None, statements: Sequence[Statement], around: int = 1) -> int | None:
    """What each of the loops among statements may keep of a budget, of which they get one part in `around`."""
    loops, todo = 0, list(statements)
    while todo:
        s = todo.pop()
        loops += isinstance(s, (For, While))
        todo += [*s.then.statements, *s.orelse.statements] if isinstance(s, If) else ()
    return budget if budget is None or not loops else budget // (around * loops)


def plain(context: Context, s: For | While) -> For | While:
    """The loop as one over its range, where nothing is run again."""
    made = checkpoints_of(context, s.iterable) if isinstance(s, For) else None
    return s if made is None else replace(s, iterable=made.args[0])


class CheckpointedReversal(LoopReversal):
    """`run` gives the statements in the place of the loop; the reverse loop goes to the table's builder."""

    def __init__(self, sweep: Sweep, s: For, cot: Cotangents) -> None:
        made = checkpoints_of(sweep.context, s.iterable)
        self.budget = sweep.context.budget if made is None else None
        self.steps, self.snaps = (s.iterable, Const(self.budget)) if made is None else made.args
        self.whole, self.reversed = plain(sweep.context, s), True
        sweep.inside(s.body)  # its values get their numbers
        s, self.left = straight(sweep, s, cot)
        self.before, body = hoisted(sweep.context, s.body)
        sweep.numbering.rebuilt(body)
        super().__init__(sweep, replace(s, body=body), cot)

    def run(self) -> list[Statement]:
        budget = self.context.budget
        self.context.budget = share(budget, self.s.body.statements, 2)  # the other half is for the loop itself
        made = super().run()
        self.context.budget = budget
        return [*self.before, *made] if self.reversed else made

    def written(self) -> For | While:
        """Nothing in it has an adjoint: it stays as it was, with its exits."""
        self.reversed = False
        return self.whole

    def keep(self, tree: object, reverse: list[Statement], yields: list[Atom]) -> Plan:
        assert isinstance(self.s, For)
        block = Block((), tuple(reverse), Yield(tuple(yields)))
        recorder = Recorder(self, tree, read_for_shape(block, self.context.types))  # type: ignore[arg-type]
        try:
            check_repeatable(self.sweep, self.s.body)
            return recorder.plan(list(free_vars(block)))
        except Unsupported as error:
            if self.budget is None:
                raise
            message, remedy = f"under memory_budget: {error.message}", f"{error.remedy}; or leave memory_budget out"
            raise Unsupported(message, error.place or self.s.place, remedy) from None


def straight(sweep: Sweep, s: For, cot: Cotangents) -> tuple[For, Var | None]:
    """The loop with one end of its body: what leaves an iteration early is a branch. Where one leaves the loop,
    also what says so."""
    block, left = as_branch(s.body), None
    if block is None:
        block = telling(s.body, s.body.params[1:])
    if not isinstance(block.end, Yield):
        raise Unsupported("a checkpointed loop whose every iteration raises", s.place, "loop over range")
    values = block.end.values
    if len(values) == len(s.body.params):  # one more than it carries
        *carried, flag = values
        left = flag if isinstance(flag, Var) else None
        values = tuple(carried)
    if block.statements and block.statements[-1] is not s.body.statements[-1]:
        _note_results(sweep, block, s.body.params[1:], cot)
    return replace(s, body=Block(s.body.params, block.statements, Continue(values))), left


def _note_results(sweep: Sweep, block: Block, params: Sequence[Var], cot: Cotangents) -> None:
    """Types, activity and shadows of the results that the branches at the end of a body got."""
    tail = block.statements[-1] if block.statements else None
    if not isinstance(tail, If) or any(r in sweep.context.types for r in tail.results[: len(params)]):
        return
    sweep.context.types.update((r, BOOL) for r in tail.results[len(params) :])  # whether the loop is left
    for p, r in zip(params, tail.results):
        sweep.context.types[r] = sweep.context.types[p]
        if sweep.active(p):
            sweep.active_vars.add(r)
        if p in sweep.context.volatile:
            sweep.context.volatile.add(r)
        if p in sweep.context.shadows:
            sweep.context.shadows.add(r)
        shadow = cot.shadow.get(p)
        if isinstance(shadow, Var):
            sweep.mirrored |= {r}
            cot.shadow[r] = tail.results[params.index(shadow)]
    for inner in (tail.then, tail.orelse):
        _note_results(sweep, inner, params, cot)


@frozen
class State:
    """What a step begins with, by the parameters of the body and values from outside: what the loop
    carries, values and shadows; arrays that are written into; and what is the same for all steps."""

    values: tuple[int, ...]
    links: tuple[int, ...]
    memory: tuple[Var, ...]
    fixed: tuple[Var, ...]
    left: tuple[Var, ...] = ()  # what says that the loop is left, if it can be

    def ordered(self, carried: Sequence[Atom]) -> list[Atom]:
        return [carried[k] for k in (*self.values, *self.links)]


class Recorder(Keeper):
    """Decides what is recorded of a step, as a Keeper does for a loop that keeps it of all."""

    def plan(self, wanted: list[Var]) -> Plan:
        needed = [v for v in wanted if v in self.inside]
        redo: dict[Var, Call | None] = {}
        again = [v for v in needed if not self.recomputable(v, redo)]
        kept = self.without_arithmetic(again, redo, {})
        if self.element in needed or any(self.element in found for found in self.sources(needed, redo)):
            assert self.element is not None
            kept.append(self.element)
        shadows = [v for v in kept if is_shadow(self.context, v)]
        kept = [v for v in kept if not is_shadow(self.context, v)]
        forward, source = self.functions(kept, shadows)
        step = self.typed(Var("step", self.s.place), TupleT(tuple(self.context.types[v] for v in (*kept, *shadows))))
        head: list[Statement] = []
        mapping: dict[Var, Atom] = {}
        whole = self.apart(head, step)
        for k, v in enumerate((*kept, *shadows)):
            mapping[v] = self.read(head, whole, Const(k), v)
        for v in needed:
            if v in redo and v not in mapping:
                self.recompute(head, v, redo, mapping)
        return Plan(forward, step, source, head, mapping, [], ())

    def apart(self, out: list[Statement], whole: Var) -> Var:
        """A tuple with several items, taken apart in one statement."""
        t = self.context.types[whole]
        assert isinstance(t, TupleT)
        if len(t.items) < 2:
            return whole
        items = self.typed(Var("t", whole.place), t)
        call = Call(items, Const(ops.unpack), (whole, Const(len(t.items))), (), whole.place, "adjoint")
        self.context.definition[items] = call
        out.append(call)
        return items

    # -- the functions ----------------------------------------------------------------------

    def functions(self, kept: list[Var], shadows: list[Var]) -> tuple[list[Statement], object]:
        """What stands in the place of the loop, and how the reverse loop gets at what is recorded."""
        s, context = self.s, self.context
        assert isinstance(s, For) and isinstance(self.loop, CheckpointedReversal)
        statements, given = self.recording(kept, shadows)
        end = self.tree.block.end
        assert isinstance(end, Continue)
        whole = Block(s.body.params, tuple(statements), Yield((*end.values, *given)))
        left = () if self.loop.left is None else (self.loop.left,)
        state = state_of(context, s, whole, left)
        made = [FunctionRef(name) for name in ("step", "recorded_step")]
        context.functions[made[0]] = advance(context, s, state)
        context.functions[made[1]] = record(context, s, state, statements, end.values, given, len(kept))
        b = Builder(context, s.role, place=s.place)
        run, snaps = rt.run_checkpointed if self.loop.budget is None else rt.run_budgeted, self.loop.snaps
        parts = [tuple(s.init[k] for k in state.values), tuple(s.init[k] for k in state.links), state.memory]
        steps = (Const(made[0]), Const(made[1]), self.loop.steps)
        args = (*steps, snaps, *(tuple_of(b, part) for part in parts), tuple_of(b, state.fixed, "fixed"))
        results = [s.results[k] for k in (*state.values, *state.links)]
        types = (*(context.types[r] for r in results), UNKNOWN, SHADOWS)
        if self.loop.budget is not None:
            moves = state.memory or any(p in context.volatile for p in s.body.params)
            args = (*args, Const(bool(left)), Const(bool(moves)))
        elif left:
            args = (*args, Const(True))
        ran = b.emit(run, args, TupleT(types), (), "ran", s.place)
        out = self.apart(b.statements, ran)
        for k, r in enumerate(results):
            call = Call(r, Const(operator.getitem), (out, Const(k)), (), s.place, s.role)
            context.definition[r] = call
            b.append(call)
        b.role = "adjoint"
        snapshots = b.emit(operator.getitem, (out, Const(len(results))), UNKNOWN, (), "snapshots")
        bars = b.emit(operator.getitem, (out, Const(len(results) + 1)), SHADOWS, (), "shadows")
        context.shadows.add(bars)
        for v in (*kept, *shadows):
            self.loop.sweep.why.setdefault(v, "recorded for the reverse of one step")

        def source(c: Builder) -> Atom:
            again = tuple_of(c, state.fixed, "fixed")
            once = () if context.rerun != "once" else (Const(True),)
            return c.emit(rt.run_back, (*steps, snapshots, bars, again, *once), RECORDED)

        return b.statements, source

    def recording(self, kept: list[Var], shadows: list[Var]) -> tuple[list[Statement], list[Atom]]:
        """The statements of a step that record, and what they record."""
        context = self.context
        statements, renamed = context.bound_everywhere(context, self.tree.forward, [*kept, *shadows])
        given: list[Atom] = []
        for v in (*kept, *shadows):
            value: Var = renamed.get(v, v)
            if v in self.outlines:
                outline = outlined(v, value, context.types, context.definition)
                statements.append(outline)
                value = outline.result
            given.append(value)
        return statements, given


def tuple_of(b: Builder, items: Sequence[Atom], name: str = "") -> Atom:
    return b.build(TupleT(()), items, name) if items else Const(())


def state_of(context: Context, s: For, recording: Block, left: tuple[Var, ...]) -> State:
    """What the steps of a loop hand on and read from outside. Raises Unsupported for what cannot be kept."""
    params = s.body.params[1:]
    links = tuple(k for k, p in enumerate(params) if is_shadow(context, p))
    values = tuple(k for k in range(len(params)) if k not in links)
    for k, p in enumerate(params):
        check_carried(context, s, k, p)
    outside = {**free_vars(s.body), **free_vars(recording)}
    written = written_in(context, outside, s.place)
    return State(values, links, tuple(written), tuple(v for v in outside if v not in written), left)


def written_in(context: Context, values: Iterable[Var], place: Place | None) -> list[Var]:
    """Those of the values that are written in place somewhere; all of them must be arrays."""
    found = [v for v in values if not is_shadow(context, v) and shows_written(context, v)]
    for v in found:
        if not isinstance(context.types[v], Array):
            raise Unsupported(
                f"a checkpointed loop or call that reads {v.name or 'a container'}, in which arrays are written",
                place,
                "take the arrays out before, or keep what is computed",
            )
    return found


def is_shadow(context: Context, v: Var) -> bool:
    """Whether a value is a shadow that this sweep adds to; one of a transform inside is written as an
    array of the program is."""
    return v in context.shadows and v not in context.volatile


def shows_written(context: Context, v: Var) -> bool:
    """Whether a value is, or holds, an array that is written in place somewhere."""
    if is_structured(context.types[v]):
        items = Builder(context).context_items(v)
        return any(isinstance(item, Var) and shows_written(context, item) for item in items)
    return v in context.volatile


def check_carried(context: Context, s: For, k: int, param: Var) -> None:
    t = context.types[param]
    name = param.name or "a value"
    if is_undefined(s.init[k]) or s.init[k] in context.loose:
        raise Unsupported(
            f"{name}, which this checkpointed loop binds first",
            s.place,
            f"give {name} a value before the loop; for a return in the loop, break, and return behind it",
        )
    if isinstance(t, Array) or not has_memory(t) or isinstance(t, Instance) and t.cls is str:
        return
    raise Unsupported(
        f"a checkpointed loop that changes {name}, of which no snapshot can be taken",
        s.place,
        "write into an array made before the loop (out = np.empty(n); out[i] = …), or loop over range",
    )


class Copy(Copier):
    """Copies with the types of what is copied."""

    def __init__(self, context: Context, mapping: Mapping[Var, Atom]) -> None:
        super().__init__(mapping)
        self.types = context.types

    def define(self, var: Var) -> Var:
        fresh = super().define(var)
        self.types[fresh] = self.types[var]
        return fresh


def advance(context: Context, s: For, state: State) -> Function:
    """One step: what the next one carries, of what this one does."""
    copy = Copy(context, {})
    params = [copy.define(v) for v in _params(s, state)]
    assert isinstance(s.body.end, Continue)
    body = copy.block(Block((), s.body.statements, Yield((*state.ordered(s.body.end.values), *state.left))))
    b = Builder(context, s.role, statements=list(body.statements), place=s.place)
    assert isinstance(body.end, Yield)
    out = b.build(TupleT(()), body.end.values)
    return Function("step", tuple(params), (), b.block((), Return(out)), Signature(), s.place)


def record(
    context: Context,
    s: For,
    state: State,
    statements: Sequence[Statement],
    carried: Sequence[Atom],
    given: Sequence[Atom],
    count: int,
) -> Function:
    """One step that also gives what its adjoint reads: `count` values, then shadows."""
    outside = (*state.memory, *state.fixed)
    mapping: dict[Var, Atom] = {v: _fresh(context, v) for v in outside}
    block = context.renamed(Block((), tuple(statements), Yield((*carried, *given))), mapping)
    assert isinstance(block.end, Yield)
    now, kept = block.end.values[: len(carried)], block.end.values[len(carried) :]
    b = Builder(context, s.role, statements=list(block.statements), place=s.place)
    parts = [b.build(TupleT(()), part) for part in (state.ordered(now), kept[:count], kept[count:])]
    params = [*_params(s, state)[: 1 + len(carried)], *(v for v in mapping.values() if isinstance(v, Var))]
    out = b.build(TupleT(()), parts)
    return Function("recorded_step", tuple(params), (), b.block((), Return(out)), Signature(), s.place)


def _params(s: For, state: State) -> list[Var]:
    carried = s.body.params[1:]
    return [s.body.params[0], *(carried[k] for k in (*state.values, *state.links)), *state.memory, *state.fixed]


def _fresh(context: Context, var: Var) -> Var:
    made = Var(var.name, var.place)
    context.types[made] = context.types[var]
    context.shape[made] = context.shape.get(var, var)
    return made

