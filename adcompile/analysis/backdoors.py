"""Arrays that are written in place and carry derivatives, where the program may read them by ways that are not
followed: out of a deque, a mapping proxy, an array of objects, a weak reference."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from adcompile import runtime as rt
from adcompile.analysis.activity import Useful, Varied
from adcompile.analysis.alias import Memory, Written, holds_inexact
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.holding import has_holder
from adcompile.analysis.mutation import Node
from adcompile.analysis.views import fn_of
from adcompile.analysis.ways import read_way
from adcompile.errors import spot
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, GlobalRef, Var, Yield
from adcompile.ir.types import Array, Known, Scalar, Seq, Unknown, differentiable
from adcompile.ir.walk import statements_of

READS = (operator.getitem, getattr)


def check_backdoors(b: Builder, memory: Memory, varied: Varied, useful: Useful) -> Var | None:
    """Where the result is made of what containers give that are not followed, and arrays are written with derivatives:
    ask when the code runs whether these are in them. What cannot be asked is given, to be refused."""
    for root in dict.fromkeys(memory.find(n) for w in memory.array_writes() for n in memory.nodes(w.target)):
        group = memory.members.get(root, ())
        if not any(v in varied.vars and holds_inexact(b.type(v)) for v in group):
            continue
        holders = [v for v in group if has_holder(b.type(v)) or is_mixed(b, memory, v)]
        used = [v for v in holders if is_backdoor(b, memory, v, useful)]
        outside = [v for v in holders if v in memory.outside or v in b.context.origin]
        asked = outside if any(v not in outside for v in used) else used  # it may be one of them, under another name
        filled = next((v for v in asked if is_filled(b, memory, v)), None)
        if filled is not None:
            return filled
        holders_of = [(b.real(v) if v in memory.outside else read_way(b, *b.context.origin[v]), v.place) for v in asked]
        mixed = next((v for v in used if is_mixed(b, memory, v)), None)
        if mixed is not None:
            given = given_to(b, memory, mixed, root)
            if any(n in memory.mixed and not memory.is_array(n) for n in given):
                return mixed
            holders_of += [(holder, mixed.place) for holder in given.values()]
        arrays = list(written(b, memory, root)) if holders_of else []
        for holder, place in holders_of:
            b.emit(rt.holds_no_memory_of, (Const(spot(place)), holder, *arrays), Known(None), (), "", place)
    return None


def given_to(b: Builder, memory: Memory, mixed: Var, root: Node) -> dict[Node, Atom]:
    """What a list of several structures may show of one class, from outside, as it is before the statements: lists,
    dicts and objects, and arrays that are not written by their own names."""
    shows = any(memory.find(n) == root for a in memory.definition[mixed].args for n in memory.nodes(a))
    out: dict[Node, Atom] = {}
    for n, atom in memory.outside.items():
        if not shows or memory.find(n) != root or memory.is_array(n) and n in memory.entered:
            continue
        ref = atom.value if isinstance(atom, Const) else None
        out[n] = read_way(b, ref, ()) if isinstance(ref, GlobalRef) else b.real(n) if isinstance(n, Var) else atom
    return out


def is_mixed(b: Builder, memory: Memory, v: Var) -> bool:
    """Whether a list has been made of lists, dicts and objects of several structures, to read one of them."""
    t, made = b.type(v), memory.definition.get(v)
    unknown = isinstance(t, Seq) and isinstance(t.item, Unknown) and made is not None and fn_of(made) is ops.build_list
    return unknown and any(is_structured(b.type(a)) for a in made.args)  # type: ignore[union-attr]


def is_backdoor(b: Builder, memory: Memory, v: Var, useful: Useful) -> bool:
    """Whether a container may give arrays that are not followed."""
    if v not in useful.vars and not isinstance(b.type(v), Array):  # an array of objects has no derivative itself
        return False
    for s in statements_of(Block((), tuple(memory.statements), Yield())):
        if isinstance(s, For) and s.iterable is v:
            return True
        if isinstance(s, Call) and v in (s.fn, *s.args) and s.result in useful.vars and not is_followed(b, s):
            return True
    return False


def is_filled(b: Builder, memory: Memory, v: Var) -> bool:
    """Whether the statements themselves may put an array into a container of which they write elements."""
    origin = b.context.origin.get(v)
    node = v if origin is None else ("global", id(origin[0].namespace), origin[0].name)
    return node in memory.mixed and any(may_fill(b, memory, w, v) for w in memory.written)


def may_fill(b: Builder, memory: Memory, w: Written, v: Var) -> bool:
    if not isinstance(w.target, Var) or isinstance(b.type(w.target), Array):
        return False
    ways, t = b.context.origin, b.type(w.target)
    if w.target in ways:
        return ways[w.target] == ways.get(v)
    return w.target is v or isinstance(t, Unknown) or has_holder(t) and w.target not in memory.outside


def is_followed(b: Builder, s: Call) -> bool:
    """Whether a call takes something out of a container that is known, or gives a number alone."""
    t = b.type(s.result)
    known = holds_inexact(t) or has_holder(t) or is_structured(t)
    return fn_of(s) in READS and known or isinstance(t, Scalar) and not differentiable(t)


def written(b: Builder, memory: Memory, root: Node) -> Iterator[Atom]:
    """The arrays from outside of one class that are written into, as they are before the statements."""
    for n, atom in memory.outside.items():
        if n in memory.entered and memory.find(n) == root:
            if isinstance(n, Var):
                yield b.real(n)
            elif isinstance(atom, Const) and not isinstance(atom.value, GlobalRef):
                yield atom
    for v in memory.members.get(root, ()):
        ref, path = b.context.origin.get(v, (None, ()))
        if ref is not None and holds_inexact(b.type(v)) and ("global", id(ref.namespace), ref.name) in memory.entered:
            yield read_way(b, ref, path)


__all__ = ["check_backdoors"]
