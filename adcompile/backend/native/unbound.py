"""Values that some paths leave unbound, or for which they have None: a kernel has something in their place, and beside
it whether they are there.

What reads one that is not there is an error of the function: the kernel is left, and NumPy's code raises it. What comes
out of the kernel and is None is None again.
"""

from __future__ import annotations

from collections.abc import Callable

from adcompile.backend.undefined import is_undefined
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, For, Function, If, Var, While, Yield
from adcompile.ir.walk import all_blocks, statements_of
from adcompile.optimise.typing import hashable


def unbound(function: Function) -> frozenset[Var]:
    """The values that may not be bound."""
    return _reached(function, is_undefined)


def absent(function: Function) -> frozenset[Var]:
    """The values that may not be there: unbound, or None."""
    return _reached(function, lambda value: is_undefined(value) or isinstance(value, Const) and value.value is None)


def _reached(function: Function, begins: Callable[[Atom], bool]) -> frozenset[Var]:
    """What such a value may get to by another name."""
    flows: dict[Var, list[Var]] = {}
    work: list[Var] = []
    for into, value in _edges(function.body):
        if begins(value):
            work.append(into)
        elif isinstance(value, Var):
            flows.setdefault(value, []).append(into)
    found: set[Var] = set()
    while work:
        var = work.pop()
        if var not in found:
            found.add(var)
            work += flows.get(var, ())
    return frozenset(found)


def _edges(body: Block) -> list[tuple[Var, Atom]]:
    out: list[tuple[Var, Atom]] = []
    for s in statements_of(body):
        match s:
            case If():
                for end in (s.then.end, s.orelse.end):
                    if isinstance(end, Yield):
                        out += zip(s.results, end.values)
            case Call(result=result, fn=Const(value=ops.identity), args=(value,)):
                out.append((result, value))
            case For() | While():
                params = s.body.params[isinstance(s, For) :]
                out += [*zip(params, s.init), *zip(s.results, params)]
                for block in all_blocks(s.body):  # those of loops inside as well: more than there is, never less
                    if isinstance(block.end, (Continue, Break)):
                        out += zip(params, block.end.values)
            case _:
                pass
    return out


def reads(call: Call, handing_on: frozenset[object]) -> list[Var]:
    """The values that a call looks at."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if call.role != "primal" or hashable(fn) and fn in handing_on:
        return []
    return [a for a in (*call.args, *(v for _, v in call.kwargs)) if isinstance(a, Var)]
