"""The reverse of loops: backwards over what the loop ran over, reading what it kept.

The reverse body is built first; what it reads of the forward body's values is then either
computed again from what is at hand (an element of an array that is still there, integer
arithmetic) or kept, one list per value, read back by the number of the iteration. A loop that can
be left early counts its iterations. An exit that leaves before anything active has run in that
iteration is not counted, and its test is not replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from adcompile import runtime as rt
from adcompile.analysis.activity import leaf_ends
from adcompile.analysis.builder import Builder, Context
from adcompile.autodiff.cotangents import Cotangents, tangent_type, zero
from adcompile.autodiff.evaluated import with_evaluated
from adcompile.autodiff.keep import Keeper, Leaf, Plan, always, leaves, results_of
from adcompile.autodiff.live import live_statements
from adcompile.autodiff.maskable import gathered, joined_cotangent
from adcompile.autodiff.outline import read_for_shape
from adcompile.autodiff.piecewise import in_parts
from adcompile.autodiff.plain import guarded
from adcompile.errors import Unsupported
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Continue,
    For,
    If,
    Raise,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import Seq
from adcompile.ir.walk import atoms_of, free_vars, statements_of
from adcompile.runtime import settings

if TYPE_CHECKING:
    from adcompile.autodiff.reverse import Sweep


class LoopReversal:
    def __init__(self, sweep: Sweep, s: For | While, cot: Cotangents) -> None:
        self.sweep, self.s, self.cot = sweep, s, cot
        self.context = sweep.context
        self.params = s.body.params[1:] if isinstance(s, For) else s.body.params
        ends = leaf_ends(s.body)
        self.positions = [
            k
            for k, (p, r) in enumerate(zip(self.params, s.results))
            if not sweep.by_reference(p)
            and (sweep.active(p) or sweep.active(r) or any(sweep.active(values[k]) for values in ends))
        ]
        self.exits = any(isinstance(end, Break) for end in ends_of(s.body))

    def run(self) -> list[Statement]:
        s, cot, sweep = self.s, self.cot, self.sweep
        if isinstance(s, For) and sweep.active(s.body.params[0]):
            raise Unsupported(
                "a loop over an iterable of unknown kind whose items carry derivatives",
                s.place,
                "loop over an array, a list, a tuple or a range",
            )
        bars = {k: cot.get(s.results[k]) for k in self.positions}
        if all(v is None for v in bars.values()) and not self.moves_memory():  # also without positions
            return [guarded(sweep.context, self.written())]
        builder = cot.builder.child()
        body_cot = cot.child(builder, sweep.inside(s.body), loop=True)
        carried = {k: self.new_bar(builder, self.params[k]) for k in self.positions}
        cot.owned.update(carried[k] for k in self.lists())
        sweep.depth += 1
        tree = self.sweep_tree(s.body, body_cot, carried)
        sweep.depth -= 1
        return self.assemble(tree, body_cot, carried, bars)

    def written(self) -> For | While:
        """The loop as it is where nothing in it has an adjoint."""
        return self.s

    def lists(self) -> list[int]:
        """The carried positions of lists: their cotangents are ours from one iteration to the next, and are
        written into."""
        return [k for k in self.positions if isinstance(tangent_type(self.context.types[self.params[k]]), Seq)]

    def filled(self, b: Builder, bars: dict[int, Atom | None], zero_at: Callable[[int], Atom]) -> list[Atom]:
        """The cotangents at the carried positions, zeros where there is none; those of lists are ours, and
        each is another one."""
        out: dict[int, Atom] = {}
        for k in self.positions:
            g = bars[k]
            if g is None:
                g = zero_at(k)
                self.cot.owned.add(g)
            out[k] = g
        taken: list[Atom] = []
        for k in self.lists():
            if out[k] not in self.cot.owned or any(out[k] is other for other in taken):
                out[k] = b.emit(rt.copy, (out[k],), b.type(out[k]), (), getattr(out[k], "name", ""))
                self.cot.owned.add(out[k])
            taken.append(out[k])
        return list(out.values())

    def moves_memory(self) -> bool:
        """Whether the body reads or writes arrays by reference."""
        mirrored = self.sweep.mirrored
        return bool(mirrored) and any(
            isinstance(a, Var) and a in mirrored for st in statements_of(self.s.body) for a in atoms_of(st)
        )

    def new_bar(self, builder: Builder, param: Var) -> Var:
        var = builder.new(f"{param.name}_bar", tangent_type(self.context.types[param]), param.place)
        return var

    # -- the body's tree --------------------------------------------------------------------

    def sweep_tree(self, block: Block, cot: Cotangents, carried: dict[int, Var], top: bool = True) -> Leaf:
        """Sweep a block of the tree: seed at its leaves, then its statements backwards."""
        if isinstance(block.end, Unreachable):
            tail = block.statements[-1]
            assert isinstance(tail, If)
            return self.sweep_tail(block, tail, cot, carried, top)
        if isinstance(block.end, (Continue, Break)):
            for k in self.positions:
                value = block.end.values[k]
                if self.sweep.active(value):
                    cot.add(value, carried[k])
        forward = self.sweep.statements(block.statements, cot)
        return Leaf(block, forward, cot)

    def sweep_tail(self, block: Block, tail: If, cot: Cotangents, carried: dict[int, Var], top: bool) -> Leaf:
        prefix = block.statements[:-1]
        idle = top and not any(self.sweep.active(r) for p in prefix for r in results_of(p)) and not self.writes(prefix)
        then_skipped = idle and self.is_plain_exit(tail.then)
        else_skipped = idle and self.is_plain_exit(tail.orelse)
        if then_skipped or else_skipped:
            rest = tail.orelse if then_skipped else tail.then
            inner = self.sweep_tree(rest, cot, carried, True)
            skipped = Leaf(tail.then if then_skipped else tail.orelse, [], cot, skipped=True)
            children = (skipped, inner) if then_skipped else (inner, skipped)
            return Leaf(block, list(prefix), cot, children)
        sides = []
        for side in (tail.then, tail.orelse):
            child = cot.child(cot.builder.child(), self.sweep.inside(side))
            child.builder.place = tail.place
            sides.append(self.sweep_tree(side, child, carried, False))
        self.join_sides(tail, sides, cot)
        forward = self.sweep.statements(prefix, cot)
        return Leaf(block, forward, cot, (sides[0], sides[1]))

    def writes(self, statements: Sequence[Statement]) -> bool:
        """Whether statements may write into arrays by reference."""
        mirrored = self.sweep.mirrored
        inner = statements_of(Block((), tuple(statements), Yield()))
        return bool(mirrored) and any(isinstance(a, Var) and a in mirrored for st in inner for a in atoms_of(st))

    def is_plain_exit(self, block: Block) -> bool:
        """An exit that leaves with what the iteration began with."""
        if not isinstance(block.end, (Break, Raise)) or any(not isinstance(st, Call) for st in block.statements):
            return False
        if isinstance(block.end, Break) and self.writes(block.statements):
            return False
        if isinstance(block.end, Raise):
            return True
        return all(block.end.values[k] is self.params[k] for k in self.positions)

    def join_sides(self, tail: If, sides: list[Leaf], cot: Cotangents) -> None:
        """The reverse If of a conditional exit; kept values are read inside its branches."""
        b = cot.builder
        running = [side for side in sides if not ends_in_raise(side.block)]
        touched = list(dict.fromkeys(v for side in running for v in side.cot.local if not side.cot.defines(v)))
        results: list[Var] = []
        columns: list[list[Atom]] = [[], []]
        for v in touched:
            values = [side.cot.local.get(v, cot.get(v)) for side in sides]
            made = [x if x is not None else zero(side.cot.builder, v) for x, side in zip(values, sides)]
            result = joined_cotangent(b, v, made, [side.cot.builder.type(x) for x, side in zip(made, sides)])
            for column, x in zip(columns, made):
                column.append(x)
            results.append(result)
            cot.set(v, result)
            if all(x is None or x in cot.owned for x in values):
                cot.owned.add(result)
        for side in sides:
            cot.updated_in_place |= {v for v in side.cot.updated_in_place if v not in side.cot.defined}
        blocks = []
        for side, column in zip(sides, columns):
            reverse = live_statements(side.cot.builder.statements, column)
            blocks.append(Block((), tuple(reverse), Yield(tuple(column))))
        if not results and not any(block.statements for block in blocks):
            return
        b.append(If(tuple(results), tail.test, blocks[0], blocks[1], tail.place, "adjoint"))

    # -- assembling -------------------------------------------------------------------------

    def assemble(
        self, tree: Leaf, body_cot: Cotangents, carried: dict[int, Var], bars: dict[int, Atom | None]
    ) -> list[Statement]:
        s, cot, builder = self.s, self.cot, body_cot.builder
        b = cot.builder
        found = {k: body_cot.local.get(self.params[k]) for k in self.positions}
        next_bars = self.filled(builder, found, lambda k: zero(builder, self.params[k]))
        outer = list(body_cot.accumulators)
        finals = [body_cot.local[v] for v in outer]
        end = Yield((*next_bars, *finals))
        whole = Block((), tuple(live_statements(builder.statements, end.values)), end)
        whole = with_evaluated(self.context, always(tree), whole, read_for_shape(whole, self.context.types))
        for leaf in leaves(tree):
            if not leaf.skipped:
                leaf.forward, whole = in_parts(self.context, leaf.forward, whole, leaf.block.params)
        assert isinstance(whole.end, Yield)
        reverse, yields = list(whole.statements), list(whole.end.values)
        plan = self.keep(tree, reverse, yields)
        backs = plan.backs
        params = [*(carried[k] for k in self.positions), *(body_cot.accumulators[v] for v in outer)]
        init = self.filled(b, bars, lambda k: self.zero_outside(b, s.results[k]))
        for v in outer:
            init.append(self.start(b, v, v in body_cot.updated_in_place))
        params += [back.var for back in backs]
        init += [back.last for back in backs]
        results = [b.new(p.name, b.type(p)) for p in params]
        for p, r in zip(params, results):
            self.context.shape[r] = self.context.shape.get(p, p)
        end = Continue((*yields, *(back.before for back in backs)))
        body = self.context.renamed(Block((), (*plan.head, *reverse), end), plan.mapping)
        loop_body = Block((plan.element, *params), body.statements, body.end)
        iterable = plan.iterable(b)
        self.context.boundary.replayed(b, iterable, plan.lists, s.place)
        b.append(For(tuple(results), iterable, tuple(init), loop_body, s.place, "adjoint"))
        first = len(self.positions)
        for v, r, start in zip(outer, results[first:], init[first:]):
            self.context.selections[r] = gathered(self.context, start, body_cot.accumulators[v], body_cot.local[v])
            cot.set(v, r)
            if v in body_cot.updated_in_place or start in cot.owned:  # an iteration may leave it as it was
                cot.owned.add(r)
            if v in body_cot.updated_in_place:
                cot.updated_in_place.add(v)
        cot.owned.update(r for k, r in zip(self.positions, results) if k in self.lists())
        for k, r in zip(self.positions, results):
            if isinstance(s.init[k], Var) and self.sweep.active(s.init[k]):
                cot.add(s.init[k], r)
        return plan.forward

    def zero_outside(self, b: Builder, var: Var) -> Atom:
        return zero(b, var)

    def start(self, b: Builder, v: Var, in_place: bool) -> Atom:
        """The accumulator's first value: what `v` has so far, owned if it is written in place."""
        old = self.cot.accumulator(v)
        if old is None:
            fresh = zero(b, v)
            self.cot.owned.add(fresh)
            return fresh
        if in_place and old not in self.cot.owned:
            copied = b.emit(rt.copy, (old,), b.type(old), (), f"{v.name}_bar")
            self.context.shape[copied] = self.context.shape.get(v, v)
            return copied
        return old

    # -- keeping ----------------------------------------------------------------------------

    def keep(self, tree: Leaf, reverse: list[Statement], yields: list[Atom]) -> Plan:
        if is_limited(self.context):
            raise Unsupported(
                "a loop that is not over a range, an array or a sequence, under memory_budget",
                self.s.place,
                "loop over a range, with break where it ends, or leave memory_budget out",
            )
        block = Block((), tuple(reverse), Yield(tuple(yields)))
        return Keeper(self, tree, read_for_shape(block, self.context.types)).plan(list(free_vars(block)))


def is_limited(context: Context) -> bool:
    """Whether loops may keep so many bytes only. In debug mode they may keep what they need."""
    return context.budget is not None and context.rerun is not None and not settings.current.debug


def ends_of(body: Block) -> list[Any]:
    out: list[Any] = []
    todo = [body]
    while todo:
        block = todo.pop()
        if isinstance(block.end, Unreachable) and block.statements and isinstance(block.statements[-1], If):
            todo += [block.statements[-1].orelse, block.statements[-1].then]
        else:
            out.append(block.end)
    return out


def ends_in_raise(block: Block) -> bool:
    return isinstance(block.end, Raise)
