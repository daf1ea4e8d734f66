"""Shadows: beside each array by reference, the memory that collects its cotangent or holds its
tangent.

Statements are rebuilt with the shadows' own statements among them: a fresh array gets fresh
zeros, a view of an array the same view of its shadow; branches and loops carry both. Memory that
comes from outside gets its shadows before the statements, all together, because the arrays may
overlap.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alias import Effect, Memory, effect_of, holds_inexact, values_in
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.mutation import AUGMENTED, METHODS
from adcompile.analysis.unfollowed import name_of
from adcompile.analysis.views import (
    LOST,
    OVERLAPPING,
    SAME_MEMORY,
    VIEWS,
    fn_of,
    is_same_numbers,
    item_kind,
    joins_lists,
    may_view,
    of_number,
    only_operand,
    shows_diagonal,
    told_writeable,
)
from adcompile.autodiff.cotangents import shadow_type
from adcompile.autodiff.roots import root_of, steps_of
from adcompile.errors import Place, Unsupported
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
    If,
    Role,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import Array, Known, ListT, Maybe, Scalar, Seq, TupleT, Type
from adcompile.rules.registry import lookup

REMEDY = "write into a copy (b = a.copy()), or build a new array"


@dataclass
class Mirror:
    """The shadows of one list of statements. `shadow` maps each array by reference to its own."""

    b: Builder
    memory: Memory
    mirrored: frozenset[Var]
    role: Role
    shadow: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    made: set[Var] = field(default_factory=set[Var])  # the shadows themselves
    alone: set[Atom] = field(default_factory=set[Atom])  # of memory from outside, those that no other one overlaps
    roots: dict[Any, Atom] = field(default_factory=dict[Any, Atom])  # by the memory from outside they mirror
    overlapping: frozenset[Any] = frozenset()  # classes of memory: see Memory.overlapping
    aliases: Atom | None = None  # in debug mode: what knows all arrays and their shadows when the code runs

    def __post_init__(self) -> None:
        if self.mirrored:
            self.overlapping = self.memory.overlapping()

    # -- statements -------------------------------------------------------------------------

    def new(self, like: Var, t: Type | None = None) -> Var:
        """A name for the shadow of `like`."""
        suffix = "dot" if self.role == "tangent" else "bar"
        var = self.b.new(f"{like.name}_{suffix}", shadow_type(self.b.type(like)) if t is None else t, like.place)
        self.b.context.shape[var] = self.b.context.shape.get(like, like)
        self.made.add(var)
        if self.overlapping and any(self.memory.find(n) in self.overlapping for n in self.memory.nodes(like)):
            self.b.context.overlapping.add(var)
        return var

    def emit(self, like: Var, fn: Any, *args: Atom, kwargs: tuple[tuple[str, Atom], ...] = ()) -> Call:
        """A statement that gives the shadow of `like`, which is noted."""
        result = self.new(like)
        call = Call(result, Const(fn), args, kwargs, like.place, self.role)
        self.b.context.definition[result] = call
        self.shadow[like] = result
        return call

    def of(self, atom: Atom) -> Atom:
        """The shadow of a value that is mirrored; others stand for themselves."""
        if not isinstance(atom, Var):
            if isinstance(atom.value, np.ndarray) and ("object", id(atom.value)) not in self.roots:
                raise refuse_memory(self.b.place)
            return self.roots.get(("object", id(atom.value)), atom)
        if atom in self.mirrored and atom not in self.shadow:
            raise refuse_memory(atom.place, self.b.context.definition.get(atom))
        return self.shadow.get(atom, atom)

    def given(self, atom: Atom, out: list[Statement]) -> Atom:
        """The shadow of what goes into a container or is carried; of a display, which is dissolved
        elsewhere, a display of the shadows, which `out` gets; of a list that holds none so far, a list of its own."""
        t = self.b.type(atom)
        own = isinstance(t, Seq) and t.cls is list and self.of(atom) is atom
        if not isinstance(atom, Var) or not own and not isinstance(t, (ListT, TupleT)):
            return self.of(atom)
        items = [atom] if own else [self.given(item, out) for item in self.b.context_items(atom)]
        build = rt.copy if own else ops.build_list if isinstance(t, ListT) else ops.build_tuple
        made = self.new(atom, t)
        call = Call(made, Const(build), tuple(items), (), atom.place, self.role)
        self.b.context.definition[made] = call
        out.append(call)
        return made

    def block(self, statements: Sequence[Statement]) -> list[Statement]:
        return [out for s in statements for out in self.statement(s)]

    def statement(self, s: Statement) -> list[Statement]:
        if isinstance(s, Call):
            if fn_of(s) in TOGETHER:
                return [s, *self.beside_shadows(s)]
            called = effect_of(self.b.context, s)
            if called is not None:
                return [s, *self.beside_called(s, called)]
            if self.gives_views(s, self.shadow):
                return [s, *self.beside_views(s)]
            if self.makes_parts(s):
                return [s, *self.beside_parts(s)]
            return [s, *self.beside(s)] if s.result in self.mirrored and s.result not in self.shadow else [s]
        if isinstance(s, If):
            return [self.branch(s)]
        assert isinstance(s, (For, While))
        before: list[Statement] = []
        made = self.loop(s, before)
        return [*before, made]

    def beside(self, s: Call) -> list[Statement]:
        """What gives the shadow of a call's result."""
        kind = sharing_of(s, self.b.context.types)
        if fn_of(s) is rt.replica:
            return self.beside_replica(s)
        if kind == "fresh":
            return [self.emit(s.result, rt.shadow, s.result)]
        root = self.roots.get(root_of(s, self.memory))
        if root is not None:
            self.shadow[s.result] = root
            return []
        if kind == "out":
            self.shadow[s.result] = self.of(next(a for k, a in s.kwargs if k == "out"))
            return []
        if fn_of(s) in CONTAINERS or joins_lists(s, self.b.context.types):
            out: list[Statement] = []
            args = [self.given(a, out) for a in s.args]
            return [*out, self.emit(s.result, fn_of(s), *args, kwargs=s.kwargs)]
        part = self.memory.part(s)
        if part is not None:
            self.shadow[s.result] = self.of(part)
            return []
        base = self.base(s)
        if base is None:
            self.check_apart(s)
            return [self.emit(s.result, rt.shadow, s.result)]
        fn = fn_of(s)
        shadow = self.of(base)
        if fn is ops.identity and self.is_told(s):
            return [self.emit(s.result, fn, shadow)]
        if fn in AUGMENTED or fn is ops.identity or fn is ops.expect_length:
            self.shadow[s.result] = shadow
            return []
        if fn is rt.mirrored:
            return [self.emit(s.result, fn, *s.args[:2], shadow)]
        if shows_diagonal(s, self.b.context.types):
            offset = tuple(a for k, a in s.kwargs if k in ("k", "offset"))
            named = tuple((k, a) for k, a in s.kwargs if k not in ("k", "offset"))
            return [self.emit(s.result, rt.diagonal_of, shadow, *s.args[1:], *offset, kwargs=named)]
        if kind == "maybe" or fn in OVERLAPPING:
            return [self.emit(s.result, rt.mirrored, s.result, base, shadow)]
        args = tuple(self.of(a) if a in self.mirrored or isinstance(a, Const) else a for a in s.args)
        return [self.emit(s.result, fn, *args, kwargs=s.kwargs)]

    def beside_replica(self, s: Call) -> list[Statement]:
        """The strides of such a copy are those of something else."""
        types = TupleT((self.b.type(s.result),))
        made = Call(self.new(s.result, types), Const(rt.shadows), (s.result,), (), s.place, self.role)
        self.b.context.definition[made.result] = made
        return [made, self.emit(s.result, operator.getitem, made.result, Const(0))]

    def beside_shadows(self, s: Call) -> list[Statement]:
        """Shadows of shadows that may overlap: they mirror the same arrays."""
        parts = self.b.context_items(s.result)
        kept = [(k, p) for k, p in enumerate(parts) if isinstance(p, Var) and p in self.mirrored]
        if not kept:
            return []
        reads: list[Call] = []
        if fn_of(s) is rt.shadows:
            made = replace(s, result=self.new(s.result, self.b.type(s.result)), role=self.role)
            places = dict(kept)
        else:  # some of them views of the shadows that are given
            reads = [self.read(s.result, k, p) for k, p in kept]
            base = s.args[1:] if fn_of(s) is rt.released else s.args[(len(s.args) + s.args[0].value + 1) // 2 :]  # type: ignore[union-attr]
            given = [a for a in base if a in self.mirrored]
            args = (Const(len(kept)), *(r.result for r in reads), *given, *map(self.of, given))
            types = TupleT(tuple(self.b.type(p) for _, p in kept))
            made = Call(self.new(s.result, types), Const(rt.within), args, (), s.place, self.role)
            places = dict(enumerate(p for _, p in kept))
        self.b.context.definition[made.result] = made
        return [*reads, made, *(self.emit(p, operator.getitem, made.result, Const(k)) for k, p in places.items())]

    def share_parts(self, s: Call, shadow: dict[Var, Atom]) -> None:
        """A container that is read out of another one, or is one, has the shadows that it has there."""
        self.shadow = shadow
        part = self.memory.part(s) if is_structured(self.b.type(s.result)) else None
        part = s.args[0] if fn_of(s) is ops.identity and not self.is_told(s) else part
        if isinstance(part, Var) and root_of(s, self.memory) is None:  # what a module holds has roots of its own
            for here, there in zip(values_in(self.b, s.result), values_in(self.b, part)):
                if isinstance(here, Var) and here in self.mirrored:
                    self.shadow[here] = self.of(there)

    def is_told(self, s: Call) -> bool:
        """Whether this names an array that may be None, where it is not."""
        return isinstance(self.b.type(s.args[0]), Maybe)

    def gives_views(self, s: Call, shadow: dict[Var, Atom]) -> bool:
        """Whether a call gives several views in a container, as np.split does, or a list and what was
        taken off it. What it reads out of a container has the shadows that it has there."""
        self.share_parts(s, shadow)
        if fn_of(s) not in VIEWS and fn_of(s) is not ops.pop or not isinstance(self.b.type(s.result), (TupleT, ListT)):
            return False
        return any(v in self.mirrored and v not in shadow for v in self.b.context_items(s.result))

    def beside_views(self, s: Call) -> list[Statement]:
        """The same views of the shadows."""
        args = tuple(self.of(a) if a in self.mirrored else a for a in s.args)
        made = replace(s, result=self.new(s.result, self.b.type(s.result)), args=args, role=self.role)
        self.b.context.definition[made.result] = made
        parts = [(k, p) for k, p in enumerate(self.b.context_items(s.result)) if isinstance(p, Var)]
        shown = [self.emit(p, operator.getitem, made.result, Const(k)) for k, p in parts if p in self.mirrored]
        return [made, *shown]

    def makes_parts(self, s: Call) -> bool:
        """Whether a call gives several arrays of memory of their own, as np.linalg.eigh does."""
        known = s.result in self.b.context.stand_ins and fn_of(s) not in LOST and lookup(fn_of(s)) is not None
        return known and sharing_of(s, self.b.context.types) == "fresh"

    def beside_parts(self, s: Call) -> list[Statement]:
        """Zeros for each of them that is mirrored."""
        return [made for leaf in self.without_shadow(s) for made in self.fresh_part(leaf)]

    def read(self, owner: Var, k: int, part: Var) -> Call:
        """A part of a container, read."""
        made = self.b.new(part.name, self.b.type(part), part.place)
        self.b.context.shape[made] = self.b.context.shape.get(part, part)
        call = Call(made, Const(operator.getitem), (owner, Const(k)), (), part.place, self.role)
        self.b.context.definition[made] = call
        return call

    def beside_called(self, s: Call, called: Effect) -> list[Statement]:
        """The shadows of what a function called by reference gives: it gives them itself
        (autodiff/separate) where they may be views of those that it is given."""
        if any(self.memory.find(n) in self.overlapping for a in s.args for n in self.memory.nodes(a)):
            what = "a view that shows elements at several places goes into a recursive function"
            raise Unsupported(what, s.place, "pass a copy of it")
        if not any(v in self.mirrored for v in called.shared(self.b, s.result)):
            return self.beside_parts(s)
        self.shadow.update((leaf, self.new(leaf)) for leaf in self.without_shadow(s))
        return []

    def without_shadow(self, s: Call) -> list[Var]:
        """The arrays in a result, at any depth, that are mirrored and have no shadow yet."""
        found = [v for v in values_in(self.b, s.result) if isinstance(v, Var)]
        return [v for v in found if v in self.mirrored and v not in self.shadow]

    def fresh_part(self, leaf: Var) -> list[Statement]:
        """Zeros for an array, or for one in a new container, at any depth."""
        if leaf not in self.b.context.stand_in_of:
            return [self.emit(leaf, rt.shadow, leaf)]
        owner, k = self.b.context.stand_in_of[leaf]
        before: list[Statement] = []
        if owner in self.b.context.stand_in_of:
            before = self.fresh_read(owner)
            owner = before[-1].result  # type: ignore[union-attr]
        read = self.read(owner, k, leaf)
        return [*before, read, self.emit(leaf, rt.shadow, read.result)]

    def fresh_read(self, part: Var) -> list[Statement]:
        owner, k = self.b.context.stand_in_of[part]
        before = self.fresh_read(owner) if owner in self.b.context.stand_in_of else []
        inner = before[-1].result if before else owner  # type: ignore[union-attr]
        return [*before, self.read(inner, k, part)]  # type: ignore[arg-type]

    def check_apart(self, s: Call) -> None:
        """Refuse what may show memory whose shadow is not known: fresh zeros would lose derivatives."""
        shown = memory_base(s, self.b.context.types)
        t = None if shown is None else self.b.type(shown)
        if t is None or isinstance(t, (Scalar, Known)):
            return
        if not is_structured(t) or self.is_held_outside(s.result):
            raise refuse_memory(s.place, s)

    def is_held_outside(self, var: Var) -> bool:
        """Whether an array may be one that a list, dict or object from outside holds, the caller's or a module's."""
        memory, root = self.memory, self.memory.find(var)
        return any(memory.find(n) == root and not memory.is_array(n) for n in memory.outside)

    def base(self, s: Call) -> Atom | None:
        """The argument whose memory a view shows."""
        first = memory_base(s, self.b.context.types)
        return first if isinstance(first, Var) and first in self.shadow or isinstance(first, Const) else None

    # -- control flow -----------------------------------------------------------------------

    def branch(self, s: If) -> If:
        blocks = [self.inner(block) for block in (s.then, s.orelse)]
        moving = [k for k, r in enumerate(s.results) if r in self.mirrored]
        extra = [self.new(s.results[k], self.b.type(s.results[k])) for k in moving]
        for side, block in enumerate(blocks):
            if isinstance(block.end, Yield):
                out = list(block.statements)
                end = Yield((*block.end.values, *(self.given(block.end.values[k], out) for k in moving)))
                blocks[side] = Block(block.params, tuple(out), end)
        for k, var in zip(moving, extra):
            self.shadow[s.results[k]] = var
        return replace(s, results=(*s.results, *extra), then=blocks[0], orelse=blocks[1])

    def inner(self, block: Block) -> Block:
        return Block(block.params, tuple(self.block(block.statements)), block.end)

    def loop(self, s: For | While, before: list[Statement]) -> For | While:
        params = s.body.params[1:] if isinstance(s, For) else s.body.params
        moving = [k for k, p in enumerate(params) if p in self.mirrored or s.results[k] in self.mirrored]
        init = tuple(self.given(s.init[k], before) for k in moving)
        carried = [self.new(params[k]) for k in moving]
        for k, var in zip(moving, carried):
            self.shadow[params[k]] = var
        body = self.exits(s.body, moving)
        results = [self.new(s.results[k]) for k in moving]
        for k, var in zip(moving, results):
            self.shadow[s.results[k]] = var
        body = replace(body, params=(*s.body.params, *carried))
        return replace(s, results=(*s.results, *results), init=(*s.init, *init), body=body)

    def exits(self, block: Block, moving: list[int]) -> Block:
        """A block of a loop body's tree of conditional exits: each leaf hands on the shadows."""
        if isinstance(block.end, (Continue, Break)):
            statements = self.block(block.statements)
            values = block.end.values
            end: End = type(block.end)((*values, *(self.given(values[k], statements) for k in moving)))
            return Block(block.params, tuple(statements), end)
        tail = block.statements[-1] if block.statements else None
        if not isinstance(tail, If) or isinstance(tail.then.end, Yield) or isinstance(tail.orelse.end, Yield):
            return self.inner(block)
        before = self.block(block.statements[:-1])
        then, orelse = self.exits(tail.then, moving), self.exits(tail.orelse, moving)
        return Block(block.params, (*before, replace(tail, then=then, orelse=orelse)), block.end)

    # -- from outside -----------------------------------------------------------------------

    def enter(self, inputs: Iterable[Var]) -> list[tuple[Any, Atom]]:
        """The memory from outside that is mirrored: (key, array), in the order it is met."""
        found: dict[Any, Atom] = {}
        for v in inputs:
            if v in self.mirrored:
                found.setdefault(v, v)
        for n, atom in self.memory.outside.items():
            if isinstance(n, Var):
                if n in self.mirrored:
                    found.setdefault(n, n)
            elif n[0] == "object" and isinstance(atom, Const) and isinstance(atom.value, np.ndarray):
                if self.b.type(atom) and holds_inexact(self.b.type(atom)) and self.is_mirrored_root(n):
                    found.setdefault(n, atom)
        for call in self.memory.definition.values():
            key = root_of(call, self.memory)
            if key is not None and call.result in self.mirrored and key not in found:
                check_place(call, key, self.memory)
                found[key] = call.result
        return list(found.items())

    def is_mirrored_root(self, n: Any) -> bool:
        root = self.memory.find(n)
        return any(v in self.mirrored for v in self.memory.members.get(root, ()))


WRITTEN = "memory that is written in place and carries derivatives"


def refuse_memory(place: Place | None, made: Call | None = None) -> Unsupported:
    """The error for memory by reference that is reached in a way we cannot mirror: by what a call gives."""
    fn = None if made is None else fn_of(made)
    name = name_of(fn)
    if fn is np.ndarray.view:
        return Unsupported(f"a view of {WRITTEN}, which reads it as numbers of another kind", place, REMEDY)
    if fn in LOST and name is not None:
        return Unsupported(f"{name}() of {WRITTEN}: its views are not followed", place, REMEDY)
    ours = str(getattr(fn, "__module__", "")).startswith("adcompile")  # what stands for syntax
    if ours or name is None or fn in (getattr, operator.getitem):
        return Unsupported(f"{WRITTEN}, reached through a value of no known structure", place, REMEDY)
    return Unsupported(f"what {name}() gives may be {WRITTEN}: no rule says whether", place, REMEDY)


def memory_base(s: Call, types: Mapping[Var, Type]) -> Atom | None:
    """The argument of which a view shows memory."""
    fn = fn_of(s)
    if fn is rt.mirrored or fn is rt.followed:
        return s.args[2]
    if fn is np.einsum:
        return only_operand(s, types)
    named = next((a for k, a in s.kwargs if k in ("a", "m", "ary", "x", "array")), None)
    return s.args[0] if s.args else named


def check_place(call: Call, key: tuple[Any, ...], memory: Memory) -> None:
    """Refuse memory that is reached by a way on which the program puts something else: read again, it is
    not what was there at first."""
    steps, ours = steps_of(key), {memory.find(n) for n in memory.nodes(call.result)}
    for w in memory.written:
        fn, args = fn_of(w.call), w.call.args
        if isinstance(memory.b.type(w.target), Array) or ours.isdisjoint(map(memory.find, memory.nodes(w.target))):
            continue
        named = args[1].value if len(args) > 1 and isinstance(args[1], Const) else None
        if fn in (setattr, delattr):
            met = any(step is getattr and named in (None, name) for step, name in steps)
        elif fn in (operator.setitem, operator.delitem):
            met = any(step is operator.getitem and named in (None, name) for step, name in steps)
        else:
            met = fn in METHODS and any(step is operator.getitem for step, _ in steps)
        if met:
            raise Unsupported(f"{WRITTEN}, where this puts something else", w.call.place, "give it a name of its own")


def sharing_of(s: Call, types: Mapping[Var, Type]) -> str:
    """Whether a call's result is "fresh", a "view" of its first argument, what it wrote into
    ("out"), or that takes the run time ("maybe")."""
    fn = fn_of(s)
    if any(k == "out" for k, _ in s.kwargs):
        return "out"
    if of_number(s, types):
        return "fresh"
    if fn is operator.getitem and s.args and isinstance(s.args[0], Var):
        t = types[s.args[0]]
        if isinstance(t, Array):
            kind = item_kind(s, types)
            return "fresh" if kind == "copy" else kind
        return "view"
    if fn in (ops.load_global, getattr):
        return "view"
    if fn in SAME_MEMORY or joins_lists(s, types):
        return "view"
    if may_view(s, types):
        return "maybe"
    if fn is rt.mirrored or fn in OVERLAPPING and not told_writeable(s) or is_same_numbers(s, types):
        return "view"
    if shows_diagonal(s, types):
        return "view"
    from_rule = fn is not None and not isinstance(types[s.result], (Seq, TupleT))
    if from_rule and fn in LOST:
        raise refuse_memory(s.place, s)
    return "fresh"


CONTAINERS: set[Any] = {
    ops.build_list, ops.build_tuple, ops.push, ops.put_item, ops.list_set, list, list.copy, tuple, ops.list_concat,
}  # fmt: skip
"""What makes lists and tuples of arrays: the one of their shadows is made in the same way."""

TOGETHER: set[Any] = {rt.shadows, rt.released, rt.within}
"""What makes several shadows together."""
