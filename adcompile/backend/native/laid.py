"""Whether a function may tell in which order the axes of an array lie in memory.

`y.reshape(-1)` shows the memory of an array whose rows lie one behind the other, and copies another one: who writes
into that, or asks for the elements as they lie, can tell. What is computed in other words lies in another order at
times, and takes care.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.analysis.views import MAYBE, named
from adcompile.analysis.writing import AUGMENTED, FUNCTIONS, ITEM_WRITES, METHODS
from adcompile.ir.nodes import Block, Call, Const, OpaqueCode
from adcompile.ir.walk import statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.typing import hashable
from adcompile.runtime import memory

ASKING: set[Any] = {
    *(np.nditer, np.asfortranarray, np.ascontiguousarray, np.require, memory.shares, memory.same_layout),
    *named(np.ndarray, "tobytes view strides flags data __array_interface__ ctypes"),
}
"""These give something else for another order."""
KEEPING = frozenset("AK")
WRITING = ITEM_WRITES | AUGMENTED | METHODS | FUNCTIONS.keys()


def tells_order(body: Block) -> bool:
    calls = [s for s in statements_of(body) if isinstance(s, Call) and s.role == "primal" and hashable(called(s))]
    if any(called(c) in ASKING or _asks(c) for c in calls):
        return True
    return any(called(c) in MAYBE for c in calls) and any(map(_writes, calls))


def _writes(call: Call) -> bool:
    named = any(name == "out" for name, _ in call.kwargs)
    return named or not isinstance(call.fn, Const) or called(call) in WRITING or isinstance(call.fn.value, OpaqueCode)


def _asks(call: Call) -> bool:
    """Whether a call says an order, or reads one of these attributes."""
    given = [*call.args, *(a for _, a in call.kwargs)]
    values = [a.value for a in given if isinstance(a, Const) and isinstance(a.value, str)]
    if called(call) is getattr:
        return any(v in ("strides", "flags", "data", "ctypes", "__array_interface__") for v in values)
    return any(v in KEEPING for v in values)
