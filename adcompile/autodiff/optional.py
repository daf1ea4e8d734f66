"""What is done with arrays on condition: with those that may be None, whose shadows are None where they are, and with
those into which one may write."""

from __future__ import annotations

import operator
from collections.abc import Callable

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder
from adcompile.analysis.infer import branch_on
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import BOOL, Maybe


def where_there(b: Builder, atom: Atom, run: Callable[[Builder, Atom], Atom | None]) -> Atom:
    """What `run` makes of an array that may be None; None of None."""
    t = b.type(atom)
    assert isinstance(t, Maybe)

    def there(c: Builder) -> Atom:
        made = run(c, c.emit(ops.identity, (atom,), t.type))
        return Const(None) if made is None else made

    return branch_on(b, b.call(operator.is_not, atom, Const(None)), there, lambda _: Const(None))


def where_writable(b: Builder, array: Atom, run: Callable[[Builder, Atom], None]) -> None:
    """Do with an array what writes into it, if that is allowed: into a read-only one nobody has written."""

    def writable(c: Builder) -> Atom:
        run(c, array)
        return Const(None)

    branch_on(b, b.emit(rt.is_writable, (array,), BOOL), writable, lambda _: Const(None))
