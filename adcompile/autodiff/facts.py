"""What must be known of statements before they are differentiated: activity and memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from adcompile.analysis.activity import Activity, Useful, Varied, check_detached
from adcompile.analysis.alias import Memory, effect_of
from adcompile.analysis.backdoors import check_backdoors
from adcompile.analysis.boxes import given, keeps_given
from adcompile.analysis.builder import Builder
from adcompile.analysis.invariance import without_influence
from adcompile.analysis.mutation import calls_in, check_writes
from adcompile.analysis.owned import callables_of, check_reading
from adcompile.analysis.summaries import summaries, written_arguments
from adcompile.analysis.twins import guard_apart, twins
from adcompile.analysis.views import LOST, fn_of
from adcompile.autodiff.lazily import check_lazily_read
from adcompile.autodiff.mirror import refuse_memory
from adcompile.autodiff.refusal import refuse
from adcompile.autodiff.unseen import check_stored, check_unsaid, check_unseen
from adcompile.autodiff.writes import as_write
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var, Yield
from adcompile.ir.types import Array, Seq, Unknown, differentiable
from adcompile.ir.walk import statements_of
from adcompile.rules.registry import lookup
from adcompile.runtime.marks import stop_gradient


def facts(
    b: Builder,
    statements: Sequence[Statement],
    inputs: Sequence[Var],
    outputs: Sequence[Atom],
    backwards: bool = True,
    shown: Sequence[Atom] = (),
) -> tuple[Activity, Memory]:
    """Activity of statements in the middle of a block, and the memory they write in place, or that
    is `shown`: by reference, whoever writes into it.

    Raises Unsupported for writes that are not understood and that a derivative would notice.
    """
    types = b.context.types
    block = Block((), tuple(statements), Yield(tuple(outputs)))
    still = without_influence(block, types, b.context.definition)
    varied, useful = Varied(types, b.context.definition, still), Useful(types, b.context.definition)
    varied.vars.update((*inputs, *callables_of(b, inputs)))
    looked_up = sought(b, block, inputs, outputs)
    memory = Memory(b, statements, (*inputs, *outputs), shown, looked_up)
    varied.run(block)
    while memory.written and memory.spread(varied, None):
        varied.run(block)
    for output in outputs:
        useful.add(output)
    useful.run(block)
    while memory.written and memory.spread(varied, useful):
        useful.run(block)
    check_detached(varied, useful)
    active = frozenset(varied.vars & useful.vars)
    for w in memory.written:
        check_target(b, w.call, w.target, varied)
    followed = {w.call for w in memory.written if is_followed(b, w.call, w.target)}
    by_reference = partial(
        written_arguments, known=summaries([c for s in statements for c in calls_in(s)], b.context.functions, types)
    )
    one = partial(together, b, statements)
    written = check_writes(types, statements, varied, useful, followed, looked_up, by_reference, one)
    guard_apart(b, [w.target for w in memory.written])
    if backwards:
        b.context.volatile |= written.check_reads(statements, active)
    check_reading(b, memory)
    check_unsaid(b, statements, varied, useful)
    check_stored(b, memory, varied, useful)
    check_lazily_read(b, memory, varied, useful)
    if not memory.written and not shown:
        return Activity(frozenset(varied.vars), active), memory
    unknown = memory.unfollowed(active)
    if unknown is not None:
        made = memory.definition.get(unknown)
        fn = None if made is None else fn_of(made)
        if made is not None and fn is not None and lookup(fn) is None and isinstance(b.type(unknown), Unknown):
            raise refuse(made)  # nothing is known of what it does, so that it is in the way first
        raise refuse_memory(memory.place_of(unknown) or b.place, made)
    unseen = check_backdoors(b, memory, varied, useful)
    if unseen is not None:
        raise refuse_memory(memory.place_of(unseen) or b.place, memory.definition.get(unseen))
    mirrored = memory.mirrored(active)
    check_bits(b, memory, mirrored)
    check_called(b, memory, varied)
    check_unseen(b, memory, varied, useful)
    b.context.volatile |= memory.volatile() | stopped(memory, varied)
    return Activity(frozenset(varied.vars), active, mirrored), memory


def together(b: Builder, statements: Sequence[Statement]) -> list[Sequence[Atom]]:
    """Names of one live container or object, and arrays of objects with what they are made of."""
    made = [c for s in statements for c in calls_in(s) if keeps_given(b.context, c)]
    return [*twins(b), *((c.result, *given(b.context, c)) for c in made)]


def sought(b: Builder, block: Block, inputs: Sequence[Var], outputs: Sequence[Atom]) -> frozenset[Call]:
    """Active calls of functions that are known only when the code runs."""
    calls = [s for s in statements_of(block) if isinstance(s, Call) and not isinstance(s.fn, Const)]
    if not calls:
        return frozenset()
    types = b.context.types
    varied, useful = Varied(types, b.context.definition), Useful(types, b.context.definition)
    varied.vars.update((*inputs, *callables_of(b, inputs)))
    varied.run(block)
    for output in outputs:
        useful.add(output)
    useful.run(block)
    return frozenset(s for s in calls if s.result in varied.vars and s.result in useful.vars)


def check_bits(b: Builder, memory: Memory, mirrored: frozenset[Var]) -> None:
    """Refuse views of mirrored memory as numbers without derivative: writes into them would not be seen."""
    for call in memory.definition.values():
        seen = fn_of(call) in LOST and call.args and call.args[0] in mirrored
        if seen and isinstance(b.type(call.result), Array) and not differentiable(b.type(call.result)):
            raise refuse_memory(call.place, call)


def stopped(memory: Memory, varied: Varied) -> frozenset[Var]:
    """What stop_gradient gave of memory that is written: the same memory, without derivatives. A write through
    it would change values that have some."""
    found: set[Var] = set()
    for call in memory.definition.values():
        if fn_of(call) is stop_gradient and call.args and varied.has(call.args[0]):
            given, taken = ({memory.find(n) for n in memory.nodes(a)} for a in (call.args[0], call.result))
            if taken & memory.roots:
                raise Unsupported(
                    "a write into what stop_gradient gave, which is the memory of values that carry derivatives",
                    call.place,
                    "write into a copy: stop_gradient(x.copy())",
                )
            if given & memory.roots:
                found.update(v for n in taken for v in (n, *memory.members.get(n, ())) if isinstance(v, Var))
    return frozenset(found)


def check_called(b: Builder, memory: Memory, varied: Varied) -> None:
    """Refuse calls by reference that read arrays of modules, which may be what is written here."""
    entered = {memory.find(n) for n in memory.outside} & memory.roots
    moving = any(v in varied.vars for root in entered for v in memory.members.get(root, ()))
    for call in memory.definition.values() if moving else ():
        called = effect_of(b.context, call)
        if called is not None and called.reads:
            raise Unsupported(
                "a recursive function that reads arrays of a module or an object, beside arrays that are written",
                call.place or b.context.functions[call.fn.value].place,  # type: ignore[union-attr]
                "pass it the arrays",
            )


def check_target(b: Builder, call: Call, target: Atom, varied: Varied) -> None:
    """Refuse to store values with derivatives where they would be cut to integers."""
    t = b.type(target)
    if not isinstance(t, Array) or differentiable(t):
        return
    write = as_write(b, call)
    if write is None:
        return
    rule = None if write.compute is None else lookup(fn_of(write.compute))
    if rule is not None and rule.kind == "constant":
        return  # comparisons and the like, into a buffer
    given = (write.value,) if write.compute is None else write.compute.args
    if any(a is not None and varied.has(a) for a in given):
        raise cannot_hold(t.dtype, call.place)


def cannot_hold(dtype: np.dtype[Any], place: Place | None) -> Unsupported:
    """Why an array of this dtype takes no values with derivatives."""
    what = "this writes values that carry derivatives into an array of"
    if dtype.kind in "iub":
        cut = "or write int(…) or np.floor(…) to mean the whole numbers"
        remedy = f"make the array of floats, e.g. with dtype=float; {cut}"
        return Unsupported(f"{what} {dtype}, which cuts them", place, remedy)
    if dtype.names is not None:
        fields = ", ".join(dtype.names)
        return Unsupported(f"{what} records ({fields})", place, "keep each of the fields in an array of its own")
    return Unsupported(f"{what} {dtype}, in which they are not followed", place, "make the array of floats")


def is_followed(b: Builder, call: Call, target: Atom) -> bool:
    """Whether a write goes into an array, by a call of which we know what it stores."""
    known = effect_of(b.context, call) is not None or as_write(b, call) is not None
    return known and isinstance(b.type(target), (Array, Seq))
