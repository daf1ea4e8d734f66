"""What a pullback does not read is not kept: the slots of the tuple that its forward function hands it.

What must be kept is decided before the optimiser has seen the pullback; a test that chose between
equals, or a value that a rule read and a rewrite did not, is then kept for nobody. Nor is a range or a slice
between constants, or a view of an array that is kept too: the pullback makes them itself. (What is kept and is
not its own memory is copied for a caller who may write into it, each view anew.) Of an array that the pullback
reads for its shape alone the outline is kept, which has no memory.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, MutableMapping
from dataclasses import replace

from adcompile.analysis.views import VIEWS, fn_of, item_kind
from adcompile.autodiff.outline import outlined, read_for_shape
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Function, If, Return, Statement, Var, Yield
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.types import Array, TupleT, Type
from adcompile.ir.walk import Rewriter, all_blocks, atoms_of, blocks_of, end_atoms, results_of
from adcompile.optimise.typing import type_of

MOST = 4
"""Calls that give one value again: views of views."""


def read_slots(program: Program) -> tuple[Program, Mapping[FunctionRef, tuple[int, ...]]]:
    """The program without slots that nobody reads, and by forward function the slots that are left.

    A pullback takes its tuple apart in its first line.
    """
    functions, types = dict(program.functions), dict(program.types)
    slots: dict[FunctionRef, tuple[int, ...]] = {}
    for ref in list(functions):
        forward = ref.forward
        if forward is None or forward not in functions or is_read_elsewhere(program, functions[ref]):
            continue
        kept, reads = tuple_of(functions[forward]), _reads(functions[ref])
        if kept is None or reads is None:
            continue
        whole = _whole(functions[ref], reads, types)
        again = _again(functions[forward], kept, frozenset(reads.values()), whole, types)
        order = _order(functions[forward])
        numbers = [order.get(a, -1) for a in kept.args]
        slots[forward] = tuple(sorted({*reads.values()} - {*again}, key=numbers.__getitem__))
        shaped = {*reads.values()} - whole
        outlines = frozenset(k for k in shaped if isinstance(type_of(kept.args[k], types), Array))
        functions[forward] = _keeping(functions[forward], kept, slots[forward], outlines, types)
        functions[ref] = _apart(functions[ref], reads, slots[forward], kept, again, outlines, types)
    return replace(program, functions=functions, types=types), slots


def is_read_elsewhere(program: Program, pullback: Function) -> bool:
    """Whether there are functions that may get the same tuple: derivatives of the pullback, which tell its slots
    by their numbers too."""
    store = program.types[pullback.params[0]]
    others = (function for ref, function in program.functions.items() if ref.forward is None)
    return any(program.types.get(p) == store for function in others for p in function.params)


def tuple_of(forward: Function) -> Call | None:
    """The call that makes what is kept: the last item of what a forward function returns."""
    if not isinstance(forward.body.end, Return):
        return None
    made = {s.result: s for s in forward.body.statements if isinstance(s, Call)}
    whole = _built(made, forward.body.end.value)
    return None if whole is None else _built(made, whole.args[-1])


def _whole(pullback: Function, reads: Mapping[Var, int], types: Mapping[Var, Type]) -> frozenset[int]:
    """The slots that the pullback does not read for their shapes alone."""
    shaped = read_for_shape(pullback.body, types)
    return frozenset(k for v, k in reads.items() if v not in shaped)


def _again(
    forward: Function, kept: Call, read: frozenset[int], whole: frozenset[int], types: Mapping[Var, Type]
) -> dict[int, tuple[Call, ...]]:
    """By slot that is read: the calls, of constants and of what other slots hold, that the pullback makes in its
    place; `whole` are those that are not read for their shapes alone."""
    slots = {kept.args[k] for k in whole}
    found: dict[Atom, tuple[Call, ...]] = {}
    for s in forward.body.statements:
        if not isinstance(s, Call) or not isinstance(s.fn, Const) or not all(isinstance(a, Const) for _, a in s.kwargs):
            continue
        view = is_view(s, types)
        base = s.args[0] if view and s.args[0] not in found and s.args[0] in slots else None
        given = [a for a in s.args if isinstance(a, Var) and a is not base]
        if (view or fn_of(s) in (range, slice, ops.build_tuple)) and all(a in found for a in given):
            calls = (*(call for a in given for call in found[a]), s)
            found.update({s.result: calls} if len(calls) <= MOST else {})
    slot = {k: a for k, a in enumerate(kept.args) if a in found and k in read}
    again = {k: found[a] for k, a in slot.items() if k in whole or not isinstance(type_of(a, types), Array)}
    met = {call.result for calls in again.values() for call in calls}
    return again | {k: found[a] for k, a in slot.items() if a in met}


def is_view(s: Call, types: Mapping[Var, Type]) -> bool:
    """Whether a call gives another array of its first argument's memory, whatever the layout of that."""
    t = types.get(s.result)
    if not s.args or not isinstance(t, Array) or not t.dims or not isinstance(type_of(s.args[0], types), Array):
        return False
    if fn_of(s) is operator.getitem:
        return item_kind(s, types) == "view"
    return fn_of(s) in VIEWS


