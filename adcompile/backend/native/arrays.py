"""Calls on arrays in kernels: elements, views, storage, elementwise arithmetic and sums."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.backend.native.base import LENGTH_BITS
from adcompile.backend.native.ordering import ORDERS, Ordering
from adcompile.backend.native.scalars import COMPARISONS, FUNCTIONS, SYMBOLS
from adcompile.backend.native.values import ArrayOf, Code, Number, TupleOf, read_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array
from adcompile.optimise.typing import INPLACE, type_of
from adcompile.runtime import adjoints, arrays, loops, memory, overlap

Part = tuple[str, str]  # what selects along an axis: "item", "slice", "new" or "rest", and its text


class Arrays(Ordering):
    """Prints calls on arrays."""

    def array_call(self, call: Call, fn: Any) -> bool:
        """Print a call if it is one on arrays that kernels know."""
        if fn in HANDLED:
            return HANDLED[fn](self, call)
        plain = INPLACE.get(fn, fn)
        if not any(map(self.is_array, call.args)) or call.kwargs:
            return False
        if plain is not fn and self.is_array(call.args[0]):
            self._in_place(call, SYMBOLS.get(plain))
        elif plain in SYMBOLS and len(call.args) == 2:
            self._elementwise(call, SYMBOLS[plain])
        elif plain in COMPARISONS and len(call.args) == 2:
            self._elementwise(call, COMPARISONS[plain])
        elif plain in FUNCTIONS and isinstance(plain, np.ufunc) and len(call.args) == 1:
            self._mapped(call, plain)
        elif plain in (operator.neg, np.negative):
            self.make(call.result, self.result_type(call), f"-{self.atom(call.args[0])}")
        else:
            return False
        return True

    # -- indices

    def parts(self, array: Var, index: Atom) -> list[Part]:
        """An index, axis by axis."""
        value = self.known(index)
        if value is not None:
            atoms: Sequence[Atom] = [Const(v) for v in value] if type(value) is tuple else [Const(value)]
        elif isinstance(index, Var) and index in self.made and self.callee(self.made[index]) is ops.build_tuple:
            atoms = self.made[index].args
        else:
            atoms = self._numbers_in(index) or [index]
        axis, out = 0, list[Part]()
        for k, a in enumerate(atoms):
            part = self._part(array, axis, a)
            out.append(part)
            if part[0] == "rest":
                out.pop()
                stop = self.rank(array) - sum(not self._is_new(b) for b in atoms[k + 1 :])
                out += [("slice", ":")] * (stop - axis)
                axis = stop
            elif part[0] != "new":
                axis += 1
        if axis > self.rank(array):
            self.refuse("an index with too many axes")
        return out

    def _numbers_in(self, index: Atom) -> list[Var]:
        """The integers of a tuple, where an index is one that has come as a whole."""
        found = self.native_type(index)
        if not isinstance(found, TupleOf) or any(n != Number("i8") for n in found.items):
            return []
        out = [Var("k") for _ in found.items]
        for k, v in enumerate(out):
            self.define(v, Number("i8"), f"{self.atom(index)}[{k}]")
        return out

    def _is_new(self, atom: Atom) -> bool:
        return isinstance(atom, Const) and atom.value is None

    def _part(self, array: Var, axis: int, atom: Atom) -> Part:
        if self._is_new(atom):
            return "new", "None"
        value = self.known(atom)
        if value is Ellipsis:
            return "rest", "..."
        if isinstance(value, builtins.slice):
            return "slice", self._slice([Const(value.start), Const(value.stop), Const(value.step)])
        if isinstance(atom, Var) and atom in self.made and self.callee(self.made[atom]) is builtins.slice:
            args = self.made[atom].args
            return "slice", self._slice([*args, Const(None)] if len(args) == 2 else list(args))
        if self.native_type(atom) != Number("i8"):
            self.refuse("an index that is neither an integer nor a slice")
        return "item", self.item(array, axis, atom)

    def _slice(self, bounds: Sequence[Atom]) -> str:
        if len(bounds) != 3:
            self.refuse("a slice of one bound")
        texts = ["" if self._is_new(b) else self.cast(b, "i8") for b in bounds]
        step = self.known(bounds[2])
        if texts[2] and (step is None or step == 0):
            self.refuse("a slice whose step is decided at run time")
        return ":".join(texts if texts[2] else texts[:2])

    def item(self, array: Var, axis: int, atom: Atom) -> str:
        """The number of an element along an axis, from its start; checked unless it is proved to be there."""
        if axis >= self.rank(array):  # a kernel knows no array there, or one of fewer axes
            self.refuse(f"an index of {array.name} along axis {axis}")
        text = self.cast(atom, "i8")
        sure = self.proved or self.bounded(array, axis, self.rank(array), atom)
        if sure is True:
            return text if self.known(atom) is not None else f"nt.at({text})"
        self.faults = True
        name = self.fresh("k")
        checked = f"nt.index({text}, {self.names[array]}.shape[{axis}])"
        self.line(f"{name} = {text} if {sure} else {checked}" if sure else f"{name} = {checked}")
        return f"nt.at({name})"

    def _place(self, array: Var, index: Atom, result: Var) -> tuple[str, bool]:
        """The text of `[index]` of an array, and whether that is one element."""
        self.proved = result in self.hints.sure
        parts = self.parts(array, index)
        self.proved = False
        element = len(parts) == self.rank(array) and all(kind == "item" for kind, _ in parts)
        return f"[{', '.join(text for _, text in parts)}]", element

    # -- elements and views

    def read_item(self, call: Call) -> bool:
        array, index = call.args
        if not isinstance(array, Var) or not self.is_array(array):
            return False
        if self.picked(call):
            return True
        place, element = self._place(array, index, call.result)
        found = self.native[array]
        assert isinstance(found, ArrayOf)
        if element:
            self.define(call.result, *read_of(found, f"{self.names[array]}{place}"))
            return True
        whole = self._uncounted(array) if call.result in self.loose else self.names[array]
        self.define(call.result, self.result_type(call), f"{whole}{place}")
        self.shares(call.result, array)
        return True

    def _uncounted(self, array: Var) -> str:
        """The text of an array of which a view is taken, without a count where the memory lasts (`borrowed`)."""
        root, name = self.lasting.get(array), self.names[array]
        if root is None or root not in self.names:
            return name
        if root not in self.outside:
            self.held.append(self.names[root])
        return f"nt.loose({name})"

    def _store(self, call: Call) -> bool:
        array, index, value = call.args
        if not isinstance(array, Var) or not self.is_array(array):
            return False
        if self.put(call):
            return True
        found = self.native[array]
        assert isinstance(found, ArrayOf)
        at, element = self._place(array, index, call.result)
        place = f"{self.names[array]}{at}"
        self.writes(array)
        if element:
            if self.is_array(value):
                self.refuse("an array stored into an element")
            self.line(f"{place} = {self._stored(value, found.code)}")
        elif self.is_array(value):
            self.line(f"nt.put(nt.loose({self.names[array]}){at}, {self.atom(value)})")
            self.line(f"nt.held({self.names[array]})")
            self.faults = True  # the shapes may differ
        else:
            self.line(f"{place} = {self._stored(value, found.code)}")
        return True

    def _stored(self, value: Atom, code: Code) -> str:
        have = self.code(value)
        if have != code and (code in ("i8", "i4", "b1") or have == "c16"):
            self.refuse("a number stored into an array of another kind")
        return self.cast(value, code)

    def _add_at(self, call: Call) -> bool:
        array, index, value = call.args
        if not isinstance(array, Var) or not self.is_array(array):
            return False
        if self.put(call):
            return True
        found = self.native[array]
        assert isinstance(found, ArrayOf)
        place, element = self._place(array, index, call.result)
        self.writes(array)
        if element:
            self.line(f"{self.names[array]}{place} += {self._stored(value, found.code)}")
        elif self.is_array(value):
            self._add_array(f"{self._uncounted(array)}{place}", array, value)
        else:
            part = self.fresh("part")
            self.line(f"{part} = {self._uncounted(array)}{place}")
            self.line(f"{part} += {self._stored(value, found.code)}")
        if self.callee(call) in (ops.index_add, arrays.accumulate):  # which give the array itself
            self.alias(call.result, array)
        return True

    def _add_array(self, place: str, array: Var, value: Atom) -> None:
        assert isinstance(value, Var)
        self.faults = True
        part = self.fresh("part")
        self.line(f"{part} = {place}")
        if self.overlaps(value, array) or self.rank(value) > self.rank(array):
            self.line(f"nt.put({part}, {part} + {self.atom(value)})")
        else:
            self.line(f"{part} += {self.atom(value)}")

    def _in_place(self, call: Call, symbol: str | None) -> None:
        """`x += v` of an array."""
        array, value = call.args
        assert isinstance(array, Var)
        found = self.native[array]
        assert isinstance(found, ArrayOf)
        integers = found.code == "i8" and symbol in ("+", "-", "*")
        if symbol is None or symbol == "@" or not (integers or found.code in ("f8", "f4", "c16")):
            self.refuse("this operation in place")  # of integers some raise: what they give is no integer
        self.writes(array)
        name = self.names[array]
        if self.is_array(value):
            other = self.native_type(value)
            if other != ArrayOf(found.code, self.rank(value)):
                self.refuse("arithmetic in place between arrays of different kinds")
            self.faults = True
            self.line(f"nt.put({name}, {name} {symbol} {self.atom(value)})")
        else:
            self.line(f"nt.put({name}, {name} {symbol} {self._stored(value, found.code)})")
        self.alias(call.result, array)

    # -- whole arrays

    def _operand(self, atom: Atom, code: Code) -> str:
        if self.is_array(atom):
            return self.atom(atom)
        return self.cast(atom, code)

    def _elementwise(self, call: Call, symbol: str) -> None:
        result = self.result_type(call)
        if not isinstance(result, ArrayOf) or result.code not in ("f8", "f4", "b1"):
            self.refuse("arithmetic of whole arrays of this kind")
        code: Code = result.code
        if code == "b1":
            codes: set[Code] = {n.code for a in call.args if isinstance(n := self.native_type(a), ArrayOf)}
            if len(codes) != 1:
                self.refuse("a comparison of arrays of different kinds")
            code = codes.pop()
        if any(isinstance(n := self.native_type(a), ArrayOf) and n.code != code for a in call.args):
            self.refuse("arithmetic of arrays of different kinds")
        if symbol in ("//", "%"):
            self.refuse("remainders of whole arrays")
        left, right = (self._operand(a, code) for a in call.args)
        if symbol == "**" and self.known(call.args[1]) == 2:
            symbol, right = "*", left
        self.faults |= sum(map(self.is_array, call.args)) > 1
        self.make(call.result, result, f"{left} {symbol} {right}")

    def _mapped(self, call: Call, fn: np.ufunc) -> None:
        result = self.result_type(call)
        if result != self.native_type(call.args[0]):
            self.refuse("a function of an array of another kind")
        self.make(call.result, result, f"np.{fn.__name__}({self.atom(call.args[0])})")

    def _copy(self, call: Call) -> bool:
        if len(call.args) != 1 or call.kwargs or not self.is_array(call.args[0]):
            return False
        self.make_copy(call.result, self.native_type(call.args[0]), self.atom(call.args[0]))
        self._as_long(call.result, call.args[0])
        return True

    def _same_array(self, call: Call) -> bool:
        """`np.array(x)`, a copy, and `np.asarray(x)`, `x` itself where it has the dtype that is wanted."""
        if len(call.args) != 1 or any(name != "dtype" for name, _ in call.kwargs) or not self.is_array(call.args[0]):
            return False
        if self.native_type(call.args[0]) != self.result_type(call):
            return False
        assert isinstance(call.args[0], Var)
        if self.callee(call) is np.asarray:
            self.alias(call.result, call.args[0])
        else:
            self.make_copy(call.result, self.native_type(call.args[0]), self.atom(call.args[0]))
            self._as_long(call.result, call.args[0])
        return True

    def _sum(self, call: Call) -> bool:
        if len(call.args) != 1 or call.kwargs or not self.is_array(call.args[0]):
            return False
        result, code = self.result_type(call), self.native_type(call.args[0]).code  # type: ignore[union-attr]
        if result == Number("i8") and code in ("b1", "i8"):
            self.define(call.result, result, f"nt.counted({self.atom(call.args[0])})")
            return True
        if result not in (Number("f8"), Number("f4")) or code != result.code:
            return False
        self.define(call.result, result, f"nt.total({self.atom(call.args[0])})")
        return True

    def _count(self, call: Call) -> bool:
        if len(call.args) != 1 or call.kwargs or not self.is_array(call.args[0]):
            return False
        self.define(call.result, Number("i8"), f"nt.counted({self.atom(call.args[0])})", LENGTH_BITS)
        return True

    def _len(self, call: Call) -> bool:
        (value,) = call.args
        if self.is_array(value):
            assert isinstance(value, Var)
            self.define(call.result, Number("i8"), f"{self.atom(value)}.shape[0]", LENGTH_BITS)
            self.linear[call.result] = self.lengths_of(value, self.rank(value))[0]
            return True
        return False

    def _size(self, call: Call) -> bool:
        if len(call.args) != 1 or not self.is_array(call.args[0]):
            return False
        self.define(call.result, Number("i8"), f"{self.atom(call.args[0])}.size", LENGTH_BITS)
        return True

    def _shape(self, call: Call) -> bool:
        if len(call.args) != 1 or not self.is_array(call.args[0]):
            return False
        self.made[call.result] = call
        return True

    def _flip(self, call: Call) -> bool:
        if not call.args or call.kwargs or self.rank(call.args[0]) != 1:
            return False
        if len(call.args) == 2 and self.known(call.args[1]) not in (None, 0):
            return False
        self.define(call.result, self.result_type(call), f"{self.atom(call.args[0])}[::-1]")
        assert isinstance(call.args[0], Var)
        self.shares(call.result, call.args[0])
        return True

    def _transpose(self, call: Call) -> bool:
        if len(call.args) != 1 or not self.is_array(call.args[0]):
            return False
        self.define(call.result, self.result_type(call), f"{self.atom(call.args[0])}.T")
        assert isinstance(call.args[0], Var)
        self.shares(call.result, call.args[0])
        return True

    def _expanded(self, call: Call) -> bool:
        at, result = self.known(call.args[1]) if len(call.args) == 2 else None, self.result_type(call)
        if type(at) is not int or call.kwargs or not self.is_array(call.args[0]) or not isinstance(result, ArrayOf):
            return False
        parts = [":"] * result.rank
        parts[at] = "None"
        assert isinstance(call.args[0], Var)
        self.define(call.result, result, f"{self.atom(call.args[0])}[{', '.join(parts)}]")
        self.shares(call.result, call.args[0])
        return True

    def _apart(self, call: Call) -> bool:
        """Fresh memory inside a kernel is nobody else's; a view is copied."""
        (value,) = call.args
        if not isinstance(value, Var) or value not in self.own:
            return False
        self.alias(call.result, value)
        return True

    def _writable(self, call: Call) -> bool:
        """A kernel that writes into an array is not called with a read-only one."""
        if not self.is_array(call.args[0]):
            return False
        self.define(call.result, Number("b1"), "True")
        return True

    def _owned(self, call: Call) -> bool:
        """`rt.own(g, x)` of an array of the dtype and shape of `x`; where shapes differ the kernel is left."""
        g, x = call.args
        have = self.native_type(g)
        if not isinstance(have, ArrayOf) or have != self.native_type(x) or have != self.result_type(call):
            return False
        self.fault_if(f"{self.atom(g)}.shape != {self.atom(x)}.shape")
        self.make_copy(call.result, have, self.atom(g))
        self._as_long(call.result, x)
        return True

    def _expected(self, call: Call) -> bool:
        """`a, b = x` of an array; of another length it is Python that says so."""
        count = self.known(call.args[1])
        if len(call.args) != 2 or not self.is_array(call.args[0]) or type(count) is not int:
            return False
        self.fault_if(f"{self.atom(call.args[0])}.shape[0] != {count}")
        assert isinstance(call.args[0], Var)
        self.alias(call.result, call.args[0])
        return True

    def _same_shape(self, call: Call) -> bool:
        """`rt.unbroadcast(g, x)` and `rt.broadcast_like(g, x)` where they have nothing to do, or a number
        to spread; where shapes differ the kernel is left."""
        g, x = call.args
        have, want = self.native_type(g), self.native_type(x)
        if isinstance(have, Number) and isinstance(want, Number):
            self.define(call.result, have, self.atom(g))
        elif isinstance(have, Number) and isinstance(want, ArrayOf) and self.callee(call) is arrays.broadcast_like:
            result = self.result_type(call)
            if result != ArrayOf(have.code, want.rank):
                return False
            self.make(call.result, result, f"np.full({self.atom(x)}.shape, {self.atom(g)})")
            self._as_long(call.result, x)
        elif self._sums(call):
            self.make(call.result, have, f"nt.summed_{self.rank(g)}({self.atom(g)}, {self.atom(x)})")
            self._as_long(call.result, x)
        elif isinstance(g, Var) and isinstance(have, ArrayOf) and isinstance(want, ArrayOf) and have.rank == want.rank:
            self.fault_if(f"{self.atom(g)}.shape != {self.atom(x)}.shape")
            self.alias(call.result, g)
        else:
            return False
        return True

    def _broadcast(self, call: Call) -> bool:
        """`np.broadcast_to(x, np.shape(y))`, where it has nothing to do; the view of it is read alone."""
        x, shape = call.args[0], self.made.get(call.args[-1]) if isinstance(call.args[-1], Var) else None
        if len(call.args) != 2 or call.kwargs or not isinstance(x, Var) or not self.is_array(x) or shape is None:
            return False
        if self.callee(shape) not in (np.shape, np.ndarray.shape) or self.rank(shape.args[0]) != self.rank(x):
            return False
        self.fault_if(f"{self.atom(x)}.shape != {self.atom(shape.args[0])}.shape")
        self.alias(call.result, x)
        self.own.discard(call.result)
        return True

    def _sums(self, call: Call) -> bool:
        """Whether `rt.unbroadcast(g, x)` may have to sum, as `x` may have length 1 along some axis."""
        g, x = call.args
        have, t = self.native_type(g), type_of(x, self.types)
        if self.callee(call) is not arrays.unbroadcast or not isinstance(t, Array) or have != self.native_type(x):
            return False
        short = any(d != "many" for d in t.dims or ())
        return short and have in (ArrayOf("f8", 1), ArrayOf("f8", 2)) and have == self.result_type(call)

    def _laid_out(self, call: Call) -> bool:
        """A test of how arrays lie in memory."""
        args = ", ".join(map(self.atom, call.args))
        self.define(call.result, Number("b1"), f"nt.{self.callee(call).__name__}({args})")
        return True


