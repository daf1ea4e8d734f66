"""The errors for active calls that have no derivative: what is in the way, and the way around."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile.analysis.mutation import AUGMENTED, FUNCTIONS, ITEM_WRITES, METHODS, REMEDY
from adcompile.errors import NotDifferentiable, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Call, Const, OpaqueCode

IN_PLACE: set[Any] = {*ITEM_WRITES, *AUGMENTED, *METHODS, *FUNCTIONS, ops.list_set, np.ufunc.at}


def is_in_place(fn: Any) -> bool:
    """Whether a callable writes into its first argument."""
    try:
        return fn in IN_PLACE
    except TypeError:
        return False


def refuse(call: Call) -> NotDifferentiable | Unsupported:
    """The error for an active call that has no derivative."""
    if not isinstance(call.fn, Const):
        return NotDifferentiable(
            "the function called here is not known when the derivative is made",
            call.place,
            "call a function that is bound to one name, or pass it as an argument",
        )
    fn = call.fn.value
    if isinstance(fn, OpaqueCode):
        return Unsupported(f"{fn.feature} around values that carry derivatives", fn.place, fn.remedy)
    if is_in_place(fn):
        return Unsupported(
            "a write in place of values that carry derivatives is not supported yet",
            call.place,
            REMEDY,
        )
    if fn in (getattr, operator.getitem):
        return NotDifferentiable(
            "what this reads from is of no known type when the derivative is made, and carries derivatives",
            call.place,
            "pass the parts as arguments: floats, arrays, or tuples, lists and dicts of these",
        )
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)
    module = getattr(fn, "__module__", None)
    return NotDifferentiable(
        f"no derivative rule for {module + '.' if module and module != 'builtins' else ''}{name}",
        call.place,
        "register one with adcompile.rules.vjp or adcompile.rules.frule, or adcompile.rules.non_differentiable",
    )
