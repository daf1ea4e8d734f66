"""The passes, in order, and the loop that runs them until they rest.

Every pass takes valid typed IR and returns valid typed IR of the same meaning: bit-exact for
primal statements, up to rounding for adjoints and tangents. A pass may add types of new Vars to
the optimiser's own copy of the types; it writes into nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from adcompile.frozen import frozen
from adcompile.ir.nodes import Block, Const, Function, Var, Yield
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms
from adcompile.optimise.algebra import algebra
from adcompile.optimise.copies import copies
from adcompile.optimise.cse import cse
from adcompile.optimise.dce import dce
from adcompile.optimise.effects import Effects, Summary, summarise
from adcompile.optimise.fold import fold
from adcompile.optimise.sharing import Sharing, sharing


@dataclass(frozen=True)
class Unit:
    """What a pass works on: types (which it may add to) and the program's functions."""

    types: MutableMapping[Var, Type]
    summaries: Mapping[FunctionRef, Summary] = field(default_factory=dict[FunctionRef, Summary])

    shared: list[tuple[Block, Sharing]] = field(default_factory=list[tuple[Block, Sharing]])

    @cached_property
    def effects(self) -> Effects:
        return Effects(self.types, self.summaries)

    def sharing(self, block: Block) -> Sharing:
        """Who shares memory in this block; kept for the next pass if this one changes nothing."""
        if not self.shared or self.shared[0][0] is not block:
            self.shared[:] = [(block, sharing(block, self.effects))]
        return self.shared[0][1]


@frozen
class Pass:
    """A named rewrite of a block; `run` returns the same object if there was nothing to do."""

    name: str
    run: Callable[[Block, Unit], Block]


def _copies(block: Block, unit: Unit) -> Block:
    return copies(block, unit.types)


def _fold(block: Block, unit: Unit) -> Block:
    return fold(block, unit.types, unit.effects, unit.sharing(block))


def _algebra(block: Block, unit: Unit) -> Block:
    return algebra(block, unit.types, unit.effects, unit.sharing(block))


def _cse(block: Block, unit: Unit) -> Block:
    return cse(block, unit.types, unit.effects, unit.sharing(block))


def _dce(block: Block, unit: Unit) -> Block:
    return dce(block, unit.effects)


PASSES: tuple[Pass, ...] = (
    Pass("copies", _copies),
    Pass("fold", _fold),
    Pass("dce", _dce),
    Pass("algebra", _algebra),
    Pass("cse", _cse),
    Pass("dce", _dce),
)

DEAD: tuple[Pass, ...] = (Pass("dce", _dce),)
"""For what has lost its readers after all."""

ROUNDS = 8
"""Rounds are bounded; programs come to rest in two or three."""


def optimise(program: Program, passes: tuple[Pass, ...] = PASSES) -> Program:
    """The program with every function optimised, and without functions nobody calls any more.

    >>> import operator
    >>> from adcompile.ir.nodes import Call, Return, Signature
    >>> from adcompile.ir.show import show
    >>> from adcompile.ir.types import FLOAT
    >>> x, t, y = Var("x"), Var("t"), Var("y")
    >>> statements = (
    ...     Call(t, Const(operator.neg), (x,), role="adjoint"),
    ...     Call(y, Const(operator.sub), (Const(0.0), t), role="adjoint"),
    ... )
    >>> f = FunctionRef("f")
    >>> before = Function("f", (x,), (), Block((), statements, Return(y)), Signature(("x",)))
    >>> program = Program(f, {f: before}, {x: FLOAT, t: FLOAT, y: FLOAT})
    >>> print(show(before), show(optimise(program).functions[f]), sep="")
    function f(x):
        t = operator.neg(x)
        y = operator.sub(0.0, t)
        return y
    function f(x):
        return x
    <BLANKLINE>
    """
    return large_stack(_optimise, program, passes)


def _optimise(program: Program, passes: tuple[Pass, ...]) -> Program:
    types = dict(program.types)
    unit = Unit(types, summarise(program.functions, types))
    functions = {ref: _function(function, unit, passes) for ref, function in program.functions.items()}
    functions = _called(program.entry, functions)
    return replace(program, functions=functions, types=types)


def _function(function: Function, unit: Unit, passes: tuple[Pass, ...]) -> Function:
    body = run_passes(function.body, unit, passes)
    return function if body is function.body else replace(function, body=body)


def run_passes(block: Block, unit: Unit, passes: tuple[Pass, ...] = PASSES) -> Block:
    """Run the passes over a block until none finds anything to do, at most ROUNDS times."""
    idle: set[str] = set()  # passes that have nothing to do in this block
    for p in passes * ROUNDS:
        if p.name in idle:
            continue
        new = p.run(block, unit)
        idle = {*idle, p.name} if new is block else set()
        block = new
        if len(idle) == len({p.name for p in passes}):
            break
    return block


def optimise_block(
    block: Block,
    types: MutableMapping[Var, Type],
    live_out: Iterable[Var],
    summaries: Mapping[FunctionRef, Summary] | None = None,
) -> Block:
    """A block of straight statements optimised for those who read `live_out` after it.

    Its end is `Yield` of what then holds these values, in their order; types of new Vars are
    added to `types`.
    """
    assert isinstance(block.end, Yield)
    whole = Block(block.params, block.statements, Yield((*block.end.values, *live_out)))
    return large_stack(run_passes, whole, Unit(types, summaries or {}), PASSES)


def _called(entry: FunctionRef, functions: dict[FunctionRef, Function]) -> dict[FunctionRef, Function]:
    """The functions that the entry still reaches, in their old order; the pullback of a split
    derivative is one that the caller reaches."""
    reached: set[FunctionRef] = set()
    work = [entry, *(ref for ref in functions if ref.forward is entry)]
    while work:
        ref = work.pop()
        if ref in reached:
            continue
        reached.add(ref)
        for block in all_blocks(functions[ref].body):
            atoms = [a for s in block.statements for a in atoms_of(s)]
            atoms += end_atoms(block.end)
            work += [a.value for a in atoms if isinstance(a, Const) and isinstance(a.value, FunctionRef)]
    return {ref: function for ref, function in functions.items() if ref in reached}
