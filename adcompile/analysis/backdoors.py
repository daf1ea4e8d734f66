"""Arrays that are written in place and carry derivatives, where the program may read them by ways that are not
followed: out of a deque, a mapping proxy, an array of objects, a weak reference."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from adcompile import runtime as rt
from adcompile.analysis.activity import Useful, Varied
from adcompile.analysis.alias import Memory, holds_inexact, puts
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.holding import has_holder
from adcompile.analysis.mutation import Node
from adcompile.analysis.views import fn_of
from adcompile.analysis.ways import read_way
from adcompile.errors import spot
from adcompile.ir.nodes import Atom, Block, Call, Const, For, GlobalRef, Var, Yield
from adcompile.ir.types import Array, Known, Scalar, Unknown, differentiable
from adcompile.ir.walk import statements_of

READS = (operator.getitem, getattr)


def check_backdoors(b: Builder, memory: Memory, varied: Varied, useful: Useful) -> Var | None:
    """Where the result is made of what containers give that are not followed, and arrays are written with derivatives:
    ask when the code runs whether these are in them. What cannot be asked is given, to be refused."""
    elements = [w for w in memory.written if not puts(w.call, w.target, memory.types)]
    for root in dict.fromkeys(memory.find(n) for w in elements for n in memory.nodes(w.target)):
        group = memory.members.get(root, ())
        moving = any(v in varied.vars and holds_inexact(b.type(v)) for v in group)
        for v in group if moving else ():
            asked = v in useful.vars or isinstance(b.type(v), Array)  # an array of objects has no derivative itself
            if asked and has_holder(b.type(v)) and is_backdoor(b, memory, v, useful):
                holder = None if is_filled(b, memory, v) else from_outside(b, memory, v)
                if holder is None:
                    return v
                given = (Const(spot(v.place)), holder, *written(b, memory, root))
                b.emit(rt.holds_no_memory_of, given, Known(None), (), "", v.place)
    return None


def is_backdoor(b: Builder, memory: Memory, v: Var, useful: Useful) -> bool:
    """Whether a container may give arrays that are not followed."""
    for s in statements_of(Block((), tuple(memory.statements), Yield())):
        if isinstance(s, For) and s.iterable is v:
            return True
        if isinstance(s, Call) and v in (s.fn, *s.args) and s.result in useful.vars and not is_followed(b, s):
            return True
    return False


def is_filled(b: Builder, memory: Memory, v: Var) -> bool:
    """Whether the statements themselves may put an array, or what holds some, into a container."""
    origin = b.context.origin.get(v)
    for w in memory.written:
        one = w.target is v or isinstance(w.target, Var) and (
            isinstance(b.type(w.target), Unknown) or origin is not None and b.context.origin.get(w.target) == origin
        )
        given = [a for a in (*w.call.args, *(a for _, a in w.call.kwargs)) if a is not w.target]
        if one and puts(w.call, w.target, memory.types) and any(memory.nodes(a) for a in given):
            return True
    return False


def is_followed(b: Builder, s: Call) -> bool:
    """Whether a call takes something out of a container that is known, or gives a number alone."""
    t = b.type(s.result)
    known = holds_inexact(t) or has_holder(t) or is_structured(t)
    return fn_of(s) in READS and known or isinstance(t, Scalar) and not differentiable(t)


def from_outside(b: Builder, memory: Memory, v: Var) -> Atom | None:
    """A container as it is before the statements."""
    if v in memory.outside:
        return v
    return read_way(b, *b.context.origin[v]) if v in b.context.origin else None


def written(b: Builder, memory: Memory, root: Node) -> Iterator[Atom]:
    """The arrays from outside of one class that are written into, as they are before the statements."""
    for n, atom in memory.outside.items():
        if n in memory.entered and memory.find(n) == root:
            if isinstance(n, Var):
                yield n
            elif isinstance(atom, Const) and not isinstance(atom.value, GlobalRef):
                yield atom
    for v in memory.members.get(root, ()):
        ref, path = b.context.origin.get(v, (None, ()))
        if ref is not None and holds_inexact(b.type(v)) and ("global", id(ref.namespace), ref.name) in memory.entered:
            yield read_way(b, ref, path)


__all__ = ["check_backdoors"]
