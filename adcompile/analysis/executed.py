"""Calls that run code which they are given, unseen: functions, iterators that call some, methods of objects.

Where a call is followed, no such call is left: `map` and `sorted(key=…)` are taken apart. Others run what they
are given, and that may write: into what it is handed, which is a part of what the call is given as a rule, into
what it has captured, and into what it names of modules.
"""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
import operator
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from types import MemberDescriptorType
from typing import Any

import gast
import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.callbacks import UNSEEN, code_may_write, memory_named, special_methods_write
from adcompile.analysis.detached import is_in
from adcompile.analysis.library import is_of_user
from adcompile.analysis.stores import Positions, stores_of
from adcompile.analysis.writing import METHODS
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, GlobalRef, OpaqueCode, Var
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    Closure,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Method,
    ObjectT,
    Ref,
    Seq,
    TupleT,
    Type,
    Unknown,
)

CALLING: set[Any] = {
    map, filter, iter, functools.partial, functools.cmp_to_key, itertools.takewhile, itertools.dropwhile,
    itertools.filterfalse, itertools.starmap, itertools.groupby, itertools.accumulate,
}  # fmt: skip
"""What these give runs the functions that they are given, once something goes through it or calls it."""
LAZY: set[Any] = CALLING - {iter} | {zip, enumerate, reversed, itertools.chain.from_iterable}
LAZY.update(fn for fn in vars(itertools).values() if isinstance(fn, type))
LAZY.update({operator.itemgetter, operator.attrgetter, operator.methodcaller})
"""These keep what they are given; what goes through their result runs it."""
HOLDING: set[Any] = {
    list, tuple, iter, next, getattr, setattr, hasattr, delattr, isinstance, issubclass, callable, id, type, len, super,
    operator.is_, operator.is_not, operator.setitem, list.copy, dict.copy, *METHODS,
}  # fmt: skip
"""These run iterators that they are given, but neither functions nor methods."""
SPECIAL: set[Any] = {ops.format_value, ops.sort_order, ops.build_set}
"""Callables of the IR that run methods of the objects they are given."""
DISPLAYS: set[Any] = {
    ops.build_tuple,
    ops.build_list,
    ops.build_dict,
    ops.build_object,
    ops.make_function,
    ops.identity,
}
"""These run nothing."""
KEYS = frozenset(("__hash__", "__eq__", "__ne__"))
ORDER = KEYS | {"__lt__", "__gt__", "__le__", "__ge__", "__bool__", "__len__"}
INDEX = KEYS | {"__index__"}
GOING = KEYS | {"__iter__", "__next__", "__getitem__", "__len__", "__contains__"}
TRUTH = GOING | {"__bool__"}
TEXT = frozenset(("__str__", "__repr__", "__format__"))
ALL = slice(None)
Kwargs = Sequence[tuple[str, Atom]]
Asked = tuple[slice, frozenset[str]]
ASKED: dict[Any, Asked] = {
    ops.build_dict: (slice(0, None, 2), KEYS), ops.build_set: (ALL, KEYS),
    **dict.fromkeys((set, frozenset, dict, dict.fromkeys, operator.contains), (ALL, GOING)),
    **{fn: (slice(1, 2), INDEX) for fn in (operator.setitem, operator.delitem, operator.getitem)},
    **{getattr(dict, name): (slice(1, 2), KEYS) for name in "get pop setdefault __contains__ __getitem__".split()},
    **{getattr(dict, name): (slice(1, 2), KEYS) for name in "__setitem__ __delitem__".split()},
    **{getattr(set, name): (slice(1, 2), KEYS) for name in "add discard remove".split()},
    **{fn: (slice(1, None), GOING) for fn in (set.update, dict.update)},
    **dict.fromkeys((list.index, list.count, list.remove, tuple.index, tuple.count), (ALL, KEYS)),
    **dict.fromkeys((ops.sort_order, list.sort), (ALL, ORDER)),
    **dict.fromkeys((sorted, min, max), (ALL, ORDER | GOING)),
    **{getattr(operator, name): (ALL, ORDER) for name in "eq ne lt le gt ge".split()},
    **dict.fromkeys((any, all, bool, operator.not_, operator.truth), (ALL, TRUTH)),
    **dict.fromkeys((getattr, hasattr), (slice(0, 1), frozenset(("__getattr__", "__getattribute__")))),
    **dict.fromkeys((str, repr, format, print, ops.format_value, ops.build_string), (ALL, TEXT)),
}  # fmt: skip
"""Calls that run these methods alone, and of these arguments alone; functions only those given by name."""
BY_PYTHON = UNSEEN.union(
    (n for cls in (int, complex, list, set, dict) for n in dir(cls) if n[:2] == "__"),
    [f"__{name}__" for name in "enter exit next missing del getattr get set delete".split()],
)
"""Methods that Python calls for its operators and statements."""
CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque, collections.defaultdict, collections.OrderedDict)
HOLDERS = (Closure, Method, IterT, Instance, ObjectT, Ref, TupleT, ListT, DictT, Seq, Unknown)


