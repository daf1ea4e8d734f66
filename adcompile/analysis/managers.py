"""`with` around code that is followed: managers that change no value, and let exceptions through."""

from __future__ import annotations

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import handles
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Instance, Known

QUIET = ("ignore", "warn", "print")
"""What NumPy may do about a division by zero, and go on."""


@handles(ops.enter)
def enter(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """`with np.errstate(...)`; what is no such manager runs as written, if no derivatives pass through it."""
    kinds = [(k, b.type(a)) for k, a in kwargs]
    settings = [(k, Const(t.value)) for k, t in kinds if isinstance(t, Known) and t.value in QUIET]
    manager = args[0].value if isinstance(args[0], Const) else None
    if manager is not np.errstate or len(settings) < len(kinds):
        raise Unsupported("with of what is not followed", place, "move it out of the differentiated code")
    return b.emit(ops.enter, [Const(manager)], Instance(manager), settings, name, place)


@handles(ops.leave)
def leave(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return b.emit(ops.leave, args, Known(None), (), "", place)
