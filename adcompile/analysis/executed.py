"""Calls that run code which they are given, unseen: functions, iterators that call some, methods of objects.

Where a call is followed, no such call is left: `map` and `sorted(key=…)` are taken apart. Others run what they
are given, and that may write: into what it is handed, which is a part of what the call is given as a rule, into
what it has captured, and into what it names of modules.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.callbacks import code_may_write, memory_named, special_methods_write
from adcompile.analysis.detached import is_in
from adcompile.analysis.writing import METHODS
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, OpaqueCode, Var
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
HOLDERS = (Closure, Method, IterT, Instance, ObjectT, Ref, TupleT, ListT, DictT, Seq, Unknown)


def written_unseen(call: Call, types: Mapping[Var, Type], definition: Mapping[Var, Call]) -> tuple[Atom, ...]:
    """What the code that a call runs unseen may write into."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn is None or isinstance(fn, (OpaqueCode, FunctionRef)) or is_in(fn, LAZY) or is_in(fn, DISPLAYS):
        return ()
    given = (*call.args, *(v for _, v in call.kwargs))
    if not any(isinstance(types[a], HOLDERS) if isinstance(a, Var) else runs(a.value) for a in given):
        return ()
    scan = _Scan(types, definition, is_ours(fn) and fn not in SPECIAL or is_in(fn, HOLDING))
    found = [a for a in (given[1:] if fn is operator.getitem else given) if scan.writes(a)]
    return (*scan.leaves(given), *scan.named(found)) if found else ()


def runs(value: Any) -> bool:
    return callable(value) and not isinstance(value, np.ufunc)


def is_ours(fn: Any) -> bool:
    return str(getattr(fn, "__module__", None)).startswith("adcompile.")


def runs_unseen(b: Builder, iterable: Atom) -> bool:
    """Whether going through this runs code that is not followed, and may write."""
    return _Scan(b.context.types, b.context.definition, True).writes(iterable)


class _Scan:
    """What values run. `lazily`: of functions and objects nothing is run, only of iterators."""

    def __init__(self, types: Mapping[Var, Type], definition: Mapping[Var, Call], lazily: bool) -> None:
        self.types, self.definition, self.lazily = types, definition, lazily

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
            return code_may_write(t) or isinstance(t, Known) and special_methods_write(type(t.value))
        if isinstance(t, (TupleT, ListT, DictT)):
            return any(map(self.writes, self.inner(atom)))
        if isinstance(t, Seq):
            return isinstance(t.item, (Instance, ObjectT)) and special_methods_write(t.item.cls)
        if isinstance(t, (Instance, ObjectT)):
            return special_methods_write(t.cls)
        return isinstance(t, Ref) and special_methods_write(t.cell.cls)

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

    def named(self, atoms: Iterable[Atom]) -> list[Atom]:
        """The names of modules that the code among these may write into."""
        code = self.spread(atoms, lambda t: isinstance(t, (Closure, Method, Known)) or t is None)
        return [name for a in code if (t := self.type(a)) is not None for name in memory_named(t)]
