"""Several tangents at once: tangent code for one tangent made into code for a batch of them.

Every value that differs from tangent to tangent (`autodiff/spread`) gets a leading axis; the others,
all of the primal among them, are computed once, as before. Tangent code is linear in the tangents,
so that each of its calls has a form for a batch (`autodiff/batched`); a call of which none is known
runs for one tangent after the other. Control flow stays: no branch depends on a tangent.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, is_structured, parts
from adcompile.analysis.views import fn_of
from adcompile.autodiff import batched_arrays
from adcompile.autodiff.batched import RULES
from adcompile.autodiff.spread import NOTHING, SHAPES, STRUCTURAL, Fact, Spread, fact_of_parts, refuse, some
from adcompile.autodiff.unbound import bound_as
from adcompile.autodiff.units import Splice
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    End,
    For,
    Function,
    If,
    Return,
    Signature,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    INT,
    UNKNOWN,
    Array,
    DictT,
    Known,
    ListT,
    Maybe,
    ObjectT,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
)


def batched(
    b: Builder, statements: Sequence[Statement], seeds: Mapping[Var, Atom], out: Sequence[Atom], count: Atom
) -> Batch:
    """Emit statements, in which the tangents `seeds` are batches of `count`, at least one; `whole` of the
    result gives what their values (`out`, for instance) come to. Raises Unsupported where the tangents cannot
    be carried at once."""
    functions = Functions(b)
    spread = Spread(b, dict.fromkeys(seeds, True), functions)
    functions.settle(lambda: spread.run(statements, out))
    batch = Batch(b, spread.facts, count, functions, spread.views)
    batch.versions.update(seeds)
    batch.statements(statements)
    return batch


def batch_type(t: Type, fact: Fact, place: Place | None = None) -> Type:
    """The type of a batch of values of type `t`."""
    if not some(fact):
        return t
    match t:
        case Array(dtype, dims):
            return Array(dtype, None if dims is None else ("any", *dims))
        case Scalar(kinds):
            return Array(np.result_type(*(np.dtype(k) for k in kinds)), ("any",))
        case Known(value) if np.isscalar(value):
            return Array(np.asarray(value).dtype, ("any",))
        case Seq(item, cls):
            return Seq(batch_type(item, fact, place), cls)
        case TupleT(items, cls):
            return TupleT(tuple(batch_type(i, f, place) for i, f in zip(items, fact_of_parts(fact, len(items)))), cls)
        case ListT(items):
            return ListT(tuple(batch_type(i, f, place) for i, f in zip(items, fact_of_parts(fact, len(items)))))
        case DictT(keys, items):
            return DictT(keys, tuple(batch_type(i, f, place) for i, f in zip(items, fact_of_parts(fact, len(items)))))
        case ObjectT(cls, names, items):
            facts = fact_of_parts(fact, len(items))
            return ObjectT(cls, names, tuple(batch_type(i, f, place) for i, f in zip(items, facts)))
        case Maybe():
            return UNKNOWN  # of another type in a batch
        case Known(None) | Unknown():
            return t
        case _:
            raise refuse("a value of unknown type", place)

assert batched_arrays  # its rules are registered


class Batch:
    """Emits the statements; `versions` holds what stands for the values that differ."""

    def __init__(
        self, b: Builder, facts: Mapping[Var, Fact], count: Atom, functions: Functions, views: Container[Var] = ()
    ) -> None:
        self.b, self.facts, self.count, self.functions, self.views = b, facts, count, functions, views
        self.types = b.context.types
        self.versions: dict[Var, Atom] = {}

    def fact(self, atom: Atom) -> Fact:
        return self.facts.get(atom, False) if isinstance(atom, Var) else False

    def differs(self, atom: Atom) -> bool:
        return some(self.fact(atom))

    def version(self, atom: Atom) -> Atom:
        """What stands for a value: itself, where it is the same for all tangents."""
        return self.versions[atom] if isinstance(atom, Var) and self.differs(atom) else atom

    def batch_type(self, var: Atom) -> Type:
        return batch_type(self.b.type(var), True, self.b.place)

    def whole(self, atom: Atom) -> Atom:
        """The value as a batch in all its parts, repeated where it is the same for all."""
        return self.given(atom, True)

    def given(self, atom: Atom, fact: Fact) -> Atom:
        """The value as a batch in the parts that `fact` says."""
        return self.raised(self.version(atom), self.b.type(atom), self.fact(atom), fact)

    def raised(self, version: Atom, t: Type, have: Fact, fact: Fact) -> Atom:
        """What stands for a value of type `t`, repeated in the parts that shall differ and do not."""
        if not some(fact) or have is True or have == fact and not is_structured(t):
            return version
        if is_structured(t):
            items = self.b.items(version)
            facts = zip(items, parts(t), fact_of_parts(have, len(items)), fact_of_parts(fact, len(items)))
            return self.b.build(t, [self.raised(*part) for part in facts])
        return version if some(have) else self.lifted(version, t)

    def lifted(self, atom: Atom, t: Type) -> Atom:
        """A value repeated for every tangent, in memory of its own."""
        b = self.b
        if isinstance(atom, Const) and (atom.value is None or atom.value is ops.UNDEFINED):
            return atom
        if is_structured(t):
            return b.build(t, [self.lifted(item, p) for item, p in zip(b.items(atom), parts(t))])
        made = batch_type(t, True, b.place)
        if isinstance(made, Array):
            if isinstance(atom, Const) and not isinstance(atom.value, np.ndarray) and atom.value == 0:
                return b.emit(np.zeros, (self.count, Const(made.dtype)), made)
            return b.emit(rt.repeated, (atom, self.count, Const(made.dtype)), made)
        return b.emit(rt.repeated, (atom, self.count), made)

    def sample(self, atom: Atom) -> Atom:
        """A value of the same shape as each of a batch's."""
        if not self.differs(atom):
            return atom
        return self.row(self.b, self.whole(atom), self.b.type(atom), Const(0))

    def row(self, b: Builder, batch: Atom, t: Type, k: Atom) -> Atom:
        """One of the tangents; of arrays a view."""
        if is_structured(t):
            return b.build(t, [self.row(b, item, p, k) for item, p in zip(b.items(batch), parts(t))])
        if isinstance(batch, Const):
            return batch
        if isinstance(t, Array) and t.dims == ():
            return b.emit(operator.getitem, (batch, b.build_tuple(k, Const(Ellipsis))), t)
        return b.emit(rt.row if isinstance(t, (Seq, Unknown)) else operator.getitem, (batch, k), t)

    # -- statements -------------------------------------------------------------------------

    def statements(self, statements: Sequence[Statement]) -> None:
        for s in statements:
            self.b.place = s.place
            if isinstance(s, Call):
                self.call(s)
            elif isinstance(s, If):
                self.branch(s)
            else:
                assert isinstance(s, (For, While))
                self.loop(s)

    def call(self, s: Call) -> None:
        b, fn = self.b, fn_of(s)
        operands = (*s.args, *(v for _, v in s.kwargs))
        role, b.role = b.role, s.role
        if fn is rt.shadows and self.differs(s.result):
            t = batch_type(b.type(s.result), True, s.place)
            self.versions[s.result] = b.emit(rt.shadows_each, (self.count, *s.args), t, s.kwargs, s.result.name)
        elif fn is rt.shadow and self.differs(s.result):
            args, t = (self.sample(s.args[0]), self.count), self.batch_type(s.result)
            self.versions[s.result] = b.emit(rt.tangent_zeros, args, t, (), s.result.name)
        elif not any(map(self.differs, operands)):
            b.append(s)
            if self.differs(s.result):
                self.versions[s.result] = self.born(s)
        elif fn in SHAPES:
            settings = tuple((k, self.sample(v)) for k, v in s.kwargs)
            same = replace(s, args=tuple(map(self.sample, s.args)), kwargs=settings)
            b.append(same)
            b.context.definition[s.result] = same
            if self.differs(s.result):
                self.versions[s.result] = self.born(same)
        elif isinstance(fn, FunctionRef):
            self.reference(s, fn)
        elif fn in STRUCTURAL and self.structural(s):
            pass
        else:
            rule = RULES.get(fn)
            made = None if rule is None else rule(self, s)
            made = self.one_by_one(s) if made is None else made
            if self.differs(s.result):
                self.versions[s.result] = self.settled(made, s.result)
        b.role = role

    def born(self, s: Call) -> Atom:
        """What is written into later, as a batch from the start."""
        t = self.batch_type(s.result)
        return self.b.emit(rt.repeated, (s.result, self.count), t, (), s.result.name)

    def settled(self, made: Atom, var: Var) -> Atom:
        """The batch in the dtype of what it stands for: a number counts as an array here."""
        b = self.b
        wanted, got = self.batch_type(var), b.type(made)
        if not isinstance(wanted, Array):
            return made
        if isinstance(got, Array) and got.dtype != wanted.dtype:
            return b.emit(np.ndarray.astype, (made, Const(wanted.dtype)), wanted)
        if isinstance(made, Var) and got != wanted and made in b.local and self.is_new(made):
            self.types[made] = wanted
        return made

    def is_new(self, made: Var) -> bool:
        """Whether a call was emitted for this batch just now."""
        return bool(self.b.statements) and getattr(self.b.statements[-1], "result", None) is made

    def structural(self, s: Call) -> bool:
        """Calls that build and read containers work on the parts as they are."""
        b, fn, t = self.b, fn_of(s), self.b.type(s.result)
        first = b.type(s.args[0]) if s.args else NOTHING
        if fn in (operator.getitem, rt.replaced, operator.add) and not (is_structured(first) or isinstance(first, Seq)):
            return False
        if fn in (ops.identity, ops.expect_length):
            version = self.version(s.args[0])
            if isinstance(first, Unknown) and not isinstance(t, Unknown):  # whose type is known from here on
                version = b.emit(ops.identity, (version,), batch_type(t, self.fact(s.result), s.place))
            self.versions[s.result] = version
            return True
        if fn in (rt.copy,):
            return False
        fact = self.fact(s.result)
        args = [self.version(a) for a in s.args]
        made = batch_type(t, fact, s.place)
        if isinstance(t, Seq) and fn is ops.build_list:
            args = [self.given(a, fact) for a in s.args]
        elif fn in (ops.push, ops.put_item):
            args = [self.given(s.args[0], fact), *args[1:-1], self.given(s.args[-1], fact)]
        elif fn is operator.add:
            args = [self.given(a, fact) for a in s.args]
        elif fn in (list, tuple) and isinstance(t, Seq):
            args = [self.given(s.args[0], fact_of_parts(fact, 1)[0] if isinstance(first, Seq) else True)]
        statement = replace(s, args=tuple(args))
        if not some(fact):
            b.append(statement)
            b.context.definition[s.result] = statement
        elif fn is operator.getitem and is_structured(first) and isinstance(s.args[1], Const):
            self.versions[s.result] = self.part(args[0], s.args[1].value)
        else:
            self.versions[s.result] = b.emit(s.fn, args, made, s.kwargs, s.result.name)
        return True

    def part(self, owner: Atom, key: Any) -> Atom:
        t = self.b.type(owner)
        if isinstance(key, int):
            return self.b.item(owner, key % len(parts(t)))
        return self.b.items(owner)[t.keys.index(key)]  # type: ignore[union-attr]

    def one_by_one(self, s: Call) -> Atom:
        """A call that knows nothing of batches, for one tangent after the other."""
        b = self.b
        if s.result in self.views:  # the batch of its results would show other memory
            raise refuse("this view of memory that is written in place", s.place)
        numbers = b.call(range, self.count)
        c = b.child()
        k = c.new("k", INT)
        operands = dict.fromkeys(a for a in (*s.args, *(v for _, v in s.kwargs)) if self.differs(a))
        rows: dict[Atom, Atom] = {a: self.row(c, self.whole(a), b.type(a), k) for a in operands}
        args = [rows.get(a, a) for a in s.args]
        kwargs = [(n, rows.get(a, a)) for n, a in s.kwargs]
        result = c.emit(s.fn, args, b.type(s.result), kwargs, s.result.name)
        out = self.leaves(c, result, s.place) if self.differs(s.result) else []
        lists = [Seq(b.type(a), list) for a in out]
        init = [b.emit(ops.build_list, (), t, (), "rows") for t in lists]
        carried, results = [c.new("rows", t) for t in lists], [b.new("rows", t) for t in lists]
        pushed = [c.emit(ops.push, (r, a), t) for r, a, t in zip(carried, out, lists)]
        block = c.block((k, *carried), Continue(tuple(pushed)))
        b.append(For(tuple(results), numbers, tuple(init), block, b.place, s.role))
        types = [batch_type(b.type(a), True, s.place) for a in out]
        joins = [np.array if isinstance(t, Array) else rt.as_batch for t in types]
        made = iter([b.emit(join, (r,), t) for join, r, t in zip(joins, results, types)])
        return self.rebuilt(b.type(s.result), made) if out else Const(None)

    def leaves(self, c: Builder, value: Atom, place: Place | None) -> list[Atom]:
        t = c.type(value)
        if is_structured(t):
            return [leaf for item in c.items(value) for leaf in self.leaves(c, item, place)]
        if not isinstance(t, (Array, Scalar, Unknown)):
            raise refuse("a call with a result of unknown structure", place)
        return [value]

    def rebuilt(self, t: Type, leaves: Any) -> Atom:
        return self.b.build(t, [self.rebuilt(p, leaves) for p in parts(t)]) if is_structured(t) else next(leaves)

    # -- control flow -----------------------------------------------------------------------

    def fresh(self, var: Var) -> Var:
        """What is bound instead of `var`."""
        fact = self.fact(var)
        if not some(fact):
            return var
        made = self.b.new(var.name, batch_type(self.b.type(var), fact, self.b.place))
        context = self.b.context
        bound_as(context, made, var)
        if var in context.names:
            context.names[made] = context.names[var]
        self.versions[var] = made
        return made

    def branch(self, s: If, loop: Sequence[Fact] = ()) -> None:
        facts = [self.fact(r) for r in s.results]
        then, orelse = (self.block(inner, facts, loop) for inner in (s.then, s.orelse))
        results = tuple(map(self.fresh, s.results))
        self.b.append(replace(s, results=results, then=then, orelse=orelse))

    def block(self, block: Block, yields: Sequence[Fact], loop: Sequence[Fact], params: Sequence[Var] = ()) -> Block:
        outer, self.b = self.b, self.b.child()
        params = tuple(map(self.fresh, params))
        for s in block.statements:
            if isinstance(s, If):
                self.b.place = s.place
                self.branch(s, loop)
            else:
                self.statements((s,))
        end: End = block.end
        if isinstance(end, Yield):
            end = Yield(tuple(self.given(v, f) for v, f in zip(end.values, yields)))
        elif isinstance(end, (Continue, Break)):
            end = type(end)(tuple(self.given(v, f) for v, f in zip(end.values, loop)))
        elif isinstance(end, Return):
            end = Return(self.given(end.value, yields[0]))
        made = self.b.block(params, end)
        self.b = outer
        return made

    def loop(self, s: For | While) -> None:
        carried = s.body.params[1:] if isinstance(s, For) else s.body.params
        facts = [self.fact(p) if some(self.fact(p)) else self.fact(r) for p, r in zip(carried, s.results)]
        init = tuple(self.given(a, f) for a, f in zip(s.init, facts))
        body = self.block(s.body, (), facts, s.body.params)
        results = tuple(map(self.fresh, s.results))
        made = replace(s, results=results, init=init, body=body)
        if isinstance(made, For):
            made = replace(made, iterable=self.version(made.iterable))
        self.b.append(made)

    # -- functions called by reference ------------------------------------------------------

    def reference(self, s: Call, ref: FunctionRef) -> None:
        b = self.b
        facts = tuple(self.fact(a) for a in s.args)
        made, result = self.functions.made(ref, facts)
        args = (*(self.version(a) for a in s.args), self.count)
        if not some(result):
            call = replace(s, fn=Const(made), args=args)
            b.append(call)
            b.context.definition[s.result] = call
        else:
            t = batch_type(b.type(s.result), result, s.place)
            self.versions[s.result] = b.emit(Const(made), args, t, s.kwargs, s.result.name)


