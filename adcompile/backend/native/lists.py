"""What loops keep, in kernels: flat growing storage in place of lists, and lists of lists.

A list into which a loop pushes is a part of one flat array: it is known by where it starts, as nothing else is
pushed to that array before the list is whole. A list of lists holds these starts. Tuples are kept item by item,
each in an array of its own.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from adcompile.backend.native.arena import Kept, lent
from adcompile.backend.native.base import LENGTH_BITS
from adcompile.backend.native.hollow import Hollow
from adcompile.backend.native.values import DTYPES, ArrayOf, Code, ListOf, Native, Number, TupleOf, Unkept
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import Known, ListT, RangeT, Seq, Type
from adcompile.ir.walk import blocks_of, ends
from adcompile.runtime import arrays

SAME = (ops.put_item, ops.index_add, arrays.add_item, ops.identity, ops.collected)
"""Calls that give the list that they are given."""
NOWHERE = "-1"
"""Where None begins, among arrays and lists."""
Path = tuple[tuple[If, int], ...]


@dataclass
class Lists:
    """Which values are lists that are pushed to, which may be one and the same, and where each comes from."""

    parent: dict[Var, Var] = field(default_factory=dict["Var", "Var"])
    item: dict[Var, Var] = field(default_factory=dict["Var", "Var"])
    sites: dict[Var, Path] = field(default_factory=dict["Var", Path])  # results of build_list, by the branches around
    roots: set[Var] = field(default_factory=set["Var"])  # classes with a site
    source: dict[Var, tuple[Atom, ...]] = field(default_factory=dict["Var", "tuple[Atom, ...]"])
    in_loop: set[Var] = field(default_factory=set["Var"])
    general: set[Var] = field(default_factory=set["Var"])  # classes that are lists as Numba has them

    def find(self, var: Var) -> Var:
        while var in self.parent:
            var = self.parent[var]
        return var

    def union(self, a: Var, b: Var) -> None:
        a, b = self.find(a), self.find(b)
        if a is b:
            return
        self.parent[a] = b
        if a in self.roots:
            self.roots.remove(a)
            self.roots.add(b)
        if a in self.item:
            inner = self.item.pop(a)
            if b in self.item:
                self.union(inner, self.item[b])
            else:
                self.item[b] = inner

    def item_of(self, var: Var) -> Var:
        root = self.find(var)
        if root not in self.item:
            self.item[root] = Var("item")
        return self.item[root]

    def begins(self, var: Var, path: Path) -> None:
        self.sites[var] = path
        self.roots.add(self.find(var))

    def is_list(self, atom: Atom) -> bool:
        root = self.find(atom) if isinstance(atom, Var) else None
        return root in self.roots and root not in self.general

    def origin(self, var: Var) -> Var:
        """The value whose start a list has: where it was made, read, or joined."""
        met: set[Var] = set()
        while var in self.source and var not in met:
            met.add(var)
            found = {self.origin(a) for a in self.source[var] if isinstance(a, Var)}
            if len(found) != 1 or not all(isinstance(a, Var) for a in self.source[var]):
                return var
            var = found.pop()
        return var

    def exclusive(self, root: Var) -> bool:
        """Whether no two places that make lists of a class are on one path."""
        paths = [path for v, path in self.sites.items() if self.find(v) is root]
        pairs = [(p, q) for k, p in enumerate(paths) for q in paths[:k]]
        return all(any(s is t and i != j for s, i in p for t, j in q) for p, q in pairs)


def lists_of(function: Function, types: Mapping[Var, Type], given: Mapping[Var, int] | None = None) -> Lists:
    """The lists of a function, with those that it is given, which are lists of lists of so many kinds."""
    out = Lists()
    for v, depth in (given or {}).items():
        for _ in range(depth):
            out.begins(v, ())
            v = out.item_of(v)
    reads: list[Call] = []
    popped: dict[Atom, Var] = {}
    for statement, path, inside in _statements(function.body, (), False):
        match statement:
            case Call(result=result, fn=Const(value=fn), args=args):
                if fn is ops.build_list and not isinstance(types.get(result), Known):
                    out.begins(result, path)
                    if inside:
                        out.in_loop.add(result)
                elif fn is ops.push:
                    _flow(out, result, args[0])
                    out.source[result] = (args[0],)
                    if isinstance(args[0], Var) and isinstance(args[1], Var):
                        out.union(out.item_of(args[0]), args[1])
                elif fn is operator.getitem:
                    reads.append(statement)
                    if args[0] in popped and isinstance(args[1], Const):
                        of = popped[args[0]]
                        out.union(result, of if args[1].value == 0 else out.item_of(of))
                elif fn is ops.pop and isinstance(args[0], Var):
                    popped[result] = args[0]
                elif fn in SAME and isinstance(args[0], Var):
                    if isinstance(types.get(args[0]), (Seq, ListT)):
                        out.union(result, args[0])
            case If():
                for block in (statement.then, statement.orelse):
                    if isinstance(block.end, Yield):
                        for r, v in zip(statement.results, block.end.values):
                            _flow(out, r, v)
                            out.source[r] = (*out.source.get(r, ()), v)
            case For() | While():
                params = statement.body.params[isinstance(statement, For) :]
                for r, p, v in zip(statement.results, params, statement.init):
                    _flow(out, r, p)
                    _flow(out, p, v)
                    out.source[r], out.source[p] = (v,), (v,)
                for end in ends(statement.body):
                    for p, v in zip(params, end):
                        _flow(out, p, v)
            case _:
                pass
    changed = True
    while changed:
        changed = False
        for call in reads:
            items = call.args[0]
            if out.is_list(items) and isinstance(items, Var):
                inner = out.item_of(items)
                if out.find(inner) is not out.find(call.result):
                    out.union(inner, call.result)
                    changed = True
    return out


def _flow(out: Lists, into: Var, value: Atom) -> None:
    if isinstance(value, Var):
        out.union(into, value)


def _statements(block: Block, path: Path, inside: bool) -> Iterator[tuple[Statement, Path, bool]]:
    for s in block.statements:
        yield s, path, inside
        for k, inner in enumerate(blocks_of(s)):
            further = (*path, (s, k)) if isinstance(s, If) else path
            yield from _statements(inner, further, inside or isinstance(s, (For, While)))


@dataclass
class Store:
    """The arrays that hold the items of a class of lists."""

    name: str
    top: str
    codes: tuple[Code, ...]
    native: Native | None  # of an item; None: a list
    columns: list[str] = field(default_factory=list[str])
    data: str = ""
    """What arrays hold, one behind the other; the columns say where each begins, and its shape."""
    views: bool = False  # a list of arrays as they are; else what they hold is copied
    sample: Var | None = None  # one of the arrays
    step: int = 0  # of ranges, of which start and stop are kept
    optional: bool = False  # on some paths nothing is kept
    given: bool = False  # whoever calls the kernel has made it


class Keeping(Hollow):
    """Prints pushes and reads of kept values."""

    lists: Lists
    stores: dict[Var, Store]
    starts: dict[Var, str]
    loops: list[For | While]

    def list_call(self, call: Call, fn: object) -> bool:
        if fn is ops.build_list and self.lists.is_list(call.result):
            self._made(call)
        elif fn is ops.push and self.lists.is_list(call.args[0]):
            self._push(call)
        elif fn is operator.getitem and self.lists.is_list(call.args[0]):
            self._read(call)
        else:
            return False
        return True

    def unkept(self, items: Atom, what: str) -> Unkept:
        assert isinstance(items, Var)
        return Unkept(what, self.place, self.lists.find(items))

    def start(self, atom: Atom) -> str:
        """Where a list starts, in its storage."""
        if not isinstance(atom, Var):
            return "0"
        found = self.starts.get(self.lists.origin(atom))
        if found is None:
            raise self.unkept(atom, f"{atom.name}, a list that comes from outside of the loops that fill it")
        return found

    def _made(self, call: Call) -> None:
        if call.args:
            raise self.unkept(call.result, "a list that begins with items")
        root = self.lists.find(call.result)
        if not self.lists.exclusive(root):
            raise self.unkept(call.result, f"{call.result.name}, one of several lists for which there is one name")
        if call.result in self.lists.in_loop or len([v for v in self.lists.sites if self.lists.find(v) is root]) > 1:
            name = self.starts[call.result] = self.fresh(f"{call.result.name}_start")
            self.line(f"{name} = {self._top(root, call.result.name)}")
        else:
            self.starts[call.result] = "0"

    def _top(self, root: Var, hint: str) -> str:
        return self._store_of(root, hint).top

    def _store_of(self, root: Var, hint: str) -> Store:
        if root not in self.stores:
            name = self.fresh(hint)
            self.stores[root] = Store(name, self.fresh(f"{name}_top"), (), None)
        return self.stores[root]

    def _push(self, call: Call) -> None:
        items, value = call.args
        assert isinstance(items, Var)
        if self.lists.origin(items) not in self.lists.sites:
            raise self.unkept(items, f"{items.name}, a list that grows after it was kept")
        root = self.lists.find(items)
        store = self._store_of(root, call.result.name)
        if store.given:
            raise self.unkept(items, f"{items.name}, a list from elsewhere that is written")
        if isinstance(value, Var) and isinstance(self.native.get(value), ListOf):
            raise self.unkept(items, f"{items.name}, a list of lists")
        outlines = root in self.hollow
        texts = self.outline_texts(store, value) if outlines else self._texts(store, value)
        if texts is None:
            return  # what is kept on other paths is not known yet: the kernel is printed twice
        if store.views:
            self.line(f"nt.pushed({store.name}, {texts[0]})")
            self.line(f"{store.top} += 1")
            return
        if not outlines and isinstance(value, Var) and value in self.begins:
            name = self.names[value]
            texts = [self.begins[value], *(f"{name}.shape[{k}]" for k in range(len(store.codes) - 1))]
        elif not outlines and isinstance(store.native, ArrayOf) and texts[0] != NOWHERE:
            texts = self._copied(store, texts[0], store.native)
        if not self._reserved(root):
            for column in store.columns:
                self.line(f"if {store.top} == {column}.shape[0]:")
                self.line(f"    {column} = nt.grown({column}, {store.top}, {store.top} + 1)")
        for column, text in zip(store.columns, texts):
            self.line(f"{column}[{store.top}] = {text}")
        self.line(f"{store.top} += 1")

    def _texts(self, store: Store, value: Atom) -> list[str] | None:
        """What goes into each array of a store."""
        if self.lists.is_list(value):
            self.holds(store, ("i8",), None)
            return [self.start(value)]
        if isinstance(value, Const) and value.value is None:
            store.optional = True
            if store.views and isinstance(store.native, ArrayOf):
                return [_empty(store.native)]
            begin = [NOWHERE] if isinstance(store.native, ArrayOf) or store.native is None and not store.step else []
            return [*begin, *["0"] * (len(store.codes) - len(begin))] if store.codes else None
        if (bounds := self.range_of(value)) is not None:
            return self._bounds_texts(store, bounds)
        native = self.native_type(value)
        if isinstance(native, Number):
            self.holds(store, (native.code,), native)
            return [self.atom(value)]
        if isinstance(native, TupleOf) and all(isinstance(n, Number) for n in native.items):
            self.holds(store, tuple(n.code for n in native.items if isinstance(n, Number)), native)
            name = self.atom(value)
            return [f"{name}[{k}]" for k in range(len(native.items))]
        if isinstance(native, ArrayOf) and isinstance(value, Var):
            self.holds(store, ("i8",) * (native.rank + 1), native)
            if store.sample is not None:
                self.shares(value, store.sample)
                self.shares(store.sample, value)
            store.sample = value
            store.views = store.views or not self.is_placed(value) and self.may_change(value)
            return [self.atom(value)]
        raise self.refusal("something other than numbers and arrays, kept in a list by a loop")

    def may_change(self, array: Var) -> bool:
        """Whether what is kept of an array is to show what is written into it."""
        return array not in self.own or self.is_written(array)

    def store_for(self, push: Call, native: ArrayOf) -> Store:
        items = push.args[0]
        assert isinstance(items, Var)
        store = self._store_of(self.lists.find(items), push.result.name)
        self.holds(store, ("i8",) * (native.rank + 1), native)
        return store

    def range_of(self, atom: Atom) -> tuple[Atom, Atom, Atom, bool] | None:
        """Start, stop and step of a range, and whether it is gone through backwards."""
        raise NotImplementedError

    def _bounds_texts(self, store: Store, bounds: tuple[Atom, Atom, Atom, bool]) -> list[str]:
        start, stop, step, backwards = bounds
        by = self.known(step)
        if backwards or type(by) is not int or by == 0 or store.step not in (0, by):
            self.refuse("ranges of several kinds, kept in a list by a loop")
        self.holds(store, ("i8", "i8"), None)
        store.step = by
        return [self.cast(start, "i8"), self.cast(stop, "i8")]

    def _read_range(self, call: Call, store: Store, place: str) -> None:
        ends = [Var("start", call.place), Var("stop", call.place)]
        for end, column in zip(ends, store.columns):
            self.define(end, Number("i8"), f"{column}[{place}]", LENGTH_BITS)
        args = ends[1:] if self.types.get(call.result) == RangeT(True) else [*ends, Const(store.step)]
        self.made[call.result] = replace(call, fn=Const(range), args=tuple(args), kwargs=())

    def _copied(self, store: Store, name: str, native: ArrayOf) -> list[str]:
        """Copy what an array holds behind the others; gives where it begins, and its shape."""
        data, top = store.data, f"{store.data}_top"
        self.keep_order(name, native)
        self.line(f"if {top} + {name}.size > {data}.shape[0]:")
        self.line(f"    {data} = nt.grown({data}, {top}, {top} + {name}.size)")
        flat = name if native.rank == 1 else f"{name}.ravel()"
        self.line(f"{data}[{top} : {top} + {name}.size] = {flat}")
        begin = self.fresh(f"{store.name}_begin")
        self.line(f"{begin} = {top}")
        self.line(f"{top} += {name}.size")
        return [begin, *(f"{name}.shape[{k}]" for k in range(native.rank))]

    def _array_at(self, var: Var, store: Store, native: ArrayOf, place: str) -> str:
        """An array that was kept."""
        if store.views:
            return f"{store.name}[{place}]"
        begin, *sizes = (f"{column}[{place}]" for column in store.columns)
        at, size = self.fresh("begin"), self.fresh("size")
        self.line(f"{at} = {begin}")
        self.line(f"{size} = {' * '.join(sizes)}")
        text = self.part_of(var, store.data, at, f"{at} + {size}")
        return text if native.rank == 1 else f"{text}.reshape(({', '.join(sizes)}))"

    def holds(self, store: Store, codes: tuple[Code, ...], native: Native | None) -> None:
        if store.codes and store.codes != codes:
            self.refuse(f"{store.name}, a list of different kinds of items")
        store.codes, store.native = codes, native
        self._name_columns(store)

    def _name_columns(self, store: Store) -> None:
        if store.columns or not store.codes:
            return
        single = len(store.codes) == 1
        store.columns = [store.name] if single else [self.fresh(f"{store.name}_{k}") for k in range(len(store.codes))]
        store.data = self.fresh(f"{store.name}_data") if isinstance(store.native, ArrayOf) else ""

    def _read(self, call: Call) -> None:
        items, k = call.args
        assert isinstance(items, Var)
        if call.role == "primal":
            raise self.unkept(items, f"{items.name}, a list that the function reads by number")
        store = self._store_of(self.lists.find(items), items.name)
        start, number = self.start(items), self.cast(k, "i8")
        if not (store.given and start == "0" or self.is_counted(k)):  # a whole list has its end where its arrays do
            raise self.unkept(items, f"{items.name}, a list that may be read from its end")
        place = number if start == "0" else f"{start} + {number}"
        if self.lists.is_list(call.result):
            name = self.starts[call.result] = self.fresh(f"{call.result.name}_start")
            self.line(f"{name} = {store.name}[{place}]")
            return
        if store.step:
            self._read_range(call, store, place)
            return
        if store.native is None:
            raise self.unkept(items, f"{items.name}, a list of which the items are not known")
        if isinstance(store.native, ArrayOf):
            self.define(call.result, store.native, self._array_at(call.result, store, store.native, place))
            if store.sample is not None:
                self.shares(call.result, store.sample)
            return
        place = f"nt.at({place})" if self.is_counted(k) else place
        texts = [f"{column}[{place}]" for column in store.columns]
        text = texts[0] if isinstance(store.native, Number) else "(" + ", ".join(texts) + ",)"
        self.define(call.result, store.native, text)

    # -- room

    def _reserved(self, root: Var) -> bool:
        """Whether the loop around has made room for what is pushed in it."""
        return bool(self.loops) and isinstance(self.loops[-1], For)

    def reserve(self, loop: For, trips: str) -> None:
        """Make room for what the iterations of a loop push."""
        counts: dict[Var, int] = {}
        work = [loop.body]
        while work:
            block = work.pop()
            for s in block.statements:
                if isinstance(s, Call) and isinstance(s.fn, Const) and s.fn.value is ops.push:
                    if isinstance(s.args[0], Var) and self.lists.is_list(s.args[0]):
                        root = self.lists.find(s.args[0])
                        counts[root] = counts.get(root, 0) + 1
                        self._store_of(root, s.result.name)
                elif isinstance(s, If):
                    work += [s.then, s.orelse]
        if not counts:
            return
        room = self.fresh("room")
        self.line(f"{room} = {trips}")
        for root, count in counts.items():
            store = self.stores[root]
            if store.views:
                continue
            need = f"{store.top} + {room}" if count == 1 else f"{store.top} + {count} * {room}"
            for column in store.columns:
                self.line(f"if {need} > {column}.shape[0]:")
                self.line(f"    {column} = nt.grown({column}, {store.top}, {need})")

    @property
    def made_stores(self) -> list[Store]:
        return [store for store in self.stores.values() if not store.given]

    def kept(self) -> list[Kept]:
        """The arrays of kept values."""
        out = list(self.rooms.values())
        for store in self.made_stores:
            if isinstance(store.native, ArrayOf):
                if store.views:
                    continue
                out.append(Kept(store.data, f"{store.data}_top", store.native.code))
            out += [Kept(column, store.top, code) for column, code in zip(store.columns, store.codes)]
        return [*out, *self.pools.values()]

    def storage(self, arena: str) -> list[str]:
        """The lines that make empty storage, in the arena of this name if there is one."""
        out: list[str] = []
        for store in self.made_stores:
            if isinstance(store.native, ArrayOf):
                if store.views:
                    out.append(f"    {store.name} = nt.none_of({_empty(store.native)})")
                else:
                    out.append(f"    {store.data}_top = 0")
            out.append(f"    {store.top} = 0")
        out += [f"    {pool.top} = 0" for pool in self.pools.values()]
        if arena:
            return out + lent(self.kept(), arena, f"{arena}_words", self.fresh("lent"))
        return out + [f"    {kept.name} = np.empty(0, {DTYPES[kept.code]})" for kept in self.kept()]

    def lends(self, results: Iterable[Var]) -> bool:
        """Whether what is kept may lie in memory that the next call uses again: no result shows it."""
        kept = {self.root(s.sample) for s in self.stores.values() if s.sample is not None and not s.views}
        arrays = [v for v in results if isinstance(self.native.get(v), ArrayOf)]
        self.given_back = frozenset(map(self.root, arrays))
        return bool(self.kept()) and not any(self.root(v) in kept for v in arrays)


def _empty(native: ArrayOf) -> str:
    """An array without elements, of the layout that all views have."""
    return f"np.empty(({'0, ' * native.rank}), {DTYPES[native.code]})[::-1]"
