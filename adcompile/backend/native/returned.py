"""Lists that a region gives to the code behind it: arrays of their items, of which its caller makes lists again.

What comes so are copies, and nobody must be able to tell. Of lists themselves nobody can: what writes into them uses
them up (`optimise.callables.LINEAR`), and what writes in place is refused. Of the arrays in them nobody can if they are
steady (`backend/native/steady`) and lie in memory as before (`keep_order`). Items have the classes that the function
gives them, and None is None again, but in lists of the adjoints' own, which read nothing where there was nothing.
"""

from __future__ import annotations

import numpy as np

from adcompile.backend.native.handed import Handing, Layout
from adcompile.backend.native.lists import Lists
from adcompile.backend.native.values import DTYPES, ArrayOf, Code, ListOf, Native, Number, TupleOf, is_mixed
from adcompile.ir.nodes import Atom, Call, Function, Var
from adcompile.ir.types import Array, ListT, RangeT, Seq, TupleT, Type, join
from adcompile.ir.walk import statements_of
from adcompile.optimise.typing import kinds as scalar_kinds


class Returning(Handing):
    """Prints lists that are results."""

    returns: bool
    """Whether lists may be results."""
    steady: frozenset[Var]
    """Arrays, and lists of some, of which copies do as well."""
    inner: frozenset[Var]
    """Classes of lists that adjoints alone make: what classes their numbers have is nobody's business."""

    def may_change(self, array: Var) -> bool:
        return array not in self.steady and super().may_change(array)

    def is_listed(self, value: Var) -> bool:
        return self.lists.is_list(value) or isinstance(self.native.get(value), ListOf)

    def returned(self, value: Atom, flat: list[str]) -> str | None:
        """Add the arrays that hold a list, if this is one, or what a range consists of; gives the expression that makes
        it of them."""
        if not self.returns or not isinstance(value, Var):
            return None
        if value in self.ends:
            flat.append(self.end_of(value))
            return f"range(r[{len(flat) - 1}])"
        kept = self.lists.is_list(value)
        native = self.native.get(value)
        if not kept and not isinstance(native, ListOf):
            return None
        first, root = len(flat), self.lists.find(value)
        if kept:
            layout, texts = self.layout(value)
        else:
            assert isinstance(native, ListOf)
            layout, texts = self._columns(value, native)
        flat += texts
        if kept and root not in self.inner and self.stores[root].optional:
            self.refuse(f"{value.name}, a list that holds nothing on some paths")
        if isinstance(leaf_of(layout), ArrayOf) and value not in self.steady:
            self.refuse("a list of arrays as a result, which are written or shown")
        plain = innermost(self.types.get(value))
        if isinstance(leaf_of(layout), ArrayOf) and not isinstance(plain, Array) and root not in self.inner:
            self.refuse(f"{value.name}, a list of arrays or None")
        text = self._list_text(layout, item_of(self.types.get(value)), first, root in self.inner)
        if isinstance(t := self.types.get(value), Seq) and t.cls is tuple:
            return f"tuple({text})"
        origin = self.lists.origin(value)
        if kept and origin in self.absent and origin not in self.lists.sites:  # None on some paths
            flat.append(f"{self.start(value)} >= 0")
            return f"({text} if r[{len(flat) - 1}] else None)"
        return text

    def _columns(self, items: Var, native: ListOf) -> tuple[Layout, list[str]]:
        """The arrays that hold the items of one of Numba's lists."""
        name, item = self.names[items], native.item
        if isinstance(item, Number):
            return Layout((item.code,), item), [f"nt.array_of({name}, {DTYPES[item.code]})"]
        if isinstance(item, ArrayOf):
            return self._copied_arrays(name, item)
        codes = codes_of(item)
        if not codes:
            self.refuse(f"{items.name}, a list of other than numbers as a result")
        columns = [self.fresh(f"{items.name}_{k}") for k in range(len(codes))]
        for column, code in zip(columns, codes):
            self.line(f"{column} = np.empty(len({name}), {DTYPES[code]})")
        k = self.fresh("k")
        self.line(f"for {k} in range(len({name})):")
        for number, column in enumerate(columns):
            self.line(f"    {column}[{k}] = {name}[{k}][{number}]")
        return Layout(codes, item), columns

    def keep_order(self, name: str, native: ArrayOf, margin: str = "") -> None:
        """Leave the kernel where a copy of an array would lie in memory in another way."""
        if self.returns and native.rank > 1:
            self.faults = True
            self.line(f"{margin}if not nt.ordered({name}):")
            self.line(f"{margin}    raise nt.Fault")

    def _copied_arrays(self, name: str, item: ArrayOf) -> tuple[Layout, list[str]]:
        """Where each array begins, its shape, and what all of them hold."""
        columns = [self.fresh(f"{name}_{k}") for k in range(item.rank + 1)]
        data, at, k = self.fresh(f"{name}_data"), self.fresh("at"), self.fresh("k")
        for column in columns:
            self.line(f"{column} = np.empty(len({name}), np.int64)")
        self.line(f"{at} = 0")
        self.line(f"for {k} in range(len({name})):")
        for number, column in enumerate(columns):
            self.line(f"    {column}[{k}] = {f'{name}[{k}].shape[{number - 1}]' if number else at}")
        self.line(f"    {at} += {name}[{k}].size")
        self.keep_order(f"{name}[{k}]", item, "    ")
        self.line(f"{data} = np.empty({at}, {DTYPES[item.code]})")
        self.line(f"for {k} in range(len({name})):")
        part = f"{columns[0]}[{k}] : {columns[0]}[{k}] + {name}[{k}].size"
        self.line(f"    {data}[{part}] = {name}[{k}].ravel()")
        return Layout(("i8",) * (item.rank + 1), item), [*columns, data]

    def _list_text(self, layout: Layout, item: Type | None, first: int, inner: bool) -> str:
        """The expression of a list whose arrays are the machine values from one on."""
        if layout.inner is not None:
            within = self._list_text(layout.inner, item_of(item), first + 1, inner)
            return f"cut({within}, r[{first}].tolist())"
        if layout.step:
            if not inner and not isinstance(item, RangeT):
                self.refuse("a list of ranges or None as a result")
            return f"[range(a, b, {layout.step}) for a, b in zip(r[{first}].tolist(), r[{first + 1}].tolist())]"
        if isinstance(layout.native, Number):
            return self._column_text(first, layout.native.code, item, inner)
        if isinstance(layout.native, ArrayOf):
            sizes = [f"s{k}" for k in range(layout.native.rank)]
            columns = ", ".join(f"r[{first + k}].tolist()" for k in range(len(layout.codes)))
            part = f"r[{first + len(layout.codes)}][a:a + {' * '.join(sizes)}]"
            part += f".reshape(({', '.join(sizes)}))" if len(sizes) > 1 else ""
            return f"[{part} if a >= 0 else None for a, {', '.join(sizes)} in zip({columns})]"
        codes, items = codes_of(layout.native), item.items if isinstance(item, TupleT) else ()
        if not codes or len(items) != len(codes):
            self.refuse("a list of other than numbers as a result")
        columns = [self._column_text(first + k, code, t, inner) for k, (code, t) in enumerate(zip(codes, items))]
        return f"list(zip({', '.join(columns)}))"

    def _column_text(self, k: int, code: Code, item: Type | None, inner: bool) -> str:
        found = scalar_kinds(item) if item is not None else frozenset[type]()
        if found and all(issubclass(kind, np.generic) for kind in found):
            return f"list(r[{k}])"
        if len(found) != 1 and not (inner and int not in found and not is_mixed(found) and code != "c16"):
            self.refuse("a list of numbers as a result, whose classes are decided at run time")
        return f"list(r[{k}])" if code in ("f8", "f4") and len(found) != 1 else f"r[{k}].tolist()"


