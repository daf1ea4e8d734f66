"""Arrays that are written in place and carry derivatives, where the program reads them by ways that are not followed:
out of a deque, a mapping proxy, an array of objects, a weak reference."""

from __future__ import annotations

import operator

from adcompile.analysis.activity import Useful, Varied
from adcompile.analysis.alias import Memory, holds_inexact, puts
from adcompile.analysis.builder import Builder
from adcompile.analysis.holding import has_holder, holds_numbers_alone
from adcompile.analysis.live import origins_of
from adcompile.analysis.views import fn_of
from adcompile.ir import ops
from adcompile.ir.nodes import Call, Var
from adcompile.ir.types import Scalar, Unknown, differentiable

READS = (operator.getitem, getattr)


def hidden(b: Builder, memory: Memory, varied: Varied, useful: Useful) -> Var | None:
    """What is not followed, and may give arrays of which elements are written: the result is made of it."""
    elements = [w for w in memory.written if not puts(w.call, w.target, memory.types)]
    for root in dict.fromkeys(memory.find(n) for w in elements for n in memory.nodes(w.target)):
        group = memory.members.get(root, ())
        if any(v in varied.vars and holds_inexact(b.type(v)) for v in group):
            for v in group:
                if v in useful.vars and is_hidden(b, memory, v, useful):
                    return v
    return None


def is_hidden(b: Builder, memory: Memory, v: Var, useful: Useful) -> bool:
    t = b.type(v)
    if isinstance(t, Unknown):
        return comes_unseen(b, memory, v)
    return has_holder(t) and any(
        not is_read(b, s) for s in memory.definition.values() if v in s.args and s.result in useful.vars
    )


def comes_unseen(b: Builder, memory: Memory, v: Var) -> bool:
    """Whether something of no known type may be, or hold, an array that somebody else has too. What code that is not
    followed gives is asked elsewhere (autodiff/unseen)."""
    origins = [b.context.example[o] for o in origins_of(b, v)]
    if origins:
        return not all(map(holds_numbers_alone, origins))
    made = memory.definition.get(v)
    if made is None or fn_of(made) in READS or fn_of(made) is ops.load_global:
        return True
    given = [a for a in (made.fn, *made.args) if isinstance(a, Var)]
    return any(isinstance(b.type(a), Unknown) or has_holder(b.type(a)) for a in given)


def is_read(b: Builder, s: Call) -> bool:
    """Whether a call takes something out of a container, which is looked at itself, or gives a number alone."""
    t = b.type(s.result)
    return fn_of(s) in READS or isinstance(t, Scalar) and not differentiable(t)


__all__ = ["hidden"]
