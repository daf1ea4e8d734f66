"""Orders and tables in kernels: `sort`, `argsort`, `median`, `searchsorted`, `nonzero`, `interp`, `average`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.backend.native.base import LENGTH_BITS
from adcompile.backend.native.picked import Picking
from adcompile.backend.native.values import ArrayOf, Number, TupleOf
from adcompile.ir.nodes import Atom, Call, Const, Var

STABLE = ("stable", "mergesort")
KINDS = (None, "quicksort", "heapsort", *STABLE)


class Ordering(Picking):
    """Prints calls that sort, and look up."""

    def sorted_array(self, call: Call) -> bool:
        """`np.sort(x)` and `np.argsort(x)` of a vector."""
        given = dict(zip(("a", "axis", "kind"), call.args)) | dict(call.kwargs)
        a, axis, kind = given.pop("a", Const(None)), given.pop("axis", Const(-1)), given.pop("kind", Const(None))
        found, how = self.native_type(a), self.known(kind)
        if given or len(call.args) > 3 or not self.is_array(a) or isinstance(kind, Var):
            return False
        if how not in KINDS or type(self.known(axis)) is not int or self.known(axis) not in (-1, 0):
            return False
        if found not in (ArrayOf("f8", 1), ArrayOf("i8", 1)):
            return False
        orders = self.callee(call) is np.argsort
        if self.result_type(call) != (ArrayOf("i8", 1) if orders else found):
            return False
        self.faults = True
        name = self.atom(a)
        text = f"nt.order_of({name}, {how in STABLE})" if orders else f"nt.sorted_numbers({name})"
        self.make(call.result, self.result_type(call), text)
        self._as_long(call.result, a)
        return True

    def median(self, call: Call) -> bool:
        """`np.median(x)` of a vector."""
        a = call.args[0] if len(call.args) == 1 and not call.kwargs else Const(None)
        if not self.is_array(a) or self.native_type(a) != ArrayOf("f8", 1) or self.result_type(call) != Number("f8"):
            return False
        self.faults = True
        self.define(call.result, Number("f8"), f"nt.median_of({self.atom(a)})")
        return True

    def searched(self, call: Call) -> bool:
        """`np.searchsorted(a, v, side)`."""
        given = dict(zip(("a", "v", "side"), call.args)) | dict(call.kwargs)
        a, v, side = given.pop("a", Const(None)), given.pop("v", Const(None)), given.pop("side", Const("left"))
        which = side.value if isinstance(side, Const) else None
        if given or len(call.args) > 3 or which not in ("left", "right"):
            return False
        if not self.is_array(a) or self.native_type(a) != ArrayOf("f8", 1):
            return False
        right = which == "right"
        if self.native_type(v) in (Number("f8"), Number("i8")) and self.result_type(call) == Number("i8"):
            text = f"nt.place_in({self.atom(a)}, {self.cast(v, 'f8')}, {right})"
            self.define(call.result, Number("i8"), text, LENGTH_BITS)
            return True
        if not self.is_array(v) or self.native_type(v) != ArrayOf("f8", 1):
            return False
        self.faults = True
        self.make(call.result, ArrayOf("i8", 1), f"nt.places_in({self.atom(a)}, {self.atom(v)}, {right})")
        self._as_long(call.result, v)
        return True

    def places_of(self, call: Call) -> bool:
        """`np.nonzero(x)`, `np.where(x)` and `np.argwhere(x)` of vectors and matrices, `np.flatnonzero(x)` of a
        vector."""
        if len(call.args) != 1 or call.kwargs or not self.is_array(call.args[0]):
            return False
        fn, rank, name = self.callee(call), self.rank(call.args[0]), self.atom(call.args[0])
        if rank > 2 or fn is np.flatnonzero and rank > 1:
            return False
        if fn is np.flatnonzero:
            self.make(call.result, ArrayOf("i8", 1), f"nt.nonzero({name})")
        elif fn is np.argwhere:
            text = f"nt.nonzero({name}).reshape((-1, 1))" if rank == 1 else f"nt.cells({name})"
            self.make(call.result, ArrayOf("i8", 2), text)
        else:
            text = f"(nt.nonzero({name}),)"
            if rank == 2:
                both = self.fresh("cells")
                self.line(f"{both} = nt.cells({name})")
                text = f"({both}[:, 0].copy(), {both}[:, 1].copy())"
            self.define(call.result, TupleOf((ArrayOf("i8", 1),) * rank), text)
        return True

    def interpolated(self, call: Call) -> bool:
        """`np.interp(x, xp, fp)`."""
        if len(call.args) != 3 or call.kwargs or any(not self.is_array(a) for a in call.args[1:]):
            return False
        x, *tables = call.args
        if any(self.native_type(a) != ArrayOf("f8", 1) for a in tables):
            return False
        self.faults = True
        names = ", ".join(map(self.atom, tables))
        if isinstance(self.native_type(x), Number) and self.result_type(call) == Number("f8"):
            self.define(call.result, Number("f8"), f"nt.interpolated({self.cast(x, 'f8')}, {names})")
            return True
        if not self.is_array(x) or self.native_type(x) != ArrayOf("f8", 1):
            return False
        self.make(call.result, ArrayOf("f8", 1), f"nt.all_interpolated({self.atom(x)}, {names})")
        self._as_long(call.result, x)
        return True

    def averaged(self, call: Call) -> bool:
        """`np.average(x)`, and with weights of the same shape."""
        given = dict(zip(("a", "axis", "weights"), call.args)) | dict(call.kwargs)
        a, axis, weights = (given.pop(name, Const(None)) for name in ("a", "axis", "weights"))
        found = self.native_type(a)
        if given or not _is_none(axis) or not self.is_array(a) or self.result_type(call) != Number("f8"):
            return False
        if not isinstance(found, ArrayOf) or found.code != "f8":
            return False
        name = self.atom(a)
        if _is_none(weights):
            self.define(call.result, Number("f8"), f"nt.total({name}) / {name}.size")
            return True
        if not self.is_array(weights) or self.native_type(weights) != found:
            return False
        w, total = self.atom(weights), self.fresh("weight")
        self.fault_if(f"{name}.shape != {w}.shape")
        self.line(f"{total} = nt.divisor(nt.total({w}))")  # NumPy raises
        self.define(call.result, Number("f8"), f"nt.total({name} * {w}) / {total}")
        return True


def _is_none(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is None


S: Any = Ordering
ORDERS: dict[Any, Callable[[Any, Call], bool]] = {
    np.sort: S.sorted_array, np.argsort: S.sorted_array, np.searchsorted: S.searched, np.interp: S.interpolated,
    np.nonzero: S.places_of, np.flatnonzero: S.places_of, np.argwhere: S.places_of, np.where: S.places_of,
    np.average: S.averaged, np.median: S.median,
}  # fmt: skip