def _order(function: Function) -> dict[Atom, int]:
    """The number of each value in the order of definitions, of the results of an If that of what a
    branch yields: what is kept gets the same names on both sides."""
    order: dict[Atom, int] = {v: k for k, v in enumerate(function.params)}
    _number(function.body, order)
    return order


def _number(block: Block, order: dict[Atom, int]) -> None:
    for s in block.statements:
        for inner in blocks_of(s):
            _number(inner, order)
        yields = [inner.end.values for inner in blocks_of(s) if isinstance(inner.end, Yield)]
        for k, r in enumerate(results_of(s)):
            yielded = [order[values[k]] for values in yields if values[k] in order] if isinstance(s, If) else []
            order[r] = min(yielded, default=len(order))


def _built(made: Mapping[Var, Call], atom: Atom) -> Call | None:
    call = made.get(atom) if isinstance(atom, Var) else None
    is_tuple = call is not None and isinstance(call.fn, Const) and call.fn.value is ops.build_tuple
    return call if is_tuple else None


def _reads(pullback: Function) -> dict[Var, int] | None:
    """Which slot each value is; None if the tuple is read in another way than by numbers."""
    store = pullback.params[0]
    out: dict[Var, int] = {}
    for block in all_blocks(pullback.body):
        for s in block.statements:
            if store not in atoms_of(s):
                continue
            if not isinstance(s, Call) or not isinstance(s.fn, Const) or s.fn.value is not operator.getitem:
                return None
            if s.args[0] is not store or not isinstance(s.args[1], Const):
                return None
            out[s.result] = s.args[1].value
        if store in end_atoms(block.end):
            return None
    return out


def _keeping(
    forward: Function,
    kept: Call,
    slots: tuple[int, ...],
    outlines: frozenset[int],
    types: MutableMapping[Var, Type],
) -> Function:
    """The forward function with only these slots in the tuple it keeps, of some the outlines."""
    store = Var("kept", kept.result.place)
    types[store] = TupleT(tuple(type_of(kept.args[k], types) for k in slots))
    made = {k: outlined(v, v, types, {}) for k in sorted(outlines) if isinstance(v := kept.args[k], Var)}
    args = tuple(made[k].result if k in made else kept.args[k] for k in slots)
    smaller = replace(kept, result=store, args=args)
    statements: list[Statement] = []
    for s in forward.body.statements:
        statements.append(s)
        if s is kept:  # an empty tuple may be somebody else's too
            statements += [*made.values(), smaller]
        elif isinstance(s, Call) and s.result is forward.body.end.value:  # type: ignore[union-attr]
            statements[-1] = replace(s, args=(*s.args[:-1], store))
    return replace(forward, body=replace(forward.body, statements=tuple(statements)))


def _apart(
    pullback: Function,
    reads: Mapping[Var, int],
    slots: tuple[int, ...],
    kept: Call,
    again: Mapping[int, tuple[Call, ...]],
    outlines: frozenset[int],
    types: MutableMapping[Var, Type],
) -> Function:
    """The pullback with its tuple taken apart at the beginning, and what it makes itself made of the items."""
    if not reads:
        return pullback
    first = {k: v for v, k in reversed([*reads.items()])}
    store = pullback.params[0]
    items = TupleT(tuple(types[first[k]] for k in slots))
    whole = store
    head: list[Statement] = []
    if len(slots) > 1:
        whole = Var("t")
        types[whole] = items
        head.append(Call(whole, Const(ops.unpack), (store, Const(len(slots))), role="adjoint"))
    for position, k in enumerate(slots):
        head.append(Call(first[k], Const(operator.getitem), (whole, Const(position)), role="adjoint"))
    own = {kept.args[k]: first[k] for k in again}
    # what is read for its shape alone is not there
    there: dict[Atom, Var] = {kept.args[k]: first[k] for k in slots if k not in outlines}
    for call in (call for k in sorted(again) for call in again[k] if call.result not in there):
        there[call.result] = own.get(call.result) or _new(call.result, types)
        args = tuple(there.get(a, a) for a in call.args)
        head.append(replace(call, result=there[call.result], args=args, role="adjoint"))
    read = {v: there[kept.args[k]] if kept.args[k] in there else first[k] for v, k in reads.items()}
    body = _Reading(read).block(pullback.body)
    return replace(pullback, body=Block(body.params, (*head, *body.statements), body.end))


def _new(var: Var, types: MutableMapping[Var, Type]) -> Var:
    made = Var(var.name, var.place)
    types[made] = types[var]
    return made


class _Reading(Rewriter):
    """Reads the items where the tuple was read."""

    def __init__(self, items: Mapping[Var, Var]) -> None:
        self.items = items

    def atom(self, atom: Atom) -> Atom:
        return self.items.get(atom, atom) if isinstance(atom, Var) else atom

    def call(self, call: Call) -> tuple[Statement, ...]:
        return () if call.result in self.items else (call,)
