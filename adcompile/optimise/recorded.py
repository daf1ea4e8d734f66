"""What the reverse of a step does not read is not recorded: the items of what `rt.run_back` gives.

What must be recorded is decided before the optimiser has seen the reverse loop. It takes the items
apart in its first line, as a pullback does with what is kept for it (optimise/kept).
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, Return, Statement, Var
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.types import TupleT, Type
from adcompile.ir.walk import Rewriter, atoms_of, end_atoms, statements_of
from adcompile.optimise.typing import type_of
from adcompile.runtime.checkpoints import run_back


@frozen
class Reading:
    """A reverse loop's use of the items: what takes them apart (if there are several), and the
    number of each that is read."""

    element: Var
    apart: Call | None
    items: Mapping[Var, int]


def read_items(program: Program) -> Program:
    """The program without items that nobody reads; the same object if all are read."""
    functions, types = dict(program.functions), dict(program.types)
    changed = False
    for ref in list(functions):
        for loop, record in _loops(functions[ref]):
            reading = _reading(loop)
            made = _recorded(functions[record])
            if reading is None or made is None:
                continue
            used = sorted(set(reading.items.values()))
            if len(used) == sum(len(call.args) for call in made):
                continue
            functions[record] = _smaller(functions[record], made, used, types)
            rewriter = _Renumbered(reading, {k: n for n, k in enumerate(used)})
            functions[ref] = replace(functions[ref], body=rewriter.block(functions[ref].body))
            t = types[reading.element]
            assert isinstance(t, TupleT)
            items = TupleT(tuple(t.items[k] for k in used))
            types.update((v, items) for v in (reading.element, *([reading.apart.result] if reading.apart else ())))
            changed = True
    return replace(program, functions=functions, types=types) if changed else program


def _loops(function: Function) -> list[tuple[For, FunctionRef]]:
    """The loops that go back through recorded steps, and the functions that record them."""
    made: dict[Atom, Call] = {}
    found: list[tuple[For, FunctionRef]] = []
    for s in statements_of(function.body):
        if isinstance(s, Call) and isinstance(s.fn, Const) and s.fn.value is run_back:
            made[s.result] = s
        if isinstance(s, For) and s.iterable in made:
            record = made[s.iterable].args[1]
            assert isinstance(record, Const)
            found.append((s, record.value))
    return found


def _reading(loop: For) -> Reading | None:
    """How a loop's body reads its element; None if in another way than by numbers."""
    element, apart = loop.body.params[0], None
    items: dict[Var, int] = {}
    for s in statements_of(loop.body):
        sources = (element,) if apart is None else (element, apart.result)
        if not any(v in atoms_of(s) for v in sources):
            continue
        if not isinstance(s, Call) or not isinstance(s.fn, Const):
            return None
        if s.fn.value is ops.unpack and s.args[0] is element and apart is None:
            apart = s
        elif s.fn.value is operator.getitem and s.args[0] in sources and isinstance(s.args[1], Const):
            items[s.result] = s.args[1].value
        else:
            return None
    return None if element in end_atoms(loop.body.end) else Reading(element, apart, items)


def _recorded(function: Function) -> tuple[Call, Call] | None:
    """The calls that make the tuples of values and of shadows that a function records."""
    made = {s.result: s for s in function.body.statements if isinstance(s, Call)}
    end = function.body.end
    whole = made.get(end.value) if isinstance(end, Return) and isinstance(end.value, Var) else None
    if whole is None or len(whole.args) != 3:
        return None
    values, shadows = (made.get(a) if isinstance(a, Var) else None for a in whole.args[1:])
    return None if values is None or shadows is None else (values, shadows)


def _smaller(
    function: Function, made: tuple[Call, Call], used: list[int], types: dict[Var, Type]
) -> Function:
    """The function, which records these items only."""
    values, shadows = made
    count = len(values.args)
    kept = [values.args[k] for k in used if k < count], [shadows.args[k - count] for k in used if k >= count]
    fresh = [Call(Var("t", function.place), Const(ops.build_tuple), tuple(args), (), values.place) for args in kept]
    for call in fresh:
        types[call.result] = TupleT(tuple(type_of(a, types) for a in call.args))
    end = function.body.end
    assert isinstance(end, Return)
    statements: list[Statement] = []
    for s in function.body.statements:
        if isinstance(s, Call) and s.result is end.value:
            statements += [*fresh, replace(s, args=(s.args[0], *(call.result for call in fresh)))]
        else:
            statements.append(s)
    return replace(function, body=Block(function.body.params, tuple(statements), end))


class _Renumbered(Rewriter):
    """Reads the items that are left by their new numbers."""

    def __init__(self, reading: Reading, numbers: Mapping[int, int]) -> None:
        self.reading, self.numbers = reading, numbers

    def call(self, call: Call) -> tuple[Statement, ...]:
        reading, several = self.reading, len(self.numbers) > 1
        if reading.apart is not None and call.result is reading.apart.result:
            return (replace(call, args=(call.args[0], Const(len(self.numbers)))),) if several else ()
        if call.result in reading.items:
            owner = reading.apart.result if several and reading.apart is not None else reading.element
            return (replace(call, args=(owner, Const(self.numbers[reading.items[call.result]]))),)
        return (call,)
