"""Ranges, tuples and shapes in kernels: never values, but printed where they are used."""

from __future__ import annotations

import builtins
import itertools
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.backend.native.base import LENGTH_BITS
from adcompile.backend.native.bounds import Linear
from adcompile.backend.native.lists import Keeping
from adcompile.backend.native.values import Number, TupleOf
from adcompile.backend.undefined import is_undefined
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import RangeT, Scalar, Type
from adcompile.optimise.typing import type_of, widened
from adcompile.runtime import loops

ndarray: Any = np.ndarray


def counts_from_zero(t: Type | None) -> bool:
    return isinstance(t, RangeT) and t.unit


SHAPES = (ndarray.shape, np.shape)


class Ranges(Keeping):
    """Prints calls that make, and take apart, what has no value of its own."""

    ends: dict[Var, Var]
    """Where ranges stop that come by several ways, all of which start at zero."""

    def joins_range(self, var: Var) -> bool:
        """Have a range that comes by several ways: a number says where it stops."""
        if not counts_from_zero(self.types.get(var)):
            return False
        if var not in self.ends:
            stop = self.ends[var] = Var("stop", var.place)
            self.native[stop], self.names[stop] = Number("i8"), self.fresh(f"{var.name}_stop")
            self.defined(stop)
            self.made[var] = Call(var, Const(builtins.range), (stop,), place=var.place)
        return True

    def end_of(self, value: Atom) -> str:
        """Where a range stops; of what is no range on this path, nobody asks."""
        bounds = self.range_of(value)
        if bounds is None:
            if is_undefined(value) or isinstance(value, Const) and value.value is None:
                return "0"
            self.refuse(f"{getattr(value, 'name', 'None')}, which is a range on some paths only")
        return self.cast(bounds[1], "i8")

    def range_of(self, atom: Atom) -> tuple[Atom, Atom, Atom, bool] | None:
        """Start, stop and step of a range, and whether it is gone through backwards."""
        value = self.known(atom)
        if isinstance(value, builtins.range):
            return Const(value.start), Const(value.stop), Const(value.step), False
        if not isinstance(atom, Var) or atom not in self.made:
            return None
        call = self.made[atom]
        fn = self.callee(call)
        if fn is builtins.reversed:
            inner = self.range_of(call.args[0])
            return None if inner is None else (*inner[:3], not inner[3])
        if fn is not builtins.range:
            return None
        args = call.args
        if len(args) == 1:
            return Const(0), args[0], Const(1), False
        return args[0], args[1], args[2] if len(args) == 3 else Const(1), False

    def _trips(self, start: Atom, stop: Atom, step: Atom) -> str:
        if self.known(start) == 0 and self.known(step) == 1:
            return f"max({self.cast(stop, 'i8')}, 0)"
        return f"nt.length({self.cast(start, 'i8')}, {self.cast(stop, 'i8')}, {self.cast(step, 'i8')})"

    def _range(self, start: Atom, stop: Atom, step: Atom, backwards: bool) -> str:
        first, last = self.cast(start, "i8"), self.cast(stop, "i8")
        by = self.known(step) if self.known(step) is not None else self.cast(step, "i8")
        if by == 0:
            self.refuse("a range of step zero")
        if not backwards:
            if by == 1:
                return f"range({last})" if self.known(start) == 0 else f"range({first}, {last})"
            return f"range({first}, {last}, {by})"
        if by == 1:
            begin = f"{last} - 1"
            return f"range({begin}, {first} - 1, -1)" if self.known(start) != 0 else f"range({begin}, -1, -1)"
        count = self._trips(start, stop, step)
        down = -by if isinstance(by, int) else f"-{by}"
        return f"range({first} + ({count} - 1) * {by}, {first} - {by}, {down})"

    def gapped(self, start: Atom, stop: Atom, step: Atom) -> tuple[Linear, Linear]:
        """Between which numbers the elements of a range with gaps lie; its start where it has none."""
        last, first, by = Var("last"), self.cast(start, "i8"), self.known(step)
        count = f"max({self._trips(start, stop, step)} - 1, 0)"
        self.define(last, Number("i8"), f"{first} + {count} * {self.cast(step, 'i8')}", LENGTH_BITS)
        begin, end = self.form(start), Linear(0, {last: 1})
        if by is not None:
            return (begin, end) if by > 0 else (end, begin)
        low, high = Var("low"), Var("high")  # it may go up or down
        for var, fn in ((low, "min"), (high, "max")):
            self.define(var, Number("i8"), f"{fn}({first}, {self.names[last]})", LENGTH_BITS)
        return Linear(0, {low: 1}), Linear(0, {high: 1})

    def shares_parts(self, var: Var, value: Atom) -> None:
        """What `value` is, or is made of, may have memory in common with `var`."""
        made = self.made.get(value) if isinstance(value, Var) else None
        if made is not None and self.callee(made) is ops.build_tuple:
            for item in made.args:
                self.shares_parts(var, item)
        if isinstance(value, Var) and not isinstance(self.native.get(value), Number):
            self.shares(var, value)

    def check_whole(self, *atoms: Atom) -> None:
        """Refuse NumPy's truth values where Python wants whole numbers: other than its own they are none."""
        for t in (widened(type_of(a, self.types)) for a in atoms):
            if isinstance(t, Scalar) and np.bool_ in t.kinds:
                self.refuse("a truth value of NumPy's in the place of a whole number")

    def structure_call(self, call: Call, fn: Any) -> bool:
        """Ranges, slices and tuples: printed where they are used."""
        if fn in (builtins.range, builtins.slice, ops.build_tuple, builtins.reversed):
            self.made[call.result] = call
            if fn in (builtins.range, builtins.slice):
                self.check_whole(*call.args)
            if fn is builtins.range and len(call.args) == 3 and self.known(call.args[2]) is None:
                self.fault_if(f"{self.cast(call.args[2], 'i8')} == 0")
            if fn is ops.build_tuple:
                native = [self.native_type(a) for a in call.args]
                if all(n is not None for n in native):
                    self.native[call.result] = TupleOf(tuple(n for n in native if n is not None))
            return True
        if fn is ops.unpack:
            return self._taken_apart(call)
        if fn in (builtins.zip, builtins.enumerate, itertools.islice) and self._can_be_gone_through(call, fn):
            self.made[call.result] = call  # only made: nobody goes through it
            return True
        if fn is getattr and self.is_array(call.args[0]) and self.known(call.args[1]) == "shape":
            self.made[call.result] = replace(call, fn=Const(ndarray.shape), args=call.args[:1])
            return True
        if fn is operator.getitem and len(call.args) == 2:
            return self._item(call)
        if fn is builtins.len and isinstance(call.args[0], Var) and self.range_of(call.args[0]) is not None:
            start, stop, step, _ = self.range_of(call.args[0]) or (Const(0), Const(0), Const(1), False)
            self.define(call.result, Number("i8"), self._trips(start, stop, step), LENGTH_BITS)
            if self.known(step) == 1:
                self.counts[call.result] = self.form(stop).plus(self.form(start), -1)
            return True
        if fn is loops.strips:  # no loop has more iterations than memory has places
            trips, width = (self.cast(a, "i8") for a in call.args)
            bits = LENGTH_BITS - self.size(call.args[1]) + 1  # so that no number of an iteration has more than a length
            self.define(call.result, Number("i8"), f"({trips} + {width} - 1) // {width}", bits)
            return True
        if fn is loops.strip:
            trips, begin, width = call.args
            left = f"{self.cast(trips, 'i8')} - {self.cast(begin, 'i8')}"
            # there is at least one iteration: said because LLVM knows how long a loop is only of numbers bounded both
            # ways, and does not interleave iterations that write into an array at places further apart than that
            length = f"nt.lesser(nt.greater({left}, 0), {self.cast(width, 'i8')})"
            self.define(call.result, Number("i8"), length, LENGTH_BITS)
            whole = self.counts.get(trips) if isinstance(trips, Var) else None
            self.counts[call.result] = (whole or self.form(trips)).plus(self.form(begin), -1)  # as the last strip has
            return True
        return False

    def _can_be_gone_through(self, call: Call, fn: Any) -> bool:
        """Whether an iterator of this kind can be made; bounds that Python refuses leave the kernel."""
        if fn is not itertools.islice:
            return all(map(self.is_array, call.args))
        what, *bounds = call.args
        if not self.is_array(what) and self.range_of(what) is None or len(bounds) > 3 or call.kwargs:
            return False
        bounds = [(a, int(k == 2)) for k, a in enumerate(bounds) if not isinstance(a, Const) or a.value is not None]
        if any(self.native_type(a) != Number("i8") for a, _ in bounds):
            return False
        for a, least in bounds:
            if isinstance(a, Var) or a.value < least:
                self.fault_if(f"{self.cast(a, 'i8')} < {least}")
        return True

    def _item(self, call: Call) -> bool:
        """An item of a tuple, a shape or a range."""
        value, k = call.args
        if not isinstance(value, Var):
            return False
        bounds = self.range_of(value)
        if bounds is not None:
            start, stop, step, backwards = bounds
            if backwards or self.native_type(k) != Number("i8"):
                return False
            text, number = self.cast(start, "i8"), self.cast(k, "i8")
            counted = call.role != "primal" and self.is_counted(k)
            if not counted:  # it may not be there, or be counted from the end
                self.faults = True
                place, number = number, self.fresh("k")
                self.line(f"{number} = nt.index({place}, {self._trips(start, stop, step)})")
            by = self.known(step)
            text = number if self.known(start) == 0 and by == 1 else f"{text} + {number}"
            if by != 1:
                text = f"{self.cast(start, 'i8')} + {number} * {self.cast(step, 'i8')}"
            self.define(call.result, Number("i8"), text, LENGTH_BITS + 1)
            if isinstance(by, int) and counted:
                self.linear[call.result] = self.form(start).plus(self.form(k), by)
            return True
        number = self.known(k)
        if number is None and self._one_of(call):
            return True
        if value in self.made and self.callee(self.made[value]) is ops.build_tuple and type(number) is int:
            item = self.made[value].args[number]
            self._named(call.result, item)
            return True
        if value in self.made and self.callee(self.made[value]) in SHAPES and type(number) is int:
            array = self.made[value].args[0]
            rank = self.rank(array)
            text = f"{self.atom(array)}.shape[{number if number >= 0 else number + rank}]"
            self.define(call.result, Number("i8"), text, LENGTH_BITS)
            assert isinstance(array, Var)
            self.linear[call.result] = self.lengths_of(array, rank)[number]
            return True
        found = self.native_type(value)
        if isinstance(found, TupleOf) and type(number) is int and value in self.names:
            self.define(call.result, found.items[number], f"{self.names[value]}[{number}]")
            if not isinstance(found.items[number], Number):
                self.shares(call.result, value)
            return True
        return False

    def _one_of(self, call: Call) -> bool:
        """One of a few numbers of one class, by an index that is known when the code runs."""
        value, k = call.args
        made = self.made.get(value) if isinstance(value, Var) else None
        if made is None or self.callee(made) is not ops.build_tuple or self.native_type(k) != Number("i8"):
            return False
        items = {self.native_type(a) for a in made.args}
        wanted = self.result_type(call)
        if not isinstance(wanted, Number) or items != {wanted}:
            return False
        self.faults = True  # it may not be there
        shown = ", ".join(self.cast(a, wanted.code) for a in made.args)
        self.define(call.result, wanted, f"({shown},)[{self.cast(k, 'i8')}]")
        return True

    def _taken_apart(self, call: Call) -> bool:
        """A tuple of as many items as are wanted is what it is taken apart into."""
        value, count = call.args
        found = self.native_type(value)
        if not isinstance(found, TupleOf) or len(found.items) != self.known(count) or value not in self.native:
            return False
        self._named(call.result, value)
        return True

    def _named(self, var: Var, item: Atom) -> None:
        if isinstance(item, Var) and item in self.made and item not in self.names:
            self.made[var] = self.made[item]
        elif isinstance(item, Var) and item in self.names:
            self.alias(var, item)
        else:
            self.define(var, self.native_type(item), self.atom(item))