def written_unseen(call: Call, types: Mapping[Var, Type], definition: Mapping[Var, Call]) -> tuple[Atom, ...]:
    """What the code that a call runs unseen may write into."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn is None or is_quiet(fn) or is_in(fn, LAZY):
        return ()
    named = [v for _, v in call.kwargs]
    given = (*call.args, *named)
    if not any(isinstance(types[a], HOLDERS) if isinstance(a, Var) else runs(a.value) for a in given):
        return ()
    everything, asked = _Scan(types, definition, False), asked_by(fn)
    lazily = asked is not None or is_ours(fn) and fn not in SPECIAL or is_in(fn, HOLDING)
    scan = _Scan(types, definition, True) if lazily else everything
    found = [a for a in (given[1:] if fn is operator.getitem else given) if scan.writes(a)]
    if asked is not None:
        found += filter(_Scan(types, definition, False, asked[1]).writes, call.args[asked[0]])
        found += filter(everything.writes, named)
    return (*scan.leaves(given), *scan.named(found)) if found else ()


def written_by_code(call: Call, types: Mapping[Var, Type], definition: Mapping[Var, Call]) -> tuple[Atom, ...]:
    """What methods write into that Python itself calls of objects in statements that run as they are written."""
    code = call.fn.value if isinstance(call.fn, Const) else None
    assert isinstance(code, OpaqueCode)
    scan = _Scan(types, definition, False, BY_PYTHON)
    found = [a for a in call.args if isinstance(a, Var) and scan.is_object(a) and scan.writes(a)]
    read = {n.id for part in code.code for n in gast.walk(part) if isinstance(n, gast.Name)} - {*code.inputs}
    there = [name for name in sorted(read) if special_methods_write(type(code.namespace.get(name)), BY_PYTHON)]
    named = [Const(GlobalRef(code.namespace, name)) for name in there]
    named += [c for name in there for c in memory_named(Instance(type(code.namespace[name])))]
    return (*scan.leaves(found), *scan.named(found), *named)


def puts_alone(call: Call, code: OpaqueCode, target: Atom, types: Mapping[Var, Type], positions: Positions) -> bool:
    """Whether code that runs as written puts things into a list, dict or object, or takes them out, and does nothing
    else to it: what is there stays as it is."""
    placed = stores_of(code, positions).placed
    if isinstance(target, Var):
        t = types[target]
        cls = t.cls if isinstance(t, (Instance, ObjectT)) else None
        names = [name for name, a in zip(code.inputs, call.args) if a == target]
    else:
        ref = target.value
        named = isinstance(ref, GlobalRef) and ref.namespace is code.namespace and ref.name in ref.namespace
        cls = type(ref.namespace[ref.name]) if named else None
        names = [ref.name] if named else []
    slots = [slot for name in names for slot in placed.get(name, ())]
    if cls is None or not names or any(name not in placed for name in names):
        return False
    return not special_methods_write(cls, BY_PYTHON) and all(is_plain_slot(cls, slot) for slot in slots)


def is_plain_slot(cls: type, slot: str | None) -> bool:
    """Whether putting something into an attribute of objects of a class, or items (None), runs no code."""
    if slot is None:
        return any(cls.__setitem__ is base.__setitem__ for base in (list, dict) if issubclass(cls, base))
    found = inspect.getattr_static(cls, slot, None)
    plain = cls.__setattr__ in (object.__setattr__, type.__setattr__) and cls.__delattr__ is object.__delattr__
    return plain and (isinstance(found, MemberDescriptorType) or not hasattr(type(found), "__set__"))


def asked_by(fn: Any) -> Asked | None:
    try:
        return ASKED.get(fn)
    except TypeError:
        return None


def is_quiet(fn: Any) -> bool:
    """Whether a call runs nothing of what it is given, or is followed."""
    return isinstance(fn, (OpaqueCode, FunctionRef)) or asked_by(fn) is None and is_in(fn, DISPLAYS)


def methods_asked(fn: Any, args: Sequence[Atom], kwargs: Kwargs) -> tuple[list[Atom], Container[str] | None]:
    """The arguments whose methods a call runs that is not followed, and which methods; None: any."""
    asked = asked_by(fn)
    if asked is not None:
        return [*args[asked[0]], *(v for _, v in kwargs)], asked[1]
    ours = is_ours(fn) and fn not in SPECIAL
    if fn is None or ours or is_quiet(fn) or is_in(fn, HOLDING) or is_in(fn, LAZY):
        return [], None
    return [*args, *(v for _, v in kwargs)], None


def runs(value: Any) -> bool:
    return callable(value) and not isinstance(value, np.ufunc)


def is_ours(fn: Any) -> bool:
    return str(getattr(fn, "__module__", None)).startswith("adcompile.")


def runs_unseen(b: Builder, iterable: Atom) -> bool:
    """Whether going through this runs code that is not followed, and may write."""
    return _Scan(b.context.types, b.context.definition, True).writes(iterable)


def is_code(t: Type | None) -> bool:
    """Whether a value of this type is, or has, functions of the user's."""
    return isinstance(t, (Closure, Method, Known)) or isinstance(t, (Instance, ObjectT)) and is_of_user(t.cls)


