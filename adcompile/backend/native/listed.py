"""Lists that the function makes, in kernels: Numba's lists, of numbers, tuples of numbers, arrays or such lists.

What loops keep for the way back is no such list (`backend/native/lists`), unless it is used in other ways too.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.backend.native.base import EXACT_BITS, LENGTH_BITS
from adcompile.backend.native.ranges import Ranges
from adcompile.backend.native.values import DTYPES, ArrayOf, ListOf, Native, Number, TupleOf, native_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Function, Statement, Var
from adcompile.ir.types import Known, Scalar, Seq, Type
from adcompile.ir.walk import readers_of, statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.typing import hashable
from adcompile.runtime import adjoints, arrays, plain

INTEGERS, FLOATS = ListOf(Number("i8")), ListOf(Number("f8"))
"""Lists of integers into which floats come are those of floats from there on."""


FEW = 16
"""Of more items memory finds the one that is meant sooner than tests do."""


def displays(function: Function, types: Mapping[Var, Type]) -> frozenset[Var]:
    """Lists that are made with all their items and asked for one or another alone: a tuple has them in no memory."""
    calls = [s for s in statements_of(function.body) if isinstance(s, Call) and called(s) is ops.build_list]
    made = [s for s in calls if 0 < len(s.args) <= FEW]
    readers = readers_of(function.body)
    return frozenset(s.result for s in made if all(_asks(r, s.result, types) for r in readers.get(s.result, ())))


def _asks(s: Statement | None, items: Var, types: Mapping[Var, Type]) -> bool:
    """Whether a statement asks a list for an item, by its number."""
    if not isinstance(s, Call) or called(s) is not operator.getitem or s.args[0] is not items:
        return False
    return isinstance(types.get(s.result), Scalar)


class Listed(Ranges):
    """Prints calls on lists."""

    popped: dict[Var, Var]
    uncounted: frozenset[Var]
    displays: frozenset[Var] = frozenset()

    def listed(self, atom: Atom) -> ListOf | None:
        """The native type of a list."""
        found = self.native.get(atom) if isinstance(atom, Var) else None
        return found if isinstance(found, ListOf) else None

    def listed_call(self, call: Call, fn: Any) -> bool:
        """Print a call if it is one on lists that kernels know."""
        if not hashable(fn) or fn not in CALLS or call.kwargs and fn is not ops.sort_order:
            return False
        if fn in JOINING:
            for a in call.args:
                if self.lists.is_list(a):
                    raise self.unkept(a, "a list that a loop fills, of which another is made")
        if fn is not ops.build_list and not any(self.listed(a) for a in call.args):
            return False
        return CALLS[fn](self, call)

    def truth(self, atom: Atom) -> str:
        if self.lists.is_list(atom):
            raise self.unkept(atom, "a test of whether a list that a loop fills holds anything")
        if self.listed(atom) is not None:
            return f"len({self.atom(atom)}) != 0"
        return super().truth(atom)

    # -- making

    def _made_list(self, call: Call) -> bool:
        found = self._type_made(call)
        if found is None:
            return False
        if isinstance(found.item, Number) and call.args:
            items = ", ".join(self.cast(a, found.item.code) for a in call.args)
            self.define(call.result, found, f"({items},)" if call.result in self.displays else f"[{items}]")
            return True
        self.define(call.result, found, self.empty_list(found))
        for a in call.args:
            self._append(call.result, a, found)
        return True

    def _type_made(self, call: Call) -> ListOf | None:
        """The native type of a list that is made: that of what it becomes."""
        root = self.lists.find(call.result)
        for var, t in self.types.items() if root in self.lists.parent.values() else ():
            if isinstance(t, Seq) and self.lists.find(var) is root:
                found = native_of(t)
                if isinstance(found, ListOf):
                    return found
        if not call.args:
            return None
        items = {native_of(self.types[a]) if isinstance(a, Var) else self.native_type(a) for a in call.args}
        if len(items) > 1 and all(isinstance(i, Number) and i.code in ("f8", "i8") for i in items):
            items = {Number("f8")}
        (item,) = items if len(items) == 1 else (None,)
        return None if item is None else ListOf(item)

    def empty_list(self, found: ListOf) -> str:
        return f"nt.none_of({self._sample(found.item)})"

    def _sample(self, item: Native) -> str:
        match item:
            case Number(code):
                return {"f8": "0.0", "f4": "np.float32(0.0)", "i8": "0", "b1": "False", "c16": "0j"}[code]
            case ArrayOf(code, rank):  # of the layout that all views have
                return f"np.empty(({'0, ' * rank}), {DTYPES[code]})[::-1]"
            case TupleOf(items):
                return "(" + "".join(f"{self._sample(i)}, " for i in items) + ")"
            case ListOf():
                return self.empty_list(item)

    # -- items

    def _item_text(self, value: Atom, item: Native) -> str:
        """A value as an item."""
        if isinstance(item, Number):
            if item.code in ("b1", "f4") and self.code(value) != item.code:  # it would not be what it is
                self.refuse("a list of different kinds of items")
            return self.cast(value, item.code)
        if isinstance(item, ListOf):
            if self.lists.is_list(value):
                raise self.unkept(value, "a list that a loop fills, as an item of one that is no such list")
            return self.as_items(value, item)
        if self.native_type(value) != item and isinstance(item, TupleOf) and self._is_cotangent(value):
            parts = self._parts_added(item, value) or ()
            if len(parts) == len(item.items):  # None is nothing there
                return "(" + "".join(f"{p or self._sample(n)}, " for p, n in zip(parts, item.items)) + ")"
        if self.native_type(value) != item:
            self.refuse("a list of different kinds of items")
        return self.atom(value)

    def _is_cotangent(self, value: Atom) -> bool:
        """Whether a tuple is one that adjoints make of others."""
        return isinstance(value, Var) and value in self.made and self.made[value].role == "adjoint"

    def _append(self, items: Var, value: Atom, found: ListOf) -> None:
        self.line(f"nt.pushed({self.names[items]}, {self._item_text(value, found.item)})")
        self._holds_memory(items, value, found)

    def _holds_memory(self, items: Var, value: Atom, found: ListOf) -> None:
        if not isinstance(found.item, Number):
            self.shares_parts(items, value)

    def as_items(self, value: Atom, found: ListOf) -> str:
        """A list, or a tuple of which the items are known, as a list of this type."""
        if self.native_type(value) == found:
            return self.atom(value)
        if self.listed(value) == INTEGERS and found == FLOATS:
            self.faults = True  # integers that are no floats exactly
            return f"nt.floats({self.atom(value)})"
        known = self.known(value)
        made = self.made.get(value) if isinstance(value, Var) else None
        if type(known) is tuple:
            parts: tuple[Atom, ...] = tuple(map(Const, known))
        elif made is not None and self.callee(made) is ops.build_tuple:
            parts = made.args
        else:
            self.refuse(f"{getattr(value, 'name', 'None')}, which is of different kinds on different paths")
        items = Var("items", self.place)
        self.define(items, found, self.empty_list(found))
        for part in parts:
            self._append(items, part, found)
        if isinstance(value, Var) and not isinstance(found.item, Number):
            self.shares(items, value)
        return self.names[items]

    def _turned(self, call: Call) -> Var | None:
        """The list that a call uses up; integers as floats, where what it becomes may hold floats."""
        items = call.args[0]
        if not isinstance(items, Var) or self.listed(items) is None:
            return None
        if self.listed(items) != INTEGERS or native_of(self.types[call.result]) != FLOATS:
            return items
        turned = Var(items.name, items.place)
        self.define(turned, FLOATS, self.as_items(items, FLOATS))
        return turned

    def _push_listed(self, call: Call) -> bool:
        items, value = self._turned(call), call.args[1]
        found = self.listed(items) if items is not None else None
        if found is None or items is None:
            return False
        self._append(items, value, found)
        self.alias(call.result, items)
        return True

    def _pop_listed(self, call: Call) -> bool:
        (items,) = call.args
        found = self.listed(items)
        if found is None or not isinstance(items, Var):
            return False
        self.faults = True  # an empty list
        item = self.popped.setdefault(call.result, Var("item", call.place))
        self.define(item, found.item, f"nt.popped({self.names[items]})")
        self._taken(item, items, found)
        self.made[call.result] = replace(call, fn=Const(ops.build_tuple), args=(items, item))
        return True

    def _taken(self, item: Var, items: Var, found: ListOf) -> None:
        if not isinstance(found.item, Number):
            self.shares(item, items)

    def _get_listed(self, call: Call) -> bool:
        items, k = call.args
        found = self.listed(items)
        if found is None or not isinstance(items, Var):
            return False
        self.faults = True
        if isinstance(self.known(k), builtins.slice) or isinstance(k, Var) and k in self.made:
            part = self._part(items, 0, k)
            if part[0] != "slice":
                return False
            self.define(call.result, found, f"{self.names[items]}[{part[1]}]")
            self.shares(call.result, items)
            return True
        wanted = native_of(self.types[call.result])
        if found == FLOATS and wanted == Number("i8"):  # what has not turned yet
            text = f"nt.integer({self.names[items]}[{self._place_in_list(k)}])"
            self.define(call.result, wanted, text, EXACT_BITS)
            return True
        if wanted is not None and wanted != found.item:
            self.refuse("an item of a list that has another class there")
        name, at = self.names[items], self._place_in_list(k)
        text = f"nt.item({name}, {at})" if call.result in self.uncounted else f"{name}[{at}]"
        self.define(call.result, found.item, text)
        self._taken(call.result, items, found)
        return True

    def _place_in_list(self, k: Atom) -> str:
        self.check_whole(k)
        return self.cast(k, "i8")

    def _put_listed(self, call: Call, into: Var | None = None) -> bool:
        (items, k, value), plain = call.args, self.callee(call) is operator.setitem
        if into is None and not plain:
            items = self._turned(call)
        found = self.listed(items if into is None else into) if items is not None else None
        if found is None or not isinstance(items, Var):
            return False
        self.faults = True
        name = self.names[items] if into is None else self.names[into]
        self.line(f"{name}[{self._place_in_list(k)}] = {self._item_text(value, found.item)}")
        self._holds_memory(items, value, found)
        if into is None and not plain:
            self.alias(call.result, items)
        return True

    def _set_listed(self, call: Call) -> bool:
        items = call.args[0]
        found = self.listed(items)
        if found is None or not isinstance(items, Var):
            return False
        result = native_of(self.types[call.result])
        if found == INTEGERS and result == FLOATS:
            self.define(call.result, FLOATS, self.as_items(items, FLOATS))
        else:
            self.define(call.result, found, f"{self.names[items]}.copy()")
        self.shares(call.result, items)
        return self._put_listed(call, call.result)

    def _add_listed(self, call: Call) -> bool:
        items, k, value = call.args
        found = self.listed(items)
        if found is None or not isinstance(items, Var):
            return False
        self.faults = True
        name, at = self.names[items], self._place_in_list(k)
        if isinstance(found.item, Number):
            self.line(f"{name}[{at}] += {self.cast(value, found.item.code)}")
        elif isinstance(found.item, ArrayOf) and self.callee(call) is ops.index_add:  # `add_item` makes another
            part = self.fresh("part")
            self.line(f"{part} = nt.item({name}, {at})")
            if self.native_type(value) == found.item == ArrayOf(found.item.code, 1):
                self.line(f"nt.added_to({part}, {self.atom(value)})")
            elif isinstance(self.native_type(value), ArrayOf):
                self.fault_if(f"{part}.shape != {self.atom(value)}.shape")
                self.line(f"nt.put({part}, {part} + {self.atom(value)})")
            else:
                self.line(f"{part} += {self.cast(value, found.item.code)}")
            self.line(f"nt.held({name})")
            self.written.add(items)
        elif isinstance(found.item, TupleOf):
            self._add_to_tuple(f"{name}[{at}]", found.item, value)
        else:
            return False
        self.alias(call.result, items)
        return True

    def _add_to_tuple(self, place: str, found: TupleOf, value: Atom) -> None:
        """Add to an item that is a tuple of numbers: of a tuple, in which None and 0 are nothing."""
        parts = self._parts_added(found, value)
        if parts is None or not all(isinstance(n, Number) for n in found.items):
            self.refuse("a sum of tuples of other than numbers")
        item = self.fresh("item")
        self.line(f"{item} = {place}")
        sums = [f"{item}[{k}]" + (f" + {part}" if part else "") for k, part in enumerate(parts)]
        self.line(f"{place} = ({', '.join(sums)},)")

    def _parts_added(self, found: TupleOf, value: Atom) -> list[str] | None:
        if isinstance(value, Const) and (value.value is None or type(value.value) in (int, float) and value.value == 0):
            return [""] * len(found.items)
        if isinstance(value, Var) and value in self.made and self.callee(self.made[value]) is ops.build_tuple:
            args = self.made[value].args
            texts = [self._part_added(a, n) for a, n in zip(args, found.items)]
            return texts if len(args) == len(found.items) else None
        native = self.native_type(value)
        return [f"{self.atom(value)}[{k}]" for k in range(len(found.items))] if native == found else None

    def _part_added(self, value: Atom, native: Native) -> str:
        if isinstance(value, Const) and value.value is None or self.types.get(value) == Known(None):  # type: ignore[arg-type]
            return ""
        return self.cast(value, native.code) if isinstance(native, Number) else ""

    # -- whole lists

    def _len_listed(self, call: Call) -> bool:
        self.define(call.result, Number("i8"), f"len({self.atom(call.args[0])})", LENGTH_BITS)
        return True

    def _copy_listed(self, call: Call) -> bool:
        (items,) = call.args
        found = self.listed(items)
        if found is None or not isinstance(items, Var):
            return False
        deep = self.callee(call) is arrays.copy and not isinstance(found.item, Number)
        if deep and not isinstance(found.item, ArrayOf):
            return False
        text = f"nt.copies({self.names[items]})" if deep else f"{self.names[items]}.copy()"
        self.define(call.result, found, text)
        if not deep:
            self.shares(call.result, items)
        return True

    def _zeros_listed(self, call: Call) -> bool:
        (items,) = call.args
        found, result = self.listed(items), native_of(self.types[call.result])
        if found is None or not isinstance(items, Var) or not isinstance(result, ListOf):
            return False
        numbers = result.item.items if isinstance(result.item, TupleOf) else (result.item,)
        if all(isinstance(n, Number) for n in numbers):
            text = f"[{self._sample(result.item)}] * len({self.names[items]})"
        elif result == found and isinstance(result.item, ArrayOf):
            text = self._zeros_of(items, result.item)
        else:
            return False
        self.define(call.result, result, text)
        return True

    def _zeros_of(self, items: Var, item: ArrayOf) -> str:
        name = self.names[items]
        return f"nt.zeros_of_all({name})" if item.rank > 1 else f"nt.zero_vectors({name}, {DTYPES[item.code]})"

    def _scattered_list(self, call: Call) -> bool:
        """`scatter_list(items, index, g)`: zeros for all items but for those of a slice, which are in `g`."""
        items, index, g = call.args
        found = self.listed(items)
        result = native_of(self.types[call.result])
        if not isinstance(found, ListOf) or not isinstance(items, Var) or self.listed(g) != result:
            return False
        if isinstance(found.item, ArrayOf) and result == found:
            zeros, given = self._zeros_of(items, found.item), f"nt.copies({self.atom(g)})"
        elif isinstance(found.item, Number) and isinstance(result, ListOf) and isinstance(result.item, Number):
            zeros, given = f"[{self._sample(result.item)}] * len({self.names[items]})", self.atom(g)
        else:
            return False
        kind, place = self._part(items, 0, index)
        if kind != "slice":
            return False
        self.define(call.result, result, zeros)
        self.line(f"{self.names[call.result]}[{place}] = {given}")
        return True

    def _sums_listed(self, call: Call) -> bool:
        """`rt.add` of two lists of cotangents of the same values."""
        a, b = call.args
        found = self.listed(a)
        if found is None or self.listed(b) != found or not isinstance(found.item, (Number, ArrayOf)):
            return False
        self.fault_if(f"len({self.atom(a)}) != len({self.atom(b)})")
        if isinstance(found.item, ArrayOf):  # which may show each other's memory: sums lie in their own
            self.define(call.result, found, f"nt.sums_of_all({self.atom(a)}, {self.atom(b)})")
            return True
        p, q = self.fresh("p"), self.fresh("q")
        self.define(call.result, found, f"[{p} + {q} for {p}, {q} in zip({self.atom(a)}, {self.atom(b)})]")
        return True

    def _array_of_list(self, call: Call) -> bool:
        """`np.array(items)`, and `np.stack(items)` of vectors."""
        items, result = call.args[0], native_of(self.types[call.result])
        found = self.listed(items) if len(call.args) == 1 else None
        if found is None or not isinstance(result, ArrayOf):
            return False
        self.faults = True
        if found.item == Number(result.code) and result.rank == 1 and self.callee(call) is np.array:
            self.make(call.result, result, f"nt.array_of({self.atom(items)}, {DTYPES[result.code]})")
        elif found.item == ArrayOf(result.code, 1) and result.rank == 2:
            self.make(call.result, result, f"nt.matrix_of({self.atom(items)})")
        else:
            return False
        return True

    def _parts_of_array(self, call: Call) -> bool:
        """`unjoin(np.array, g, items)`: the items of `g`."""
        first = all(type(k) is int and k == 0 for k in map(self.known, call.args[3:]))  # the axis that was made
        found, g = self.listed(call.args[2]) if first else None, call.args[1]
        result = native_of(self.types[call.result])
        if found is None or self.known(call.args[0]) not in (np.array, np.stack) or not isinstance(result, ListOf):
            return False
        if isinstance(found.item, Number) and self.native_type(g) == ArrayOf(found.item.code, 1):
            self.define(call.result, result, f"nt.listed({self.atom(g)})")
        elif isinstance(g, Var) and result == found == ListOf(ArrayOf("f8", 1)) and self.native[g] == ArrayOf("f8", 2):
            self.define(call.result, result, f"nt.parts_of({self.atom(g)}, {self.empty_list(result)})")
            self.shares(call.result, g)
        else:
            return False
        return True

    def _sort_order(self, call: Call) -> bool:
        """`sort_order(items, reverse=…)`: how `sorted` goes through numbers."""
        reverse = self.known(dict(call.kwargs).get("reverse", Const(False)))
        found = self.listed(call.args[0])
        if found not in (INTEGERS, FLOATS) or len(call.args) != 1 or type(reverse) is not bool:
            return False
        self.faults = True  # what is no number
        dtype = "np.int64" if found == INTEGERS else "np.float64"
        self.define(call.result, INTEGERS, f"nt.sort_order({self.atom(call.args[0])}, {reverse}, {dtype})")
        return True

    def _is_filled(self, call: Call) -> bool:
        """`rt.check_filled(place, items, 1, 0)`."""
        items, rest = call.args[1], [self.known(a) for a in call.args[2:]]
        if self.listed(items) is None or rest not in ([], [1], [1, 0]):
            return False
        self.fault_if(f"len({self.atom(items)}) == 0")
        return True

    def _joined_lists(self, call: Call) -> bool:
        found = native_of(self.types[call.result])
        if not isinstance(found, ListOf) or len(call.args) != 2:
            return False
        self.define(call.result, found, " + ".join(self.as_items(a, found) for a in call.args))
        for a in call.args:
            if isinstance(a, Var):
                self.shares(call.result, a)
        return True

    def _repeated_list(self, call: Call) -> bool:
        items, times = call.args
        if self.listed(items) is None:
            items, times = times, items
        found = self.listed(items)
        if found is None or not isinstance(items, Var) or self.native_type(times) != Number("i8"):
            return False
        self.define(call.result, found, f"{self.names[items]} * {self.cast(times, 'i8')}")
        self.shares(call.result, items)
        return True

    def _same_list(self, call: Call) -> bool:
        (items,) = call.args
        assert isinstance(items, Var)
        self.alias(call.result, items)
        return True


JOINING = frozenset({operator.add, operator.mul, ops.list_concat, ops.tuple_concat})
"""Calls that are some on numbers, too."""
Printed = Callable[[Any, Call], bool]
L: Any = Listed
CALLS: dict[Any, Printed] = {
    ops.build_list: L._made_list, ops.push: L._push_listed, ops.pop: L._pop_listed, operator.getitem: L._get_listed,
    arrays.replaced: L._get_listed,
    ops.put_item: L._put_listed, operator.setitem: L._put_listed, ops.list_set: L._set_listed,
    ops.index_add: L._add_listed, arrays.add_item: L._add_listed,
    len: L._len_listed, list: L._copy_listed, tuple: L._copy_listed, arrays.copy: L._copy_listed,
    arrays.scatter_list: L._scattered_list, arrays.add: L._sums_listed,
    arrays.zero_list: L._zeros_listed, np.array: L._array_of_list, np.stack: L._array_of_list,
    adjoints.unjoin: L._parts_of_array,
    ops.list_concat: L._joined_lists, ops.tuple_concat: L._joined_lists, operator.add: L._joined_lists,
    operator.mul: L._repeated_list, ops.sort_order: L._sort_order,
    ops.identity: L._same_list, ops.collected: L._same_list, plain.check_filled: L._is_filled,
}  # fmt: skip
