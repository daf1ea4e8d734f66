"""Which values of tangent code differ from tangent to tangent, when several are carried at once.

A fact is True, False, or for a value of known structure a tuple of the facts of its parts; for a
list of unknown length it is that of an item.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alias import Memory, Written, fn_of, holds_inexact, may_share
from adcompile.analysis.builder import Builder, is_structured, parts
from adcompile.analysis.mutation import FUNCTIONS, ITEM_WRITES
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, For, If, Return, Statement, Var, While, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, DictT, Known, ListT, ObjectT, Scalar, Seq, TupleT, Type, Unknown
from adcompile.ir.walk import atoms_of

Fact = Union[bool, "tuple[Fact, ...]"]

NOTHING = Known(None)
"""The type of calls that only write."""

SHAPES: set[Any] = {
    *(np.shape, np.size, np.ndim, len, np.zeros_like, np.ones_like, np.empty_like, np.result_type, np.iscomplexobj),
    *(rt.zeros_like, rt.zero_list, rt.outline, rt.shadow, rt.alias_map),
    *(np.ndarray.shape, np.ndarray.size, np.ndarray.ndim, np.ndarray.dtype),
}
"""What asks of a tangent only what is the same for all of them."""


def refuse(what: str, place: Place | None) -> Unsupported:
    """The error where several tangents cannot be carried at once."""
    return Unsupported(
        f"several tangents at once through {what}", place, "call jvp for each tangent, or take jacfwd, which does"
    )


def some(fact: Fact) -> bool:
    """Whether any part differs."""
    return fact if isinstance(fact, bool) else any(map(some, fact))


def join(a: Fact, b: Fact) -> Fact:
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(map(join, a, b))
    if not some(a) or not some(b):
        return b if not some(a) else a
    return True


def fact_of_parts(fact: Fact, count: int) -> tuple[Fact, ...]:
    return fact if isinstance(fact, tuple) else (fact,) * count


def of_type(t: Type, fact: Fact) -> Fact:
    """The fact of a value of type `t`: of lists of unknown length all items differ in all their parts."""
    if some(fact) and is_structured(t):
        items = parts(t)
        return tuple(map(of_type, items, fact_of_parts(fact, len(items))))
    return some(fact) and t != NOTHING


def hides(source: Type, target: Type) -> bool:
    """Whether a container becomes a value of unknown type, of which batches cannot be taken apart."""
    if isinstance(target, Unknown):
        return isinstance(source, Seq) or is_structured(source)
    if isinstance(target, Seq):
        items = [source.item] if isinstance(source, Seq) else parts(source) if is_structured(source) else []
        return any(hides(item, target.item) for item in items)
    return is_structured(target) and is_structured(source) and any(map(hides, parts(source), parts(target)))


class Spread:
    """Finds the facts of statements by running over them until nothing changes."""

    def __init__(self, b: Builder, given: Mapping[Var, Fact], functions: Any) -> None:
        self.b, self.types = b, b.context.types
        self.facts: dict[Var, Fact] = dict(given)
        self.functions = functions
        self.changed = False
        self.result: Fact = False
        self.place: Place | None = b.place
        self.written = False  # whether the statements write in place
        self.views: set[Var] = set()  # what shows memory that is written in place

    def of(self, atom: Atom) -> Fact:
        return self.facts.get(atom, False) if isinstance(atom, Var) else False

    def put(self, var: Var, fact: Fact, source: Atom | None = None) -> None:
        """`source`: the value that becomes that of `var`, where it is one."""
        if not some(fact):
            return
        fact = of_type(self.types[var], fact)
        if source is not None and hides(self.b.type(source), self.types[var]):
            raise refuse("a container of unknown structure", self.place)
        before = self.facts.get(var, False)
        after = join(before, fact)
        if after != before:
            self.facts[var] = after
            self.changed = True

    def run(self, statements: Sequence[Statement], ends: Sequence[Atom] = ()) -> None:
        block = Block((), tuple(statements), Yield(tuple(ends)))
        given = [Call(v, Const(rt.shadow)) for v in self.facts]  # their memory is nobody else's
        memory = Memory(self.b, [*given, *statements], ends)
        self.written, self.changed = bool(memory.written), True
        while self.changed:
            self.changed = False
            self.block(block, (), ())
            self.spread_memory(memory)
        for w in memory.written:
            self.check_write(w)
        if memory.written:
            volatile = memory.volatile()
            shown = [call for call in memory.definition.values() if may_share(call, self.types)]
            self.views |= {c.result for c in shown if any(n in volatile for n in memory.nodes(c.result))}
        for call in memory.definition.values():
            if call not in given:
                self.check_birth(call)

    # -- statements -------------------------------------------------------------------------

    def block(self, block: Block, yields: Sequence[Var], loop: Sequence[Sequence[Var]]) -> None:
        """`yields`, `loop`: where the values of Yield, and of Continue or Break, go."""
        for s in block.statements:
            self.place = s.place
            if isinstance(s, Call):
                self.put(s.result, self.call(s))
            elif isinstance(s, If):
                if some(self.of(s.test)):
                    raise refuse("a branch on a tangent", s.place)
                for inner in (s.then, s.orelse):
                    self.block(inner, s.results, loop)
            else:
                assert isinstance(s, (For, While))
                self.loop(s)
        end = block.end
        if isinstance(end, Yield):
            for r, v in zip(yields, end.values):
                self.put(r, self.of(v), v)
        elif isinstance(end, (Continue, Break)):
            for targets in loop:
                for r, v in zip(targets, end.values):
                    self.put(r, self.of(v), v)
        elif isinstance(end, Return):
            self.result = join(self.result, self.of(end.value))

    def loop(self, s: For | While) -> None:
        carried = s.body.params[1:] if isinstance(s, For) else s.body.params
        if isinstance(s, For) and some(self.of(s.iterable)):
            if not isinstance(self.b.type(s.iterable), Seq):
                raise refuse("a loop over tangents", s.place)
            self.put(s.body.params[0], self.of(s.iterable))
        for p, r, a in zip(carried, s.results, s.init):
            self.put(p, self.of(a), a)
            self.put(r, self.of(a), a)
        self.block(s.body, (), (carried, s.results))

    def call(self, s: Call) -> Fact:
        given = [self.of(a) for a in s.args]
        if fn_of(s) is rt.shadows and s.role == "tangent":  # memory of tangents, by whom it is written or not
            return whole_fact(self.types[s.result])
        if not any(map(some, given)) and not any(some(self.of(v)) for _, v in s.kwargs):
            return False
        fn, t = fn_of(s), self.types[s.result]
        if fn is None or some(self.of(s.fn)):
            raise refuse("a call of a function that is not known", s.place)
        if fn in SHAPES:
            return False
        if (fn in ITEM_WRITES or fn in FUNCTIONS) and s.role == "tangent":
            return False
        if any(hides(self.b.type(a), wanted) for a, wanted in self.moved(s)):
            raise refuse("a container of unknown structure", s.place)
        if isinstance(fn, FunctionRef):
            return self.functions.result(fn, tuple(given))
        structural = STRUCTURAL.get(fn)
        if structural is not None:
            found = structural(self, s, given)
            if found is not None:
                return found
        if isinstance(t, TupleT) and fn is t.cls:
            return tuple(given)
        if self.written and s.role != "tangent":
            raise refuse("memory that may be that of the function's own values, too", s.place)
        if isinstance(t, (Array, Scalar, TupleT, ListT, Unknown)) or t == NOTHING:
            return whole_fact(t)
        raise refuse("a value of this kind", s.place)

    def moved(self, s: Call) -> list[tuple[Atom, Type]]:
        """What a call puts into a value as it is, and the type it has there."""
        fn, t = fn_of(s), self.types[s.result]
        if isinstance(fn, FunctionRef):
            function = self.b.context.functions[fn]
            end = function.body.end
            given = [(a, self.b.type(p)) for a, p in zip(s.args, function.params)]
            return [*given, (end.value, t)] if isinstance(end, Return) else given
        if fn in (ops.build_list, ops.build_tuple, ops.build_dict, ops.build_object) and isinstance(t, Unknown):
            raise refuse("a container of unknown structure", s.place)
        if fn in (ops.push, ops.put_item) and isinstance(t, Seq):
            return [(s.args[0], t), (s.args[-1], t.item)]
        if fn is ops.build_list and isinstance(t, Seq):
            return [(a, t.item) for a in s.args]
        return [(a, t) for a in s.args] if fn in (ops.identity, ops.expect_length, list, tuple, rt.copy) else []

    # -- memory -----------------------------------------------------------------------------

    def spread_memory(self, memory: Memory) -> None:
        """Memory that a batch is written into is a batch, all of it that may be the same memory."""
        for w in memory.written:
            given = [a for a in (*w.call.args, *(v for _, v in w.call.kwargs)) if a is not w.target]
            for n in memory.nodes(w.target):
                group = [v for v in memory.members.get(memory.find(n), ()) if holds_inexact(self.types[v])]
                if not any(some(self.of(a)) for a in (*given, *group)):
                    continue
                for v in group:
                    if v in memory.outside and not some(self.of(v)):
                        raise refuse("memory from outside that is written in place", w.call.place)
                    self.put(v, True)

    def check_write(self, w: Written) -> None:
        """What tangents are written into is known to be an array."""
        if not any(some(self.of(a)) for a in atoms_of(w.call)):
            return
        t = self.b.type(w.target)
        if not some(self.of(w.target)) or not isinstance(t, Array) or t.dims is None:
            raise refuse("memory of this kind that is written in place", w.call.place)

    def check_birth(self, s: Call) -> None:
        """What holds batches later is made of nothing else's memory."""
        if self.facts.get(s.result) is not True or fn_of(s) is rt.shadows or any(some(self.of(a)) for a in atoms_of(s)):
            return
        if may_share(s, self.types) or not isinstance(self.types[s.result], Array):
            raise refuse("views of memory that is written in place", s.place)


