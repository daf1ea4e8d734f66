"""Array statements to loop nests, block by block."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, If, Raise, Statement, Var, While
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, Known, ListT, RangeT, Scalar, Seq, SliceT, TupleT, Type
from adcompile.ir.walk import atoms_of, readers_of, results_of, statements_of, substitute
from adcompile.nests.align import align
from adcompile.nests.elementwise import FUNCTIONS
from adcompile.nests.extents import Extents, Scopes
from adcompile.nests.facts import Facts
from adcompile.nests.frames import Frame, Frames
from adcompile.nests.items import (
    Compute,
    Index,
    Item,
    Load,
    Reduce,
    Store,
    Value,
    accesses,
    cost,
    is_known,
    leaves_of,
    values_of,
)
from adcompile.nests.keys import vars_in
from adcompile.nests.plan import Plan
from adcompile.nests.region import Region
from adcompile.nests.unread import unread, without
from adcompile.nests.unroll import SHORT, unrolled
from adcompile.nests.versions import versions
from adcompile.nests.write import Writer, buffer_type
from adcompile.nests.zeroed import zeroed
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects, summarise
from adcompile.optimise.passes import DEAD, Unit, optimise, run_passes
from adcompile.optimise.typing import type_of
from adcompile.runtime import memory
from adcompile.runtime.loops import disjoint, outlined

SHAPE_ONLY = (getattr, len, memory.outline, np.shape, np.ndarray.shape, np.ndarray.size, np.ndarray.ndim)
BY_REFERENCE = (ops.build_tuple, ops.pop, ops.identity)
"""What takes and gives arrays, and looks at none of their elements."""
SEVERAL = 2
"""So many array statements are worth loops: for one NumPy has its own."""


Lengths = tuple["int | None", ...]


def nests(program: Program, functions: frozenset[Any] = FUNCTIONS) -> Program:
    """The program with array statements as loop nests, wherever several of them meet in one.

    `functions` are the ufuncs that may stand in loops, beside arithmetic, comparisons and the like: those for which
    the backend has something better, in a loop, than a call for each element. Others stay NumPy's, on whole arrays.

    What it computes is the same: elementwise operations to the last bit, sums up to the order of
    their terms. Where lengths differ or arrays overlap that are taken not to, it raises
    `runtime.loops.Leave`, and the program as it was has to run on the arguments as they were.
    """
    return large_stack(_nests, program, functions)


def _nests(program: Program, ufuncs: frozenset[Any]) -> Program:
    types = dict(program.types)
    effects = Effects(types, summarise(program.functions, types))
    functions = {ref: Lowering(f, types, effects, ufuncs).run() for ref, f in program.functions.items()}
    return optimise(replace(program, functions=functions, types=types), DEAD)


@frozen(eq=False)
class Lowered:
    """A function with loop nests. `sure` are the results of those reads and writes of elements whose places are
    there, by the lengths of the loops or a guard in front of them; `sums` those of steps of sums and extrema;
    `independent` the elements of loops whose iterations share no memory that is written; `lengths` says which arrays
    have axes of two, three or four, or the function is left."""

    function: Function
    types: Mapping[Var, Type]
    sure: frozenset[Var]
    sums: frozenset[Var]
    independent: frozenset[Var] = frozenset()
    lengths: Mapping[Var, Lengths] = field(default_factory=dict[Var, Lengths])


def lowered(
    function: Function, types: Mapping[Var, Type], functions: frozenset[Any] = FUNCTIONS, least: int = SEVERAL,
    presumed: Mapping[Var, Lengths] | None = None,
) -> Lowered:  # fmt: skip
    """One function as `nests` has it, with loops for `least` statements that follow each other, or more. What arrays
    are `presumed` to be as long as is tested."""
    return large_stack(_lowered, function, dict(types), functions, least, presumed or {})


def _lowered(
    function: Function, types: dict[Var, Type], ufuncs: frozenset[Any], least: int, presumed: Mapping[Var, Lengths]
) -> Lowered:
    unit = Unit(types)
    lowering = Lowering(function, types, unit.effects, ufuncs, least, presumed)
    new, frames = lowering.run(), lowering.frames
    new = replace(new, body=run_passes(new.body, unit, DEAD))
    sure, sums, independent = map(frozenset[Var], (frames.sure, frames.sums, frames.independent))
    return Lowered(new, types, sure, sums, independent, lowering.lengths)


def _outlines(block: Block) -> dict[Atom, list[Call]]:
    """The outlines that a block makes, by what they are of."""
    out: dict[Atom, list[Call]] = {}
    for s in block.statements:
        if isinstance(s, Call) and called(s) is memory.outline:
            out.setdefault(s.args[0], []).append(s)
    return out


@dataclass(eq=False)
class Lowering:
    function: Function
    types: dict[Var, Type]
    effects: Effects
    ufuncs: frozenset[Any]
    least: int = SEVERAL
    presumed: Mapping[Var, Lengths] = field(default_factory=dict[Var, Lengths])
    lengths: dict[Var, Lengths] = field(default_factory=dict[Var, Lengths])
    renamed: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    outlined: set[Call] = field(default_factory=set[Call])

    def run(self) -> Function:
        self.function = replace(self.function, body=versions(self.function.body, self.types))
        scopes = Scopes(self.function, self.types)
        self.frames = Frames(self.types)
        extents, uses, kept = Extents(scopes, self.ufuncs), _uses(self.function), _kept(self.function)
        self.facts = Facts(scopes, extents, self.frames, self.types, uses, kept)
        start = Frame()
        self.frames.stack.append(start)
        for v in (*self.function.params, *self.function.captured):
            self.define(v)
        body = self.block(self.function.body)
        block = Block((), (*start.out, *body.statements), body.end)
        mapping = {v: self._final(v) for v in self.renamed}
        return replace(self.function, body=substitute(block, mapping) if mapping else block)

    def _final(self, atom: Atom) -> Atom:
        while isinstance(atom, Var) and atom in self.renamed:
            atom = self.renamed[atom]
        return atom

    # -- blocks ---------------------------------------------------------------------------------

    def block(self, block: Block, branch: bool = False, zero: Iterable[Call] = ()) -> Block:
        """`zero` are the statements that the turn before has ended with, or that would have done nothing."""
        self.frames.stack.append(Frame(branch))
        for v in block.params:
            self.frames.define(v)
        region, outlines = Region(self.facts), _outlines(block)
        for s in zero:
            region.know(s)
        for k, s in enumerate(block.statements):
            if isinstance(s, Call) and s in self.outlined:
                continue
            region = self.statement(s, region, block.statements[:k])
            if isinstance(s, Call):
                self.outline(outlines.get(s.result, ()), region)
        self.flush(region)
        if block is self.function.body:
            self.lengths.update(self.short_lengths())
        frame = self.frames.stack.pop()
        return Block(block.params, tuple(frame.out), block.end)

    def define(self, var: Var) -> None:
        """Know where a value is, and see to it that it is as long as it is presumed to be."""
        self.frames.define(var)
        keys = self.facts.extents.of(var) if var in self.presumed else None
        for key, n in zip(keys or (), self.presumed.get(var, ())):
            if n is not None:
                self.frames.agree(key, n)

    def short_lengths(self) -> Iterator[tuple[Var, Lengths]]:
        """The short axes of the arrays of the function, by what holds everywhere behind them."""
        for v, home in self.frames.home.items():
            if home <= 1 and isinstance(self.types.get(v), Array):
                keys = self.frames.canonical_all(self.facts.extents.of(v) or ())
                found = tuple(n if isinstance(n, int) and 1 < n <= SHORT else None for n in keys)
                if any(found):
                    yield v, found

    def statement(self, s: Statement, region: Region, before: Sequence[Statement]) -> Region:
        """Write a statement, or leave it to the region; the region that then goes on. `before` it stand these."""
        if isinstance(s, Call):
            s = self.of_lengths(s, region)
            if region.take(s):
                self.frames.define(s.result)
                return region
            if self.waits(s, region):
                region.deferred.append(s)
                self.frames.define(s.result)
                return region
            if region.touches(atoms_of(s)) or not self.moves(s):
                self.flush(region)
                region = Region(self.facts)
            self.frames.here.out.append(s)
            self.define(s.result)
            self.counted(s)
            return region
        self.flush(region)
        match s:
            case If():
                new: Statement = replace(s, then=self.block(s.then, True), orelse=self.block(s.orelse, True))
            case For():
                new = replace(s, body=self.block(s.body, zero=zeroed(s, before, self.facts, self.effects)))
            case While():
                new = replace(s, body=self.block(s.body))
            case _:
                raise AssertionError("an Attempt in a specialised program")
        self.frames.here.out.append(new)
        for v in results_of(s):
            self.frames.define(v)
        self.tested(s)
        return Region(self.facts)

    def outline(self, calls: Iterable[Call], region: Region) -> None:
        """Make the outlines of a value that is computed in loops as soon as it is known, so that it need not be
        stored for them."""
        for call in calls:
            made = self.of_lengths(call, region)
            if made is not call:
                self.frames.here.out.append(made)
                self.frames.define(call.result)
                self.outlined.add(call)

    def tested(self, s: Statement) -> None:
        """Behind a test that leaves where two arrays share memory they are known not to."""
        made = self.facts.extents.defs.get(s.test) if isinstance(s, If) and isinstance(s.test, Var) else None
        if made is not None and isinstance(s, If) and isinstance(s.orelse.end, Raise) and isinstance(made.fn, Const):
            if made.fn.value is disjoint:
                self.frames.here.apart.add(frozenset(a for a in made.args if isinstance(a, Var)))

    def counted(self, call: Call) -> None:
        """Behind `x, y, z = rows` there are three rows."""
        if called(call) is ops.expect_length and len(call.args) == 2 and isinstance(call.args[1], Const):
            keys = self.facts.extents.of(call.args[0])
            if keys:
                self.frames.agree(keys[0], call.args[1].value)

    def of_lengths(self, call: Call, region: Region) -> Call:
        """A call that takes no more of an array than its lengths, as one of these lengths."""
        fn = call.fn.value if isinstance(call.fn, Const) else None
        if fn not in (np.zeros_like, memory.outline) or len(call.args) != 1 or call.kwargs:
            return call
        (x,) = call.args
        keys, t = self.facts.extents.of(x), type_of(x, self.types)
        if keys is None or not isinstance(x, Var) or not isinstance(t, Array):
            return call
        if x not in region.owners if fn is memory.outline else not self.is_kept(x):
            return call
        if any(v is x or v not in self.frames.home for v in vars_in(keys)):
            return call
        self.facts.uses[x] -= 1
        shape = self.frames.shape(self.frames.here, self.frames.canonical_all(keys))
        return replace(call, fn=Const(np.zeros if fn is np.zeros_like else outlined), args=(shape, Const(t.dtype)))

    def is_kept(self, x: Var) -> bool:
        """Whether an array is an item of a list, of which only the lengths may be wanted."""
        made = self.facts.extents.defs.get(x)
        return made is not None and bool(made.args) and isinstance(type_of(made.args[0], self.types), Seq)

    def waits(self, call: Call, region: Region) -> bool:
        """Whether a call keeps an array in a list or a tuple: by reference, so that it may as well do so behind the
        region, whatever is written into the array until then."""
        fn = call.fn.value if isinstance(call.fn, Const) else None
        if fn is ops.build_tuple:
            return region.touches(call.args) and all(isinstance(type_of(a, self.types), Array) for a in call.args)
        if fn is not ops.push or len(call.args) != 2:
            return False
        return bool(region.calls) and isinstance(type_of(call.args[1], self.types), Array)

    def moves(self, call: Call) -> bool:
        """Whether a call may stand in front of the region as well: it reads and writes no array."""
        fn = call.fn.value if isinstance(call.fn, Const) else None
        if not self.effects.pure(call):
            return False
        given = [type_of(a, self.types) for a in (*call.args, *(a for _, a in call.kwargs))]
        if fn is operator.getitem and isinstance(given[0], (Seq, ListT, TupleT)):  # gives an item, as it is
            given = given[1:]
        return fn in SHAPE_ONLY or fn in BY_REFERENCE or not any(map(may_hold_arrays, given))

    # -- regions --------------------------------------------------------------------------------

    def flush(self, region: Region) -> None:
        """Write what the region has gathered."""
        self.write(region)
        self.frames.here.out.extend(region.deferred)
        self.facts.fresh.clear()

    def write(self, region: Region) -> None:
        out = self.frames.here.out
        if not self.pays(region):
            out.extend(region.drop())
            return
        live, views = self.live(region)
        if not self.laid_out(region, live):
            out.extend(region.drop())
            return
        self.renamed.update(region.renamed)
        region, live, own = self.unrolled(region, live)
        plan = self.plan(region, live)
        for nest in plan.nests:
            align(plan, nest)
        plan.nests[:] = [nest for nest in plan.nests if nest.rows]
        own += self.memory(plan, live)
        out.extend(views)
        buffers: dict[Item, Var] = {}
        for item in plan.place:
            if item in plan.rowed and item not in plan.stored and isinstance(item, Compute):
                buffers[item] = Var("row")
                self.types[buffers[item]] = buffer_type(item.dtype, item.space[-1:])
                self.frames.array(buffers[item], item.space[-1:], False)
        writer, before = Writer(self.frames, plan, buffers), len(out)
        for nest in plan.nests:
            writer.write(nest)
        dead = unread(out[before:], own)
        for frame in self.frames.stack if dead else ():
            frame.out[:] = without(frame.out, dead)

    def pays(self, region: Region) -> bool:
        """Whether loops are worth it: several statements, and not all of them copies of whole arrays."""
        items = [i for i in region.items if not is_known(i)]
        computing = [i for i in items if cost(i.value) or not isinstance(i, Compute) and i.fn is not None]
        computing += [i for i in items if isinstance(i.call.fn, Const) and i.call.fn.value is np.stack]
        return bool(computing) and len({i.call for i in items}) >= self.least

    def live(self, region: Region) -> tuple[set[Item], list[Call]]:
        """The temporaries whose memory others read, and the views that others read."""
        left: Counter[Var] = Counter()
        for call in region.calls:
            left[call.result] = self.facts.uses[call.result]
        left.subtract(region.read)
        views: list[Call] = []
        for call in reversed(region.calls):
            needed = left[call.result] > 0
            if call.result in region.renamed:
                old = region.renamed[call.result]
                if needed and isinstance(old, Var):
                    left[old] += left[call.result]
            elif call in region.views and needed:
                views.append(call)
            elif call in region.views:
                left.subtract(a for a in call.args if isinstance(a, Var))
        return {item for var, item in region.owners.items() if left[var] > 0}, views[::-1]

    def laid_out(self, region: Region, live: set[Item]) -> bool:
        """Whether arrays that others read have axes in the order in which NumPy would lay them out; a guard
        sees to it that their operands have. Where what is a view depends on it, it can be told."""
        bases: dict[Var, None] = {}
        for item in (i for i in region.items if i in live):  # in their order: the text is to be the same each time
            if len(item.space) < 2 or item.role == "adjoint":
                continue
            for index, base in _operands(item, region):
                loops = [a.loop for a in index if a.loop is not None]
                if loops != sorted(loops):
                    return False
                if len(loops) > 1:
                    bases[base] = None
        for base in bases:
            self.frames.ordered(base)
        return True

    def plan(self, region: Region, live: set[Item]) -> Plan:
        facts, frames = self.facts, self.frames
        plan = Plan(facts.apart, facts.near, frames.part, region.space_of, frames.settled, stored=set(live))
        needed = _needed(region, live)
        for k, item in enumerate(region.items):
            self.demand(plan, region, k, needed)
            if item not in needed:
                continue
            if isinstance(item, Store):
                cone = set(plan.cone(item))
                for other in region.items[:k]:
                    if other in needed and other not in cone and other not in plan.place:
                        if not isinstance(other, Store) and region.reads(other, item.view.base):
                            plan.add(other)
                plan.add(item)
            elif isinstance(item, Reduce):
                plan.add(item)
        self.demand(plan, region, len(region.items), needed)
        for item in region.items:
            if item in live:
                plan.add(item)
        return plan

    def demand(self, plan: Plan, region: Region, k: int, needed: set[Item]) -> None:
        for item, at in region.demanded.items():
            if at == k and item in needed:
                plan.stored.add(item)
                plan.add(item)

    def unrolled(self, region: Region, live: set[Item]) -> tuple[Region, set[Item], list[Var]]:
        """The region with short axes written out where that pays, and arrays that nobody else reads."""
        short = unrolled(region, _needed(region, live), live)
        if short is None:
            return region, live, []
        for var, (space, read) in short.arrays.items():
            self.frames.array(var, space, read)
        return short.region, short.live, [var for var, (_, read) in short.arrays.items() if not read]

    def memory(self, plan: Plan, live: set[Item]) -> list[Var]:
        """Arrays for temporaries that need memory: those that nobody else reads are made once, in
        front of the loops. Which these are."""
        own: list[Var] = []
        for item in plan.place:
            if isinstance(item, Compute):
                space = item.space
            elif isinstance(item, Reduce) and item.last:
                space = item.extents
            else:
                continue
            if item in plan.stored:
                self.frames.array(item.var, space, item in live)
                own += [] if item in live else [item.var]
        return own


def may_hold_arrays(t: Type) -> bool:
    """Whether a call that is given a value of this type may read elements of arrays."""
    if isinstance(t, (TupleT, ListT)):
        return any(map(may_hold_arrays, t.items))
    if isinstance(t, Seq):
        return may_hold_arrays(t.item)
    if isinstance(t, Known):
        return isinstance(t.value, (np.ndarray, tuple, list, dict))
    return not isinstance(t, (Scalar, RangeT, SliceT))


def _needed(region: Region, live: set[Item]) -> set[Item]:
    """The items that somebody reads, or that write."""
    out: set[Item] = set()
    memory_of = {item.var: item for item in region.owners.values()}
    work: list[Item] = [*live, *(i for i in region.items if isinstance(i, Store))]
    while work:
        item = work.pop()
        if item in out:
            continue
        out.add(item)
        work.extend(values_of(item))
        work.extend(memory_of[base] for base in _bases(item) if base in memory_of)
    return out


def _operands(item: Item, region: Region) -> list[tuple[Index, Var]]:
    """The arrays from which an item is computed, with where they are read."""
    out: list[tuple[Index, Var]] = []
    work: list[Item] = [item]
    seen: set[Item] = set()
    rows = {i.view.base: i for i in region.items if isinstance(i, Store) and i.call.result is i.view.base}
    while work:
        made = work.pop()
        if not isinstance(made, Store) and made.var in rows:
            made = rows[made.var]
        if made in seen:
            continue
        seen.add(made)
        for e in leaves_of(made.value):
            if isinstance(e, Load) and e.base in region.owners:
                work.append(region.owners[e.base])
            elif isinstance(e, Load):
                out.append((e.index, e.base))
            elif isinstance(e, Value):
                work.append(e.item)
    return out


def _bases(item: Item) -> list[Var]:
    return [base for base, _, _ in accesses(item)]


def _kept(function: Function) -> frozenset[Var]:
    """What goes into lists."""
    pushed = (s.args[1] for s in statements_of(function.body) if isinstance(s, Call) and called(s) is ops.push)
    return frozenset(v for v in pushed if isinstance(v, Var))


def _uses(function: Function) -> Counter[Var]:
    """How often each value is read."""
    return Counter({v: len(found) for v, found in readers_of(function.body).items()})