def _handled() -> dict[Any, Callable[[Any, Call], bool]]:
    a: Any = Arrays
    ndarray: Any = np.ndarray
    return {
        operator.getitem: a.read_item, operator.setitem: a._store, memory.add_at: a._add_at, ops.index_add: a._add_at,
        ndarray.copy: a._copy, np.copy: a._copy, rt.snapshot: a._copy, arrays.copy: a._copy,
        np.zeros_like: a._alike, np.ones_like: a._alike, np.empty_like: a._alike, rt.shadow: a._alike,
        arrays.zeros_like: a._alike, np.zeros: a._filled, np.ones: a._filled, np.empty: a._filled,
        np.sum: a._sum, ndarray.sum: a._sum, np.count_nonzero: a._count,
        np.dot: a.product, operator.matmul: a.product, np.matmul: a.product,
        ndarray.dot: a.product, np.vdot: a.product, np.inner: a.product,
        len: a._len, ndarray.shape: a._shape, np.shape: a._shape, ndarray.size: a._size,
        np.size: a._size, np.flip: a._flip, ndarray.T: a._transpose, np.tril: a._triangle, np.triu: a._triangle,
        loops.disjoint: a._laid_out,
        loops.distinct: a._laid_out, loops.ordered: a._laid_out,
        np.concatenate: a._concatenated, np.reshape: a._reshaped,
        ndarray.reshape: a._reshaped, memory.outline: a._outline, loops.outlined: a._outlined,
        np.outer: a._outer, np.roll: a._rolled, np.cumsum: a._cumulated, np.cumprod: a._cumulated,
        np.full: a._full, np.arange: a._steps, np.linspace: a._span, np.prod: a._product_of_all, np.trace: a._trace,
        np.linalg.det: a.determined, rt.cofactors: a.determined,
        np.any: a._asked, np.all: a._asked, np.argmax: a._asked, np.argmin: a._asked,
        np.linalg.solve: a.solved, np.linalg.inv: a.solved, np.expand_dims: a._expanded, np.eye: a._identity_matrix,
        np.ufunc.at: a.summed_at, overlap.check_masked: a.apart_where, arrays.accumulate: a._add_at,
        adjoints.check_slopes: a._checked_slopes, adjoints.padded_index: a.bordered,
        arrays.scatter: a.scattered, memory.last_writes: a.last_writes,
        ops.expect_length: a._expected, np.array: a._same_array, np.asarray: a._same_array,
        memory.apart: a._apart, arrays.own: a._owned, memory.is_writable: a._writable,
        np.broadcast_to: a._broadcast,
        ndarray.astype: a._converted, np.transpose: a._in_order, ndarray.transpose: a._in_order,
        np.moveaxis: a._in_order, np.swapaxes: a._in_order, ndarray.swapaxes: a._in_order,
        np.diag: a._diagonal, np.diagonal: a._diagonal, ndarray.diagonal: a._diagonal, memory.diagonal_of: a._diagonal,
        arrays.unbroadcast: a._same_shape, arrays.broadcast_like: a._same_shape,
    }  # fmt: skip


HANDLED = {**_handled(), **ORDERS}