class _Scan:
    """What values run. `lazily`: of functions and objects nothing is run, only of iterators; `names`: no functions,
    and of objects these methods."""

    def __init__(
        self,
        types: Mapping[Var, Type],
        definition: Mapping[Var, Call],
        lazily: bool,
        names: Container[str] | None = None,
    ) -> None:
        self.types, self.definition, self.lazily, self.names = types, definition, lazily, names

    def type(self, atom: Atom) -> Type | None:
        return self.types.get(atom) if isinstance(atom, Var) else Known(atom.value)

    def inner(self, atom: Atom) -> Iterable[Atom]:
        """What a container or an iterator was made of."""
        made = self.definition.get(atom) if isinstance(atom, Var) else None
        return () if made is None else (*made.args, *(v for _, v in made.kwargs))

    def writes(self, atom: Atom) -> bool:
        """Whether this runs code that may write."""
        t, fn = self.type(atom), self.maker(atom)
        if is_in(fn, LAZY) or fn is iter:
            inside = _Scan(self.types, self.definition, fn not in CALLING)
            return any(map(inside.writes, self.inner(atom)))
        if fn is ops.identity:
            return self.writes(self.definition[atom].args[0])  # type: ignore[index]
        if self.lazily:
            return False
        if isinstance(t, (Closure, Method, Known)):
            code = self.names is None and code_may_write(t)
            return code or isinstance(t, Known) and special_methods_write(type(t.value), self.names)
        if isinstance(t, (TupleT, ListT, DictT)):
            return any(map(self.writes, self.inner(atom)))
        if isinstance(t, Seq):
            return isinstance(t.item, (Instance, ObjectT)) and special_methods_write(t.item.cls, self.names)
        if isinstance(t, Unknown) or isinstance(t, Instance) and t.cls in CONTAINERS:
            return any(special_methods_write(cls, self.names or UNSEEN) for cls in self.classes())
        if isinstance(t, (Instance, ObjectT)):
            return special_methods_write(t.cls, self.names)
        return isinstance(t, Ref) and special_methods_write(t.cell.cls, self.names)

    def classes(self) -> set[type]:
        """The classes of the objects of the program: a container of unknown content may hold one."""
        return {t.cls for t in self.types.values() if isinstance(t, (Instance, ObjectT)) and is_of_user(t.cls)}

    def is_object(self, atom: Atom) -> bool:
        t = self.type(atom)
        return isinstance(t, (Instance, ObjectT)) and t.cls not in CONTAINERS

    def maker(self, atom: Atom) -> Any:
        made = self.definition.get(atom) if isinstance(atom, Var) else None
        return made.fn.value if made is not None and isinstance(made.fn, Const) else None

    def spread(self, atoms: Iterable[Atom], stop: Callable[[Type | None], bool]) -> list[Atom]:
        out: list[Atom] = []
        todo, seen = list(atoms), set[Atom]()
        while todo:
            atom = todo.pop()
            t = self.type(atom)
            if isinstance(atom, Var):
                if atom in seen:
                    continue
                seen.add(atom)
            if stop(t) and not is_in(self.maker(atom), (ops.identity, ops.build_list)):
                out.append(atom)
            else:
                todo += self.inner(atom)
        return out

    def leaves(self, atoms: Iterable[Atom]) -> list[Atom]:
        """The values with memory that these hold."""
        found = self.spread(atoms, lambda t: not isinstance(t, (TupleT, ListT, DictT, ObjectT)))
        return [a for a in found if isinstance(a, Var)]

    def named(self, atoms: Sequence[Atom]) -> list[Atom]:
        """The names of modules, and the captured variables, that the code among these may write into."""
        code = self.spread(atoms, is_code)
        types = [t for a in code if (t := self.type(a)) is not None]
        if atoms:
            types += [Instance(cls) for cls in self.classes() if special_methods_write(cls, UNSEEN)]
        return [name for t in types for name in memory_named(t)]
