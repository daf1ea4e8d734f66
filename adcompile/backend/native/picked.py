"""Elements that arrays name, in kernels: `x[places]` by an array of integers, `x[mask]` by one of booleans.

NumPy checks all places in front of the first write; a kernel that is left in between puts back what it has written.
"""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from adcompile.backend.native.products import Products
from adcompile.backend.native.values import ArrayOf, Number
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Var
from adcompile.runtime import adjoints, arrays

PLACES = (ArrayOf("i8", 1), ArrayOf("i4", 1))


class Picking(Products):
    """Prints reads and writes at such indices."""

    def _way_of(self, array: Atom, index: Atom) -> str | None:
        """The end of the names of the helpers for such an index."""
        if not self.is_array(array):
            return None
        if self._are_pairs(array, index):
            return "pair"
        if not self.is_array(index):
            return None
        if self.native_type(index) in PLACES:
            return "at"
        return "where" if self.native_type(index) == ArrayOf("b1", 1) and self.rank(array) == 1 else None

    def _are_pairs(self, array: Atom, index: Atom) -> bool:
        """Whether an index is two arrays, of the rows and the columns of elements of a matrix."""
        made = self.made.get(index) if isinstance(index, Var) else None
        if made is None or self.callee(made) is not ops.build_tuple or self.rank(array) != 2 or len(made.args) != 2:
            return False
        return all(self.is_array(a) and self.native_type(a) in PLACES for a in made.args)

    def _picks(self, array: Atom, kind: str) -> ArrayOf:
        """The type of what is read or written at such an index."""
        found = self.native_type(array)
        assert isinstance(found, ArrayOf)
        return ArrayOf(found.code, 1) if kind == "pair" else found

    def picked(self, call: Call) -> bool:
        """`x[places]`, which is a copy."""
        array, index = call.args
        border = self._border(array, index)
        if border is not None:
            return self._made_of(call, f"nt.padded_{border[0]}({self.atom(array)}, {border[1]})")
        kind = self._way_of(array, index)
        if kind is None or self.result_type(call) != self._picks(array, kind):
            return False
        self.faults = True
        text = f"nt.picked_{kind}({self.atom(array)}, {self.atom(index)})"
        self.make(call.result, self.result_type(call), text)
        return True

    def bordered(self, call: Call) -> bool:
        """`rt.padded_index(shape, widths, mode)`: printed where it is used."""
        _, widths, mode = (self.known(a) for a in call.args)
        pairs = isinstance(widths, tuple) and all(isinstance(p, tuple) for p in widths)
        if call.kwargs or not pairs or mode not in ("edge", "wrap"):
            return False
        self.made[call.result] = call
        return True

    def _border(self, array: Atom, index: Atom) -> tuple[str, str] | None:
        """For such an index the end of the helpers' names, and what they are told of the border."""
        made = self.made.get(index) if isinstance(index, Var) else None
        native = self.native_type(array)
        if made is None or self.callee(made) is not adjoints.padded_index or not isinstance(native, ArrayOf):
            return None
        widths = self.known(made.args[1])
        if native.code != "f8" or native.rank != len(widths):
            return None
        numbers = ", ".join(str(n) for pair in widths for n in pair)
        return ("vector" if native.rank == 1 else "matrix"), f"{numbers}, {self.known(made.args[2]) == 'wrap'}"

    def _made_of(self, call: Call, text: str) -> bool:
        self.faults = True
        self.make(call.result, self.result_type(call), text)
        return True

    def put(self, call: Call) -> bool:
        """`x[places] = v`, and `x[places] += v` for places of which none comes twice, or that add up."""
        array, index, value = call.args
        kind = self._way_of(array, index)
        if kind is None or not self._can_hold(array, value, kind):
            return False
        assert isinstance(array, Var)
        self.faults = True
        self.writes(array)
        self._write("put" if self.callee(call) is operator.setitem else "added", kind, array, index, value)
        if self.callee(call) in (ops.index_add, arrays.accumulate):  # which give the array itself
            self.alias(call.result, array)
        return True

    def scattered(self, call: Call) -> bool:
        """`rt.scatter(x, places, v)`: zeros like `x`, to which `v` is added there."""
        array, index, value = call.args
        border = self._border(array, index)
        if border is not None and self.native_type(value) == self.native_type(array):
            return self._made_of(call, f"nt.unpadded_{border[0]}({self.atom(array)}, {self.atom(value)}, {border[1]})")
        kind, native = self._way_of(array, index), self.native_type(array)
        if kind is None or native != self.result_type(call) or not self._can_hold(array, value, kind):
            return False
        self.faults = True
        self.make(call.result, native, f"np.zeros_like({self.atom(array)})")
        self._write("added", kind, call.result, index, value)
        return True

    def last_writes(self, call: Call) -> bool:
        """`rt.last_writes(x, places, v)`: which of the writes stay."""
        array, index, _ = call.args
        kind = self._way_of(array, index)
        if kind not in ("at", "pair"):
            return False
        wanted = ArrayOf("b1", self._picks(array, kind).rank)
        if wanted.rank > 2 or self.result_type(call) != wanted:
            return False
        self.faults = True
        self.make(call.result, wanted, f"nt.last_{kind}({self.atom(array)}, {self.atom(index)})")
        return True

    def summed_at(self, call: Call) -> bool:
        """`np.add.at(x, places, v)`."""
        if len(call.args) != 4 or call.kwargs or self.known(call.args[0]) is not np.add:
            return False
        return self.put(replace(call, args=call.args[1:]))

    def apart_where(self, call: Call) -> bool:
        """`rt.check_masked(place, x, mask, v)`, where `v` has no memory of `x`."""
        _, array, _, value = call.args
        if self.is_array(value) and self.is_array(array):
            assert isinstance(array, Var) and isinstance(value, Var)
            return not self.overlaps(value, array)
        return isinstance(self.native_type(value), Number)

    def _write(self, name: str, kind: str, array: Var, index: Atom, value: Atom) -> None:
        found = self.native_type(array)
        assert isinstance(found, ArrayOf)
        how = f"{name}_{kind}" if self.is_array(value) else f"{name}_all_{kind}"
        given = self.atom(value) if self.is_array(value) else self.cast(value, found.code)
        self.line(f"nt.{how}({self.names[array]}, {self.atom(index)}, {given})")

    def _can_hold(self, array: Atom, value: Atom, kind: str) -> bool:
        found, have = self._picks(array, kind), self.native_type(value)
        if found.code not in ("f8", "f4"):
            return False
        if isinstance(have, Number):
            return have.code == found.code or (have.code, found.code) == ("i8", "f8")
        if not isinstance(value, Var) or not isinstance(array, Var) or have != found:
            return False
        return not self.overlaps(value, array)