def leaf_of(layout: Layout) -> Native | None:
    """What the innermost lists hold."""
    return layout.native if layout.inner is None else leaf_of(layout.inner)


def innermost(t: Type | None) -> Type | None:
    """The type of what the innermost lists hold."""
    item = item_of(t)
    return innermost(item) if isinstance(item, (Seq, ListT)) else item


def codes_of(native: Native | None) -> tuple[Code, ...]:
    """The machine types of the items of a tuple of numbers."""
    if not isinstance(native, TupleOf) or not all(isinstance(n, Number) for n in native.items):
        return ()
    return tuple(n.code for n in native.items if isinstance(n, Number))


def item_of(t: Type | None) -> Type | None:
    """The type of the items of a list."""
    if isinstance(t, Seq):
        return t.item
    if isinstance(t, ListT) and t.items:
        out = t.items[0]
        for item in t.items[1:]:
            out = join(out, item)
        return out
    return None


def inner_lists(function: Function, lists: Lists) -> frozenset[Var]:
    """The classes of lists of which every call that gives one is the adjoints' own."""
    roles: dict[Var, set[str]] = {}
    for s in statements_of(function.body):
        if isinstance(s, Call):
            roles.setdefault(lists.find(s.result), set()).add(s.role)
    return frozenset(root for root, found in roles.items() if found == {"adjoint"})
