"""What functions read of modules, and of objects in them, read in front of the kernels that cannot.

Nothing that a kernel can hold binds a name or an attribute: they mean the same all the way through. That they are there
is what the guards have found before the function began.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, If, Return, Signature, Statement, Var, While
from adcompile.ir.program import FunctionRef
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects

Caller = Callable[[Var, FunctionRef], Function]


def without_reads(statements: Sequence[Statement], effects: Effects) -> tuple[list[Statement], list[Call]]:
    """Statements without their reads of names of modules, and of the data of what has these names; and the reads, to
    stand in front."""
    reads: list[Call] = []
    return _without(statements, effects, reads), reads


def _without(statements: Sequence[Statement], effects: Effects, reads: list[Call]) -> list[Statement]:
    out: list[Statement] = []
    for s in statements:
        match s:
            case Call() if _is_read(s, effects, reads):
                reads.append(s)
            case If():
                then, orelse = (_block(b, effects, reads) for b in (s.then, s.orelse))
                out.append(s if then is s.then and orelse is s.orelse else replace(s, then=then, orelse=orelse))
            case For() | While():
                body = _block(s.body, effects, reads)
                out.append(s if body is s.body else replace(s, body=body))
            case _:
                out.append(s)
    return out


def _block(block: Block, effects: Effects, reads: list[Call]) -> Block:
    before = len(reads)
    rest = _without(block.statements, effects, reads)
    return replace(block, statements=tuple(rest)) if len(reads) > before else block


def _is_read(call: Call, effects: Effects, reads: Sequence[Call]) -> bool:
    if called(call) is ops.load_global:
        return True
    owner = call.args[0] if effects.reads_data(call) else None
    return isinstance(owner, Const) or any(owner is r.result for r in reads)


def rest_of(function: Function, effects: Effects) -> tuple[Function, Atom, Caller] | None:
    """All of a function but what it reads of modules, as a function that is given that too; its result; and what makes
    the function that reads and calls this one, for a name of the result and a reference. None: nothing is read."""
    rest, reads = without_reads(function.body.statements, effects)
    end = function.body.end
    if not reads or not isinstance(end, Return):
        return None
    given = (*function.params, *function.captured, *(r.result for r in reads))
    body = replace(function.body, statements=tuple(rest))
    inner = Function(f"{function.name}_inside", given, (), body, Signature(), function.place)

    def calling(result: Var, ref: FunctionRef) -> Function:
        statements = (*reads, Call(result, Const(ref), given))
        return replace(function, body=Block(function.body.params, statements, Return(result)))

    return inner, end.value, calling