class Functions:
    """Functions called by reference, for batches in some of their arguments."""

    def __init__(self, b: Builder) -> None:
        self.b, self.context = b, b.context
        self.results: dict[Any, Fact] = {}
        self.facts: dict[Any, Mapping[Var, Fact]] = {}
        self.open: set[Any] = set()

    def result(self, ref: FunctionRef, facts: tuple[Fact, ...]) -> Fact:
        """What of the result differs, as far as it is known yet."""
        key = (ref, facts)
        if key not in self.results:
            self.results[key] = False
            self.changed = True
        return self.results[key]

    def settle(self, run: Any) -> None:
        """Run an analysis until it has all that it asks of functions."""
        self.changed = True
        while self.changed:
            self.changed = False
            run()
            for key in list(self.results):
                self.look(key)

    def look(self, key: Any) -> None:
        ref, facts = key
        function = self.context.functions[ref]
        spread = Spread(self.b, dict(zip(function.params, facts)), self)
        end = function.body.end
        assert isinstance(end, Return)
        spread.run(function.body.statements, (end.value,))
        self.facts[key] = spread.facts
        found = spread.of(end.value)
        if found != self.results[key]:
            self.results[key], self.changed = found, True

    def made(self, ref: FunctionRef, facts: tuple[Fact, ...]) -> tuple[FunctionRef, Fact]:
        key = ("batch", ref, facts)
        found = self.context.specialised.get(key)
        if found is None:
            found = self.context.specialised[key] = (FunctionRef(f"{ref.name}_batch"), self.results[ref, facts])
            self.make(found, ref, facts)
        return found

    def make(self, made: tuple[FunctionRef, Fact], ref: FunctionRef, facts: tuple[Fact, ...]) -> None:
        function, context = self.context.functions[ref], self.context
        b = Builder(context, "primal")
        params = [b.new(p.name, context.types[p]) for p in function.params]
        end = function.body.end
        assert isinstance(end, Return)
        copied = Splice(context, dict(zip(function.params, params))).statements(function.body.statements, (end.value,))
        count = b.new("count", INT)
        spread = Spread(b, dict(zip(params, facts)), self)
        spread.run(copied.statements, copied.out)
        batch = Batch(b, spread.facts, count, self, spread.views)
        body = batch.block(Block((), tuple(copied.statements), Return(copied.out[0])), (made[1],), (), params)
        context.functions[made[0]] = Function(
            made[0].name, (*body.params, count), (), replace(body, params=()), Signature(), function.place
        )


__all__ = ["Batch", "batch_type", "batched"]
