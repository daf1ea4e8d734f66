"""Arrays by reference that may be None: their shadows are None where they are."""

from __future__ import annotations

import operator
from collections.abc import Callable

from adcompile.analysis.builder import Builder
from adcompile.analysis.infer import branch_on
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Maybe


def where_there(b: Builder, atom: Atom, run: Callable[[Builder, Atom], Atom | None]) -> Atom:
    """What `run` makes of an array that may be None; None of None."""
    t = b.type(atom)
    assert isinstance(t, Maybe)

    def there(c: Builder) -> Atom:
        made = run(c, c.emit(ops.identity, (atom,), t.type))
        return Const(None) if made is None else made

    return branch_on(b, b.call(operator.is_not, atom, Const(None)), there, lambda _: Const(None))
