"""Memory that is written in place and carries derivatives, and code that is not followed which reaches
it by itself: a statement that runs as it is written, a function known only when the code runs."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import Useful, Varied
from adcompile.analysis.alias import Memory
from adcompile.analysis.binding import owner_of_data
from adcompile.analysis.builder import CONSTRUCTORS, Builder, parts
from adcompile.analysis.detached import is_in
from adcompile.analysis.intrusive import OURS
from adcompile.analysis.mutation import calls_in, has_memory, is_unknown_call
from adcompile.analysis.outside import Place as Outside
from adcompile.analysis.outside import writes_outside
from adcompile.analysis.reach import MOST, functions_in, may_fill, may_store, met, reaches
from adcompile.analysis.unfollowed import name_of
from adcompile.analysis.views import fn_of
from adcompile.autodiff.roots import root_of
from adcompile.errors import Unsupported, spot
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, OpaqueCode, Statement, Var, Yield
from adcompile.ir.types import Choice, DictT, Instance, Known, ListT, Method, Ref, Seq, TupleT, Unknown
from adcompile.ir.walk import free_vars

UNKNOWN = object()
TAKING: tuple[Any, ...] = (operator.getitem, getattr, ops.identity, list, dict, ops.build_list, ops.build_dict)
"""What takes values out of what the caller gives."""


def check_unseen(b: Builder, memory: Memory, varied: Varied, useful: Useful) -> None:
    """Refuse calls that are not followed, that the result is made of, and that may read what is written
    here in place: arrays of modules, classes and live objects, and attributes of these.

    Raises Unsupported.
    """
    calls = [c for c in memory.definition.values() if c.result in useful.vars and is_unfollowed(b, c)]
    moving = moved(b, memory, varied) if calls else []
    for call in calls if moving else ():
        runs = what_runs(b, memory, call)
        if runs is None or any(v is UNKNOWN for v in moving) or reaches(runs, moving):
            raise Unsupported(
                "code that is not followed may read memory of a module, a class or an object, which is written "
                "in place and carries derivatives",
                call.place or b.place,
                "pass it what it reads as arguments, or call the function by its own name",
            )


def check_unsaid(b: Builder, statements: Sequence[Statement], varied: Varied, useful: Useful) -> None:
    """Refuse calls of functions that have a rule, and write values with derivatives into what is there when the code
    runs, where the result is made of that: the rule speaks of the function's result alone.

    Raises Unsupported.
    """
    calls = [c for s in statements for c in calls_in(s)]
    written = [
        (place, call)
        for call in calls
        if isinstance(call.fn, Const)
        for place, given in writes_outside(call.fn.value, call.args, call.kwargs)
        if any(map(varied.carries, given))
    ]
    if not written:
        return
    made = {call.result: call for call in calls}
    given = outside(b, statements, useful)
    for place, call in written if given else ():
        name = name_of(call.fn.value)  # type: ignore[union-attr]
        owner = owner_of_data(b, place.owner, call.place)
        about = (Const(spot(call.place)), Const(name), Const(place.parts))
        b.emit(rt.check_unreached, (*about, owner, *given), Known(None), (), "", call.place)
    read = [v for v in useful.vars if v in b.context.example]
    for place, call in written:
        if any(shows(b, place, v, made.get(v)) for v in read):
            raise Unsupported(
                f"{name_of(call.fn.value)}() has a rule, and writes values that carry derivatives into {place.text}, "  # type: ignore[union-attr]
                "of which the result is made",
                call.place or b.place,
                "pass it as an argument, and say so in the rule: writes=…, or use adcompile.rules.overlay "
                "(see docs/adding_a_rule.md)",
            )


def check_stored(b: Builder, memory: Memory, varied: Varied, useful: Useful) -> None:
    """Refuse calls that are not followed, are given values with derivatives, and may bind attributes and names of
    modules anew that the result is made of.

    Raises Unsupported.
    """
    calls = [c for s in memory.statements for c in calls_in(s)]
    takers = [c for c in calls if is_unfollowed(b, c) and not is_ours(c) and any(map(varied.carries, arguments(c)))]
    read = [c for c in calls if c.result in useful.vars and root_of(c, memory) is not None] if takers else []
    names = {name for c in read if (name := name_read(c)) is not None}
    live = [value for c in read if holds_values(value := value_of(b, memory, c.result))]
    for call in takers if read else ():
        runs = what_runs(b, memory, call) or ()
        if may_store(runs, names) or call.result not in useful.vars and may_fill(runs, live):
            raise Unsupported(
                "code that is not followed is given values with derivatives, and may set what the result is made of",
                call.place or b.place,
                "set it where code is followed, or hand the value on as an argument or a result",
            )


def holds_values(value: Any) -> bool:
    return value is not UNKNOWN and isinstance(value, (np.ndarray, list, dict, deque))


def is_ours(call: Call) -> bool:
    fn = fn_of(call)
    module = "" if isinstance(fn, OpaqueCode) else str(getattr(fn, "__module__", ""))
    return call.role != "primal" or module.partition(".")[0] in OURS


def name_read(call: Call) -> str | None:
    """The attribute or name of a module that a call reads, whose way `root_of` knows."""
    named = call.args[-1]
    assert isinstance(named, Const)
    name = named.value.name if fn_of(call) is ops.load_global else named.value
    return name if isinstance(name, str) else None


def outside(b: Builder, statements: Sequence[Statement], useful: Useful) -> list[Var]:
    """The values from before the statements, and of no module, that the result is made of: what the caller gives."""
    read = free_vars(Block((), tuple(statements), Yield()))
    held = [whole(b, v) for v in read if v in useful.vars]
    return [v for v in dict.fromkeys(held) if v not in b.context.example and has_memory(b.type(v))]


def whole(b: Builder, v: Var) -> Var:
    """Of a part that has been taken out of a list, dict or object before, that."""
    made = b.context.definition.get(v)
    owner = made.args[0] if made is not None and made.args and is_in(fn_of(made), TAKING) else None
    return whole(b, owner) if isinstance(owner, Var) else v


def shows(b: Builder, place: Outside, v: Var, made: Call | None) -> bool:
    """Whether a value that is read when the code runs is, or shares memory with, what a function writes into."""
    live = b.context.example[v]
    if place.name is None:
        pairs = [(place.owner, p) for p in held_by(live)] + [(live, p) for p in held_by(place.owner)]
        return any(is_one(one, other) for one, other in pairs)
    if made is None:
        return b.context.cells.get(id(place.owner)) is v
    named, owner = made.args[-1] if made.args else None, made.args[0] if made.args else None
    if fn_of(made) is ops.load_global and isinstance(owner, Const):
        ref = owner.value
        namespace = vars(place.owner) if isinstance(place.owner, ModuleType) else place.owner
        return ref.namespace is namespace and ref.name == place.name
    if fn_of(made) is getattr and isinstance(named, Const):
        holder = owner.value if isinstance(owner, Const) else b.context.example.get(owner, UNKNOWN)  # type: ignore[arg-type]
        return holder is place.owner and named.value in (place.name, "cell_contents")
    return False


def is_one(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.may_share_memory(a, b))
    return a is b and not isinstance(a, (int, float, complex, str, bytes, type(None)))


def held_by(value: Any) -> list[Any]:
    """A value; of a list, tuple, dict or set, what it holds at any depth as well."""
    out, seen, todo = list[Any](), set[int](), [value]
    while todo and len(out) < MOST:
        item = todo.pop()
        out.append(item)
        if id(item) not in seen and isinstance(item, (list, tuple, dict, set)):
            seen.add(id(item))
            todo += item.values() if isinstance(item, dict) else item
    return out


def is_unfollowed(b: Builder, call: Call) -> bool:
    """Whether code runs that is not followed: what is called, or a function that it is given."""
    if not isinstance(call.fn, Const):
        return True
    if call.fn.value not in CONSTRUCTORS and functions_in(map(b.type, arguments(call))):
        return True
    return isinstance(call.fn.value, OpaqueCode) or is_unknown_call(call.fn.value)


def arguments(call: Call) -> list[Atom]:
    return [*call.args, *(a for _, a in call.kwargs)]


def moved(b: Builder, memory: Memory, varied: Varied) -> list[Any]:
    """The arrays and objects that are there when the code runs, and get values with derivatives."""
    out: list[Any] = []
    for w in memory.written:
        given = [a for a in arguments(w.call) if a is not w.target]
        if not any(map(varied.has, given)):
            continue
        for n in memory.nodes(w.target):
            for v in memory.members.get(memory.find(n), ()):
                made = memory.definition.get(v)
                live = v in b.context.example if made is None else root_of(made, memory) is not None
                value = value_of(b, memory, v) if live else None
                whole = v is w.target and isinstance(b.type(v), Instance)
                if value is UNKNOWN or isinstance(value, np.ndarray) or live and whole:
                    out.append(value)
    return out


def value_of(b: Builder, memory: Memory, atom: Atom) -> Any:
    """What a path into a module or an object means now."""
    if isinstance(atom, Const):
        return atom.value
    made = memory.definition.get(atom)
    if made is None:
        return b.context.example.get(atom, UNKNOWN)
    fn = fn_of(made)
    try:
        if fn is ops.load_global:
            return ops.load_global(made.args[0].value)  # type: ignore[union-attr]
        owner = value_of(b, memory, made.args[0])
        return UNKNOWN if owner is UNKNOWN else fn(owner, made.args[1].value)  # type: ignore[union-attr, misc]
    except (AttributeError, LookupError, TypeError):
        return UNKNOWN


def what_runs(b: Builder, memory: Memory, call: Call) -> list[Any] | None:
    """What a call may run; None where that is not known."""
    types = [b.type(a) for a in arguments(call)]
    given = [*map(met, types), *functions_in(types)]
    if isinstance(call.fn, Const):
        return [call.fn.value, *given]
    found = candidates(b, memory, call.fn)
    return None if found is None else [*found, *given]


def candidates(b: Builder, memory: Memory, fn: Atom) -> list[Any] | None:
    """The functions of which a value is one."""
    t = b.type(fn)
    if isinstance(t, Choice):
        return [option.value for option in t.options]
    if isinstance(t, (TupleT, ListT, DictT)):
        return [value for part in parts(t) if (value := met(part)) is not None] if known_parts(t) else None
    if isinstance(t, (Method, Ref)) or met(t) is not None and not isinstance(t, Instance):
        return [met(t)]
    if isinstance(fn, Var) and fn in b.context.example:
        return [b.context.example[fn]]
    made = memory.definition.get(fn) if isinstance(fn, Var) else None
    made = b.context.definition.get(fn) if made is None and isinstance(fn, Var) else made
    if made is None:
        return None
    if fn_of(made) is ops.load_global:
        return [value_of(b, memory, made.result)]
    if fn_of(made) is getattr and not isinstance(b.type(made.args[0]), (Unknown, Seq)):
        return [met(b.type(made.args[0]))]
    if fn_of(made) in (operator.getitem, dict.get, ops.identity):
        return candidates(b, memory, made.args[0])
    if fn_of(made) in (ops.build_list, ops.build_tuple):
        return [met(b.type(a)) for a in made.args] if all(met(b.type(a)) for a in made.args) else None
    return None


def known_parts(t: TupleT | ListT | DictT) -> bool:
    return all(met(part) is not None for part in parts(t))


__all__ = ["check_stored", "check_unsaid", "check_unseen"]