def whole_fact(t: Type) -> Fact:
    """The fact of a value all of whose tangents differ."""
    if isinstance(t, (TupleT, ListT)):
        return tuple(map(whole_fact, parts(t)))
    return t != NOTHING


# -- structure ----------------------------------------------------------------------------------


def _display(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    t = f.types[s.result]
    if isinstance(t, Seq):
        out: Fact = False
        for fact in given:
            out = join(out, fact)
        return out
    if isinstance(t, DictT):
        return tuple(given[1::2])
    if isinstance(t, ObjectT):
        return tuple(given[2:])
    return tuple(given) if len(given) == len(parts(t)) else None


def _item(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    t, index = f.b.type(s.args[0]), s.args[1]
    if isinstance(t, Seq):
        return given[0]
    if not is_structured(t):
        return None
    key = index.value if isinstance(index, Const) else None
    if isinstance(t, DictT) and key in t.keys:
        return fact_of_parts(given[0], len(t.keys))[t.keys.index(key)]
    if isinstance(t, ObjectT) and key in t.names:
        return fact_of_parts(given[0], len(t.names))[t.names.index(key)]
    if isinstance(t, (TupleT, ListT)) and type(key) is int and -len(t.items) <= key < len(t.items):
        return fact_of_parts(given[0], len(t.items))[key]
    raise refuse("a container read in this way", s.place)


def _same(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    return given[0]


def _push(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    return join(given[0], given[-1])


def _pop(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    return (given[0], given[0])


def _unpack(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    t, source = f.types[s.result], f.b.type(s.args[0])
    if given[0] is not False and not is_structured(source) and not isinstance(source, Seq):
        raise refuse("an unpacking of what is of no known type", s.place)  # of an array, that is of its tangents
    return fact_of_parts(given[0], len(parts(t)))


def _listed(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    t, source = f.types[s.result], f.b.type(s.args[0])
    if isinstance(t, Seq) and is_structured(source):
        out: Fact = False
        for fact in fact_of_parts(given[0], len(parts(source))):
            out = join(out, fact)
        return out
    if isinstance(t, Seq) and isinstance(source, Seq) or isinstance(t, (TupleT, ListT)) and is_structured(source):
        return given[0]
    raise refuse("a list made in this way", s.place)


def _add(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    return join(*given) if isinstance(f.types[s.result], Seq) else None


def _refused(f: Spread, s: Call, given: list[Fact]) -> Fact | None:
    raise refuse(f"{getattr(s.fn.value, '__name__', 'this call')}()", s.place)  # type: ignore[union-attr]


STRUCTURAL: dict[Any, Any] = {
    ops.build_tuple: _display,
    ops.build_list: _display,
    ops.build_dict: _display,
    ops.build_object: _display,
    operator.getitem: _item,
    rt.replaced: _item,
    getattr: _item,
    ops.identity: _same,
    ops.expect_length: _same,
    ops.push: _push,
    ops.put_item: _push,
    ops.pop: _pop,
    ops.unpack: _unpack,
    list: _listed,
    tuple: _listed,
    operator.add: _add,
    rt.copy: _same,
    **dict.fromkeys((ops.make_function, slice, range, rt.unless_shared, rt.shadows), _refused),
    # calls decided at run time: they compute the function's values, too, and that is done once
    **dict.fromkeys((rt.jvp_of, rt.vjp_of, rt.vjp_of_held, rt.pull_jvp, rt.pull_vjp, rt.dots_of), _refused),
}

__all__ = ["NOTHING", "SHAPES", "Fact", "Spread", "fact_of_parts", "join", "refuse", "some"]
