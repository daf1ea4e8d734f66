"""Numbers whose class is decided at run time: `total = 0.0` that a loop adds NumPy numbers to is a float if the
loop runs zero times. Where such a number is a result, the kernel computes its class beside it."""

from __future__ import annotations

import operator
from collections.abc import Mapping

from adcompile.backend.native.scalars import SYMBOLS
from adcompile.backend.native.values import ORDER
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Break, Call, Const, Continue, For, Function, If, Raise, Return, Var, While, Yield
from adcompile.ir.types import Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms, statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.typing import INPLACE, kinds, type_of

KEEPING = frozenset({*SYMBOLS, *INPLACE, operator.neg, operator.pos, operator.abs, abs, ops.identity})
"""Calls whose result has the last of the classes of their operands."""

TESTS = (operator.not_, operator.truth, bool)


def is_undecided(atom: Atom, types: Mapping[Var, Type]) -> bool:
    """Whether a number may have several classes."""
    found = kinds(type_of(atom, types))
    return len(found) > 1 and found <= set(ORDER)


def undecided(function: Function, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The numbers whose class decides that of a result."""
    sources = _sources(function)
    end = function.body.end
    work: list[Atom] = [end.value] if isinstance(end, Return) else []
    out: set[Var] = set()
    seen: set[Var] = set()
    while work:
        atom = work.pop()
        if not isinstance(atom, Var) or atom in seen:
            continue
        seen.add(atom)
        if is_undecided(atom, types):
            out.add(atom)
            work += sources.get(atom, ())
        elif atom in sources and _is_display(atom, function):
            work += sources[atom]
    return frozenset(out)


def tested(function: Function) -> frozenset[Var]:
    """The values that several paths give of which nobody asks more than whether they are true."""
    calls = {s.result: s for s in statements_of(function.body) if isinstance(s, Call)}
    sources = {v: found for v, found in _sources(function).items() if v not in calls}
    read: set[Atom] = {a for s in calls.values() if called(s) not in TESTS for a in atoms_of(s)}
    for block in all_blocks(function.body):
        read |= {s.iterable for s in block.statements if isinstance(s, For)}
        if isinstance(block.end, (Return, Raise)):
            read |= set(end_atoms(block.end))
    work = [v for v in read if isinstance(v, Var)]
    while work:
        for a in sources.get(work.pop(), ()):
            if isinstance(a, Var) and a not in read:
                read.add(a)
                work.append(a)
    return frozenset(set(sources) - read)


def _is_display(var: Var, function: Function) -> bool:
    made = next((s for s in function.body.statements if isinstance(s, Call) and s.result is var), None)
    return made is not None and isinstance(made.fn, Const) and made.fn.value is ops.build_tuple


def _sources(function: Function) -> dict[Var, list[Atom]]:
    """What each value comes from."""
    out: dict[Var, list[Atom]] = {}
    for s in statements_of(function.body):
        match s:
            case Call():
                out[s.result] = list(s.args)
            case If():
                for block in (s.then, s.orelse):
                    if isinstance(block.end, Yield):
                        for r, v in zip(s.results, block.end.values):
                            out.setdefault(r, []).append(v)
            case For() | While():
                params = s.body.params[isinstance(s, For) :]
                for r, p, v in zip(s.results, params, s.init):
                    out[r], out[p] = [p], [v]
                for block in all_blocks(s.body):
                    if isinstance(block.end, (Continue, Break)):
                        for p, v in zip(params, block.end.values):
                            out[p].append(v)  # of loops inside, too: more than there is, never less
            case _:
                pass
    return out
